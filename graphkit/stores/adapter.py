"""What the adapters of all engines have alike: bulk calls by themselves, export and import."""

from __future__ import annotations

import abc
import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from graphkit.errors import QueryError
from graphkit.stores.base import StoreTransaction
from graphkit.stores.schema import edge_batch, node_batch

if TYPE_CHECKING:
    from graphkit.stores.base import GraphStore

__all__ = ["BATCH", "Adapter", "AdapterTransaction", "check_limits"]

BATCH = 5000
"""Rows that one statement gets."""


class Adapter(abc.ABC):
    """A store whose bulk calls are transactions of their own."""

    @abc.abstractmethod
    def transaction(self) -> AbstractContextManager[StoreTransaction]:
        """Begin a transaction; see :class:`graphkit.stores.base.GraphStore`."""

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

    def export(self: GraphStore, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Write everything to a folder; see :func:`graphkit.stores.export_store`."""
        from graphkit.stores.exchange import export_store

        return export_store(self, folder)

    def import_(self: GraphStore, folder: str | os.PathLike[str]) -> dict[str, int]:
        """Read what ``export`` wrote; see :func:`graphkit.stores.import_store`."""
        from graphkit.stores.exchange import import_store

        return import_store(self, folder)


class AdapterTransaction(abc.ABC):
    """A transaction whose bulk calls are statements over many rows."""

    def bulk_nodes(self, label: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Create or change nodes of one label; see :class:`graphkit.stores.base.Queries`."""
        return self._bulk(*node_batch(label, rows))

    def bulk_edges(
        self, kind: str, source: str, target: str, rows: Iterable[Mapping[str, Any]]
    ) -> int:
        """Create or change edges of one type; see :class:`graphkit.stores.base.Queries`."""
        return self._bulk(*edge_batch(kind, source, target, rows))

    @abc.abstractmethod
    def _bulk(self, statement: str, rows: list[dict[str, Any]]) -> int:
        """Run a statement for all rows, or keep it to be run; return how many rows there are."""


def check_limits(limit: int | None, timeout: float | None) -> None:
    """Refuse a limit or a timeout that makes no sense.

    Raises:
        QueryError: It is below zero.
    """
    if limit is not None and limit < 0:
        raise QueryError(f"the limit is {limit}, expected 0 or more rows")
    if timeout is not None and not 0 <= timeout < 1e9:
        raise QueryError(f"the timeout is {timeout}, expected seconds, or 0 for none")
