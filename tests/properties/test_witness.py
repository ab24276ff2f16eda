"""Laws of witnesses and losses: they replay, they stand and fall with their facts."""

from __future__ import annotations

from collections import Counter

from hypothesis import given

from graphkit.errors import GroundingError
from graphkit.evaluate import Evaluation, evaluate
from graphkit.facts import FactStore
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.strategies import stores_with_graphs
from graphkit.witness import Witness, find_loss, find_witness, replay


@given(stores_with_graphs(steps=6))
def test_every_answer_has_a_witness_that_replays(pair: tuple[FactStore, QuestionGraph]):
    """For each answer the facts are there, and replaying them leads to it."""
    facts, graph = pair
    evaluation = evaluate(graph, facts)
    for entity in evaluation.answers.ids.tolist():
        witness = find_witness(evaluation, entity)
        assert witness.entity == entity
        assert all(facts.has(fact) for fact in witness.facts)
        assert replay(witness, graph, facts)
        for wrong in set(facts.universe.tolist()) - {entity}:
            assert not replay(Witness(wrong, witness.steps), graph, facts) or (
                wrong
                in {step.entity for step in witness.steps if step.node_id == graph.root_node_id}
            )


def test_a_witness_does_not_replay_without_one_of_its_facts():
    """Take out any fact that a witness uses: it fails, though another witness may be there."""
    seen: Counter[str] = Counter()
    for facts, graph in seeded_pairs(51, 160, steps=5):
        evaluation = evaluate(graph, facts)
        for entity in evaluation.answers.ids.tolist()[:3]:
            witness = find_witness(evaluation, entity)
            for fact in witness.facts:
                fewer = facts.without_fact(fact)
                if fewer.entities != facts.entities:  # numbered anew: other names or types
                    replay(witness, graph, fewer)
                    seen["numbered anew"] += 1
                    continue
                assert not replay(witness, graph, fewer)
                key = facts.entity(entity).key
                still = {fewer.entity(n).key for n in answers_of(graph, fewer)}
                seen["another supports it" if key in still else "lost"] += 1
    assert min(seen.values()) > 10


def answers_of(graph: QuestionGraph, facts: FactStore) -> list[int]:
    try:
        return evaluate(graph, facts).answers.ids.tolist()
    except GroundingError:  # a name or a relation went with its last fact
        return []


def test_a_witness_does_not_replay_when_a_fact_makes_an_exclusion_true():
    """What a complement excludes is looked up again: new facts can undo a witness."""
    undone = 0
    for facts, graph in seeded_pairs(52, 300, steps=5):
        if not any(edge.op is Op.COMPLEMENT for edge in graph.edges):
            continue
        evaluation = evaluate(graph, facts)
        for entity in evaluation.answers.ids.tolist()[:2]:
            witness = find_witness(evaluation, entity)
            for other in facts.universe.tolist()[:3]:
                for relation in facts.relations:
                    more = facts.with_fact(other, relation, entity)
                    answers = evaluate(graph, more).answers
                    if replay(witness, graph, more):
                        assert entity in answers
                    elif entity not in answers:
                        undone += 1
    assert undone > 5


@given(stores_with_graphs(steps=6))
def test_a_loss_names_the_first_node_that_lost_the_entity(pair: tuple[FactStore, QuestionGraph]):
    """Every other entity was lost: at a node that lacks it while its sources do not explain it."""
    facts, graph = pair
    evaluation = evaluate(graph, facts)
    for entity in facts.universe.tolist():
        loss = find_loss(evaluation, entity)
        assert (loss is None) == (entity in evaluation.answers)
        if loss is not None:
            assert loss.entity == entity
            check_loss(evaluation, loss.node_id, loss.edge_id, entity)
            assert facts.name(entity) in loss.reason


def check_loss(evaluation: Evaluation, node_id: str, edge_id: str | None, entity: int) -> None:
    graph, values = evaluation.graph, evaluation.values
    assert entity not in values[node_id]
    for edge in graph.incoming[node_id]:
        carried = [entity in values[source] for source in edge.source_ids]
        if edge.op is Op.INTERSECTION:
            assert all(carried)
        if edge.op is Op.UNION:
            assert any(carried)
    if edge_id is None:
        node = graph.node(node_id)
        typed = evaluation.facts.entity(entity).type
        named = node.known_entities and entity not in evaluation.grounding.anchor_set(node_id)
        assert named or (node.entity_type is not None and typed != node.entity_type)
        return
    edge = graph.edge(edge_id)
    assert edge.target_id == node_id
    assert edge.op in (Op.PROJECTION, Op.COMPLEMENT)
    if edge.op is Op.COMPLEMENT:
        assert entity in values[edge.source_ids[0]]
