"""Conditions over variables, as SPARQL, first-order formulas and WebShaper state them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from graphkit.errors import Problem, UnsupportedError
from graphkit.operations import Direction

__all__ = [
    "Among",
    "AnyOf",
    "Atom",
    "Chain",
    "Condition",
    "Constant",
    "Either",
    "Group",
    "Hop",
    "Not",
    "OfType",
    "Path",
    "Same",
    "Term",
    "Variable",
    "attached",
    "distributed",
    "label_of",
    "refusal",
    "renamed",
    "settled",
    "shown",
    "terms",
    "turned",
    "variables",
]

MAX_ALTERNATIVES = 64
"""The most groups that unions over several variables may multiply to."""


@dataclass(frozen=True, slots=True)
class Variable:
    """An individual that is asked for, or that must only exist."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """An individual given by name.

    Attributes:
        name: Its name or id.
        kind: The type of a literal: date, number, year.
    """

    name: str
    kind: str | None = None


Term = Variable | Constant
"""What stands at the end of an atom."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One relation, read from its heads to its tails or back."""

    relation: str
    direction: Direction = Direction.FORWARD


@dataclass(frozen=True, slots=True)
class Chain:
    """Paths one after the other."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Any of some paths."""

    parts: tuple[Path, ...]


Path = Hop | Chain | Either
"""What leads from the subject of an atom to its object."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A path leads from one term to another."""

    subject: Term
    path: Path
    object: Term


@dataclass(frozen=True, slots=True)
class Among:
    """A term is one of some individuals."""

    term: Term
    values: tuple[Constant, ...]


@dataclass(frozen=True, slots=True)
class OfType:
    """A term is of a type."""

    term: Term
    name: str


@dataclass(frozen=True, slots=True)
class Same:
    """Two terms are the same individual."""

    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Not:
    """A group has no solution; variables that occur only in it are its own."""

    group: Group


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of some groups has a solution."""

    groups: tuple[Group, ...]


Condition = Atom | Among | OfType | Same | Not | AnyOf
"""One conjunct of a group."""


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions that hold together; variables beside the answer must only exist."""

    conditions: tuple[Condition, ...]


def turned(path: Path) -> Path:
    """Return a path read the other way round.

    >>> turned(Chain((Hop("a"), Hop("b")))).parts[0]
    Hop(relation='b', direction=<Direction.BACKWARD: 'backward'>)
    """
    if isinstance(path, Hop):
        return Hop(path.relation, path.direction.reverse)
    if isinstance(path, Chain):
        return Chain(tuple(turned(part) for part in reversed(path.parts)))
    return Either(tuple(turned(part) for part in path.parts))


def variables(item: Group | Condition) -> frozenset[str]:
    """Return the names of all variables, at any depth."""
    return frozenset(term.name for term in terms(item) if isinstance(term, Variable))


def terms(item: Group | Condition) -> Iterable[Term]:
    """Return all terms of a condition, at any depth."""
    if isinstance(item, Group):
        return itertools.chain.from_iterable(map(terms, item.conditions))
    if isinstance(item, Atom):
        return (item.subject, item.object)
    if isinstance(item, Among | OfType):
        return (item.term,)
    if isinstance(item, Same):
        return (item.left, item.right)
    if isinstance(item, Not):
        return terms(item.group)
    return itertools.chain.from_iterable(map(terms, item.groups))


def shown(term: Term) -> str:
    """Return a term as problems show it."""
    return f"?{term.name}" if isinstance(term, Variable) else f'"{term.name}"'


def label_of(term: Term) -> str:
    """Return a term as the label of its node."""
    return term.name


def refusal(code: str, message: str) -> UnsupportedError:
    """Return the error for conditions that no question graph can state."""
    return UnsupportedError(Problem(message, code=code))


def renamed(group: Group, names: Mapping[Variable, Term]) -> Group:
    """Replace variables, at any depth."""
    return Group(tuple(_renamed(item, names) for item in group.conditions))


def _renamed(item: Condition, names: Mapping[Variable, Term]) -> Condition:
    def term(old: Term) -> Term:
        return names.get(old, old) if isinstance(old, Variable) else old

    if isinstance(item, Atom):
        return replace(item, subject=term(item.subject), object=term(item.object))
    if isinstance(item, Among | OfType):
        return replace(item, term=term(item.term))
    if isinstance(item, Same):
        return replace(item, left=term(item.left), right=term(item.right))
    if isinstance(item, Not):
        return Not(renamed(item.group, names))
    return AnyOf(tuple(renamed(group, names) for group in item.groups))


def settled(group: Group, root: Term, *, pinned: bool) -> tuple[list[Condition], Term]:
    """Replace variables that are equal to something; return the conditions and the root then.

    Args:
        group: The conditions.
        root: The term that is asked for.
        pinned: Whether a variable that has only one value is replaced by it, too.

    Raises:
        UnsupportedError: Two constants are said to be equal.
    """
    conditions = list(dict.fromkeys(group.conditions))
    while True:
        alone = [item for item in conditions if isinstance(item, AnyOf) and len(item.groups) == 1]
        if alone:
            conditions.remove(alone[0])
            conditions += alone[0].groups[0].conditions
            continue
        found = _equality(conditions, pinned)
        if found is None:
            return list(dict.fromkeys(conditions)), root
        item, old, new = found
        root = new if old == root else root
        conditions.remove(item)
        conditions = [_renamed(other, {old: new}) for other in conditions]


def _equality(
    conditions: Sequence[Condition], pinned: bool
) -> tuple[Condition, Variable, Term] | None:
    """Return a condition that says that a variable is the same as another term."""
    among = Counter(item.term for item in conditions if isinstance(item, Among))
    for item in conditions:
        if isinstance(item, Same):
            if isinstance(item.left, Variable):
                return item, item.left, item.right
            if isinstance(item.right, Variable):
                return item, item.right, item.left
            raise refusal("disconnected", "an equality of two constants is a yes-or-no test")
        if not (pinned and isinstance(item, Among) and isinstance(item.term, Variable)):
            continue
        if len(item.values) == 1 and among[item.term] == 1:
            return item, item.term, item.values[0]
    return None


def distributed(conditions: Sequence[Condition], root: Term) -> list[list[Condition]]:
    """Multiply out the unions that speak of several variables from outside.

    Raises:
        UnsupportedError: There would be more than :data:`MAX_ALTERNATIVES`.
    """
    done: list[list[Condition]] = []
    todo = [list(conditions)]
    while todo:
        if len(todo) + len(done) > MAX_ALTERNATIVES:
            raise refusal(
                "too_many_alternatives",
                f"unions over several variables multiply to more than {MAX_ALTERNATIVES} cases",
            )
        found = todo.pop()
        union = next((item for item in found if _is_spread(item, found, root)), None)
        if not isinstance(union, AnyOf):
            done.append(found)
            continue
        rest = [item for item in found if item is not union]
        todo += [[*rest, *group.conditions] for group in reversed(union.groups)]
    return done


def _is_spread(item: Condition, conditions: Sequence[Condition], root: Term) -> bool:
    if not isinstance(item, AnyOf):
        return False
    around = _around(item, conditions, root)
    shared = [variables(group) & around for group in item.groups]
    return any(len(found) != 1 or found != shared[0] for found in shared) and any(shared)


def _around(item: Condition, conditions: Sequence[Condition], root: Term) -> frozenset[str]:
    """The variables that surround a union or a negation."""
    found = {root.name} if isinstance(root, Variable) else set()
    for other in conditions:
        if other is not item and not (isinstance(item, Not) and isinstance(other, Not)):
            found |= variables(other)
    return frozenset(found)


def attached(item: Condition, conditions: Sequence[Condition], root: Term) -> frozenset[Term]:
    """Return the terms from which a condition can be reached.

    Args:
        item: One of the conditions.
        conditions: All conditions of the group, multiplied out.
        root: The term that is asked for.

    Raises:
        UnsupportedError: A negation speaks of two variables from outside.
    """
    if not isinstance(item, Not | AnyOf):
        return frozenset(terms(item))
    if not any(True for _ in terms(item)):
        return frozenset({root})  # always true, or never
    shared = variables(item) & _around(item, conditions, root)
    if len(shared) > 1:
        told = " and ".join(f"?{name}" for name in sorted(shared))
        raise refusal(
            "correlated_negation",
            f"a negated part speaks of {told} at once, so that which pairs it removes matters",
        )
    if shared:
        return frozenset(map(Variable, shared))
    groups = item.groups if isinstance(item, AnyOf) else (item.group,)
    held = [frozenset(t for t in terms(group) if isinstance(t, Constant)) for group in groups]
    return frozenset[Term]().union(frozenset.intersection(*held))
