"""Neo4j keeps the contract of graph stores, on a real server."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from emptying import take_all_out

from graphkit.stores import (
    GraphStore,
    load_evidence,
    load_questions,
    load_triples,
    save_checks,
    save_history,
)
from graphkit.stores.embedded import EmbeddedStore
from graphkit.stores.neo4j import Neo4jStore
from graphkit.testing.generation import ODD_NAMES, SeededChoices, make_records, seeded_pairs
from graphkit.testing.store_contract import SHEET, StoreContract, exported

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
    take_all_out(store)
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

    def test_an_embedded_store_moves_to_the_server_and_back(self) -> None:
        """An export of the embedded store is the same bytes after a stay on the server."""
        graphs = [graph for _, graph in seeded_pairs(11, 30, safe=None)]
        graphs = [g.replace(id=f"q{n}", question=f"{n}?") for n, g in enumerate(graphs)]
        with self.empty_store_beside() as embedded, tempfile.TemporaryDirectory() as folder:
            load_evidence(embedded, make_records(SeededChoices(5), SHEET), SHEET)
            load_triples(embedded, [(name or "x", "r", "nul\x00 here") for name in ODD_NAMES])
            load_questions(embedded, graphs)
            save_history(embedded, "q1", [{"strategy": "x", "node_id": "r", "reason": "so"}])
            save_checks(embedded, [("q1", {"question_id": "q1", "unique": None})])
            held = embedded.export(Path(folder) / "one")
            before = exported(embedded)
            with self.empty_store() as server:
                assert server.import_(Path(folder) / "one") == held
                assert exported(server) == before
                server.export(Path(folder) / "two")
            with self.empty_store_beside() as back:
                assert back.import_(Path(folder) / "two") == held
                assert exported(back) == before

    @contextlib.contextmanager
    def empty_store(self) -> Iterator[GraphStore]:
        yield emptied(self._database)

    @contextlib.contextmanager
    def empty_store_beside(self) -> Iterator[GraphStore]:
        with EmbeddedStore.open(next(self._paths), durable="off") as store:
            yield store
