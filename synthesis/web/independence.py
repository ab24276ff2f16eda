"""Counts independent sources: one owner is one source, and so are copies and what quotes them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from synthesis.web.replies import Page
from synthesis.web.tokens import signs_and_words

__all__ = ["independent_sources", "repeats"]

_SHINGLE = 6
_FEW = 20
_CONTAINED = 0.6
_ALIKE = 0.8
_PARAGRAPH = 30
_TAKEN_OVER = 0.8
_SEPARATORS = re.compile(r"[,;、，；|•·]")
_SENTENCE_END = re.compile(r"[.!?。！？]")

Shingles = frozenset[int]
"""Shingles by their hash: a page of 100 kB has twenty thousand of them."""


@dataclass(frozen=True, slots=True)
class _Traits:
    """What a page is compared by: all of its shingles, and those of each paragraph of prose.

    The words themselves are only kept of a page with few shingles.
    """

    words: tuple[str, ...] | None
    shingles: Shingles
    paragraphs: tuple[Shingles, ...]


def independent_sources(
    pages: Iterable[Page], *, origin_url: str, origin: Page | None = None
) -> list[tuple[Page, ...]]:
    """Return the sources among some pages that do not depend on the origin, nor on one another.

    Two pages are one source if they have one root domain, or if one repeats the other, see
    :func:`repeats`; what is connected over several steps is one source too. The source that the
    origin belongs to does not count. Pages without text do not count.

    Args:
        pages: Pages that were visited.
        origin_url: The address that the claim comes from.
        origin: That page itself, so that copies of it are seen; it may also be among ``pages``.

    Returns:
        One entry a source: its pages, in the order given.
    """
    from synthesis.web.domains import root_domain

    given = [page for page in pages if page.status == "ok" and page.text]
    if origin is not None and origin.status == "ok" and origin.text:
        given.append(origin)
    traits = [_traits(page.text) for page in given]
    owners = [page.root_domain or root_domain(page.final_url) for page in given]
    leader = list(range(len(given)))

    def lead(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    for second in range(len(given)):
        for first in range(second):
            one, other = lead(first), lead(second)
            if one != other and (
                owners[first] == owners[second] or _repeat(traits[first], traits[second])
            ):
                leader[max(one, other)] = min(one, other)
    origins = _domains_of(origin_url)
    barred = {
        lead(place)
        for place, page in enumerate(given)
        if page is origin or owners[place] in origins or root_domain(page.url) in origins
    }
    groups: dict[int, list[Page]] = {}
    for place, page in enumerate(given):
        if lead(place) not in barred:
            groups.setdefault(lead(place), []).append(page)
    return [tuple(group) for group in groups.values()]


def repeats(first: str, second: str) -> bool:
    """Say whether one of two texts repeats the other, as a whole or a paragraph of it.

    A text repeats another if they share most of the shingles (six words or characters in a row)
    of the shorter one, or if one holds a paragraph of prose of the other, thirty words or more,
    nearly word for word. Lists do not count as prose: two honest sources name the same members.

    Args:
        first: A text.
        second: Another.

    >>> quoted = "The bridge was opened by the mayor on a cold morning in May . " * 3
    >>> repeats(quoted, "By our correspondent.\\n" + quoted), repeats("Vienna.", "Paris.")
    (True, False)
    """
    return _repeat(_traits(first), _traits(second))


def _repeat(first: _Traits, second: _Traits) -> bool:
    small, large = sorted((first, second), key=lambda traits: len(traits.shingles))
    if len(small.shingles) < _FEW:
        if small.words == large.words:
            return True
        union = len(small.shingles | large.shingles)
        return bool(union) and len(small.shingles & large.shingles) >= _ALIKE * union
    if len(small.shingles & large.shingles) >= _CONTAINED * len(small.shingles):
        return True
    return _takes_over(first, second) or _takes_over(second, first)


def _takes_over(one: _Traits, other: _Traits) -> bool:
    return any(
        len(paragraph & other.shingles) >= _TAKEN_OVER * len(paragraph)
        for paragraph in one.paragraphs
    )


@functools.lru_cache(maxsize=128)
def _traits(text: str) -> _Traits:
    # The same few pages are compared for every claim of a conversation.
    words = signs_and_words(text)
    paragraphs = []
    for paragraph in text.split("\n"):
        tokens = signs_and_words(paragraph)
        if len(tokens) >= _PARAGRAPH and _is_prose(paragraph, len(tokens)):
            paragraphs.append(_shingles(tokens))
    shingles = _shingles(words)
    return _Traits(tuple(words) if len(shingles) < _FEW else None, shingles, tuple(paragraphs))


def _is_prose(paragraph: str, tokens: int) -> bool:
    """Say whether a paragraph is made of sentences, not of names with commas between them."""
    separators = len(_SEPARATORS.findall(paragraph))
    return separators * 5 < tokens and _SENTENCE_END.search(paragraph) is not None


def _shingles(words: Sequence[str]) -> Shingles:
    return frozenset(
        hash(tuple(words[place : place + _SHINGLE])) for place in range(len(words) - _SHINGLE + 1)
    )


def _domains_of(url: str) -> frozenset[str]:
    from synthesis.web.domains import root_domain

    domain = root_domain(url)
    return frozenset((domain,)) if domain else frozenset()
