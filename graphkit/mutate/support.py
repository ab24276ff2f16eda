"""What an answer rests on, how far each node is from it, and which hops ask nothing."""

from __future__ import annotations

import numpy as np

from graphkit.adjacency import Table
from graphkit.checks.relax import Relaxer
from graphkit.entity_set import EntitySet, is_in
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph

__all__ = ["distances_of", "one_to_one_hops", "supporters_of"]


def supporters_of(relaxer: Relaxer, target: int) -> dict[str, EntitySet]:
    """Return for every node that counts positively the members that an answer rests on.

    Args:
        relaxer: The question in normal form on its facts.
        target: The number of an answer.
    """
    graph, values = relaxer.graph, relaxer.values
    found = {graph.root_node_id: EntitySet.of([target])}
    for node_id in reversed(graph.order):
        here = found.get(node_id)
        if here is None:
            continue
        for edge in graph.incoming[node_id]:
            if edge.op is Op.COMPLEMENT:
                continue
            for source in edge.source_ids:
                part = here
                if edge.op is Op.PROJECTION:
                    relation = relaxer.grounding.relations[edge.edge_id]
                    adjacency = relaxer.facts.adjacency[relation.number]
                    part = adjacency.project(here, relation.direction.reverse)
                part = part & values[source]
                found[source] = (found[source] | part) if source in found else part
    return found


def distances_of(graph: QuestionGraph) -> dict[str, int]:
    """Return for every node that reaches the root its distance: the fewest projections between."""
    found = {graph.root_node_id: 0}
    for node_id in reversed(graph.order):
        if node_id not in found:
            continue
        for edge in graph.incoming[node_id]:
            for source in edge.source_ids:
                length = found[node_id] + (edge.op is Op.PROJECTION)
                found[source] = min(found.get(source, length), length)
    return found


def one_to_one_hops(relaxer: Relaxer) -> frozenset[str]:
    """Return the projections that only rename: one target for each source, and the other way.

    Looked at are the members of the source's set, not the relation as a whole: the capital of a
    country is one to one even though two capitals share a name.

    Args:
        relaxer: The question in normal form on its facts.
    """
    found = []
    for edge in relaxer.graph.edges:
        if edge.op is not Op.PROJECTION:
            continue
        relation = relaxer.grounding.relations[edge.edge_id]
        adjacency = relaxer.facts.adjacency[relation.number]
        tables = adjacency.forward, adjacency.backward
        out, back = tables if relation.direction is Direction.FORWARD else tables[::-1]
        source = relaxer.values[edge.source_ids[0]]
        reached = EntitySet(out.expand(source))
        if len(reached.ids) and _single(out, source) and _single(back, reached):
            found.append(edge.edge_id)
    return frozenset(found)


def _single(table: Table, source: EntitySet) -> bool:
    """Whether no member of a set leads to more than one entity."""
    rows = is_in(table.keys, source.ids) != source.complemented
    return bool(np.diff(table.starts)[rows].max(initial=0) <= 1)
