"""Where a Neo4j server is and who asks: addresses without secrets, credentials without a trace."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from graphkit.errors import StoreError

__all__ = ["SCHEMES", "Address", "credentials", "parse_address", "without_secrets"]

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""The schemes of addresses of a server, as the official driver has them."""

DEFAULT_PORT = 7687


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server and the database on it.

    Attributes:
        url: What the driver is given.
        database: The database, or None for the home database of the user.
    """

    url: str
    database: str | None = None

    def __str__(self) -> str:
        return f"{self.url}/{self.database}" if self.database else self.url


def without_secrets(text: str) -> str:
    """Return an address without user name and password, for messages.

    >>> without_secrets("neo4j://me:secret@host:7687/db")
    'neo4j://host:7687/db'
    """
    scheme, found, rest = text.partition("://")
    if not found:
        return text
    end = min((rest.find(mark) for mark in "/?#" if mark in rest), default=len(rest))
    return f"{scheme}://{rest[:end].rpartition('@')[2]}{rest[end:]}"


def parse_address(text: str, database: str | None = None) -> Address:
    """Read an address such as ``neo4j+s://host:7687/database?policy=eu``.

    Args:
        text: The address. Port and database may be missing; what stands behind ``?`` is handed to
            the routing of a cluster.
        database: The database, where the address names none.

    Raises:
        StoreError: It is no address of a server, or there are secrets in it.

    >>> parse_address("neo4j://db.example.org/bench")
    Address(url='neo4j://db.example.org:7687', database='bench')
    >>> parse_address("bolt://[::1]:7688").url
    'bolt://[::1]:7688'
    """
    shown = without_secrets(text)
    parts = urlsplit(text)
    if parts.scheme not in SCHEMES:
        raise StoreError(
            f"{shown}: no kind of server {parts.scheme!r}, expected one of {', '.join(SCHEMES)}"
        )
    if "@" in parts.netloc:
        raise StoreError(
            f"{shown}: a user name or a password in the address would end up in logs; set "
            "NEO4J_USERNAME and NEO4J_PASSWORD instead"
        )
    try:
        host, port = parts.hostname, parts.port or DEFAULT_PORT
    except ValueError as error:
        raise StoreError(f"{shown}: {error}") from error
    if not host:
        raise StoreError(f"{shown}: no host, expected {parts.scheme}://host:{DEFAULT_PORT}")
    if parts.query and parts.scheme.startswith("bolt"):
        raise StoreError(
            f"{shown}: what stands behind '?' is for the routing of a cluster, expected "
            f"{parts.scheme.replace('bolt', 'neo4j')}://"
        )
    if parts.query and len(parse_qsl(parts.query)) != parts.query.count("&") + 1:
        raise StoreError(f"{shown}: expected name=value behind '?'")
    named = unquote(parts.path.strip("/")) or None
    if named and database and named != database:
        raise StoreError(f"{shown}: the address names another database than {database!r}")
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    return Address(f"{parts.scheme}://{place}{query}", named or database)


def credentials(
    username: str | None = None,
    password: str | None = None,
    env: Mapping[str, str] | None = None,
) -> tuple[str, str] | None:
    """Return user name and password, or None for a server that asks for none.

    Args:
        username: By default ``NEO4J_USERNAME``, else ``neo4j``.
        password: By default ``NEO4J_PASSWORD``.
        env: The environment; by default that of the process.

    Raises:
        StoreError: There is a user name without a password.

    >>> credentials(env={"NEO4J_PASSWORD": "secret"})
    ('neo4j', 'secret')
    """
    env = os.environ if env is None else env
    username = username or env.get("NEO4J_USERNAME")
    password = password or env.get("NEO4J_PASSWORD")
    if password:
        return username or "neo4j", password
    if username:
        raise StoreError("a user name without a password; set NEO4J_PASSWORD")
    return None
