"""The strategies as pure functions on graphs: what is added or flipped, facts unseen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphkit.checks.constraints import Kind, constraints
from graphkit.errors import MutationError
from graphkit.mutate.model import Mutation, Strategy
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph

__all__ = [
    "complement",
    "drop_constraint",
    "intersection_expansion",
    "inverse_projection",
    "projection_extension",
    "seed_question",
    "widen_anchor",
]


def _fresh(letter: str, taken: Iterable[str], count: int) -> list[str]:
    """Return ``count`` unused ids of the form n7."""
    numbers = [int(match[1]) for name in taken if (match := re.fullmatch(rf"{letter}(\d+)", name))]
    start = max(numbers, default=-1) + 1
    return [f"{letter}{start + step}" for step in range(count)]


def _anchor(node_id: str, name: str, kind: str | None) -> Node:
    return Node(node_id=node_id, label=name, known_entities=(name,), entity_type=kind)


def _projection(
    edge_id: str, source: str, target: str, relation: str, direction: Direction
) -> Edge:
    return Edge(
        edge_id=edge_id,
        source_ids=(source,),
        target_id=target,
        op=Op.PROJECTION,
        relation=relation,
        direction=direction,
    )


def _set_label(kind: str | None) -> str:
    return kind or "entity"


def seed_question(
    *,
    anchor: str,
    anchor_type: str | None,
    relation: str,
    direction: Direction,
    answer: str,
    answer_type: str | None,
    reason: str,
    evidence_ids: tuple[str, ...] = (),
) -> Mutation:
    """Return the first question about a seed: one projection from an anchor to the answer's set."""
    return Mutation(
        strategy=Strategy.SEED,
        node_id="n1",
        reason=reason,
        nodes=(
            _anchor("n0", anchor, anchor_type),
            Node(
                node_id="n1", label=_set_label(answer_type), entity_type=answer_type, is_root=True
            ),
        ),
        edges=(_projection("e0", "n0", "n1", relation, direction),),
        root_node_id="n1",
        answer=answer,
        evidence_ids=evidence_ids,
    )


def _conjoin(
    graph: QuestionGraph, node_id: str, source: str, new_node: str, edge_id: str
) -> dict[str, Any]:
    """Return the change that makes a node the intersection of what it was and of ``source``."""
    if node_id not in graph.nodes_by_id:
        raise MutationError(f"node {node_id} is not in the graph")
    node = graph.nodes_by_id[node_id]
    edges = graph.incoming[node_id]
    if len(edges) + bool(node.known_entities) != 1:
        raise MutationError(
            f"node {node_id} has {len(edges) + bool(node.known_entities)} conditions; expected a "
            "graph in normal form and a node that is not free"
        )
    if edges and edges[0].op is Op.INTERSECTION:
        wider = edges[0].model_copy(update={"source_ids": (*edges[0].source_ids, source)})
        return {"removed_edges": (edges[0].edge_id,), "nodes": (), "edges": (wider,)}
    part = node.model_copy(update={"node_id": new_node, "is_root": False, "reference_entities": ()})
    whole = node.model_copy(update={"known_entities": ()})
    meet = Edge(
        edge_id=edge_id, source_ids=(new_node, source), target_id=node_id, op=Op.INTERSECTION
    )
    moved = tuple(edge.model_copy(update={"target_id": new_node}) for edge in edges)
    return {
        "removed_edges": tuple(edge.edge_id for edge in edges),
        "nodes": (part, whole) if node.known_entities else (part,),
        "edges": (*moved, meet),
    }


def intersection_expansion(
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
    """Strategy C: a node must also be the projection of an anchor.

    Args:
        graph: A graph in normal form.
        node_id: The node that gets the branch.
        relation: The relation of the branch.
        direction: Its direction, from the anchor to the node.
        anchor: The name of the anchor.
        anchor_type: Its type.
        reason: Why.
        **record: Other fields of the :class:`Mutation`.
    """
    new = _fresh("n", graph.nodes_by_id, 3)
    ids = _fresh("e", graph.edges_by_id, 2)
    kind = graph.node(node_id).entity_type if node_id in graph.nodes_by_id else None
    change = _conjoin(graph, node_id, new[1], new[2], ids[1])
    return Mutation(
        strategy=Strategy.INTERSECTION_EXPANSION,
        node_id=node_id,
        reason=reason,
        removed_edges=change["removed_edges"],
        nodes=(
            _anchor(new[0], anchor, anchor_type),
            Node(node_id=new[1], label=_set_label(kind), entity_type=kind),
            *change["nodes"],
        ),
        edges=(_projection(ids[0], new[0], new[1], relation, direction), *change["edges"]),
        position="late" if node_id == graph.root_node_id else "early",
        **record,
    )


def complement(
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
    """Strategy A: a node must not be in the projection of an anchor.

    Args:
        graph: A graph in normal form.
        node_id: The node that gets the exclusion.
        relation: The relation of the excluded set.
        direction: Its direction, from the anchor to the set.
        anchor: The name of the anchor.
        anchor_type: Its type.
        reason: Why.
        **record: Other fields of the :class:`Mutation`.
    """
    new = _fresh("n", graph.nodes_by_id, 4)
    ids = _fresh("e", graph.edges_by_id, 3)
    kind = graph.node(node_id).entity_type if node_id in graph.nodes_by_id else None
    change = _conjoin(graph, node_id, new[2], new[3], ids[2])
    return Mutation(
        strategy=Strategy.COMPLEMENT,
        node_id=node_id,
        reason=reason,
        removed_edges=change["removed_edges"],
        nodes=(
            _anchor(new[0], anchor, anchor_type),
            Node(node_id=new[1], label=_set_label(kind), entity_type=kind),
            Node(node_id=new[2], label=f"not such a {_set_label(kind)}"),
            *change["nodes"],
        ),
        edges=(
            _projection(ids[0], new[0], new[1], relation, direction),
            Edge(edge_id=ids[1], source_ids=(new[1],), target_id=new[2], op=Op.COMPLEMENT),
            *change["edges"],
        ),
        **record,
    )


def _replace_anchor(
    graph: QuestionGraph,
    node_id: str,
    relation: str,
    direction: Direction,
    anchor: str,
    anchor_type: str | None,
) -> dict[str, Any]:
    node = graph.nodes_by_id.get(node_id)
    if node is None or not node.known_entities:
        raise MutationError(f"node {node_id} has no known entity, expected an anchor")
    new = _fresh("n", graph.nodes_by_id, 1)[0]
    hidden = node.model_copy(
        update={
            "known_entities": (),
            "reference_entities": node.known_entities,
            "label": _set_label(node.entity_type),
        }
    )
    edge_id = _fresh("e", graph.edges_by_id, 1)[0]
    return {
        "node_id": node_id,
        "nodes": (_anchor(new, anchor, anchor_type), hidden),
        "edges": (_projection(edge_id, new, node_id, relation, direction),),
    }


def inverse_projection(
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
    """Strategy B: a known entity is no longer named but described, from effect to cause.

    Args:
        graph: The graph.
        node_id: The anchor whose name is given up.
        relation: The relation that leads to it.
        direction: Its direction, from the new anchor to the old.
        anchor: The name of the new anchor.
        anchor_type: Its type.
        reason: Why.
        **record: Other fields of the :class:`Mutation`.
    """
    change = _replace_anchor(graph, node_id, relation, direction, anchor, anchor_type)
    return Mutation(strategy=Strategy.INVERSE_PROJECTION, reason=reason, **change, **record)


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
    change = _replace_anchor(graph, node_id, relation, direction, anchor, anchor_type)
    return Mutation(strategy=Strategy.WIDEN_ANCHOR, reason=reason, **change, **record)


def projection_extension(
    graph: QuestionGraph,
    *,
    relation: str,
    direction: Direction,
    answer: str,
    answer_type: str | None = None,
    reason: str = "",
    **record: Any,
) -> Mutation:
    """One more hop: the old answer becomes an inner node, and what it leads to is asked.

    Args:
        graph: The graph.
        relation: The relation of the new hop.
        direction: Its direction, from the old answer node.
        answer: The new answer.
        answer_type: Its type.
        reason: Why.
        **record: Other fields of the :class:`Mutation`.
    """
    new = _fresh("n", graph.nodes_by_id, 1)[0]
    edge_id = _fresh("e", graph.edges_by_id, 1)[0]
    old = graph.node(graph.root_node_id)
    hidden = (graph.answer,) if graph.answer else ()
    return Mutation(
        strategy=Strategy.PROJECTION_EXTENSION,
        node_id=old.node_id,
        reason=reason,
        nodes=(
            Node(node_id=new, label=_set_label(answer_type), entity_type=answer_type, is_root=True),
            old.model_copy(update={"is_root": False, "reference_entities": hidden}),
        ),
        edges=(_projection(edge_id, old.node_id, new, relation, direction),),
        root_node_id=new,
        answer=answer,
        **record,
    )


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
            without its projections or anchors would have free nodes).
    """
    found = [item for item in constraints(graph) if item.id == constraint_id]
    if not found or found[0].kind is not Kind.SOURCE or found[0].edge_id is None:
        raise MutationError(f"{constraint_id!r} is no source of an intersection of the graph")
    item = found[0]
    edge = graph.edge(found[0].edge_id)
    left = tuple(source for source in edge.source_ids if source != item.source_id)
    edges = [other for other in graph.edges if other.edge_id != edge.edge_id]
    if len(left) > 1:
        edges.append(edge.model_copy(update={"source_ids": left}))
        after = normalize(graph.replace(edges=tuple(edges)))
    else:
        after = normalize(_merged(graph, edges, edge.target_id, left[0]))
    return _difference(graph, after, Strategy.DROP_CONSTRAINT, edge.target_id, reason, record)


def _merged(graph: QuestionGraph, edges: list[Edge], target: str, source: str) -> QuestionGraph:
    """Give a node that lost its intersection the condition of its one source."""
    node, inner = graph.node(target), graph.node(source)
    merged = node.model_copy(
        update={
            "known_entities": inner.known_entities,
            "entity_type": node.entity_type or inner.entity_type,
        }
    )
    moved = [
        other.model_copy(update={"target_id": target}) if other.target_id == source else other
        for other in edges
    ]
    nodes = tuple(
        merged if other.node_id == target else other
        for other in graph.nodes
        if other.node_id != source
    )
    if len(graph.outgoing[source]) > 1:
        raise MutationError(f"node {source} is used elsewhere too and cannot be merged")
    return graph.replace(nodes=nodes, edges=tuple(moved))


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
