"""Laws of the grounded checks: deletions, redundancy and minimal core equal brute force."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from graphkit.checks import Relaxer, constraints, minimal_core
from graphkit.normalize import normalize
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import (
    oracle_answers,
    oracle_constraints,
    oracle_core,
    oracle_deleted,
    oracle_pinning,
    oracle_redundant,
    same_entities,
)
from graphkit.testing.strategies import stores_with_graphs


def compare(graph, facts, randomness: random.Random, deletions: int = 5) -> str:
    """Compare every verdict on one graph in normal form; return what kind of case it was."""
    relaxer = Relaxer(graph, facts)
    by_id = {item.id: item for item in constraints(graph)}
    ids = oracle_constraints(graph)
    assert list(by_id) == ids
    for _ in range(deletions):
        gone = randomness.sample(ids, randomness.randint(0, len(ids)))
        want = oracle_deleted(graph, facts, gone)
        found = relaxer.without(by_id[item] for item in gone)
        assert same_entities(facts, facts.members(found), want)
        assert relaxer.keeps_answers(by_id[item] for item in gone) == (
            want == oracle_answers(graph, facts)
        )
    redundant = oracle_redundant(graph, facts)
    if redundant is None:
        return "no answers"
    assert [i.id for i in relaxer.constraints if relaxer.keeps_answers([i])] == redundant
    core = minimal_core(relaxer)
    assert list(core.ids) == oracle_core(graph, facts)
    assert core.exact
    assert (len(core.ids) < len(ids)) == (oracle_pinning(graph, facts) is not None)
    return "pinned" if len(core.ids) < len(ids) else "irredundant"


def test_checks_of_seeded_graphs_equal_brute_force():
    """About 1,000 small graphs: deletions at random, redundant constraints, the exact core."""
    seen: Counter[str] = Counter()
    randomness = random.Random(0)
    for facts, graph in seeded_pairs(123, 1400, steps=4):
        normal = normalize(graph)
        if len(oracle_constraints(normal)) > 9:
            seen["too many constraints"] += 1
            continue
        seen[compare(normal, facts, randomness)] += 1
    assert seen["pinned"] > 200
    assert seen["irredundant"] > 100
    assert seen["no answers"] > 100


@given(stores_with_graphs(planted=True, steps=3), st.integers(0, 1000))
def test_checks_equal_brute_force(pair, seed):
    """The same, drawn by hypothesis, so that what fails shrinks."""
    facts, graph = pair
    normal = normalize(graph)
    assume(len(oracle_constraints(normal)) <= 8)
    assert compare(normal, facts, random.Random(seed), 3)
