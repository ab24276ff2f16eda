"""Conditions over variables, and the question graph that means the same, wherever there is one.

SPARQL, first-order formulas and WebShaper speak of *variables*: one individual that meets several
conditions. A question graph speaks of *sets*. Both mean the same exactly when the conditions form
a forest rooted at the answer variable: then each variable hands on nothing but its set. So here a
variable is reached once. Constants may be reached as often as one likes, for a constant is the
same individual everywhere. What is no forest is refused by name:

==================== =============================================================================
code                 what it is
==================== =============================================================================
cyclic               the same individual would have to meet two paths
correlated_negation  a negated part that speaks of two variables from outside
disconnected         a part that shares no variable and no constant with the rest: a yes-or-no test
unbound_answer       no positive condition speaks of the answer
too_many_alternatives unions over several variables at once that multiply beyond a bound
==================== =============================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphkit.errors import UnsupportedError
from graphkit.formats.conditions import (
    Among,
    AnyOf,
    Atom,
    Chain,
    Condition,
    Constant,
    Group,
    Hop,
    Not,
    OfType,
    Path,
    Term,
    Variable,
    attached,
    distributed,
    label_of,
    refusal,
    settled,
    shown,
    terms,
    turned,
    variables,
)
from graphkit.formats.drafting import Draft, Part
from graphkit.operations import Op
from graphkit.question import QuestionGraph

__all__ = ["graph_of"]


def graph_of(group: Group, answer: Variable, /, **fields: Any) -> QuestionGraph:
    """Return the question graph whose answers are the values of a variable in a group.

    Args:
        group: The conditions.
        answer: The variable that is asked for.
        **fields: Further fields of the graph: id, question, answer and so on.

    Raises:
        UnsupportedError: No question graph means the same; the problem's code says why.

    >>> x, y = Variable("x"), Variable("y")
    >>> graph = graph_of(Group((Atom(y, Hop("capital"), x),
    ...                         Atom(y, Hop("member of"), Constant("NATO")))), x)
    >>> from graphkit.patterns import canonical_text
    >>> canonical_text(graph)
    'p[capital>](p[member of<]("NATO"))'
    """
    for pinned in (False, True):
        draft = Draft(pinned=pinned)
        try:
            root = _group_node(draft, group, answer, top=True)
        except UnsupportedError:
            if pinned:
                raise
            continue  # perhaps a variable on a cycle has only one value
        break
    return draft.graph(root, **fields)


def _group_node(draft: Draft, group: Group, root: Term, *, top: bool = False) -> str:
    """Return the node that holds the values of a term in a group."""
    conditions, moved = settled(group, root, pinned=draft.pinned)
    ends: dict[str, None] = {}
    for found in distributed(conditions, moved):
        if top and isinstance(moved, Variable) and not _speaks_of(found, moved):
            raise refusal("unbound_answer", f"no positive condition speaks of {shown(moved)}")
        ends[_Forest(draft, found, moved).grow(named=moved != root)] = None
    if len(ends) == 1:
        return next(iter(ends))
    return draft.node(label_of(moved), [Part.of(Op.UNION, *ends)])


def _speaks_of(conditions: Sequence[Condition], term: Variable) -> bool:
    return any(term.name in variables(item) for item in conditions if not isinstance(item, Not))


def _along(draft: Draft, path: Path, source: str, label: str) -> Part:
    """Return what a path from a node contributes to the node at its end."""
    if isinstance(path, Hop):
        return Part.projection(path.relation, path.direction, source)
    if isinstance(path, Chain):
        for step in path.parts[:-1]:
            source = draft.node(label, [_along(draft, step, source, label)])
        return _along(draft, path.parts[-1], source, label)
    ends = [draft.node(label, [_along(draft, part, source, label)]) for part in path.parts]
    return Part.of(Op.UNION, *ends)


@dataclass(frozen=True, slots=True)
class _Later:
    """The contribution of a place whose node is made later."""

    path: Path
    inner: int


class _Forest:
    """The conditions of one group without unions over several variables, and who was reached.

    Places are numbered as they are reached and made into nodes at the end, since a constant may
    still get conditions of its own while the rest grows.
    """

    def __init__(self, draft: Draft, conditions: Sequence[Condition], root: Term) -> None:
        self.draft = draft
        self.root = root
        self.left: dict[int, Condition] = dict(enumerate(conditions))
        self.at: dict[Term, list[int]] = {}
        for place, item in self.left.items():
            for term in attached(item, conditions, root):
                self.at.setdefault(term, []).append(place)
        self.reached: set[Term] = set()
        self.open: list[tuple[Term, int]] = []
        self.constants: list[tuple[Term, int]] = []
        self.parts: list[list[Part | _Later]] = []
        self.labels: list[str] = []

    def grow(self, *, named: bool) -> str:
        """Grow from the root, all variables first, then what hangs on constants.

        Args:
            named: Whether the name of a root that is a constant is said here, and not around.
        """
        top = self._place(self.root)
        if not named:
            self.parts[top].clear()
        seen = 0
        while self.open or seen < len(self.constants):
            if self.open:
                term, number = self.open.pop()
            else:
                term, number = self.constants[seen]
                seen += 1
            for place in self.at.get(term, ()):
                if place in self.left and not self._left_to_other(place, term):
                    self._hang(place, term, number)
        if self.left:
            names = {term: None for item in self.left.values() for term in terms(item)}
            told = ", ".join(shown(term) for term in list(names)[:4])
            raise refusal(
                "disconnected", f"what is said of {told} is not connected to {shown(self.root)}"
            )
        return self._made(top)

    def _place(self, term: Term) -> int:
        """Number a new place; what is said of its term is followed later."""
        number = len(self.labels)
        self.labels.append(label_of(term))
        self.parts.append([])
        if isinstance(term, Constant):
            self.parts[number].append(Part.names(term.name))
            if term.kind is not None:
                self.parts[number].append(Part.type(term.kind))
        if term not in self.reached:
            self.reached.add(term)
            (self.open if isinstance(term, Variable) else self.constants).append((term, number))
        return number

    def _hang(self, place: int, term: Term, number: int) -> None:
        """Give a place one of the conditions on its term."""
        item = self.left.pop(place)
        parts = self.parts[number]
        if isinstance(item, Atom):
            parts.append(self._followed(item, term))
        elif isinstance(item, Among):
            parts.extend(_names(self.draft, item))
        elif isinstance(item, OfType):
            parts.append(Part.type(item.name))
        elif isinstance(item, Not):
            parts.append(Part.of(Op.COMPLEMENT, _group_node(self.draft, item.group, term)))
        elif isinstance(item, AnyOf):
            ends = [_group_node(self.draft, group, term) for group in item.groups]
            parts.append(Part.of(Op.UNION, *ends))

    def _left_to_other(self, place: int, term: Term) -> bool:
        """Whether a condition on a constant is one on a variable that is open already."""
        item = self.left[place]
        if not isinstance(item, Atom) or isinstance(term, Variable):
            return False
        other = item.object if item.subject == term else item.subject
        return isinstance(other, Variable) and other in self.reached

    def _followed(self, atom: Atom, term: Term) -> _Later:
        path, other = atom.path, atom.subject
        if atom.subject == term:
            path, other = turned(atom.path), atom.object
        if isinstance(other, Variable) and other in self.reached:
            told = (
                f"{shown(term)} is joined to itself"
                if other == term
                else f"{shown(other)} and {shown(term)} are joined in two ways"
            )
            raise refusal("cyclic", f"{told}, so that the same individual would have to meet both")
        return _Later(path, self._place(other))

    def _made(self, top: int) -> str:
        """Make the nodes, the later places first: those that a place needs have higher numbers."""
        nodes: dict[int, str] = {}
        for number in range(len(self.labels) - 1, top - 1, -1):
            label = self.labels[number]
            found = [
                _along(self.draft, part.path, nodes[part.inner], label)
                if isinstance(part, _Later)
                else part
                for part in self.parts[number]
            ]
            nodes[number] = self.draft.node(label, found)
        return nodes[top]


def _names(draft: Draft, item: Among) -> list[Part]:
    """The conjuncts that say that a term is one of some values; literals have their types."""
    kinds = dict.fromkeys(value.kind for value in item.values)
    ways = []
    for kind in kinds:
        parts = [Part.names(*(value.name for value in item.values if value.kind == kind))]
        ways.append(parts if kind is None else [*parts, Part.type(kind)])
    if len(ways) == 1:
        return ways[0]
    return [Part.of(Op.UNION, *(draft.node(label_of(item.term), way) for way in ways))]
