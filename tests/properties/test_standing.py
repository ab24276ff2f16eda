"""Laws of standing questions: after every change they have the answers of a fresh evaluation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit import standing as module
from graphkit.entity_set import EntitySet
from graphkit.errors import GroundingError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from graphkit.standing import StandingQuestions
from graphkit.testing.generation import SeededChoices, make_graph, make_store
from graphkit.testing.strategies import fact_stores, question_graphs


def fresh(graph: QuestionGraph, facts: FactStore):
    """The keys of the answers of a fresh evaluation; None when names are missing."""
    try:
        return keys(evaluate(graph, facts).answers, facts)
    except GroundingError:
        return None


def keys(answers: EntitySet, facts: FactStore) -> set[str]:
    """A set in words, so that it can be compared over stores that number their entities apart."""
    return {facts.entity(int(number)).key for number in answers.ids}


def assert_right(standing: StandingQuestions) -> list:
    """Compare with fresh evaluations; return them."""
    now = [fresh(graph, standing.facts) for graph in standing.graphs]
    found = [None if item is None else keys(item, standing.facts) for item in standing.answers]
    assert found == now
    return now


def changed_store(draw, facts: FactStore) -> FactStore:
    """One fact or one record more or less; names known or new."""
    kinds = ["add", "add", "remove", "again"]
    kind = draw(st.sampled_from(kinds))
    every = list(facts.facts())
    names = [*sorted({entity.name for entity in facts.entities}), "somebody new"]
    if kind == "remove" and every:
        return facts.without_fact(draw(st.sampled_from(every)))
    if kind == "again" and facts.records:
        return facts.without_record(draw(st.sampled_from(sorted(facts.records))))
    relation = draw(st.sampled_from([*facts.relations, "a new relation"]))
    return facts.with_fact(draw(st.sampled_from(names)), relation, draw(st.sampled_from(names)))


@given(st.data(), fact_stores(), st.sampled_from([0, 1, 2000]))
def test_answers_follow_every_change(data, facts, loose):
    """Names, types, relations and facts come and go; what changed is told, and only that."""
    graphs = [data.draw(question_graphs(facts)) for _ in range(data.draw(st.integers(1, 4)))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LOOSE", loose)
        standing = StandingQuestions(graphs, facts)
        before = assert_right(standing)
        for _ in range(data.draw(st.integers(1, 6))):
            update = standing.update(changed_store(data.draw, standing.facts))
            now = assert_right(standing)
            differ = [p for p, (a, b) in enumerate(zip(before, now, strict=True)) if a != b]
            assert list(update.changed) == differ
            assert set(update.changed) <= set(update.rechecked)
            before = now


def test_answers_follow_hundreds_of_seeded_changes():
    """A store of 120 facts with 60 questions, every fact taken out and put back."""
    choices = SeededChoices(9)
    facts = make_store(choices, low=120, high=120, odd=False)
    graphs = [make_graph(choices, facts, safe=True) for _ in range(60)]
    standing = StandingQuestions(graphs, facts)
    before = assert_right(standing)
    first, told, partial = before, 0, 0
    for fact in list(facts.facts()):
        named = facts.in_names(fact)
        for changed in (
            lambda fact=fact: standing.facts.without_fact(fact),
            lambda named=named: standing.facts.with_fact(*named),
        ):
            update = standing.update(changed())
            now = assert_right(standing)
            assert list(update.changed) == [
                p for p, (a, b) in enumerate(zip(before, now, strict=True)) if a != b
            ]
            told += len(update.changed)
            partial += len(update.rechecked) < len(graphs)
            before = now
    assert told > 50
    assert partial > 50
    assert any(item is not None for item in first)
