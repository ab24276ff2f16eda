"""Laws of exact evaluation: it equals the oracle, and obeys the algebra of sets."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphkit.errors import UnsafeGraphError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.grounding import ground
from graphkit.operations import Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import is_unsafe, oracle_answers, oracle_values, same_entities
from graphkit.testing.strategies import stores_with_graphs


def answers(graph: QuestionGraph, facts: FactStore) -> set[str] | None:
    """The keys of the answers, or None when the root is unsafe."""
    try:
        found = evaluate(graph, facts).answers
    except UnsafeGraphError:
        return None
    return {facts.entity(int(number)).key for number in found.ids}


def test_thousands_of_seeded_graphs_have_the_answers_of_the_oracle():
    """4,000 pairs from a seed: every node, and the answers or the refusal, are the oracle's."""
    seen: Counter[str] = Counter()
    for facts, graph in seeded_pairs(2024, 4000, safe=None):
        want = oracle_answers(graph, facts)
        assert answers(graph, facts) == want
        seen["unsafe" if want is None else str(min(len(want), 2))] += 1
        values = evaluate(graph, facts, materialize_universe=True).values
        for node_id, keys in oracle_values(graph, facts).items():
            assert same_entities(facts, facts.members(values[node_id]), keys)
        if graph.answer is not None:
            seen["planted"] += 1
            assert graph.answer in evaluate(graph, facts).names
    assert min(seen["unsafe"], seen["0"], seen["2"]) > 100
    assert seen["1"] > 1000
    assert seen["planted"] == 2000


@given(stores_with_graphs(safe=None))
def test_answers_are_those_of_the_oracle(pair):
    """Two implementations that share nothing but the specification agree."""
    facts, graph = pair
    assert answers(graph, facts) == oracle_answers(graph, facts)


@given(stores_with_graphs(planted=True))
def test_a_planted_answer_is_an_answer(pair):
    """What a graph was built backwards from is among its answers, here and in the oracle."""
    facts, graph = pair
    assert graph.answer in evaluate(graph, facts).names
    planted = {facts.entity(int(n)).key for n in facts.named(graph.answer).ids} | {
        entity.key for entity in facts.entities if entity.text == graph.answer
    }
    assert planted & oracle_answers(graph, facts)


@given(stores_with_graphs(safe=False))
def test_an_unsafe_root_is_refused_unless_the_universe_is_materialized(pair):
    """A complement as the answer is an error; written out on demand it is the oracle's set."""
    facts, graph = pair
    assert is_unsafe(graph)
    with pytest.raises(UnsafeGraphError, match="complement"):
        evaluate(graph, facts)
    made = evaluate(graph, facts, materialize_universe=True)
    assert made.safe
    assert made.materialized
    want = oracle_values(graph, facts)[graph.root_node_id]
    assert same_entities(facts, made.answers.ids, want)
    assert made.count == len(want)


def extended(graph: QuestionGraph, *parts: tuple[str, Op, list[str]]) -> QuestionGraph:
    """Put nodes with one incoming edge on top of a graph; the last one is the new root."""
    nodes = [node.model_copy(update={"is_root": False}) for node in graph.nodes]
    edges = list(graph.edges)
    for name, op, sources in parts:
        nodes.append(Node(node_id=name))
        edges.append(Edge(edge_id=f"to {name}", source_ids=sources, target_id=name, op=op))
    return graph.replace(nodes=tuple(nodes), edges=tuple(edges), root_node_id=parts[-1][0])


@given(stores_with_graphs())
def test_a_set_and_not_the_empty_set_is_the_set(pair):
    """A and not empty = A."""
    facts, graph = pair
    root = graph.root_node_id
    laws = extended(
        graph,
        ("not A", Op.COMPLEMENT, [root]),
        ("empty", Op.INTERSECTION, [root, "not A"]),
        ("not empty", Op.COMPLEMENT, ["empty"]),
        ("same", Op.INTERSECTION, [root, "not empty"]),
    )
    assert oracle_values(laws, facts)["empty"] == frozenset()
    assert answers(laws, facts) == answers(graph, facts)


@given(stores_with_graphs())
def test_a_double_complement_is_the_set(pair):
    """Not not A = A."""
    facts, graph = pair
    twice = extended(
        graph, ("no", Op.COMPLEMENT, [graph.root_node_id]), ("yes", Op.COMPLEMENT, ["no"])
    )
    assert answers(twice, facts) == answers(graph, facts)


@given(stores_with_graphs(safe=None), st.integers(0, 99))
def test_union_equals_the_complement_of_the_intersection_of_complements(pair, number):
    """De Morgan, for sets and for complements of sets."""
    facts, graph = pair
    assume(len(graph.nodes) > 1)
    left = graph.root_node_id
    others = [node.node_id for node in graph.nodes if node.node_id != left]
    right = others[number % len(others)]
    union = extended(graph, ("or", Op.UNION, [left, right]))
    by_hand = extended(
        graph,
        ("not left", Op.COMPLEMENT, [left]),
        ("not right", Op.COMPLEMENT, [right]),
        ("neither", Op.INTERSECTION, ["not left", "not right"]),
        ("either", Op.COMPLEMENT, ["neither"]),
    )
    assert answers(union, facts) == answers(by_hand, facts)


@given(stores_with_graphs(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99))))
def test_facts_of_a_relation_that_is_not_used_never_change_safe_answers(pair, pairs):
    """The universe may grow, with types untouched: a safe question does not see it."""
    facts, graph = pair
    before = evaluate(graph, facts).names
    bigger = facts
    for head, tail in pairs:
        bigger = bigger.with_fact(f"new head {head}", "a relation of its own", f"new tail {tail}")
    assert bigger.size == facts.size + len(
        {f"new head {head}" for head, _ in pairs} | {f"new tail {tail}" for _, tail in pairs}
    )
    assert evaluate(graph, bigger).names == before
    used = {item.number for item in ground(graph, facts).relations.values()}
    unused = [
        fact
        for fact in facts.facts()
        if fact.relation not in used
        and all(degree_without(facts, fact, end) for end in (fact.head, fact.tail))
        # A record takes the aliases that it declares along: then names mean something else.
        and not any(record.aliases for record in facts.evidence(fact))
    ]
    for fact in unused[:1]:
        assert evaluate(graph, facts.without_fact(fact)).names == before


def degree_without(facts: FactStore, fact: object, end: int) -> bool:
    """Whether an entity is held by a fact of another relation, so that it stays."""
    return any(end in (f.head, f.tail) and f.relation != fact.relation for f in facts.facts())


@given(stores_with_graphs(safe=None), st.randoms(use_true_random=False))
def test_the_order_of_nodes_edges_and_sources_does_not_matter(pair, random):
    """A graph is a set of nodes and edges, an edge has a set of sources."""
    facts, graph = pair
    mixed = graph.replace(
        nodes=tuple(random.sample(graph.nodes, len(graph.nodes))),
        edges=tuple(
            edge.model_copy(
                update={"source_ids": tuple(random.sample(edge.source_ids, len(edge.source_ids)))}
            )
            for edge in random.sample(graph.edges, len(graph.edges))
        ),
    )
    assert answers(mixed, facts) == answers(graph, facts)
