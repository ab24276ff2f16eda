"""The facts of one relation as two sorted tables, by head and by tail, for fast set expansion."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from graphkit.entity_set import EntitySet, Ids, distinct, is_in
from graphkit.operations import Direction

__all__ = ["NONE", "PLAIN", "Adjacency", "Table"]

PLAIN = ""
"""Stands among the evidence ids of a fact that was also given without evidence."""

NONE: Ids = np.zeros(0, dtype=np.int32)
"""No entities."""


@dataclass(frozen=True, slots=True)
class Table:
    """Compressed rows: the entities in ``keys`` lead to slices of ``values``.

    Attributes:
        keys: The entities that lead anywhere, sorted, shape (k,).
        starts: Where the slice of each key begins, shape (k + 1,).
        values: All targets, sorted within a slice.
    """

    keys: Ids
    starts: npt.NDArray[np.int64]
    values: Ids

    @classmethod
    def build(cls, sources: Ids, targets: Ids) -> Table:
        """Build a table from pairs; repeated pairs count once."""
        packed = np.unique((sources.astype(np.int64) << 32) | targets.astype(np.int64))
        heads = (packed >> 32).astype(np.int32)
        values = (packed & 0xFFFFFFFF).astype(np.int32)
        first = np.flatnonzero(np.r_[True, heads[1:] != heads[:-1]]) if len(heads) else heads[:0]
        starts = np.r_[first, len(heads)].astype(np.int64)
        return cls(heads[first], starts, values)

    def row(self, key: int) -> Ids:
        """Return the targets of one entity."""
        place = int(self.keys.searchsorted(key))
        if place == len(self.keys) or int(self.keys[place]) != key:
            return self.values[:0]
        return self.values[self.starts[place] : self.starts[place + 1]]

    def expand(self, source: EntitySet) -> Ids:
        """Return every target of every member of ``source``."""
        if source.complemented:
            rows = np.flatnonzero(~is_in(self.keys, source.ids))
            if len(rows) == len(self.keys):
                return self._all_targets()
        elif len(source.ids) == 1:
            return self.row(int(source.ids[0]))
        elif not len(self.keys) or not len(source.ids):
            return self.values[:0]
        else:
            rows = self.keys.searchsorted(source.ids)
            rows = rows[self.keys.take(rows, mode="clip") == source.ids]
        if not len(rows):
            return self.values[:0]
        begin = self.starts[rows]
        count = self.starts[rows + 1] - begin
        ends = count.cumsum()
        index = np.arange(int(ends[-1])) + (begin - (ends - count)).repeat(count)
        return distinct(self.values[index])

    def _all_targets(self) -> Ids:
        return distinct(self.values)

    @property
    def widest(self) -> int:
        """The largest number of targets of one entity."""
        return int(np.diff(self.starts).max()) if len(self.keys) else 0


@dataclass(frozen=True)
class Adjacency:
    """All facts of one relation.

    Attributes:
        forward: From heads to tails.
        backward: From tails to heads.
        evidence: Packed (head, tail) pair -> ids of the evidence records behind the fact, after
            :data:`PLAIN` if it was given without any too; a pair that is not listed was given
            without evidence only.
    """

    forward: Table
    backward: Table
    evidence: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def build(
        cls, heads: Ids, tails: Ids, evidence: Mapping[int, tuple[str, ...]] | None = None
    ) -> Adjacency:
        """Build both tables from pairs; repeated pairs count once."""
        return cls(Table.build(heads, tails), Table.build(tails, heads), evidence or {})

    def __len__(self) -> int:
        return len(self.forward.values)

    def project(self, source: EntitySet, direction: Direction) -> EntitySet:
        """Return the projection of a set; of a complemented one too it is an ordinary set."""
        table = self.forward if direction is Direction.FORWARD else self.backward
        return EntitySet(table.expand(source))

    @functools.cached_property
    def pairs(self) -> tuple[Ids, Ids]:
        """All facts as (heads, tails), sorted by head, then tail."""
        counts = np.diff(self.forward.starts)
        return np.repeat(self.forward.keys, counts), self.forward.values

    def has(self, head: int, tail: int) -> bool:
        """Whether the fact (head, tail) is there."""
        row = self.forward.row(head)
        place = int(row.searchsorted(tail))
        return place < len(row) and int(row[place]) == tail

    def changed(
        self,
        add: tuple[tuple[int, int], ...],
        remove: tuple[tuple[int, int], ...],
        source: str | None = None,
    ) -> tuple[Adjacency, tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
        """Return the table with pairs put in and taken out, and which really came and went.

        Args:
            add: Pairs (head, tail) to put in, with ``source`` as evidence if there is one.
            remove: Pairs to take out. With a ``source`` only that record goes, and the pair
                stays while other records are behind it, or it was given without evidence too.
            source: An evidence id.
        """
        evidence = dict(self.evidence)
        gone = []
        for head, tail in remove:
            pair = head << 32 | tail
            left = tuple(item for item in evidence.pop(pair, ()) if source and item != source)
            if left and left != (PLAIN,):
                evidence[pair] = left
            if not left and self.has(head, tail):
                gone.append((head, tail))
        new = [pair for pair in add if not self.has(*pair)]
        for head, tail in add:
            pair = head << 32 | tail
            known = evidence.get(pair, (PLAIN,) if self.has(head, tail) else ())
            if source:
                evidence[pair] = (*known, source)
            elif known and known[0] != PLAIN:
                evidence[pair] = (PLAIN, *known)
        heads, tails = self.pairs
        packed = np.union1d(
            np.setdiff1d(heads.astype(np.int64) << 32 | tails, _pack(gone)), _pack(new)
        )
        table = Adjacency.build(
            (packed >> 32).astype(np.int32), (packed & 0xFFFFFFFF).astype(np.int32), evidence
        )
        return table, tuple(new), tuple(gone)


def _pack(pairs: list[tuple[int, int]]) -> npt.NDArray[np.int64]:
    return np.array([head << 32 | tail for head, tail in pairs], dtype=np.int64)
