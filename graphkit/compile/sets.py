"""A question graph as one positive set expression: how its answers are made, without complements.

Query languages can subtract a set from another but not from everything. Here complements are
pushed outward at compile time, exactly as :class:`graphkit.entity_set.EntitySet` does it with
values, until every one stands beside a positive set. What remains has four forms: entities given
by key, entities of a type, a projection, and *all of these and none of those*.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from graphkit.errors import Problem, UnsafeGraphError, UnsupportedError
from graphkit.facts import FactStore
from graphkit.grounding import Grounding
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["AllOf", "AnyOf", "Given", "OfType", "Project", "SetExpr", "Universe", "set_expression"]

MAX_PIECES = 2000
"""The most pieces that an expression may have once shared nodes are written out."""


@dataclass(frozen=True, eq=False)
class Given:
    """Entities by their keys."""

    keys: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class OfType:
    """All entities of a type."""

    name: str


@dataclass(frozen=True, eq=False)
class Universe:
    """All entities."""


@dataclass(frozen=True, eq=False)
class Project:
    """The projection of a set, or with ``outside`` of everything but that set."""

    relation: str
    direction: Direction
    source: SetExpr
    outside: bool


@dataclass(frozen=True, eq=False)
class AllOf:
    """What is in all of ``wanted`` and in none of ``unwanted``; ``wanted`` is not empty."""

    wanted: tuple[SetExpr, ...]
    unwanted: tuple[SetExpr, ...]


@dataclass(frozen=True, eq=False)
class AnyOf:
    """What is in any of the members; without members the empty set."""

    members: tuple[SetExpr, ...]


SetExpr = Given | OfType | Universe | Project | AllOf | AnyOf


@dataclass(frozen=True, eq=False)
class _Value:
    """A set or, complemented, everything but it."""

    body: SetExpr
    complemented: bool = False

    def __invert__(self) -> _Value:
        return _Value(self.body, not self.complemented)

    def __and__(self, other: _Value) -> _Value:
        if self.complemented and other.complemented:
            return _Value(AnyOf((*_members(self.body), *_members(other.body))), True)
        if self.complemented:
            return other & self
        wanted, unwanted = _parts(self.body)
        if other.complemented:
            return _Value(_all_of(wanted, (*unwanted, *_members(other.body))))
        more_wanted, more_unwanted = _parts(other.body)
        return _Value(_all_of((*wanted, *more_wanted), (*unwanted, *more_unwanted)))

    def __or__(self, other: _Value) -> _Value:
        if not self.complemented and not other.complemented:
            return _Value(AnyOf((*_members(self.body), *_members(other.body))))
        return ~(~self & ~other)


_NOTHING = AnyOf(())
_EVERYTHING = _Value(_NOTHING, True)


def _members(body: SetExpr) -> tuple[SetExpr, ...]:
    return body.members if isinstance(body, AnyOf) else (body,)


def _parts(body: SetExpr) -> tuple[tuple[SetExpr, ...], tuple[SetExpr, ...]]:
    if isinstance(body, AllOf):
        return body.wanted, body.unwanted
    return (body,), ()


def _all_of(wanted: tuple[SetExpr, ...], unwanted: tuple[SetExpr, ...]) -> SetExpr:
    wanted, unwanted = _distinct(wanted), _distinct(unwanted)
    if len(wanted) == 1 and not unwanted:
        return wanted[0]
    return AllOf(wanted, unwanted)


def _distinct(parts: Iterable[SetExpr]) -> tuple[SetExpr, ...]:
    return tuple({id(part): part for part in parts}.values())


def set_expression(
    graph: QuestionGraph,
    facts: FactStore,
    grounding: Grounding,
    *,
    materialize_universe: bool = False,
) -> SetExpr:
    """Return how the answers of a graph are made, as a positive set expression.

    Args:
        graph: The graph, in normal form or not.
        facts: The facts that it was grounded on; only names are read.
        grounding: How its names and relations are read.
        materialize_universe: Accept a root that is a complement: all entities but some.

    Raises:
        UnsafeGraphError: The root is a complement, and ``materialize_universe`` is not set.
        UnsupportedError: Nodes are shared so often that the expression would be too long.
    """
    values: dict[str, _Value] = {}
    sizes: dict[int, int] = {}
    for node_id in graph.order:
        if node_id not in graph.relevant:
            continue
        value = _node_value(graph, facts, grounding, node_id, values)
        values[node_id] = value
        if _size(value.body, sizes) > MAX_PIECES:
            raise UnsupportedError(
                Problem(
                    f"nodes are shared so often that the query would have more than "
                    f"{MAX_PIECES} parts; use the engine memory",
                    code="too_long",
                    subject=f"node {node_id}",
                )
            )
    root = values[graph.root_node_id]
    if not root.complemented:
        return root.body
    if not materialize_universe:
        raise UnsafeGraphError(
            Problem(
                "the answers are the complement of a set (all entities but some); "
                "expected a positive condition beside it",
                code="unsafe_complement",
                subject=f"node {graph.root_node_id}",
            )
        )
    return _all_of((Universe(),), _members(root.body))


def _size(body: SetExpr, sizes: dict[int, int]) -> int:
    """Count the pieces of an expression with everything shared written out."""
    known = sizes.get(id(body))
    if known is not None:
        return known
    parts: tuple[SetExpr, ...] = ()
    if isinstance(body, Project):
        parts = (body.source,)
    elif isinstance(body, AllOf):
        parts = (*body.wanted, *body.unwanted)
    elif isinstance(body, AnyOf):
        parts = body.members
    size = sizes[id(body)] = 1 + sum(_size(part, sizes) for part in parts)
    return size


def _node_value(
    graph: QuestionGraph,
    facts: FactStore,
    grounding: Grounding,
    node_id: str,
    values: dict[str, _Value],
) -> _Value:
    node = graph.nodes_by_id[node_id]
    parts: list[_Value] = []
    if node.known_entities:
        ids = grounding.anchor_set(node_id).ids.tolist()
        parts.append(_Value(Given(tuple(facts.entity(number).key for number in ids))))
    if node.entity_type is not None:
        parts.append(_Value(OfType(node.entity_type)))
    parts.extend(_edge_value(edge, facts, grounding, values) for edge in graph.incoming[node_id])
    return functools.reduce(_Value.__and__, parts) if parts else _EVERYTHING


def _edge_value(
    edge: Edge, facts: FactStore, grounding: Grounding, values: dict[str, _Value]
) -> _Value:
    if edge.op is Op.PROJECTION:
        relation = grounding.relations[edge.edge_id]
        source = values[edge.source_ids[0]]
        name = facts.relations[relation.number]
        return _Value(Project(name, relation.direction, source.body, source.complemented))
    if edge.op is Op.COMPLEMENT:
        return ~values[edge.source_ids[0]]
    sources = [values[source] for source in edge.source_ids]
    if edge.op is Op.UNION:
        return functools.reduce(_Value.__or__, sources)
    return functools.reduce(_Value.__and__, sources)
