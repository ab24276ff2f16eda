"""Answers from a store are those in memory."""

from __future__ import annotations

from contextlib import ExitStack

from graphkit.compile.cypher import to_cypher
from graphkit.errors import UnsafeGraphError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.operations import Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.stores import (
    answer_in_store,
    load_evidence,
    load_facts,
    load_triples,
)
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import is_unsafe
from graphkit.testing.store_contract.cases import (
    RECORDS,
    SHEET,
    WithStores,
    raises,
    small_graph,
)

__all__ = ["AnswersContract"]


class AnswersContract(WithStores):
    """The part of the contract about answers.

    Attributes:
        pairs: How many pairs of a graph and a fact store are compared.
        seed: Where they come from.
    """

    pairs = 320
    seed = 2024

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
                    with raises(UnsafeGraphError):
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
            assert answer_in_store(store, small_graph()) == ["France"]

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
