"""The protocol of graph stores: what every engine offers, in one shared subset of Cypher."""

from __future__ import annotations

import datetime as dt
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

from graphkit.errors import InputError, Problem, QueryError

__all__ = [
    "Capabilities",
    "GraphStore",
    "Rows",
    "StoreTransaction",
    "Stream",
    "checked_properties",
    "checked_query",
    "plain_value",
]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a store is and can do.

    Attributes:
        engine: The name of the engine.
        engine_version: Its version.
        location: Where the data is: a path or an address.
        read_only: Whether this handle refuses writes.
        durable: What an acknowledged commit survives: ``power loss`` or ``nothing``.
        concurrent_writers: Whether several processes may write at once.
    """

    engine: str
    engine_version: str
    location: str
    read_only: bool
    durable: str
    concurrent_writers: bool


@dataclass(frozen=True)
class Rows:
    """The rows of a query, made one by one as they are read; can be read more than once.

    Attributes:
        columns: The names of the columns, in order.
        source: The rows as the engine has them.
        truncated: Whether a limit left rows out.
        counters: What a write changed, for instance ``nodes_created``.
        notes: What the engine remarks, for instance an unknown label.
    """

    columns: tuple[str, ...]
    source: Sequence[Mapping[str, Any]]
    truncated: bool = False
    counters: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self.source:
            yield {name: plain_value(row[name]) for name in self.columns}

    def __len__(self) -> int:
        return len(self.source)

    def column(self, name: str) -> list[Any]:
        """Return all values of one column."""
        return [plain_value(row[name]) for row in self.source]

    def value(self) -> Any:
        """Return the first value of the first row, or None when there is no row."""
        for row in self:
            return row[self.columns[0]]
        return None


@dataclass
class Stream:
    """The rows of a query as they come, once; what is said of all of them is known at their end.

    Attributes:
        columns: The names of the columns, in order.
        source: The rows as the engine gives them.
        count: How many rows came so far.
        truncated: Whether a limit left rows out.
        notes: What the engine remarks.
    """

    columns: tuple[str, ...]
    source: Iterable[Mapping[str, Any]]
    count: int = 0
    truncated: bool = False
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self.source:
            self.count += 1
            yield {name: plain_value(row[name]) for name in self.columns}


def plain_value(value: Any) -> Any:
    """Return a value of an engine as plain data: times become ISO strings.

    >>> plain_value({"when": dt.date(2024, 5, 1), "ids": (1, 2)})
    {'when': '2024-05-01', 'ids': [1, 2]}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value)


def checked_properties(properties: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return properties as every engine takes them, or refuse what only some would take.

    Text, numbers, truth values and lists of one of these are kept; an aware time becomes a UTC
    ISO string.

    Args:
        properties: The properties of one node or edge.
        what: What has them, for errors.

    Raises:
        InputError: A map, a nested or mixed list, a number that is not finite or does not fit in
            64 bits, a time without a zone, text that is not Unicode.

    >>> checked_properties({"a": ("x", "y"), "b": None}, "node n1")
    {'a': ['x', 'y'], 'b': None}
    >>> checked_properties({"a": {"b": 1}}, "node n1")
    Traceback (most recent call last):
        ...
    graphkit.errors.InputError: node n1: property a is a dict, expected text, a number, true or
    false, or a list of one of these
    """
    return {
        name: value if value is None or type(value) is bool else _checked(value, name, what)
        for name, value in properties.items()
    }


def _checked(value: Any, name: str, what: str) -> Any:
    if isinstance(value, list | tuple):
        items = [_scalar(item, f"an item of {name}", what) for item in value]
        kinds = {float if isinstance(item, float) else type(item) for item in items}
        if len(kinds) > 1 or type(None) in kinds:
            raise _refused(name, "a list of mixed kinds", what)
        return items
    return _scalar(value, name, what)


def _scalar(value: Any, name: str, what: str) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.isascii():
            return str(value)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _refused(name, "text with half of a surrogate pair", what) from None
        return str(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise _refused(name, "a number beyond 64 bits", what)
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _refused(name, f"the number {value}", what)
        return float(value)
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            raise _refused(name, "a time without a zone", what)
        return value.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, dt.date):
        return value.isoformat()
    kind = type(value).__name__
    raise _refused(name, f"a {kind}", what)


def _refused(name: str, found: str, what: str) -> InputError:
    return InputError(
        Problem(
            f"property {name} is {found}, expected text, a number, true or false, "
            "or a list of one of these",
            code="property",
            subject=what,
        )
    )


_QUOTED = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|//[^\n]*|/\*.*?\*/""", re.DOTALL
)
_FILES = re.compile(r"\bLOAD\s+CSV\b", re.IGNORECASE)


def checked_query(query: str) -> str:
    """Return a query, or refuse one that would read files of the machine.

    Raises:
        QueryError: It loads a file.

    >>> checked_query("RETURN 'LOAD CSV' AS x")
    "RETURN 'LOAD CSV' AS x"
    >>> checked_query("LOAD /* */ CSV FROM 'file:///etc/passwd' AS line RETURN line")
    Traceback (most recent call last):
        ...
    graphkit.errors.QueryError: LOAD CSV reads files, expected a query over the store only
    """
    if _FILES.search(_QUOTED.sub(" ", query)):
        raise QueryError(
            Problem("LOAD CSV reads files, expected a query over the store only", code="files")
        )
    return query


class Queries(Protocol):
    """Reading and writing, inside a transaction or each statement by itself."""

    def read(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that changes nothing.

        Args:
            query: Cypher in the shared subset; values stand in it as ``$name`` only.
            params: The values by name.
            limit: The most rows to return; ``Rows.truncated`` says whether there were more.
            timeout: The most seconds to take.

        Raises:
            QueryError: The query is wrong, would write, or took too long.
        """

    def write(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Rows:
        """Run a query that may change the store.

        Raises:
            QueryError: The query is wrong or took too long; nothing is changed.
            StoreReadOnlyError: The store was opened for reading.
        """

    def bulk_nodes(self, label: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Create or change nodes of one label; ``None`` takes a property away.

        Args:
            label: A label of the schema.
            rows: The properties of each node, its ``id`` among them.

        Returns:
            How many rows there were.
        """

    def bulk_edges(
        self, kind: str, source: str, target: str, rows: Iterable[Mapping[str, Any]]
    ) -> int:
        """Create or change edges of one type between nodes that exist.

        Args:
            kind: A relationship type of the schema.
            source: The label of the nodes that they leave.
            target: The label of the nodes that they enter.
            rows: ``source`` and ``target`` ids and the properties of each edge; between two
                nodes there is one edge for each value of the key of the type, if it has one.

        Returns:
            How many rows there were.
        """


class StoreTransaction(Queries, Protocol):
    """Several statements that take effect together or not at all."""


@runtime_checkable
class GraphStore(Queries, Protocol):
    """A graph database that holds questions, evidence, facts, histories and checks.

    A store is a context manager that closes itself. Outside a transaction every statement and
    every bulk call takes effect by itself.
    """

    def capabilities(self) -> Capabilities:
        """Say what the store is and can do."""

    def ensure_schema(self) -> None:
        """Create constraints and indexes that are missing, and check the schema version.

        Raises:
            StoreVersionError: The store has another version of the schema.
            StoreError: The store holds something else.
        """

    def transaction(self) -> AbstractContextManager[StoreTransaction]:
        """Begin a transaction: committed at the end of the block, undone by an error in it."""

    def stream(
        self,
        query: str,
        params: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AbstractContextManager[Stream]:
        """Run a query that changes nothing, for rows to be read one after the other.

        Arguments and errors as for :meth:`Queries.read`; errors may come with a later row, and
        the timeout is for all rows together.
        """

    def export(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Write everything to a folder of JSONL files; see :func:`graphkit.stores.export_store`."""

    def import_(self, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Read what ``export`` wrote; see :func:`graphkit.stores.import_store`."""

    def close(self) -> None:
        """Write what is pending and let go of the store; closing twice is fine."""

    def __enter__(self) -> GraphStore: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
