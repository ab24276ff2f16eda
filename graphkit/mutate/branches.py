"""Branches: projections from one entity, which growth uses as conditions."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphkit.adjacency import Table
from graphkit.checks.paths import neighbours, path_index
from graphkit.entity_set import UNIVERSE, EntitySet, Ids, is_in
from graphkit.facts import Fact, FactStore
from graphkit.mutate.rules import Rules, is_one_to_one
from graphkit.operations import Direction

__all__ = ["Branch", "BranchBook", "all_rows", "branch_table", "one_in"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A projection from one entity: relation, direction, anchor, and how many it leads to."""

    relation: int
    direction: Direction
    anchor: int
    size: int

    def table(self, facts: FactStore) -> Table:
        """Return the table that the branch reads."""
        return branch_table(facts, self.relation, self.direction)

    def value(self, facts: FactStore) -> EntitySet:
        """Return the set that the branch leads to."""
        return EntitySet(self.table(facts).row(self.anchor))

    def fact_about(self, entity: int) -> Fact:
        """Return the fact by which the branch leads to an entity."""
        if self.direction is Direction.FORWARD:
            return Fact(self.anchor, self.relation, entity)
        return Fact(entity, self.relation, self.anchor)


def branch_table(facts: FactStore, relation: int, direction: Direction) -> Table:
    """Return the table by which a relation is read in one direction."""
    adjacency = facts.adjacency[relation]
    return adjacency.forward if direction is Direction.FORWARD else adjacency.backward


class BranchBook:
    """The branches that a store offers under a set of rules; made once and shared.

    Attributes:
        facts: The facts.
        rules: What is sensible.
        branch_codes: The relations and directions that a branch may use.
        exclusion_codes: Those that an exclusion may use.
        branches: Every branch met so far.
    """

    def __init__(self, facts: FactStore, rules: Rules) -> None:
        self.facts = facts
        self.rules = rules
        numbers = rules.relations(facts)
        both = (Direction.FORWARD, Direction.BACKWARD)
        self.branch_codes = tuple((number, way) for number in numbers for way in both)
        self.exclusion_codes = tuple(
            (number, way)
            for number, way in self.branch_codes
            if not rules.exclusion_complete
            or facts.sheet.relation(facts.relations[number]).complete is True
        )
        self._allowed = frozenset(numbers)
        self.branches: list[Branch] = []
        self._numbers: dict[tuple[int, Direction, int], int] = {}
        self._about: dict[int, tuple[int, ...]] = {}
        self._near: dict[int, Ids] = {}
        self._ranges: dict[tuple[int, Direction], EntitySet] = {}

    def codes(self, *, exclusion: bool) -> tuple[tuple[int, Direction], ...]:
        """Return the relations and directions that a branch, or an exclusion, may use."""
        return self.exclusion_codes if exclusion else self.branch_codes

    def numbers_about(self, entity: int) -> tuple[int, ...]:
        """Return the places in ``branches`` of those that lead to an entity.

        Only branches whose set has the right size are there.
        """
        known = self._about.get(entity)
        if known is None:
            known = self._about[entity] = tuple(self._find(entity))
        return known

    def about(self, entity: int) -> tuple[Branch, ...]:
        """Return every branch that leads to an entity and has a set of the right size."""
        return tuple(self.branches[number] for number in self.numbers_about(entity))

    def _find(self, entity: int) -> Iterator[int]:
        facts, rules = self.facts, self.rules
        for code in path_index(facts).codes(np.array([entity], dtype=np.int32)).tolist():
            relation = code >> 1
            if relation not in self._allowed:
                continue
            away = Direction.BACKWARD if code & 1 else Direction.FORWARD
            back = branch_table(facts, relation, away.reverse)
            for anchor in branch_table(facts, relation, away).row(entity).tolist():
                size = len(back.row(anchor))
                if rules.min_set <= size <= rules.max_set:
                    yield self._number(Branch(relation, away.reverse, anchor, size))

    def _number(self, branch: Branch) -> int:
        key = (branch.relation, branch.direction, branch.anchor)
        if key not in self._numbers:
            self._numbers[key] = len(self.branches)
            self.branches.append(branch)
        return self._numbers[key]

    def near(self, entity: int) -> Ids:
        """Return the entities that one fact, of whatever relation, joins to an entity."""
        if entity not in self._near:
            self._near[entity] = neighbours(self.facts, np.array([entity], dtype=np.int32))
        return self._near[entity]

    def reach(self, relation: int, direction: Direction) -> EntitySet:
        """Return everything that a relation leads to in one direction."""
        code = (relation, direction)
        if code not in self._ranges:
            self._ranges[code] = self.facts.adjacency[relation].project(UNIVERSE, direction)
        return self._ranges[code]

    @functools.cached_property
    def one_to_one(self) -> frozenset[int]:
        """The relations in which every head has one tail and every tail one head."""
        return frozenset(
            number
            for number in range(len(self.facts.relations))
            if is_one_to_one(self.facts, number)
        )


def one_in(entity: int, table: Ids) -> bool:
    """Whether a sorted table holds one entity."""
    return bool(is_in(np.array([entity], dtype=np.int32), table)[0])


def all_rows(table: Table, keys: Ids) -> Ids:
    """Return the targets of many keys one after the other, repetitions kept."""
    rows = np.searchsorted(table.keys, keys)
    begin = table.starts[rows]
    count = table.starts[rows + 1] - begin
    ends = np.cumsum(count)
    values: Ids = table.values[np.arange(int(ends[-1])) + np.repeat(begin - (ends - count), count)]
    return values
