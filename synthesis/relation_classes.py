"""Classes of relation names that are one relation, straight or inverted, free of contradiction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphkit.relations import RelationSheet
from synthesis.relation_names import Pair, plain_spelling

__all__ = ["RelationClasses", "looks_symmetric"]

_FEW = 3
_MOSTLY = 0.9

Values = dict[str, set[str]]


class RelationClasses:
    """A union of names with orientation: every name is its root, straight or inverted.

    Args:
        pairs: Name in plain spelling -> the pairs of ends of its facts.
        sheet: The relation sheet.
    """

    def __init__(self, pairs: Mapping[str, Mapping[Pair, None]], sheet: RelationSheet) -> None:
        self._own = pairs
        self._entries = {plain_spelling(name): entry for name, entry in sheet.relations.items()}
        self._members: dict[str, list[tuple[str, bool]]] = {name: [(name, False)] for name in pairs}
        self._place: dict[str, tuple[str, bool]] = {name: (name, False) for name in pairs}

    def roots(self) -> tuple[str, ...]:
        """Return one name a class, in the order in which the names came."""
        return tuple(self._members)

    def root(self, name: str) -> str:
        """Return the root of a name; a new one is its own."""
        return self._at(name)[0]

    def members(self, name: str) -> tuple[tuple[str, bool], ...]:
        """Return the class of a name, each member with whether it is inverted to that name."""
        root, turned = self._at(name)
        return tuple((member, way != turned) for member, way in self._members[root])

    def pairs(self, root: str) -> Iterator[Pair]:
        """Yield the pairs of a class as its root reads them, perhaps more than once."""
        for member, turned in self._members[root]:
            for head, tail in self._own.get(member, ()):
                yield (tail, head) if turned else (head, tail)

    def join(
        self,
        one: str,
        other: str,
        inverted: bool,
        *,
        against: str | None = None,
        certain: bool = False,
    ) -> str | None:
        """Join the classes of two names, or say why not.

        Args:
            one: A name.
            other: Another, or the same.
            inverted: Whether head and tail change places between them.
            against: What else speaks against it.
            certain: Whether it holds whatever the facts say.

        Returns:
            None where the names were joined; an empty string where they are one relation already;
            else what contradicts it.
        """
        (root, turned), (onto, way) = self._at(one), self._at(other)
        flipped = turned ^ way ^ inverted
        if root == onto:
            if not flipped or self._symmetric(root):
                return ""
            return "the relation would be its own inverse"
        why = None if certain else against or self._contradiction(root, onto, flipped)
        if why is not None:
            return why
        first, second = sorted((root, onto), key=list(self._members).index)
        for member, inner in self._members.pop(second):
            self._members[first].append((member, inner ^ flipped))
            self._place[member] = (first, inner ^ flipped)
        return None

    def _at(self, name: str) -> tuple[str, bool]:
        if name not in self._place:
            self._place[name] = (name, False)
            self._members[name] = [(name, False)]
        return self._place[name]

    def _symmetric(self, root: str) -> bool:
        entries = (self._entries.get(member) for member, _ in self._members[root])
        said = any(entry is not None and entry.symmetric for entry in entries)
        return said or looks_symmetric(set(self.pairs(root)))

    def _contradiction(self, one: str, other: str, flipped: bool) -> str | None:
        if self._of_sheet(one) and self._of_sheet(other):
            return "the sheet has both names"
        for side in (0, 1):
            ours = _values(self.pairs(one), side)
            theirs = _values(self.pairs(other), side ^ flipped)
            both = ours.keys() & theirs.keys()
            others = sum(1 for key in both if ours[key].isdisjoint(theirs[key]))
            end = ("tails", "heads")[side]
            said = self._said_single(one, side) or self._said_single(other, side ^ flipped)
            if said and others:
                return f"the sheet calls it functional, and {others} have other {end}"
            if _single(ours) and _single(theirs) and others > len(both) - others:
                return f"mostly one fact each, and {others} of {len(both)} have other {end}"
        return None

    def _of_sheet(self, root: str) -> bool:
        return any(member in self._entries for member, _ in self._members[root])

    def _said_single(self, root: str, side: int) -> bool:
        """Whether the sheet says that an end has one other end: heads, for side 0."""
        return any(
            self._entries[member].functional and side == int(turned)
            for member, turned in self._members[root]
            if member in self._entries
        )


def looks_symmetric(pairs: set[Pair]) -> bool:
    """Whether facts are mostly there in both directions, wherever both ends have facts.

    >>> ring = [("a", "b"), ("b", "c"), ("c", "a")]
    >>> looks_symmetric({*ring, *((tail, head) for head, tail in ring)}), looks_symmetric({*ring})
    (True, False)
    """
    heads = {head for head, _ in pairs}
    there = [pair for pair in pairs if pair[1] in heads]
    back = sum(1 for head, tail in there if (tail, head) in pairs)
    return len(there) >= _FEW and back >= _MOSTLY * len(there)


def _values(pairs: Iterator[Pair], side: int) -> Values:
    """Return one end -> the other ends; side 0 takes heads for the one end."""
    found: Values = {}
    for pair in pairs:
        found.setdefault(pair[side], set()).add(pair[1 - side])
    return found


def _single(values: Values) -> bool:
    """Whether ends mostly have one other end, as far as the evidence goes."""
    alone = sum(1 for others in values.values() if len(others) == 1)
    return len(values) >= _FEW and alone >= _MOSTLY * len(values)
