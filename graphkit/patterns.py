"""Structure of question graphs: canonical form, signature, depth, shape."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from graphkit.evidence import nfc
from graphkit.normalize import normalize
from graphkit.operations import Op
from graphkit.question import Edge, QuestionGraph

__all__ = [
    "PATTERNS",
    "Shape",
    "canonical_key",
    "canonical_text",
    "conjunct_texts",
    "shape",
    "signature",
]

PATTERNS: dict[str, str] = {
    "p(a)": "1p",
    "p(p(a))": "2p",
    "p(p(p(a)))": "3p",
    "i(p(a),p(a))": "2i",
    "i(p(a),p(a),p(a))": "3i",
    "p(i(p(a),p(a)))": "ip",
    "i(p(a),p(p(a)))": "pi",
    "i(n(p(a)),p(a))": "2in",
    "i(n(p(a)),p(a),p(a))": "3in",
    "p(i(n(p(a)),p(a)))": "inp",
    "i(n(p(a)),p(p(a)))": "pin",
    "i(n(p(p(a))),p(a))": "pni",
    "u(p(a),p(a))": "2u",
    "p(u(p(a),p(a)))": "up",
}
"""Structure -> its name in the literature on logical queries (BetaE, query2box)."""

_LONG = 4096
_QUOTE = '"'
_MARKS = '&()[]",|*#'


def canonical_text(graph: QuestionGraph) -> str:
    """Return the graph as a nested expression, equal for graphs that ask the same thing.

    Ids, labels, the order of sources and sharing of nodes do not show: a node is a set, so a
    shared one equals its copies. Names of anchors, relations, directions and types do; a type
    that another conjunct implies does not, see :func:`settled_types`. Parts that would be very
    long are given by their hash.

    >>> from graphkit.question import Edge, Node, QuestionGraph
    >>> graph = QuestionGraph(root_node_id="n1", nodes=[
    ...     Node(node_id="n0", known_entities=["France"]), Node(node_id="n1", entity_type="city")],
    ...     edges=[Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...                 relation="capital", direction="forward")])
    >>> canonical_text(graph)
    'city&p[capital>]("France")'
    """
    return _render(normalize(graph), named=True)


def canonical_key(graph: QuestionGraph) -> str:
    """Return a short hash of the canonical form; two questions with the same key are the same.

    Returns:
        32 hexadecimal digits.
    """
    return hashlib.sha256(canonical_text(graph).encode()).hexdigest()[:32]


def signature(graph: QuestionGraph) -> str:
    """Return the structure: 1p, 2p, 3p, 2i, 3i, ip, pi, 2in, 3in, inp, pin, pni, 2u, up.

    Any other structure is its canonical string: ``a`` anchor, ``*`` free, ``p`` projection, ``i``
    intersection, ``n`` complement, ``u`` union. Union written as the complement of an
    intersection of complements counts as union.
    """
    structure = _render(normalize(graph), named=False)
    return PATTERNS.get(structure, structure)


def conjunct_texts(graph: QuestionGraph) -> dict[str, str]:
    """Return the canonical text of every node of a graph in normal form."""
    done = _texts(graph, settled_types(graph, alone=True), named=True)
    return {node_id: done[node_id, _NOTHING] for node_id in graph.order}


Types = frozenset[str]
_NOTHING: Types = frozenset()


def settled_types(
    graph: QuestionGraph, *, alone: bool = False
) -> dict[str, dict[Types, tuple[tuple[str, ...], Types]]]:
    """Say where the types of a graph in normal form constrain, and where they repeat themselves.

    The type of one conjunct holds for all of them, and what is removed from a typed set need not
    be typed again: T and (T and A) and not (T and B) is T and A and not B. Which types are
    written on which of those nodes is an accident of how the graph was made.

    Args:
        graph: A graph in normal form, see :func:`graphkit.normalize.normalize`.
        alone: Also read every node as a set of its own, with nothing implied.

    Returns:
        node id -> types implied by what is around it -> (the types that the node adds to those,
        sorted; the types implied for its sources). Nothing is implied for the root.
    """
    held: dict[str, Types] = {}
    for node_id in graph.order:
        held[node_id] = _held_types(graph, node_id, held)
    found: dict[str, dict[Types, tuple[tuple[str, ...], Types]]] = {
        node_id: {} for node_id in graph.order
    }
    asked: dict[str, dict[Types, None]] = {
        node_id: {_NOTHING: None} if alone or node_id == graph.root_node_id else {}
        for node_id in graph.order
    }
    for node_id in reversed(graph.order):
        for implied in asked[node_id]:
            inner = implied | held[node_id]
            found[node_id][implied] = (tuple(sorted(held[node_id] - implied)), inner)
            for edge in graph.incoming[node_id]:
                for source in edge.source_ids:
                    asked[source][_NOTHING if edge.op is Op.PROJECTION else inner] = None
    return found


def _held_types(graph: QuestionGraph, node_id: str, held: dict[str, Types]) -> Types:
    """The types that all members of a node are known to have, by it and by its sources."""
    own = graph.nodes_by_id[node_id].entity_type
    types = _NOTHING if own is None else frozenset({own})
    for edge in graph.incoming[node_id]:
        sources = [held[source] for source in edge.source_ids]
        if edge.op is Op.INTERSECTION:
            types = types.union(*sources)
        elif edge.op is Op.UNION:
            types = types.union(frozenset.intersection(*sources))
    return types


def _render(graph: QuestionGraph, *, named: bool) -> str:
    return _texts(graph, settled_types(graph), named=named)[graph.root_node_id, _NOTHING]


def _texts(
    graph: QuestionGraph,
    settled: dict[str, dict[Types, tuple[tuple[str, ...], Types]]],
    *,
    named: bool,
) -> dict[tuple[str, Types], str]:
    """The text of each node for the types that may be implied around it."""
    done: dict[tuple[str, Types], str] = {}
    lists: dict[tuple[str, Types], tuple[Op, list[str]]] = {}
    for node_id in graph.order:
        names = graph.nodes_by_id[node_id].known_entities
        edge = next(iter(graph.incoming[node_id]), None)
        for implied, (shown, inner) in settled[node_id].items():
            op, parts = None, ["*"]
            if names:
                parts = [_render_names(names) if named else "a"]
            elif edge is not None and edge.op in (Op.INTERSECTION, Op.UNION):
                op, parts = _operands(edge, done, lists, inner, named)
            elif edge is not None:
                inside = done[edge.source_ids[0], inner if edge.op is Op.COMPLEMENT else _NOTHING]
                parts = [_render_edge(edge, inside, named)]
            if named and len(shown) > 1:
                extra = [f"{_escape(kind, _MARKS)}&*" for kind in shown[1:]]
                body = parts if op in (None, Op.INTERSECTION) else [_shorten(_listed(op, parts))]
                op, parts = Op.INTERSECTION, [part for part in body if part != "*"] + extra
            if op is not None and not shown:
                lists[node_id, implied] = (op, parts)
            text = _listed(op, parts)
            if named and shown:
                text = f"{_escape(shown[0], _MARKS)}&{text}"
            done[node_id, implied] = _shorten(text)
    return done


def _operands(
    edge: Edge,
    done: dict[tuple[str, Types], str],
    lists: dict[tuple[str, Types], tuple[Op, list[str]]],
    inner: Types,
    named: bool,
) -> tuple[Op | None, list[str]]:
    """What an intersection or union consists of; one inside another is spliced in."""
    found: list[tuple[Op | None, list[str]]] = []
    for source in edge.source_ids:
        op, parts = lists.get((source, inner), (None, [done[source, inner]]))
        if named and edge.op is Op.INTERSECTION and parts == ["*"]:
            continue
        found.append((op, parts))
    if len(found) == 1:
        return found[0]
    if not found:
        return None, ["*"]
    flat = [
        part
        for op, parts in found
        for part in (parts if op in (None, edge.op) else [_shorten(_listed(op, parts))])
    ]
    return edge.op, flat


def _listed(op: Op | None, parts: list[str]) -> str:
    if op is None:
        return parts[0]
    return f"{'i' if op is Op.INTERSECTION else 'u'}({','.join(sorted(parts))})"


def _render_names(names: tuple[str, ...]) -> str:
    return "|".join(f'"{_escape(name, _QUOTE)}"' for name in sorted({nfc(name) for name in names}))


def _shorten(text: str) -> str:
    if len(text) <= _LONG:
        return text
    return "#" + hashlib.sha256(text.encode()).hexdigest()


def _escape(text: str, marks: str) -> str:
    """Return a name as it stands in the canonical text, where none may look like syntax."""
    return "".join("\\" + sign if sign in marks or sign == "\\" else sign for sign in text)


def _render_edge(edge: Edge, inner: str, named: bool) -> str:
    """A projection or a complement of a text."""
    if edge.op is Op.PROJECTION:
        arrow = ">" if edge.reads.value == "forward" else "<"
        mark = f"[{_escape(nfc(edge.relation or ''), ']')}{arrow}]" if named else ""
        return f"p{mark}({inner})"
    if not named and inner.startswith("i(") and _all_negated(inner):
        return "u(" + ",".join(part[2:-1] for part in _split(inner[2:-1])) + ")"
    return f"n({inner})"


def _split(text: str) -> list[str]:
    """Split the arguments of an expression at its outer commas."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def _all_negated(text: str) -> bool:
    return all(part.startswith("n(") for part in _split(text[2:-1]))


@dataclass(frozen=True, slots=True)
class Shape:
    """Counts over the normal form of a graph.

    Attributes:
        nodes: Number of nodes.
        edges: Number of edges.
        ops: Number of edges by operation.
        hops: Number of projections.
        depth: The most projections on a way from a source to the root.
        anchors: Number of nodes with known entities.
        tree: ``chain`` without an intersection, else ``left-deep`` when its intersections lie
            rather at the anchors (ip), ``right-deep`` when rather at the answer (pi), else
            ``balanced`` (2i): hops to the answer are held against hops below the one to an anchor.
        signature: The structure, see :func:`signature`.
    """

    nodes: int
    edges: int
    ops: dict[str, int]
    hops: int
    depth: int
    anchors: int
    tree: str
    signature: str


def shape(graph: QuestionGraph) -> Shape:
    """Count what a graph consists of, on its normal form."""
    normal = normalize(graph)
    below: dict[str, int] = {}
    for node_id in normal.order:
        below[node_id] = max(
            (
                below[source] + (edge.op is Op.PROJECTION)
                for edge in normal.incoming[node_id]
                for source in edge.source_ids
            ),
            default=0,
        )
    above = {normal.root_node_id: 0}
    for node_id in reversed(normal.order):
        for edge in normal.incoming[node_id]:
            step = above[node_id] + (edge.op is Op.PROJECTION)
            for source in edge.source_ids:
                above[source] = max(above.get(source, 0), step)
    ops = {op.value: 0 for op in (Op.PROJECTION, Op.INTERSECTION, Op.COMPLEMENT)}
    for edge in normal.edges:
        ops[edge.op.value] = ops.get(edge.op.value, 0) + 1
    lean = sum(
        _sign(above[edge.target_id] - max(below[edge.target_id] - 1, 0))
        for edge in normal.edges
        if edge.op is Op.INTERSECTION
    )
    if not ops[Op.INTERSECTION.value]:
        tree = "chain"
    else:
        tree = "balanced" if lean == 0 else "left-deep" if lean > 0 else "right-deep"
    return Shape(
        nodes=len(normal.nodes),
        edges=len(normal.edges),
        ops=ops,
        hops=ops[Op.PROJECTION.value],
        depth=below[normal.root_node_id],
        anchors=len(normal.anchors),
        tree=tree,
        signature=signature(graph),
    )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
