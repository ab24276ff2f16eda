"""Keeps the text of pages by the hash of what it says; the same text is kept once."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from graphkit.errors import OperationError, Problem
from graphkit.formats.writing import write_bytes

__all__ = ["Snapshots", "text_hash"]


def text_hash(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8, in hexadecimal.

    >>> text_hash("abc")[:8]
    'ba7816bf'
    """
    return hashlib.sha256(text.encode()).hexdigest()


class Snapshots:
    """Texts on disk, one file each: ``ab/abcdef….txt`` by the hash of the content.

    Args:
        folder: Where they are kept; it is made when the first one is.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def path(self, sha256: str) -> Path:
        """Return where the text with a hash is kept, or would be."""
        return self._folder / sha256[:2] / f"{sha256}.txt"

    def keep(self, text: str) -> str:
        """Keep a text, atomically, unless it is there already; return its hash.

        It may be called from several threads.

        Raises:
            OperationError: It cannot be written.
        """
        sha256 = text_hash(text)
        path = self.path(sha256)
        data = text.encode()
        with self._lock:
            if not path.is_file() or path.stat().st_size != len(data):
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise OperationError(
                        Problem(
                            f"cannot be written: {error.strerror}", "unwritable", str(path.parent)
                        )
                    ) from error
                write_bytes(path, data)
        return sha256

    def read(self, sha256: str) -> str:
        """Return the text with a hash.

        Raises:
            OperationError: It is missing, or is not what was kept.
        """
        path = self.path(sha256)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise OperationError(
                Problem(
                    f"a snapshot that the run needs cannot be read: {error.strerror}; put it back, "
                    "or begin a new run",
                    code="snapshot",
                    file=str(path),
                )
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise OperationError(
                Problem(
                    "the snapshot is not what was kept: its content has another hash; put it "
                    "back, or begin a new run",
                    code="snapshot",
                    file=str(path),
                )
            )
        return data.decode()
