"""Which constraints are redundant: what each deletion would let in, followed up to the answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from graphkit.checks.constraints import Constraint, Kind
from graphkit.checks.relax import Relaxer
from graphkit.entity_set import UNIVERSE, EntitySet
from graphkit.operations import Direction, Op
from graphkit.question import Edge

__all__ = ["redundant_constraints"]

_PROBE = 32
"""So many members are followed first; what they let in settles most questions."""


def redundant_constraints(
    relaxer: Relaxer, among: Iterable[Constraint] | None = None
) -> tuple[Constraint, ...]:
    """Return the constraints that can be left out, each alone, without changing the answers.

    Equal to asking :meth:`Relaxer.keeps_answers` of each. Only the entities that a deletion lets
    in, or out, are followed, and no further than the first that shows at the answers; what other
    branches of an intersection have in common is shared. Where a node is used twice the question
    is evaluated as a whole.

    Args:
        relaxer: The question on its facts.
        among: The constraints to look at; by default all of the question.
    """
    deletions = _Deletions(relaxer)
    items = relaxer.constraints if among is None else among
    return tuple(item for item in items if not deletions.shows(item))


@dataclass(eq=False)
class _Deletions:
    relaxer: Relaxer
    _parents: dict[str, Edge] = field(default_factory=dict)
    _free: dict[tuple[str, bool], bool] = field(default_factory=dict)
    _rests: dict[tuple[str, str], EntitySet] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Note the one edge by which each node is used, as far up as there is only one."""
        graph = self.relaxer.graph
        single = {graph.root_node_id}
        for node_id in reversed(graph.order):
            uses = graph.outgoing[node_id]
            if len(uses) == 1 and uses[0].target_id in single:
                single.add(node_id)
                self._parents[node_id] = uses[0]
        self._single = single

    def shows(self, item: Constraint) -> bool:
        """Whether the answers change when a constraint is left out."""
        relaxer = self.relaxer
        node_id = item.node_id if item.source_id is None else item.source_id
        edge = None if item.edge_id is None else relaxer.graph.edges_by_id[item.edge_id]
        if node_id not in self._single:
            return not relaxer.keeps_answers([item])
        if item.kind is Kind.SOURCE:
            if edge is not None and edge.op is Op.UNION:
                return self._let_out(edge, relaxer.values[node_id], node_id)
            return self._freed(node_id, typed=False)
        return self._freed(node_id, typed=True)

    def _freed(self, node_id: str, *, typed: bool) -> bool:
        """Whether the answers change when a node is free, of its type or of any."""
        typed = typed and self.relaxer.graph.nodes_by_id[node_id].entity_type is not None
        key = (node_id, typed)
        if key not in self._free:
            came = ~self.relaxer.values[node_id]
            if typed:
                came = self.relaxer.typed(node_id, came)
            self._free[key] = self._grows(node_id, came)
        return self._free[key]

    def _none(self, entities: EntitySet) -> bool:
        return entities.size(self.relaxer.facts.size) == 0

    def _grows(self, node_id: str, came: EntitySet) -> bool:
        """Whether the answers change when entities come to a node that does not have them."""
        if self._none(came):
            return False
        edge = self._parents.get(node_id)
        if edge is None:
            return True
        target, values = edge.target_id, self.relaxer.values
        if edge.op is Op.COMPLEMENT:
            lost = came & values[target]
            return not self._none(lost) and self._shrinks(target, lost)
        if edge.op is Op.PROJECTION:
            if not came.complemented and len(came.ids) > 2 * _PROBE:
                first = EntitySet(came.ids[:_PROBE])
                if self._reaches(target, self._reached(edge, first)):
                    return True
            return self._reaches(target, self._reached(edge, came))
        if edge.op is Op.UNION:
            new = self.relaxer.typed(target, came) & ~values[target]
        else:
            new = self.relaxer.typed(target, came & self._rest(edge, node_id))
        return self._grows(target, new)

    def _reaches(self, node_id: str, reached: EntitySet) -> bool:
        """Whether the answers change when a projection also reaches entities, known or new."""
        edge, known = self._parents.get(node_id), self.relaxer.values[node_id]
        if edge is None and not known.complemented and len(reached.ids) > len(known.ids):
            return True  # some answer is new, whichever it is
        if edge is not None and edge.op is Op.INTERSECTION:
            reached = reached & self._rest(edge, node_id)  # smaller as a rule than what is known
        return self._grows(node_id, reached & ~known)

    def _shrinks(self, node_id: str, lost: EntitySet) -> bool:
        """Whether the answers change when a node loses entities that it has; not none."""
        edge = self._parents.get(node_id)
        if edge is None:
            return True
        target, values = edge.target_id, self.relaxer.values
        if edge.op is Op.COMPLEMENT:
            return self._grows(target, self.relaxer.typed(target, lost))
        if edge.op is Op.PROJECTION:
            lost = values[target] & ~self._reached(edge, values[node_id] & ~lost)
        elif edge.op is Op.UNION:
            return self._let_out(edge, lost, node_id)
        else:
            lost = lost & values[target]
        return not self._none(lost) and self._shrinks(target, lost)

    def _let_out(self, edge: Edge, lost: EntitySet, source: str) -> bool:
        """Whether the answers change when one source of a union loses entities."""
        target = edge.target_id
        left = lost & self.relaxer.values[target]
        for other in edge.source_ids:
            if other != source:
                left = left & ~self.relaxer.values[other]
        return not self._none(left) and self._shrinks(target, left)

    def _reached(self, edge: Edge, members: EntitySet) -> EntitySet:
        """Return where a projection leads from members, of the target's type."""
        relaxer = self.relaxer
        relation = relaxer.grounding.relations[edge.edge_id]
        adjacency = relaxer.facts.adjacency[relation.number]
        if members.complemented and members.ids is relaxer.values[edge.source_ids[0]].ids:
            forward = relation.direction is Direction.FORWARD
            reached = EntitySet((adjacency.backward if forward else adjacency.forward).keys)
        else:
            reached = adjacency.project(members, relation.direction)
        return relaxer.typed(edge.target_id, reached)

    def _rest(self, edge: Edge, source: str) -> EntitySet:
        """Return what all the other sources of an intersection have in common."""
        key = (edge.edge_id, source)
        if key not in self._rests:
            values = [self.relaxer.values[item] for item in edge.source_ids]
            before = [UNIVERSE]
            for value in values[:-1]:
                before.append(before[-1] & value)
            after = UNIVERSE
            for place in range(len(values) - 1, -1, -1):
                self._rests[edge.edge_id, edge.source_ids[place]] = before[place] & after
                after = values[place] & after
        return self._rests[key]
