"""Reads the body of an answer piece by piece, unpacks it, and stops at the limit."""

from __future__ import annotations

import zlib

__all__ = ["BodyBroken", "BodyTooLarge", "Unpacker"]

_PIECE = 65_536
_STEP = 16_384
_GZIP = b"\x1f\x8b"
_WBITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class BodyTooLarge(Exception):
    """A body is longer than the limit."""


class BodyBroken(Exception):
    """A body cannot be unpacked; the message says why."""


class Unpacker:
    """Collects a body, unpacked, within a limit that holds for both of its lengths.

    A body of a few kilobytes that unpacks to gigabytes is never unpacked further than the limit.
    All members of a gzip body are unpacked; what follows the last of them is passed over.

    Args:
        encoding: The value of ``Content-Encoding``.
        limit: The longest body, in bytes.

    Raises:
        BodyBroken: The encoding is not one that was asked for.

    >>> unpacker = Unpacker("gzip", 100)
    >>> unpacker.feed(zlib.compress(b"abc", wbits=31))
    >>> unpacker.body()
    b'abc'
    """

    def __init__(self, encoding: str, limit: int) -> None:
        names = [name for name in encoding.lower().replace(" ", "").split(",") if name]
        names = [name for name in names if name != "identity"]
        unknown = [name for name in names if name not in _WBITS]
        if unknown or len(names) > 1:
            raise BodyBroken(f"the body is packed as {encoding}, which was not asked for")
        self._packing = names[0] if names else ""
        self._decoder = zlib.decompressobj(_WBITS.get(self._packing, 15))
        self._begun = False
        self._ended = False
        self._ahead = b""
        self._limit = limit
        self._raw = 0
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> None:
        """Take the next piece as it came from the network.

        Raises:
            BodyTooLarge: The limit is passed.
            BodyBroken: It cannot be unpacked.
        """
        self._raw += len(data)
        if self._raw > self._limit:
            raise BodyTooLarge
        if not self._packing:
            self._keep(data)
            return
        try:
            for start in range(0, len(data), _STEP):
                self._unpack(self._ahead + data[start : start + _STEP])
        except zlib.error as error:
            raise BodyBroken(f"the body cannot be unpacked: {error}") from None

    def body(self) -> bytes:
        """Return the whole body.

        Raises:
            BodyBroken: It ended too early.
        """
        if self._packing and self._raw:
            try:
                while not self._decoder.eof:
                    more = self._decoder.decompress(self._decoder.unconsumed_tail, _PIECE)
                    if not more:
                        break
                    self._keep(more)
            except zlib.error as error:
                raise BodyBroken(f"the body cannot be unpacked: {error}") from None
            if not self._decoder.eof or not self._begun:
                raise BodyBroken("the packed body ends too early")
        return b"".join(self._parts)

    def so_far(self) -> bytes:
        """Return what came before the limit was passed."""
        return b"".join(self._parts)

    def _unpack(self, data: bytes) -> None:
        """Unpack a piece; what is too short to say how it is packed waits for the next."""
        self._ahead = b""
        while data and not self._ended:
            if not self._begun or self._decoder.eof:
                if len(data) < 2:
                    self._ahead = data
                    return
                self._begin(data)
                continue
            self._keep(self._decoder.decompress(data, _PIECE))
            data = self._decoder.unused_data or self._decoder.unconsumed_tail

    def _begin(self, data: bytes) -> None:
        """Look at the first bytes of a body, or at what follows a member of it."""
        if not self._begun:
            self._begun = True
            if self._packing == "deflate" and not _has_zlib_header(data):
                self._decoder = zlib.decompressobj(-15)  # as some servers send it
        elif self._packing != "deflate" and data.startswith(_GZIP):
            self._decoder = zlib.decompressobj(_WBITS[self._packing])
        else:
            self._ended = True

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self._limit:
            raise BodyTooLarge
        self._parts.append(data)


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
