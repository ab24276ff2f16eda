"""Graph stores: questions, evidence, facts, histories and checks in one graph, open to Cypher."""

from __future__ import annotations

import os

from graphkit.errors import StoreError
from graphkit.stores.answering import answer_in_store
from graphkit.stores.base import Capabilities, GraphStore, Rows, StoreTransaction
from graphkit.stores.exchange import export_store, import_store
from graphkit.stores.histories import read_checks, read_histories, save_checks, save_history
from graphkit.stores.loading import facts_complete, load_evidence, load_facts, load_triples
from graphkit.stores.questions import load_questions, question_key, read_questions
from graphkit.stores.reading import counts, read_evidence, read_facts, read_sheet, read_triples

__all__ = [
    "Capabilities",
    "GraphStore",
    "Rows",
    "StoreTransaction",
    "answer_in_store",
    "counts",
    "export_store",
    "facts_complete",
    "import_store",
    "load_evidence",
    "load_facts",
    "load_questions",
    "load_triples",
    "open_store",
    "question_key",
    "read_checks",
    "read_evidence",
    "read_facts",
    "read_histories",
    "read_questions",
    "read_sheet",
    "read_triples",
    "save_checks",
    "save_history",
]


def open_store(place: str | os.PathLike[str], *, read_only: bool = False) -> GraphStore:
    """Open a store by its place; a new one is made at a path, or in a database, with nothing there.

    Args:
        place: The path of an embedded store, or the address of a server: ``neo4j://host:port``.
            For a server NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE count.
        read_only: Open it for reading; it must exist, nothing is locked.

    Raises:
        StoreError: It cannot be used; see :class:`graphkit.stores.embedded.EmbeddedStore` and
            :class:`graphkit.stores.neo4j.Neo4jStore`.
    """
    text = os.fspath(place)
    scheme, found, _ = text.partition("://")
    if found:
        from graphkit.stores.neo4j_address import SCHEMES, without_secrets

        if scheme not in SCHEMES:
            raise StoreError(
                f"{without_secrets(text)}: no kind of store {scheme!r}, expected a path or "
                "neo4j://host:port"
            )
        from graphkit.stores.neo4j import Neo4jStore

        return Neo4jStore.open(text, read_only=read_only)
    from graphkit.stores.embedded import EmbeddedStore

    return EmbeddedStore.open(place, read_only=read_only)
