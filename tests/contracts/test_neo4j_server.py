"""A Neo4j server as a store: addresses, logins, versions, read-only members, kills, bookmarks."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from emptying import take_all_out

from graphkit.errors import (
    GraphkitError,
    InputError,
    QueryError,
    StoreError,
    StoreReadOnlyError,
    StoreVersionError,
)
from graphkit.stores import counts, load_triples, open_store
from graphkit.stores.neo4j import Neo4jStore, probe

pytestmark = pytest.mark.neo4j

ROOT = Path(__file__).parents[2]
SECRET = "not-the-password-1"


@pytest.fixture(autouse=True)
def _variables(neo4j_server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in neo4j_server.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def url(neo4j_server: Mapping[str, str]) -> str:
    return neo4j_server["NEO4J_URI"]


@pytest.fixture
def store(url: str) -> Iterator[Neo4jStore]:
    with Neo4jStore.open(url) as opened:
        take_all_out(opened)
        yield opened


# ---- finding it ---------------------------------------------------------------------------------


def test_an_address_opens_a_store(store: Neo4jStore, url: str) -> None:
    """``open_store`` with the address of a server gives the same store, bolt:// too."""
    load_triples(store, [("a", "r", "b")])
    for address in (url, url.replace("neo4j://", "bolt://"), f"{url}/neo4j", f"{url}?policy=eu"):
        with open_store(address, read_only=True) as other:
            assert counts(other)["facts"] == 1
            assert other.capabilities().engine == "neo4j"
            assert other.capabilities().location.endswith("/neo4j")


def test_the_schema_is_made_once(store: Neo4jStore, url: str) -> None:
    """Constraints and indexes are there after the first use, and a second one adds none."""
    query = "SHOW {} YIELD name RETURN count(name) AS n"
    made = [store.read(query.format(kind)).value() for kind in ("CONSTRAINTS", "INDEXES")]
    assert min(made) > 10
    store.ensure_schema()
    with Neo4jStore.open(url) as other:
        again = [other.read(query.format(kind)).value() for kind in ("CONSTRAINTS", "INDEXES")]
    assert again == made
    store.write("CREATE (e:Entity {id: 'twice'})")
    with pytest.raises(QueryError, match="already exists"):
        store.write("CREATE (e:Entity {id: 'twice'})")


def test_somebody_elses_graph_is_left_alone(store: Neo4jStore, url: str) -> None:
    """A database with data that graphkit did not write is refused and not changed."""
    store.write("MATCH (s:Store) DETACH DELETE s")
    store.write("CREATE (t:Thing {id: 1})")
    try:
        for read_only in (False, True):
            with pytest.raises(StoreError, match="did not write"):
                Neo4jStore.open(url, read_only=read_only)
        with pytest.raises(StoreError, match="did not write"):
            probe(url)
        assert store.read("MATCH (n) RETURN count(n) AS n").value() == 1
    finally:
        store.write("MATCH (n) DETACH DELETE n")
        store.ensure_schema()


def test_another_schema_version_is_refused(store: Neo4jStore, url: str) -> None:
    """A store of another version is refused, with both versions and a way out."""
    store.write("MATCH (s:Store) SET s.schema_version = 99")
    try:
        with pytest.raises(StoreVersionError, match=r"schema version 99.*expected version 1"):
            Neo4jStore.open(url)
    finally:
        store.write("MATCH (s:Store) SET s.schema_version = 1")


def test_a_probe_says_what_is_there(store: Neo4jStore, url: str) -> None:
    """A probe names version and database, and changes nothing."""
    found = probe(url)
    assert found.supported
    assert found.version.startswith("Neo4j/5.26.")
    assert not found.empty
    assert found.location == f"{url}/neo4j"


# ---- what goes wrong ----------------------------------------------------------------------------


def _told(caught: pytest.ExceptionInfo[GraphkitError]) -> str:
    """Return all that an error says, its causes included."""
    words, error = [], caught.value
    while error is not None:
        words += [str(error), repr(error)]
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return "\n".join(words)


def test_a_wrong_password_is_named_and_not_repeated(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A refused login says which variables to set; no message, cause or log holds the password."""
    caplog.set_level(logging.DEBUG, logger="neo4j")
    for username in ("neo4j", "nobody"):
        with pytest.raises(StoreError, match="NEO4J_PASSWORD") as caught:
            Neo4jStore.open(url, username=username, password=SECRET)
        assert SECRET not in _told(caught)
    assert caplog.records
    assert SECRET not in caplog.text


def test_the_right_password_is_in_no_log(
    url: str, caplog: pytest.LogCaptureFixture, neo4j_server: Mapping[str, str]
) -> None:
    """Neither the driver's log at its most talkative nor the handle's repr holds the password."""
    caplog.set_level(logging.DEBUG, logger="neo4j")
    with Neo4jStore.open(url) as store:
        shown = f"{store!r} {vars(store)!r} {store.capabilities()!r}"
    assert neo4j_server["NEO4J_PASSWORD"] not in caplog.text + shown


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"NEO4J_PASSWORD": ""}, "set NEO4J_PASSWORD"),
        ({"NEO4J_PASSWORD": "", "NEO4J_USERNAME": ""}, "refuses the user name or the password"),
    ],
)
def test_missing_credentials_are_named(
    url: str, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], message: str
) -> None:
    """Without a password the error says what to set."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(StoreError, match=message):
        Neo4jStore.open(url)


@pytest.mark.parametrize("scheme", ["neo4j", "bolt", "neo4j+s", "bolt+ssc"])
def test_a_server_that_is_not_there(scheme: str) -> None:
    """Nobody at the address is an error within seconds, with the address and the reason."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        started = time.monotonic()
        with pytest.raises(StoreError, match=rf"{port}.*cannot be reached \(.*refused"):
            open_store(f"{scheme}://127.0.0.1:{port}")
        assert time.monotonic() - started < 10


def test_a_server_that_does_not_answer(url: str) -> None:
    """Something that takes the connection and says nothing is given up after the time for it."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        started = time.monotonic()
        with pytest.raises(StoreError, match="cannot be reached"):
            Neo4jStore.open(f"neo4j://127.0.0.1:{silent.getsockname()[1]}", connect_seconds=1.0)
        assert time.monotonic() - started < 10


def test_encryption_where_the_server_has_none(url: str) -> None:
    """An encrypted connection to a server without it is an error of the connection."""
    with pytest.raises(StoreError, match="cannot be reached"):
        Neo4jStore.open(url.replace("neo4j://", "neo4j+s://"), connect_seconds=2.0)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("neo4j://me:secret-word@127.0.0.1", r"neo4j://127\.0\.0\.1: a user name or a password"),
        ("http://me:secret-word@127.0.0.1", r"http://127\.0\.0\.1: no kind of store 'http'"),
        ("neo4j://", "no host"),
        ("neo4j://host:port", "Port"),
        ("neo4j://host:99999", "Port"),
        ("bolt://host?policy=eu", "routing"),
        ("neo4j://host?policy", "name=value"),
        ("neo4j://host/one", "another database than 'neo4j'"),
    ],
)
def test_addresses_that_are_none(address: str, message: str) -> None:
    """Every wrong address is named before anything is sent, without the secrets in it."""
    with pytest.raises(StoreError, match=message) as caught:
        open_store(address)
    assert "secret-word" not in _told(caught)


def test_a_wrong_database(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that the server does not have is named, by argument, variable and address."""
    monkeypatch.delenv("NEO4J_DATABASE", raising=False)
    with pytest.raises(StoreError, match=r"(?i)nowhere.*NEO4J_DATABASE"):
        Neo4jStore.open(url, database="nowhere")
    with pytest.raises(StoreError, match=r"(?i)nowhere.*NEO4J_DATABASE"):
        open_store(f"{url}/nowhere")
    monkeypatch.setenv("NEO4J_DATABASE", "nowhere")
    with pytest.raises(StoreError, match=r"(?i)nowhere.*NEO4J_DATABASE"):
        open_store(url)


def test_a_closed_store_says_so(url: str) -> None:
    """Closing twice is fine; using a closed store is an error."""
    store = Neo4jStore.open(url)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.read("RETURN 1 AS x")


def test_a_handle_for_reading_cannot_write(store: Neo4jStore, url: str) -> None:
    """Every way to write through a handle for reading is refused."""
    with Neo4jStore.open(url, read_only=True) as reader:
        assert reader.capabilities().read_only
        for write in (
            lambda: reader.write("CREATE (e:Entity {id: 'x'})"),
            lambda: reader.bulk_nodes("Entity", [{"id": "x"}]),
            lambda: load_triples(reader, [("x", "r", "y")]),
        ):
            with pytest.raises(StoreReadOnlyError, match="reading only"):
                write()


@pytest.mark.parametrize(
    "query",
    [
        "CREATE INDEX odd IF NOT EXISTS FOR (n:Odd) ON (n.odd)",
        "DROP CONSTRAINT entity_id IF EXISTS",
        "CALL db.createLabel('Odd')",
        "CREATE USER odd SET PASSWORD 'odd-password'",
        "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
        "MATCH (n) CALL (n) { DELETE n } IN TRANSACTIONS",
        "PROFILE CREATE (n:Odd)",
        "TERMINATE TRANSACTION 'neo4j-transaction-1'",
        "CALL dbms.killConnection('bolt-1')",
    ],
)
def test_reading_refuses_what_only_a_server_can_do(store: Neo4jStore, query: str) -> None:
    """Schema, users, batches and work of others cannot be changed by ``read``."""
    with pytest.raises(QueryError):
        store.read(query)
    with pytest.raises(QueryError), store.transaction() as transaction:
        transaction.read(query)


def test_a_refused_read_in_a_transaction_changes_nothing(store: Neo4jStore) -> None:
    """A query that would write is not run by ``read`` in a transaction, which can go on."""
    with store.transaction() as transaction:
        with pytest.raises(QueryError, match="would change"):
            transaction.read("CREATE (e:Entity {id: 'x'}) RETURN e.id AS id")
        transaction.bulk_nodes("Entity", [{"id": "y", "name": "y"}])
    assert store.read("MATCH (e:Entity) RETURN e.id AS id").column("id") == ["y"]


def test_errors_in_a_block_stay_what_they_are(store: Neo4jStore) -> None:
    """An error that is not of the store passes through a transaction and undoes it."""

    def block() -> None:
        with store.transaction() as transaction:
            transaction.bulk_nodes("Entity", [{"id": "x", "name": "x"}])
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        block()
    assert counts(store)["entities"] == 0


def test_a_name_too_long_for_an_index_is_an_error(store: Neo4jStore) -> None:
    """A name that no index takes is an error that says so, and nothing of its batch stays."""
    with pytest.raises(InputError, match=r"longer than the about 8,000 bytes"):
        load_triples(store, [("a", "r", "b"), ("long " * 4000, "r", "b")])
    assert counts(store)["facts"] == 0


def test_remarks_of_the_server_come_with_the_rows(
    store: Neo4jStore, capfd: pytest.CaptureFixture[str]
) -> None:
    """An unknown label is a note of the rows, and nothing is printed."""
    rows = store.read("MATCH (x:Nonsense) RETURN x.id AS id")
    assert any("Nonsense" in note for note in rows.notes)
    assert store.read("RETURN 1 AS one").notes == ()
    assert "".join(capfd.readouterr()) == ""


def test_graph_values_are_plain_data(store: Neo4jStore) -> None:
    """Nodes, edges and times come back as maps and text."""
    store.bulk_nodes("Entity", [{"id": "a", "name": "a"}, {"id": "b", "name": "b"}])
    store.bulk_edges("FACT", "Entity", "Entity", [{"source": "a", "relation": "r", "target": "b"}])
    rows = store.read(
        "MATCH (a:Entity)-[f:FACT]->(b:Entity) RETURN a, f, date('2024-05-01') AS day, "
        "datetime('2024-05-01T10:00:00Z') AS moment"
    )
    assert list(rows) == [
        {
            "a": {"id": "a", "name": "a"},
            "f": {"relation": "r"},
            "day": "2024-05-01",
            "moment": "2024-05-01T10:00:00.000000000+00:00",
        }
    ]


def test_counters_say_what_changed(store: Neo4jStore) -> None:
    """A write tells what it created; a read and a write that changed nothing tell nothing."""
    found = store.write("CREATE (:Entity {id: 'a'})-[:FACT {relation: 'r'}]->(:Entity {id: 'b'})")
    assert found.counters["nodes_created"] == 2
    assert found.counters["relationships_created"] == 1
    assert store.write("MATCH (e:Entity {id: 'none'}) SET e.name = 'x'").counters == {}


# ---- several clients ----------------------------------------------------------------------------


def test_what_was_written_is_read(store: Neo4jStore, url: str) -> None:
    """Every write leaves a bookmark that the next read waits for, in another handle too."""
    seen = set()
    for number in range(20):
        before = store.bookmarks()
        store.bulk_nodes("Entity", [{"id": f"k{number}", "name": "x"}])
        assert store.bookmarks() != before
        assert store.read("MATCH (e:Entity) RETURN count(e) AS n").value() == number + 1
        with Neo4jStore.open(url, bookmarks=store.bookmarks()) as other:
            assert set(store.bookmarks()) <= set(other.bookmarks()) | seen
            assert other.read("MATCH (e:Entity) RETURN count(e) AS n").value() == number + 1
        seen |= set(store.bookmarks())


def test_bookmarks_are_sent_with_the_next_transaction(
    store: Neo4jStore, caplog: pytest.LogCaptureFixture
) -> None:
    """What a write left is among what the next read, write and transaction begin with."""
    store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
    caplog.set_level(logging.DEBUG, logger="neo4j")
    for begin in (
        lambda: store.read("RETURN 1 AS x"),
        lambda: store.write("MERGE (e:Entity {id: 'b'})"),
        lambda: store.bulk_nodes("Entity", [{"id": "c", "name": "c"}]),
    ):
        caplog.clear()
        (mark,) = store.bookmarks()
        begin()
        sent = [text for text in caplog.messages if "C: BEGIN" in text]
        assert sent
        assert all(mark in text for text in sent)


def test_many_writers_at_once(url: str, store: Neo4jStore) -> None:
    """Handles that write the same nodes at the same time all succeed; the driver tries again."""
    failed: list[BaseException] = []
    rows = [{"id": f"k{n}", "name": "x"} for n in range(200)]
    edges = [{"source": f"k{n}", "target": f"k{n + 1}", "relation": "r"} for n in range(199)]

    def work(number: int) -> None:
        try:
            with Neo4jStore.open(url) as mine, mine.transaction() as transaction:
                transaction.bulk_nodes("Entity", rows if number % 2 else rows[::-1])
                transaction.bulk_edges(
                    "FACT", "Entity", "Entity", edges[:: 1 if number % 2 else -1]
                )
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    found = counts(store)
    assert (found["entities"], found["facts"]) == (200, 199)


def test_what_some_values_cannot_be(store: Neo4jStore) -> None:
    """Parameters that the wire cannot carry are query errors."""
    for value in (2**70, "\ud800", object(), {1: 2}):
        with pytest.raises(QueryError):
            store.read("RETURN $x AS x", {"x": value})
