"""Turns the errors of the Neo4j driver and server into ours; what they say holds no password."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from neo4j.exceptions import (
    AuthError,
    ClientError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
    UnsupportedServerProduct,
    WriteServiceUnavailable,
)

from graphkit.errors import (
    GraphkitError,
    InputError,
    Problem,
    QueryError,
    StoreError,
    StoreReadOnlyError,
    StoreVersionError,
)

__all__ = ["refused_write", "translated"]


def refused_write() -> QueryError:
    """Return the error of a query that would change something where only reading is allowed."""
    return QueryError(
        Problem("the query would change the store, expected one that only reads", code="writes")
    )


@contextlib.contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn the errors of driver and server into ours.

    Args:
        place: The address, without secrets.
    """
    try:
        yield
    except GraphkitError:
        raise
    except (Neo4jError, DriverError) as error:
        raise _ours(place, error) from error
    except OSError as error:
        raise StoreError(f"{place}: {error.strerror or error}") from error
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise QueryError(f"the query or its values: {_first_line(error)}") from error


def _ours(place: str, error: Neo4jError | DriverError) -> GraphkitError:
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    if "too large to index" in str(error):
        return InputError(
            Problem(
                f"{place}: a name or an id is longer than the about 8,000 bytes that the server "
                "can index; shorten it, or use the embedded store",
                code="too_long",
            )
        )
    for known, make in _BY_CODE.items():
        if code.startswith(known):
            return make(place, error)
    for kind, make in _BY_KIND.items():
        if isinstance(error, kind):
            return make(place, error)
    return StoreError(f"{place}: {_first_line(error)}")


def _first_line(error: BaseException) -> str:
    text = (error.message if isinstance(error, Neo4jError) else None) or str(error)
    return next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)


def _wrong_login(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: the server refuses the user name or the password; set NEO4J_USERNAME and "
            "NEO4J_PASSWORD to those of this server",
            code="login",
        )
    )


def _expired_login(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: the password must be changed before the first use: "
            "ALTER CURRENT USER SET PASSWORD FROM 'old' TO 'new', on the database system",
            code="login",
        )
    )


def _too_many_logins(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: too many wrong passwords in a row; wait a few seconds and set "
            "NEO4J_USERNAME and NEO4J_PASSWORD to those of this server",
            code="login",
        )
    )


def _refused(place: str, error: Exception) -> GraphkitError:
    return refused_write()


def _read_only(place: str, error: Exception) -> GraphkitError:
    return StoreReadOnlyError(
        Problem(
            f"{place}: this member of the server takes no writes; use an address neo4j://, which "
            "finds the one that does, or open the store for reading",
            code="read_only",
        )
    )


def _forbidden(place: str, error: Exception) -> GraphkitError:
    return StoreReadOnlyError(
        Problem(f"{place}: the user may not do this: {_first_line(error)}", code="forbidden")
    )


def _no_database(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: {_first_line(error).rstrip('.')}; set NEO4J_DATABASE to one that SHOW "
            "DATABASES lists",
            code="database",
        )
    )


def _too_long(place: str, error: Exception) -> GraphkitError:
    return QueryError(
        Problem("the query took longer than it may; narrow it or give it more time", "timeout")
    )


def _too_large(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: the server ran out of memory; narrow the query, load in smaller batches, "
            "or give the server more",
            code="memory",
        )
    )


def _too_deep(place: str, error: Exception) -> GraphkitError:
    return QueryError(
        Problem("the query is too deep for the server; split it, or give it more stack", "too_long")
    )


def _of_the_query(place: str, error: Exception) -> GraphkitError:
    return QueryError(Problem(_first_line(error), code="query"))


def _other_product(place: str, error: Exception) -> GraphkitError:
    return StoreVersionError(f"{place}: {_first_line(error)}; expected Neo4j 5.26 or later")


def _broken_commit(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: the connection broke while a transaction was committed; whether it took "
            "effect is not known. Loading again is safe",
            code="broken_commit",
        )
    )


def _unreachable(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: the server cannot be reached ({_reason(error)}); what was committed stays, "
            "the rest is undone. Is it running, and is the address right?",
            code="unreachable",
        )
    )


def _busy(place: str, error: Exception) -> GraphkitError:
    return StoreError(
        Problem(
            f"{place}: the server could not do it now: {_first_line(error)}; nothing of this "
            "transaction took effect, run it again",
            code="busy",
        )
    )


def _reason(error: BaseException) -> str:
    """Return what the system said, the innermost cause that it names."""
    seen: list[BaseException] = [error]
    for item in seen:
        if isinstance(item, OSError) and item.strerror:
            return item.strerror
        inner = [item.__cause__, item.__context__]
        if isinstance(item, BaseExceptionGroup):
            inner += item.exceptions
        seen += [one for one in inner if one is not None and one not in seen]
    return _first_line(error).rstrip(":")


_BY_CODE = {
    "Neo.ClientError.Security.CredentialsExpired": _expired_login,
    "Neo.ClientError.Security.AuthenticationRateLimit": _too_many_logins,
    "Neo.ClientError.Security.Forbidden": _forbidden,
    "Neo.ClientError.Security": _wrong_login,
    "Neo.ClientError.Statement.AccessMode": _refused,
    "Neo.ClientError.Cluster.NotALeader": _read_only,
    "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase": _read_only,
    "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase": _read_only,
    "Neo.ClientError.Database.DatabaseNotFound": _no_database,
    "Neo.TransientError.Database.DatabaseUnavailable": _no_database,
    "Neo.ClientError.Transaction.TransactionTimedOut": _too_long,
    "Neo.ClientError.Transaction.LockClientStopped": _too_long,
    "Neo.TransientError.General.MemoryPoolOutOfMemoryError": _too_large,
    "Neo.TransientError.General.OutOfMemoryError": _too_large,
    "Neo.TransientError.General.TransactionOutOfMemoryError": _too_large,
    "Neo.ClientError.General.TransactionOutOfMemoryError": _too_large,
    "Neo.TransientError.General.StackOverFlowError": _too_deep,
    "Neo.DatabaseError.Transaction.TransactionStartFailed": _of_the_query,
    "Neo.ClientError": _of_the_query,
}
"""By the beginning of the code that a server gives, the longer ones first."""

_BY_KIND = {
    AuthError: _wrong_login,
    UnsupportedServerProduct: _other_product,
    IncompleteCommit: _broken_commit,
    WriteServiceUnavailable: _read_only,
    ServiceUnavailable: _unreachable,
    SessionExpired: _unreachable,
    TransientError: _busy,
    ClientError: _of_the_query,
}
