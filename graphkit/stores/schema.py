"""The one schema of graph stores: labels, relationship types, their keys, indexes and version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from graphkit.errors import InputError, StoreError, StoreVersionError, did_you_mean
from graphkit.stores.base import GraphStore, checked_properties

__all__ = [
    "EDGES",
    "LABELS",
    "RESERVED_LABELS",
    "SCHEMA_VERSION",
    "check_version",
    "checked_edge",
    "checked_label",
    "constraint_statement",
    "create_schema",
    "edge_batch",
    "edge_rows",
    "edge_statement",
    "node_batch",
    "node_rows",
    "node_statement",
    "package_version",
]

SCHEMA_VERSION = 1
"""Counts up with every change that an older graphkit could not read."""

LABELS = (
    "Store",
    "Sheet",
    "Relation",
    "Evidence",
    "Triples",
    "Entity",
    "Question",
    "Node",
    "Mutation",
    "Check",
)
"""The labels in use; every node has an ``id`` that is unique among its label."""

RESERVED_LABELS = (
    "Task",
    "Dimension",
    "Direction",
    "Atom",
    "RubricFact",
    "Claim",
    "Report",
    "Verdict",
    "Score",
)
"""Labels of rubric trees, verdicts and scores, written by ``rubric.stored``."""

EDGES: dict[str, str | None] = {
    "FACT": "relation",
    "HEAD": None,
    "TAIL": None,
    "HAS_NODE": None,
    "ROOT": None,
    "PROJECTION": "edge_id",
    "INTERSECTION": "edge_id",
    "COMPLEMENT": "edge_id",
    "UNION": "edge_id",
    "GREW_INTO": None,
    "MUTATED": None,
    "FOLLOWED_BY": None,
    "CHECKED": None,
    "HAS": None,
    "ABOUT": None,
    "JUDGED": None,
    "RELATES": "kind",
    "SCORED": None,
    "RATED": None,
    "COUNTED": None,
}
"""The relationship types, each with the property that tells apart edges between the same nodes."""

_INDEXED = (
    ("Entity", "name"),
    ("Entity", "entity_type"),
    ("Evidence", "relation"),
    ("Question", "answer"),
    ("Node", "question_id"),
)


def checked_label(label: str) -> str:
    """Return a label of the schema.

    Raises:
        InputError: The schema has no such label.
    """
    known = (*LABELS, *RESERVED_LABELS)
    if label not in known:
        raise InputError(f"no label {label!r} in the schema{did_you_mean(label, known)}")
    return label


def checked_edge(kind: str) -> str:
    """Return a relationship type of the schema.

    Raises:
        InputError: The schema has no such type.
    """
    if kind not in EDGES:
        raise InputError(f"no relationship type {kind!r} in the schema{did_you_mean(kind, EDGES)}")
    return kind


def node_statement(label: str) -> str:
    """Return the statement that creates or changes nodes from ``$rows`` of id and properties."""
    return f"UNWIND $rows AS row MERGE (n:{checked_label(label)} {{id: row.id}}) SET n += row.set"


def edge_statement(kind: str, source: str, target: str, *, plain: bool = False) -> str:
    """Return the statement that creates or changes edges from ``$rows``.

    Each row has ``source`` and ``target`` ids, ``key`` if the type has one, and, unless it is
    ``plain``, ``set``.
    """
    key = EDGES[checked_edge(kind)]
    keyed = f" {{{key}: row.key}}" if key else ""
    return (
        f"UNWIND $rows AS row MATCH (a:{checked_label(source)} {{id: row.source}}) "
        f"MATCH (b:{checked_label(target)} {{id: row.target}}) "
        f"MERGE (a)-[e:{kind}{keyed}]->(b)" + ("" if plain else " SET e += row.set")
    )


def node_batch(label: str, rows: Iterable[Mapping[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    """Return the statement for some nodes and its checked rows; see :func:`node_rows`."""
    return node_statement(label), node_rows(label, rows)


def edge_batch(
    kind: str, source: str, target: str, rows: Iterable[Mapping[str, Any]]
) -> tuple[str, list[dict[str, Any]]]:
    """Return the statement for some edges and its checked rows; see :func:`edge_rows`.

    Where no edge has a property of its own none is set, which is quicker on every engine.
    """
    prepared = edge_rows(kind, rows)
    plain = not any(row["set"] for row in prepared)
    if plain:
        for row in prepared:
            del row["set"]
    return edge_statement(kind, source, target, plain=plain), prepared


def node_rows(label: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return checked rows for :func:`node_statement`.

    Raises:
        InputError: A row has no id, or a property that only some engines take.
    """
    prepared = []
    for row in rows:
        ident = _text(row, "id", f"{label} node")
        rest = {name: value for name, value in row.items() if name != "id"}
        prepared.append({"id": ident, "set": checked_properties(rest, f"{label} {ident}")})
    return prepared


def edge_rows(kind: str, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return checked rows for :func:`edge_statement`.

    Raises:
        InputError: A row lacks an end or its key, or has a property that only some engines take.
    """
    key = EDGES[checked_edge(kind)]
    what = f"{kind} edge"
    prepared = []
    for row in rows:
        made: dict[str, Any] = {
            "source": _text(row, "source", what),
            "target": _text(row, "target", what),
        }
        if key:
            made["key"] = _text(row, key, what)
        if len(row) > len(made):
            rest = {n: v for n, v in row.items() if n not in ("source", "target", key)}
            made["set"] = checked_properties(rest, what)
        else:
            made["set"] = {}
        prepared.append(made)
    return prepared


def _text(row: Mapping[str, Any], name: str, what: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f"{what}: {name} is {value!r}, expected text")
    return value if value.isascii() else str(checked_properties({name: value}, what)[name])


def constraint_statement(label: str) -> str:
    """Return the statement that makes the ids of a label unique, if they are not yet."""
    name = f"{checked_label(label).lower()}_id"
    return f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE n.id IS UNIQUE"


def _statements(engine: str) -> Iterable[str]:
    for label in (*LABELS, *RESERVED_LABELS):
        yield constraint_statement(label)
    for label, key in _INDEXED:
        yield f"CREATE INDEX {label.lower()}_{key} IF NOT EXISTS FOR (n:{label}) ON (n.{key})"
    if engine != "neo4j":
        # There the planner would start from this index, and read all facts of the relation, for
        # each edge of a first load and for questions whose anchor is named.
        yield "CREATE INDEX fact_relation IF NOT EXISTS FOR ()-[f:FACT]-() ON (f.relation)"


def create_schema(store: GraphStore) -> None:
    """Create what the schema needs in an empty store and write its version; see ``check_version``.

    Raises:
        StoreVersionError: The store has another version of the schema.
        StoreError: It holds data that graphkit did not write.
    """
    if check_version(store):
        return
    with store.transaction() as transaction:
        for statement in _statements(store.capabilities().engine):
            transaction.write(statement)
    store.bulk_nodes(
        "Store",
        [
            {
                "id": "graphkit",
                "schema_version": SCHEMA_VERSION,
                "graphkit_version": package_version(),
                "facts_state": "complete",
            }
        ],
    )


def check_version(store: GraphStore) -> bool:
    """Say whether the store has this version of the schema; False for an empty store.

    Raises:
        StoreVersionError: The store has another version of the schema.
        StoreError: It holds data that graphkit did not write.
    """
    place = store.capabilities().location
    rows = list(
        store.read(
            "MATCH (s:Store {id: 'graphkit'}) "
            "RETURN s.schema_version AS version, s.graphkit_version AS writer"
        )
    )
    if rows:
        found, writer = rows[0]["version"], rows[0]["writer"]
        if found != SCHEMA_VERSION:
            raise StoreVersionError(
                f"{place}: the store has schema version {found}, written by graphkit {writer}; "
                f"expected version {SCHEMA_VERSION} of graphkit {package_version()}. Export it "
                "with the graphkit that wrote it, and import the export into a new store"
            )
        return True
    if store.read("MATCH (n) RETURN count(n) AS nodes").value():
        raise StoreError(
            f"{place}: a graph that graphkit did not write; expected a store of graphkit or a "
            "path that does not exist yet"
        )
    return False


def package_version() -> str:
    """Return the version of graphkit, or ``source`` where it is not installed."""
    try:
        return metadata.version("reasoning-graphkit")
    except metadata.PackageNotFoundError:
        return "source"
