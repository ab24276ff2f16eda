"""The bytes of a block of JSONL: where its lines end and its strings begin. No I/O."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["PADDING", "REACH", "Mask", "Places", "Text", "Words", "is_utf8", "scan"]

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

REACH = 64
"""How far beyond a block words can be read."""
PADDING = REACH + 16
"""How many bytes must follow a block."""

_QUOTE, _NEWLINE, _BACKSLASH, _U = 34, 10, 92, 117
_ESCAPES = np.isin(np.arange(256), list(b'"\\/bfnrtu'))
_HEX = np.isin(np.arange(256), list(b"0123456789abcdefABCDEF"))


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A block with what its bytes say.

    Attributes:
        words: The eight bytes from each place on, as one number.
        data: The bytes.
        special: The places of string quotes and line feeds; escaped quotes are left out.
        first: For each line its first entry in ``special``.
        counts: Its number of string quotes.
        starts: The place of its first byte.
        ends: The place of its line feed.
        good: Whether it has no control character and no invalid escape.
    """

    words: Words
    data: memoryview
    special: Places
    first: Places
    counts: Places
    starts: Places
    ends: Places
    good: Mask


def is_utf8(data: bytes, start: int, stop: int) -> bool:
    """Return whether a part of ``data`` is UTF-8; parts must end with a whole character."""
    try:
        codecs.utf_8_decode(memoryview(data)[start:stop], "strict", True)
    except UnicodeDecodeError:
        return False
    return True


def scan(data: bytes, start: int, stop: int, scratch: Mask) -> Text:
    """Find lines and string quotes of a block.

    Args:
        data: The bytes; at least :data:`PADDING` of them follow the block.
        start: Where the block starts: at a line.
        stop: Where it ends: after a line feed.
        scratch: Two rows at least as long as the block, to work in.
    """
    whole = np.frombuffer(data, dtype=np.uint8, offset=start)
    octets = whole[: stop - start]
    words = np.ndarray(
        (len(octets) + REACH + 8,), dtype="<u8", buffer=data, offset=start, strides=(1,)
    )
    marks, other = scratch[0, : len(octets)], scratch[1, : len(octets)]
    np.equal(octets, _QUOTE, out=marks)
    marks |= np.equal(octets, _NEWLINE, out=other)
    bad = np.zeros(0, dtype=np.int64)
    if data.find(b"\\", start, stop) >= 0:
        marks |= np.equal(octets, _BACKSLASH, out=other)
        special, bad = _unescape(whole, np.flatnonzero(marks))
    else:
        special = np.flatnonzero(marks)
    breaks = np.flatnonzero(octets[special] == _NEWLINE)
    ends = special[breaks]
    first = np.concatenate(([0], breaks[:-1] + 1))
    good = np.ones(len(ends), dtype=np.bool_)
    if np.count_nonzero(np.less(octets, 32, out=other)) != len(ends):
        bad = np.concatenate((bad, np.flatnonzero((octets < 32) & (octets != _NEWLINE))))
    if len(bad):
        good[np.searchsorted(ends, bad)] = False
    return Text(
        words,
        memoryview(data)[start:stop],
        special,
        first,
        breaks - first,
        np.concatenate(([0], ends[:-1] + 1)),
        ends,
        good,
    )


def _unescape(whole: Bytes, special: Places) -> tuple[Places, Places]:
    """Take backslashes and escaped quotes out of ``special``; find escapes that are not valid.

    The place of an invalid escape is that of its backslash.
    """
    kinds = whole[special]
    found = np.flatnonzero(kinds == _BACKSLASH)
    slashes = special[found]
    order = np.arange(len(slashes))
    fresh = np.ones(len(slashes), dtype=np.bool_)
    fresh[1:] = slashes[1:] != slashes[:-1] + 1
    begun = np.maximum.accumulate(np.where(fresh, order, 0))
    opens = (order - begun) % 2 == 0
    places = slashes[opens]
    letters = whole[places + 1]
    keep = kinds != _BACKSLASH
    keep[found[opens][letters == _QUOTE] + 1] = False
    wrong = ~_ESCAPES[letters]
    unicode = np.flatnonzero(letters == _U)
    if len(unicode):
        digits = whole[places[unicode][:, None] + np.arange(2, 6)]
        wrong[unicode[~_HEX[digits].all(axis=1)]] = True
    return special[keep], places[wrong]
