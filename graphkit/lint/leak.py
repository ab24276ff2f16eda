"""Finds a name in running text: at token boundaries, or anywhere for scripts without spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Leak", "find_leaks"]


@dataclass(frozen=True, slots=True)
class Leak:
    """A name that stands in a text.

    Attributes:
        name: The name.
        start: Where it begins, in characters of the text.
        end: Where it ends.
        text: The text there, as it is written.
    """

    name: str
    start: int
    end: int
    text: str


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and for each of its characters the place it comes from."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        for part in unicodedata.normalize("NFKC", sign).casefold():
            signs.append(part)
            places.append(place)
    return "".join(signs), places


def _unspaced(sign: str) -> bool:
    """Whether a character belongs to a script that is written without spaces between words."""
    code = ord(sign)
    return (
        0x3040 <= code <= 0x30FF  # kana
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x3134F  # han
        or 0x0E00 <= code <= 0x0EFF  # thai, lao
        or 0x1000 <= code <= 0x109F  # burmese
        or 0x1780 <= code <= 0x17FF  # khmer
    )


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    if _unspaced(left) or _unspaced(right):
        return False
    return all(sign.isalnum() or unicodedata.category(sign)[0] == "M" for sign in (left, right))


def find_leaks(text: str, names: Iterable[str]) -> list[Leak]:
    """Return every place where one of the names stands in a text.

    Case, width and compatibility forms do not matter. In spaced scripts a name must begin and
    end at a word boundary; in Chinese, Japanese, Thai and the like it may stand anywhere.

    Args:
        text: The text, for instance a question.
        names: The names; blank ones are passed over.

    >>> [(leak.text, leak.start) for leak in find_leaks("Is it Oman or Romania?", ["Oman"])]
    [('Oman', 6)]
    >>> [leak.text for leak in find_leaks("他在北京大学读书", ["北京"])]
    ['北京']
    """
    folded, places = _folded(unicodedata.normalize("NFC", text))
    source = unicodedata.normalize("NFC", text)
    found: list[Leak] = []
    for name in dict.fromkeys(names):
        wanted = _folded(unicodedata.normalize("NFC", name.strip()))[0]
        if not wanted:
            continue
        start = folded.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            free_left = start == 0 or not _joins(folded[start - 1], folded[start])
            free_right = end == len(folded) or not _joins(folded[end - 1], folded[end])
            if free_left and free_right:
                first, last = places[start], places[end - 1] + 1
                found.append(Leak(name, first, last, source[first:last]))
            start = folded.find(wanted, start + 1)
    return found
