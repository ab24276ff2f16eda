"""Looks at the file of an embedded store before it is opened, and opens it for reading."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

import kglite

from graphkit.errors import StoreError, StoreReadOnlyError
from graphkit.stores.engine_errors import quiet

__all__ = ["check_path", "has_pending_log", "snapshot"]

_EMPTY_LOG = 64
"""A log of at most this many bytes holds no commit."""


def check_path(path: Path, *, read_only: bool) -> None:
    """Check that a path can hold, or holds, a store.

    Raises:
        StoreError: It is something else, or there is nothing to read.
        StoreReadOnlyError: It should be written and cannot be.
    """
    if path.is_dir():
        raise StoreError(f"{path}: a folder, expected the file of a store")
    if read_only:
        if not path.exists() and not has_pending_log(path):
            raise StoreError(f"{path}: there is no store; graphkit load makes one")
        _check_magic(path)
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
    _check_magic(path)


def _check_magic(path: Path) -> None:
    """Refuse a file that is no store before lock files are laid beside it."""
    if not path.exists():
        return
    try:
        with path.open("rb") as stream:
            head = stream.read(3)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
    if head != b"RGF":
        found = "a file of another kind" if head else "an empty file"
        raise StoreError(
            f"{path}: {found}, expected a store of graphkit or a path that does not exist yet"
        )


def _may_write(path: Path) -> bool:
    """Whether a path can be written; one that nobody may write counts as read-only for root too."""
    everybody = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
    return os.access(path, os.W_OK) and bool(path.stat().st_mode & everybody)


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def has_pending_log(path: Path) -> bool:
    """Whether the log may hold commits that the file does not."""
    log = _log(path)
    return log.exists() and log.stat().st_size > _EMPTY_LOG


def snapshot(path: Path) -> kglite.KnowledgeGraph:
    """Load a store for reading, with what a killed writer left in its log."""
    with quiet():
        if not has_pending_log(path):
            return kglite.load(str(path))
        if _may_write(path.parent) and (not path.exists() or _may_write(path)):
            try:
                graph = kglite.open(str(path), durable="full")
            except kglite.WriterLeaseHeldError:
                return _copy(path)
            graph.close()
            return graph
        return _copy(path)


def _copy(path: Path) -> kglite.KnowledgeGraph:
    """Load copies of file and log, so that a reader sees all commits of a writer at work.

    The log is copied first: if the writer renews its file in between, the file holds what the
    copied log says, and saying it twice does no harm.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(_log(path), _log(copy))
        if path.exists():
            shutil.copyfile(path, copy)
        graph = kglite.open(str(copy), durable="normal")
        graph.close()
        return graph
