"""A cluster as a store, on scripted members: routing, bookmarks, a new leader, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from bolt_members import Cluster, Sent

from graphkit.errors import (
    GraphkitError,
    QueryError,
    StoreError,
    StoreReadOnlyError,
    StoreVersionError,
)
from graphkit.stores.neo4j import Neo4jStore, probe

SECRET = "the-secret-word"


def _rows(query: str) -> tuple[list[str], list[list[Any]]]:
    if "schema_version" in query:
        return ["version", "writer"], [[1, "0"]]
    return ["one"], [[1]] if "RETURN" in query else []


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    for name in ("NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    with Cluster(_rows) as made:
        yield made


def _opened(cluster: Cluster, member: str = "three", **changes: Any) -> Neo4jStore:
    arguments = {"scheme": "neo4j", "retry_seconds": 10.0, "password": SECRET} | changes
    scheme = arguments.pop("scheme")
    return Neo4jStore.open(f"{scheme}://{cluster.members[member].address}", **arguments)


def _begun(cluster: Cluster, mode: str) -> list[Sent]:
    """Return the beginnings of transactions that read (``r``) or write (``w``)."""
    return [
        sent
        for sent in cluster.sent
        if sent.name == "BEGIN" and sent.fields[0].get("mode", "w") == mode
    ]


def test_reads_and_writes_go_to_the_members_for_them(cluster: Cluster) -> None:
    """Whichever member is asked first, writes go to the leader and reads to the others."""
    with _opened(cluster) as store:
        cluster.sent.clear()
        for _ in range(6):
            store.read("RETURN 1 AS one")
            store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
    assert {sent.member for sent in _begun(cluster, "r")} == {"two", "three"}
    assert {sent.member for sent in _begun(cluster, "w")} == {"one"}
    assert len(_begun(cluster, "w")) == cluster.commits == 6


def test_a_read_begins_with_the_bookmark_of_the_write_before(cluster: Cluster) -> None:
    """A member is told what it must have seen before it answers, another handle's writes too."""
    with _opened(cluster) as store:
        for number in range(1, 4):
            store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
            store.read("RETURN 1 AS one")
            assert _begun(cluster, "r")[-1].fields[0]["bookmarks"] == [f"mark:{number}"]
        with store.transaction() as transaction:
            transaction.read("RETURN 1 AS one")
        assert _begun(cluster, "w")[-1].fields[0]["bookmarks"] == ["mark:3"]
        assert store.bookmarks() == ("mark:4",)
        with _opened(cluster, bookmarks=store.bookmarks()) as other:
            other.read("RETURN 1 AS one")
        assert _begun(cluster, "r")[-1].fields[0]["bookmarks"] == ["mark:4"]


def test_everything_goes_to_the_database_by_name(cluster: Cluster) -> None:
    """The home database is found once and named from then on."""
    with _opened(cluster) as store:
        assert store.capabilities().location.endswith("/bench")
        cluster.sent.clear()
        store.read("RETURN 1 AS one")
        store.write("MERGE (e:Entity {id: 'a'})")
    begun = [sent.fields[0] for sent in cluster.sent if sent.name == "BEGIN"]
    assert [extra["db"] for extra in begun] == ["bench", "bench"]


def test_timeouts_are_told_to_the_server(cluster: Cluster) -> None:
    """A timeout is sent with the transaction; none means that of the server, 0 none at all."""
    with _opened(cluster) as store:
        for timeout in (None, 0, 1.5, 1e-9):
            store.read("RETURN 1 AS one", timeout=timeout)
    told = [sent.fields[0].get("tx_timeout") for sent in _begun(cluster, "r")[-4:]]
    assert told == [None, 0, 1500, 1]


def test_a_new_leader_is_found(cluster: Cluster) -> None:
    """A leader that is none any more is asked once; the write goes to the new one."""
    with _opened(cluster) as store:
        cluster.members["one"].failures["RUN"] = ["Neo.ClientError.Cluster.NotALeader"]
        cluster.writer = "two"
        store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
    assert [sent.member for sent in _begun(cluster, "w")] == ["one", "two"]
    assert cluster.commits == 1


@pytest.mark.parametrize(
    "code", ["Neo.TransientError.Transaction.DeadlockDetected", "hang up", "Neo.TransientError.X.Y"]
)
def test_what_passes_is_tried_again(cluster: Cluster, code: str) -> None:
    """A deadlock or a broken connection before the commit is tried again and takes effect once."""
    with _opened(cluster) as store:
        cluster.members["one"].failures["RUN"] = [code]
        store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
    assert cluster.commits == 1


def test_a_connection_lost_at_the_commit_is_not_tried_again(cluster: Cluster) -> None:
    """Nobody knows whether such a commit took effect, and the error says so."""
    with _opened(cluster) as store:
        cluster.members["one"].failures["COMMIT"] = ["hang up"]
        with pytest.raises(StoreError, match="is not known"):
            store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
    assert len(_begun(cluster, "w")) == 1


def test_a_transaction_with_queries_fails_as_a_whole(cluster: Cluster) -> None:
    """A block that was held open is not tried again, and its error says that nothing stays."""
    with _opened(cluster) as store:
        cluster.members["one"].failures["RUN"] = ["Neo.TransientError.Transaction.DeadlockDetected"]
        with pytest.raises(StoreError, match="nothing of this transaction took effect"):
            _write_in_block(store)
        _write_in_block(store)
    assert cluster.commits == 1


def _write_in_block(store: Neo4jStore) -> None:
    with store.transaction() as transaction:
        transaction.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
        transaction.write("MERGE (e:Entity {id: 'b'})")


def test_a_follower_by_its_own_address_takes_no_writes(cluster: Cluster) -> None:
    """``bolt://`` stays with one member; where that is no leader, the error says what to do."""
    with _opened(cluster, "two", scheme="bolt", retry_seconds=0.0) as store:
        cluster.members["two"].failures["RUN"] = ["Neo.ClientError.Cluster.NotALeader"]
        with pytest.raises(StoreReadOnlyError, match=r"takes no writes.*neo4j://"):
            store.bulk_nodes("Entity", [{"id": "a", "name": "a"}])
    assert {sent.member for sent in cluster.sent} == {"two"}


@pytest.mark.parametrize("agent", ["Neo4j/4.4.30", "Neo4j/5.25.1"])
def test_an_older_server_is_refused_unless_allowed(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    """A version before 5.26 is named with the one expected; argument or variable let it pass."""
    for member in cluster.members.values():
        member.agent = agent
    with pytest.raises(StoreVersionError, match=rf"{agent}, expected Neo4j 5\.26 or later"):
        _opened(cluster)
    _opened(cluster, any_version=True).close()
    monkeypatch.setenv("GRAPHKIT_NEO4J_ANY_VERSION", "1")
    _opened(cluster).close()
    monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
    assert not probe(f"neo4j://{cluster.members['one'].address}").supported


@pytest.mark.parametrize("agent", ["Neo4j/5.26.30", "Neo4j/5.27-aura", "Neo4j/2025.09.0"])
def test_newer_servers_are_taken(cluster: Cluster, agent: str) -> None:
    """Later versions and hosted ones open."""
    for member in cluster.members.values():
        member.agent = agent
    with _opened(cluster) as store:
        assert store.capabilities().engine_version == agent.removeprefix("Neo4j/")


def test_another_product_is_refused(cluster: Cluster) -> None:
    """A server that is not Neo4j is named."""
    for member in cluster.members.values():
        member.agent = "Other/9.9"
    with pytest.raises(StoreVersionError, match=r"Other/9\.9"):
        _opened(cluster)


@pytest.mark.parametrize(
    ("message", "code", "kind", "words"),
    [
        ("LOGON", "Security.Unauthorized", StoreError, "NEO4J_PASSWORD"),
        ("LOGON", "Security.AuthenticationRateLimit", StoreError, "wait a few seconds"),
        ("RUN", "Security.CredentialsExpired", StoreError, "ALTER CURRENT USER"),
        ("RUN", "Security.Forbidden", StoreReadOnlyError, "the user may not do this"),
        ("RUN", "General.WriteOnReadOnlyAccessDatabase", StoreReadOnlyError, "takes no writes"),
        ("RUN", "General.ForbiddenOnReadOnlyDatabase", StoreReadOnlyError, "takes no writes"),
        ("BEGIN", "Database.DatabaseNotFound", StoreError, "NEO4J_DATABASE"),
        ("RUN", "Transaction.TransactionTimedOut", QueryError, "longer than it may"),
        ("RUN", "Statement.SyntaxError", QueryError, "scripted"),
        ("RUN", "Procedure.ProcedureNotFound", QueryError, "scripted"),
        ("COMMIT", "Schema.ConstraintValidationFailed", QueryError, "scripted"),
    ],
)
def test_what_a_server_refuses_is_said_in_our_words(
    cluster: Cluster, message: str, code: str, kind: type[GraphkitError], words: str
) -> None:
    """Each kind of refusal is an error of its kind, says what to do, and holds no password."""

    def opened_or_written(store: Neo4jStore) -> None:
        if message == "LOGON":
            _opened(cluster)
        store.write("MERGE (e:Entity {id: 'a'})")

    with _opened(cluster, retry_seconds=0.0) as store:
        for member in cluster.members.values():
            member.failures[message] = [f"Neo.ClientError.{code}"] * 5
        with pytest.raises(kind, match=words) as caught:
            opened_or_written(store)
    assert SECRET not in str(caught.value) + repr(caught.value.__cause__)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", "out of memory"),
        ("Neo.TransientError.General.StackOverFlowError", "too deep"),
        ("Neo.TransientError.Database.DatabaseUnavailable", "NEO4J_DATABASE"),
        ("Neo.DatabaseError.General.UnknownError", "scripted"),
    ],
)
def test_what_a_server_fails_at_is_said_in_our_words(
    cluster: Cluster, code: str, words: str
) -> None:
    """A server out of memory, of stack or of sorts is a clear error too."""
    with _opened(cluster, retry_seconds=0.0) as store:
        for member in cluster.members.values():
            member.failures["RUN"] = [code] * 5
        with pytest.raises(GraphkitError, match=words):
            store.read("RETURN 1 AS one")
