"""BetaE's nested tuples as set expressions and back; the grammar stands in betae."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphkit.errors import FormatError, Problem, UnsupportedError
from graphkit.formats.expressions import MAX_DEPTH, Expression
from graphkit.formats.reading import kind_of
from graphkit.operations import Direction

__all__ = ["expression_of_query", "print_query"]

_NOT = ("n", -2)
_UNION = ("u", -1)


def expression_of_query(
    data: Any, entities: Mapping[str, str], relations: Mapping[str, str]
) -> Expression:
    """Return nested tuples or lists as a set expression.

    Args:
        data: The query.
        entities: What entity ids stand for.
        relations: What relation ids stand for.

    Raises:
        FormatError: It is no query.
    """
    return _Reader(entities, relations).query(data, 0)


class _Reader:
    def __init__(self, entities: Mapping[str, str], relations: Mapping[str, str]) -> None:
        self.entities = entities
        self.relations = relations

    def query(self, data: Any, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise _problem(f"more than {MAX_DEPTH} tuples inside one another")
        if not isinstance(data, list | tuple) or len(data) < 2:
            raise _problem(f"found {_told(data)}, expected (entity, chain) or a tuple of queries")
        *body, last = data
        if _is_atom(body[0]):
            if len(body) != 1 or not _is_chain(last):
                raise _problem(f"found {_told(data)}, expected (entity, (relations))")
            start = Expression("e", names=(self._name(body[0], self.entities),))
            return self._chain(start, last, depth)
        if _is_chain(last):
            if len(last) == 1 and _is_mark(last[0], _UNION):
                if len(body) < 2:
                    raise _problem("a union of one query, expected two or more")
                return Expression("u", tuple(self.query(item, depth + 1) for item in body))
            if len(body) != 1:
                raise _problem("a chain of relations behind several queries, expected one")
            return self._chain(self.query(body[0], depth + 1), last, depth)
        return Expression("i", tuple(self.query(item, depth + 1) for item in data))

    def _chain(self, found: Expression, steps: Sequence[Any], depth: int) -> Expression:
        if depth + len(steps) > MAX_DEPTH:
            raise _problem(f"a chain of {len(steps)} steps, expected at most {MAX_DEPTH}")
        for step in steps:
            if _is_mark(step, _NOT):
                found = Expression("n", (found,))
                continue
            if _is_mark(step, _UNION):
                raise _problem("u stands in a chain of relations, expected it alone")
            name = self._name(step, self.relations)
            direction = Direction.FORWARD
            if name[:1] in ("+", "-") and len(name) > 1:
                direction = Direction.FORWARD if name[0] == "+" else Direction.BACKWARD
                name = name[1:]
            found = Expression("p", (found,), (name,), direction)
        return found

    @staticmethod
    def _name(atom: Any, names: Mapping[str, str]) -> str:
        name = names.get(str(atom), str(atom))
        if not name.strip():
            raise _problem("a blank name")
        return name


def _is_atom(data: Any) -> bool:
    return isinstance(data, str | int) and not isinstance(data, bool)


def _is_chain(data: Any) -> bool:
    return isinstance(data, list | tuple) and all(map(_is_atom, data))


def _is_mark(data: Any, marks: tuple[str, int]) -> bool:
    return type(data) in (str, int) and data in marks


def _told(data: Any) -> str:
    if isinstance(data, list | tuple):
        return f"a tuple of {len(data)}"
    return kind_of(data)


def _problem(message: str) -> FormatError:
    return FormatError(Problem(message, code="betae_syntax"))


def print_query(expression: Expression) -> str:
    """Return a set expression as nested tuples with names.

    Raises:
        UnsupportedError: It holds types or all entities, which the tuples have no word for.
    """
    return repr(_query(expression))


def _query(expression: Expression) -> Any:
    if expression.op == "e":
        ways = [(name, ()) for name in expression.names]
        return ways[0] if len(ways) == 1 else (*ways, ("u",))
    if expression.op in ("t", "*"):
        what = "entity types" if expression.op == "t" else "nodes without any condition"
        raise UnsupportedError(
            Problem(f"cannot carry {what}", code="unsupported", subject="format betae")
        )
    if expression.op == "i":
        return tuple(_query(part) for part in expression.parts)
    if expression.op == "u":
        parts = [_query(part) for part in expression.parts]
        return (*parts, ("u",)) if len(parts) > 1 else parts[0]
    steps: list[str] = []
    while expression.op in ("p", "n"):
        if expression.op == "n":
            steps.append("n")
        else:
            sign = "+" if expression.direction is Direction.FORWARD else "-"
            steps.append(sign + expression.names[0])
        expression = expression.parts[0]
    steps.reverse()
    if expression.op == "e" and len(expression.names) == 1:
        return (expression.names[0], tuple(steps))
    return (_query(expression), tuple(steps))
