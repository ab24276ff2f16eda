"""What entities and facts follow from evidence, triples and a sheet: the part to be queried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphkit.entities import Entity
from graphkit.evidence import EvidenceRecord
from graphkit.interning import Interner, Spellings
from graphkit.relations import RelationSheet
from graphkit.stores.base import Queries

__all__ = ["FactKey", "FactLayer", "Layer", "StoredLayer", "Triple", "stored_layer"]

Triple = tuple[str, str, str]
"""A fact without evidence: the names of head, relation and tail."""

Properties = dict[str, Any]


class FactKey(NamedTuple):
    """A fact by the keys of its entities; see :attr:`graphkit.entities.Entity.key`."""

    head: str
    relation: str
    tail: str


Layer = dict[FactKey, Properties]


@dataclass(eq=False)
class FactLayer:
    """Entities and facts of a body of evidence and triples, as the store should hold them.

    Attributes:
        records: The evidence by id, in order.
        entities: Entity key -> the properties of its node.
        facts: Fact -> the ids of its records in order, mirrored facts of symmetric relations too.
        of_record: Evidence id -> its fact.
        of_triple: The fact of each triple, in their order.
    """

    records: Mapping[str, EvidenceRecord]
    entities: dict[str, Properties] = field(default_factory=dict)
    facts: dict[FactKey, list[str]] = field(default_factory=dict)
    of_record: dict[str, FactKey] = field(default_factory=dict)
    of_triple: list[FactKey] = field(default_factory=list)
    symmetric: frozenset[str] = frozenset()

    @classmethod
    def build(
        cls,
        records: Mapping[str, EvidenceRecord],
        triples: Iterable[Triple],
        sheet: RelationSheet,
    ) -> FactLayer:
        """Work out all entities and facts."""
        interner = Interner(sheet)
        interner.spellings = Spellings.of(records.values(), sheet)
        of_record = {ident: interner.add(record) for ident, record in records.items()}
        of_triple = [interner.add_triple(*triple) for triple in triples]
        keys = [entity.key for entity in interner.entities]
        names = list(interner.relations)
        aliases = interner.aliases()
        layer = cls(
            records,
            {
                keys[number]: _entity_properties(entity, aliases.get(number, ()))
                for number, entity in enumerate(interner.entities)
            },
            symmetric=frozenset(name for name in names if sheet.relation(name).symmetric),
        )

        def key(head: int, relation: int, tail: int) -> FactKey:
            return FactKey(keys[head], names[relation], keys[tail])

        layer.of_record = {ident: key(*fact) for ident, fact in of_record.items()}
        layer.of_triple = [key(*fact) for fact in of_triple]
        for ident, fact in layer.of_record.items():
            for one in layer.mirrored([fact]):
                sources = layer.facts.setdefault(one, [])
                if ident not in sources[-1:]:
                    sources.append(ident)
        for fact in layer.mirrored(layer.of_triple):
            layer.facts.setdefault(fact, [])
        return layer

    def mirrored(self, facts: Iterable[FactKey]) -> Iterator[FactKey]:
        """Yield facts, each of a symmetric relation followed by the same the other way round."""
        for fact in facts:
            yield fact
            if fact.relation in self.symmetric and fact.head != fact.tail:
                yield FactKey(fact.tail, fact.relation, fact.head)

    def fact_properties(self, fact: FactKey, loaded: Mapping[str, Any] | None = None) -> Properties:
        """Return the properties of a fact's edge, from all its records or those loaded so far."""
        sources = self.facts[fact]
        if not sources:
            return _PLAIN
        if loaded is not None:
            sources = [ident for ident in sources if ident in loaded]
        fresh = [self.records[ident].is_fresh_knowledge for ident in sources]
        return {"evidence_ids": list(sources), "is_fresh": all(fresh)} if fresh else _PLAIN


_PLAIN: Properties = {"evidence_ids": None, "is_fresh": None}
"""The properties of a fact without evidence."""


def _entity_properties(entity: Entity, aliases: tuple[str, ...]) -> Properties:
    number = None
    if entity.type == "number":
        try:
            number = float(entity.name)
        except ValueError:
            number = None
        if number is not None and abs(number) == float("inf"):
            number = None
    return {
        "name": entity.text,
        "entity_type": entity.type,
        "entity_id": entity.id,
        "unit": entity.unit,
        "number": number,
        "aliases": list(aliases),
    }


@dataclass(eq=False)
class StoredLayer:
    """The entities and facts that a store holds now."""

    entities: dict[str, Properties] = field(default_factory=dict)
    facts: Layer = field(default_factory=dict)
    ends: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)


_ENTITIES = (
    "MATCH (e:Entity) RETURN e.id AS id, e.name AS name, e.entity_type AS entity_type, "
    "e.entity_id AS entity_id, e.unit AS unit, e.number AS number, e.aliases AS aliases"
)
_FACTS = (
    "MATCH (h:Entity)-[f:FACT]->(t:Entity) RETURN h.id AS head, f.relation AS relation, "
    "t.id AS tail, f.evidence_ids AS evidence_ids, f.is_fresh AS is_fresh"
)
_ENDS = (
    "MATCH (h:Entity)<-[:HEAD]-(v:Evidence)-[:TAIL]->(t:Entity) "
    "RETURN v.id AS id, h.id AS head, t.id AS tail"
)


def stored_layer(store: Queries) -> StoredLayer:
    """Read all entities and facts of a store."""
    stored = StoredLayer()
    for row in store.read(_ENTITIES, timeout=0):
        key = row.pop("id")
        stored.entities[key] = row
    for row in store.read(_FACTS, timeout=0):
        fact = FactKey(row["head"], row["relation"], row["tail"])
        sources, fresh = row["evidence_ids"], row["is_fresh"]
        stored.facts[fact] = (
            _PLAIN if sources is None else {"evidence_ids": sources, "is_fresh": fresh}
        )
    for row in store.read(_ENDS, timeout=0):
        stored.ends[row["id"]] = (row["head"], row["tail"])
    return stored
