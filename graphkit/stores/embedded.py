"""The embedded store: kglite in one file, with a log that survives a killed process."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import kglite

from graphkit.errors import StoreError, StoreReadOnlyError
from graphkit.stores.adapter import BATCH, Adapter, AdapterTransaction, check_limits
from graphkit.stores.base import Capabilities, Rows, Stream, checked_query
from graphkit.stores.engine_errors import quiet, refused_write, translated
from graphkit.stores.opening import check_path, has_pending_log, snapshot
from graphkit.stores.schema import check_version, create_schema

__all__ = ["EmbeddedStore"]

Durability = Literal["full", "normal", "off"]


class EmbeddedStore(Adapter):
    """A graph store in one file. One process writes at a time; any number may read.

    Beside the file ``PATH`` there are ``PATH-wal``, the log of what was committed since the file
    was last written, and the lock files ``PATH.lock`` and ``PATH.lock-owner``. A reader sees what
    the last closed writer left, or, beside a writer, the last point at which that one wrote the
    file. A handle belongs to one thread.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, EmbeddedStore.open(f"{folder}/s.db") as store:
    ...     store.bulk_nodes("Entity", [{"id": "#1", "name": "France"}])
    ...     store.read("MATCH (e:Entity) RETURN e.name AS name").column("name")
    1
    ['France']
    """

    def __init__(self, graph: kglite.KnowledgeGraph, path: Path, *, read_only: bool, durable: str):
        self._graph: kglite.KnowledgeGraph | None = graph
        self._path = path
        self._read_only = read_only
        self._durable = durable

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        durable: Durability = "full",
    ) -> EmbeddedStore:
        """Open a store, or make a new one.

        Args:
            path: The file.
            read_only: Open it for reading; it must exist, nothing is locked.
            durable: What an acknowledged commit survives: ``full`` power loss, ``normal`` a
                killed process, ``off`` nothing until the store is closed.

        Raises:
            StoreLockedError: Another process, or another handle of this one, writes it.
            StoreReadOnlyError: The file or its folder cannot be written.
            StoreVersionError: Another version of graphkit or of the engine wrote it.
            StoreError: It is no store, or it cannot be read.
        """
        place = Path(path)
        check_path(place, read_only=read_only)
        kglite.set_query_warning_policy("silent")
        new = not place.exists() and not has_pending_log(place)
        with translated(place):
            if read_only:
                graph = snapshot(place)
                graph.read_only(True)
            else:
                graph = kglite.open(str(place), durable=durable)
        store = cls(graph, place, read_only=read_only, durable=durable)
        try:
            if read_only:
                if not check_version(store):
                    raise StoreError(f"{place}: an empty graph; expected a store of graphkit")
            else:
                create_schema(store)
                if new:
                    store.checkpoint()
        except BaseException:
            store._release()
            raise
        return store

    # ---- the protocol -------------------------------------------------------------------------

    def capabilities(self) -> Capabilities:
        """Say what the store is and can do."""
        survives = {"full": "power loss", "normal": "a killed process", "off": "nothing"}
        return Capabilities(
            engine="kglite",
            engine_version=str(kglite.__version__),
            location=str(self._path),
            read_only=self._read_only,
            durable="nothing" if self._read_only else survives[self._durable],
            concurrent_writers=False,
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
        """Run a query that changes nothing; see :class:`graphkit.stores.base.Queries`."""
        check_limits(limit, timeout)
        with translated(self._path):
            result = (
                self._open()
                .begin_read()
                .cypher(
                    checked_query(query),
                    params=dict(params or {}),
                    row_limit=limit,
                    timeout_ms=_ms(timeout),
                )
            )
            return _rows(result, limit)

    def write(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that may change the store, as a transaction of its own."""
        check_limits(None, timeout)
        graph = self._writable()
        with translated(self._path):
            result = graph.cypher(
                checked_query(query), params=dict(params or {}), timeout_ms=_ms(timeout)
            )
            return _rows(result, None)

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

        The engine finds all rows first; they are made plain data one by one.
        """
        rows = self.read(query, params, limit=limit, timeout=timeout)
        yield Stream(rows.columns, rows.source, truncated=rows.truncated, notes=rows.notes)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[EmbeddedTransaction]:
        """Begin a transaction: committed at the end of the block, undone by an error in it."""
        graph = self._writable()
        with translated(self._path):
            inner = graph.begin()
        try:
            yield EmbeddedTransaction(inner, self._path)
        except BaseException:
            with translated(self._path):
                inner.rollback()
            raise
        with translated(self._path):
            inner.commit()

    def checkpoint(self) -> None:
        """Write the file anew, so that readers see everything committed so far."""
        with translated(self._path), quiet():
            self._writable().save()

    def close(self) -> None:
        """Write the file and let go of the lock; closing twice is fine."""
        if self._graph is None:
            return
        if not self._read_only:
            with translated(self._path), quiet():
                self._graph.close()
        self._graph = None

    def __enter__(self) -> EmbeddedStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and not issubclass(kind, Exception):
            self._release()  # an interrupt: what is committed is in the log already
            return
        self.close()

    # ---- inside -------------------------------------------------------------------------------

    def _open(self) -> kglite.KnowledgeGraph:
        if self._graph is None:
            raise StoreError(f"{self._path}: the store is closed")
        return self._graph

    def _writable(self) -> kglite.KnowledgeGraph:
        graph = self._open()
        if self._read_only:
            raise StoreReadOnlyError(f"{self._path}: the store was opened for reading only")
        return graph

    def _release(self) -> None:
        """Let go of the lock without writing the file."""
        if self._graph is not None and not self._read_only:
            with translated(self._path), quiet():
                self._graph.__exit__(InterruptedError, InterruptedError(), None)
        self._graph = None


class EmbeddedTransaction(AdapterTransaction):
    """Statements on an embedded store that take effect together; see ``transaction``."""

    def __init__(self, inner: kglite.Transaction, path: Path):
        self._inner = inner
        self._path = path

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that changes nothing; it sees what the transaction wrote."""
        check_limits(limit, timeout)
        with translated(self._path):
            result = self._inner.cypher(
                checked_query(query),
                params=dict(params or {}),
                row_limit=limit,
                timeout_ms=_ms(timeout),
            )
            rows = _rows(result, limit)
        if rows.counters:
            raise refused_write()
        return rows

    def write(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that may change the store."""
        check_limits(None, timeout)
        with translated(self._path):
            result = self._inner.cypher(
                checked_query(query), params=dict(params or {}), timeout_ms=_ms(timeout)
            )
            return _rows(result, None)

    def _bulk(self, statement: str, rows: list[dict[str, Any]]) -> int:
        for start in range(0, len(rows), BATCH):
            self.write(statement, {"rows": rows[start : start + BATCH]}, timeout=0)
        return len(rows)


def _ms(timeout: float | None) -> int | None:
    if timeout is None:
        return None
    return max(1, round(timeout * 1000)) if timeout else 0


def _rows(result: Any, limit: int | None) -> Rows:
    if isinstance(result, str):
        return Rows(("text",), [{"text": result}])
    facts = result.diagnostics or {}
    total = facts.get("total_rows")
    return Rows(
        tuple(result.columns),
        result,
        truncated=limit is not None and total is not None and total > limit,
        counters=dict(result.stats or {}),
        notes=tuple(result.warnings),
    )
