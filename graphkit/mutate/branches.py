"""Branches: projections from one entity, which growth uses as conditions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphkit.adjacency import Table
from graphkit.checks.paths import path_index
from graphkit.entity_set import EntitySet, Ids, is_in
from graphkit.facts import Fact, FactStore
from graphkit.mutate.rules import Rules
from graphkit.operations import Direction

__all__ = ["Branch", "all_rows", "branch_table", "one_in", "seed_branches"]


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


def seed_branches(facts: FactStore, entity: int, rules: Rules) -> list[Branch]:
    """Return every branch that leads to an entity and has a set of the right size."""
    allowed = set(rules.relations(facts))
    found = []
    for code in path_index(facts).codes(np.array([entity], dtype=np.int32)).tolist():
        relation = code >> 1
        if relation not in allowed:
            continue
        away = Direction.BACKWARD if code & 1 else Direction.FORWARD
        back = branch_table(facts, relation, away.reverse)
        for anchor in branch_table(facts, relation, away).row(entity).tolist():
            size = len(back.row(anchor))
            if rules.min_set <= size <= rules.max_set:
                found.append(Branch(relation, away.reverse, anchor, size))
    return found


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
