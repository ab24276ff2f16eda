"""Picks the parts of a page that are nearest to what is wanted of it, by the words they share."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter

from synthesis.web.tokens import terms

__all__ = ["chunks_of", "nearest"]

_CHUNK = 500
_GAP = "\n[…]\n"
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n")
_K1, _B = 1.2, 0.75


def chunks_of(text: str, size: int = _CHUNK) -> list[str]:
    """Cut text into parts of about a size: at paragraphs, else at sentences, else anywhere.

    All parts together are the text, but for the white space between them.

    Args:
        text: The text.
        size: The longest part, in characters.

    >>> chunks_of("One two. Three.\\nFour.", 9)
    ['One two.', 'Three.', 'Four.']
    """
    pieces: list[str] = []
    for paragraph in text.split("\n"):
        if len(paragraph) <= size:
            pieces.append(paragraph.strip())
            continue
        for sentence in _SENTENCE.split(paragraph):
            pieces += [
                sentence[start : start + size].strip() for start in range(0, len(sentence), size)
            ]
    chunks: list[str] = []
    for piece in pieces:
        if not piece:
            continue
        if chunks and len(chunks[-1]) + 1 + len(piece) <= size:
            chunks[-1] += "\n" + piece
        else:
            chunks.append(piece)
    return chunks


def nearest(text: str, goal: str, *, max_chars: int, title: str = "") -> str:
    """Return the parts of a text that are nearest to a goal, in their order.

    Parts are ranked as BM25 ranks documents, by words and by pairs of Chinese characters. Where
    nothing matches, the text is shown from its beginning.

    Args:
        text: The text of a page.
        goal: What is wanted of it.
        max_chars: The longest result, in characters.
        title: The title of the page, whose words are in every part.

    >>> text = "Apples are red.\\n" * 90 + "Rome is in Italy."
    >>> nearest(text, "where is Rome", max_chars=600)[-17:]
    'Rome is in Italy.'
    """
    if len(text) <= max_chars:
        return text
    chunks = chunks_of(text, min(_CHUNK, max(1, max_chars)))
    scores = _scores([terms(chunk) for chunk in chunks], set(terms(goal)), set(terms(title)))
    order = sorted(range(len(chunks)), key=lambda place: (-scores[place], place))
    chosen: list[int] = []
    left = max_chars
    for place in order:
        cost = len(chunks[place]) + (len(_GAP) if chosen else 0)
        if cost <= left:
            chosen.append(place)
            left -= cost
        elif scores[place] > 0:
            continue
        else:
            break
    if not chosen:
        return text[:max_chars]
    chosen.sort()
    parts = [chunks[chosen[0]]]
    for before, place in itertools.pairwise(chosen):
        parts.append("\n" if place == before + 1 else _GAP)
        parts.append(chunks[place])
    return "".join(parts)


def _scores(chunks: list[list[str]], goal: set[str], title: set[str]) -> list[float]:
    """Return how near each chunk is to a goal; words of the title tell little about a chunk."""
    counts = [Counter(chunk) for chunk in chunks]
    mean = sum(map(len, chunks)) / len(chunks) if chunks else 1.0
    scores = [0.0] * len(chunks)
    for word in sorted(goal):
        holding = [place for place, count in enumerate(counts) if word in count]
        if not holding:
            continue
        weight = math.log(1 + (len(chunks) - len(holding) + 0.5) / (len(holding) + 0.5))
        weight *= 0.5 if word in title else 1.0
        for place in holding:
            often = counts[place][word]
            length = 1 - _B + _B * len(chunks[place]) / (mean or 1.0)
            scores[place] += weight * often * (_K1 + 1) / (often + _K1 * length)
    return scores
