"""A question graph in the making: nodes from what they are the intersection of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph

__all__ = ["Draft", "Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """One conjunct of a node: an operation over other nodes, given names, or a type.

    Attributes:
        op: The operation, None for names and types.
        sources: The nodes that it reads.
        relation: The relation of a projection.
        direction: Which way a projection reads it.
        given: Names; any of them.
        kind: An entity type.
    """

    op: Op | None = None
    sources: tuple[str, ...] = ()
    relation: str | None = None
    direction: Direction | None = None
    given: tuple[str, ...] = ()
    kind: str | None = None

    @classmethod
    def projection(cls, relation: str, direction: Direction, source: str) -> Part:
        """What a relation leads to from a node."""
        return cls(Op.PROJECTION, (source,), relation, direction)

    @classmethod
    def of(cls, op: Op, *sources: str) -> Part:
        """A complement, an intersection or a union of nodes."""
        return cls(op, sources)

    @classmethod
    def names(cls, *names: str) -> Part:
        """Any of some given individuals."""
        return cls(given=tuple(dict.fromkeys(names)))

    @classmethod
    def type(cls, name: str) -> Part:
        """All individuals of a type."""
        return cls(kind=name)


class Draft:
    """Collects nodes and edges; sources stand before targets, intersections are explicit.

    Attributes:
        pinned: Whether variables with only one value are to be read as that constant.

    >>> draft = Draft()
    >>> france = draft.node("a country", [Part.names("France")])
    >>> root = draft.node("its capital", [
    ...     Part.projection("capital", Direction.FORWARD, france), Part.type("city")])
    >>> [node.entity_type for node in draft.graph(root).nodes]
    [None, 'city']
    """

    def __init__(self, *, pinned: bool = False) -> None:
        self.pinned = pinned
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []

    def node(self, label: str, parts: Sequence[Part] = ()) -> str:
        """Add a node that is the intersection of its parts; without parts it is free.

        Args:
            label: What it is, in words.
            parts: The conjuncts.

        Returns:
            The id of the node.
        """
        parts = list(dict.fromkeys(parts))
        kinds = [part.kind for part in parts if part.kind is not None]
        rest = [part for part in parts if part.kind is None]
        sources = [self._add(label, kind=kind) for kind in kinds[1:]]
        kind = kinds[0] if kinds else None
        if not sources and len(rest) <= 1:
            return self._add(label, *rest, kind=kind)
        for part in rest:
            if part.op is Op.INTERSECTION:
                sources.extend(part.sources)
            else:
                sources.append(self._add(label, part))
        sources = list(dict.fromkeys(sources))
        if len(sources) == 1:  # one further type beside the first: two nodes are needed
            sources.append(self._add(label, kind=kind))
            kind = None
        return self._add(label, Part.of(Op.INTERSECTION, *sources), kind=kind)

    def _add(self, label: str, part: Part | None = None, *, kind: str | None = None) -> str:
        node_id = f"n{len(self._nodes)}"
        given = () if part is None else part.given
        self._nodes.append(
            Node(node_id=node_id, label=label, known_entities=given, entity_type=kind)
        )
        if part is not None and part.op is not None:
            self._edges.append(
                Edge(
                    edge_id=f"e{len(self._edges)}",
                    source_ids=part.sources,
                    target_id=node_id,
                    op=part.op,
                    relation=part.relation,
                    direction=part.direction,
                )
            )
        return node_id

    def graph(self, root: str, **fields: Any) -> QuestionGraph:
        """Return the graph with a node as its answer node.

        Args:
            root: The id of the answer node.
            **fields: Further fields of the graph.
        """
        nodes = tuple(
            node.model_copy(update={"is_root": True}) if node.node_id == root else node
            for node in self._nodes
        )
        return QuestionGraph(root_node_id=root, nodes=nodes, edges=tuple(self._edges), **fields)
