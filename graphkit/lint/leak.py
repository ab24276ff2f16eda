"""Finds a name in running text: at token boundaries, or anywhere for scripts without spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = ["Leak", "find_leaks", "joins"]


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


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the pieces of a text whose normal forms do not act on each other."""
    start, before = 0, ""
    for place, sign in enumerate(text):
        alone = sign if sign.isascii() else unicodedata.normalize("NFKC", sign)
        if place > start and sign.isascii():  # acts on nothing before it
            yield start, place
            start, before = place, alone
        elif place > start:
            joined = unicodedata.normalize("NFKC", text[start:place] + sign)
            if not unicodedata.combining(sign) and joined == before + alone:
                yield start, place
                start, before = place, alone
            else:
                before = joined
        else:
            before = alone
    if start < len(text):
        yield start, len(text)


def _folded(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the folded text, and for each of its characters (start, end) in the text given.

    Folding is that of names: NFKC, case-folded; and any run of white space is one space.
    """
    signs: list[str] = []
    places: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        piece = text[start:end].casefold()
        if not piece.isascii():
            piece = unicodedata.normalize("NFKC", text[start:end]).casefold()
            piece = unicodedata.normalize("NFKC", piece)
        for part in piece:
            if part.isspace():
                if signs and signs[-1] == " ":
                    places[-1] = places[-1][0], end
                    continue
                part = " "
            signs.append(part)
            places.append((start, end))
    return "".join(signs), places


def _unspaced(sign: str) -> bool:
    """Whether a word may begin or end beside this character without a space between."""
    code = ord(sign)
    return (
        0x3005 <= code <= 0x3007  # signs that stand for han
        or 0x3040 <= code <= 0x312F  # kana, bopomofo
        or 0x31F0 <= code <= 0x31FF  # kana
        or 0x1100 <= code <= 0x11FF  # hangul: written with spaces, but particles are joined on
        or 0x3130 <= code <= 0x318F
        or 0xAC00 <= code <= 0xD7AF
        or 0x3400 <= code <= 0x4DBF
        or 0x4E00 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x323AF  # han
        or 0x0E00 <= code <= 0x0EFF  # thai, lao
        or 0x1000 <= code <= 0x109F  # burmese
        or 0x1780 <= code <= 0x17FF  # khmer
    )


def joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word.

    >>> joins("r", "i"), joins("r", "'"), joins("\u5317", "\u4eac")
    (True, False, False)
    """
    if _unspaced(left) or _unspaced(right):
        return False
    return all(sign.isalnum() or unicodedata.category(sign)[0] == "M" for sign in (left, right))


def find_leaks(text: str, names: Iterable[str]) -> list[Leak]:
    """Return every place where one of the names stands in a text.

    Case, width, compatibility forms and the kind of white space do not matter. In spaced scripts
    a name must begin and end at a word boundary; in Chinese, Japanese, Korean, Thai and the like
    it may stand anywhere. Places are those of the text as it was given, however many characters
    its folded form has.

    Args:
        text: The text, for instance a question.
        names: The names; blank ones are passed over.

    >>> [(leak.text, leak.start) for leak in find_leaks("Is it Oman or Romania?", ["Oman"])]
    [('Oman', 6)]
    >>> [leak.text for leak in find_leaks("他在北京大学读书", ["北京"])]
    ['北京']
    """
    folded, places = _folded(text)
    found: list[Leak] = []
    for name in dict.fromkeys(names):
        wanted = _folded(name.strip())[0]
        if not wanted:
            continue
        start = folded.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            free_left = start == 0 or not joins(folded[start - 1], folded[start])
            free_right = end == len(folded) or not joins(folded[end - 1], folded[end])
            if free_left and free_right:
                first, last = places[start][0], places[end - 1][1]
                found.append(Leak(name, first, last, text[first:last]))
            start = folded.find(wanted, start + 1)
    return found
