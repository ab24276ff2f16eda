"""Set expressions: a question graph written out as a tree, as BetaE and EFO notations do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graphkit.errors import Problem, UnsupportedError
from graphkit.formats.drafting import Draft, Part
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["MAX_DEPTH", "Expression", "expression_of", "graph_of_expression"]

MAX_DEPTH = 200
"""The most expressions inside one another."""

MAX_PARTS = 5000
"""The most parts that an expression may have once shared nodes are written out."""

_OPS = {"n": Op.COMPLEMENT, "i": Op.INTERSECTION, "u": Op.UNION}
_LETTERS = {op: letter for letter, op in _OPS.items()}


@dataclass(frozen=True, slots=True)
class Expression:
    """A set of entities.

    Attributes:
        op: ``e`` any of some names, ``t`` a type, ``*`` all entities, ``p`` a projection, ``n`` a
            complement, ``i`` an intersection, ``u`` a union.
        parts: The sets that it is made of.
        names: The names of ``e``, the type of ``t``, the relation of ``p``.
        direction: Which way a projection reads its relation.
    """

    op: str
    parts: tuple[Expression, ...] = ()
    names: tuple[str, ...] = ()
    direction: Direction = Direction.FORWARD


def graph_of_expression(expression: Expression, **fields: Any) -> QuestionGraph:
    """Return an expression as a question graph.

    Args:
        expression: The expression, at most :data:`MAX_DEPTH` deep.
        **fields: Further fields of the graph.

    >>> spain = Expression("e", names=("Spain",))
    >>> graph = graph_of_expression(Expression("p", (spain,), ("capital",)))
    >>> [edge.relation for edge in graph.edges]
    ['capital']
    """
    draft = Draft()
    return draft.graph(_drafted(draft, expression), **fields)


def _drafted(draft: Draft, expression: Expression) -> str:
    return draft.node(_label(expression), _parts(draft, expression))


def _parts(draft: Draft, expression: Expression) -> list[Part]:
    if expression.op == "e":
        return [Part.names(*expression.names)]
    if expression.op == "t":
        return [Part.type(expression.names[0])]
    if expression.op == "*":
        return []
    if expression.op == "p":
        source = _drafted(draft, expression.parts[0])
        return [Part.projection(expression.names[0], expression.direction, source)]
    if expression.op == "i":
        return [item for part in expression.parts for item in _parts(draft, part)]
    sources = [_drafted(draft, part) for part in expression.parts]
    return [Part.of(_OPS[expression.op], *sources)]


def _label(expression: Expression) -> str:
    if expression.op == "e":
        return " or ".join(expression.names)
    return expression.names[0] if expression.names else ""


def expression_of(graph: QuestionGraph) -> Expression:
    """Return a question graph as an expression; nodes that are shared are written out.

    Raises:
        UnsupportedError: It would be too long or too deep.
    """
    normal = normalize(graph)
    found: dict[str, Expression] = {}
    sizes: dict[str, tuple[int, int]] = {}
    for node_id in normal.order:
        node = normal.nodes_by_id[node_id]
        parts = [_edge(edge, found) for edge in normal.incoming[node_id]]
        sources = [s for edge in normal.incoming[node_id] for s in edge.source_ids]
        if node.known_entities:
            parts.append(Expression("e", names=node.known_entities))
        if node.entity_type is not None:
            parts.append(Expression("t", names=(node.entity_type,)))
        found[node_id] = _all_of(parts)
        size = 1 + len(parts) + sum(sizes[source][0] for source in sources)
        depth = 2 + max((sizes[source][1] for source in sources), default=0)
        sizes[node_id] = size, depth
        if size > MAX_PARTS or depth > MAX_DEPTH:
            raise UnsupportedError(
                Problem(
                    f"written out it has more than {MAX_PARTS} parts or is deeper than {MAX_DEPTH}",
                    code="too_long",
                    subject=f"node {node_id}",
                )
            )
    return found[normal.root_node_id]


def _edge(edge: Edge, found: dict[str, Expression]) -> Expression:
    sources = [found[source] for source in edge.source_ids]
    if edge.op is Op.PROJECTION:
        return Expression("p", tuple(sources), (edge.relation or "",), edge.reads)
    if edge.op is Op.INTERSECTION:
        return _all_of(sources)
    return Expression(_LETTERS[edge.op], tuple(sources))


def _all_of(parts: Sequence[Expression]) -> Expression:
    flat: Iterable[Expression] = (
        inner for part in parts for inner in (part.parts if part.op == "i" else (part,))
    )
    kept = [part for part in dict.fromkeys(flat) if part.op != "*"]
    if not kept:
        return Expression("*")
    return kept[0] if len(kept) == 1 else Expression("i", tuple(kept))
