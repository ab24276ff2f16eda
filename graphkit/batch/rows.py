"""All facts of a store as one table of rows: for a code and an entity, where it leads."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphkit.batch.ragged import Counts
from graphkit.entity_set import Ids
from graphkit.facts import FactStore

__all__ = ["RowTable", "row_table"]

_DIRECT = 1 << 24
"""A direct table of rows has at most so many places, else rows are looked up by their keys."""

_TABLES: weakref.WeakKeyDictionary[FactStore, RowTable] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class RowTable:
    """Rows of targets. A code is twice the relation number, plus one for backward.

    Attributes:
        keys: ``code << bits | entity`` of each row, ascending.
        begins: Where the row of each key begins.
        sizes: How long it is.
        values: The targets of all rows, sorted within each.
        bits: How many bits an entity number takes.
        direct: Key -> row, -1 for none; None where that would be too large.
    """

    keys: npt.NDArray[np.int64]
    begins: Counts
    sizes: Counts
    values: Ids
    bits: int
    direct: npt.NDArray[np.int32] | None

    @classmethod
    def build(cls, facts: FactStore, bits: int) -> RowTable:
        """Put the tables of all relations together."""
        keys: list[npt.NDArray[np.int64]] = []
        begins: list[Counts] = []
        sizes: list[Counts] = []
        values: list[Ids] = []
        total = 0
        for number, adjacency in enumerate(facts.adjacency):
            for turn, table in enumerate((adjacency.forward, adjacency.backward)):
                keys.append(table.keys.astype(np.int64) | (2 * number + turn) << bits)
                begins.append(table.starts[:-1] + total)
                sizes.append(np.diff(table.starts))
                values.append(table.values)
                total += len(table.values)
        none = np.zeros(0, dtype=np.int64)
        every = np.concatenate([none, *keys])
        direct = None
        if 2 * len(facts.adjacency) << bits <= _DIRECT:
            direct = np.full(2 * len(facts.adjacency) << bits, -1, dtype=np.int32)
            direct[every] = np.arange(len(every), dtype=np.int32)
        return cls(
            every,
            np.concatenate([none, *begins]),
            np.concatenate([none, *sizes]),
            np.concatenate([none.astype(np.int32), *values]),
            bits,
            direct,
        )

    def rows(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int32] | npt.NDArray[np.int64]:
        """Return the row of each key, or -1."""
        if self.direct is not None:
            return self.direct[keys]
        if not len(self.keys):
            return np.full(len(keys), -1, dtype=np.int64)
        rows = self.keys.searchsorted(keys)
        rows[rows == len(self.keys)] = 0
        rows[self.keys[rows] != keys] = -1
        return rows


def row_table(facts: FactStore, bits: int) -> RowTable:
    """Return the table of a store, built once for each."""
    table = _TABLES.get(facts)
    if table is None or table.bits != bits:
        table = _TABLES[facts] = RowTable.build(facts, bits)
    return table
