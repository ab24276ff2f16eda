"""The server store: Neo4j 5.26 or later through the official driver, alone or in a cluster."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import neo4j
from neo4j import GraphDatabase, ManagedTransaction

from graphkit.errors import StoreError, StoreReadOnlyError
from graphkit.stores.adapter import Adapter, check_limits
from graphkit.stores.base import Capabilities, Rows, Stream, checked_query
from graphkit.stores.neo4j_address import Address, credentials, parse_address
from graphkit.stores.neo4j_connection import checked_server, connected, is_supported
from graphkit.stores.neo4j_errors import translated
from graphkit.stores.neo4j_transaction import (
    Neo4jTransaction,
    checked_read,
    made_rows,
    streamed,
    timed,
)
from graphkit.stores.schema import check_version, create_schema

__all__ = ["Neo4jStore", "Probe", "probe"]

CONNECT_SECONDS = 5.0
RETRY_SECONDS = 30.0
_FETCH = 1000


class Neo4jStore(Adapter):
    """A graph store in a database of a Neo4j server.

    Reads go to any member of a cluster, writes to the one that takes them; what one handle wrote,
    it reads. Reads, writes and bulk calls are managed transactions, tried again by the driver
    when a member goes away or is busy. A handle may be used by several threads.
    """

    def __init__(
        self,
        driver: neo4j.Driver,
        address: Address,
        *,
        version: str,
        read_only: bool,
        bookmarks: Iterable[str] = (),
    ):
        self._driver: neo4j.Driver | None = driver
        self._address = address
        self._version = version
        self._read_only = read_only
        self._bookmarks = GraphDatabase.bookmark_manager(
            initial_bookmarks=neo4j.Bookmarks.from_raw_values(bookmarks)
        )

    @classmethod
    def open(
        cls,
        url: str,
        *,
        username: str | None = None,
        password: str | None = None,
        database: str | None = None,
        read_only: bool = False,
        any_version: bool | None = None,
        bookmarks: Iterable[str] = (),
        connect_seconds: float = CONNECT_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> Neo4jStore:
        """Open a store; in an empty database the schema is made.

        Args:
            url: ``neo4j://host:port/database`` for a server, a cluster or a hosted service,
                ``neo4j+s://`` encrypted, ``bolt://`` for one member and no other.
            username: By default ``NEO4J_USERNAME``, else ``neo4j``.
            password: By default ``NEO4J_PASSWORD``; without one the server must ask for none.
            database: By default ``NEO4J_DATABASE``, else the home database of the user.
            read_only: Open it for reading; nothing is written, not even the schema.
            any_version: Accept versions before 5.26 and servers that are not Neo4j; by default
                where ``GRAPHKIT_NEO4J_ANY_VERSION`` is 1.
            bookmarks: What another handle wrote and this one must see; see :meth:`bookmarks`.
            connect_seconds: The most seconds to wait for a connection.
            retry_seconds: For how long the driver tries a transaction again.

        Raises:
            StoreError: No server there, a wrong password, no such database, somebody else's data.
            StoreReadOnlyError: The database is empty and takes no schema.
            StoreVersionError: An older server, or another version of graphkit wrote the store.
        """
        address = parse_address(url, database or os.environ.get("NEO4J_DATABASE") or None)
        if any_version is None:
            any_version = os.environ.get("GRAPHKIT_NEO4J_ANY_VERSION") == "1"
        driver = connected(address, credentials(username, password), connect_seconds, retry_seconds)
        try:
            version, address = checked_server(driver, address, any_version=any_version)
            store = cls(driver, address, version=version, read_only=read_only, bookmarks=bookmarks)
            if not read_only:
                create_schema(store)
            elif not check_version(store):
                raise StoreError(f"{address}: an empty database; expected a store of graphkit")
        except BaseException:
            driver.close()
            raise
        return store

    def __repr__(self) -> str:
        return f"<Neo4jStore {self._address}>"

    # ---- the protocol -------------------------------------------------------------------------

    def capabilities(self) -> Capabilities:
        """Say what the store is and can do."""
        return Capabilities(
            engine="neo4j",
            engine_version=self._version.removeprefix("Neo4j/"),
            location=str(self._address),
            read_only=self._read_only,
            durable="power loss",
            concurrent_writers=True,
        )

    def ensure_schema(self) -> None:
        """Create what is missing of the schema and check its version."""
        create_schema(self)

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that changes nothing; see :class:`graphkit.stores.base.Queries`.

        The server is told that the transaction only reads, and refuses everything else. With a
        limit, rows beyond it are not fetched.
        """
        check_limits(limit, timeout)
        text = checked_read(query)

        def work(transaction: ManagedTransaction) -> Rows:
            return made_rows(transaction.run(text, dict(params or {})), limit)

        with translated(str(self._address)), self._session(writes=False, limit=limit) as session:
            return session.execute_read(timed(work, timeout))

    def write(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that may change the store, as a transaction of its own."""
        check_limits(None, timeout)
        self._writable()
        text = checked_query(query)

        def work(transaction: ManagedTransaction) -> Rows:
            return made_rows(transaction.run(text, dict(params or {})), None)

        with translated(str(self._address)), self._session(writes=True) as session:
            return session.execute_write(timed(work, timeout))

    @contextlib.contextmanager
    def stream(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Iterator[Stream]:
        """Run a query that changes nothing; see :class:`graphkit.stores.base.GraphStore`.

        Rows are fetched as they are asked for. The query is not tried again when a member of a
        cluster goes away.
        """
        check_limits(limit, timeout)
        text, place = checked_read(query), str(self._address)
        seconds = max(timeout, 0.001) if timeout else timeout
        with self._session(writes=False, limit=limit) as session:
            with translated(place):
                transaction = session.begin_transaction(timeout=seconds)
            with transaction:
                with translated(place):
                    stream = streamed(transaction.run(text, dict(params or {})), limit, place)
                yield stream

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Neo4jTransaction]:
        """Begin a transaction: committed at the end of the block, undone by an error in it.

        A block of bulk calls alone is sent at its end, as a managed transaction that the driver
        tries again. One that reads or writes by query is held open from there on and not tried
        again: when it fails, nothing of it took effect.
        """
        self._writable()
        place = str(self._address)
        with self._session(writes=True) as session:
            transaction = Neo4jTransaction(session, place)
            try:
                yield transaction
                transaction.commit()
            finally:
                transaction.leave()

    def bookmarks(self) -> tuple[str, ...]:
        """Return what another handle must be given to see all that this one wrote."""
        return tuple(sorted(self._bookmarks.get_bookmarks()))

    def close(self) -> None:
        """Close all connections; closing twice is fine."""
        if self._driver is not None:
            self._driver.close()
            self._driver = None

    def __enter__(self) -> Neo4jStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---- inside -------------------------------------------------------------------------------

    def _session(self, *, writes: bool, limit: int | None = None) -> neo4j.Session:
        if self._driver is None:
            raise StoreError(f"{self._address}: the store is closed")
        return self._driver.session(
            database=self._address.database,
            default_access_mode=neo4j.WRITE_ACCESS if writes else neo4j.READ_ACCESS,
            bookmark_manager=self._bookmarks,
            fetch_size=_FETCH if limit is None else min(_FETCH, limit + 1),
        )

    def _writable(self) -> None:
        if self._read_only:
            raise StoreReadOnlyError(f"{self._address}: the store was opened for reading only")


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found at the address of a server.

    Attributes:
        location: The address with the database, without secrets.
        version: What the server says it is, for instance ``Neo4j/5.26.30``.
        supported: Whether it is Neo4j 5.26 or later.
        empty: Whether the database holds nothing.
    """

    location: str
    version: str
    supported: bool
    empty: bool


def probe(
    url: str,
    *,
    username: str | None = None,
    password: str | None = None,
    database: str | None = None,
    connect_seconds: float = CONNECT_SECONDS,
) -> Probe:
    """Look at a server without changing anything; arguments as for :meth:`Neo4jStore.open`.

    Raises:
        StoreError: It cannot be reached or used; the message says why.
        StoreVersionError: The store there was written by another version of graphkit.
    """
    address = parse_address(url, database or os.environ.get("NEO4J_DATABASE") or None)
    driver = connected(address, credentials(username, password), connect_seconds, connect_seconds)
    with driver:
        version, address = checked_server(driver, address, any_version=True)
        store = Neo4jStore(driver, address, version=version, read_only=True)
        return Probe(
            str(address), version, supported=is_supported(version), empty=not check_version(store)
        )
