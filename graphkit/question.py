"""Question graphs: nodes that are entity sets, edges that are set operations; frozen values."""

from __future__ import annotations

import functools
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphkit.errors import GraphError
from graphkit.operations import Direction, Op
from graphkit.structure import edges_by_target, structure_problems, topological

__all__ = ["Direction", "Edge", "Node", "Op", "QuestionGraph"]


class Node(BaseModel):
    """A set of entities.

    Attributes:
        node_id: Its id in the graph.
        label: What the set is, in words.
        known_entities: Names given in the question; several mean any of them.
        reference_entities: Real names that the question hides; they never constrain.
        is_root: Whether it is the answer node.
        entity_type: A further conjunct: only entities of this type.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    node_id: str = Field(min_length=1)
    label: str = ""
    known_entities: tuple[str, ...] = ()
    reference_entities: tuple[str, ...] = ()
    is_root: bool = False
    entity_type: str | None = None

    @field_validator("known_entities", "reference_entities", mode="before")
    @classmethod
    def _null_is_empty(cls, value: Any) -> Any:
        return () if value is None else value


class Edge(BaseModel):
    """A set operation from source nodes to a target node."""

    model_config = ConfigDict(frozen=True, extra="allow")

    edge_id: str = Field(min_length=1)
    source_ids: tuple[str, ...]
    target_id: str
    op: Op
    relation: str | None = None
    direction: Direction | None = None

    @property
    def reads(self) -> Direction:
        """The direction of a projection; forward where none is said."""
        return self.direction or Direction.FORWARD


class QuestionGraph(BaseModel):
    """A question as a directed acyclic hypergraph with one answer node.

    Construction checks the structure and raises :class:`graphkit.errors.GraphError` with every
    problem at once. The field names are the contract of EvoBrowseComp, A.4; unknown keys are
    kept.

    >>> graph = QuestionGraph(
    ...     root_node_id="n1",
    ...     nodes=[Node(node_id="n0", known_entities=["France"]), Node(node_id="n1", is_root=True)],
    ...     edges=[Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...                 relation="capital", direction="forward")])
    >>> graph.order
    ('n0', 'n1')
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    question: str = ""
    answer: str | None = None
    root_node_id: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    id: str | None = None
    language: str | None = None
    domain: str | None = None
    subdomain: str | None = None
    iteration: int | None = None
    parent_id: str | None = None
    evidence_ids: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @field_validator("evidence_ids", "aliases", mode="before")
    @classmethod
    def _null_is_empty(cls, value: Any) -> Any:
        return () if value is None else value

    def model_post_init(self, context: Any) -> None:
        """Check the structure; runs after every construction."""
        problems = structure_problems(self.root_node_id, self.nodes, self.edges)
        if problems:
            raise GraphError(problems)

    def node(self, node_id: str) -> Node:
        """Return a node by its id; a ``KeyError`` if there is none."""
        return self.nodes_by_id[node_id]

    def edge(self, edge_id: str) -> Edge:
        """Return an edge by its id; a ``KeyError`` if there is none."""
        return self.edges_by_id[edge_id]

    @functools.cached_property
    def nodes_by_id(self) -> dict[str, Node]:
        """Nodes by id."""
        return {node.node_id: node for node in self.nodes}

    @functools.cached_property
    def edges_by_id(self) -> dict[str, Edge]:
        """Edges by id."""
        return {edge.edge_id: edge for edge in self.edges}

    @functools.cached_property
    def incoming(self) -> dict[str, tuple[Edge, ...]]:
        """The edges into each node, in the order of the file; nodes without any included."""
        return edges_by_target(self.nodes, self.edges)

    @functools.cached_property
    def outgoing(self) -> dict[str, tuple[Edge, ...]]:
        """The edges that leave each node, in the order of the file."""
        table: dict[str, list[Edge]] = {node.node_id: [] for node in self.nodes}
        for edge in self.edges:
            for source in dict.fromkeys(edge.source_ids):
                table[source].append(edge)
        return {node_id: tuple(edges) for node_id, edges in table.items()}

    @functools.cached_property
    def order(self) -> tuple[str, ...]:
        """All node ids, sources before targets, otherwise in the order of the file."""
        order, _ = topological(self.nodes, self.edges)
        return tuple(order)

    @functools.cached_property
    def relevant(self) -> frozenset[str]:
        """The nodes from which the root can be reached, the root among them."""
        seen = {self.root_node_id}
        stack = [self.root_node_id]
        while stack:
            for edge in self.incoming[stack.pop()]:
                for source in edge.source_ids:
                    if source not in seen:
                        seen.add(source)
                        stack.append(source)
        return frozenset(seen)

    @property
    def anchors(self) -> tuple[Node, ...]:
        """The nodes with entities given in the question."""
        return tuple(node for node in self.nodes if node.known_entities)

    def replace(self, **changes: Any) -> QuestionGraph:
        """Return a checked copy with other field values; the old graph is untouched."""
        data = {name: getattr(self, name) for name in type(self).model_fields}
        data.update(self.model_extra or {})
        data.update(changes)
        return type(self)(**data)

    def to_record(self) -> dict[str, Any]:
        """Return the graph as plain data in the paper's contract; empty optional keys left out."""
        record: dict[str, Any] = {}
        for name in ("id", "question", "answer"):
            value = getattr(self, name)
            if value is not None or name == "answer":
                record[name] = value
        record["root_node_id"] = self.root_node_id
        record["nodes"] = [_node_record(node) for node in self.nodes]
        record["edges"] = [_edge_record(edge) for edge in self.edges]
        for name in ("language", "domain", "subdomain", "iteration", "parent_id"):
            value = getattr(self, name)
            if value is not None:
                record[name] = value
        for name in ("evidence_ids", "aliases"):
            value = getattr(self, name)
            if value:
                record[name] = list(value)
        record.update(self.model_extra or {})
        return record


def _node_record(node: Node) -> dict[str, Any]:
    record: dict[str, Any] = {
        "node_id": node.node_id,
        "label": node.label,
        "known_entities": list(node.known_entities) or None,
        "reference_entities": list(node.reference_entities) or None,
        "is_root": node.is_root,
    }
    if node.entity_type is not None:
        record["entity_type"] = node.entity_type
    record.update(node.model_extra or {})
    return record


def _edge_record(edge: Edge) -> dict[str, Any]:
    record: dict[str, Any] = {
        "edge_id": edge.edge_id,
        "source_ids": list(edge.source_ids),
        "target_id": edge.target_id,
        "op": edge.op.value,
        "relation": edge.relation,
        "direction": edge.direction.value if edge.direction else None,
    }
    record.update(edge.model_extra or {})
    return record
