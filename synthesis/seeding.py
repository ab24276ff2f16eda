"""Proposes questions of a pattern backwards from an answer, so that most have only that answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from graphkit.batch.ragged import Counts, places_of
from graphkit.batch.rows import row_table
from graphkit.entity_set import Ids, distinct, is_in
from graphkit.facts import FactStore
from synthesis.dice import Dice

__all__ = ["SAMPLED", "Query", "Seeder", "anchors_of"]

Query = tuple[Any, ...]
"""A question in numbers, see :class:`synthesis.sampling.Certified`."""

SAMPLED = ("1p", "2p", "3p", "2i", "3i", "ip", "pi", "2in", "3in", "inp", "pin", "pni")
"""The patterns that can be sampled."""

_WIDE = 200
"""A set with more candidates is not cut further."""

_FEW = 24
"""A set with more candidates is not emptied by an exclusion."""

_TRIES = 6
"""So many branches are tried at one place."""


def anchors_of(query: Query) -> Iterator[int]:
    """Yield the anchors of a query."""
    if query[0] == "a":
        yield query[1]
    elif query[0] == "i":
        for part in query[1]:
            yield from anchors_of(part)
    else:
        yield from anchors_of(query[-1])


class Seeder:
    """Draws questions from one store.

    A *row* is a branch: where one relation leads from one entity. Rows are numbered as in
    :class:`graphkit.batch.rows.RowTable`.

    Args:
        facts: The facts.
        dice: Where chance comes from.
    """

    def __init__(self, facts: FactStore, dice: Dice) -> None:
        self.facts = facts
        self.dice = dice
        bits = max(1, (len(facts.entities) - 1).bit_length())
        self._table = table = row_table(facts, bits)
        row_of = np.repeat(np.arange(len(table.keys)), table.sizes)
        order = np.argsort(table.values, kind="stable")
        self._about = row_of[order]
        self._starts = np.zeros(len(facts.entities) + 1, dtype=np.int64)
        np.cumsum(np.bincount(table.values, minlength=len(facts.entities)), out=self._starts[1:])
        self._places = np.full(len(table.keys), -1, dtype=np.int64)
        self._universe = facts.universe
        self._ways: dict[str, Callable[[int], Query | None]] = {
            "1p": lambda member: self._chain(member, 1),
            "2p": lambda member: self._chain(member, 2),
            "3p": lambda member: self._chain(member, 3),
            "2i": self._two,
            "3i": self._three,
            "pi": self._chain_and_row,
            "ip": lambda member: self._behind(member, self._two),
            "2in": self._row_not_row,
            "inp": lambda member: self._behind(member, self._row_not_row),
            "3in": self._two_not_row,
            "pin": self._chain_not_row,
            "pni": self._row_not_chain,
        }

    def propose(self, pattern: str) -> tuple[Query, int] | None:
        """Return a question of a pattern and what should be its only answer, or None."""
        if not len(self._universe):
            return None
        member = int(self._universe[self.dice.below(len(self._universe))])
        query = self._ways[pattern](member)
        return None if query is None else (_ordered(query), member)

    # ---- rows ---------------------------------------------------------------------------------

    def _rows(self, member: int) -> Counts:
        """Return the rows that hold an entity, ascending."""
        return self._about[self._starts[member] : self._starts[member + 1]]

    def _members(self, row: int) -> Ids:
        begin = self._table.begins[row]
        return self._table.values[begin : begin + self._table.sizes[row]]

    def _branch(self, row: int) -> Query:
        key = int(self._table.keys[row])
        bits = self._table.bits
        return ("p", key >> bits, ("a", key & ((1 << bits) - 1)))

    def _pick(self, rows: Counts) -> int:
        return int(rows[self.dice.below(len(rows))])

    def _row(self, member: int, least: int, most: int) -> int | None:
        """Return a row of a size between two that holds an entity."""
        rows = self._rows(member)
        for _ in range(_TRIES):
            row = self._pick(rows)
            if least <= self._table.sizes[row] <= most:
                return row
        sizes = self._table.sizes[rows]
        rows = rows[(sizes >= least) & (sizes <= most)]
        return self._pick(rows) if len(rows) else None

    def _rows_about(self, members: Ids) -> Counts:
        """Return the rows that hold each of the entities, one entity after the other."""
        begins = self._starts[members]
        return self._about[places_of(begins, self._starts[members + 1] - begins)]

    def _counted(self, rows: Counts, members: Ids) -> Counts:
        """Return how many of the entities each of some rows holds."""
        self._places[rows] = np.arange(len(rows))
        places = self._places[self._rows_about(members)]
        self._places[rows] = -1
        counts: Counts = np.bincount(places[places >= 0], minlength=len(rows))
        return counts

    def _cutting(self, member: int, others: Ids) -> Counts:
        """Return rows that hold an entity and more, but none of some others."""
        rows = self._rows(member)
        rows = rows[self._table.sizes[rows] > 1]
        found: Counts = rows[self._counted(rows, others) == 0]
        return found

    def _covering(self, member: int, others: Ids) -> Counts:
        """Return rows that hold all of some others but not an entity that has the relation too."""
        rows = np.sort(self._rows_about(others))
        if len(others) > 1:
            ahead = len(others) - 1
            rows = rows[ahead:][rows[ahead:] == rows[: len(rows) - ahead]]
        own = self._rows(member)
        rows = rows[~_held(rows, own)]
        bits = self._table.bits
        of_own = np.isin(self._table.keys[rows] >> bits, self._table.keys[own] >> bits)
        found: Counts = rows[of_own]
        return found

    def _step_back(self, member: int, most: int) -> tuple[int, int] | None:
        """Return (code, source): a relation that leads to an entity, and from where."""
        row = self._row(member, 1, most)
        if row is None:
            return None
        key = int(self._table.keys[row])
        return key >> self._table.bits, key & ((1 << self._table.bits) - 1)

    def _reach(self, code: int, members: Ids) -> Ids:
        """Return where a relation leads from some entities."""
        rows = self._table.rows(members | np.int64(code << self._table.bits))
        rows = rows[rows >= 0]
        return distinct(
            self._table.values[places_of(self._table.begins[rows], self._table.sizes[rows])]
        )

    # ---- patterns -----------------------------------------------------------------------------

    def _chain(self, member: int, length: int) -> Query | None:
        """A chain whose last hop leads to one entity only."""
        codes: list[int] = []
        current = member
        for _ in range(length):
            step = self._step_back(current, 1)
            if step is None:
                return None
            codes.append(step[0])
            current = step[1]
        query: Query = ("a", current)
        for code in reversed(codes):
            query = ("p", code, query)
        return query

    def _two_hops(self, member: int, most: int) -> tuple[Query, Ids] | None:
        """A chain of two hops that leads to an entity and some more, with what it leads to."""
        for _ in range(_TRIES):
            step = self._step_back(member, most)
            if step is None:
                return None
            row = self._row(step[1], 1, most)
            if row is None:
                continue
            reached = self._reach(step[0], self._members(row))
            if 2 <= len(reached) <= most:
                return ("p", step[0], self._branch(row)), reached
        return None

    def _two(self, member: int) -> Query | None:
        row = self._row(member, 2, _WIDE)
        if row is None:
            return None
        rows = self._cutting(member, _but(self._members(row), member))
        return ("i", (self._branch(row), self._branch(self._pick(rows)))) if len(rows) else None

    def _three(self, member: int) -> Query | None:
        pair = self._overlapping(member)
        if pair is None:
            return None
        first, second, both = pair
        rows = self._cutting(member, _but(both, member))
        for own in (first, second):  # the third must leave somebody of each, or it makes up for one
            rows = rows[self._counted(rows, self._members(own)) > 1]
        if not len(rows):
            return None
        return ("i", tuple(map(self._branch, (first, second, self._pick(rows)))))

    def _overlapping(self, member: int) -> tuple[int, int, Ids] | None:
        """Two rows that have an entity and somebody else in common, and neither holds the other."""
        first = self._row(member, 3, _WIDE)
        if first is None:
            return None
        members = self._members(first)
        rows = self._rows(member)
        counts = self._counted(rows, members)
        rows = rows[(counts > 1) & (counts < len(members)) & (self._table.sizes[rows] > counts)]
        if not len(rows):
            return None
        second = self._pick(rows)
        return first, second, members[is_in(members, self._members(second))]

    def _chain_and_row(self, member: int) -> Query | None:
        chain = self._two_hops(member, _WIDE)
        if chain is None:
            return None
        rows = self._cutting(member, _but(chain[1], member))
        return ("i", (chain[0], self._branch(self._pick(rows)))) if len(rows) else None

    def _behind(self, member: int, inner: Callable[[int], Query | None]) -> Query | None:
        """A hop from a question about an entity that leads to this one alone."""
        step = self._step_back(member, 1)
        part = None if step is None else inner(step[1])
        return None if part is None or step is None else ("p", step[0], part)

    def _not_row(self, member: int, candidates: Ids) -> Query | None:
        """An exclusion that leaves only one of the candidates."""
        rows = self._covering(member, _but(candidates, member))
        return ("n", self._branch(self._pick(rows))) if len(rows) else None

    def _row_not_row(self, member: int) -> Query | None:
        row = self._row(member, 2, _FEW)
        part = None if row is None else self._not_row(member, self._members(row))
        return None if part is None or row is None else ("i", (self._branch(row), part))

    def _two_not_row(self, member: int) -> Query | None:
        pair = self._overlapping(member)
        if pair is None or len(pair[2]) > _FEW:
            return None
        part = self._not_row(member, pair[2])
        if part is None:
            return None
        return ("i", (self._branch(pair[0]), self._branch(pair[1]), part))

    def _chain_not_row(self, member: int) -> Query | None:
        chain = self._two_hops(member, _FEW)
        part = None if chain is None else self._not_row(member, chain[1])
        return None if chain is None or part is None else ("i", (chain[0], part))

    def _row_not_chain(self, member: int) -> Query | None:
        row = self._row(member, 2, _FEW)
        if row is None:
            return None
        rows = self._covering(member, _but(self._members(row), member))
        if not len(rows):
            return None
        for _ in range(_TRIES):
            key = int(self._table.keys[self._pick(rows)])
            code, middle = key >> self._table.bits, key & ((1 << self._table.bits) - 1)
            before = self._row(middle, 1, _WIDE)
            if before is None:
                continue
            reached = self._reach(code, self._members(before))
            if not is_in(np.array([member], dtype=np.int32), reached)[0]:
                chain = ("p", code, self._branch(before))
                return ("i", (self._branch(row), ("n", chain)))
        return None


def _ordered(query: Query) -> Query:
    """Return a query with the parts of its intersections in one order."""
    if query[0] == "a":
        return query
    if query[0] == "i":
        return ("i", tuple(sorted(map(_ordered, query[1]))))
    return (*query[:-1], _ordered(query[-1]))


def _but(members: Ids, member: int) -> Ids:
    others: Ids = members[members != member]
    return others


def _held(rows: Counts, table: Counts) -> npt.NDArray[np.bool_]:
    """Say for each of ``rows`` whether the sorted ``table`` holds it."""
    if not len(table):
        return np.zeros(len(rows), dtype=np.bool_)
    place = table.searchsorted(rows)
    place[place == len(table)] = 0
    found: npt.NDArray[np.bool_] = table[place] == rows
    return found
