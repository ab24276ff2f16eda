"""The way to a Neo4j server: the driver, and what it is that answers."""

from __future__ import annotations

import logging
import re

import neo4j
from neo4j import GraphDatabase

from graphkit.errors import StoreVersionError
from graphkit.stores.neo4j_address import Address
from graphkit.stores.neo4j_errors import translated
from graphkit.stores.schema import package_version

__all__ = ["MINIMUM", "checked_server", "connected", "is_supported"]

MINIMUM = (5, 26)
"""The oldest version of Neo4j that is known to work."""

_AGENT = re.compile(r"^Neo4j/(\d+)\.(\d+)")

# The driver writes remarks of the server to its log, which Python prints where nobody asked for
# logs; they are in ``Rows.notes``.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


def connected(
    address: Address,
    login: tuple[str, str] | None,
    connect_seconds: float,
    retry_seconds: float,
) -> neo4j.Driver:
    """Return a driver; nothing is sent yet.

    Args:
        address: Where the server is.
        login: User name and password, or None where none is asked for.
        connect_seconds: The most seconds to wait for a connection.
        retry_seconds: For how long a managed transaction is tried again.
    """
    with translated(str(address)):
        return GraphDatabase.driver(
            address.url,
            auth=login,
            user_agent=f"graphkit/{package_version()}",
            connection_timeout=connect_seconds,
            connection_acquisition_timeout=2 * connect_seconds,
            max_transaction_retry_time=retry_seconds,
            liveness_check_timeout=60.0,
            notifications_min_severity="WARNING",
        )


def is_supported(agent: str) -> bool:
    """Whether a server that calls itself so is Neo4j of a version that is known to work.

    >>> is_supported("Neo4j/5.26.30"), is_supported("Neo4j/5.9.0"), is_supported("Other/9.1")
    (True, False, False)
    """
    found = _AGENT.match(agent)
    return found is not None and (int(found[1]), int(found[2])) >= MINIMUM


def checked_server(
    driver: neo4j.Driver, address: Address, *, any_version: bool
) -> tuple[str, Address]:
    """Return what the server is, and the address with the database that it gives this user.

    Raises:
        StoreError: It cannot be reached, or refuses the user or the database.
        StoreVersionError: It is not supported.
    """
    with (
        translated(str(address)),
        driver.session(database=address.database, default_access_mode=neo4j.READ_ACCESS) as session,
    ):
        summary = session.run("RETURN 1 AS one").consume()
    agent = summary.server.agent
    if not any_version and not is_supported(agent):
        raise StoreVersionError(
            f"{address}: the server is {agent}, expected Neo4j {'.'.join(map(str, MINIMUM))} or "
            "later; GRAPHKIT_NEO4J_ANY_VERSION=1 tries it all the same"
        )
    return agent, Address(address.url, summary.database or address.database)
