"""The embedded store: kglite in one file, with a log that survives a killed process."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import kglite

from graphkit.errors import (
    GraphkitError,
    InputError,
    Problem,
    QueryError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from graphkit.stores.base import Capabilities, Rows, checked_properties
from graphkit.stores.schema import (
    EDGES,
    check_version,
    checked_edge,
    create_schema,
    edge_statement,
    node_statement,
)

__all__ = ["EmbeddedStore"]

Durability = Literal["full", "normal", "off"]
_BATCH = 5000
_EMPTY_LOG = 64
"""A log of at most this many bytes holds no commit."""


class EmbeddedStore:
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
        _check_path(place, read_only=read_only)
        kglite.set_query_warning_policy("silent")
        new = not place.exists() and not _pending(place)
        with _translated(place):
            if read_only:
                graph = _snapshot(place)
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
        _check_limits(limit, timeout)
        with _translated(self._path):
            result = (
                self._open()
                .begin_read()
                .cypher(query, params=dict(params or {}), row_limit=limit, timeout_ms=_ms(timeout))
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
        _check_limits(None, timeout)
        graph = self._writable()
        with _translated(self._path):
            result = graph.cypher(query, params=dict(params or {}), timeout_ms=_ms(timeout))
            return _rows(result, None)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[EmbeddedTransaction]:
        """Begin a transaction: committed at the end of the block, undone by an error in it."""
        graph = self._writable()
        with _translated(self._path):
            inner = graph.begin()
        try:
            yield EmbeddedTransaction(inner, self._path)
        except BaseException:
            with _translated(self._path):
                inner.rollback()
            raise
        with _translated(self._path):
            inner.commit()

    def bulk_nodes(self, label: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Create or change nodes of one label; see :class:`graphkit.stores.base.Queries`."""
        with self.transaction() as transaction:
            return transaction.bulk_nodes(label, rows)

    def bulk_edges(
        self, kind: str, source: str, target: str, rows: Iterable[Mapping[str, Any]]
    ) -> int:
        """Create or change edges of one type; see :class:`graphkit.stores.base.Queries`."""
        with self.transaction() as transaction:
            return transaction.bulk_edges(kind, source, target, rows)

    def export(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Write everything to a folder; see :func:`graphkit.stores.export_store`."""
        from graphkit.stores.exchange import export_store

        return export_store(self, folder)

    def import_(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Read what ``export`` wrote; see :func:`graphkit.stores.import_store`."""
        from graphkit.stores.exchange import import_store

        return import_store(self, folder)

    def checkpoint(self) -> None:
        """Write the file anew, so that readers see everything committed so far."""
        with _translated(self._path), _quiet():
            self._writable().save()

    def close(self) -> None:
        """Write the file and let go of the lock; closing twice is fine."""
        if self._graph is None:
            return
        if not self._read_only:
            with _translated(self._path), _quiet():
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
            with _translated(self._path), _quiet():
                self._graph.__exit__(InterruptedError, InterruptedError(), None)
        self._graph = None


class EmbeddedTransaction:
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
        _check_limits(limit, timeout)
        with _translated(self._path):
            result = self._inner.cypher(
                query, params=dict(params or {}), row_limit=limit, timeout_ms=_ms(timeout)
            )
            rows = _rows(result, limit)
        if rows.counters:
            raise _writes()
        return rows

    def write(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that may change the store."""
        _check_limits(None, timeout)
        with _translated(self._path):
            result = self._inner.cypher(query, params=dict(params or {}), timeout_ms=_ms(timeout))
            return _rows(result, None)

    def bulk_nodes(self, label: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Create or change nodes of one label; see :class:`graphkit.stores.base.Queries`."""
        statement = node_statement(label)
        prepared = []
        for row in rows:
            ident = _text(row, "id", f"{label} node")
            rest = {name: value for name, value in row.items() if name != "id"}
            prepared.append({"id": ident, "set": checked_properties(rest, f"{label} {ident}")})
        return self._bulk(statement, prepared)

    def bulk_edges(
        self, kind: str, source: str, target: str, rows: Iterable[Mapping[str, Any]]
    ) -> int:
        """Create or change edges of one type; see :class:`graphkit.stores.base.Queries`."""
        statement = edge_statement(kind, source, target)
        key = EDGES[checked_edge(kind)]
        prepared = []
        for row in rows:
            made: dict[str, Any] = {
                "source": _text(row, "source", f"{kind} edge"),
                "target": _text(row, "target", f"{kind} edge"),
            }
            if key:
                made["key"] = _text(row, key, f"{kind} edge")
            rest = {n: v for n, v in row.items() if n not in ("source", "target", key)}
            made["set"] = checked_properties(rest, f"{kind} edge") if rest else {}
            prepared.append(made)
        return self._bulk(statement, prepared)

    def _bulk(self, statement: str, rows: list[dict[str, Any]]) -> int:
        for start in range(0, len(rows), _BATCH):
            self.write(statement, {"rows": rows[start : start + _BATCH]}, timeout=0)
        return len(rows)


def _text(row: Mapping[str, Any], name: str, what: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f"{what}: {name} is {value!r}, expected text")
    return value if value.isascii() else str(checked_properties({name: value}, what)[name])


def _check_limits(limit: int | None, timeout: float | None) -> None:
    if limit is not None and limit < 0:
        raise QueryError(f"the limit is {limit}, expected 0 or more rows")
    if timeout is not None and not 0 <= timeout < 1e9:
        raise QueryError(f"the timeout is {timeout}, expected seconds, or 0 for none")


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


# ---- opening ----------------------------------------------------------------------------------


def _check_path(path: Path, *, read_only: bool) -> None:
    if path.is_dir():
        raise StoreError(f"{path}: a folder, expected the file of a store")
    if read_only:
        if not path.exists() and not _pending(path):
            raise StoreError(f"{path}: there is no store; graphkit load makes one")
        return
    folder = path.parent
    if not folder.is_dir():
        raise StoreError(f"{path}: the folder {folder} does not exist")
    for place in (path, folder):
        if place.exists() and not _may_write(place):
            what = "the file" if place is path else f"the folder {folder}"
            raise StoreReadOnlyError(
                f"{path}: {what} is read-only, expected one that can be written; "
                "open the store for reading, or choose another path with --store"
            )


def _may_write(path: Path) -> bool:
    """Whether a path can be written; one that nobody may write counts as read-only for root too."""
    everybody = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
    return os.access(path, os.W_OK) and bool(path.stat().st_mode & everybody)


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _pending(path: Path) -> bool:
    """Whether the log may hold commits that the file does not."""
    log = _log(path)
    return log.exists() and log.stat().st_size > _EMPTY_LOG


def _snapshot(path: Path) -> kglite.KnowledgeGraph:
    """Load a store for reading, with what a killed writer left in its log."""
    if not _pending(path):
        return kglite.load(str(path))
    if _may_write(path.parent) and (not path.exists() or _may_write(path)):
        try:
            graph = kglite.open(str(path), durable="full")
        except kglite.WriterLeaseHeldError:
            return kglite.load(str(path))
        with _quiet():
            graph.close()
        return graph
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        for place, target in ((path, copy), (_log(path), _log(copy))):
            if place.exists():
                shutil.copyfile(place, target)
        graph = kglite.open(str(copy), durable="normal")
        with _quiet():
            graph.close()
        return graph


# ---- errors -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hide remarks of the engine on how it lays out its file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kglite.MappedFallbackWarning)
        yield


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn the errors of the engine into ours."""
    try:
        yield
    except (GraphkitError, KeyboardInterrupt):
        raise
    except kglite.WriterLeaseHeldError as error:
        raise StoreLockedError(_locked(path, error)) from error
    except kglite.KgError as error:
        raise _from_engine(path, error) from error
    except PermissionError as error:
        raise StoreReadOnlyError(f"{path}: {error.strerror}, expected a path to write") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise QueryError(f"the query or its values: {_first_line(error)}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise StoreError(f"{path}: the engine failed: {_first_line(error)}") from error


def _locked(path: Path, error: kglite.WriterLeaseHeldError) -> str:
    holder = error.holder or {}
    if holder.get("self"):
        return f"{path}: this process has the store open for writing already; close it first"
    who = f"process {holder['pid']}" if holder.get("pid") else "another process"
    return (
        f"{path}: {who} has the store open for writing; wait until it is done, "
        "or open the store for reading"
    )


_OF_QUERIES = (
    kglite.CypherError,
    kglite.SchemaError,
    kglite.ValidationError,
    kglite.ExprError,
    kglite.NodeNotFoundError,
    kglite.ConnectionNotFoundError,
    kglite.PropertyNotFoundError,
    kglite.ArgumentError,
    kglite.MissingArgumentError,
)


def _from_engine(path: Path, error: kglite.KgError) -> GraphkitError:
    if isinstance(error, kglite.ReadOnlyError):
        return _writes()
    if isinstance(error, kglite.CypherTimeoutError):
        return QueryError(
            Problem("the query took longer than it may; narrow it or give it more time", "timeout")
        )
    text = _first_line(error)
    if isinstance(error, _OF_QUERIES):
        return QueryError(Problem(text, code="query"))
    if isinstance(error, kglite.FileFormatError):
        if "version" in text:
            return StoreVersionError(f"{path}: {text}")
        return StoreError(f"{path}: not a store of graphkit: {text}")
    if "ermission denied" in text or "ead-only file system" in text:
        return StoreReadOnlyError(f"{path}: {text}")
    if isinstance(error, kglite.ConstraintError):
        return StoreError(f"{path}: refused, it would break the schema: {text}")
    return StoreError(f"{path}: {text}")


def _writes() -> QueryError:
    return QueryError(
        Problem("the query would change the store, expected one that only reads", "write_refused")
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
