"""The queryable layer follows from the records exactly as the fact store in memory does."""

from __future__ import annotations

from hypothesis import given

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.interning import unique_records
from graphkit.relations import RelationSheet
from graphkit.stores.fact_layer import FactKey, FactLayer
from graphkit.testing.strategies import fact_stores


def _keys(facts: FactStore) -> dict[FactKey, list[str]]:
    return {
        FactKey(
            facts.entity(fact.head).key, facts.relations[fact.relation], facts.entity(fact.tail).key
        ): sorted(facts.evidence_ids(fact))
        for fact in facts.facts()
    }


@given(facts=fact_stores())
def test_the_layer_equals_the_fact_store(facts: FactStore) -> None:
    """Law: entities, facts and evidence of the layer are those of the fact store."""
    triples = [facts.in_names(fact) for fact in facts.facts() if not facts.evidence_ids(fact)]
    layer = FactLayer.build(facts.records, triples, facts.sheet)
    expected = FactStore.from_evidence(facts.records.values(), facts.sheet, triples=triples)
    assert {key: sorted(ids) for key, ids in layer.facts.items()} == _keys(expected)
    alive = {
        expected.entity(number).key: expected.entity(number).text
        for number in expected.universe.tolist()
    }
    assert {key: row["name"] for key, row in layer.entities.items()} == alive


def test_numbers_can_be_compared() -> None:
    """A number literal has its value as a number; text that is none has not."""
    records = unique_records(
        EvidenceRecord(
            evidence_id=f"e{n}",
            head_entity="a",
            relation="r",
            tail_entity=value,
            tail_type="number",
        )
        for n, value in enumerate(["8,848", "-0.5", "many"])
    )
    layer = FactLayer.build(records, [], RelationSheet())
    numbers = {key: row["number"] for key, row in layer.entities.items() if key != ":a"}
    assert numbers == {"number:8848": 8848.0, "number:-0.5": -0.5, "number:many": None}


def test_a_fact_is_fresh_only_if_all_loaded_records_are() -> None:
    """Freshness and evidence of an edge follow the records that are loaded so far."""
    records = unique_records(
        EvidenceRecord(
            evidence_id=ident,
            head_entity="a",
            relation="r",
            tail_entity="b",
            is_fresh_knowledge=fresh,
        )
        for ident, fresh in (("e1", True), ("e2", False))
    )
    layer = FactLayer.build(records, [("c", "r", "d")], RelationSheet())
    fact = FactKey(":a", "r", ":b")
    assert layer.fact_properties(fact, {"e1": None}) == {"evidence_ids": ["e1"], "is_fresh": True}
    assert layer.fact_properties(fact) == {"evidence_ids": ["e1", "e2"], "is_fresh": False}
    assert layer.fact_properties(FactKey(":c", "r", ":d")) == {
        "evidence_ids": None,
        "is_fresh": None,
    }
