"""First-order formulas of EFO-1 and EFOK as question graphs; the grammar stands in efo."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphkit.formats.conditions import (
    AnyOf,
    Atom,
    Condition,
    Constant,
    Group,
    Hop,
    Not,
    Term,
    Variable,
    refusal,
    variables,
)
from graphkit.formats.conjunctive import graph_of
from graphkit.formats.efo_tokens import Tokens
from graphkit.question import QuestionGraph

__all__ = ["graph_of_formula"]

_FREE = re.compile(r"f\d*")
_EXISTS = re.compile(r"e\d+")


@dataclass(frozen=True)
class _Formula:
    """A connective (&, |, !) over formulas, or an atom."""

    op: str
    parts: tuple[_Formula, ...] = ()
    atom: Atom | None = None


def graph_of_formula(text: str, grounding: Mapping[str, str], **fields: Any) -> QuestionGraph:
    """Return the question graph of a formula.

    Args:
        text: The formula.
        grounding: What names stand for.
        **fields: Further fields of the graph.

    Raises:
        FormatError: It breaks the grammar.
        UnsupportedError: No question graph says the same.
    """
    reader = _Reader(Tokens(text), grounding)
    formula = reader.either()
    reader.tokens.end()
    if len(reader.free) != 1:
        told = ", ".join(sorted(reader.free)) or "none"
        raise refusal("several_variables", f"expected one free variable, found {told}")
    group = Group((_condition(formula, positive=True),))
    _check_negations(group, frozenset(reader.free))
    return graph_of(group, Variable(reader.free.pop()), **fields)


class _Reader:
    def __init__(self, tokens: Tokens, grounding: Mapping[str, str]) -> None:
        self.tokens = tokens
        self.grounding = grounding
        self.free: set[str] = set()

    def either(self) -> _Formula:
        return self._joined("|", self._both)

    def _both(self) -> _Formula:
        return self._joined("&", self._single)

    def _joined(self, sign: str, read: Any) -> _Formula:
        self.tokens.deeper(1)
        parts = [read()]
        while self.tokens.sign(sign):
            parts.append(read())
        self.tokens.deeper(-1)
        return parts[0] if len(parts) == 1 else _Formula(sign, tuple(parts))

    def _single(self) -> _Formula:
        tokens = self.tokens
        if tokens.sign("!"):
            tokens.deeper(1)
            found = _Formula("!", (self._single(),))
            tokens.deeper(-1)
            return found
        if tokens.sign("("):
            found = self.either()
            tokens.expect(")")
            return found
        relation = tokens.required("a relation, ! or (")
        tokens.expect("(")
        subject = self._term()
        tokens.expect(",")
        object_ = self._term()
        tokens.expect(")")
        hop = Hop(self.grounding.get(relation, relation))
        return _Formula("", atom=Atom(subject, hop, object_))

    def _term(self) -> Term:
        name = self.tokens.required("a term")
        if name in self.grounding:
            return Constant(self.grounding[name])
        if _FREE.fullmatch(name):
            self.free.add(name)
            return Variable(name)
        return Variable(name) if _EXISTS.fullmatch(name) else Constant(name)


def _condition(formula: _Formula, *, positive: bool) -> Condition:
    """Return a formula, or its negation, with negations at the atoms only."""
    if formula.atom is not None:
        if positive:
            return formula.atom
        return Not(Group((formula.atom,)))
    if formula.op == "!":
        return _condition(formula.parts[0], positive=not positive)
    parts = tuple(_condition(part, positive=positive) for part in formula.parts)
    if (formula.op == "&") == positive:
        return AnyOf((Group(parts),))  # one group: all of it
    return AnyOf(tuple(Group((part,)) for part in parts))


def _check_negations(group: Group, around: frozenset[str]) -> None:
    """Refuse negations in which a variable would be read as bound inside them.

    Args:
        group: A part of the formula.
        around: Variables that atoms beside it speak of.
    """
    for item in group.conditions:
        if isinstance(item, AnyOf):
            for inner in item.groups:
                _check_negations(inner, around | _spoken_of(group, item))
            continue
        if not isinstance(item, Not):
            continue
        held = variables(item)
        if len(held) > 1:
            told = " and ".join(sorted(held))
            raise refusal(
                "correlated_negation",
                f"a negated atom speaks of {told} at once: of one pair, not of two sets",
            )
        loose = held - around - _spoken_of(group, item)
        if loose:
            raise refusal(
                "unbound_variable", f"no positive atom speaks of {min(loose)} beside a negated one"
            )


def _spoken_of(group: Group, item: Condition) -> frozenset[str]:
    """The variables that positive conditions beside one speak of in every case."""
    found: frozenset[str] = frozenset()
    for other in group.conditions:
        if other is not item:
            found |= _certain(other)
    return found


def _certain(item: Condition) -> frozenset[str]:
    if isinstance(item, Atom):
        return variables(item)
    if not isinstance(item, AnyOf):
        return frozenset()
    cases = [frozenset[str]().union(*map(_certain, inner.conditions)) for inner in item.groups]
    return frozenset.intersection(*cases)
