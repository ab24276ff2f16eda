"""Question graphs as nested terms: what the English writer reads and the English parser builds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from graphkit.evidence import nfc
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.patterns import settled_types
from graphkit.question import Edge, Node, QuestionGraph

__all__ = [
    "Term",
    "anchor",
    "combination",
    "complement",
    "free",
    "graph_of",
    "projection",
    "term_of",
    "with_type",
]

_LONG = 4096


@dataclass(frozen=True, slots=True)
class Term:
    """A set of entities, said by what it is made from; equal texts are equal sets.

    Attributes:
        op: The operation, or None for an anchor or a free set.
        type: The type that all members have.
        names: The names of an anchor.
        relation: The relation of a projection.
        direction: Its direction.
        parts: The sources.
        slot: For an anchor that was read as a bare name: the type that its place gives it, which
            holds when the question reads anchors as typed.
        text: The term as a nested expression, hashed where it would be very long.
    """

    op: Op | None = field(compare=False)
    type: str | None = field(default=None, compare=False)
    names: tuple[str, ...] = field(default=(), compare=False)
    relation: str = field(default="", compare=False)
    direction: Direction = field(default=Direction.FORWARD, compare=False)
    parts: tuple[Term, ...] = field(default=(), compare=False, repr=False)
    slot: str | None = field(default=None, compare=False)
    text: str = ""


def _made(
    op: Op | None,
    kind: str | None,
    body: str,
    *,
    names: tuple[str, ...] = (),
    relation: str = "",
    direction: Direction = Direction.FORWARD,
    parts: tuple[Term, ...] = (),
    slot: str | None = None,
) -> Term:
    text = body if kind is None else f"{kind}&{body}"
    if slot is not None:
        text = f"?{slot}&{text}"
    if len(text) > _LONG:
        text = "#" + hashlib.sha256(text.encode()).hexdigest()
    return Term(op, kind, names, relation, direction, parts, slot, text)


def anchor(names: Iterable[str], kind: str | None = None, slot: str | None = None) -> Term:
    """Return the set of the entities with any of these names."""
    kept = tuple(sorted({nfc(name) for name in names}))
    quoted = (name.replace("\\", "\\\\").replace('"', '\\"') for name in kept)
    body = "|".join(f'"{name}"' for name in quoted)
    return _made(None, kind, body, names=kept, slot=slot)


def free(kind: str | None = None) -> Term:
    """Return the set of all entities, or of all of a type."""
    return _made(None, kind, "*")


def projection(relation: str, direction: Direction, part: Term, kind: str | None = None) -> Term:
    """Return what a relation leads to from the members of a set."""
    relation = nfc(relation)
    arrow = ">" if direction is Direction.FORWARD else "<"
    body = f"p[{relation}{arrow}]({part.text})"
    return _made(Op.PROJECTION, kind, body, relation=relation, direction=direction, parts=(part,))


def complement(part: Term, kind: str | None = None) -> Term:
    """Return everything that is not in a set."""
    return _made(Op.COMPLEMENT, kind, f"n({part.text})", parts=(part,))


def combination(op: Op, parts: Iterable[Term], kind: str | None = None) -> Term:
    """Return the intersection or union of some sets; one inside another is spliced in."""
    flat = (
        item
        for part in parts
        for item in (part.parts if part.op is op and part.type is None else (part,))
    )
    kept = tuple(sorted(flat, key=lambda part: part.text))
    letter = "i" if op is Op.INTERSECTION else "u"
    return _made(op, kind, f"{letter}({','.join(part.text for part in kept)})", parts=kept)


def with_type(term: Term, kind: str | None) -> Term:
    """Return a term of another type, or of none."""
    if term.type == kind and term.slot is None:
        return term
    if term.op is None:
        return anchor(term.names, kind) if term.names else free(kind)
    if term.op is Op.PROJECTION:
        return projection(term.relation, term.direction, term.parts[0], kind)
    if term.op is Op.COMPLEMENT:
        return complement(term.parts[0], kind)
    return combination(term.op, term.parts, kind)


def term_of(graph: QuestionGraph) -> Term:
    """Return the term of a graph; its text is the canonical text of the graph.

    >>> graph = QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["France"]), Node(node_id="x", entity_type="city")],
    ...     edges=[Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
    ...                 relation="capital", direction="forward")])
    >>> term_of(graph).text
    'city&p[capital>]("France")'
    """
    normal = normalize(graph)
    done: dict[tuple[str, frozenset[str]], Term] = {}
    settled = settled_types(normal)
    for node_id in normal.order:
        names = normal.nodes_by_id[node_id].known_entities
        edge = next(iter(normal.incoming[node_id]), None)
        for implied, (shown, inner) in settled[node_id].items():
            if edge is None:
                term = anchor(names) if names else free()
            elif edge.op is Op.PROJECTION:
                part = done[edge.source_ids[0], frozenset()]
                term = projection(edge.relation or "", edge.reads, part)
            elif edge.op is Op.COMPLEMENT:
                term = complement(done[edge.source_ids[0], inner])
            else:
                term = _joined(edge.op, [done[source, inner] for source in edge.source_ids])
            if len(shown) > 1:
                term = _joined(Op.INTERSECTION, [term, *map(free, shown[1:])])
            done[node_id, implied] = with_type(term, shown[0] if shown else None)
    return done[normal.root_node_id, frozenset()]


def _joined(op: Op, parts: list[Term]) -> Term:
    """An intersection or union; what says nothing in an intersection is left out."""
    if op is Op.INTERSECTION:
        parts = [part for part in parts if part.text != "*"] or [free()]
    return parts[0] if len(parts) == 1 else combination(op, parts)


def graph_of(term: Term, *, question: str = "", typed_anchors: bool = False) -> QuestionGraph:
    """Return the graph of a term; equal parts become one node.

    Args:
        term: The answer set.
        question: The text of the question.
        typed_anchors: Whether bare names have the type of their place.
    """
    draft = _Draft(typed_anchors)
    root = draft.node_id(term)
    nodes = [
        node.model_copy(update={"is_root": True}) if node.node_id == root else node
        for node in draft.nodes
    ]
    return QuestionGraph(
        question=question, root_node_id=root, nodes=tuple(nodes), edges=tuple(draft.edges)
    )


@dataclass(eq=False)
class _Draft:
    """The nodes and edges of a graph while it is built from a term."""

    typed_anchors: bool
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def node_id(self, term: Term) -> str:
        """The id of the node of a term; nodes for it and for what it is made from are added."""
        for part in _postorder(term, self.known):
            self.known[part.text] = self._add(part)
        return self.known[term.text]

    def _add(self, term: Term) -> str:
        node_id = f"n{len(self.nodes)}"
        kind = term.type
        if term.slot is not None and self.typed_anchors:
            kind = term.slot
        self.nodes.append(
            Node(
                node_id=node_id,
                label=" or ".join(term.names) or term.type or "",
                known_entities=term.names,
                entity_type=kind,
            )
        )
        if term.op is not None:
            sources: list[str] = []
            for part in term.parts:
                known = self.known[part.text]
                sources.append(self._add(part) if known in sources else known)
            self.edges.append(
                Edge(
                    edge_id=f"e{len(self.edges)}",
                    source_ids=tuple(sources),
                    target_id=node_id,
                    op=term.op,
                    relation=term.relation or None,
                    direction=term.direction if term.op is Op.PROJECTION else None,
                )
            )
        return node_id


def _postorder(term: Term, known: dict[str, str]) -> Iterator[Term]:
    """Yield the terms that are not known yet, parts before wholes, each once."""
    seen: set[str] = set()
    stack = [(term, False)]
    while stack:
        item, entered = stack.pop()
        if item.text in known or (not entered and item.text in seen):
            continue
        if entered:
            yield item
            continue
        seen.add(item.text)
        stack.append((item, True))
        stack.extend((part, False) for part in reversed(item.parts))
