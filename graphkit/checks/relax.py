"""Evaluates a question with some of its constraints left out, sharing what does not change."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from graphkit.checks.constraints import Constraint, constraints
from graphkit.entity_set import EMPTY, UNIVERSE, EntitySet
from graphkit.evaluate import edge_value, node_values
from graphkit.facts import FactStore
from graphkit.grounding import Grounding, ground
from graphkit.operations import Op
from graphkit.question import QuestionGraph

__all__ = ["Relaxer"]


class Relaxer:
    """A question in normal form on a fact store, ready to be asked with constraints left out.

    Leaving out a source of an intersection leaves the intersection of the others; leaving out a
    projection, a complement or the known entities of a node leaves the node free. Sets are
    compared as they are: a relaxed question may be unsafe.

    Attributes:
        graph: The graph in normal form.
        facts: The facts.
        grounding: How its names are read.
        values: The values of the whole question.
        constraints: Its constraints, sorted by id.
    """

    def __init__(
        self, graph: QuestionGraph, facts: FactStore, grounding: Grounding | None = None
    ) -> None:
        self.graph = graph
        self.facts = facts
        self.grounding = grounding or ground(graph, facts)
        self.values = node_values(graph, facts, self.grounding)
        self.constraints = constraints(graph)

    @property
    def answers(self) -> EntitySet:
        """The answers of the whole question."""
        return self.values[self.graph.root_node_id]

    def without(self, left_out: Iterable[Constraint]) -> EntitySet:
        """Return the answers when these constraints are left out."""
        return self.changes_without(left_out).get(self.graph.root_node_id, self.answers)

    def changes_without(self, left_out: Iterable[Constraint]) -> dict[str, EntitySet]:
        """Return the sets that are others when these constraints are left out, by node."""
        gone = frozenset(left_out)
        touched = {constraint.node_id for constraint in gone}
        changed: dict[str, EntitySet] = {}
        for node_id in self.graph.order:
            if node_id not in touched and not self._reached(node_id, changed):
                continue
            value = self.node_value(node_id, changed, gone)
            if not value.same_form(self.values[node_id]):
                changed[node_id] = value
        return changed

    def keeps_answers(self, left_out: Iterable[Constraint]) -> bool:
        """Whether the answers stay the same set when these constraints are left out."""
        return self.without(left_out).equals(self.answers, self.facts.size)

    def _reached(self, node_id: str, changed: Mapping[str, EntitySet]) -> bool:
        return any(
            source in changed for edge in self.graph.incoming[node_id] for source in edge.source_ids
        )

    def node_value(
        self, node_id: str, changed: Mapping[str, EntitySet], gone: frozenset[Constraint]
    ) -> EntitySet:
        """Return the value of one node, given changed sources and what is left out."""
        lost = {item.source_id for item in gone if item.node_id == node_id}
        node = self.graph.nodes_by_id[node_id]
        if node.known_entities:
            value = UNIVERSE if lost else self.grounding.anchor_set(node_id)
        else:
            value = UNIVERSE
            for edge in self.graph.incoming[node_id]:
                if edge.op in (Op.INTERSECTION, Op.UNION):
                    parts = [
                        changed.get(source, self.values[source])
                        for source in edge.source_ids
                        if source not in lost
                    ]
                    value = _combine(edge.op, parts)
                elif not lost:
                    source = edge.source_ids[0]
                    current = {source: changed.get(source, self.values[source])}
                    value = edge_value(edge, self.facts, self.grounding, current)
        return self.typed(node_id, value)

    def typed(self, node_id: str, value: EntitySet) -> EntitySet:
        """Return the part of a set that the node's type allows."""
        kind = self.graph.nodes_by_id[node_id].entity_type
        return value if kind is None else value & self.facts.of_type(kind)


def _combine(op: Op, parts: list[EntitySet]) -> EntitySet:
    parts = sorted(parts, key=lambda part: (part.complemented, len(part.ids)))
    if op is Op.UNION:
        return functools.reduce(EntitySet.__or__, parts, EMPTY)
    return functools.reduce(EntitySet.__and__, parts, UNIVERSE)
