"""Atomic writing of output files: all of a file or nothing, the same bytes for the same content."""

from __future__ import annotations

import contextlib
import gzip
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from graphkit.errors import InputError, OperationError, Problem, UnsupportedError

__all__ = ["atomic_writer", "encode", "write_bytes", "write_text"]


@contextlib.contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its name only when all is written.

    The bytes go to a temporary file in the same folder, which replaces the old one at the end. An
    error or an interrupt leaves the old file as it was. The suffix ``.gz`` compresses, without
    time or name in the header; ``-`` is standard output.

    Args:
        path: Where to write.

    Raises:
        InputError: The folder does not exist, or the path is a directory.
        OperationError: It cannot be written.
    """
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(name))
    mode = _mode(target, name)
    if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe: nothing to replace
        try:
            with open(target, "wb") as stream:
                yield stream
        except OSError as error:
            raise _unwritable(error, name) from error
        return
    temporary = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        with _create(temporary, name) as raw:
            if Path(name).suffix.lower() == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except OSError as error:
        raise _unwritable(error, name) from error
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(error: OSError, name: str) -> OperationError:
    why = error.strerror or str(error)
    return OperationError(Problem(f"cannot be written: {why}", code="unwritable", file=name))


def _mode(target: Path, name: str) -> int | None:
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        problem = Problem(f"cannot be written: {why}", code="unwritable", file=name)
        raise InputError(problem) from error
    if stat.S_ISDIR(mode):
        raise InputError(Problem("is a directory, expected a file", code="directory", file=name))
    return mode


def _create(temporary: Path, name: str) -> IO[bytes]:
    try:
        return open(temporary, "wb")
    except FileNotFoundError:
        raise InputError(
            Problem(
                f"cannot be written: there is no folder {temporary.parent}",
                code="missing_folder",
                file=name,
            )
        ) from None


def encode(text: str, what: str = "the text") -> bytes:
    """Return text as UTF-8.

    Raises:
        UnsupportedError: It holds half of a surrogate pair, which UTF-8 cannot carry.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnsupportedError(
            Problem(
                f"{what} holds {text[error.start]!r}, half of a surrogate pair, which UTF-8 "
                "cannot carry",
                code="surrogate",
            )
        ) from error


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically; see :func:`atomic_writer`."""
    with atomic_writer(path) as stream:
        stream.write(data)


def write_text(path: str | os.PathLike[str], parts: Iterable[str]) -> None:
    """Write pieces of text one after the other as UTF-8, atomically.

    Args:
        path: Where to write; see :func:`atomic_writer`.
        parts: The pieces, each with its own line break.
    """
    with atomic_writer(path) as stream:
        for part in parts:
            stream.write(encode(part))
