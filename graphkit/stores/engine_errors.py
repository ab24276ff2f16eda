"""Turns the errors of the embedded engine into ours, so that none of its own escapes."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from pathlib import Path

import kglite

from graphkit.errors import (
    GraphkitError,
    Problem,
    QueryError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)

__all__ = ["quiet", "refused_write", "translated"]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide remarks of the engine on how it lays out its file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@contextlib.contextmanager
def translated(path: Path) -> Iterator[None]:
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
        return refused_write()
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
        return StoreError(f"{path}: the store is damaged: {text.partition('): ')[2] or text}")
    if "ermission denied" in text or "ead-only file system" in text:
        return StoreReadOnlyError(f"{path}: {text}")
    if isinstance(error, kglite.ConstraintError):
        return StoreError(f"{path}: refused, it would break the schema: {text}")
    return StoreError(f"{path}: {text}")


def refused_write() -> QueryError:
    """Return the error for a query that should only read."""
    return QueryError(
        Problem("the query would change the store, expected one that only reads", "write_refused")
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
