"""Branches: projections from one entity, which growth uses as conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphkit.adjacency import Table
from graphkit.checks.paths import neighbours, path_index
from graphkit.entity_set import UNIVERSE, EntitySet, Ids, is_in
from graphkit.facts import Fact, FactStore
from graphkit.grounding import resolve
from graphkit.mutate.rules import Rules
from graphkit.operations import Direction

__all__ = ["Branch", "BranchBook", "all_rows", "anchors_about", "branch_table", "one_in"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A projection from one entity: relation, direction, anchor, and how many it leads to."""

    relation: int
    direction: Direction
    anchor: int
    size: int

    @property
    def code(self) -> tuple[int, Direction, int]:
        """Relation, direction and anchor: what makes the branch."""
        return self.relation, self.direction, self.anchor

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
        branch_codes: The relations and directions that a branch may use; a symmetric relation is
            read one way only, backward, as it is spoken of.
        exclusion_codes: Those that an exclusion may use.
        branches: Every branch met so far.
    """

    def __init__(self, facts: FactStore, rules: Rules) -> None:
        self.facts = facts
        self.rules = rules
        numbers = rules.relations(facts)
        self._symmetric = frozenset(
            number for number in numbers if facts.sheet.relation(facts.relations[number]).symmetric
        )
        self.branch_codes = tuple(
            (number, way)
            for number in numbers
            for way in (Direction.FORWARD, Direction.BACKWARD)
            if way is Direction.BACKWARD or number not in self._symmetric
        )
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
        self._own_name: dict[int, bool] = {}
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
            if away is Direction.BACKWARD and relation in self._symmetric:
                continue  # the same facts once more
            back = branch_table(facts, relation, away.reverse)
            for anchor in branch_table(facts, relation, away).row(entity).tolist():
                size = len(back.row(anchor))
                if rules.min_set <= size <= rules.max_set and self.has_own_name(anchor):
                    yield self._number(Branch(relation, away.reverse, anchor, size))

    def _number(self, branch: Branch) -> int:
        key = (branch.relation, branch.direction, branch.anchor)
        if key not in self._numbers:
            self._numbers[key] = len(self.branches)
            self.branches.append(branch)
        return self._numbers[key]

    def has_own_name(self, entity: int) -> bool:
        """Whether the name of an entity, with its type, means it and nothing else."""
        known = self._own_name.get(entity)
        if known is None:
            match = resolve(self.facts.name(entity), self.facts)
            found = () if match is None else match.entities
            if len(found) > 1:
                kind = self.facts.entity(entity).type
                found = tuple(n for n in found if self.facts.entity(n).type == kind)
            known = self._own_name[entity] = found == (entity,)
        return known

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


def one_in(entity: int, table: Ids) -> bool:
    """Whether a sorted table holds one entity."""
    return bool(is_in(np.array([entity], dtype=np.int32), table)[0])


def anchors_about(
    back: Table, candidates: Ids, member: int, used: Ids, rules: Rules, *, exclusion: bool
) -> Iterator[tuple[int, int]]:
    """Yield (anchor, candidates that its branch leads to) for the anchors worth a look.

    Args:
        back: The table of the branch read backwards, from candidates to anchors.
        candidates: The members of the set that is to be narrowed, sorted.
        member: The candidate that must stay.
        used: Entities that must not be anchors, sorted.
        rules: What is sensible.
        exclusion: Whether the branch is excluded, so that it must not lead to ``member``.
    """
    rows = candidates[is_in(candidates, back.keys)]
    if not len(rows):
        return
    parts = [back.row(int(row)) for row in rows] if len(rows) < 64 else None
    merged = np.concatenate(parts) if parts is not None else all_rows(back, rows)
    anchors, counts = np.unique(merged, return_counts=True)
    own = is_in(anchors, back.row(member))
    keep = ~own if exclusion else own
    keep &= ~is_in(anchors, used)
    if exclusion:
        keep &= ~is_in(anchors, candidates)
        keep &= counts >= rules.min_removed
    else:
        keep &= counts < len(candidates)
    yield from zip(anchors[keep].tolist(), counts[keep].tolist(), strict=True)


def all_rows(table: Table, keys: Ids) -> Ids:
    """Return the targets of many keys one after the other, repetitions kept."""
    rows = table.keys.searchsorted(keys)
    begin = table.starts[rows]
    count = table.starts[rows + 1] - begin
    ends = np.cumsum(count)
    values: Ids = table.values[np.arange(int(ends[-1])) + np.repeat(begin - (ends - count), count)]
    return values
