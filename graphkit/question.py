"""Question graphs: nodes that are entity sets, edges that are set operations; frozen values."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphkit.errors import GraphError, Problem

__all__ = ["Direction", "Edge", "Node", "Op", "QuestionGraph", "structure_problems"]


class Op(StrEnum):
    """The operation of an edge. ``union`` is an extension, for notations that have it."""

    PROJECTION = "projection"
    INTERSECTION = "intersection"
    COMPLEMENT = "complement"
    UNION = "union"


class Direction(StrEnum):
    """Which way a projection reads its facts: from heads to tails, or back."""

    FORWARD = "forward"
    BACKWARD = "backward"

    @property
    def reverse(self) -> Direction:
        """The other direction."""
        return Direction.BACKWARD if self is Direction.FORWARD else Direction.FORWARD


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
        return _edges_by_target(self.nodes, self.edges)

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
        order, _ = _topological(self.nodes, self.edges)
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


def _edges_by_target(nodes: Iterable[Node], edges: Iterable[Edge]) -> dict[str, tuple[Edge, ...]]:
    table: dict[str, list[Edge]] = {node.node_id: [] for node in nodes}
    for edge in edges:
        table[edge.target_id].append(edge)
    return {node_id: tuple(found) for node_id, found in table.items()}


def _topological(nodes: tuple[Node, ...], edges: tuple[Edge, ...]) -> tuple[list[str], list[str]]:
    """Return (order, cycle): one of the two is empty unless there are no nodes."""
    incoming = _edges_by_target(nodes, edges)
    state: dict[str, int] = {}
    order: list[str] = []
    for start in incoming:
        if start in state:
            continue
        state[start] = 1
        stack = [(start, iter(_sources(incoming[start])))]
        while stack:
            node_id, sources = stack[-1]
            for source in sources:
                if state.get(source) == 1:
                    path = [item for item, _ in stack]
                    return [], [*path[path.index(source) :], source]
                if source not in state:
                    state[source] = 1
                    stack.append((source, iter(_sources(incoming[source]))))
                    break
            else:
                state[node_id] = 2
                order.append(node_id)
                stack.pop()
    return order, []


def _sources(edges: Iterable[Edge]) -> list[str]:
    return list(dict.fromkeys(source for edge in edges for source in edge.source_ids))


def structure_problems(
    root_node_id: str, nodes: tuple[Node, ...], edges: tuple[Edge, ...]
) -> list[Problem]:
    """Return everything that is structurally wrong; see docs/semantics.md, section 3.

    Args:
        root_node_id: The id that should be the answer node.
        nodes: The nodes of the graph.
        edges: Its edges.
    """
    found: list[Problem] = []
    for kind, ids in (
        ("node", [node.node_id for node in nodes]),
        ("edge", [edge.edge_id for edge in edges]),
    ):
        for repeated in dict.fromkeys(item for item in ids if ids.count(item) > 1):
            found.append(
                Problem(f"the id is used {ids.count(repeated)} times, expected once",
                        code="duplicate_id", subject=f"{kind} {repeated}")
            )
    known = {node.node_id for node in nodes}
    found += _root_problems(root_node_id, nodes, known)
    for edge in edges:
        found += _edge_problems(edge, known)
    if not any(problem.code == "dangling" for problem in found):
        _, cycle = _topological(nodes, edges)
        if cycle and len(cycle) > 2:
            found.append(
                Problem(f"the edges form a cycle: {' <- '.join(cycle)}; expected none",
                        code="cycle", subject=f"node {cycle[0]}")
            )
    return found


def _root_problems(root_node_id: str, nodes: tuple[Node, ...], known: set[str]) -> list[Problem]:
    flagged = [node.node_id for node in nodes if node.is_root]
    if root_node_id not in known:
        return [Problem(f"root_node_id {root_node_id!r} is not a node of the graph", code="no_root")]
    if len(flagged) > 1:
        return [Problem(f"is_root is true for {', '.join(flagged)}; expected exactly one root",
                        code="two_roots", subject=f"node {flagged[1]}")]
    if flagged and flagged[0] != root_node_id:
        return [Problem(f"is_root is true, but root_node_id names {root_node_id}; "
                        "expected exactly one root", code="two_roots", subject=f"node {flagged[0]}")]
    return []


def _edge_problems(edge: Edge, known: set[str]) -> list[Problem]:
    subject = f"edge {edge.edge_id}"
    found: list[Problem] = []
    for role, node_id in [*(("source", item) for item in edge.source_ids),
                          ("target", edge.target_id)]:
        if node_id not in known:
            found.append(Problem(f"{role} {node_id!r} is not a node of the graph",
                                 code="dangling", subject=subject))
    if edge.target_id in edge.source_ids:
        found.append(Problem(f"leads into its own source {edge.target_id}",
                             code="self_loop", subject=subject))
    distinct = len(set(edge.source_ids))
    if edge.op in (Op.INTERSECTION, Op.UNION):
        if distinct < 2 or distinct != len(edge.source_ids):
            found.append(Problem(
                f"{edge.op.value} has the sources {list(edge.source_ids)}; "
                "expected two or more distinct ones", code="sources", subject=subject))
    elif len(edge.source_ids) != 1:
        found.append(Problem(f"{edge.op.value} has {len(edge.source_ids)} sources; expected one",
                             code="sources", subject=subject))
    if edge.op is Op.PROJECTION:
        if not (edge.relation or "").strip():
            found.append(Problem("projection without a relation", code="no_relation",
                                 subject=subject))
    elif (edge.relation or "").strip():
        found.append(Problem(f"{edge.op.value} has relation {edge.relation!r}; expected none",
                             code="relation_on_set", subject=subject))
    return found


def graph_from(
    nodes: Iterable[Mapping[str, Any] | Node], edges: Iterable[Mapping[str, Any] | Edge], root: str
) -> QuestionGraph:
    """Build a graph from nodes and edges, marking the root; a shorthand for code and tests."""
    made = [Node.model_validate(node) for node in nodes]
    marked = [node.model_copy(update={"is_root": node.node_id == root}) for node in made]
    return QuestionGraph(
        root_node_id=root,
        nodes=tuple(marked),
        edges=tuple(Edge.model_validate(edge) for edge in edges),
    )
