"""The contract of graph stores, as a suite of tests that any adapter can run.

Subclass :class:`StoreContract` in a test module and say how to open an empty store::

    class TestMyStore(StoreContract):
        @contextlib.contextmanager
        def empty_store(self):
            with MyStore(...) as store:
                store.write("MATCH (n) DETACH DELETE n")
                store.ensure_schema()
                yield store

Runs under pytest, needs no hypothesis.
"""

from __future__ import annotations

import abc
import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

from graphkit.compile.cypher import to_cypher
from graphkit.errors import GraphkitError, InputError, QueryError, UnsafeGraphError
from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.operations import Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.stores import (
    GraphStore,
    answer_in_store,
    counts,
    export_store,
    import_store,
    load_evidence,
    load_facts,
    load_questions,
    load_triples,
    question_key,
    read_checks,
    read_facts,
    read_histories,
    read_questions,
    save_checks,
    save_history,
)
from graphkit.testing.generation import ODD_NAMES, SeededChoices, make_records, seeded_pairs
from graphkit.testing.oracle import is_unsafe

__all__ = ["Interrupted", "StoreContract", "exported", "same_facts"]

SHEET = RelationSheet.parse(
    """
[relations.borders]
symmetric = true
complete = true
aliases = ["touches"]
[relations."capital of"]
inverse = "has capital"
functional = true
head_type = "city"
tail_type = "country"
complete = ["France"]
[relations.height]
tail_type = "number"
"""
)

RECORDS = [
    EvidenceRecord.model_validate(data)
    for data in (
        {
            "evidence_id": "e1",
            "head_entity": "France",
            "relation": "borders",
            "tail_entity": "Spain",
            "aliases": {"France": ["French Republic"]},
            "is_fresh_knowledge": True,
            "source_url": "https://www.example.org/fr",
            "my own key": {"deep": [1, None, "x"]},
        },
        {
            "evidence_id": "e2",
            "head_entity": "Spain",
            "relation": "touches",
            "tail_entity": "French Republic",
        },
        {
            "evidence_id": "e3",
            "head_entity": "France",
            "relation": "has capital",
            "tail_entity": "Paris",
        },
        {
            "evidence_id": "e4",
            "head_entity": "Mont Blanc",
            "relation": "height",
            "tail_entity": "4,806",
            "tail_unit": "m",
        },
    )
]


_SLOW = (
    "UNWIND range(1, 20000) AS a UNWIND range(1, 20000) AS b "
    "WITH a * b AS c WHERE c % 7 = 3 RETURN count(c) AS n"
)


class Interrupted(Exception):
    """Stands for a load that was broken off."""


@contextlib.contextmanager
def _raises(kind: type[GraphkitError], *words: str) -> Iterator[None]:
    text = None
    try:
        yield
    except kind as error:
        text = str(error)
    assert text is not None, f"expected {kind.__name__}"
    missing = [word for word in words if word not in text]
    assert not missing, f"{missing} not in {text}"


def exported(store: GraphStore) -> dict[str, bytes]:
    """Return the files of an export by name."""
    with tempfile.TemporaryDirectory() as folder:
        export_store(store, folder)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def same_facts(left: FactStore, right: FactStore) -> bool:
    """Whether two fact stores say the same, with the same numbers throughout."""
    return (
        left.entities == right.entities
        and left.relations == right.relations
        and dict(left.aliases) == dict(right.aliases)
        and dict(left.records) == dict(right.records)
        and left.sheet == right.sheet
        and list(left.facts()) == list(right.facts())
        and all(left.evidence_ids(fact) == right.evidence_ids(fact) for fact in left.facts())
    )


def _graph(**changes: Any) -> QuestionGraph:
    """Return a small graph: what borders Spain and is not Portugal."""
    data: dict[str, Any] = {
        "id": "q1",
        "question": 'Which country borders "Spain"?',
        "answer": "France",
        "root_node_id": "r",
        "nodes": [
            Node(node_id="s", label="Spain", known_entities=("Spain",)),
            Node(node_id="b", label="neighbours"),
            Node(node_id="p", label="Portugal", known_entities=("Portugal",)),
            Node(node_id="n", label="not Portugal"),
            Node(node_id="r", label="answer", is_root=True),
        ],
        "edges": [
            Edge(
                edge_id="e1", source_ids=("s",), target_id="b", op=Op.PROJECTION, relation="borders"
            ),
            Edge(edge_id="e2", source_ids=("p",), target_id="n", op=Op.COMPLEMENT),
            Edge(edge_id="e3", source_ids=("b", "n"), target_id="r", op=Op.INTERSECTION),
        ],
        "my own key": [1, {"deep": None}],
    }
    return QuestionGraph.model_validate({**data, **changes})


class StoreContract(abc.ABC):
    """What every graph store must do; see the module for how to use it.

    Attributes:
        pairs: How many pairs of a graph and a fact store the comparison with memory takes.
        seed: Where they come from.
    """

    pairs = 320
    seed = 2024

    @abc.abstractmethod
    def empty_store(self) -> AbstractContextManager[GraphStore]:
        """Open a store that holds nothing but the schema."""

    # ---- the same answers as in memory ----------------------------------------------------------

    def test_answers_equal_those_in_memory(self) -> None:
        """Every generated graph has the same full answer set by Cypher as by ``evaluate``."""
        with ExitStack() as stack:
            filled = unsafe = 0
            known: FactStore | None = None
            pairs = seeded_pairs(self.seed, self.pairs, safe=None)
            for facts, graph in pairs:
                if facts is not known:
                    stack.close()
                    store = stack.enter_context(self.empty_store())
                    load_facts(store, facts)
                    known = facts
                if is_unsafe(graph):
                    unsafe += 1
                    with _raises(UnsafeGraphError):
                        to_cypher(graph, facts)
                expected = evaluate(graph, facts, materialize_universe=True).names
                found = answer_in_store(store, graph, facts, materialize_universe=True)
                text = to_cypher(graph, facts, materialize_universe=True).text
                assert found == expected, f"{graph.to_record()}\n{text}"
                filled += bool(expected)
            assert filled > self.pairs // 2
            assert unsafe > 0

    def test_answers_follow_the_stored_facts(self) -> None:
        """A condition, an exclusion and an alias mean in the store what they mean in memory."""
        with self.empty_store() as store:
            load_evidence(store, RECORDS, SHEET)
            load_triples(store, [("Portugal", "borders", "Spain")])
            assert answer_in_store(store, _graph()) == ["France"]

    def test_values_are_never_part_of_the_text(self) -> None:
        """Names and relations that are Cypher themselves stay values."""
        evil = "x'}) DETACH DELETE n //\n\" ` $keys1"
        facts = FactStore.from_triples([(evil, evil, "target"), ("other", evil, evil)])
        graph = QuestionGraph(
            root_node_id=evil,
            nodes=(Node(node_id="a", known_entities=(evil,)), Node(node_id=evil)),
            edges=(
                Edge(
                    edge_id=evil,
                    source_ids=("a",),
                    target_id=evil,
                    op=Op.PROJECTION,
                    relation=evil,
                ),
            ),
        )
        assert evil not in to_cypher(graph, facts).text
        with self.empty_store() as store:
            load_facts(store, facts)
            assert answer_in_store(store, graph, facts) == ["target"]

    # ---- facts and evidence -----------------------------------------------------------------

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
                assert load_questions(store, [_graph()]) == expected[2]
                states.append((counts(store), exported(store), _graph_of_facts(store)))
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
                assert _graph_of_facts(store) == _graph_of_facts(other)

    def test_another_sheet_reads_all_facts_anew(self) -> None:
        """A new relation sheet changes types, symmetry and names of the facts in the store."""
        with self.empty_store() as store:
            load_evidence(store, RECORDS, SHEET)
            load_evidence(store, [], RelationSheet())
            assert same_facts(read_facts(store), FactStore.from_evidence(RECORDS))
            load_evidence(store, [], SHEET)
            assert same_facts(read_facts(store), FactStore.from_evidence(RECORDS, SHEET))
            after = _graph_of_facts(store)
        with self.empty_store() as other:
            load_evidence(other, RECORDS, SHEET)
            assert _graph_of_facts(other) == after

    def test_two_records_with_one_id_are_refused(self) -> None:
        """Different records with the same id in one load are an error, and nothing is loaded."""
        twin = RECORDS[1].model_copy(update={"evidence_id": "e1"})
        with self.empty_store() as store:
            with _raises(InputError, "e1"):
                load_evidence(store, [RECORDS[0], twin])
            assert counts(store)["evidence"] == 0

    def test_an_interrupted_load_leaves_whole_batches_and_can_be_resumed(self) -> None:
        """A load broken off keeps what was told as done; loading again gives the whole."""
        records = make_records(SeededChoices(5), SHEET, low=40, high=40)
        with self.empty_store() as other:
            load_evidence(other, records, SHEET, batch=8)
            whole = (exported(other), _graph_of_facts(other))

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
            assert (exported(store), _graph_of_facts(store)) == whole

    # ---- questions ----------------------------------------------------------------------------

    def test_questions_come_back_exactly(self) -> None:
        """Question graphs come back equal, keys of the user's own included, in their order."""
        graphs = [graph for _, graph in seeded_pairs(7, 40, safe=None)]
        graphs = [
            graph.replace(id=f"q/{number}%" if number % 2 else None, question=f"{number}?")
            for number, graph in enumerate(graphs)
        ]
        with self.empty_store() as store:
            assert load_questions(store, [_graph(), *graphs], batch=7) == 41
            assert read_questions(store) == [_graph(), *graphs]
            assert read_questions(store, [question_key(graphs[3])]) == [graphs[3]]
            with _raises(InputError, "nowhere"):
                read_questions(store, ["nowhere"])

    def test_a_question_is_a_graph_to_query(self) -> None:
        """Nodes and operation edges of a question can be matched, with the order of sources."""
        with self.empty_store() as store:
            load_questions(store, [_graph()])
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
        small = _graph(
            root_node_id="s", nodes=[Node(node_id="s", known_entities=("Spain",))], edges=[]
        )
        with self.empty_store() as store:
            load_questions(store, [_graph()])
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
            load_questions(store, [_graph(), _graph(id="q2", parent_id="q1")])
            for _ in range(2):
                assert save_history(store, "q2", steps) == 2
                assert save_checks(store, [(_graph(id="q2"), check)]) == 1
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
            with _raises(InputError, "q9"):
                save_history(store, "q9", steps)
            with _raises(InputError, "q9"):
                save_checks(store, [("q9", check)])

    # ---- the whole store ----------------------------------------------------------------------

    def test_export_import_export_is_exact(self) -> None:
        """What is imported into an empty store exports as the same bytes and is the same graph."""
        graphs = [graph for _, graph in seeded_pairs(9, 8, safe=None)]
        with self.empty_store() as store, tempfile.TemporaryDirectory() as folder:
            load_evidence(store, [*RECORDS, *make_records(SeededChoices(3), SHEET)], SHEET)
            load_triples(store, [(name or "x", "r", "nul\x00 here") for name in ODD_NAMES])
            load_questions(store, [_graph(), *graphs])
            save_history(store, "q1", [{"strategy": "x", "node_id": "r", "reason": "so"}])
            save_checks(store, [("q1", {"question_id": "q1", "unique": None})])
            held = export_store(store, folder)
            assert held == counts(store)
            before, graph = exported(store), _graph_of_facts(store)
            with self.empty_store_beside() as other:
                assert import_store(other, folder) == held
                assert exported(other) == before
                assert _graph_of_facts(other) == graph
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
            load_questions(store, [_graph()])
            assert store.read("MATCH (n) WHERE n.id IS NULL RETURN count(n) AS n").value() == 0

    # ---- the protocol -------------------------------------------------------------------------

    def test_it_is_a_store(self) -> None:
        """The adapter has every member of the protocol and says what it is."""
        with self.empty_store() as store:
            assert isinstance(store, GraphStore)
            found = store.capabilities()
            assert found.engine
            assert found.location
            assert not found.read_only
            store.ensure_schema()
            assert store.read("MATCH (s:Store) RETURN count(s) AS n").value() == 1

    def test_a_transaction_takes_effect_whole_or_not_at_all(self) -> None:
        """An error in the block undoes everything in it; without one all of it stays."""
        with self.empty_store() as store:
            try:
                with store.transaction() as transaction:
                    transaction.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
                    transaction.write("CREATE (e:Entity {id: 'b', name: 'b'})")
                    seen = transaction.read("MATCH (e:Entity) RETURN count(e) AS n").value()
                    assert seen == 2, "a transaction sees its own writes"
                    raise Interrupted
            except Interrupted:
                assert counts(store)["entities"] == 0
            with store.transaction() as transaction:
                transaction.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
            assert counts(store)["entities"] == 1

    def test_a_wrong_statement_undoes_its_transaction(self) -> None:
        """A query error inside a transaction leaves nothing of it."""
        with self.empty_store() as store:
            with _raises(QueryError), store.transaction() as transaction:
                transaction.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
                transaction.write("CREATE (e:Entity")
            assert counts(store)["entities"] == 0

    def test_bulk_calls_can_be_repeated(self) -> None:
        """The same nodes and edges twice are there once; None takes a property away."""
        nodes = [{"id": "a", "name": "A", "unit": "m"}, {"id": "b", "name": "B"}]
        edges = [{"source": "a", "target": "b", "relation": r, "is_fresh": True} for r in "rs"]
        with self.empty_store() as store:
            for _ in range(2):
                assert store.bulk_nodes("Entity", nodes) == 2
                assert store.bulk_edges("FACT", "Entity", "Entity", edges) == 2
            store.bulk_nodes("Entity", [{"id": "a", "unit": None}])
            rows = store.read(
                "MATCH (a:Entity)-[f:FACT]->(b:Entity) RETURN a.name AS a, a.unit AS unit, "
                "f.relation AS relation, b.id AS b ORDER BY relation"
            )
            assert [tuple(row.values()) for row in rows] == [
                ("A", None, "r", "b"),
                ("A", None, "s", "b"),
            ]

    def test_what_only_some_engines_take_is_refused(self) -> None:
        """Maps, nested and mixed lists, numbers beyond 64 bits and half characters are errors."""
        refused: list[Any] = [{"a": 1}, [[1]], [1, "a"], [None], 2**63, float("nan"), "\ud800", {1}]
        with self.empty_store() as store:
            for value in refused:
                with _raises(InputError, "odd"):
                    store.bulk_nodes("Entity", [{"id": "a", "odd": value}])
            for label, node in (("Nonsense", {"id": "a"}), ("Entity", {"name": "a"})):
                with _raises(InputError):
                    store.bulk_nodes(label, [node])
            for kind, edge in (
                ("NONSENSE", {"source": "a", "target": "b"}),
                ("FACT", {"source": "a", "relation": "r"}),
                ("FACT", {"source": "a", "target": "b"}),
            ):
                with _raises(InputError):
                    store.bulk_edges(kind, "Entity", "Entity", [edge])
            assert counts(store)["entities"] == 0

    def test_reading_refuses_to_write(self) -> None:
        """A query given to ``read`` that would change anything is refused and changes nothing."""
        with self.empty_store() as store:
            store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
            for query in (
                "CREATE (e:Entity {id: 'b'})",
                "MATCH (e:Entity) SET e.name = 'b' RETURN e.name AS name",
                "MERGE (e:Entity {id: 'b'})",
                "MATCH (e:Entity) DETACH DELETE e",
                "MATCH (e:Entity) REMOVE e.name",
            ):
                with _raises(QueryError):
                    store.read(query)
            names = store.read("MATCH (e:Entity) RETURN e.name AS name").column("name")
            assert names == ["a"]

    def test_wrong_queries_are_query_errors(self) -> None:
        """Whatever is wrong with a query or its parameters, the error is ours and says what."""
        with self.empty_store() as store:
            for query in ("MATCH (n RETURN n", "", "RETURN $missing AS x", "RETURN unknown AS x"):
                for run in (store.read, store.write):
                    with _raises(QueryError):
                        list(run(query))
            with _raises(QueryError, "LOAD CSV"):
                store.read("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line")
            with _raises(QueryError):
                list(store.read("RETURN $x AS x", {"x": object()}))

    def test_rows_can_be_limited(self) -> None:
        """A limit keeps the first rows and says that there were more."""
        with self.empty_store() as store:
            query = "UNWIND range(1, 50) AS i RETURN i AS i, 'x' AS x ORDER BY i"
            rows = store.read(query, limit=3)
            assert rows.columns == ("i", "x")
            assert [row["i"] for row in rows] == [1, 2, 3]
            assert rows.truncated
            assert not store.read(query, limit=50).truncated
            assert len(store.read(query)) == 50
            empty = store.read("MATCH (e:Entity) RETURN e.id AS id")
            assert (empty.columns, list(empty), empty.value()) == (("id",), [], None)
            with _raises(QueryError, "limit"):
                store.read(query, limit=-1)

    def test_rows_can_be_streamed(self) -> None:
        """Rows come one by one; at their end it is known whether a limit left some out."""
        query = "UNWIND range(1, 5000) AS i RETURN i AS i, 'x' AS x ORDER BY i"
        with self.empty_store() as store:
            with store.stream(query) as rows:
                assert rows.columns == ("i", "x")
                assert [row["i"] for row in rows] == list(range(1, 5001))
                assert (rows.count, rows.truncated) == (5000, False)
            for limit, more in ((3, True), (5000, False), (0, True)):
                with store.stream(query, limit=limit) as rows:
                    assert len(list(rows)) == limit
                    assert rows.truncated is more
            with store.stream("RETURN $x AS x", {"x": "given"}) as rows:
                assert list(rows) == [{"x": "given"}]
            for bad in ("CREATE (e:Entity {id: 'b'})", "MATCH (n RETURN n", "RETURN $none AS x"):
                with _raises(QueryError), store.stream(bad) as rows:
                    list(rows)
            with _raises(QueryError, "longer"), store.stream(_SLOW, timeout=0.05) as rows:
                list(rows)
            assert counts(store)["entities"] == 0

    def test_a_slow_query_is_stopped(self) -> None:
        """A query that takes longer than its timeout is an error, and the store goes on."""
        with self.empty_store() as store:
            with _raises(QueryError, "longer"):
                list(store.read(_SLOW, timeout=0.05))
            with _raises(QueryError, "timeout"):
                store.read(_SLOW, timeout=-1.0)
            assert store.read("RETURN 1 AS one").value() == 1

    def empty_store_beside(self) -> AbstractContextManager[GraphStore]:
        """Open a second empty store while the first is open; override where there is just one."""
        return self.empty_store()


def _graph_of_facts(store: GraphStore) -> dict[str, set[tuple[Any, ...]]]:
    """Return all entities, facts and ends of evidence that a store holds, as plain values."""
    queries = {
        "entities": "MATCH (e:Entity) RETURN e.id AS id, e.name AS name, e.entity_type AS kind, "
        "e.entity_id AS own, e.unit AS unit, e.number AS number, e.aliases AS aliases",
        "facts": "MATCH (h:Entity)-[f:FACT]->(t:Entity) RETURN h.id AS h, f.relation AS r, "
        "t.id AS t, f.evidence_ids AS ids, f.is_fresh AS fresh",
        "ends": "MATCH (h:Entity)<-[:HEAD]-(v:Evidence)-[:TAIL]->(t:Entity) "
        "RETURN v.id AS v, h.id AS h, t.id AS t, v.relation AS r, v.place AS place",
        "relations": "MATCH (r:Relation) RETURN r.id AS id, r.facts AS facts, "
        "r.symmetric AS symmetric, r.complete AS complete, r.complete_for AS complete_for",
    }
    found = {}
    for name, query in queries.items():
        rows = [tuple(map(_hashable, row.values())) for row in store.read(query)]
        found[name] = set(rows)
        assert len(found[name]) == len(rows), f"{name} hold something twice"
    return found


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else value
