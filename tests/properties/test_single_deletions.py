"""Laws of redundant constraints: following what a deletion lets in equals evaluating afresh."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.checks import Relaxer, redundant_constraints
from graphkit.checks import single as single_deletions
from graphkit.normalize import normalize
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import oracle_redundant
from graphkit.testing.strategies import stores_with_graphs


def naive(relaxer: Relaxer) -> list[str]:
    """Leave out one constraint after the other and evaluate."""
    return [item.id for item in relaxer.constraints if relaxer.keeps_answers([item])]


@given(stores_with_graphs(safe=None, steps=8), st.sampled_from([1, 32]))
def test_redundant_constraints_are_those_of_leaving_out_one_after_the_other(pair, probe):
    """On trees and where nodes are shared, under complements and unions, safe or not."""
    facts, graph = pair
    relaxer = Relaxer(normalize(graph), facts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(single_deletions, "_PROBE", probe)
        assert [item.id for item in redundant_constraints(relaxer)] == naive(relaxer)


def test_redundant_constraints_of_seeded_graphs_equal_brute_force():
    """3,000 small graphs from a seed, many of them with redundant constraints."""
    seen: Counter[str] = Counter()
    for facts, graph in seeded_pairs(321, 3000, steps=7):
        relaxer = Relaxer(normalize(graph), facts)
        found = [item.id for item in redundant_constraints(relaxer)]
        assert found == naive(relaxer)
        if len(relaxer.constraints) < 9 and len(relaxer.answers.ids):
            assert found == oracle_redundant(relaxer.graph, facts)
            seen["redundant" if found else "irredundant"] += 1
    assert min(seen.values()) > 200, seen
