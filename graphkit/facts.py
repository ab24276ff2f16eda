"""The fact store: facts from triples or evidence, and what a change makes of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from graphkit.adjacency import NONE, Adjacency
from graphkit.errors import InputError
from graphkit.evidence import EvidenceRecord
from graphkit.fact_table import Delta, Fact, FactTable, NamedFact
from graphkit.interning import Identity, Interner, Spellings, identity, names_an_id, unique_records
from graphkit.relations import RelationSheet

__all__ = ["Delta", "Fact", "FactStore", "NamedFact"]


class FactStore(FactTable):
    """An immutable set of facts; a change returns a new store that shares what did not change.

    Build one with :meth:`from_triples` or :meth:`from_evidence`. Entities and relations are
    numbered; sets of entities are :class:`graphkit.entity_set.EntitySet`.

    >>> from graphkit.operations import Direction
    >>> store = FactStore.from_triples([("France", "borders", "Spain"), ("France", "in", "EU")])
    >>> store.project("borders", Direction.FORWARD, store.named("France")).ids.tolist()
    [1]
    >>> len(store), store.entity(1).name
    (2, 'Spain')
    """

    _spellings = Spellings()

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
        return cls._finish(interner, {})

    @classmethod
    def from_evidence(
        cls,
        records: Iterable[EvidenceRecord],
        sheet: RelationSheet | None = None,
        *,
        triples: Iterable[tuple[str, str, str]] = (),
    ) -> FactStore:
        """Build a store from evidence records; aliases are merged, facts keep their records.

        Args:
            records: The records. The same id twice with the same content counts once.
            sheet: The relation sheet: types of both ends, symmetric relations, aliases.
            triples: Further facts as (head, relation, tail) names, without evidence.

        Raises:
            InputError: Two different records have the same id.
        """
        kept = unique_records(records)
        interner = Interner(sheet or RelationSheet())
        interner.spellings = Spellings.of(kept.values(), interner.sheet)
        for record in kept.values():
            interner.add(record)
        for head, relation, tail in triples:
            interner.add_triple(head, relation, tail)
        return cls._finish(interner, kept)

    @classmethod
    def _finish(cls, interner: Interner, records: Mapping[str, EvidenceRecord]) -> FactStore:
        store = cls(
            tuple(interner.entities),
            tuple(interner.relations),
            interner.adjacency(),
            records=records,
            aliases=interner.aliases(),
            sheet=interner.sheet,
        )
        store._spellings = interner.spellings
        return store

    # ---- changing -----------------------------------------------------------------------------

    def with_sheet(self, sheet: RelationSheet) -> FactStore:
        """Return the same facts read with another sheet."""
        interner = Interner(sheet, Spellings.of(self.records.values(), sheet))
        for record in self.records.values():
            interner.add(record)
        for fact in self._plain_facts():
            interner.add_triple(*self.in_names(fact))
        return self._finish(interner, self.records)

    def with_record(self, record: EvidenceRecord) -> FactStore:
        """Return the store with one more evidence record.

        Raises:
            InputError: Another record has the same id.
        """
        if record.evidence_id in self.records:
            if self.records[record.evidence_id] == record:
                return self
            raise InputError(f"evidence {record.evidence_id}: the id is used for another record")
        records = {**self.records, record.evidence_id: record}
        spellings = self._spellings.recounted([record], [], self.sheet)
        interner = self._resumed()
        head, relation, tail = interner.add(record)
        if spellings is None or interner.revised:  # names or types of other facts change too
            return self._reloaded(records)
        return self._changed(
            relation,
            add=((head, tail),),
            source=record.evidence_id,
            interner=interner,
            records=records,
            spellings=spellings,
        )

    def without_record(self, evidence_id: str) -> FactStore:
        """Return the store without one evidence record; a fact goes with its last record.

        A fact that was given without evidence too stays.

        Raises:
            InputError: There is no such record.
        """
        record = self.records.get(evidence_id)
        if record is None:
            raise InputError(f"no evidence record {evidence_id!r} in the facts")
        records = {key: value for key, value in self.records.items() if key != evidence_id}
        spellings = self._spellings.recounted([], [record], self.sheet)
        if spellings is None or names_an_id([record], records.values(), self.sheet):
            return self._reloaded(records)
        head, relation, tail = self._resumed().add(record)
        return self._changed(
            relation,
            remove=((head, tail),),
            source=evidence_id,
            records=records,
            spellings=spellings,
        )

    def with_fact(self, head: str | int, relation: str, tail: str | int) -> FactStore:
        """Return the store with one more fact, without evidence.

        Args:
            head: Its name, read with the relation's type as :meth:`from_triples` does; or the
                number of an entity of this store.
            relation: The name of the relation, or another name that the sheet has for it.
            tail: As ``head``.
        """
        interner = self._resumed()
        head_number, number, tail_number = interner.add_triple(head, relation, tail)
        return self._changed(number, add=((head_number, tail_number),), interner=interner)

    def without_fact(self, fact: Fact) -> FactStore:
        """Return the store without one fact and without the records behind it."""
        pairs = self._both_ways([fact])[fact.relation]
        gone = {key: self.records[key] for key in self.evidence_ids(fact)}
        records = {key: value for key, value in self.records.items() if key not in gone}
        spellings = self._spellings.recounted([], gone.values(), self.sheet)
        if spellings is None or names_an_id(gone.values(), records.values(), self.sheet):
            return self._reloaded(records, {fact.relation: pairs})
        return self._changed(
            fact.relation, remove=tuple(sorted(pairs)), records=records, spellings=spellings
        )

    def without_facts(self, facts: Iterable[Fact]) -> FactStore:
        """Return the store without many facts and without the records behind them."""
        pairs = self._both_ways(facts)
        gone = {
            key
            for relation, found in pairs.items()
            for pair in found
            for key in self.evidence_ids(Fact(pair[0], relation, pair[1]))
        }
        records = {key: value for key, value in self.records.items() if key not in gone}
        return self._reloaded(records, pairs)

    def _both_ways(self, facts: Iterable[Fact]) -> dict[int, set[tuple[int, int]]]:
        """Return relation -> pairs of facts, those of symmetric relations in both directions."""
        found: dict[int, set[tuple[int, int]]] = {}
        for head, relation, tail in facts:
            pairs = found.setdefault(relation, set())
            pairs.add((head, tail))
            if self.sheet.relation(self.relations[relation]).symmetric:
                pairs.add((tail, head))
        return found

    def _plain_facts(self) -> Iterator[Fact]:
        """Yield the facts that were given without evidence, with or without records too."""
        return (fact for fact in self.facts() if self.is_plain(fact))

    def _resumed(self) -> Interner:
        """Return an interner that goes on where this store stands."""
        return Interner(
            self.sheet,
            self._spellings,
            list(self.entities),
            dict(self._numbers),
            dict(self.relation_numbers),
            other_names={
                number: dict.fromkeys(names)
                for number, names in self.aliases.items()
                if self.entities[number].id is not None
            },
        )

    @functools.cached_property
    def _numbers(self) -> dict[Identity, int]:
        parent = self.parent
        if isinstance(parent, FactStore) and parent.entities is self.entities:
            return parent._numbers
        return {identity(entity): number for number, entity in enumerate(self.entities)}

    def _reloaded(
        self,
        records: Mapping[str, EvidenceRecord],
        gone: Mapping[int, set[tuple[int, int]]] | None = None,
    ) -> FactStore:
        """Return a store built afresh from records and from the facts without evidence."""
        interner = Interner(self.sheet, Spellings.of(records.values(), self.sheet))
        for record in records.values():
            interner.add(record)
        for fact in self._plain_facts():
            if gone is None or (fact.head, fact.tail) not in gone.get(fact.relation, ()):
                interner.add_fact(
                    self.entities[fact.head],
                    self.relations[fact.relation],
                    self.entities[fact.tail],
                )
        return self._finish(interner, records)

    def _changed(
        self,
        relation: int,
        *,
        add: tuple[tuple[int, int], ...] = (),
        remove: tuple[tuple[int, int], ...] = (),
        source: str | None = None,
        interner: Interner | None = None,
        records: Mapping[str, EvidenceRecord] | None = None,
        spellings: Spellings | None = None,
    ) -> FactStore:
        entities, relations, aliases = self.entities, self.relations, self.aliases
        if interner is not None:
            relations = tuple(interner.relations)
            if len(interner.entities) > len(entities):
                aliases = {**aliases, **interner.aliases(len(entities))}
                entities = tuple(interner.entities)
        adjacency = [*self.adjacency]
        adjacency.extend(Adjacency.build(NONE, NONE) for _ in relations[len(adjacency) :])
        if self.sheet.relation(relations[relation]).symmetric:
            add = tuple(dict.fromkeys((*add, *((tail, head) for head, tail in add))))
            remove = tuple(dict.fromkeys((*remove, *((tail, head) for head, tail in remove))))
        adjacency[relation], new, gone = adjacency[relation].changed(add, remove, source)
        degree = np.zeros(len(entities), dtype=np.int64)
        degree[: len(self._degree)] = self._degree
        before = degree > 0
        for pairs, step in ((new, 1), (gone, -1)):
            for pair in pairs:
                for end in pair:
                    degree[end] += step
        store = FactStore(
            entities,
            relations,
            tuple(adjacency),
            aliases=aliases,
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
        store._spellings = spellings or self._spellings
        return store
