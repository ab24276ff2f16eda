"""Neo4j keeps the contract of graph stores, on a real server."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from graphkit.stores import GraphStore
from graphkit.stores.embedded import EmbeddedStore
from graphkit.stores.neo4j import Neo4jStore
from graphkit.testing.store_contract import StoreContract

pytestmark = pytest.mark.neo4j


def opened(server: Mapping[str, str], **changes: object) -> Neo4jStore:
    """Open the database of the server."""
    arguments = {
        "username": server.get("NEO4J_USERNAME"),
        "password": server.get("NEO4J_PASSWORD"),
        "database": server.get("NEO4J_DATABASE"),
    }
    return Neo4jStore.open(server["NEO4J_URI"], **(arguments | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def database(neo4j_server: Mapping[str, str]) -> Iterator[Neo4jStore]:
    with opened(neo4j_server) as store:
        yield store


def emptied(store: Neo4jStore) -> Neo4jStore:
    """Take everything out of a database but the schema and its version."""
    store.write("MATCH (n) WHERE NOT n:Store DETACH DELETE n")
    store.write("MATCH (s:Store) SET s.facts_state = 'complete'")
    store.ensure_schema()
    return store


@pytest.mark.slow
@pytest.mark.timeout(1800)
class TestNeo4jStore(StoreContract):
    """The contract, on a Neo4j server; what it asks for beside that is an embedded store."""

    pairs = 2000

    @pytest.fixture(autouse=True)
    def _places(self, database: Neo4jStore, tmp_path: Path) -> None:
        self._database = database
        self._paths = (tmp_path / f"{number}.db" for number in itertools.count())

    @contextlib.contextmanager
    def empty_store(self) -> Iterator[GraphStore]:
        yield emptied(self._database)

    @contextlib.contextmanager
    def empty_store_beside(self) -> Iterator[GraphStore]:
        with EmbeddedStore.open(next(self._paths), durable="off") as store:
            yield store
