"""The loosening strategies: a condition is left out, or an anchor becomes its whole class."""

from __future__ import annotations

from typing import Any

from graphkit.checks.constraints import constraints
from graphkit.errors import MutationError
from graphkit.mutate.model import Mutation, Strategy
from graphkit.mutate.strategies import fresh_ids, replace_anchor
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["drop_constraint", "widen_anchor"]


def widen_anchor(
    graph: QuestionGraph,
    node_id: str,
    *,
    relation: str,
    direction: Direction,
    anchor: str,
    anchor_type: str | None = None,
    reason: str = "",
    **record: Any,
) -> Mutation:
    """Loosen: a known entity becomes the whole class that it belongs to.

    The class is given as a projection, for instance all countries of a region; see
    :func:`inverse_projection` for the arguments.
    """
    change = replace_anchor(graph, node_id, relation, direction, anchor, anchor_type)
    return Mutation(strategy=Strategy.WIDEN_ANCHOR, reason=reason, **change, **record)


def drop_constraint(
    graph: QuestionGraph, constraint_id: str, *, reason: str = "", **record: Any
) -> Mutation:
    """Loosen: one source of an intersection is left out, and what only served it.

    Args:
        graph: A graph in normal form.
        constraint_id: The id of the constraint, such as ``e5/n3``.
        reason: Why.
        **record: Other fields of the :class:`Mutation`.

    Raises:
        MutationError: There is no such constraint, or it is no source of an intersection (a graph
            without its projections or anchors would have free nodes); or the one source that is
            left has another type than the node, which only an intersection can say.
    """
    item = next((item for item in constraints(graph) if item.id == constraint_id), None)
    edge = None if item is None or item.edge_id is None else graph.edge(item.edge_id)
    if item is None or edge is None or edge.op is not Op.INTERSECTION:
        raise MutationError(f"{constraint_id!r} is no source of an intersection of the graph")
    left = tuple(source for source in edge.source_ids if source != item.source_id)
    if len(left) > 1:
        narrowed = edge.model_copy(update={"source_ids": left})
        after = graph.replace(edges=tuple(narrowed if e is edge else e for e in graph.edges))
    else:
        after = _merged(graph, edge, left[0])
    return _difference(
        graph, normalize(after), Strategy.DROP_CONSTRAINT, edge.target_id, reason, record
    )


def _merged(graph: QuestionGraph, edge: Edge, source: str) -> QuestionGraph:
    """Give the target of an intersection that has one source left what that source has.

    A source that is used elsewhere too stays, and its condition is said twice: nodes are sets.
    """
    node, inner = graph.node(edge.target_id), graph.node(source)
    if None not in (node.entity_type, inner.entity_type) and node.entity_type != inner.entity_type:
        raise MutationError(
            f"node {node.node_id} is of type {node.entity_type}, its last source {source} of type "
            f"{inner.entity_type}; expected one type"
        )
    merged = node.model_copy(
        update={
            "known_entities": inner.known_entities,
            "entity_type": node.entity_type or inner.entity_type,
        }
    )
    shared = len(graph.outgoing[source]) > 1
    below = graph.incoming[source]
    ids = fresh_ids("e", graph.edges_by_id, len(below))
    given = [
        other.model_copy(
            update={
                "target_id": node.node_id,
                "edge_id": ids[number] if shared else other.edge_id,
            }
        )
        for number, other in enumerate(below)
    ]
    gone = {edge.edge_id} if shared else {edge.edge_id, *(other.edge_id for other in below)}
    return graph.replace(
        nodes=tuple(
            merged if other.node_id == node.node_id else other
            for other in graph.nodes
            if shared or other.node_id != source
        ),
        edges=(*(other for other in graph.edges if other.edge_id not in gone), *given),
    )


def _difference(
    before: QuestionGraph,
    after: QuestionGraph,
    strategy: Strategy,
    node_id: str,
    reason: str,
    record: dict[str, Any],
) -> Mutation:
    return Mutation(
        strategy=strategy,
        node_id=node_id,
        reason=reason,
        removed_edges=tuple(
            edge.edge_id for edge in before.edges if after.edges_by_id.get(edge.edge_id) != edge
        ),
        removed_nodes=tuple(
            node.node_id for node in before.nodes if node.node_id not in after.nodes_by_id
        ),
        nodes=tuple(node for node in after.nodes if before.nodes_by_id.get(node.node_id) != node),
        edges=tuple(edge for edge in after.edges if before.edges_by_id.get(edge.edge_id) != edge),
        **record,
    )
