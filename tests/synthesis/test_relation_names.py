"""Relation names: one name for one relation, and never one that no fact bears out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.evidence import EvidenceRecord
from graphkit.relations import RelationSheet
from synthesis.relation_names import RelationBook, Spelling, plain_spelling

SHEET = RelationSheet.parse(
    """
[relations."capital"]
aliases = ["seat of government"]
inverse_aliases = ["capital of"]
[relations."borders"]
symmetric = true
"""
)


def record(number: int, head: str, relation: str, tail: str, **more: object) -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=f"e{number}", head_entity=head, relation=relation, tail_entity=tail, **more
    )


NAMES = st.sampled_from(["capital", "Capital", "capital_of", "seat", "lies-on", "liesOn", "rules"])
ENDS = st.sampled_from(["Ulm", "Bonn", "ULM", "Rhine", "Danube"])
RECORDS = st.lists(st.tuples(ENDS, NAMES, ENDS), max_size=12).map(
    lambda triples: [
        record(n, *triple, head_type="a", tail_type="b", head_id="h", tail_id="t")
        for n, triple in enumerate(triples)
    ]
)


@given(text=st.text(max_size=12))
def test_plain_spelling_is_idempotent(text: str):
    """A spelling that is plain already stays."""
    plain = plain_spelling(text)
    assert plain_spelling(plain) == plain


@pytest.mark.parametrize(
    "other", ["capital_of", "Capital Of", "capital-of", "capitalOf", " CAPITAL  of"]
)
def test_spellings_that_differ_in_form_only_are_one(other: str) -> None:
    """Case, underscores, hyphens, inner capitals and spaces do not make another relation."""
    book = RelationBook().named("capital of")
    assert book.read(other) == Spelling("capital of")
    assert book.new_spellings([record(1, "a", other, "b")]) == {}


@given(records=RECORDS, inverted=st.booleans())
def test_rewriting_twice_is_rewriting_once(records: list[EvidenceRecord], inverted: bool):
    """What stands under a kept name stays as it is."""
    book = RelationBook().named("rules").joined("seat", Spelling("rules", inverted, "replayed"))
    for name in ("capital", "capital of", "lies on"):
        book = book.named(name)
    for item in records:
        once = book.rewrite(item)
        assert book.rewrite(once) == once
        assert once.evidence_id == item.evidence_id


def test_an_inverted_reading_swaps_all_that_belongs_to_the_ends() -> None:
    """Names, types and ids of head and tail change places; the spelling found is kept."""
    book = RelationBook().named("rules").joined("ruled by", Spelling("rules", True, "replayed"))
    found = record(1, "Ulm", "ruled by", "Ada", head_type="city", tail_type="person", tail_id="Q1")
    turned = book.rewrite(found)
    assert (turned.head_entity, turned.relation, turned.tail_entity) == ("Ada", "rules", "Ulm")
    assert (turned.head_type, turned.tail_type) == ("person", "city")
    assert (turned.head_id, turned.tail_id) == ("Q1", None)
    assert turned.model_extra == {"relation_as_found": "ruled by", "relation_turned": True}


FEW = st.lists(
    st.tuples(
        st.sampled_from("abcABC"), st.sampled_from(["rules", "seat"]), st.sampled_from("xyz")
    ),
    max_size=8,
).map(lambda triples: [record(n, *triple) for n, triple in enumerate(triples)])
ONE_TAIL = RelationSheet.parse("[relations.rules]\nfunctional = true\n")


@given(known=FEW, new=FEW, inverted=st.booleans(), functional=st.booleans())
def test_what_speaks_against_a_proposal(known, new, inverted, functional):
    """No known fact, one where there could be two, or another tail where there is but one."""
    book = RelationBook(ONE_TAIL if functional else RelationSheet())
    if inverted:
        new = [
            item.model_copy(
                update={"head_entity": item.tail_entity, "tail_entity": item.head_entity}
            )
            for item in new
        ]
    told = {
        (item.head_entity.casefold(), item.tail_entity)
        for item in known
        if item.relation == "rules"
    }
    said = {
        (item.tail_entity.casefold(), item.head_entity)
        if inverted
        else (item.head_entity.casefold(), item.tail_entity)
        for item in new
    }
    heads, tails = {head for head, _ in told}, {tail for _, tail in told}
    same = len(told & said)
    could = sum(head in heads and tail in tails for head, tail in said)
    other = functional and any(head in heads and (head, tail) not in told for head, tail in said)
    expected = same >= min(2, could) and same > 0 and not other
    spelling = Spelling("rules", inverted)
    assert (book.objection(new, known, spelling) is None) is expected
    assert (book.objection(new, known, spelling) is None) is expected


def test_it_is_told_what_speaks_against_a_proposal() -> None:
    """In words, for the journal."""
    known = [record(1, "Ulm", "rules", "Ada"), record(2, "Bonn", "rules", "Bo")]

    def told(sheet: RelationSheet, *new: tuple[str, str]) -> str | None:
        records = [record(n, head, "leads", tail) for n, (head, tail) in enumerate(new)]
        return RelationBook(sheet).objection(records, known, Spelling("rules"))

    assert told(RelationSheet(), ("Kiel", "Cy")) == "no fact bears it out"
    assert told(RelationSheet(), ("Ulm", "Ada"), ("Kiel", "Cy")) is None
    assert told(RelationSheet(), ("Ulm", "Ada"), ("Bonn", "Ada")) == "only one fact bears it out"
    assert told(ONE_TAIL, ("Ulm", "Ada"), ("Bonn", "Cy")) == (
        "a head has one tail, and 'bonn' has another"
    )


def test_an_unknown_spelling_cannot_be_rewritten() -> None:
    """It has to be named first."""
    with pytest.raises(KeyError):
        RelationBook().rewrite(record(1, "a", "r", "b"))


def test_the_sheet_names_relations_both_ways() -> None:
    """Its names and aliases are known from the start, inverse ones turn the ends round."""
    book = RelationBook(SHEET)
    assert book.read("Seat of Government") == Spelling("capital", False, "sheet")
    assert book.read("capital_of") == Spelling("capital", True, "sheet")
    assert book.names() == ()
    turned = book.rewrite(record(1, "Paris", "capital of", "France"))
    assert (turned.head_entity, turned.relation, turned.tail_entity) == (
        "France",
        "capital",
        "Paris",
    )


def test_an_alias_of_two_relations_is_no_name_of_either() -> None:
    """Nothing is guessed."""
    sheet = RelationSheet.parse(
        '[relations."capital"]\naliases = ["seat"]\n[relations."court"]\naliases = ["seat"]\n'
    )
    book = RelationBook(sheet)
    assert book.read("seat") is None
    assert book.read("Court") == Spelling("court", False, "sheet")


@given(records=RECORDS)
def test_new_spellings_are_each_there_once_with_all_their_records(records: list[EvidenceRecord]):
    """Forms of one spelling stand together under the first; nothing is lost, nothing twice."""
    found = RelationBook().new_spellings(records)
    listed = [item.evidence_id for group in found.values() for item in group]
    assert sorted(listed) == sorted(item.evidence_id for item in records)
    assert len({plain_spelling(name) for name in found}) == len(found)


def test_a_book_does_not_change_when_something_is_added() -> None:
    """The old book still knows nothing."""
    book = RelationBook()
    grown = book.named("capital").joined("seat", Spelling("capital"))
    assert book.names() == ()
    assert grown.names() == ("capital",)
