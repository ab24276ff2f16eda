"""Standing questions: which are looked at again, and what becomes of names that go and come."""

from __future__ import annotations

import pytest

from graphkit.errors import UnsafeGraphError
from graphkit.facts import FactStore
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.standing import StandingQuestions, Update

FACTS = FactStore.from_triples(
    [("France", "borders", "Spain"), ("Italy", "borders", "France"), ("Spain", "in", "EU")]
)


def chain(anchor: str, *relations: str) -> QuestionGraph:
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
    return QuestionGraph(root_node_id=nodes[-1].node_id, nodes=nodes, edges=edges)


def test_only_questions_that_a_fact_can_concern_are_looked_at_again():
    """A border of Italy concerns the question about Italy alone."""
    standing = StandingQuestions([chain("France", "borders"), chain("Italy", "borders")], FACTS)
    update = standing.update(FACTS.with_fact("Italy", "borders", "Spain"))
    assert update == Update(rechecked=(1,), changed=(1,))
    assert standing.facts.names(standing.answers[1]) == ["France", "Spain"]


def test_a_change_travels_up_a_chain():
    """A new middle member brings its own facts with it, and later facts about it count."""
    standing = StandingQuestions([chain("Italy", "borders", "in")], FACTS)
    assert standing.facts.names(standing.answers[0]) == []
    standing.update(standing.facts.with_fact("Italy", "borders", "Spain"))
    assert standing.facts.names(standing.answers[0]) == ["EU"]
    standing.update(standing.facts.with_fact("Spain", "in", "Europe"))
    assert standing.facts.names(standing.answers[0]) == ["EU", "Europe"]


def test_a_question_whose_name_is_gone_has_no_answers_until_it_comes_back():
    """None is said for it, not an empty set."""
    standing = StandingQuestions([chain("Italy", "borders")], FACTS)
    (fact,) = (f for f in FACTS.facts() if FACTS.in_names(f).head == "Italy")
    assert standing.update(FACTS.without_fact(fact)) == Update((0,), (0,))
    assert standing.answers == [None]
    standing.update(standing.facts.with_fact("Italy", "borders", "France"))
    assert standing.facts.names(standing.answers[0]) == ["France"]


def test_a_store_that_is_no_neighbour_makes_all_be_evaluated_anew():
    """Answers are right after any jump; the same store again does nothing."""
    standing = StandingQuestions([chain("France", "borders"), chain("Spain", "in")], FACTS)
    other = FactStore.from_triples([("France", "borders", "Italy"), ("Spain", "in", "EU")])
    assert standing.update(other).rechecked == (0, 1)
    assert other.names(standing.answers[0]) == ["Italy"]
    assert standing.update(other) == Update((), ())


def test_an_unsafe_question_is_refused():
    """As in evaluation."""
    graph = QuestionGraph(
        root_node_id="x",
        nodes=[Node(node_id="a", known_entities=["EU"]), Node(node_id="x")],
        edges=[Edge(edge_id="e", source_ids=["a"], target_id="x", op="complement")],
    )
    with pytest.raises(UnsafeGraphError, match="question 1: node x"):
        StandingQuestions([graph], FACTS)
