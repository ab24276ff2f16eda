"""Empties the database of the test server, a few thousand nodes at a time.

One transaction for all of it would need more memory than a small server has.
"""

from __future__ import annotations

from graphkit.stores.base import GraphStore

__all__ = ["take_all_out"]

_LEFT = "MATCH (n) WHERE NOT n:Store RETURN count(n) AS left"
_SOME = "MATCH (n) WHERE NOT n:Store WITH n LIMIT 2000 DETACH DELETE n"


def take_all_out(store: GraphStore) -> None:
    """Take everything out of a database but the node that holds the version of its schema."""
    while store.read(_LEFT).value():
        store.write(_SOME)
