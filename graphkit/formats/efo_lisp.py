"""The LISP-like spelling of EFO-1 queries, and the nested JSON of EFO-1-QA; grammar: see efo."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphkit.errors import FormatError, Problem
from graphkit.formats.efo_tokens import Tokens, bare
from graphkit.formats.expressions import MAX_DEPTH, Expression
from graphkit.formats.reading import kind_of
from graphkit.operations import Direction

__all__ = ["expression_of_data", "is_lisp", "parse_lisp", "print_lisp"]

_START = re.compile(r"\s*\(\s*(?:[epniuIUdDt]\s*[,)]|\*\s*\))")
_SETS = {"i": "i", "I": "i", "u": "u", "U": "u", "d": "d", "D": "d", "n": "n"}


def is_lisp(text: str) -> bool:
    """Whether a text begins as the LISP-like spelling does."""
    return _START.match(text) is not None


def parse_lisp(text: str, grounding: Mapping[str, str]) -> Expression:
    """Read a query in the LISP-like spelling.

    Args:
        text: The query.
        grounding: What names stand for.

    Raises:
        FormatError: It breaks the grammar.
    """
    reader = _Reader(Tokens(text), grounding)
    found = reader.set()
    reader.tokens.end()
    return found


class _Reader:
    def __init__(self, tokens: Tokens, grounding: Mapping[str, str]) -> None:
        self.tokens = tokens
        self.grounding = grounding
        self.open = {"r": 0, "s": 0}

    def set(self) -> Expression:
        self.tokens.expect("(")
        return self._set()

    def _set(self) -> Expression:
        """Read a set of which the opening bracket is taken."""
        tokens = self.tokens
        tokens.deeper(1)
        op = tokens.required("one of e, p, n, i, u, d, t, *")
        found: Expression
        if op == "e":
            found = Expression("e", names=self._names() or (self._left_open("s"),))
        elif op == "t":
            tokens.expect(",")
            found = Expression("t", names=(self._name("a type"),))
        elif op == "*":
            found = Expression("*")
        elif op == "p":
            tokens.expect(",")
            found = self._projection()
        elif op in _SETS:
            found = self._operation(_SETS[op])
        else:
            raise _problem(f"op {op!r} is not one of e, p, n, i, u, d, t, *")
        tokens.expect(")")
        tokens.deeper(-1)
        return found

    def _names(self) -> tuple[str, ...]:
        found = []
        while self.tokens.sign(","):
            inner = self.tokens.sign("(")
            found.append(self._name("an entity"))
            if inner:
                self.tokens.expect(")")
        return tuple(found)

    def _name(self, what: str) -> str:
        name = self.tokens.required(what)
        return self.grounding.get(name, name)

    def _left_open(self, letter: str) -> str:
        self.open[letter] += 1
        name = f"{letter}{self.open[letter]}"
        return self.grounding.get(name, name)

    def _projection(self) -> Expression:
        tokens = self.tokens
        name = tokens.name()
        direction = Direction.FORWARD
        if name is not None:
            relation = self.grounding.get(name, name)
        else:
            tokens.expect("(")
            first = tokens.required("a relation")
            if first in ("r", "-r"):
                direction = Direction.FORWARD if first == "r" else Direction.BACKWARD
                relation = self._name("a relation") if tokens.sign(",") else self._left_open("r")
                tokens.expect(")")
            elif first not in ("e", "*") and tokens.sign(")"):
                relation = self.grounding.get(first, first)
            else:  # the set of "(p," set ")": its bracket and letter are taken
                tokens.back()
                relation = self._left_open("r")
                return Expression("p", (self._set(),), (relation,))
        tokens.expect(",")
        return Expression("p", (self.set(),), (relation,), direction)

    def _operation(self, op: str) -> Expression:
        parts = []
        while self.tokens.sign(","):
            parts.append(self.set())
        if len(parts) != 1 if op == "n" else len(parts) < 2:
            expected = "one" if op == "n" else "2 or more"
            raise _problem(f"{op} has {len(parts)} sets, expected {expected}")
        if op == "d":
            return Expression("i", (parts[0], *(Expression("n", (part,)) for part in parts[1:])))
        return Expression(op, tuple(parts))


def print_lisp(expression: Expression) -> str:
    """Return an expression in the LISP-like spelling."""
    if expression.op in ("e", "t", "*"):
        return f"({','.join((expression.op, *map(bare, expression.names)))})"
    parts = [print_lisp(part) for part in expression.parts]
    if expression.op == "p":
        letter = "r" if expression.direction is Direction.FORWARD else "-r"
        parts.insert(0, f"({letter},{bare(expression.names[0])})")
    return f"({expression.op},{','.join(parts)})"


def expression_of_data(data: Any) -> list[Expression]:
    """Read the nested JSON of EFO-1-QA, in which lists of ids hold one id for each query.

    Args:
        data: An object with ``o``, the operation, and ``a``, its arguments.

    Raises:
        FormatError: It is not that.

    >>> france = {"o": "e", "a": [7, 8]}
    >>> [item.parts[0].names for item in expression_of_data({"o": "p", "a": [[1, 2], france]})]
    [('7',), ('8',)]
    """
    count = _count(data, 0)
    return [_instance(data, number) for number in range(count)]


def _count(data: Any, depth: int) -> int:
    """Check the data and return how many queries it holds."""
    if depth > MAX_DEPTH:
        raise _problem(f"more than {MAX_DEPTH} objects inside one another")
    if not isinstance(data, dict) or set(data) != {"o", "a"}:
        raise _problem(f"found {kind_of(data)}, expected an object with o and a")
    op, items = data["o"], data["a"]
    if not isinstance(op, str):
        raise _problem(f"o is {kind_of(op)}, expected an operation")
    if op == "n" and isinstance(items, dict):
        return _count(items, depth + 1)
    if not isinstance(items, list):
        raise _problem(f"a of {op} is {kind_of(items)}, expected a list")
    if op == "e":
        return _ids(items)
    if op == "p" and len(items) == 2:
        counts = {_ids(items[0]), _count(items[1], depth + 1)}
    elif op in _SETS and len(items) >= (1 if op == "n" else 2):
        counts = {_count(item, depth + 1) for item in items}
    else:
        raise _problem(f"o {op!r} with {len(items)} arguments is not an operation")
    if len(counts) != 1:
        raise _problem("lists of ids of different lengths")
    return counts.pop()


def _ids(items: Any) -> int:
    if not isinstance(items, list) or not all(isinstance(item, str | int) for item in items):
        raise _problem(f"found {kind_of(items)}, expected a list of ids")
    if not items:
        raise _problem("an empty list of ids: the query type is not grounded")
    return len(items)


def _instance(data: Any, number: int) -> Expression:
    op, items = data["o"], data["a"]
    if op == "e":
        return Expression("e", names=(str(items[number]),))
    if op == "p":
        return Expression("p", (_instance(items[1], number),), (str(items[0][number]),))
    inner = [items] if isinstance(items, dict) else items
    parts = tuple(_instance(item, number) for item in inner)
    if _SETS[op] == "d":
        return Expression("i", (parts[0], *(Expression("n", (part,)) for part in parts[1:])))
    return Expression(_SETS[op], parts)


def _problem(message: str) -> FormatError:
    return FormatError(Problem(message, code="efo_syntax"))
