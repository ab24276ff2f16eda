"""Cuts text into words, and scripts without spaces into single characters and pairs."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator

from synthesis.web.visible import cap_marks

__all__ = ["is_unspaced", "signs_and_words", "terms", "words_of"]

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),  # Hangul, whose particles stick to its words
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_CLASS = "".join(f"{chr(first)}-{chr(last)}" for first, last in _UNSPACED)
_WORD = rf"[^\W_{_CLASS}][^\W{_CLASS}]*(?:'[^\W_{_CLASS}]+)*"
_RUNS = re.compile(rf"([{_CLASS}]+)|({_WORD})")


def is_unspaced(sign: str) -> bool:
    """Say whether a character belongs to a script that puts no spaces between its words.

    >>> is_unspaced("法"), is_unspaced("f")
    (True, False)
    """
    code = ord(sign)
    return any(first <= code <= last for first, last in _UNSPACED)


def words_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text, and runs of a script without spaces, with whether it is one.

    >>> list(words_of("The capital of 法国?"))
    [('the', False), ('capital', False), ('of', False), ('法国', True)]
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", cap_marks(text)).replace("’", "'")
    for run, word in _RUNS.findall(text.casefold()):
        if run:
            yield run, True
        else:
            yield word.removesuffix("'s").replace("'", "") if "'" in word else word, False


def signs_and_words(text: str) -> list[str]:
    """Return the words of a text, and each character of a script without spaces.

    >>> signs_and_words("Paris 法国")
    ['paris', '法', '国']
    """
    found: list[str] = []
    for run, unspaced in words_of(text):
        found += run if unspaced else [run]
    return found


def terms(text: str) -> list[str]:
    """Return what a text is searched by: words without plural s, pairs of characters.

    >>> terms("Borders of 法国人")
    ['border', 'of', '法国', '国人']
    """
    found: list[str] = []
    for run, unspaced in words_of(text):
        if unspaced and len(run) > 1:
            found += [run[place : place + 2] for place in range(len(run) - 1)]
        else:
            found.append(run if unspaced else _stem(run))
    return found


@functools.lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    """Return an English word without the s of its plural."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses", "zes")) else word[:-1]
