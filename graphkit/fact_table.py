"""Facts as they are looked at: entities, relations, adjacency both ways, types, evidence."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphkit.adjacency import PLAIN, Adjacency
from graphkit.entities import Entity, NameIndex
from graphkit.entity_set import EMPTY, EntitySet, Ids
from graphkit.errors import InputError, did_you_mean
from graphkit.evidence import EvidenceRecord, nfc
from graphkit.operations import Direction
from graphkit.relations import RelationSheet

__all__ = ["Delta", "Fact", "FactTable", "NamedFact"]


class Fact(NamedTuple):
    """A fact in entity and relation numbers of one store."""

    head: int
    relation: int
    tail: int


class NamedFact(NamedTuple):
    """A fact in names."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True, slots=True)
class Delta:
    """How a store differs from the one it was made from: pairs of one relation, in or out."""

    relation: int
    added: tuple[tuple[int, int], ...] = ()
    removed: tuple[tuple[int, int], ...] = ()
    entities_changed: bool = False


class FactTable:
    """A set of facts, ready to be looked at; :class:`graphkit.facts.FactStore` makes them.

    Attributes:
        entities: All entities by number, also those that no fact holds any more.
        relations: The names of all relations by number.
        adjacency: The facts of each relation.
        records: The evidence records by id.
        aliases: Entity number -> its other names.
        sheet: The relation sheet.
        delta: How the facts differ from those of ``parent``, if they were made by a change.
    """

    def __init__(
        self,
        entities: tuple[Entity, ...],
        relations: tuple[str, ...],
        adjacency: tuple[Adjacency, ...],
        *,
        records: Mapping[str, EvidenceRecord] | None = None,
        aliases: Mapping[int, tuple[str, ...]] | None = None,
        sheet: RelationSheet | None = None,
        degree: npt.NDArray[np.int64] | None = None,
        delta: Delta | None = None,
        parent: FactTable | None = None,
    ) -> None:
        self.entities = entities
        self.relations = relations
        self.adjacency = adjacency
        self.records: Mapping[str, EvidenceRecord] = records or {}
        self.aliases: Mapping[int, tuple[str, ...]] = aliases or {}
        self.sheet = sheet or RelationSheet()
        self.delta = delta
        self._parent = None if parent is None else weakref.ref(parent)
        self._degree = self._count_degree() if degree is None else degree

    @property
    def parent(self) -> FactTable | None:
        """The store that this one was made from by a change, while somebody still holds it."""
        return None if self._parent is None else self._parent()

    def _count_degree(self) -> npt.NDArray[np.int64]:
        degree = np.zeros(len(self.entities), dtype=np.int64)
        for adjacency in self.adjacency:
            heads, tails = adjacency.pairs
            degree += np.bincount(heads, minlength=len(degree))
            degree += np.bincount(tails, minlength=len(degree))
        return degree

    # ---- looking ------------------------------------------------------------------------------

    def __len__(self) -> int:
        return sum(len(adjacency) for adjacency in self.adjacency)

    @functools.cached_property
    def universe(self) -> Ids:
        """All entities that some fact holds: the one universe of complements."""
        return np.flatnonzero(self._degree).astype(np.int32)

    @functools.cached_property
    def size(self) -> int:
        """How many entities the universe has."""
        return int(np.count_nonzero(self._degree))

    def alive(self, number: int) -> bool:
        """Whether any fact holds this entity."""
        return bool(self._degree[number])

    def entity(self, number: int) -> Entity:
        """Return an entity by its number."""
        return self.entities[number]

    def name(self, number: int) -> str:
        """Return the printed name of an entity."""
        return self.entities[number].text

    def names(self, entities: EntitySet) -> list[str]:
        """Return the names of a set, sorted; a complemented set is written out."""
        return sorted(self.name(int(number)) for number in self.members(entities))

    def members(self, entities: EntitySet) -> Ids:
        """Return the members of a set; a complemented set is written out."""
        return (EntitySet(self.universe) & entities).ids if entities.complemented else entities.ids

    def named(self, *names: str) -> EntitySet:
        """Return all entities with one of these exact names."""
        return EntitySet.of(
            number
            for name in names
            for number in self.index.exact.get(nfc(name), ())
            if self.alive(number)
        )

    @functools.cached_property
    def relation_numbers(self) -> dict[str, int]:
        """Relation numbers by name."""
        return {name: number for number, name in enumerate(self.relations)}

    @functools.cached_property
    def living_relations(self) -> dict[str, int]:
        """Relation numbers by name, of the relations that some fact has."""
        return {
            name: number for name, number in self.relation_numbers.items() if self.adjacency[number]
        }

    def relation_number(self, name: str) -> int:
        """Return the number of a relation by its exact name.

        Raises:
            InputError: No fact has it.
        """
        number = self.relation_numbers.get(name)
        if number is None:
            raise InputError(
                f"no relation {name!r} in the facts{did_you_mean(name, self.relations)}"
            )
        return number

    def project(self, relation: str, direction: Direction, source: EntitySet) -> EntitySet:
        """Return the projection of a set along a relation, by the relation's exact name."""
        return self.adjacency[self.relation_number(relation)].project(source, direction)

    @functools.cached_property
    def types(self) -> dict[str, EntitySet]:
        """Every type -> its entities."""
        parent = self.parent
        if parent is not None and self.delta is not None and not self.delta.entities_changed:
            return parent.types
        table: dict[str, list[int]] = {}
        for number in self.universe.tolist():
            kind = self.entities[number].type
            if kind is not None:
                table.setdefault(kind, []).append(number)
        return {kind: EntitySet.of(numbers) for kind, numbers in table.items()}

    def of_type(self, kind: str) -> EntitySet:
        """Return the entities of a type; none for a type that no entity has."""
        return self.types.get(kind, EMPTY)

    @functools.cached_property
    def index(self) -> NameIndex:
        """The names, folded names, aliases and ids of all entities."""
        parent = self.parent
        if parent is not None and parent.entities is self.entities:
            return parent.index
        return NameIndex.build(self.entities, self.aliases)

    def facts(self) -> Iterator[Fact]:
        """Yield all facts in a fixed order: by relation, head, tail number."""
        for relation, adjacency in enumerate(self.adjacency):
            heads, tails = adjacency.pairs
            for head, tail in zip(heads.tolist(), tails.tolist(), strict=True):
                yield Fact(head, relation, tail)

    def in_names(self, fact: Fact) -> NamedFact:
        """Return a fact in names."""
        return NamedFact(self.name(fact.head), self.relations[fact.relation], self.name(fact.tail))

    def has(self, fact: Fact) -> bool:
        """Whether the store holds a fact."""
        return self.adjacency[fact.relation].has(fact.head, fact.tail)

    def evidence_ids(self, fact: Fact) -> tuple[str, ...]:
        """Return the ids of the records behind a fact; empty if it was given without any."""
        found = self.adjacency[fact.relation].evidence.get(fact.head << 32 | fact.tail, ())
        return found[1:] if found[:1] == (PLAIN,) else found

    def is_plain(self, fact: Fact) -> bool:
        """Whether a fact of the store was given without evidence, with or without records too."""
        found = self.adjacency[fact.relation].evidence.get(fact.head << 32 | fact.tail)
        return found is None or found[0] == PLAIN

    def evidence(self, fact: Fact) -> tuple[EvidenceRecord, ...]:
        """Return the records behind a fact."""
        return tuple(self.records[item] for item in self.evidence_ids(fact))

    def is_fresh(self, fact: Fact) -> bool | None:
        """Whether a fact is fresh: all its records are; None for a fact without records."""
        records = self.evidence(fact)
        return all(record.is_fresh_knowledge for record in records) if records else None
