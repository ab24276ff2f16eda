"""The ids of nodes, and what every loader of this package does. No query is made of user text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from graphkit.stores.base import GraphStore
from graphkit.stores.schema import constraint_statement

__all__ = ["LABELS", "key_of", "parts_of", "prepare"]

LABELS = (
    "Task", "Dimension", "Direction", "Atom", "RubricFact", "Report", "Verdict", "Score",
)  # fmt: skip
"""The labels that this package writes."""

T = TypeVar("T")


def key_of(*parts: str) -> str:
    """Return the id of a node below a task; distinct parts have distinct ids.

    >>> key_of("t1", "A", "fc1"), key_of("a/b", "c"), key_of("a", "b/c")
    ('t1/A/fc1', 'a%2Fb/c', 'a/b%2Fc')
    """
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def parts_of(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most ``size``."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def prepare(store: GraphStore) -> None:
    """Make the ids of our labels unique in a store that was made before they were known."""
    with store.transaction() as transaction:
        for label in LABELS:
            transaction.write(constraint_statement(label))
