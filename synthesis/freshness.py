"""When something counts as fresh: known only since the timestamp t of EvoBrowseComp, 2.1."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

__all__ = ["Freshness", "date_key", "freshness", "knowledge_order"]

_YEAR_FIRST = (
    re.compile(r"(\d{4})(\d\d)(\d\d)(?!\d)"),
    re.compile(r"(\d{4})(?!\d)(?:[-/.年](\d{1,2})(?:[-/.月](\d{1,2}))?(?!\d))?"),
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class Freshness(tuple[bool, str]):
    """A verdict on freshness and what it rests on.

    The ground is ``published`` (the date of the page), ``stated`` (a year in the words quoted),
    or ``undated`` (neither, so that it cannot count as fresh).
    """

    __slots__ = ()

    @property
    def fresh(self) -> bool:
        """Whether it counts as fresh."""
        return self[0]

    @property
    def ground(self) -> str:
        """What the verdict rests on."""
        return self[1]


def date_key(text: str | None) -> tuple[int, int, int] | None:
    """Return a date as (year, month, day), unknown parts as the first; None where there is none.

    The year comes first, as in ISO 8601, ``2026/3/1`` and ``2026年3月1日``: dates that begin with
    the day or the month are not guessed at.

    >>> date_key("2026-03-01T10:00:00Z"), date_key("2026"), date_key("soon")
    ((2026, 3, 1), (2026, 1, 1), None)
    """
    text = (text or "").strip()
    for form in _YEAR_FIRST:
        match = form.match(text)
        if match is not None:
            year, month, day = (int(part or 1) for part in match.groups())
            try:
                return date(year, month, day).timetuple()[:3]
            except ValueError:
                return None  # no day of the calendar
    return None


def freshness(*, since: str, published: str | None, quote: str = "") -> Freshness:
    """Decide whether evidence is fresh: available only since the timestamp.

    Args:
        since: The timestamp t, as an ISO date.
        published: The date of the page, if it has one.
        quote: The words quoted; a year in them counts where the page has no date.

    >>> freshness(since="2026-01-01", published="2026-02-03").fresh
    True
    >>> freshness(since="2026-01-01", published=None, quote="elected in 2026").ground
    'stated'
    >>> freshness(since="2026-01-01", published=None, quote="elected").fresh
    False
    """
    start = date_key(since)
    if start is None:
        raise ValueError(f"since is {since!r}, expected an ISO date")
    dated = date_key(published)
    if dated is not None:
        return Freshness((dated >= start, "published"))
    years = [int(year) for year in _YEAR.findall(quote)]
    if any((year, 12, 31) >= start for year in years):
        return Freshness((True, "stated"))
    return Freshness((False, "stated" if years else "undated"))


def knowledge_order(fresh: Iterable[bool | None]) -> str:
    """Return the order of fresh and other knowledge along the hops, as EvoBrowseComp writes it.

    >>> knowledge_order([False, False, True])
    'nonfresh-nonfresh-fresh'
    """
    return "-".join("fresh" if item else "nonfresh" for item in fresh)
