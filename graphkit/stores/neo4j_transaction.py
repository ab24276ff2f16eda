"""What runs on a Neo4j server: transactions, and rows as they come back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import neo4j
from neo4j import ManagedTransaction, Transaction, unit_of_work

from graphkit.errors import QueryError
from graphkit.stores.adapter import BATCH, AdapterTransaction, check_limits
from graphkit.stores.base import Rows, Stream, checked_query
from graphkit.stores.neo4j_errors import refused_write, translated

__all__ = ["Neo4jTransaction", "checked_read", "made_rows", "streamed", "timed"]

_ON_THE_SERVER = re.compile(
    r"^\s*TERMINATE\s+TRANSACTIONS?\b|\bCALL\s+dbms\.(kill\w*|\w*\.kill\w*|set\w*)", re.IGNORECASE
)
_COUNTERS = (
    "nodes_created",
    "nodes_deleted",
    "relationships_created",
    "relationships_deleted",
    "properties_set",
    "labels_added",
    "labels_removed",
    "indexes_added",
    "indexes_removed",
    "constraints_added",
    "constraints_removed",
)

T = TypeVar("T")


class Neo4jTransaction(AdapterTransaction):
    """Statements on a server that take effect together; see ``Neo4jStore.transaction``."""

    def __init__(self, session: neo4j.Session, place: str):
        self._session = session
        self._place = place
        self._waiting: list[tuple[str, list[dict[str, Any]]]] = []
        self._held: Transaction | None = None

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that changes nothing; it sees what the transaction wrote.

        The server plans the query first, and only one that reads is run. A server has no timeout
        for one statement of a transaction: one that took too long is an error at its end.
        """
        check_limits(limit, timeout)
        text, values = checked_read(query), dict(params or {})
        with translated(self._place):
            held = self._hold()
            if held.run(f"EXPLAIN {text}", values).consume().query_type != "r":
                raise refused_write()
            return _in_time(lambda: made_rows(held.run(text, values), limit), timeout)

    def write(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that may change the store."""
        check_limits(None, timeout)
        text = checked_query(query)
        with translated(self._place):
            held = self._hold()
            return _in_time(lambda: made_rows(held.run(text, dict(params or {})), None), timeout)

    def _bulk(self, statement: str, rows: list[dict[str, Any]]) -> int:
        if self._held is None:
            self._waiting.append((statement, rows))
        else:
            with translated(self._place):
                _send(self._held, [(statement, rows)])
        return len(rows)

    def _hold(self) -> Transaction:
        """Begin on the server and send what waits."""
        if self._held is None:
            self._held = self._session.begin_transaction(timeout=0)
            _send(self._held, self._waiting)
            self._waiting = []
        return self._held

    def commit(self) -> None:
        """Make all of it take effect."""
        with translated(self._place):
            if self._held is not None:
                self._held.commit()
            elif self._waiting:
                self._session.execute_write(timed(lambda tx: _send(tx, self._waiting), 0))

    def leave(self) -> None:
        """Undo what was not committed."""
        if self._held is not None:
            self._held.close()


def checked_read(query: str) -> str:
    """Return a query to read with, or refuse what a server lets even readers do to it.

    Raises:
        QueryError: It ends work of others, or reads files.
    """
    if _ON_THE_SERVER.search(query):
        raise refused_write()
    return checked_query(query)


def timed(
    work: Callable[[ManagedTransaction], T], timeout: float | None
) -> Callable[[ManagedTransaction], T]:
    """Give a transaction its timeout: None is the server's own, 0 is none."""
    seconds = max(timeout, 0.001) if timeout else timeout
    return unit_of_work(timeout=seconds)(work)


def _in_time(run: Callable[[], Rows], timeout: float | None) -> Rows:
    started = time.monotonic()
    rows = run()
    if timeout and time.monotonic() - started > timeout:
        raise QueryError(f"the query took longer than {timeout} seconds")
    return rows


def _send(
    transaction: ManagedTransaction | Transaction,
    steps: Sequence[tuple[str, list[dict[str, Any]]]],
) -> None:
    for statement, rows in steps:
        for start in range(0, len(rows), BATCH):
            transaction.run(statement, {"rows": rows[start : start + BATCH]}).consume()


def made_rows(result: neo4j.Result, limit: int | None) -> Rows:
    """Return the rows of a result, not fetching more than one beyond the limit."""
    columns = tuple(result.keys())
    records = list(result) if limit is None else result.fetch(limit + 1)
    summary = result.consume()
    counters = summary.counters
    return Rows(
        columns,
        records if limit is None else records[:limit],
        truncated=limit is not None and len(records) > limit,
        counters={name: getattr(counters, name) for name in _COUNTERS}
        if counters.contains_updates
        else {},
        notes=_notes(summary),
    )


def streamed(result: neo4j.Result, limit: int | None, place: str) -> Stream:
    """Return the rows of a result as they come, not fetching more than one beyond the limit."""
    stream = Stream(tuple(result.keys()), ())

    def rows() -> Iterator[neo4j.Record]:
        with translated(place):
            for number, record in enumerate(result):
                if number == limit:
                    stream.truncated = True
                    break
                yield record
            stream.notes = _notes(result.consume())

    stream.source = rows()
    return stream


def _notes(summary: neo4j.ResultSummary) -> tuple[str, ...]:
    return tuple(
        status.status_description.removeprefix("warn: ")
        for status in summary.gql_status_objects
        if status.is_notification
    )
