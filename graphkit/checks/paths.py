"""Relation paths between entity sets: which relations touch an entity, and the shortest path."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphkit.adjacency import Table
from graphkit.entity_set import EntitySet, Ids, distinct
from graphkit.facts import FactStore
from graphkit.operations import Direction

__all__ = ["Hop", "PathIndex", "PathSearch", "path_index"]

Hop = tuple[int, Direction]
"""One step of a path: a relation number and the direction in which it is followed."""

_INDEXES: weakref.WeakKeyDictionary[FactStore, PathIndex] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class PathIndex:
    """For every entity the relations that lead away from it, both ways.

    A relation and a direction make one code: twice the relation number, plus one for backward.
    """

    table: Table

    @classmethod
    def build(cls, facts: FactStore) -> PathIndex:
        """Index all facts of a store."""
        entities: list[Ids] = []
        codes: list[Ids] = []
        for number, adjacency in enumerate(facts.adjacency):
            for turn, table in enumerate((adjacency.forward, adjacency.backward)):
                entities.append(table.keys)
                codes.append(np.full(len(table.keys), 2 * number + turn, dtype=np.int32))
        if not entities:
            empty = np.zeros(0, dtype=np.int32)
            return cls(Table.build(empty, empty))
        return cls(Table.build(np.concatenate(entities), np.concatenate(codes)))

    def codes(self, entities: Ids) -> Ids:
        """Return the codes of all relations that lead away from any of the entities."""
        return self.table.expand(EntitySet(entities))


def path_index(facts: FactStore) -> PathIndex:
    """Return the index of a store, built once for each."""
    index = _INDEXES.get(facts)
    if index is None:
        index = _INDEXES[facts] = PathIndex.build(facts)
    return index


def hop_of(code: int) -> Hop:
    """Return the hop of a code."""
    return code >> 1, Direction.BACKWARD if code & 1 else Direction.FORWARD


def follow(facts: FactStore, entities: Ids, code: int) -> Ids:
    """Return where a hop leads from a set of entities, in full."""
    number, direction = hop_of(code)
    return facts.adjacency[number].project(EntitySet(entities), direction).ids


def neighbours(facts: FactStore, entities: Ids) -> Ids:
    """Return everything that one fact joins to any of the entities."""
    index = path_index(facts)
    parts = [follow(facts, entities, code) for code in index.codes(entities).tolist()]
    return distinct(np.concatenate(parts)) if parts else entities[:0]


@dataclass(eq=False)
class PathSearch:
    """Looks for a relation path whose value, with full fan-out, is exactly a wanted set.

    Attributes:
        facts: The facts.
        target: The wanted set.
        max_fan_out: Sets with more members are not followed further.
        max_sets: After this many sets the search gives up.
        complete: Whether no bound has cut the search so far.
    """

    facts: FactStore
    target: Ids
    max_fan_out: int
    max_sets: int
    complete: bool = True
    seen: int = 0

    def find(self, start: Ids, max_length: int) -> tuple[Hop, ...] | None:
        """Return the shortest path from ``start`` to exactly the target, or None.

        A path that cannot be extended to any member of the target is not followed; that loses
        nothing.
        """
        if not len(start) or not len(self.target) or max_length < 1:
            return None
        near = self._near(max_length - 1)
        index = path_index(self.facts)
        into_target = np.array(
            [code ^ 1 for code in index.codes(self.target[:1]).tolist()], dtype=np.int32
        )
        frontier: list[tuple[Ids, tuple[Hop, ...]]] = [(start, ())]
        known = {start.tobytes()}
        for length in range(1, max_length + 1):
            grown: list[tuple[Ids, tuple[Hop, ...]]] = []
            for entities, path in frontier:
                codes = index.codes(entities)
                if length == max_length:
                    codes = np.intersect1d(codes, into_target, assume_unique=True)
                for code in codes.tolist():
                    reached = follow(self.facts, entities, code)
                    step = (*path, hop_of(code))
                    if len(reached) == len(self.target) and np.array_equal(reached, self.target):
                        return step
                    if length < max_length and self._worth(
                        reached, near[max_length - length], known
                    ):
                        grown.append((reached, step))
                if self.seen > self.max_sets:
                    self.complete = False
                    return None
            frontier = grown
        return None

    def _near(self, reach: int) -> list[npt.NDArray[np.bool_]]:
        """For each number of hops left the entities that reach a target member in so many or fewer.

        A path may end before the hops that are left are used up, so each layer holds the ones
        before it.
        """
        layer = np.zeros(len(self.facts.entities), dtype=np.bool_)
        layers = [layer]
        edge = self.target
        for _ in range(reach):
            edge = neighbours(self.facts, edge)
            layer = layer.copy()
            layer[edge] = True
            layers.append(layer)
        return layers

    def _worth(self, reached: Ids, near: npt.NDArray[np.bool_], known: set[bytes]) -> bool:
        self.seen += 1
        if not near[reached].any():
            return False
        mark = reached.tobytes()
        if mark in known:
            return False
        if len(reached) > self.max_fan_out:
            self.complete = False
            return False
        known.add(mark)
        return True
