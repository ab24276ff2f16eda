"""What a question asks: the same under other names, another for another question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.facts import FactStore
from graphkit.normalize import normalize
from graphkit.question import Edge, QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.testing.oracle import oracle_answers
from graphkit.testing.strategies import stores_with_graphs
from synthesis.asked import asked_on
from tests.synthesis.test_offers import _chain, redundant

SHEET = RelationSheet.parse(
    """
[relations."borders"]
symmetric = true
[relations."capital"]
aliases = ["seat of government"]
inverse_aliases = ["capital of"]
"""
)
FACTS = FactStore.from_triples(
    [
        ("France", "capital", "Paris"),
        ("Spain", "capital", "Madrid"),
        ("France", "borders", "Spain"),
    ],
    SHEET,
)


def renamed(graph: QuestionGraph, order: list[int]) -> QuestionGraph:
    """The graph under other ids, its nodes, edges and sources in another order."""
    names = {node.node_id: f"m{place}" for place, node in enumerate(graph.nodes)}
    nodes = [
        node.model_copy(update={"node_id": names[node.node_id], "label": "x"})
        for node in graph.nodes
    ]
    edges = [
        edge.model_copy(
            update={
                "edge_id": f"f{place}",
                "source_ids": tuple(names[source] for source in reversed(edge.source_ids)),
                "target_id": names[edge.target_id],
            }
        )
        for place, edge in enumerate(graph.edges)
    ]
    shift = order[0] % len(nodes)
    return graph.replace(
        root_node_id=names[graph.root_node_id],
        nodes=tuple(nodes[shift:] + nodes[:shift]),
        edges=tuple(edges[::-1]),
        question="other words",
    )


@given(pair=stores_with_graphs(), order=st.lists(st.integers(0, 9), min_size=1, max_size=1))
def test_ids_order_and_words_do_not_matter(pair, order):
    """A question under other ids asks the same, and so does its normal form."""
    facts, graph = pair
    assert asked_on(renamed(graph, order), facts) == asked_on(graph, facts)
    assert asked_on(normalize(graph), facts) == asked_on(graph, facts)


@given(pair=stores_with_graphs(), other=st.data())
def test_questions_that_ask_the_same_have_the_same_answers(pair, other):
    """Types aside: equal texts never stand for different sets."""
    facts, graph = pair
    untyped = graph.replace(
        nodes=tuple(node.model_copy(update={"entity_type": None}) for node in graph.nodes)
    )
    changed = untyped.replace(
        edges=tuple(
            edge.model_copy(update={"relation": other.draw(st.sampled_from(facts.relations))})
            if edge.relation
            else edge
            for edge in untyped.edges
        )
    )
    if asked_on(changed, facts) == asked_on(untyped, facts):
        assert oracle_answers(changed, facts) == oracle_answers(untyped, facts)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("capital", "forward"), ("Capital", "forward")),
        (("capital", "forward"), ("seat of government", "forward")),
        (("capital", "forward"), ("capital of", "backward")),
        (("borders", "forward"), ("borders", "backward")),
    ],
)
def test_aliases_and_the_direction_of_a_symmetric_relation_do_not_matter(one, other) -> None:
    """One relation is one relation, whatever it is called and from whichever end it is read."""
    told = {
        asked_on(_chain(name, "x", hop), FACTS)
        for hop in (one, other)
        for name in ("France", "FRANCE")
    }
    assert len(told) == 1


@pytest.mark.parametrize(
    "other",
    [
        _chain("Spain", "Paris", ("capital", "forward")),
        _chain("France", "Paris", ("capital", "backward")),
        _chain("France", "Paris", ("borders", "forward")),
        _chain("France", "Paris", ("capital", "forward"), ("capital", "backward")),
        _chain("France", "Paris", ("rules", "forward")),
        redundant(),
    ],
)
def test_another_question_is_another(other: QuestionGraph) -> None:
    """Another anchor, direction, relation or shape asks something else, on the facts or not."""
    graph = _chain("France", "Paris", ("capital", "forward"))
    assert asked_on(other, FACTS) != asked_on(graph, FACTS)


def test_the_answer_declared_is_no_part_of_what_is_asked() -> None:
    """Nor is the text."""
    hop = ("capital", "forward")
    assert asked_on(_chain("France", "Paris", hop), FACTS) == asked_on(
        _chain("France", "Nice", hop), FACTS
    )


def test_what_the_facts_do_not_know_keeps_its_name() -> None:
    """Unknown anchors are told apart."""
    told = {asked_on(_chain(name, "x", ("capital", "forward")), FACTS) for name in ("A", "B")}
    assert len(told) == 2


def test_complement_and_intersection_are_told_apart() -> None:
    """Leaving something out is not asking for it."""
    with_it = redundant()
    edges = list(with_it.edges)
    without = with_it.replace(
        nodes=(*with_it.nodes, with_it.nodes[2].model_copy(update={"node_id": "z"})),
        edges=(
            *edges[:2],
            Edge(edge_id="e3", source_ids=["y"], target_id="z", op="complement"),
            edges[2].model_copy(update={"source_ids": ("x", "z")}),
        ),
    )
    assert asked_on(with_it, FACTS) != asked_on(without, FACTS)
