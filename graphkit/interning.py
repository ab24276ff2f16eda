"""Turns names into numbers while facts are loaded: entities, relations, aliases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from graphkit.adjacency import PLAIN, Adjacency
from graphkit.entities import Entity
from graphkit.errors import InputError
from graphkit.evidence import LITERAL_TYPES, EvidenceRecord, nfc, split_literal
from graphkit.relations import Relation, RelationSheet

__all__ = ["Identity", "Interner", "Spellings", "identity", "names_an_id", "unique_records"]

Identity = tuple[str | None, ...]


def identity(entity: Entity) -> Identity:
    """Return what makes an entity itself: its id, else its type, name and unit."""
    if entity.id is not None:
        return ("id", entity.id)
    return (entity.type, entity.name, entity.unit)


def canonical_relation(name: str, sheet: RelationSheet) -> tuple[str, bool]:
    """Return (the sheet's own name of a relation, whether it is read the other way round)."""
    if name not in sheet.relations:
        known = sheet.aliases.get(name, ())
        if len(known) == 1:
            return known[0]
    return name, False


def _end_types(
    record: EvidenceRecord, entry: Relation, inverted: bool
) -> tuple[str | None, str | None]:
    kinds = (entry.tail_type, entry.head_type) if inverted else (entry.head_type, entry.tail_type)
    return record.head_type or kinds[0] or None, record.tail_type or kinds[1] or None


Claim = tuple[str | None, str, str]
"""(type, main name, alias); a main name without aliases claims the empty one."""


def _claims(record: EvidenceRecord, sheet: RelationSheet) -> Iterator[Claim]:
    if not record.aliases:
        return
    name, inverted = canonical_relation(record.relation, sheet)
    head_type, tail_type = _end_types(record, sheet.relation(name), inverted)
    for main, others in record.aliases.items():
        main = nfc(main)
        of_tail = main == record.tail_entity and main != record.head_entity
        kind = tail_type if of_tail else head_type
        for other in dict.fromkeys(["", *map(nfc, others)]):
            if other != main:
                yield kind, main, other


@dataclass(frozen=True, slots=True)
class Spellings:
    """What the aliases of a body of evidence say.

    Attributes:
        counts: How many records make each claim.
        table: (type, main name) -> its aliases, whether or not a fact has an entity of that name.
        same: (type, alias) -> the main name that it stands for: an alias that just one name
            claims, and that is not itself a name with aliases.
    """

    counts: Mapping[Claim, int] = field(default_factory=dict)
    table: Mapping[tuple[str | None, str], tuple[str, ...]] = field(default_factory=dict)
    same: Mapping[tuple[str | None, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[EvidenceRecord], sheet: RelationSheet) -> Spellings:
        """Collect the aliases of all records."""
        counts: dict[Claim, int] = {}
        table: dict[tuple[str | None, str], list[str]] = {}
        mains: dict[tuple[str | None, str], list[str]] = {}
        for record in records:
            for claim in _claims(record, sheet):
                counts[claim] = counts.get(claim, 0) + 1
        for kind, main, other in counts:
            others = table.setdefault((kind, main), [])
            if other:
                others.append(other)
                mains.setdefault((kind, other), []).append(main)
        return cls(
            counts,
            {place: tuple(others) for place, others in table.items()},
            {
                place: names[0]
                for place, names in mains.items()
                if len(names) == 1 and place not in table
            },
        )

    def recounted(
        self, came: Iterable[EvidenceRecord], gone: Iterable[EvidenceRecord], sheet: RelationSheet
    ) -> Spellings | None:
        """Return what the aliases say once records come and go; None if they say another thing."""
        counts = dict(self.counts)
        for records, step in ((came, 1), (gone, -1)):
            for record in records:
                for claim in _claims(record, sheet):
                    counts[claim] = counts.get(claim, 0) + step
                    if counts[claim] < 1 or claim not in self.counts:
                        return None
        return Spellings(counts, self.table, self.same)


@dataclass(eq=False)
class Interner:
    """Collects entities and facts while a store is being built.

    Attributes:
        other_names: Entity number -> further names that records give to the same id.
        revised: Whether what was known of an entity changed: a further name, or a type at last.
    """

    sheet: RelationSheet
    spellings: Spellings = field(default_factory=Spellings)
    entities: list[Entity] = field(default_factory=list)
    numbers: dict[Identity, int] = field(default_factory=dict)
    relations: dict[str, int] = field(default_factory=dict)
    heads: list[list[int]] = field(default_factory=list)
    tails: list[list[int]] = field(default_factory=list)
    sources: list[list[str | None]] = field(default_factory=list)
    other_names: dict[int, dict[str, None]] = field(default_factory=dict)
    revised: bool = False
    _known_relations: dict[str, _KnownRelation] = field(default_factory=dict, repr=False)
    _known_ends: dict[tuple[str | None, str | None], _KnownEnds] = field(
        default_factory=dict, repr=False
    )

    def __post_init__(self) -> None:
        """Open empty rows for relations that are known already."""
        for rows in (self.heads, self.tails, self.sources):
            rows.extend([] for _ in self.relations)

    def entity(self, entity: Entity) -> int:
        """Return the number of an entity, giving a new one if it is not known yet."""
        key = identity(entity)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.entities)
            self.entities.append(entity)
        elif entity.id is not None:
            self._same_id(number, entity)
        return number

    def _same_id(self, number: int, entity: Entity) -> None:
        known = self.entities[number]
        if known.type is None and entity.type is not None:
            self.entities[number] = known._replace(type=entity.type)
            self.revised = True
        others = self.other_names.setdefault(number, {})
        if entity.name != known.name and entity.name not in others:
            others[entity.name] = None
            self.revised = True

    def relation(self, name: str) -> tuple[int, str, bool]:
        """Return (number, canonical name, inverted?) of a relation, numbering a new one."""
        if not name:
            raise InputError("a fact has a blank relation, expected a name")
        name, inverted = canonical_relation(name, self.sheet)
        if name not in self.relations:
            self.relations[name] = len(self.relations)
            for rows in (self.heads, self.tails, self.sources):
                rows.append([])
        return self.relations[name], name, inverted

    def end(
        self, name: str, kind: str | None, ident: str | None = None, unit: str | None = None
    ) -> int:
        """Return the number of one end of a fact: an entity, or a literal in its one spelling."""
        if not name:
            raise InputError("a fact has a blank name at one end, expected a name")
        if kind in LITERAL_TYPES:
            value, said = split_literal(kind, name)
            return self.entity(Entity(value, kind, None, said or unit))
        return self.entity(Entity(self.spellings.same.get((kind, name), name), kind, ident))

    def add(self, record: EvidenceRecord) -> tuple[int, int, int]:
        """Take in the fact of one evidence record; return it as (head, relation, tail)."""
        number, name, inverted = self.relation(record.relation)
        entry = self.sheet.relation(name)
        head_type, tail_type = _end_types(record, entry, inverted)
        unit = entry.tail_unit if inverted else None
        head = self.end(record.head_entity, head_type, record.head_id, unit)
        unit = record.tail_unit or (None if inverted else entry.tail_unit)
        tail = self.end(record.tail_entity, tail_type, record.tail_id, unit)
        if inverted:
            head, tail = tail, head
        return self._put(head, number, tail, record.evidence_id)

    def add_triple(self, head: str | int, name: str, tail: str | int) -> tuple[int, int, int]:
        """Take in a fact without evidence; its ends are names, or numbers of known entities."""
        known = self._known_relations.get(name)
        if known is None:
            known = self._known_relations[name] = self._known_relation(name)
        number, inverted, heads, tails = known
        if inverted:
            head, tail = tail, head
        if isinstance(head, str):
            head = heads.number(head)
        if isinstance(tail, str):
            tail = tails.number(tail)
        return self._put(head, number, tail, None)

    def _known_relation(self, name: str) -> _KnownRelation:
        number, name, inverted = self.relation(nfc(name))
        entry = self.sheet.relation(name)
        kinds = (entry.head_type or None, None), (entry.tail_type or None, entry.tail_unit)
        heads, tails = (
            self._known_ends.setdefault(kind, _KnownEnds(self, *kind)) for kind in kinds
        )
        return number, inverted, heads, tails

    def add_fact(self, head: Entity, name: str, tail: Entity) -> tuple[int, int, int]:
        """Take in a fact of another store that has no evidence there."""
        ends = [self.end(e.name, e.type, e.id, e.unit) for e in (head, tail)]
        return self._put(ends[0], self.relation(name)[0], ends[1], None)

    def _put(self, head: int, relation: int, tail: int, source: str | None) -> tuple[int, int, int]:
        self.heads[relation].append(head)
        self.tails[relation].append(tail)
        self.sources[relation].append(source)
        return head, relation, tail

    def aliases(self, start: int = 0) -> dict[int, tuple[str, ...]]:
        """Return entity number -> all its other names, for the entities from a number on."""
        found: dict[int, tuple[str, ...]] = {}
        for number in range(start, len(self.entities)):
            entity = self.entities[number]
            others = dict.fromkeys(self.other_names.get(number, ()))
            others.update(dict.fromkeys(self.spellings.table.get((entity.type, entity.name), ())))
            if others:
                found[number] = tuple(others)
        return found

    def adjacency(self) -> tuple[Adjacency, ...]:
        """Return the tables of all relations, symmetric ones closed."""
        tables = []
        for name, number in self.relations.items():
            heads = np.array(self.heads[number], dtype=np.int32)
            tails = np.array(self.tails[number], dtype=np.int32)
            symmetric = self.sheet.relation(name).symmetric
            evidence: dict[int, dict[str, None]] = {}
            plain: list[int] = []
            for head, tail, source in zip(
                self.heads[number], self.tails[number], self.sources[number], strict=True
            ):
                for pair in (head << 32 | tail, tail << 32 | head)[: 1 + symmetric]:
                    if source is None:
                        plain.append(pair)
                    else:
                        evidence.setdefault(pair, {})[source] = None
            for pair in plain:
                if pair in evidence:
                    evidence[pair] = {PLAIN: None, **evidence[pair]}
            if symmetric:
                heads, tails = np.r_[heads, tails], np.r_[tails, heads]
            tables.append(
                Adjacency.build(
                    heads, tails, {pair: tuple(sources) for pair, sources in evidence.items()}
                )
            )
        return tuple(tables)


@dataclass(eq=False, slots=True)
class _KnownEnds:
    """The numbers of the ends of facts without evidence, by their names as they were given."""

    interner: Interner
    kind: str | None
    unit: str | None
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of an end, giving a new one if it is not known yet."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = self.interner.end(nfc(name), self.kind, unit=self.unit)
        return found


_KnownRelation = tuple[int, bool, _KnownEnds, _KnownEnds]
"""(number, inverted?, its heads, its tails)."""


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


def names_an_id(
    gone: Iterable[EvidenceRecord], left: Iterable[EvidenceRecord], sheet: RelationSheet
) -> bool:
    """Whether records that go have an id to which records give more than one name or type."""
    said: dict[str, set[tuple[str, str | None]]] = {}
    for record in gone:
        for ident, name, kind in _spoken(record, sheet):
            said.setdefault(ident, set()).add((name, kind))
    if said:
        for record in left:
            for ident, name, kind in _spoken(record, sheet):
                if ident in said:
                    said[ident].add((name, kind))
    return any(len(found) > 1 for found in said.values())


def _spoken(record: EvidenceRecord, sheet: RelationSheet) -> Iterator[tuple[str, str, str | None]]:
    name, inverted = canonical_relation(record.relation, sheet)
    head_type, tail_type = _end_types(record, sheet.relation(name), inverted)
    if record.head_id is not None:
        yield record.head_id, record.head_entity, head_type
    if record.tail_id is not None:
        yield record.tail_id, record.tail_entity, tail_type
