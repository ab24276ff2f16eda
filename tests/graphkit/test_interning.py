"""Names become numbers: claims of aliases, and when a change can be made in place."""

from __future__ import annotations

from graphkit.entities import Entity
from graphkit.evidence import EvidenceRecord
from graphkit.interning import Interner, Spellings, identity, names_an_id
from graphkit.relations import RelationSheet

NO_SHEET = RelationSheet()


def record(number: int, head: str, tail: str, **more: object) -> EvidenceRecord:
    """An evidence record with the id ``e<number>`` and the relation r."""
    return EvidenceRecord(
        evidence_id=f"e{number}", head_entity=head, relation="r", tail_entity=tail, **more
    )


def test_an_alias_stands_for_the_one_name_that_claims_it():
    """Two claims cancel each other, and a main name never stands for another."""
    spellings = Spellings.of(
        [
            record(1, "A", "B", aliases={"A": ["a1", "both", "B"]}),
            record(2, "B", "C", aliases={"B": ["both", "b1"]}),
        ],
        NO_SHEET,
    )
    assert spellings.same == {(None, "a1"): "A", (None, "b1"): "B"}
    assert spellings.table == {(None, "A"): ("a1", "both", "B"), (None, "B"): ("both", "b1")}


def test_claims_are_counted_so_that_a_second_one_may_go():
    """Only the first record with a claim, and the last one, change what aliases say."""
    first, second = (record(n, "A", "B", aliases={"A": ["a1"]}) for n in (1, 2))
    one = Spellings.of([first], NO_SHEET)
    two = one.recounted([second], [], NO_SHEET)
    assert two is not None
    assert (two.table, two.same) == (one.table, one.same)
    assert two.recounted([], [first], NO_SHEET) == one
    assert one.recounted([], [first], NO_SHEET) is None
    assert one.recounted([record(3, "A", "B", aliases={"A": ["a2"]})], [], NO_SHEET) is None
    assert one.recounted([record(3, "A", "B")], [], NO_SHEET) == one


def test_an_id_with_two_names_or_types_is_noticed():
    """Such an id may lose its first name or its type when a record goes."""
    plain = record(1, "A", "B", head_id="Q1")
    assert not names_an_id([plain], [record(2, "A", "C", head_id="Q1")], NO_SHEET)
    assert not names_an_id([plain], [record(2, "X", "C", head_id="Q2")], NO_SHEET)
    assert names_an_id([plain], [record(2, "X", "C", head_id="Q1")], NO_SHEET)
    assert names_an_id([plain], [record(2, "A", "C", head_id="Q1", head_type="t")], NO_SHEET)
    assert not names_an_id([record(3, "A", "B")], [plain], NO_SHEET)


def test_an_interner_says_when_it_revised_an_entity():
    """A further name or a first type of a known id; a new entity is no revision."""
    interner = Interner(NO_SHEET)
    interner.add(record(1, "A", "B", head_id="Q1"))
    assert not interner.revised
    interner.add(record(2, "A", "C", head_id="Q1"))
    assert not interner.revised
    interner.add(record(3, "Z", "C", head_id="Q1"))
    assert interner.revised
    assert interner.aliases() == {0: ("Z",)}
    assert interner.entities[0] == Entity("A", None, "Q1")


def test_identity_is_id_else_type_name_and_unit():
    """Ids and names never meet."""
    assert identity(Entity("A", "t", "Q1")) == identity(Entity("B", None, "Q1")) == ("id", "Q1")
    assert identity(Entity("5", "number", None, "m")) == ("number", "5", "m")
