"""The constraints of a question: the single conjuncts that could be left out of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphkit.operations import Op
from graphkit.question import QuestionGraph

__all__ = ["Constraint", "Kind", "constraints"]


class Kind(StrEnum):
    """What a constraint is."""

    SOURCE = "source"
    PROJECTION = "projection"
    COMPLEMENT = "complement"
    KNOWN = "known_entities"


@dataclass(frozen=True, slots=True)
class Constraint:
    """One conjunct of a question in normal form.

    Attributes:
        id: ``e5/n3`` for source n3 of the intersection e5; ``e2`` for a projection or a
            complement; ``n0`` for the known entities of a node (``n0/known`` should an edge have
            the same id).
        kind: See :class:`Kind`.
        node_id: The node whose value it narrows.
        edge_id: The edge, if it is one.
        source_id: The source, for kind ``source``.
    """

    id: str
    kind: Kind
    node_id: str
    edge_id: str | None = None
    source_id: str | None = None


def constraints(graph: QuestionGraph) -> tuple[Constraint, ...]:
    """Return the constraints of a graph in normal form, sorted by id.

    The sources of a union count like those of an intersection: a union is the complement of an
    intersection of complements.

    Args:
        graph: A graph in normal form, see :func:`graphkit.normalize.normalize`.
    """
    found: list[Constraint] = []
    for edge in graph.edges:
        if edge.op in (Op.INTERSECTION, Op.UNION):
            found += [
                Constraint(
                    f"{edge.edge_id}/{source}", Kind.SOURCE, edge.target_id, edge.edge_id, source
                )
                for source in edge.source_ids
            ]
        else:
            kind = Kind.PROJECTION if edge.op is Op.PROJECTION else Kind.COMPLEMENT
            found.append(Constraint(edge.edge_id, kind, edge.target_id, edge.edge_id))
    taken = {item.id for item in found}
    for node in graph.anchors:
        name = node.node_id if node.node_id not in taken else f"{node.node_id}/known"
        found.append(Constraint(name, Kind.KNOWN, node.node_id))
    return tuple(sorted(found, key=lambda item: item.id))
