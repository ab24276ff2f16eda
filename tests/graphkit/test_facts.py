"""The fact store: identity, aliases, literals, types, evidence, and what a change leaves."""

from __future__ import annotations

import pytest

from graphkit.entities import Entity
from graphkit.errors import InputError
from graphkit.evidence import EvidenceRecord
from graphkit.facts import Fact, FactStore, NamedFact
from graphkit.operations import Direction
from graphkit.relations import RelationSheet


def record(number: int, head: str, relation: str, tail: str, **more: object) -> EvidenceRecord:
    """An evidence record with the id ``e<number>``."""
    return EvidenceRecord(
        evidence_id=f"e{number}", head_entity=head, relation=relation, tail_entity=tail, **more
    )


def named(store: FactStore) -> list[NamedFact]:
    """All facts in names, sorted."""
    return sorted(store.in_names(fact) for fact in store.facts())


def sheet(**relations: dict[str, object]) -> RelationSheet:
    """A relation sheet from keyword arguments; a dash in a name is written as two underscores."""
    return RelationSheet.from_dict({"relations": relations})


def test_an_entity_is_its_id_else_its_name_and_type():
    """Paris the city, Paris the person and Paris Q830149 are three; NFC makes names equal."""
    store = FactStore.from_evidence(
        [
            record(1, "Paris", "in", "France", head_type="city"),
            record(2, "Paris", "in", "Troy", head_type="person"),
            record(3, "Paris", "in", "Texas", head_id="Q830149", head_type="city"),
            record(4, "Paname", "in", "Texas", head_id="Q830149"),
            record(5, "Cafe\u0301", "in", "Paris", tail_type="city"),
            record(6, "Caf\u00e9", "in", "Texas"),
        ]
    )
    found = sorted(entity.key for entity in store.entities)
    assert found == [
        "#Q830149", ":Caf\u00e9", ":France", ":Texas", ":Troy", "city:Paris", "person:Paris",
    ]  # fmt: skip
    texan = next(n for n, e in enumerate(store.entities) if e.id == "Q830149")
    assert store.entity(texan) == Entity("Paris", "city", "Q830149")
    assert store.aliases[texan] == ("Paname",)


def test_the_type_of_an_id_is_the_first_that_a_record_gives():
    """A record without a type says nothing against one that has it."""
    store = FactStore.from_evidence(
        [
            record(1, "X", "r", "Y", head_id="Q1"),
            record(2, "X", "r", "Z", head_id="Q1", head_type="t"),
        ]
    )
    assert store.types["t"].ids.tolist() == [0]
    grown = FactStore.from_evidence([record(1, "X", "r", "Y", head_id="Q1")]).with_record(
        record(2, "X", "r", "Z", head_id="Q1", head_type="t")
    )
    assert grown.types["t"].ids.tolist() == [0]
    assert grown.without_record("e2").types == {}


def test_keys_of_different_entities_differ():
    """Colons, brackets, signs and units cannot be confused."""
    entities = [
        Entity("b:c", "a"), Entity("c", "a:b"), Entity("Q1"), Entity("x", id="Q1"),
        Entity("5", "number", unit="m"), Entity("5 m", "number"), Entity("5", "number[m]"),
        Entity("5", "number"), Entity("x", "#Q1"), Entity("5]", "number", unit="m"),
        Entity("5", "number", unit="m]"), Entity("a", "%3A"), Entity("a", ":"),
    ]  # fmt: skip
    assert len({entity.key for entity in entities}) == len(entities)


def test_aliases_are_merged_when_facts_are_loaded():
    """A fact about an alias is a fact about the main name, wherever the alias is stated."""
    store = FactStore.from_evidence(
        [
            record(1, "USA", "borders", "Mexico"),
            record(
                2, "United States", "borders", "Canada", aliases={"United States": ["USA", "US"]}
            ),
        ]
    )
    assert named(store) == [
        ("United States", "borders", "Canada"), ("United States", "borders", "Mexico"),
    ]  # fmt: skip
    number = store.named("United States").ids[0]
    assert store.aliases == {number: ("USA", "US")}


def test_an_alias_that_two_names_claim_merges_nothing():
    """Congo may be either; as a name of its own it stays its own entity."""
    store = FactStore.from_evidence(
        [
            record(1, "DR Congo", "in", "Africa", aliases={"DR Congo": ["Congo"]}),
            record(
                2, "Republic of Congo", "in", "Africa", aliases={"Republic of Congo": ["Congo"]}
            ),
            record(3, "Congo", "flows to", "Atlantic"),
        ]
    )
    assert ("Congo", "flows to", "Atlantic") in named(store)


def test_aliases_of_a_record_that_calls_its_relation_by_another_name():
    """The types of both ends come from the relation that is meant, read the right way round."""
    known = sheet(capital={"head_type": "country", "tail_type": "city", "inverse": "capital of"})
    store = FactStore.from_evidence(
        [
            record(1, "Peking", "capital of", "China", aliases={"Peking": ["Beijing"]}),
            record(2, "China", "capital", "Beijing"),
        ],
        known,
    )
    assert named(store) == [("China", "capital", "Peking")]
    assert store.evidence_ids(next(store.facts())) == ("e1", "e2")
    assert sorted(store.types) == ["city", "country"]


def test_a_record_without_aliases_finds_those_that_are_known():
    """with_record knows the aliases of names that no fact had so far."""
    store = FactStore.from_evidence(
        [record(1, "Rome", "in", "Italy", aliases={"Oslo": ["Kristiania"]})]
    )
    store = store.with_record(record(2, "Kristiania", "in", "Norway"))
    assert ("Oslo", "in", "Norway") in named(store)
    number = int(store.named("Oslo").ids[0])
    assert store.aliases[number] == ("Kristiania",)


def test_literals_are_datatype_canonical_form_and_unit():
    """8,848 m is 8848.0 m, and neither 8,848 km nor the year 8848."""
    known = sheet(height={"tail_type": "number", "tail_unit": "m"}, born={"tail_type": "year"})
    store = FactStore.from_evidence(
        [
            record(1, "Everest", "height", "8,848 m"),
            record(2, "Everest", "height", "8848.0", tail_unit="m"),
            record(3, "Everest", "height", "8848"),
            record(4, "Planet", "height", "8848", tail_unit="km"),
            record(5, "Robot", "born", "8848"),
        ],
        known,
    )
    literals = [entity for entity in store.entities if entity.type in ("number", "year")]
    assert literals == [
        Entity("8848", "number", None, "m"), Entity("8848", "number", None, "km"),
        Entity("8848", "year"),
    ]  # fmt: skip
    assert store.evidence_ids(next(store.facts())) == ("e1", "e2", "e3")
    assert [entity.text for entity in literals] == ["8848 m", "8848 km", "8848"]
    plain = FactStore.from_triples(
        [("Everest", "height", "8,848"), ("Everest", "height", "8848 m")], known
    )
    assert len(plain) == 1


def test_types_come_from_the_record_else_from_the_sheet():
    """The record knows best; what neither types has no type."""
    known = sheet(in_={"head_type": "city", "tail_type": "country"})
    store = FactStore.from_evidence(
        [
            record(1, "Bern", "in_", "Switzerland"),
            record(2, "Alps", "in_", "Europe", head_type="range"),
        ],
        known,
    )
    assert {kind: store.names(found) for kind, found in store.types.items()} == {
        "city": ["Bern"], "country": ["Europe", "Switzerland"], "range": ["Alps"],
    }  # fmt: skip
    assert store.of_type("nobody").ids.tolist() == []
    untyped = store.with_sheet(RelationSheet())
    assert sorted(untyped.types) == ["range"]


def test_symmetric_relations_are_closed_with_their_evidence():
    """Said once, true twice; both directions have the records of either."""
    known = sheet(borders={"symmetric": True})
    store = FactStore.from_evidence(
        [
            record(1, "A", "borders", "B"),
            record(2, "B", "borders", "A"),
            record(3, "C", "borders", "C"),
        ],
        known,
    )
    assert named(store) == [("A", "borders", "B"), ("B", "borders", "A"), ("C", "borders", "C")]
    assert {store.evidence_ids(fact) for fact in store.facts()} == {("e1", "e2"), ("e3",)}
    assert len(store.without_record("e1")) == 3
    assert named(store.without_record("e1").without_record("e2")) == [("C", "borders", "C")]
    triples = FactStore.from_triples([("A", "borders", "B")], known)
    assert len(triples) == 2
    assert len(triples.with_fact("A", "borders", "C")) == 4
    assert len(triples.without_fact(next(triples.facts()))) == 0


def test_facts_of_an_inverse_name_are_turned_round():
    """Relations are stored under the sheet's own name."""
    known = sheet(
        capital={"aliases": ["has capital"], "inverse": "capital of", "inverse_aliases": ["rules"]}
    )
    store = FactStore.from_triples(
        [("Bern", "capital of", "CH"), ("CH", "has capital", "Bern"), ("Bern", "rules", "CH")],
        known,
    )
    assert named(store) == [("CH", "capital", "Bern")]
    assert store.relations == ("capital",)
    assert named(store.with_fact("Rome", "capital of", "IT"))[1] == ("IT", "capital", "Rome")


def test_a_fact_keeps_its_records_and_goes_with_the_last_one():
    """Evidence is a list; a fact is fresh only if all of it is."""
    store = FactStore.from_evidence(
        [
            record(1, "A", "r", "B", is_fresh_knowledge=True),
            record(2, "A", "r", "B"),
            record(3, "B", "s", "C"),
        ]
    )
    fact = Fact(0, 0, 1)
    assert [item.evidence_id for item in store.evidence(fact)] == ["e1", "e2"]
    assert store.is_fresh(fact) is False
    assert store.without_record("e2").is_fresh(fact) is True
    assert store.without_record("e1").has(fact)
    gone = store.without_record("e1").without_record("e2")
    assert not gone.has(fact)
    assert named(gone) == [("B", "s", "C")]
    assert [gone.alive(number) for number in range(3)] == [False, True, True]
    assert gone.size == 2
    assert list(gone.living_relations) == ["s"]
    assert named(store) == [("A", "r", "B"), ("B", "s", "C")]


def test_a_fact_given_without_evidence_outlives_its_records():
    """It has no records to lose, and no freshness."""
    store = FactStore.from_triples([("A", "r", "B")])
    fact = Fact(0, 0, 1)
    assert store.is_fresh(fact) is None
    told = store.with_record(record(1, "A", "r", "B", is_fresh_knowledge=True))
    assert told.evidence_ids(fact) == ("e1",)
    assert told.is_fresh(fact) is True
    assert told.is_plain(fact)
    assert told.without_record("e1").is_plain(fact)
    assert FactStore.from_evidence([record(1, "A", "r", "B")]).is_plain(fact) is False


def test_a_fact_taken_out_does_not_come_back_with_other_records():
    """Its records go too, so that aliases of later records do not bring it back."""
    store = FactStore.from_evidence([record(1, "A", "r", "B"), record(2, "A", "r", "C")])
    less = store.without_fact(Fact(0, 0, 1))
    assert list(less.records) == ["e2"]
    more = less.with_record(record(3, "D", "r", "C", aliases={"D": ["Dee"]}))
    assert named(more) == [("A", "r", "C"), ("D", "r", "C")]
    assert named(store.without_facts(store.facts())) == []


def test_numbers_name_entities_in_new_facts():
    """with_fact takes the number of an entity where a name would be ambiguous."""
    store = FactStore.from_evidence(
        [record(1, "Paris", "in", "France", head_type="city"), record(2, "Paris", "in", "Troy")]
    )
    grown = store.with_fact(0, "near", 2)
    fact = next(f for f in grown.facts() if grown.relations[f.relation] == "near")
    assert (fact.head, fact.tail) == (0, 2)
    assert grown.delta.entities_changed is False
    assert store.with_fact("Paris", "near", "Sparta").delta.entities_changed is True


@pytest.mark.parametrize("triple", [(" ", "r", "b"), ("a", "r", ""), ("a", " ", "b")])
def test_blank_names_are_refused(triple):
    """A fact has three names."""
    with pytest.raises(InputError, match="blank"):
        FactStore.from_triples([triple])


def test_what_is_not_there_is_said_with_a_hint():
    """Unknown records and relations are errors, not empty answers."""
    store = FactStore.from_triples([("A", "borders", "B")])
    with pytest.raises(InputError, match="no evidence record 'e9'"):
        store.without_record("e9")
    with pytest.raises(InputError, match=r"no relation 'boders' .*did you mean borders"):
        store.project("boders", Direction.FORWARD, store.named("A"))


def test_an_empty_store_is_a_store():
    """No facts, no universe, and facts can be put in."""
    store = FactStore.from_triples([])
    assert (len(store), store.size, list(store.facts())) == (0, 0, [])
    assert named(store.with_fact("A", "r", "B")) == [("A", "r", "B")]
