"""The strategies as pure functions on graphs: what is added or flipped, facts unseen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from graphkit.errors import MutationError
from graphkit.mutate.model import Mutation, Strategy
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph

__all__ = [
    "complement",
    "fresh_ids",
    "intersection_expansion",
    "inverse_projection",
    "projection_extension",
    "replace_anchor",
    "seed_question",
]


def fresh_ids(letter: str, taken: Iterable[str], count: int) -> list[str]:
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


def _branch(
    graph: QuestionGraph,
    node_id: str,
    relation: str,
    direction: Direction,
    anchor: tuple[str, str | None],
    *,
    excluded: bool = False,
) -> dict[str, Any]:
    """Return the fields of the change by which a node must (not) be in a projection of an anchor.

    The anchor is its name and type. Ids are given in the order anchor, set, excluded set, part;
    so are edges.
    """
    new = fresh_ids("n", graph.nodes_by_id, 3 + excluded)
    ids = fresh_ids("e", graph.edges_by_id, 2 + excluded)
    kind = graph.node(node_id).entity_type if node_id in graph.nodes_by_id else None
    change = _conjoin(graph, node_id, new[-2], new[-1], ids[-1])
    nodes = [
        _anchor(new[0], *anchor),
        Node(node_id=new[1], label=_set_label(kind), entity_type=kind),
    ]
    edges = [_projection(ids[0], new[0], new[1], relation, direction)]
    if excluded:
        nodes.append(Node(node_id=new[2], label=f"not such a {_set_label(kind)}"))
        edges.append(Edge(edge_id=ids[1], source_ids=(new[1],), target_id=new[2], op=Op.COMPLEMENT))
    return {
        "removed_edges": change["removed_edges"],
        "nodes": (*nodes, *change["nodes"]),
        "edges": (*edges, *change["edges"]),
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
    return Mutation(
        strategy=Strategy.INTERSECTION_EXPANSION,
        node_id=node_id,
        reason=reason,
        position="late" if node_id == graph.root_node_id else "early",
        **_branch(graph, node_id, relation, direction, (anchor, anchor_type)),
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
    return Mutation(
        strategy=Strategy.COMPLEMENT,
        node_id=node_id,
        reason=reason,
        **_branch(graph, node_id, relation, direction, (anchor, anchor_type), excluded=True),
        **record,
    )


def replace_anchor(
    graph: QuestionGraph,
    node_id: str,
    relation: str,
    direction: Direction,
    anchor: str,
    anchor_type: str | None,
) -> dict[str, Any]:
    """Return the change that describes an anchor by a projection instead of naming it."""
    node = graph.nodes_by_id.get(node_id)
    if node is None or not node.known_entities:
        raise MutationError(f"node {node_id} has no known entity, expected an anchor")
    new = fresh_ids("n", graph.nodes_by_id, 1)[0]
    hidden = node.model_copy(
        update={
            "known_entities": (),
            "reference_entities": node.known_entities,
            "label": _set_label(node.entity_type),
        }
    )
    edge_id = fresh_ids("e", graph.edges_by_id, 1)[0]
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
    change = replace_anchor(graph, node_id, relation, direction, anchor, anchor_type)
    return Mutation(strategy=Strategy.INVERSE_PROJECTION, reason=reason, **change, **record)


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
    new = fresh_ids("n", graph.nodes_by_id, 1)[0]
    edge_id = fresh_ids("e", graph.edges_by_id, 1)[0]
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
