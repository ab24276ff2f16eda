"""What other packages keep in a store: their kinds of files, and their part of an export."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphkit.errors import StoreError
from graphkit.stores.base import GraphStore, Queries

if TYPE_CHECKING:
    from graphkit.formats.reading import Reading

__all__ = ["Kind", "Room", "kinds", "register_room", "require_rooms", "rooms"]

Told = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file that ``graphkit load`` takes.

    Attributes:
        name: Its name for ``--format``.
        sniff: Whether the beginning of a file is of this kind.
        read: (source, keep_going, on_error) to its records.
        load: (store, files and their records, progress) to how many records of each were new or
            changed. All files of the kind come at once, so that they can be held together.
    """

    name: str
    sniff: Callable[[str], bool]
    read: Callable[..., Reading[Any]]
    load: Callable[[GraphStore, Sequence[tuple[str, Reading[Any]]], Told], list[int]]


@dataclass(frozen=True, slots=True)
class Room:
    """What a package keeps in a store.

    Attributes:
        name: The package.
        labels: The labels that are its own; see :data:`graphkit.stores.schema.RESERVED_LABELS`.
        kinds: Its kinds of files, in the order of loading.
        counts: What is counted -> a query with one number.
        export: Writes its files to a folder.
        read_export: Reads these files; a file that is not there is empty.
        load_export: Loads what was read.
    """

    name: str
    labels: tuple[str, ...]
    kinds: tuple[Kind, ...]
    counts: Mapping[str, str] = field(default_factory=dict)
    export: Callable[[Queries, Path], None] = lambda store, folder: None
    read_export: Callable[[Path], Any] = lambda folder: None
    load_export: Callable[[GraphStore, Any], None] = lambda store, found: None


_ROOMS: dict[str, Room] = {}


def register_room(room: Room) -> None:
    """Make a store keep what a package has; a package registers once, when it is imported.

    Args:
        room: The room.

    Raises:
        StoreError: Another room has its name.
    """
    if _ROOMS.setdefault(room.name, room) is not room:
        raise StoreError(f"a room {room.name!r} is registered already")


def rooms() -> tuple[Room, ...]:
    """Return the rooms that are registered, by name."""
    return tuple(_ROOMS[name] for name in sorted(_ROOMS))


def kinds() -> dict[str, Kind]:
    """Return the kinds of files of all rooms, by name."""
    return {kind.name: kind for room in rooms() for kind in room.kinds}


def require_rooms(store: Queries, labels: Sequence[str]) -> None:
    """Refuse to go on when a store holds nodes that no room looks after.

    Args:
        store: The store.
        labels: The labels that rooms own.

    Raises:
        StoreError: It does; leaving them out in silence would lose them.
    """
    owned = {label for room in rooms() for label in room.labels}
    for label in labels:
        if label not in owned and store.read(f"MATCH (n:{label}) RETURN count(n) AS n").value():
            raise StoreError(
                f"the store holds {label} nodes and the package that keeps them is not imported; "
                "import rubric.stored first"
            )
