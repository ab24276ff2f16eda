"""The structural rules of a question graph: what makes it a graph with one answer node at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from graphkit.errors import Problem
from graphkit.operations import Op

__all__ = ["edges_by_target", "structure_problems", "topological"]


class NodeLike(Protocol):
    """What the rules need of a node."""

    @property
    def node_id(self) -> str:
        """Its id."""

    @property
    def is_root(self) -> bool:
        """Whether it says that it is the answer node."""


class EdgeLike(Protocol):
    """What the rules need of an edge."""

    @property
    def edge_id(self) -> str:
        """Its id."""

    @property
    def source_ids(self) -> tuple[str, ...]:
        """Its sources."""

    @property
    def target_id(self) -> str:
        """Its target."""

    @property
    def op(self) -> Op:
        """Its operation."""

    @property
    def relation(self) -> str | None:
        """Its relation."""


E = TypeVar("E", bound=EdgeLike)


def edges_by_target(nodes: Iterable[NodeLike], edges: Iterable[E]) -> dict[str, tuple[E, ...]]:
    """Return the edges into each node, in their order; nodes without any included."""
    table: dict[str, list[E]] = {node.node_id: [] for node in nodes}
    for edge in edges:
        table[edge.target_id].append(edge)
    return {node_id: tuple(found) for node_id, found in table.items()}


def topological(
    nodes: Sequence[NodeLike], edges: Sequence[EdgeLike]
) -> tuple[list[str], list[str]]:
    """Return (order, cycle): one of the two is empty unless there are no nodes."""
    incoming = edges_by_target(nodes, edges)
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


def _sources(edges: Iterable[EdgeLike]) -> list[str]:
    return list(dict.fromkeys(source for edge in edges for source in edge.source_ids))


def structure_problems(
    root_node_id: str, nodes: Sequence[NodeLike], edges: Sequence[EdgeLike]
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
        for repeated, count in Counter(ids).items():
            if count == 1:
                continue
            found.append(
                Problem(
                    f"the id is used {count} times, expected once",
                    code="duplicate_id",
                    subject=f"{kind} {repeated}",
                )
            )
    known = {node.node_id for node in nodes}
    found += _root_problems(root_node_id, nodes, known)
    for edge in edges:
        found += _edge_problems(edge, known)
    if not any(problem.code == "dangling" for problem in found):
        _, cycle = topological(nodes, [e for e in edges if e.target_id not in e.source_ids])
        if cycle:
            found.append(
                Problem(
                    f"the edges form a cycle: {' <- '.join(cycle)}; expected none",
                    code="cycle",
                    subject=f"node {cycle[0]}",
                )
            )
    return found


def _root_problems(root_node_id: str, nodes: Sequence[NodeLike], known: set[str]) -> list[Problem]:
    flagged = [node.node_id for node in nodes if node.is_root]
    if root_node_id not in known:
        return [
            Problem(f"root_node_id {root_node_id!r} is not a node of the graph", code="no_root")
        ]
    if len(flagged) > 1:
        return [
            Problem(
                f"is_root is true for {', '.join(flagged)}; expected exactly one root",
                code="two_roots",
                subject=f"node {flagged[1]}",
            )
        ]
    if flagged and flagged[0] != root_node_id:
        return [
            Problem(
                f"is_root is true, but root_node_id names {root_node_id}; "
                "expected exactly one root",
                code="two_roots",
                subject=f"node {flagged[0]}",
            )
        ]
    return []


def _edge_problems(edge: EdgeLike, known: set[str]) -> list[Problem]:
    subject = f"edge {edge.edge_id}"
    found: list[Problem] = []
    for role, node_id in [
        *(("source", item) for item in edge.source_ids),
        ("target", edge.target_id),
    ]:
        if node_id not in known:
            found.append(
                Problem(
                    f"{role} {node_id!r} is not a node of the graph",
                    code="dangling",
                    subject=subject,
                )
            )
    if edge.target_id in edge.source_ids:
        found.append(
            Problem(
                f"leads into its own source {edge.target_id}", code="self_loop", subject=subject
            )
        )
    distinct = len(set(edge.source_ids))
    if edge.op in (Op.INTERSECTION, Op.UNION):
        if distinct < 2 or distinct != len(edge.source_ids):
            found.append(
                Problem(
                    f"{edge.op.value} has the sources {list(edge.source_ids)}; "
                    "expected two or more distinct ones",
                    code="sources",
                    subject=subject,
                )
            )
    elif len(edge.source_ids) != 1:
        found.append(
            Problem(
                f"{edge.op.value} has {len(edge.source_ids)} sources; expected one",
                code="sources",
                subject=subject,
            )
        )
    if edge.op is Op.PROJECTION:
        if not (edge.relation or "").strip():
            found.append(
                Problem("projection without a relation", code="no_relation", subject=subject)
            )
    elif (edge.relation or "").strip():
        found.append(
            Problem(
                f"{edge.op.value} has relation {edge.relation!r}; expected none",
                code="relation_on_set",
                subject=subject,
            )
        )
    return found
