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


@given(known=RECORDS, new=RECORDS, relation=NAMES, inverted=st.booleans())
def test_a_proposal_replays_on_a_known_fact_with_the_same_ends(known, new, relation, inverted):
    """It is borne out just when some record, turned as proposed, is a known fact already."""
    spelling = Spelling(relation, inverted)
    facts = {
        (item.head_entity.casefold(), item.tail_entity.casefold())
        for item in known
        if item.relation == relation
    }
    expected = any(
        ((item.tail_entity, item.head_entity) if inverted else (item.head_entity, item.tail_entity))
        in facts
        for item in [
            i.model_copy(
                update={
                    "head_entity": i.head_entity.casefold(),
                    "tail_entity": i.tail_entity.casefold(),
                }
            )
            for i in new
        ]
    )
    assert RelationBook().replays(new, known, spelling) is expected


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
