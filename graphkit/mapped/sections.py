"""A file of named arrays: written at once, read by mapping it into memory, with a checksum."""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from graphkit.errors import FormatError, Problem

__all__ = ["MAGIC", "VERSION", "Array", "read_sections", "write_sections"]

Array = npt.NDArray[Any]

MAGIC = b"\x93GKFACT\n"
"""The first bytes of a saved fact store; the first is no text, so that no text file has them."""

VERSION = 1
"""The version of the layout; another one is refused."""

_HEAD = len(MAGIC) + 12
_ALIGN = 64


def write_sections(
    stream: IO[bytes], about: Mapping[str, Any], arrays: Mapping[str, Array]
) -> None:
    """Write a head with what is said about the arrays, then the arrays, little-endian.

    Args:
        stream: Where to write.
        about: What can be written as JSON.
        arrays: One-dimensional arrays by name.
    """
    places: dict[str, tuple[str, int, int]] = {}
    end, checksum = 0, 0
    pieces: list[bytes] = []
    for name, array in arrays.items():
        kind = array.dtype.newbyteorder("<")
        data = np.ascontiguousarray(array, dtype=kind)
        places[name] = (kind.str, end, len(data))
        filling = bytes(-data.nbytes % _ALIGN)
        for piece in (data.tobytes(), filling):
            pieces.append(piece)
            checksum = zlib.crc32(piece, checksum)
        end += data.nbytes + len(filling)
    described = {"about": about, "arrays": places, "bytes": end, "crc32": checksum}
    text = json.dumps(described, ensure_ascii=True, separators=(",", ":")).encode()
    text += b" " * (-(_HEAD + len(text)) % _ALIGN)
    stream.write(MAGIC)
    for number in (VERSION, len(text), zlib.crc32(text)):
        stream.write(number.to_bytes(4, "little"))
    stream.write(text)
    for piece in pieces:
        stream.write(piece)


def read_sections(
    path: str | os.PathLike[str], *, verify: bool
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Map a file and return what it says about itself and its arrays, which are read-only.

    Args:
        path: The file.
        verify: Whether to read all of it once and compare the checksum; the head, its checksum
            and the length of the file are always checked.

    Raises:
        FormatError: The file is missing, of another kind or version, cut off or damaged.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            if not os.fstat(stream.fileno()).st_size:
                raise _wrong(name, "is empty, expected a saved fact store", "empty")
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise _wrong(name, f"cannot be read: {error.strerror or error}", "unreadable") from error
    described, begin = _read_head(name, data)
    expected = begin + int(described["bytes"])
    if len(data) != expected:
        state = "it is cut off" if len(data) < expected else "something follows its end"
        raise _wrong(name, f"has {len(data):,} bytes, expected {expected:,}: {state}", "length")
    if verify and zlib.crc32(memoryview(data)[begin:]) != described["crc32"]:
        raise _wrong(
            name, "does not match its checksum: it is damaged, save the facts again", "checksum"
        )
    arrays = {
        key: np.frombuffer(data, dtype=kind, count=count, offset=begin + place)
        for key, (kind, place, count) in described["arrays"].items()
    }
    return described["about"], arrays


def _read_head(name: str, data: mmap.mmap) -> tuple[dict[str, Any], int]:
    if data[: len(MAGIC)] != MAGIC[: len(data)]:
        raise _wrong(name, "is no saved fact store; facts as text are read with read_facts", "kind")
    if len(data) < _HEAD:
        raise _wrong(name, f"has {len(data)} bytes only: it is cut off", "length")
    version, size, checksum = (
        int.from_bytes(data[start : start + 4], "little") for start in range(len(MAGIC), _HEAD, 4)
    )
    if version != VERSION:
        raise _wrong(
            name,
            f"was saved in version {version} of the layout, expected {VERSION}; "
            "save the facts again",
            "version",
        )
    text = data[_HEAD : _HEAD + size]
    if len(text) < size:
        raise _wrong(name, f"has {len(data):,} bytes only: it is cut off", "length")
    if zlib.crc32(text) != checksum:
        raise _wrong(name, "has a head that does not match its checksum: it is damaged", "checksum")
    described: dict[str, Any] = json.loads(text)
    return described, _HEAD + size


def _wrong(name: str, message: str, code: str) -> FormatError:
    return FormatError(Problem(message, code=code, file=name))
