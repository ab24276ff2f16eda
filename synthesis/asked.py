"""What a question asks, whatever names it uses for it: how questions are told apart."""

from __future__ import annotations

from graphkit.facts import FactStore
from graphkit.grounding import Grounding, ground
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.patterns import canonical_text
from graphkit.question import Edge, Node, QuestionGraph

__all__ = ["asked_on"]


def asked_on(graph: QuestionGraph, facts: FactStore) -> str:
    """Return what a question asks on some facts: equal for questions that differ in names only.

    Anchors stand under the names of the facts, relations under theirs and in their direction; a
    symmetric relation has one direction. Types and labels do not show.

    Args:
        graph: A question.
        facts: The facts; what they do not know keeps the name that the question gives it.
    """
    normal = normalize(graph)
    grounding = ground(normal, facts, strict=False)
    return canonical_text(
        normal.replace(
            nodes=tuple(_named(node, grounding, facts) for node in normal.nodes),
            edges=tuple(_read(edge, grounding, facts) for edge in normal.edges),
        )
    )


def _named(node: Node, grounding: Grounding, facts: FactStore) -> Node:
    change: dict[str, object] = {"entity_type": None}
    if node.node_id in grounding.anchors and node.known_entities:
        numbers = grounding.anchor_set(node.node_id).ids.tolist()
        if numbers:
            change["known_entities"] = tuple(sorted({facts.name(number) for number in numbers}))
    return node.model_copy(update=change)


def _read(edge: Edge, grounding: Grounding, facts: FactStore) -> Edge:
    found = grounding.relations.get(edge.edge_id)
    if edge.op is not Op.PROJECTION or found is None:
        return edge
    name = facts.relations[found.number]
    symmetric = facts.sheet.relation(name).symmetric
    way = Direction.BACKWARD if symmetric else found.direction
    return edge.model_copy(update={"relation": name, "direction": way})
