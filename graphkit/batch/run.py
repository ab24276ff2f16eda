"""Evaluates the expressions of a plan level by level, each kind of a level all at once."""

from __future__ import annotations

import numpy as np

from graphkit.batch.plan import Level, Plan
from graphkit.batch.ragged import Counts, Pool, Room, Sets
from graphkit.batch.rows import row_table
from graphkit.entity_set import EntitySet

__all__ = ["Run"]


class Run:
    """The values of all expressions of a plan.

    Args:
        plan: The plan.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._room = Room(len(plan.facts.entities))
        self._table = row_table(plan.facts, self._room.bits)
        self._pool = Pool.starting_with(self._table.values)
        self._begins = np.zeros(len(plan.depths), dtype=np.int64)
        self._sizes = np.zeros(len(plan.depths), dtype=np.int64)
        for level in plan.levels:
            self._fix(level)
            self._follow(level)
            self._meet(level)
            self._join(level)
        self._pool.values.setflags(write=False)

    def value(self, signed: int) -> EntitySet:
        """Return the value of a signed expression; all values share one array."""
        begin = int(self._begins[signed >> 1])
        end = begin + int(self._sizes[signed >> 1])
        return EntitySet(self._pool.values[begin:end], bool(signed & 1))

    def values(self, signed: list[int]) -> list[EntitySet]:
        """Return the values of many signed expressions."""
        numbers = np.array(signed, dtype=np.int64) >> 1
        begins = self._begins[numbers]
        ends = (begins + self._sizes[numbers]).tolist()
        pool = self._pool.values
        return [
            EntitySet(pool[begin:end], bool(sign & 1))
            for begin, end, sign in zip(begins.tolist(), ends, signed, strict=True)
        ]

    def gathered(self, numbers: Counts) -> Sets:
        """Return the members of many expressions, one after the other."""
        sizes = self._sizes[numbers]
        return Sets(self._pool.take(self._begins[numbers], sizes), sizes)

    def _fix(self, level: Level) -> None:
        if level.sets:
            ids = [self.plan.sets[number].ids for number in level.sets]
            sizes = np.array([len(members) for members in ids], dtype=np.int64)
            self._begins[level.sets] = self._pool.add_sets(Sets(np.concatenate(ids), sizes))
            self._sizes[level.sets] = sizes

    def _follow(self, level: Level) -> None:
        triples = np.array(level.follows, dtype=np.int64).reshape(-1, 3)
        turned = (triples[:, 2] & 1).astype(np.bool_)
        if turned.any():
            for number, code, source in triples[turned].tolist():
                self._follow_complement(number, code, source)
            triples = triples[~turned]
        if not len(triples):
            return
        targets, codes, sources = triples.T
        sources = sources >> 1
        sizes = self._sizes[sources]
        owners = np.repeat(np.arange(len(targets)), sizes)
        keys = np.repeat(codes << self._table.bits, sizes)
        keys |= self._pool.take(self._begins[sources], sizes)
        rows = self._table.rows(keys)
        there = rows >= 0
        if not there.all():
            rows, owners = rows[there], owners[there]
        self._unite(targets, self._table.begins[rows], self._table.sizes[rows], owners)

    def _follow_complement(self, number: int, code: int, source: int) -> None:
        adjacency = self.plan.facts.adjacency[code >> 1]
        ways = (adjacency.forward, adjacency.backward)
        members = self.value(source)
        everything = not len(members.ids)
        found = ways[~code & 1].keys if everything else ways[code & 1].expand(members)
        self._begins[number] = self._pool.add(found)
        self._sizes[number] = len(found)

    def _join(self, level: Level) -> None:
        if not level.joins:
            return
        owners, parts = np.array(level.join_parts, dtype=np.int64).reshape(-1, 2).T
        there = self._sizes[parts] > 0
        parts = parts[there]
        targets = np.array(level.joins, dtype=np.int64)
        self._unite(targets, self._begins[parts], self._sizes[parts], owners[there])

    def _unite(self, targets: Counts, begins: Counts, sizes: Counts, owners: Counts) -> None:
        """Give each target the union of the slices of the pool that it owns."""
        slices = np.bincount(owners, minlength=len(targets))
        single = slices == 1
        if single.any():
            of_single = single[owners]
            self._begins[targets[single]] = begins[of_single]
            self._sizes[targets[single]] = sizes[of_single]
        several = slices > 1
        if several.any():
            of_several = several[owners]
            places = np.cumsum(several) - 1
            count = int(several.sum())
            found = self._room.unfold(
                self._pool.values,
                begins[of_several],
                sizes[of_several],
                places[owners[of_several]],
                count,
            )
            self._begins[targets[several]] = self._pool.add_sets(found)
            self._sizes[targets[several]] = found.sizes

    def _meet(self, level: Level) -> None:
        if not level.meets:
            return
        begins, sizes = self._begins, self._sizes
        owners, parts, away = np.array(level.meet_parts, dtype=np.int64).reshape(-1, 3).T
        order = np.lexsort((sizes[parts], away, owners))
        parts, away = parts[order], away[order]
        count = np.bincount(owners)
        first = np.cumsum(count) - count
        targets = np.array(level.meets, dtype=np.int64)
        begins[targets], sizes[targets] = begins[parts[first]], sizes[parts[first]]
        for turn in range(1, int(count.max())):
            some = (count > turn) & (sizes[targets] > 0)
            current, place = targets[some], first[some] + turn
            other = parts[place]
            found = self._room.common(
                self._pool.values,
                begins[current],
                sizes[current],
                begins[other],
                sizes[other],
                away[place] == 0,
            )
            begins[current] = self._pool.add_sets(found)
            sizes[current] = found.sizes
