"""The fact store: interned entities and relations, adjacency both ways, types, evidence."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphkit.adjacency import NONE, Adjacency
from graphkit.entities import Entity, NameIndex
from graphkit.entity_set import EMPTY, EntitySet, Ids
from graphkit.errors import InputError, did_you_mean
from graphkit.evidence import EvidenceRecord, nfc
from graphkit.interning import Interner, alias_table, unique_records
from graphkit.operations import Direction
from graphkit.relations import RelationSheet

__all__ = ["Delta", "Fact", "FactStore", "NamedFact"]


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


class FactStore:
    """An immutable set of facts; a change returns a new store that shares what did not change.

    Build one with :meth:`from_triples` or :meth:`from_evidence`. Entities and relations are
    numbered; sets of entities are :class:`graphkit.entity_set.EntitySet`.

    >>> store = FactStore.from_triples([("France", "borders", "Spain"), ("France", "in", "EU")])
    >>> store.project("borders", Direction.FORWARD, store.named("France")).ids.tolist()
    [1]
    >>> len(store), store.entity(1).name
    (2, 'Spain')
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
        parent: FactStore | None = None,
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

    # ---- building -----------------------------------------------------------------------------

    @classmethod
    def from_triples(
        cls, triples: Iterable[tuple[str, str, str]], sheet: RelationSheet | None = None
    ) -> FactStore:
        """Build a store from (head, relation, tail) names without evidence records.

        Args:
            triples: The facts; repeated ones count once.
            sheet: The relation sheet: types of both ends, symmetric relations, aliases.
        """
        interner = Interner(sheet or RelationSheet())
        for head, relation, tail in triples:
            interner.add_triple(head, relation, tail)
        return cls._finish(interner, {}, {})

    @classmethod
    def from_evidence(
        cls, records: Iterable[EvidenceRecord], sheet: RelationSheet | None = None
    ) -> FactStore:
        """Build a store from evidence records; aliases are merged, facts keep their records.

        Args:
            records: The records. The same id twice with the same content counts once.
            sheet: The relation sheet: types of both ends, symmetric relations, aliases.

        Raises:
            InputError: Two different records have the same id.
        """
        kept = unique_records(records)
        interner = Interner(sheet or RelationSheet())
        table = alias_table(kept.values(), interner.sheet)
        claims: dict[tuple[str | None, str], list[str]] = {}
        for (kind, name), others in table.items():
            for other in others:
                claims.setdefault((kind, other), []).append(name)
        interner.same = {
            place: names[0]
            for place, names in claims.items()
            if len(names) == 1 and place not in table
        }
        for record in kept.values():
            interner.add(record)
        aliases: dict[int, tuple[str, ...]] = {}
        for number, entity in enumerate(interner.entities):
            others = table.get((entity.type, entity.name), {})
            if others:
                aliases[number] = tuple(others)
        return cls._finish(interner, kept, aliases)

    @classmethod
    def _finish(
        cls,
        interner: Interner,
        records: Mapping[str, EvidenceRecord],
        aliases: Mapping[int, tuple[str, ...]],
    ) -> FactStore:
        return cls(
            tuple(interner.entities),
            tuple(interner.relations),
            interner.adjacency(),
            records=records,
            aliases=aliases,
            sheet=interner.sheet,
        )

    @property
    def parent(self) -> FactStore | None:
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
        return self.adjacency[fact.relation].evidence.get(fact.head << 32 | fact.tail, ())

    def evidence(self, fact: Fact) -> tuple[EvidenceRecord, ...]:
        """Return the records behind a fact."""
        return tuple(self.records[item] for item in self.evidence_ids(fact))

    def is_fresh(self, fact: Fact) -> bool | None:
        """Whether a fact is fresh: all its records are; None for a fact without records."""
        records = self.evidence(fact)
        return all(record.is_fresh_knowledge for record in records) if records else None

    # ---- changing -----------------------------------------------------------------------------

    def with_sheet(self, sheet: RelationSheet) -> FactStore:
        """Return the same facts read with another sheet."""
        if self.records:
            return FactStore.from_evidence(self.records.values(), sheet)
        return FactStore.from_triples((self.in_names(fact) for fact in self.facts()), sheet)

    def with_record(self, record: EvidenceRecord) -> FactStore:
        """Return the store with one more evidence record."""
        if record.evidence_id in self.records:
            if self.records[record.evidence_id] == record:
                return self
            raise InputError(f"evidence {record.evidence_id}: the id is used for another record")
        if record.aliases:  # aliases may merge entities: only a fresh load decides that
            return FactStore.from_evidence([*self.records.values(), record], self.sheet)
        interner = Interner(self.sheet, list(self.entities), relations=dict(self.relation_numbers))
        interner.numbers = {
            ("id", entity.id)
            if entity.id is not None
            else (entity.type, entity.name, entity.unit): number
            for number, entity in enumerate(self.entities)
        }
        interner.same = {
            (self.entities[number].type, alias): self.entities[number].name
            for number, aliases in self.aliases.items()
            for alias in aliases
        }
        for rows in (interner.heads, interner.tails):
            rows.extend([] for _ in self.relations)
        interner.sources.extend([] for _ in self.relations)
        interner.add(record)
        relation = next(number for number, rows in enumerate(interner.heads) if rows)
        pair = (interner.heads[relation][0], interner.tails[relation][0])
        grown = len(interner.entities) > len(self.entities)
        return self._changed(
            relation,
            add=(pair,),
            source=record.evidence_id,
            entities=tuple(interner.entities) if grown else self.entities,
            relations=tuple(interner.relations),
            records={**self.records, record.evidence_id: record},
        )

    def without_record(self, evidence_id: str) -> FactStore:
        """Return the store without one evidence record; facts go with their last record."""
        record = self.records.get(evidence_id)
        if record is None:
            raise InputError(f"no evidence record {evidence_id!r} in the facts")
        records = {key: value for key, value in self.records.items() if key != evidence_id}
        if record.aliases:
            return FactStore.from_evidence(records.values(), self.sheet)
        for relation, adjacency in enumerate(self.adjacency):
            pairs = tuple(
                (pair >> 32, pair & 0xFFFFFFFF)
                for pair, sources in adjacency.evidence.items()
                if evidence_id in sources
            )
            if pairs:
                return self._changed(relation, remove=pairs, source=evidence_id, records=records)
        return self._changed(0, records=records)

    def with_fact(self, head: str, relation: str, tail: str) -> FactStore:
        """Return the store with one more fact given in names, without evidence."""
        entry = self.sheet.relation(relation)
        entities = list(self.entities)
        pair = []
        for name, kind in ((nfc(head), entry.head_type), (nfc(tail), entry.tail_type)):
            found = [
                number
                for number in self.index.exact.get(name, ())
                if kind is None or self.entities[number].type == kind
            ]
            new = [
                number
                for number in range(len(self.entities), len(entities))
                if entities[number].name == name
            ]
            if not found and not new:
                entities.append(Entity(name, kind))
                new = [len(entities) - 1]
            pair.append((found or new)[0])
        relations = (
            self.relations if relation in self.relation_numbers else (*self.relations, relation)
        )
        return self._changed(
            relations.index(relation),
            add=((pair[0], pair[1]),),
            relations=relations,
            entities=tuple(entities) if len(entities) > len(self.entities) else self.entities,
        )

    def without_fact(self, fact: Fact) -> FactStore:
        """Return the store without one fact, whatever evidence it has."""
        pairs = [(fact.head, fact.tail)]
        if self.sheet.relation(self.relations[fact.relation]).symmetric:
            pairs.append((fact.tail, fact.head))
        return self._changed(fact.relation, remove=tuple(dict.fromkeys(pairs)))

    def without_facts(self, facts: Iterable[Fact]) -> FactStore:
        """Return the store without many facts; entities left without any are gone too."""
        gone: dict[int, set[tuple[int, int]]] = {}
        for fact in facts:
            pairs = gone.setdefault(fact.relation, set())
            pairs.add((fact.head, fact.tail))
            if self.sheet.relation(self.relations[fact.relation]).symmetric:
                pairs.add((fact.tail, fact.head))
        store = self
        for relation, pairs in gone.items():
            store = store._changed(relation, remove=tuple(sorted(pairs)))
        return FactStore(
            store.entities,
            store.relations,
            store.adjacency,
            records=store.records,
            aliases=store.aliases,
            sheet=store.sheet,
            degree=store._degree,
        )

    def _changed(
        self,
        relation: int,
        *,
        add: tuple[tuple[int, int], ...] = (),
        remove: tuple[tuple[int, int], ...] = (),
        source: str | None = None,
        entities: tuple[Entity, ...] | None = None,
        relations: tuple[str, ...] | None = None,
        records: Mapping[str, EvidenceRecord] | None = None,
    ) -> FactStore:
        entities = self.entities if entities is None else entities
        relations = self.relations if relations is None else relations
        adjacency = [*self.adjacency]
        adjacency.extend(Adjacency.build(NONE, NONE) for _ in relations[len(adjacency) :])
        if add and self.sheet.relation(relations[relation]).symmetric:
            add = tuple(dict.fromkeys((*add, *((tail, head) for head, tail in add))))
        new: tuple[tuple[int, int], ...] = ()
        gone: tuple[tuple[int, int], ...] = ()
        if adjacency:
            adjacency[relation], new, gone = adjacency[relation].changed(add, remove, source)
        degree = np.zeros(len(entities), dtype=np.int64)
        degree[: len(self._degree)] = self._degree
        before = degree > 0
        for pairs, step in ((new, 1), (gone, -1)):
            for pair in pairs:
                for end in pair:
                    degree[end] += step
        return FactStore(
            entities,
            relations,
            tuple(adjacency),
            aliases=self.aliases,
            sheet=self.sheet,
            records=self.records if records is None else records,
            degree=degree,
            parent=self,
            delta=Delta(
                relation,
                new,
                gone,
                entities_changed=bool(np.any(before != (degree > 0))),
            ),
        )
