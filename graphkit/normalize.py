"""The normal form of a question graph: what checks, counts and patterns are defined on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from graphkit.operations import Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.structure import topological

__all__ = ["normalize"]


@dataclass(eq=False)
class _Draft:
    """A graph while it is rewritten; ids that are made up never meet existing ones."""

    nodes: dict[str, Node]
    incoming: dict[str, list[Edge]]
    edge_ids: set[str] = field(default_factory=set)

    def new_node_id(self, stem: str) -> str:
        return next(name for name in _names(stem) if name not in self.nodes)

    def new_edge_id(self, stem: str) -> str:
        name = next(name for name in _names(stem) if name not in self.edge_ids)
        self.edge_ids.add(name)
        return name


def _names(stem: str) -> Iterator[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem}{number}"
        number += 1


def normalize(graph: QuestionGraph) -> QuestionGraph:
    """Return the normal form: same answers, every node with at most one conjunct beside its type.

    Implicit intersections become explicit ones over new nodes; intersections (and unions) of
    intersections (and unions) are flattened; what cannot reach the root is dropped. A node takes
    over the type of what is flattened into it; where types differ, the others become free nodes
    of that type among its sources. Ids of what stays are kept, so the normal form of a normal
    form is itself. Complements are left as they are.

    >>> from graphkit.question import Edge, Node, QuestionGraph
    >>> graph = QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["A"]), Node(node_id="b", known_entities=["B"]),
    ...     Node(node_id="x")], edges=[
    ...     Edge(edge_id="e0", source_ids=["a"], target_id="x", op="projection", relation="r"),
    ...     Edge(edge_id="e1", source_ids=["b"], target_id="x", op="projection", relation="s")])
    >>> [(e.edge_id, e.op.value, e.source_ids) for e in normalize(graph).edges]
    [('x:and', 'intersection', ('x:e0', 'x:e1')), ('e0', 'projection', ('a',)),
     ('e1', 'projection', ('b',))]
    """
    kept = graph.__dict__.get(_KEPT)
    if isinstance(kept, _Kept) and kept.graph is graph:
        return kept.normal
    normal = graph if _is_normal(graph) else _normalized(graph)
    graph.__dict__[_KEPT] = _Kept(graph, normal)
    normal.__dict__[_KEPT] = _Kept(normal, normal)
    return normal


_KEPT = "_normal_form"  # beside the cached properties of a graph: neither ever changes


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """A normal form and whose it is: a copy with other fields must not take it over."""

    graph: QuestionGraph
    normal: QuestionGraph


def _is_normal(graph: QuestionGraph) -> bool:
    """Whether nothing needs to be rewritten; a graph of which this is not certain is rewritten."""
    if len(graph.relevant) < len(graph.nodes):
        return False
    for node in graph.nodes:
        edges = graph.incoming[node.node_id]
        if len(edges) + bool(node.known_entities) > 1:
            return False
        for edge in edges:
            if edge.op in (Op.INTERSECTION, Op.UNION) and any(
                inner.op is edge.op
                for source in edge.source_ids
                for inner in graph.incoming[source]
            ):
                return False
    return True


def _normalized(graph: QuestionGraph) -> QuestionGraph:
    draft = _Draft(
        {node.node_id: node for node in graph.nodes},
        {node_id: list(edges) for node_id, edges in graph.incoming.items()},
        {edge.edge_id for edge in graph.edges},
    )
    for node_id in graph.order:
        _make_explicit(draft, node_id)
    edges = [edge for found in draft.incoming.values() for edge in found]
    order, _ = topological(list(draft.nodes.values()), edges)
    for node_id in order:
        _flatten(draft, node_id)
    return _rebuilt(graph, draft)


def _make_explicit(draft: _Draft, node_id: str) -> None:
    node, edges = draft.nodes[node_id], draft.incoming[node_id]
    if len(edges) + bool(node.known_entities) < 2:
        return
    sources: list[str] = []
    kept_id = None
    for edge in edges:
        if edge.op is Op.INTERSECTION:
            kept_id = kept_id or edge.edge_id
            sources.extend(edge.source_ids)
            continue
        part = draft.new_node_id(f"{node_id}:{edge.edge_id}")
        draft.nodes[part] = Node(node_id=part, label=node.label)
        draft.incoming[part] = [edge.model_copy(update={"target_id": part})]
        sources.append(part)
    if node.known_entities:
        part = draft.new_node_id(f"{node_id}:known")
        draft.nodes[part] = Node(node_id=part, label=node.label, known_entities=node.known_entities)
        draft.incoming[part] = []
        sources.append(part)
        draft.nodes[node_id] = node.model_copy(update={"known_entities": ()})
    draft.incoming[node_id] = [
        Edge(
            edge_id=kept_id or draft.new_edge_id(f"{node_id}:and"),
            source_ids=tuple(dict.fromkeys(sources)),
            target_id=node_id,
            op=Op.INTERSECTION,
        )
    ]


def _flatten(draft: _Draft, node_id: str) -> None:
    edges = draft.incoming[node_id]
    if not edges or edges[0].op not in (Op.INTERSECTION, Op.UNION):
        return
    edge = edges[0]
    sources: list[str] = []
    kinds: set[str] = set()
    for source in edge.source_ids:
        inner = draft.incoming[source]
        kind = draft.nodes[source].entity_type
        if not inner or inner[0].op is not edge.op or (edge.op is Op.UNION and kind is not None):
            sources.append(source)
            continue
        sources.extend(inner[0].source_ids)
        if kind is not None:
            kinds.add(kind)
    sources.extend(_typed(draft, node_id, kinds))
    draft.incoming[node_id] = [
        edge.model_copy(update={"source_ids": tuple(dict.fromkeys(sources))})
    ]


def _typed(draft: _Draft, node_id: str, kinds: set[str]) -> Iterator[str]:
    """Give a node the type of what was flattened into it; a second type is a node of its own."""
    node = draft.nodes[node_id]
    if kinds and node.entity_type is None:
        node = draft.nodes[node_id] = node.model_copy(update={"entity_type": min(kinds)})
    for kind in sorted(kinds - {node.entity_type}):
        part = draft.new_node_id(f"{node_id}:type")
        draft.nodes[part] = Node(node_id=part, entity_type=kind)
        draft.incoming[part] = []
        yield part


def _rebuilt(graph: QuestionGraph, draft: _Draft) -> QuestionGraph:
    keep = {graph.root_node_id}
    stack = [graph.root_node_id]
    while stack:
        for edge in draft.incoming[stack.pop()]:
            for source in edge.source_ids:
                if source not in keep:
                    keep.add(source)
                    stack.append(source)
    return graph.replace(
        nodes=tuple(node for node in draft.nodes.values() if node.node_id in keep),
        edges=tuple(
            edge for node_id, found in draft.incoming.items() if node_id in keep for edge in found
        ),
    )
