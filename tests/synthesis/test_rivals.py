"""Rival search, what to look up: every hop of the question and of each of its relaxations."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.checks.relax import Relaxer
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.normalize import normalize
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from graphkit.testing.strategies import stores_with_graphs
from synthesis.rivals import OpenEnd, relaxations
from tests.synthesis.fresh_village import planner
from tests.synthesis.test_offers import TRIPLES, _chain
from tests.synthesis.test_planning import planned


def hops(graph: QuestionGraph, facts: FactStore, limit: int) -> set[OpenEnd]:
    """Of each projection that a graph has, whose facts it needs; by a fresh evaluation."""
    found = set()
    evaluation = evaluate(graph, facts, materialize_universe=True)
    for edge in graph.edges:
        if edge.op is not Op.PROJECTION:
            continue
        value = evaluation.values[edge.source_ids[0]]
        if value.complemented or len(value.ids) > limit:
            continue
        relation = evaluation.grounding.relations[edge.edge_id]
        found |= {
            OpenEnd(facts.name(n), facts.relations[relation.number], relation.direction.value)
            for n in value.ids.tolist()
        }
    return found


@given(pair=stores_with_graphs(planted=True), limit=st.integers(0, 6))
def test_all_hops_of_the_question_are_open_ends(pair, limit: int):
    """Unless their sets are too large or unbounded, and then they are named."""
    facts, graph = pair
    normal = normalize(graph)
    whole = next(iter(relaxations(graph, facts, max_members=limit)))
    assert set(whole.open_ends) == hops(normal, facts, limit)
    values = evaluate(normal, facts, materialize_universe=True).values
    sources = {edge.source_ids[0] for edge in normal.edges if edge.op is Op.PROJECTION}
    assert set(whole.unbounded) == {name for name in sources if values[name].complemented}
    assert set(whole.cut) == {
        name for name in sources if not values[name].complemented and len(values[name].ids) > limit
    }


@given(pair=stores_with_graphs(planted=True), limit=st.integers(1, 9))
def test_each_condition_is_left_out_once_and_nothing_is_asked_twice(pair, limit: int):
    """One relaxation a condition, each open end in the first that needs it, sorted."""
    facts, graph = pair
    found = list(relaxations(graph, facts, max_members=limit))
    wanted = [item.id for item in Relaxer(normalize(graph), facts).constraints]
    assert [item.constraint for item in found] == ["", *wanted]
    ends = [end for item in found for end in item.open_ends]
    assert len(set(ends)) == len(ends)
    assert all(list(item.open_ends) == sorted(item.open_ends) for item in found)
    asked = set(ends[::2])
    rest = [
        end
        for item in relaxations(graph, facts, max_members=limit, asked=asked)
        for end in item.open_ends
    ]
    assert sorted(rest) == sorted(set(ends) - asked)
    assert not [
        end
        for item in relaxations(graph, facts, max_members=limit, asked=set(ends))
        for end in item.open_ends
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_relaxation_needs_the_facts_of_its_candidates(seed: int) -> None:
    """Of each candidate that comes in, along the hops that stay; not along the one left out."""
    graph, facts = planned(seed).graphs[-1], planner().facts
    normal = normalize(graph)
    relaxer = Relaxer(normal, facts)
    asked: set[OpenEnd] = set()
    wanted: set[OpenEnd] = set()
    for item, constraint in zip(
        relaxations(graph, facts, max_members=10**6), [None, *relaxer.constraints], strict=True
    ):
        changed = relaxer.changes_without([constraint]) if constraint else {}
        asked |= set(item.open_ends)
        for edge in normal.edges:
            if edge.op is not Op.PROJECTION or (constraint and constraint.edge_id == edge.edge_id):
                continue
            value = changed.get(edge.source_ids[0], relaxer.values[edge.source_ids[0]])
            if value.complemented:
                assert edge.source_ids[0] in item.unbounded
                continue
            relation = relaxer.grounding.relations[edge.edge_id]
            name = facts.relations[relation.number]
            wanted |= {
                OpenEnd(facts.name(n), name, relation.direction.value) for n in value.ids.tolist()
            }
        assert asked == wanted


def test_a_hop_that_is_left_out_is_not_looked_along() -> None:
    """Even where leaving it out makes its source larger."""
    facts = FactStore.from_triples([*TRIPLES, ("cat", "eats", "fish"), ("dog", "eats", "bone")])
    graph = _chain("a1", "fish", ("owns", "forward"), ("eats", "forward"))
    for item in relaxations(graph, facts):
        if item.constraint == "e1":
            assert not [end for end in item.open_ends if end.relation == "eats"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_set_of_as_many_as_allowed_is_followed(limit: int) -> None:
    """One more is cut."""
    facts = FactStore.from_triples(TRIPLES)
    graph = _chain("club", "tea", ("in", "backward"), ("likes", "forward"))
    whole = next(iter(relaxations(graph, facts, max_members=limit)))
    assert whole.cut == (("n1",) if limit < 2 else ())
    assert len(whole.open_ends) == (1 if limit < 2 else 3)


def test_what_stays_is_told_in_words() -> None:
    """Without the condition that is left out, in both languages."""
    facts = FactStore.from_triples(TRIPLES)
    graph = _chain("club", "a1", ("in", "backward"), ("likes", "forward"))
    whole, *rest = relaxations(graph, facts)
    assert len(whole.remaining) == 2
    assert all(len(item.remaining) < 2 for item in rest if item.constraint in ("e0", "e1"))
    assert "club" in whole.remaining[0]
    for item in relaxations(graph, facts, language="zh"):
        assert all("what has" not in text for text in item.remaining)


def test_the_same_relaxations_come_every_time() -> None:
    """In the same order, as plain data."""
    graph, facts = planned(0).graphs[-1], planner().facts

    def told() -> str:
        return json.dumps(
            [[end.to_record() for end in item.open_ends] for item in relaxations(graph, facts)]
        )

    assert told() == told()
