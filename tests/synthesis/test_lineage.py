"""The line of questions: whatever authors do, its history replays to the graph that it has."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.mutate import Mutation, Strategy, replay_history
from graphkit.question import Edge, Node, QuestionGraph
from synthesis.lineage import Lineage
from synthesis.offers import Offer, Planner
from tests.synthesis.fresh_village import planner
from tests.synthesis.test_offers import _chain, offered, redundant
from tests.synthesis.test_planning import planned


def shape(graph: QuestionGraph) -> tuple[object, ...]:
    """All that a mutation can change, without an order; the root is named once."""
    nodes = [node.model_copy(update={"is_root": False}) for node in graph.nodes]
    return (
        graph.root_node_id,
        graph.answer,
        sorted(nodes, key=lambda node: node.node_id),
        sorted(graph.edges, key=lambda edge: edge.edge_id),
    )


def assert_replays(line: Lineage) -> None:
    records = [json.loads(json.dumps(step.to_record())) for step in line.history]
    graphs = replay_history(map(Mutation.model_validate, records))
    assert shape(graphs[-1]) == shape(line.graph)
    rewrites = [step for step in line.history if step.strategy is Strategy.REWRITE]
    assert line.rewritten <= len(rewrites)


@pytest.mark.parametrize("seed", range(8))
def test_a_plan_that_is_followed_to_its_end_replays(seed: int) -> None:
    """After every step, with the plan's own mutations at the end of the history."""
    plan = planned(seed)
    line = Lineage.begun(redundant(), seed="Ada Ash")
    opening = plan.opening(planner())
    line = line.followed(opening, opening.graph.replace(question="Who?"))
    assert line.history[-1].strategy is Strategy.REWRITE
    assert_replays(line)
    while (step := plan.after(line.graph, planner())) is not None:
        line = line.followed(step, step.graph.replace(question="Who else?"))
        assert_replays(line)
    assert shape(line.graph) == shape(plan.graphs[-1])
    assert line.history[-1].strategy is plan.history[-1].strategy
    assert line.graph.question == "Who else?"


@given(moves=st.lists(st.integers(0, 9), max_size=8), seed=st.integers(0, 5))
def test_a_history_replays_after_any_mixture(moves: list[int], seed: int):
    """Followed, rewritten, reworded, in any order, with answers of any spelling."""
    plan = planned(seed)
    line = Lineage.begun(plan.graphs[0], seed="Ada Ash")
    for number, move in enumerate(moves):
        if move < 5:
            offer = plan.after(line.graph, planner()) or plan.opening(planner())
            spelled = (offer.graph.answer or "").upper() if move == 4 else offer.graph.answer
            line = line.followed(offer, offer.graph.replace(question=f"Q{number}?", answer=spelled))
            assert line.graph.answer == spelled
        elif move < 8:
            plan = planned((seed + move) % 6)
            line = line.rewritten_as(plan.graphs[move % 3], reason="It says so.")
        else:
            before = line.graph
            line = line.reworded(before.replace(question=f"R{number}?"))
            assert shape(line.graph) == shape(before)
            assert line.graph.question == f"R{number}?"
        assert_replays(line)


def test_an_offer_that_is_followed_replays() -> None:
    """Compound steps too, and with an answer that the author spells otherwise."""
    steps = [
        (graph, offer)
        for seed in range(3)
        for place in (2, -1)
        for graph, offers in [offered(seed, place)]
        for offer in offers
    ]
    for graph, offer in steps:
        line = Lineage.begun(graph, seed="x")
        assert_replays(line.followed(offer, offer.graph))
        assert_replays(line.followed(offer, offer.graph.replace(answer="another")))


def test_an_answer_is_declared_by_the_last_part_of_a_compound_step() -> None:
    """The parts are what is replayed; an answer that a part declares already is not said again."""
    graph = _chain("club", "a1", ("in", "backward"))
    loosen = Mutation(strategy=Strategy.DROP_CONSTRAINT, node_id="n1", reason="x")
    tighten = loosen.model_copy(update={"strategy": Strategy.COMPLEMENT, "answer": "a2"})
    step = Mutation(
        strategy=Strategy.LOOSEN_THEN_TIGHTEN, node_id="n1", reason="x", parts=(loosen, tighten)
    )
    after = graph.replace(answer="a2")
    offer = Offer("o1", step, after, planner().standing(graph))
    line = Lineage.begun(graph, seed="x")
    assert line.followed(offer, after).history[-1] == step
    other = line.followed(offer, graph.replace(answer="A2"))
    assert [part.answer for part in other.history[-1].parts] == [None, "A2"]
    assert_replays(other)


def test_another_answer_of_the_author_is_in_the_history() -> None:
    """Of several answers an author may mean another than advised: the record says which."""
    plan = planned(0)
    line = Lineage.begun(plan.graphs[0], seed="x")
    for step in range(1, len(plan.graphs)):
        offer = plan.after(line.graph, planner())
        assert offer is not None
        line = line.followed(offer, offer.graph.replace(answer=f"answer {step}"))
        assert_replays(line)
        assert line.graph.answer == f"answer {step}"


def test_a_question_that_was_not_normal_is_made_so_in_a_step_of_its_own() -> None:
    """A first question with an implicit intersection is kept in normal form."""
    graph = QuestionGraph(
        answer="a1",
        root_node_id="r",
        nodes=[
            Node(node_id="c", known_entities=["club"]),
            Node(node_id="t", known_entities=["cat"]),
            Node(node_id="r", is_root=True),
        ],
        edges=[
            Edge(
                edge_id="e0",
                source_ids=["c"],
                target_id="r",
                op="projection",
                relation="in",
                direction="backward",
            ),
            Edge(
                edge_id="e1",
                source_ids=["t"],
                target_id="r",
                op="projection",
                relation="owns",
                direction="backward",
            ),
        ],
    )
    line = Lineage.begun(graph, seed="a1")
    assert any(edge.op.value == "intersection" for edge in line.graph.edges)
    assert_replays(line)
    again = line.rewritten_as(graph, reason="Again.")
    assert shape(again.graph) == shape(line.graph)
    assert_replays(again)


def test_a_new_beginning_counts_as_a_rewrite() -> None:
    """So does what an author writes on his own; a step that is advised does not."""
    plan = planned(1)
    line = Lineage.begun(redundant(), seed="x")
    assert line.rewritten == 0
    line = line.followed(plan.opening(planner()), plan.graphs[0])
    assert line.rewritten == 1
    step = plan.after(line.graph, planner())
    assert step is not None
    assert line.followed(step, step.graph).rewritten == 1
    assert line.rewritten_as(planned(2).graphs[0], reason="Other.").rewritten == 2


def test_the_first_step_tells_of_the_seed() -> None:
    """With a reason that people can read."""
    line = Lineage.begun(_chain("club", "a1", ("in", "backward")), seed="The Club")
    assert line.history[0].strategy is Strategy.SEED
    assert "The Club" in line.history[0].reason
    assert isinstance(planner(), Planner)
