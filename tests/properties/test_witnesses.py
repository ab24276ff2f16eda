"""Laws of all witnesses at once: they are those found one by one, and they replay."""

from __future__ import annotations

import pytest
from hypothesis import given

from graphkit.errors import InputError
from graphkit.evaluate import Evaluation, evaluate, node_values
from graphkit.grounding import ground
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.strategies import stores_with_graphs
from graphkit.witness import find_witness, replay
from graphkit.witnesses import find_witnesses


@given(stores_with_graphs(safe=None))
def test_all_witnesses_are_those_found_one_by_one(pair):
    """Step for step, for every answer, whatever the graph."""
    facts, graph = pair
    evaluation = evaluate(graph, facts, materialize_universe=True)
    found = find_witnesses(evaluation)
    assert list(found) == evaluation.answers.ids.tolist()
    assert len(found) == evaluation.count
    for entity, witness in found.items():
        assert witness == find_witness(evaluation, entity)
        assert replay(witness, graph, facts)


def test_seeded_witnesses_are_those_found_one_by_one():
    """2,000 graphs from a seed; thousands of witnesses with facts."""
    told = 0
    for facts, graph in seeded_pairs(5, 2000):
        evaluation = evaluate(graph, facts)
        for entity, witness in find_witnesses(evaluation).items():
            assert witness == find_witness(evaluation, entity)
            told += bool(witness.facts)
    assert told > 1000


@given(stores_with_graphs(planted=True))
def test_what_is_no_answer_has_no_witness(pair):
    """Asking for one is a KeyError, as of any mapping."""
    facts, graph = pair
    found = find_witnesses(evaluate(graph, facts))
    for entity in range(len(facts.entities)):
        assert (entity in found) == (entity in found.evaluation.answers)
    with pytest.raises(KeyError):
        found[len(facts.entities)]


@given(stores_with_graphs(safe=False))
def test_answers_that_are_a_complement_are_refused(pair):
    """They would have to be written out first."""
    facts, graph = pair
    grounding = ground(graph, facts)
    values = node_values(graph, facts, grounding)
    with pytest.raises(InputError, match="the answers are a complement"):
        find_witnesses(Evaluation(graph, facts, grounding, values, frozenset(values)))
