"""Turns names into numbers while facts are loaded: entities, relations, aliases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from graphkit.adjacency import Adjacency
from graphkit.entities import Entity
from graphkit.errors import InputError
from graphkit.evidence import LITERAL_TYPES, EvidenceRecord, canonical_literal, nfc
from graphkit.relations import RelationSheet

__all__ = ["Interner", "alias_table", "unique_records"]


@dataclass(eq=False)
class Interner:
    """Collects entities and facts while a store is being built."""

    sheet: RelationSheet
    entities: list[Entity] = field(default_factory=list)
    numbers: dict[tuple[str | None, ...], int] = field(default_factory=dict)
    relations: dict[str, int] = field(default_factory=dict)
    heads: list[list[int]] = field(default_factory=list)
    tails: list[list[int]] = field(default_factory=list)
    sources: list[list[str]] = field(default_factory=list)
    same: dict[tuple[str | None, str], str] = field(default_factory=dict)

    def entity(self, entity: Entity) -> int:
        """Return the number of an entity, giving a new one if it is not known yet."""
        if entity.id is not None:
            key: tuple[str | None, ...] = ("id", entity.id)
        else:
            key = (entity.type, entity.name, entity.unit)
        number = self.numbers.get(key)
        if number is None:
            number = len(self.entities)
            self.numbers[key] = number
            self.entities.append(entity)
        return number

    def relation(self, name: str) -> tuple[int, str, bool]:
        """Return (number, canonical name, inverted?) of a relation, numbering a new one."""
        inverted = False
        if name not in self.sheet.relations:
            known = self.sheet.aliases.get(name, ())
            if len(known) == 1:
                name, inverted = known[0]
        if name not in self.relations:
            self.relations[name] = len(self.relations)
            self.heads.append([])
            self.tails.append([])
            self.sources.append([])
        return self.relations[name], name, inverted

    def end(
        self, name: str, kind: str | None, ident: str | None = None, unit: str | None = None
    ) -> int:
        """Return the number of one end of a fact: an entity, or a literal in its one spelling."""
        if kind in LITERAL_TYPES:
            return self.entity(Entity(canonical_literal(kind, name), kind, None, unit))
        return self.entity(Entity(self.same.get((kind, name), name), kind, ident))

    def add(self, record: EvidenceRecord) -> None:
        """Take in the fact of one evidence record."""
        number, name, inverted = self.relation(record.relation)
        entry = self.sheet.relation(name)
        kinds = (entry.head_type, entry.tail_type)
        if inverted:
            kinds = (entry.tail_type, entry.head_type)
        head = self.end(record.head_entity, record.head_type or kinds[0], record.head_id)
        tail = self.end(
            record.tail_entity, record.tail_type or kinds[1], record.tail_id, record.tail_unit
        )
        self.heads[number].append(tail if inverted else head)
        self.tails[number].append(head if inverted else tail)
        self.sources[number].append(record.evidence_id)

    def add_triple(self, head: str, name: str, tail: str) -> None:
        """Take in a fact given in names, without evidence."""
        number, name, inverted = self.relation(nfc(name))
        if inverted:
            head, tail = tail, head
        entry = self.sheet.relation(name)
        self.heads[number].append(self.end(nfc(head), entry.head_type))
        self.tails[number].append(self.end(nfc(tail), entry.tail_type))

    def adjacency(self) -> tuple[Adjacency, ...]:
        """Return the tables of all relations, symmetric ones closed."""
        tables = []
        for name, number in self.relations.items():
            heads = np.array(self.heads[number], dtype=np.int32)
            tails = np.array(self.tails[number], dtype=np.int32)
            evidence: dict[int, dict[str, None]] = {}
            for head, tail, source in zip(
                self.heads[number], self.tails[number], self.sources[number], strict=False
            ):
                evidence.setdefault(head << 32 | tail, {})[source] = None
            if self.sheet.relation(name).symmetric:
                heads, tails = np.r_[heads, tails], np.r_[tails, heads]
                for pair, sources in list(evidence.items()):
                    mirror = (pair & 0xFFFFFFFF) << 32 | pair >> 32
                    evidence.setdefault(mirror, {}).update(sources)
            tables.append(
                Adjacency.build(
                    heads, tails, {pair: tuple(sources) for pair, sources in evidence.items()}
                )
            )
        return tuple(tables)


def unique_records(records: Iterable[EvidenceRecord]) -> dict[str, EvidenceRecord]:
    """Return records by id; the same record twice counts once.

    Raises:
        InputError: Two different records have the same id.
    """
    kept: dict[str, EvidenceRecord] = {}
    for record in records:
        before = kept.setdefault(record.evidence_id, record)
        if before is not record and before != record:
            raise InputError(
                f"evidence {record.evidence_id}: the id is used for two different "
                "records, expected one"
            )
    return kept


def _typed(record: EvidenceRecord, sheet: RelationSheet) -> tuple[str | None, str | None]:
    entry = sheet.relation(record.relation)
    return record.head_type or entry.head_type, record.tail_type or entry.tail_type


def alias_table(
    records: Iterable[EvidenceRecord], sheet: RelationSheet
) -> dict[tuple[str | None, str], dict[str, None]]:
    """Return (type, main name) -> its aliases, from all records."""
    table: dict[tuple[str | None, str], dict[str, None]] = {}
    for record in records:
        if not record.aliases:
            continue
        head_type, tail_type = _typed(record, sheet)
        for name, others in record.aliases.items():
            name = nfc(name)
            kind = (
                tail_type
                if name == record.tail_entity and name != record.head_entity
                else head_type
            )
            entry = table.setdefault((kind, name), {})
            entry.update((nfc(other), None) for other in others if nfc(other) != name)
    return table
