"""Many sets of entities side by side in one array: taking them out, joining and comparing them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphkit.entity_set import Ids

__all__ = ["Counts", "Pool", "Room", "Sets", "places_of"]

Counts = npt.NDArray[np.int64]
"""Places and sizes."""

_TABLE_BYTES = 1 << 20
"""A table of marks should stay in the processor's second-level cache."""

_CHUNK = 1 << 17
"""So many members are unfolded at a time."""

_SPARSE = 32
"""A set with fewer members than a 32nd of all entities is sorted, a larger one is marked."""


_SEARCH = 12
"""A set that is so many times larger than the one compared with it is searched, not marked."""


def places_of(begins: Counts, sizes: Counts) -> Counts:
    """Return the places begin, begin + 1, ... of many slices, one slice after the other.

    >>> places_of(np.array([7, 2]), np.array([2, 3])).tolist()
    [7, 8, 2, 3, 4]
    """
    if not len(sizes):
        return np.zeros(0, dtype=np.int64)
    ends = np.cumsum(sizes)
    shift = begins - ends
    shift += sizes
    places: Counts = np.repeat(shift, sizes)
    places += np.arange(int(ends[-1]))
    return places


@dataclass(frozen=True, slots=True)
class Sets:
    """Many sets, one after the other.

    Attributes:
        values: The members, sorted within each set.
        sizes: How many members each set has.
    """

    values: Ids
    sizes: Counts


@dataclass(eq=False)
class Pool:
    """A growing array of members; a set is a slice of it.

    Attributes:
        values: The array; what is in use of it never changes.
        used: How much of it is in use.
    """

    values: Ids
    used: int = field(default=0)

    @classmethod
    def starting_with(cls, values: Ids) -> Pool:
        """Return a pool that begins with these values."""
        room = np.empty(max(2 * len(values), 1 << 16), dtype=np.int32)
        room[: len(values)] = values
        return cls(room, len(values))

    def add(self, values: Ids) -> int:
        """Put values at the end; return where they begin."""
        begin, end = self.used, self.used + len(values)
        if end > len(self.values):
            room = np.empty(max(2 * len(self.values), end), dtype=np.int32)
            room[:begin] = self.values[:begin]
            self.values = room
        self.values[begin:end] = values
        self.used = end
        return begin

    def add_sets(self, sets: Sets) -> Counts:
        """Put sets at the end; return where each begins."""
        begin = self.add(sets.values)
        begins: Counts = begin + np.cumsum(sets.sizes) - sets.sizes
        return begins

    def take(self, begins: Counts, sizes: Counts) -> Ids:
        """Return the members of many slices, one after the other."""
        return self.values[places_of(begins, sizes)]


class Room:
    """Works on many sets at a time, over entities below a fixed number.

    A member of set q is written as the key ``q << bits | member``. Large sets are marked in a
    table of one byte a key, small ones are sorted.

    Args:
        entities: How many entities there are.
    """

    def __init__(self, entities: int) -> None:
        self.bits = max(1, (entities - 1).bit_length())
        self.width = 1 << self.bits
        self.rows = max(1, _TABLE_BYTES >> self.bits)
        self._most_keys = 1 << (31 - self.bits)
        self._marks = np.zeros(self.rows << self.bits, dtype=np.bool_)
        self._least = max(2, self.width // _SPARSE)

    def unfold(
        self, source: Ids, begins: Counts, sizes: Counts, owners: Counts, count: int
    ) -> Sets:
        """Return for each of ``count`` sets the union of the slices that it owns.

        Args:
            source: What the slices are of.
            begins: Where each slice begins.
            sizes: How long it is.
            owners: Which set it belongs to, ascending.
            count: How many sets there are.
        """
        totals = np.bincount(owners, weights=sizes, minlength=count).astype(np.int64)
        large = totals >= self._least
        if not large.any():
            return self._sorted(source, begins, sizes, owners, totals)
        if large.all():
            return self._marked(source, begins, sizes, owners, totals)
        of_large = large[owners]
        places = np.cumsum(large) - 1
        some = self._marked(
            source, begins[of_large], sizes[of_large], places[owners[of_large]], totals[large]
        )
        rest = ~of_large
        places = np.cumsum(~large) - 1
        others = self._sorted(
            source, begins[rest], sizes[rest], places[owners[rest]], totals[~large]
        )
        return _merged(large, some, others)

    def _sorted(
        self, source: Ids, begins: Counts, sizes: Counts, owners: Counts, totals: Counts
    ) -> Sets:
        values: list[Ids] = []
        found: list[Counts] = []
        for low, high, first, last in _chunks(owners, totals, self._most_keys):
            keys = self._keys(source, begins, sizes, owners, low, first, last)
            keys.sort()
            keep = np.empty(len(keys), dtype=np.bool_)
            keep[:1] = True
            np.not_equal(keys[1:], keys[:-1], out=keep[1:])
            keys = keys[keep]
            values.append(keys & (self.width - 1))
            found.append(np.bincount(keys >> self.bits, minlength=high - low))
        return _joined(values, found)

    def _marked(
        self, source: Ids, begins: Counts, sizes: Counts, owners: Counts, totals: Counts
    ) -> Sets:
        values: list[Ids] = []
        found: list[Counts] = []
        for low, high, first, last in _chunks(owners, totals, self.rows):
            marks = self._marks[: (high - low) << self.bits]
            marks[self._keys(source, begins, sizes, owners, low, first, last)] = True
            keys = np.flatnonzero(marks).astype(np.int32)
            marks[keys] = False
            values.append(keys & (self.width - 1))
            found.append(np.bincount(keys >> self.bits, minlength=high - low))
        return _joined(values, found)

    def _keys(
        self,
        source: Ids,
        begins: Counts,
        sizes: Counts,
        owners: Counts,
        low: int,
        first: int,
        last: int,
    ) -> Ids:
        part = sizes[first:last]
        keys = source[places_of(begins[first:last], part)]
        owner = ((owners[first:last] - low) << self.bits).astype(np.int32)
        keys |= np.repeat(owner, part)
        return keys

    def common(
        self,
        source: Ids,
        begins: Counts,
        sizes: Counts,
        other_begins: Counts,
        other_sizes: Counts,
        keep: npt.NDArray[np.bool_],
    ) -> Sets:
        """Return each set with only the members that its other set has, or has not.

        Args:
            source: What all the slices are of.
            begins: Where each set begins.
            sizes: How long it is.
            other_begins: Where the other set of each begins.
            other_sizes: How long that one is.
            keep: Whether to keep what the other set has; else what it has not.
        """
        wide = other_sizes > _SEARCH * sizes
        if not wide.any():
            return self._compared(source, begins, sizes, other_begins, other_sizes, keep)
        some = _searched(
            source,
            begins[wide],
            sizes[wide],
            other_begins[wide],
            other_sizes[wide],
            keep[wide],
        )
        if wide.all():
            return some
        rest = ~wide
        others = self._compared(
            source,
            begins[rest],
            sizes[rest],
            other_begins[rest],
            other_sizes[rest],
            keep[rest],
        )
        return _merged(wide, some, others)

    def _compared(
        self,
        source: Ids,
        begins: Counts,
        sizes: Counts,
        other_begins: Counts,
        other_sizes: Counts,
        keep: npt.NDArray[np.bool_],
    ) -> Sets:
        values: list[Ids] = []
        found: list[Counts] = []
        for low in range(0, len(sizes), self.rows):
            high = min(low + self.rows, len(sizes))
            marks = self._marks[: (high - low) << self.bits]
            owner = np.arange(high - low, dtype=np.int32) << self.bits
            theirs = source[places_of(other_begins[low:high], other_sizes[low:high])]
            theirs |= np.repeat(owner, other_sizes[low:high])
            mine = source[places_of(begins[low:high], sizes[low:high])]
            keys = mine | np.repeat(owner, sizes[low:high])
            marks[theirs] = True
            holds = marks[keys] == np.repeat(keep[low:high], sizes[low:high])
            marks[theirs] = False
            values.append(mine[holds])
            found.append(np.bincount(keys[holds] >> self.bits, minlength=high - low))
        return _joined(values, found)


def _searched(
    source: Ids,
    begins: Counts,
    sizes: Counts,
    other_begins: Counts,
    other_sizes: Counts,
    keep: npt.NDArray[np.bool_],
) -> Sets:
    """Compare small sets with large ones, none of them empty, by bisection of the large ones."""
    mine = source[places_of(begins, sizes)]
    place = np.repeat(other_begins, sizes)
    left = np.repeat(other_sizes, sizes)
    for _ in range(int(other_sizes.max() - 1).bit_length()):
        half = left >> 1
        place += half * (source[place + half] <= mine)
        left -= half
    holds = (source[place] == mine) == np.repeat(keep, sizes)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    return Sets(mine[holds], np.bincount(owners[holds], minlength=len(sizes)))


def _chunks(owners: Counts, totals: Counts, most: int) -> Iterator[tuple[int, int, int, int]]:
    """Cut sets into runs of bounded size: (first set, end, first slice, end)."""
    ends = np.cumsum(totals)
    low = 0
    while low < len(totals):
        before = int(ends[low - 1]) if low else 0
        high = int(ends.searchsorted(before + _CHUNK, "right"))
        high = max(low + 1, min(high, low + most))
        first, last = owners.searchsorted((low, high))
        yield low, high, int(first), int(last)
        low = high


def _joined(values: list[Ids], sizes: list[Counts]) -> Sets:
    if not values:
        return Sets(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))
    return Sets(np.concatenate(values), np.concatenate(sizes))


def _merged(first: npt.NDArray[np.bool_], some: Sets, others: Sets) -> Sets:
    """Put two groups of sets in one order: ``first`` says which group each place is of."""
    sizes = np.empty(len(first), dtype=np.int64)
    sizes[first], sizes[~first] = some.sizes, others.sizes
    begins = np.empty(len(first), dtype=np.int64)
    begins[first] = np.cumsum(some.sizes) - some.sizes
    begins[~first] = len(some.values) + np.cumsum(others.sizes) - others.sizes
    both = np.concatenate((some.values, others.values))
    return Sets(both[places_of(begins, sizes)], sizes)
