"""Reads facts, evidence, triples and the relation sheet back out of a store."""

from __future__ import annotations

import json
from typing import Any

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.relations import RelationSheet
from graphkit.stores.base import Queries
from graphkit.stores.fact_layer import Triple

__all__ = ["counts", "evidence_texts", "read_evidence", "read_facts", "read_sheet", "read_triples"]


def read_facts(store: Queries) -> FactStore:
    """Return all facts of a store: equal to the fact store of the files that were loaded.

    Entities and relations have the numbers that they would have there, so whatever is grown or
    checked on either comes out alike.
    """
    records, triples, sheet = read_evidence(store), read_triples(store), read_sheet(store)
    if not records:
        return FactStore.from_triples(triples, sheet)
    return FactStore.from_evidence(records.values(), sheet, triples=triples)


def read_evidence(store: Queries) -> dict[str, EvidenceRecord]:
    """Return all evidence records by id, in the order in which they were loaded."""
    return {
        ident: EvidenceRecord.model_validate_json(text)
        for ident, text in evidence_texts(store).items()
    }


def evidence_texts(store: Queries) -> dict[str, str]:
    """Return the JSON of all evidence records by id, in the order in which they were loaded."""
    rows = store.read(
        "MATCH (v:Evidence) RETURN v.id AS id, v.json AS json ORDER BY v.place", timeout=0
    )
    return {row["id"]: row["json"] for row in rows}


def read_triples(store: Queries) -> list[Triple]:
    """Return all facts that were loaded without evidence, in their order."""
    rows = store.read("MATCH (b:Triples) RETURN b.json AS json ORDER BY b.place", timeout=0)
    return [(h, r, t) for row in rows for h, r, t in json.loads(row["json"])]


def read_sheet(store: Queries) -> RelationSheet:
    """Return the relation sheet of a store; an empty one if none was loaded."""
    text = store.read("MATCH (s:Sheet {id: 'sheet'}) RETURN s.json AS json").value()
    return RelationSheet.model_validate(json.loads(text)) if text else RelationSheet()


def counts(store: Queries) -> dict[str, int]:
    """Return how much of each kind a store holds.

    Returns:
        ``entities``, ``facts``, ``evidence``, ``triples``, ``relations``, ``questions``,
        ``mutations``, ``checks``, and what other rooms count.
    """
    from graphkit.stores.rooms import rooms

    queries: dict[str, str] = {
        "entities": "MATCH (n:Entity) RETURN count(n) AS n",
        "facts": "MATCH (:Entity)-[f:FACT]->(:Entity) RETURN count(f) AS n",
        "evidence": "MATCH (n:Evidence) RETURN count(n) AS n",
        "triples": "MATCH (n:Triples) RETURN sum(n.count) AS n",
        "relations": "MATCH (n:Relation) RETURN count(n) AS n",
        "questions": "MATCH (n:Question) RETURN count(n) AS n",
        "mutations": "MATCH (n:Mutation) RETURN count(n) AS n",
        "checks": "MATCH (n:Check) RETURN count(n) AS n",
    }
    for room in rooms():
        queries |= room.counts
    found: dict[str, Any] = {name: store.read(text).value() for name, text in queries.items()}
    return {name: int(value or 0) for name, value in found.items()}
