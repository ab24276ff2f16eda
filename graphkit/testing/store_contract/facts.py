"""Facts and evidence come back as they went in, whatever breaks off a load."""

from __future__ import annotations

from graphkit.errors import InputError
from graphkit.facts import FactStore
from graphkit.relations import RelationSheet
from graphkit.stores import (
    counts,
    load_evidence,
    load_questions,
    load_triples,
    read_facts,
)
from graphkit.testing.generation import SeededChoices, make_records
from graphkit.testing.store_contract.cases import (
    RECORDS,
    SHEET,
    Interrupted,
    WithStores,
    exported,
    graph_of_facts,
    raises,
    same_facts,
    small_graph,
)

__all__ = ["FactsContract"]


class FactsContract(WithStores):
    """The part of the contract about facts and evidence."""

    def test_facts_come_back_exactly(self) -> None:
        """Facts read from the store equal those built from the records, numbers included."""
        for number in range(25):
            choices = SeededChoices(number)
            records = make_records(choices, SHEET)
            with self.empty_store() as store:
                load_evidence(store, records, SHEET, batch=4)
                assert same_facts(read_facts(store), FactStore.from_evidence(records, SHEET))

    def test_triples_come_back_exactly(self) -> None:
        """Triples read from the store give the fact store that they give directly."""
        triples = [("Spain", "borders", "France"), ("Paris", "capital of", "France")]
        triples += [("France", "has capital", "Paris"), ("France", "borders", "Italy")]
        with self.empty_store() as store:
            load_triples(store, triples, SHEET, batch=2)
            assert same_facts(read_facts(store), FactStore.from_triples(triples, SHEET))

    def test_evidence_and_triples_share_entities(self) -> None:
        """Triples beside evidence meet its entities, by alias too."""
        with self.empty_store() as store:
            load_evidence(store, RECORDS, SHEET)
            load_triples(store, [("French Republic", "borders", "Italy")])
            facts = read_facts(store)
            named = facts.names(facts.named("Italy", "France"))
            assert named == ["France", "France", "Italy"], "one France is known as a country"
            rows = store.read(
                "MATCH (:Entity {name: $name})-[f:FACT {relation: 'borders'}]->(t:Entity) "
                "RETURN t.name AS name, f.evidence_ids AS ids ORDER BY name",
                {"name": "France"},
            )
            assert list(rows) == [
                {"name": "Italy", "ids": None},
                {"name": "Spain", "ids": ["e1", "e2"]},
            ]

    def test_support_of_a_fact_can_be_asked_for(self) -> None:
        """Each fact names its records, and each record leads to both entities of its fact."""
        with self.empty_store() as store:
            load_evidence(store, RECORDS, SHEET)
            rows = store.read(
                "MATCH (h:Entity)<-[:HEAD]-(v:Evidence)-[:TAIL]->(t:Entity) "
                "RETURN v.id AS id, h.name AS head, t.name AS tail ORDER BY id"
            )
            assert [tuple(row.values()) for row in rows] == [
                ("e1", "France", "Spain"),
                ("e2", "Spain", "France"),
                ("e3", "Paris", "France"),
                ("e4", "Mont Blanc", "4806 m"),
            ]
            fresh = store.read(
                "MATCH (:Entity)-[f:FACT]->(:Entity) WHERE f.is_fresh RETURN count(f) AS n"
            )
            assert fresh.value() == 0, "a fact is fresh only if all its records are"

    def test_loading_again_changes_nothing(self) -> None:
        """The same evidence, triples and questions loaded twice leave the same bytes."""
        states = []
        with self.empty_store() as store:
            for expected in ((4, 1, 1), (0, 0, 0)):
                assert load_evidence(store, RECORDS, SHEET) == expected[0]
                assert load_triples(store, [("a", "r", "b"), ("a", "r", "b")]) == expected[1]
                assert load_questions(store, [small_graph()]) == expected[2]
                states.append((counts(store), exported(store), graph_of_facts(store)))
        assert states[0] == states[1]

    def test_a_changed_record_replaces_the_old_one(self) -> None:
        """A record with a known id and other content takes its facts and entities with it."""
        changed = RECORDS[0].model_copy(update={"tail_entity": "Andorra", "aliases": {}})
        with self.empty_store() as store:
            load_evidence(store, RECORDS, SHEET)
            assert load_evidence(store, [changed]) == 1
            kept = [changed, *RECORDS[1:]]
            assert same_facts(read_facts(store), FactStore.from_evidence(kept, SHEET))
            with self.empty_store_beside() as other:
                load_evidence(other, kept, SHEET)
                assert graph_of_facts(store) == graph_of_facts(other)

    def test_another_sheet_reads_all_facts_anew(self) -> None:
        """A new relation sheet changes types, symmetry and names of the facts in the store."""
        with self.empty_store() as store:
            load_evidence(store, RECORDS, SHEET)
            load_evidence(store, [], RelationSheet())
            assert same_facts(read_facts(store), FactStore.from_evidence(RECORDS))
            load_evidence(store, [], SHEET)
            assert same_facts(read_facts(store), FactStore.from_evidence(RECORDS, SHEET))
            after = graph_of_facts(store)
        with self.empty_store() as other:
            load_evidence(other, RECORDS, SHEET)
            assert graph_of_facts(other) == after

    def test_two_records_with_one_id_are_refused(self) -> None:
        """Different records with the same id in one load are an error, and nothing is loaded."""
        twin = RECORDS[1].model_copy(update={"evidence_id": "e1"})
        with self.empty_store() as store:
            with raises(InputError, "e1"):
                load_evidence(store, [RECORDS[0], twin])
            assert counts(store)["evidence"] == 0

    def test_an_interrupted_load_leaves_whole_batches_and_can_be_resumed(self) -> None:
        """A load broken off keeps what was told as done; loading again gives the whole."""
        records = make_records(SeededChoices(5), SHEET, low=40, high=40)
        with self.empty_store() as other:
            load_evidence(other, records, SHEET, batch=8)
            whole = (exported(other), graph_of_facts(other))

        def stop(done: int, total: int) -> None:
            assert total == 40
            if done == 16:
                raise Interrupted

        with self.empty_store() as store:
            try:
                load_evidence(store, records, SHEET, batch=8, progress=stop)
            except Interrupted:
                assert counts(store)["evidence"] == 16
            else:
                raise AssertionError("the load was not interrupted")
            assert load_evidence(store, records, SHEET, batch=8) == 24
            assert (exported(store), graph_of_facts(store)) == whole
