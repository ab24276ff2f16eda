"""Evaluation of many questions at once: sharing, errors, and the largest and smallest batches."""

from __future__ import annotations

import pytest

from graphkit.batch import Plan, evaluate_many
from graphkit.errors import GroundingError, UnsafeGraphError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.question import Edge, Node, QuestionGraph

FACTS = FactStore.from_triples(
    [
        ("France", "borders", "Spain"),
        ("Italy", "borders", "France"),
        ("Italy", "borders", "Austria"),
        ("Spain", "in", "EU"),
    ]
)


def chain(anchor: str, *relations: str, name: str | None = None) -> QuestionGraph:
    """A chain of forward projections."""
    nodes = [Node(node_id="n0", known_entities=[anchor])]
    nodes += [Node(node_id=f"n{place + 1}") for place in range(len(relations))]
    edges = [
        Edge(
            edge_id=f"e{place}",
            source_ids=[f"n{place}"],
            target_id=f"n{place + 1}",
            op="projection",
            relation=relation,
        )
        for place, relation in enumerate(relations)
    ]
    return QuestionGraph(root_node_id=nodes[-1].node_id, nodes=nodes, edges=edges, id=name)


def test_no_graphs_have_no_answers():
    """An empty batch is an empty list."""
    assert evaluate_many([], FACTS) == []


def test_a_graph_on_facts_that_hold_nothing_names_what_is_missing():
    """A store without facts knows no names; the question is named by its place."""
    with pytest.raises(GroundingError, match="question 1: node n0: 'France' is not an entity"):
        evaluate_many([chain("France", "borders")], FactStore.from_triples([]))


def test_equal_parts_of_questions_are_evaluated_once():
    """Two chains with a common beginning have one expression a shared step."""
    plan = Plan(FACTS)
    plan.add(chain("Italy", "borders", "borders"))
    before = len(plan.depths)
    plan.add(chain("Italy", "borders", "borders"))
    assert len(plan.depths) == before
    plan.add(chain("Italy", "borders", "borders", "in"))
    assert len(plan.depths) == before + 1


def test_all_missing_names_of_all_graphs_are_told_at_once():
    """Each problem says of which question it is: by its id, else by its place."""
    graphs = [
        chain("Frence", "borders", name="q7"),
        chain("Italy", "bordurs"),
        chain("Italy", "in"),
    ]
    with pytest.raises(GroundingError) as caught:
        evaluate_many(graphs, FACTS)
    first, second = caught.value.problems
    assert first.subject == "question q7: node n0"
    assert second.subject == "question 2: edge e0"


def test_an_unsafe_graph_is_named():
    """The complement of an anchor is no answer set unless it is written out."""
    graph = QuestionGraph(
        root_node_id="x",
        nodes=[Node(node_id="a", known_entities=["EU"]), Node(node_id="x")],
        edges=[Edge(edge_id="e", source_ids=["a"], target_id="x", op="complement")],
        id="not EU",
    )
    with pytest.raises(UnsafeGraphError, match="question not EU: node x: the answers are the"):
        evaluate_many([chain("Italy", "borders"), graph], FACTS)
    _, found = evaluate_many([chain("Italy", "borders"), graph], FACTS, materialize_universe=True)
    assert FACTS.names(found) == ["Austria", "France", "Italy", "Spain"]


def test_answers_cannot_be_written_over():
    """They share their memory, so it is read-only."""
    (found,) = evaluate_many([chain("Italy", "borders", "borders")], FACTS)
    with pytest.raises(ValueError, match="read-only"):
        found.ids[0] = 3


def test_a_large_store_is_looked_up_by_key(monkeypatch: pytest.MonkeyPatch):
    """Where a direct table would be too large the answers are the same."""
    monkeypatch.setattr("graphkit.batch.rows._DIRECT", 0)
    facts = FactStore.from_triples(
        (f"n{place}", f"r{place % 3}", f"n{place * 7 % 50}") for place in range(200)
    )
    graphs = [
        chain(f"n{place}", *(f"r{place * step % 3}" for step in range(1, 4))) for place in range(50)
    ]
    for graph, found in zip(graphs, evaluate_many(graphs, facts), strict=True):
        assert found.same_form(evaluate(graph, facts).answers)
