"""Sets of entities with a complement flag, so that a complement never lists the universe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["EMPTY", "UNIVERSE", "EntitySet", "Ids", "as_ids"]

Ids = npt.NDArray[np.int32]
"""Entity numbers of a fact store: int32, ascending, without repetition."""


def as_ids(numbers: Iterable[int]) -> Ids:
    """Return numbers as a sorted array without repetition."""
    return distinct(np.fromiter(numbers, dtype=np.int32))


def distinct(numbers: Ids) -> Ids:
    """Return an array sorted and without repetition; ``np.unique`` without its overhead."""
    if len(numbers) < 2:
        return numbers
    ordered = numbers.copy()
    ordered.sort()
    keep = np.empty(len(ordered), dtype=np.bool_)
    keep[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=keep[1:])
    found: Ids = ordered[keep]
    return found


def is_in(items: Ids, table: Ids) -> npt.NDArray[np.bool_]:
    """Say for each of ``items`` whether the sorted ``table`` holds it."""
    if not len(table):
        return np.zeros(len(items), dtype=np.bool_)
    # What lies behind the end is compared with the last entry, which is smaller.
    found: npt.NDArray[np.bool_] = table.take(table.searchsorted(items), mode="clip") == items
    return found


def _common(left: Ids, right: Ids) -> Ids:
    if len(left) > len(right):
        left, right = right, left
    return left[is_in(left, right)]


def _minus(left: Ids, right: Ids) -> Ids:
    if not len(right):
        return left
    return left[~is_in(left, right)]


def _either(left: Ids, right: Ids) -> Ids:
    if not len(left):
        return right
    if not len(right):
        return left
    return distinct(np.concatenate((left, right)))


@dataclass(frozen=True, slots=True, eq=False)
class EntitySet:
    """A set of entities of one fact store, or everything but such a set.

    Attributes:
        ids: The members, or with ``complemented`` the ones left out; sorted int32.
        complemented: Whether ``ids`` names what is *not* in the set.

    >>> a, b = EntitySet.of([1, 2, 3]), EntitySet.of([2])
    >>> (a & ~b).ids.tolist(), (~a & ~b).complemented
    ([1, 3], True)
    """

    ids: Ids
    complemented: bool = False

    @classmethod
    def of(cls, numbers: Iterable[int], *, complemented: bool = False) -> EntitySet:
        """Return the set of these entity numbers, in any order."""
        return cls(as_ids(numbers), complemented)

    def __and__(self, other: EntitySet) -> EntitySet:
        if self.complemented:
            if other.complemented:
                return EntitySet(_either(self.ids, other.ids), True)
            return EntitySet(_minus(other.ids, self.ids))
        if other.complemented:
            return EntitySet(_minus(self.ids, other.ids))
        return EntitySet(_common(self.ids, other.ids))

    def __or__(self, other: EntitySet) -> EntitySet:
        return ~(~self & ~other)

    def __invert__(self) -> EntitySet:
        return EntitySet(self.ids, not self.complemented)

    def __contains__(self, number: int) -> bool:
        place = int(self.ids.searchsorted(number))
        found = place < len(self.ids) and int(self.ids[place]) == number
        return found != self.complemented

    def size(self, universe: int) -> int:
        """Return how many entities are in the set, given how many there are in all."""
        return universe - len(self.ids) if self.complemented else len(self.ids)

    def same_form(self, other: EntitySet) -> bool:
        """Whether both are written alike; sets written alike are equal in every universe."""
        return (
            self.complemented == other.complemented
            and len(self.ids) == len(other.ids)
            and bool(np.array_equal(self.ids, other.ids))
        )

    def equals(self, other: EntitySet, universe: int) -> bool:
        """Whether both hold the same entities, in a universe of this many."""
        if self.complemented == other.complemented:
            return self.same_form(other)
        return len(self.ids) + len(other.ids) == universe and not len(_common(self.ids, other.ids))

    def digest(self) -> tuple[bool, bytes]:
        """Return a hashable value that is equal for sets written alike."""
        return self.complemented, self.ids.tobytes()


EMPTY = EntitySet(np.zeros(0, dtype=np.int32))
"""The empty set."""

UNIVERSE = EntitySet(np.zeros(0, dtype=np.int32), True)
"""Everything: the complement of the empty set, the value of a free node."""
