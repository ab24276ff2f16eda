"""Questions, histories and verdicts in a store; a store as a whole."""

from __future__ import annotations

import tempfile
from typing import Any

from graphkit.errors import InputError
from graphkit.question import Node
from graphkit.stores import (
    counts,
    export_store,
    import_store,
    load_evidence,
    load_questions,
    load_triples,
    question_key,
    read_checks,
    read_histories,
    read_questions,
    save_checks,
    save_history,
)
from graphkit.testing.generation import ODD_NAMES, SeededChoices, make_records, seeded_pairs
from graphkit.testing.store_contract.cases import (
    RECORDS,
    SHEET,
    WithStores,
    exported,
    graph_of_facts,
    raises,
    small_graph,
)

__all__ = ["QuestionsContract"]


class QuestionsContract(WithStores):
    """The part of the contract about questions, and about copies of a whole store."""

    def test_questions_come_back_exactly(self) -> None:
        """Question graphs come back equal, keys of the user's own included, in their order."""
        graphs = [graph for _, graph in seeded_pairs(7, 40, safe=None)]
        graphs = [
            graph.replace(id=f"q/{number}%" if number % 2 else None, question=f"{number}?")
            for number, graph in enumerate(graphs)
        ]
        with self.empty_store() as store:
            assert load_questions(store, [small_graph(), *graphs], batch=7) == 41
            assert read_questions(store) == [small_graph(), *graphs]
            assert read_questions(store, [question_key(graphs[3])]) == [graphs[3]]
            with raises(InputError, "nowhere"):
                read_questions(store, ["nowhere"])

    def test_a_question_is_a_graph_to_query(self) -> None:
        """Nodes and operation edges of a question can be matched, with the order of sources."""
        with self.empty_store() as store:
            load_questions(store, [small_graph()])
            rows = store.read(
                "MATCH (q:Question {id: 'q1'})-[:ROOT]->(r:Node)<-[i:INTERSECTION]-(s:Node) "
                "RETURN s.node_id AS node, i.place AS place, i.edge_id AS edge ORDER BY place"
            )
            assert [tuple(row.values()) for row in rows] == [("b", 0, "e3"), ("n", 1, "e3")]
            rows = store.read(
                "MATCH (a:Node)-[p:PROJECTION]->(:Node) WHERE 'Spain' IN a.known_entities "
                "RETURN a.question_id AS question, p.relation AS relation, p.direction AS way"
            )
            assert list(rows) == [{"question": "q1", "relation": "borders", "way": "forward"}]

    def test_a_changed_question_replaces_the_old_one(self) -> None:
        """The same id with other content leaves no node or verdict of the old question."""
        small = small_graph(
            root_node_id="s", nodes=[Node(node_id="s", known_entities=("Spain",))], edges=[]
        )
        with self.empty_store() as store:
            load_questions(store, [small_graph()])
            save_checks(store, [("q1", {"question_id": "q1", "unique": True})])
            assert load_questions(store, [small]) == 1
            assert read_questions(store) == [small]
            assert store.read("MATCH (n:Node) RETURN count(n) AS n").value() == 1
            assert counts(store)["checks"] == 0

    def test_histories_and_verdicts(self) -> None:
        """How a question grew and what was checked of it can be read back and queried."""
        steps: list[dict[str, Any]] = [
            {"strategy": "complement", "node_id": "r", "reason": "two were left", "x": [1]},
            {"strategy": "projection_extension", "node_id": "r", "reason": "one more hop"},
        ]
        check: dict[str, Any] = {
            "question_id": "q2",
            "unique": True,
            "basis": "closed",
            "redundant": [],
            "shortcuts": [{"kind": "adjacent", "size": 1}],
            "profile": {"depth": 2, "signature": "2in"},
        }
        with self.empty_store() as store:
            load_questions(store, [small_graph(), small_graph(id="q2", parent_id="q1")])
            for _ in range(2):
                assert save_history(store, "q2", steps) == 2
                assert save_checks(store, [(small_graph(id="q2"), check)]) == 1
            assert read_histories(store) == {"q2": steps}
            assert read_checks(store) == {"q2": check}
            rows = store.read(
                "MATCH (p:Question)-[g:GREW_INTO]->(q:Question)-[:CHECKED]->(c:Check) "
                "MATCH (q)-[:MUTATED]->(m:Mutation)-[:FOLLOWED_BY]->(n:Mutation) "
                "RETURN p.id AS parent, g.strategy AS last, c.signature AS signature, "
                "m.strategy AS first, n.reason AS reason"
            )
            assert list(rows) == [
                {
                    "parent": "q1",
                    "last": "projection_extension",
                    "signature": "2in",
                    "first": "complement",
                    "reason": "one more hop",
                }
            ]
            with raises(InputError, "q9"):
                save_history(store, "q9", steps)
            with raises(InputError, "q9"):
                save_checks(store, [("q9", check)])

    def test_export_import_export_is_exact(self) -> None:
        """What is imported into an empty store exports as the same bytes and is the same graph."""
        graphs = [graph for _, graph in seeded_pairs(9, 8, safe=None)]
        with self.empty_store() as store, tempfile.TemporaryDirectory() as folder:
            load_evidence(store, [*RECORDS, *make_records(SeededChoices(3), SHEET)], SHEET)
            load_triples(store, [(name or "x", "r", "nul\x00 here") for name in ODD_NAMES])
            load_questions(store, [small_graph(), *graphs])
            save_history(store, "q1", [{"strategy": "x", "node_id": "r", "reason": "so"}])
            save_checks(store, [("q1", {"question_id": "q1", "unique": None})])
            held = export_store(store, folder)
            assert held == counts(store)
            before, graph = exported(store), graph_of_facts(store)
            with self.empty_store_beside() as other:
                assert import_store(other, folder) == held
                assert exported(other) == before
                assert graph_of_facts(other) == graph
                assert import_store(other, folder) == held
                assert exported(other) == before

    def test_odd_names_survive(self) -> None:
        """Quotes, line breaks, NUL, right-to-left, emoji and long names come back as they were."""
        names = [name or "long " * 500 + "end" for name in ODD_NAMES]
        with self.empty_store() as store:
            store.bulk_nodes("Entity", [{"id": f"k{n}", "name": n} for n in names])
            rows = store.read("MATCH (e:Entity) RETURN e.id AS id, e.name AS name")
            assert {row["id"]: row["name"] for row in rows} == {f"k{n}": n for n in names}
            for name in names:
                found = store.read(
                    "MATCH (e:Entity {id: $id}) RETURN e.name AS name", {"id": f"k{name}"}
                )
                assert found.column("name") == [name]

    def test_every_node_has_an_id(self) -> None:
        """No node of any label is without an ``id``."""
        with self.empty_store() as store:
            load_evidence(store, RECORDS, SHEET)
            load_questions(store, [small_graph()])
            assert store.read("MATCH (n) WHERE n.id IS NULL RETURN count(n) AS n").value() == 0
