"""Loads evidence, triples and relation sheets into a store, in whole batches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from graphkit.errors import StoreError
from graphkit.evidence import EvidenceRecord, nfc
from graphkit.facts import FactStore
from graphkit.formats import strict_json
from graphkit.interning import canonical_relation, unique_records
from graphkit.relations import RelationSheet
from graphkit.stores.base import GraphStore, StoreTransaction
from graphkit.stores.fact_layer import FactKey, FactLayer, StoredLayer, Triple, stored_layer
from graphkit.stores.reading import evidence_texts, read_sheet, read_triples

__all__ = [
    "BATCH",
    "TRIPLE_BATCH",
    "Progress",
    "evidence_json",
    "facts_complete",
    "load_evidence",
    "load_facts",
    "load_triples",
]

BATCH = 1000
"""Evidence records in one transaction."""

TRIPLE_BATCH = 10_000
"""Triples in one transaction."""

Progress = Callable[[int, int], None]
"""Is told after each transaction how many of how many records are in the store."""

T = TypeVar("T")


def load_evidence(
    store: GraphStore,
    records: Iterable[EvidenceRecord],
    sheet: RelationSheet | None = None,
    *,
    progress: Progress | None = None,
    batch: int = BATCH,
) -> int:
    """Load evidence records with the entities and facts that follow from them.

    Each batch is one transaction. What is there already stays as it is; a record whose id is
    there with other content replaces it. A load that was killed is completed by loading again.

    Args:
        store: The store, open for writing.
        records: The records. The same id twice with the same content counts once.
        sheet: The relation sheet; by default the one in the store. Another one than that in the
            store replaces it, and all facts are read with it anew.
        progress: Is told how many of how many records are in the store.
        batch: Records in one transaction.

    Returns:
        How many records were new or changed.

    Raises:
        InputError: Two different records have the same id.
    """
    return _load(store, records, (), sheet, progress, batch, TRIPLE_BATCH)


def load_triples(
    store: GraphStore,
    triples: Iterable[Triple],
    sheet: RelationSheet | None = None,
    *,
    progress: Progress | None = None,
    batch: int = TRIPLE_BATCH,
) -> int:
    """Load facts (head, relation, tail) without evidence; otherwise like :func:`load_evidence`.

    Returns:
        How many triples were new.
    """
    return _load(store, (), triples, sheet, progress, BATCH, batch)


def load_facts(
    store: GraphStore, facts: FactStore, *, progress: Progress | None = None, batch: int = BATCH
) -> int:
    """Load a fact store: its records, its facts without records, and its sheet.

    Args:
        store: The store, open for writing.
        facts: The facts; one that has no record must be told by the names of its ends.
        progress: Is told how many of how many records and triples are in the store.
        batch: Records in one transaction.

    Returns:
        How many records and triples were new or changed.
    """
    bare = [facts.in_names(fact) for fact in facts.facts() if not facts.evidence_ids(fact)]
    return _load(store, facts.records.values(), bare, facts.sheet, progress, batch, TRIPLE_BATCH)


def evidence_json(record: EvidenceRecord) -> str:
    """Return a record as the JSON that the store keeps: the keys that were set, in order."""
    return strict_json.dumps(record.model_dump(mode="json", exclude_unset=True))


def _load(
    store: GraphStore,
    records: Iterable[EvidenceRecord],
    triples: Iterable[Triple],
    sheet: RelationSheet | None,
    progress: Progress | None,
    batch: int,
    triple_batch: int,
) -> int:
    if batch < 1 or triple_batch < 1:
        raise StoreError(f"a batch has {min(batch, triple_batch)} records, expected 1 or more")
    known_texts, known_triples = evidence_texts(store), read_triples(store)
    known_sheet = read_sheet(store)
    sheet = known_sheet if sheet is None else sheet
    given = unique_records(records)
    written = {ident: evidence_json(record) for ident, record in given.items()}
    changed = [ident for ident in given if known_texts.get(ident) != written[ident]]
    new_triples = _unknown(triples, known_triples)
    total = len(changed) + len(new_triples)
    if not total and sheet == known_sheet and facts_complete(store):
        return 0
    _begin(store, sheet, known_sheet)
    stored = stored_layer(store)
    fresh = not stored.entities
    everything = {
        ident: given.get(ident) or EvidenceRecord.model_validate_json(text)
        for ident, text in known_texts.items()
    } | given
    layer = FactLayer.build(everything, [*known_triples, *new_triples], sheet)
    loaded: dict[str, Any] = dict.fromkeys(known_texts)
    for ident in changed:
        loaded.pop(ident, None)
    place = {ident: number for number, ident in enumerate(everything)}
    done = 0
    for part in _parts(changed, batch):
        loaded.update(dict.fromkeys(part))
        with store.transaction() as transaction:
            _write_records(transaction, part, layer, place, written, sheet)
            facts = layer.mirrored(layer.of_record[ident] for ident in part)
            _write_facts(transaction, layer, stored, facts, loaded)
            _write_ends(transaction, layer, stored, part)
        done += len(part)
        if progress:
            progress(done, total)
    first = len(known_triples)
    for number, chunk in enumerate(_parts(new_triples, triple_batch)):
        start = first + number * triple_batch
        with store.transaction() as transaction:
            _write_triples(transaction, start, chunk)
            facts = layer.mirrored(layer.of_triple[start : start + len(chunk)])
            _write_facts(transaction, layer, stored, facts, loaded)
        done += len(chunk)
        if progress:
            progress(done, total)
    _finish(store, layer, stored, sheet, fresh=fresh)
    return total


def _unknown(triples: Iterable[Triple], known: Iterable[Triple]) -> list[Triple]:
    """Return the triples that are not known, once each, in normal form."""
    plain: dict[str, str] = {}
    found: dict[Triple, None] = {}
    for triple in triples:
        for name in triple:
            if name not in plain:
                plain[name] = nfc(name)
        head, relation, tail = triple
        found[plain[head], plain[relation], plain[tail]] = None
    for triple in known:
        found.pop(triple, None)
    return list(found)


def _parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def facts_complete(store: GraphStore) -> bool:
    """Whether the last load of facts came to its end; one that did not is completed by another."""
    state = store.read("MATCH (s:Store {id: 'graphkit'}) RETURN s.facts_state AS state").value()
    return bool(state == "complete")


def _begin(store: GraphStore, sheet: RelationSheet, known: RelationSheet) -> None:
    with store.transaction() as transaction:
        transaction.bulk_nodes("Store", [{"id": "graphkit", "facts_state": "loading"}])
        if sheet != known:
            data = sheet.model_dump(mode="json", exclude_unset=True)
            transaction.bulk_nodes("Sheet", [{"id": "sheet", "json": strict_json.dumps(data)}])


def _write_records(
    transaction: StoreTransaction,
    idents: Sequence[str],
    layer: FactLayer,
    place: Mapping[str, int],
    written: Mapping[str, str],
    sheet: RelationSheet,
) -> None:
    rows = []
    for ident in idents:
        record = layer.records[ident]
        name, inverted = canonical_relation(record.relation, sheet)
        rows.append(
            {
                "id": ident,
                "head_entity": record.head_entity,
                "relation": name,
                "tail_entity": record.tail_entity,
                "inverted": inverted,
                "evidence_text": record.evidence_text,
                "source_url": record.source_url,
                "root_domain": record.root_domain,
                "is_fresh_knowledge": record.is_fresh_knowledge,
                "observed_at": record.observed_at,
                "published_at": record.published_at,
                "place": place[ident],
                "json": written[ident],
            }
        )
    transaction.bulk_nodes("Evidence", rows)


def _write_triples(transaction: StoreTransaction, start: int, chunk: Sequence[Triple]) -> None:
    text = json.dumps(chunk, ensure_ascii=False, separators=(",", ":"))
    transaction.bulk_nodes(
        "Triples",
        [{"id": f"{start:012d}", "place": start, "count": len(chunk), "json": text}],
    )


def _write_facts(
    transaction: StoreTransaction,
    layer: FactLayer,
    stored: StoredLayer,
    facts: Iterable[FactKey],
    loaded: Mapping[str, Any],
) -> None:
    """Write the entities and edges of some facts, where the store has them otherwise or not."""
    entities, edges = [], []
    for fact in dict.fromkeys(facts):
        head, relation, tail = fact
        for key in (head, tail):
            wanted = layer.entities[key]
            held = stored.entities.get(key)
            if held is not wanted and held != wanted:
                stored.entities[key] = wanted
                entities.append({"id": key, **wanted})
        properties = layer.fact_properties(fact, loaded)
        before = stored.facts.get(fact)
        if before != properties:
            stored.facts[fact] = properties
            edge = {"source": head, "relation": relation, "target": tail}
            bare = before is None and properties["evidence_ids"] is None
            edges.append(edge if bare else {**edge, **properties})
    transaction.bulk_nodes("Entity", entities)
    transaction.bulk_edges("FACT", "Entity", "Entity", edges)


def _write_ends(
    transaction: StoreTransaction, layer: FactLayer, stored: StoredLayer, idents: Iterable[str]
) -> None:
    """Join evidence to the entities at both ends of its fact."""
    rows: dict[str, list[dict[str, str]]] = {"HEAD": [], "TAIL": []}
    moved = []
    for ident in idents:
        fact = layer.of_record[ident]
        ends = (fact.head, fact.tail)
        if stored.ends.get(ident) == ends:
            continue
        if ident in stored.ends:
            moved.append(ident)
        stored.ends[ident] = ends
        rows["HEAD"].append({"source": ident, "target": fact.head})
        rows["TAIL"].append({"source": ident, "target": fact.tail})
    if moved:
        for kind in rows:
            transaction.write(
                f"UNWIND $ids AS id MATCH (:Evidence {{id: id}})-[e:{kind}]->(:Entity) DELETE e",
                {"ids": moved},
            )
    for kind, edges in rows.items():
        transaction.bulk_edges(kind, "Evidence", "Entity", edges)


def _finish(
    store: GraphStore, layer: FactLayer, stored: StoredLayer, sheet: RelationSheet, *, fresh: bool
) -> None:
    """Bring what is left in line with all the records, take away what none of them says now."""
    gone_facts = [fact for fact in stored.facts if fact not in layer.facts]
    gone_entities = [key for key in stored.entities if key not in layer.entities]
    with store.transaction() as transaction:
        if not fresh:
            _write_facts(transaction, layer, stored, layer.facts, layer.records)
            _write_ends(transaction, layer, stored, layer.of_record)
            _rename_relations(transaction, layer, sheet)
        for part in _parts(gone_facts, TRIPLE_BATCH):
            transaction.write(
                "UNWIND $rows AS row MATCH (:Entity {id: row.head})"
                "-[f:FACT {relation: row.relation}]->(:Entity {id: row.tail}) DELETE f",
                {"rows": [fact._asdict() for fact in part]},
            )
        for keys in _parts(gone_entities, TRIPLE_BATCH):
            transaction.write(
                "UNWIND $ids AS id MATCH (e:Entity {id: id}) DETACH DELETE e", {"ids": keys}
            )
        _write_relations(transaction, layer, sheet)
        transaction.bulk_nodes("Store", [{"id": "graphkit", "facts_state": "complete"}])


def _rename_relations(
    transaction: StoreTransaction, layer: FactLayer, sheet: RelationSheet
) -> None:
    """Give evidence the relation names of the sheet, where another sheet named them before."""
    rows = transaction.read(
        "MATCH (v:Evidence) RETURN v.id AS id, v.relation AS relation, v.inverted AS inverted",
        timeout=0,
    )
    changed = []
    for row in rows:
        record = layer.records[row["id"]]
        name, inverted = canonical_relation(record.relation, sheet)
        if (row["relation"], row["inverted"]) != (name, inverted):
            changed.append({"id": row["id"], "relation": name, "inverted": inverted})
    transaction.bulk_nodes("Evidence", changed)


def _write_relations(transaction: StoreTransaction, layer: FactLayer, sheet: RelationSheet) -> None:
    """Write a node for each relation of the sheet and of the facts."""
    counts = dict.fromkeys(sheet.relations, 0)
    for fact in layer.facts:
        counts[fact.relation] = counts.get(fact.relation, 0) + 1
    rows = []
    for name, count in counts.items():
        entry = sheet.relation(name)
        complete = entry.complete
        rows.append(
            {
                "id": name,
                "facts": count,
                "inverse": entry.inverse,
                "symmetric": entry.symmetric,
                "functional": entry.functional,
                "complete": complete if isinstance(complete, bool) else None,
                "complete_for": [] if isinstance(complete, bool) else list(complete),
                "head_type": entry.head_type,
                "tail_type": entry.tail_type,
                "aliases": list(entry.aliases),
                "forward_phrase": entry.phrases.forward if entry.phrases else None,
                "backward_phrase": entry.phrases.backward if entry.phrases else None,
            }
        )
    known = set(transaction.read("MATCH (r:Relation) RETURN r.id AS id", timeout=0).column("id"))
    gone = [name for name in known if name not in counts]
    if gone:
        transaction.write(
            "UNWIND $ids AS id MATCH (r:Relation {id: id}) DETACH DELETE r", {"ids": gone}
        )
    transaction.bulk_nodes("Relation", rows)
