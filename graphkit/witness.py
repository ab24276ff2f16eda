"""Why an entity is an answer, fact by fact and replayable; or which node lost it first."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graphkit.entity_set import EntitySet
from graphkit.errors import InputError
from graphkit.evaluate import Evaluation, node_values
from graphkit.facts import Fact, FactStore
from graphkit.grounding import Grounding, ground
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["Loss", "Step", "Witness", "find_loss", "find_witness", "replay"]


@dataclass(frozen=True, slots=True)
class Step:
    """One reason: an entity is in the set of a node because of this.

    Attributes:
        node_id: The node.
        entity: The entity's number.
        kind: ``fact`` (a fact leads to it), ``anchor`` (it is named), ``member`` (it is in every
            source of an intersection, or in this one of a union), ``absent`` (it is not in the
            source of a complement), ``free`` (nothing is asked of it).
        edge_id: The edge concerned, if any.
        fact: The fact, for kind ``fact``.
        source: The member of the source node that the fact starts from, for kind ``fact``.
    """

    node_id: str
    entity: int
    kind: str
    edge_id: str | None = None
    fact: Fact | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Witness:
    """Everything that makes one entity an answer.

    Attributes:
        entity: The answer's number.
        steps: The reasons, sources before targets.
    """

    entity: int
    steps: tuple[Step, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts used, each once, in the order of the steps."""
        return tuple(dict.fromkeys(step.fact for step in self.steps if step.fact is not None))


@dataclass(frozen=True, slots=True)
class Loss:
    """Where an entity that is no answer was lost.

    Attributes:
        entity: Its number.
        node_id: The first node, sources before targets, whose set lacks it although every source
            that should carry it has it.
        edge_id: The edge that lost it; None when the node's own names or type did.
        reason: One sentence.
    """

    entity: int
    node_id: str
    edge_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class _Trail:
    """Tells why entities are in sets, for graphs of any depth.

    Attributes:
        evaluation: The evaluated question.
        starts: Tells for a projection and an entity that it leads to the member of the source that
            the fact starts from; by default it is looked for.
    """

    evaluation: Evaluation
    starts: Callable[[Edge, int], int] | None = None

    def explain(self, node_id: str, entity: int) -> Iterator[Step]:
        """Yield the steps for an entity that is in the node's set, what they rest on first."""
        told: set[tuple[str, int]] = {(node_id, entity)}
        stack = [self._reasons(node_id, entity)]
        while stack:
            reason = next(stack[-1], None)
            if reason is None:
                stack.pop()
            elif isinstance(reason, Step):
                yield reason
            elif reason not in told:
                told.add(reason)
                stack.append(self._reasons(*reason))

    def _reasons(self, node_id: str, entity: int) -> Iterator[Step | tuple[str, int]]:
        """Yield the steps at one node, each after the places (node, entity) that it rests on."""
        graph = self.evaluation.graph
        if graph.nodes_by_id[node_id].known_entities:
            yield Step(node_id, entity, "anchor")
        elif not graph.incoming[node_id]:
            yield Step(node_id, entity, "free")
        for edge in graph.incoming[node_id]:
            if edge.op is Op.PROJECTION:
                look = self.starts or functools.partial(_first_start, self.evaluation)
                start = look(edge, entity)
                fact = _fact_from(self.evaluation, edge, start, entity)
                yield edge.source_ids[0], start
                yield Step(node_id, entity, "fact", edge.edge_id, fact, start)
                continue
            if edge.op is Op.UNION:
                values = self.evaluation.values
                yield next((item, entity) for item in edge.source_ids if entity in values[item])
            elif edge.op is Op.INTERSECTION:
                yield from ((source, entity) for source in edge.source_ids)
            kind = "absent" if edge.op is Op.COMPLEMENT else "member"
            yield Step(node_id, entity, kind, edge.edge_id)


def _incident(evaluation: Evaluation, edge: Edge, entity: int) -> EntitySet:
    """Return everything that the relation of a projection leads from to ``entity``."""
    relation = evaluation.grounding.relations[edge.edge_id]
    adjacency = evaluation.facts.adjacency[relation.number]
    return adjacency.project(EntitySet.of([entity]), relation.direction.reverse)


def _first_start(evaluation: Evaluation, edge: Edge, entity: int) -> int:
    starts = (_incident(evaluation, edge, entity) & evaluation.values[edge.source_ids[0]]).ids
    names = evaluation.facts.name
    first: int = min(starts.tolist(), key=lambda number: (names(number), number))
    return first


def _fact_from(evaluation: Evaluation, edge: Edge, start: int, entity: int) -> Fact:
    relation = evaluation.grounding.relations[edge.edge_id]
    if relation.direction is Direction.FORWARD:
        return Fact(start, relation.number, entity)
    return Fact(entity, relation.number, start)


def find_witness(evaluation: Evaluation, entity: int) -> Witness:
    """Return the facts that make an entity an answer.

    Where several facts would do, the one from the source whose name sorts first is taken.

    Args:
        evaluation: The evaluated question.
        entity: The number of an answer.

    Raises:
        InputError: The entity is not an answer.
    """
    if entity not in evaluation.answers:
        raise InputError(
            f"{evaluation.facts.name(entity)!r} is not an answer, expected one of them"
        )
    return told_by(evaluation, entity)


def told_by(
    evaluation: Evaluation, entity: int, starts: Callable[[Edge, int], int] | None = None
) -> Witness:
    """Return the witness of an answer, with the starts of its facts as they are told."""
    trail = _Trail(evaluation, starts)
    return Witness(entity, tuple(trail.explain(evaluation.graph.root_node_id, entity)))


def replay(witness: Witness, graph: QuestionGraph, facts: FactStore) -> bool:
    """Check a witness against a graph and a store, step by step.

    Facts are looked up; what a step rests on must have been shown by earlier steps; for a
    complement the source is evaluated and must lack the entity.

    Args:
        witness: The witness; its numbers are those of ``facts`` or of a store it was made from.
        graph: The graph it was found for.
        facts: The facts to check it on.
    """
    grounding = ground(graph, facts, strict=False)
    if grounding.unresolved:
        return False
    shown: dict[tuple[str, int], list[Step]] = {}
    for step in witness.steps:
        shown.setdefault((step.node_id, step.entity), []).append(step)
    values = node_values(graph, facts, grounding)
    for (node_id, entity), steps in shown.items():
        node = graph.nodes_by_id.get(node_id)
        if node is None or entity >= len(facts.entities) or not facts.alive(entity):
            return False
        if node.known_entities and entity not in grounding.anchor_set(node_id):
            return False
        if node.entity_type is not None and facts.entity(entity).type != node.entity_type:
            return False
        by_edge = {step.edge_id: step for step in steps}
        for edge in graph.incoming[node_id]:
            reason = by_edge.get(edge.edge_id)
            if reason is None or not _holds(reason, edge, facts, shown, values, grounding):
                return False
    return (graph.root_node_id, witness.entity) in shown


def _holds(
    step: Step,
    edge: Edge,
    facts: FactStore,
    shown: dict[tuple[str, int], list[Step]],
    values: dict[str, EntitySet],
    grounding: Grounding,
) -> bool:
    if edge.op is Op.PROJECTION:
        if step.fact is None or step.source is None:
            return False
        relation = grounding.relations[edge.edge_id]
        ends = (step.source, step.entity)
        if relation.direction is Direction.BACKWARD:
            ends = (step.entity, step.source)
        expected = Fact(ends[0], relation.number, ends[1])
        held = step.fact == expected and facts.has(expected)
        return held and (edge.source_ids[0], step.source) in shown
    if edge.op is Op.COMPLEMENT:
        return step.entity not in values[edge.source_ids[0]]
    carried = [(source, step.entity) in shown for source in edge.source_ids]
    return any(carried) if edge.op is Op.UNION else all(carried)


def find_loss(evaluation: Evaluation, entity: int) -> Loss | None:
    """Return the first node that lost an entity, or None for an answer.

    The search goes down from the answer node through the conjuncts that the entity itself must
    meet, to the deepest one that it fails.

    Args:
        evaluation: The evaluated question.
        entity: The number of any entity of the store.
    """
    node_id = evaluation.graph.root_node_id
    if entity in evaluation.answers:
        return None
    while True:
        deeper = _failing_source(evaluation, node_id, entity)
        if deeper is None:
            return _loss_here(evaluation, node_id, entity)
        node_id = deeper


def _failing_source(evaluation: Evaluation, node_id: str, entity: int) -> str | None:
    """Return a source of an intersection or union that should carry the entity and does not."""
    for edge in evaluation.graph.incoming[node_id]:
        if edge.op is Op.INTERSECTION or (
            edge.op is Op.UNION
            and not any(entity in evaluation.values[source] for source in edge.source_ids)
        ):
            for source in edge.source_ids:
                if entity not in evaluation.values[source]:
                    return source
    return None


def _loss_here(evaluation: Evaluation, node_id: str, entity: int) -> Loss:
    graph, facts = evaluation.graph, evaluation.facts
    node, name = graph.nodes_by_id[node_id], facts.name(entity)
    if node.entity_type is not None and facts.entity(entity).type != node.entity_type:
        found = facts.entity(entity).type or "no type"
        return Loss(entity, node_id, None, f"{name} is of type {found}, not {node.entity_type}")
    if node.known_entities and entity not in evaluation.grounding.anchor_set(node_id):
        named = " or ".join(node.known_entities)
        return Loss(entity, node_id, None, f"{name} is not {named}")
    for edge in graph.incoming[node_id]:
        source = edge.source_ids[0]
        if edge.op is Op.COMPLEMENT and entity in evaluation.values[source]:
            return Loss(
                entity,
                node_id,
                edge.edge_id,
                f"{name} is excluded: it is in the set of node {source}",
            )
        if edge.op is Op.PROJECTION:
            near = _incident(evaluation, edge, entity)
            if not len((near & evaluation.values[source]).ids):
                return Loss(
                    entity, node_id, edge.edge_id, _missing_fact(evaluation, edge, near, name)
                )
    return Loss(entity, node_id, None, f"{name} is not in the set of node {node_id}")


def _missing_fact(evaluation: Evaluation, edge: Edge, near: EntitySet, name: str) -> str:
    source, facts = edge.source_ids[0], evaluation.facts
    if not len(near.ids):
        side = "tail" if edge.reads is Direction.FORWARD else "head"
        return f"no fact of relation {edge.relation!r} has {name} as its {side}"
    shown = facts.names(near)[:3]
    more = f" and {len(near.ids) - 3} more" if len(near.ids) > 3 else ""
    return (
        f"relation {edge.relation!r} joins {name} to {', '.join(shown)}{more}, "
        f"none of them in the set of node {source}"
    )
