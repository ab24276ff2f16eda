"""How each search provider is asked and how its answer is read: Serper, Tavily, Brave, SearXNG."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from synthesis.web.dates import iso_date
from synthesis.web.replies import SearchResult
from synthesis.web.urls import UrlRefused, canonical_url
from synthesis.web.visible import clean_line

__all__ = ["PROVIDERS", "Asking", "ProviderShape", "Unanswered"]

_TAG = re.compile(r"</?(?:strong|b|em|i|mark|span|br)\b[^>]*>", re.IGNORECASE)


class Unanswered(Exception):
    """A provider answered, but did not look, or not everywhere.

    Attributes:
        limited: Whether it was asked too much.
    """

    def __init__(self, reason: str, *, limited: bool) -> None:
        super().__init__(reason)
        self.limited = limited


@dataclass(frozen=True, slots=True)
class Asking:
    """One request to a provider.

    Attributes:
        method: ``GET`` or ``POST``.
        path: What is added to the base address.
        headers: Headers; the key is among them, never in the address.
        params: The query of the address.
        body: The JSON body of a POST.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    params: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ProviderShape:
    """What is particular to a provider.

    Attributes:
        base_url: Its public address, None where everybody runs their own.
        ask: (query, language, count, key) -> the request.
        read: (answer, time of asking) -> its results; raises :class:`Unanswered`.
        refused: Statuses that say that the key is wrong, or the access is not allowed.
        spent: Statuses that say that the plan is used up.
        forbidden: What to do about a 403, where it is not the key.
    """

    base_url: str | None
    ask: Callable[[str, str, int, str | None], Asking]
    read: Callable[[Any, datetime], list[SearchResult]]
    refused: frozenset[int] = frozenset((401, 403))
    spent: frozenset[int] = frozenset((402,))
    forbidden: str = ""


def _ask_serper(query: str, language: str, count: int, key: str | None) -> Asking:
    country, spoken = ("cn", "zh-cn") if language == "zh" else ("us", language)
    return Asking(
        "POST",
        "/search",
        {"X-API-KEY": key} if key else {},
        body={"q": query, "gl": country, "hl": spoken, "num": count},
    )


def _read_serper(answer: Any, now: datetime) -> list[SearchResult]:
    return _results(_rows(answer, "organic"), ("link", "title", "snippet", "date"), now)


def _ask_tavily(query: str, language: str, count: int, key: str | None) -> Asking:
    return Asking(
        "POST",
        "/search",
        {"Authorization": f"Bearer {key}"} if key else {},
        body={"query": query[:400], "max_results": min(count, 20), "search_depth": "basic"},
    )


def _read_tavily(answer: Any, now: datetime) -> list[SearchResult]:
    return _results(_rows(answer, "results"), ("url", "title", "content", "published_date"), now)


def _ask_brave(query: str, language: str, count: int, key: str | None) -> Asking:
    words = query[:400].split(" ")
    return Asking(
        "GET",
        "/res/v1/web/search",
        {"X-Subscription-Token": key} if key else {},
        params={
            "q": " ".join(words[:50]),
            "count": str(min(count, 20)),
            "search_lang": "zh-hans" if language == "zh" else language,
            "result_filter": "web",
        },
    )


def _read_brave(answer: Any, now: datetime) -> list[SearchResult]:
    web = answer.get("web") if isinstance(answer, dict) else None
    if isinstance(answer, dict) and web is None:
        return []  # as Brave says that it found nothing
    return _results(_rows(web, "results"), ("url", "title", "description", "page_age"), now)


def _ask_searxng(query: str, language: str, count: int, key: str | None) -> Asking:
    return Asking(
        "GET",
        "/search",
        {"Authorization": f"Bearer {key}"} if key else {},
        params={
            "q": query,
            "format": "json",
            "language": "zh-CN" if language == "zh" else language,
            "safesearch": "0",
        },
    )


def _read_searxng(answer: Any, now: datetime) -> list[SearchResult]:
    found = _results(_rows(answer, "results"), ("url", "title", "content", "publishedDate"), now)
    silent = answer.get("unresponsive_engines")
    if not found and isinstance(silent, list) and silent:
        told = "; ".join(
            f"{entry[0]}: {entry[1]}" if isinstance(entry, list) and len(entry) > 1 else str(entry)
            for entry in silent
        )
        limited = re.search(r"too many|captcha|suspend|denied|limit", told, re.IGNORECASE)
        raise Unanswered(f"engines that did not answer: {told}"[:500], limited=limited is not None)
    return found


PROVIDERS: Mapping[str, ProviderShape] = {
    "serper": ProviderShape("https://google.serper.dev", _ask_serper, _read_serper),
    "tavily": ProviderShape(
        "https://api.tavily.com",
        _ask_tavily,
        _read_tavily,
        spent=frozenset((402, 432, 433)),
    ),
    "brave": ProviderShape("https://api.search.brave.com", _ask_brave, _read_brave),
    "searxng": ProviderShape(
        None,
        _ask_searxng,
        _read_searxng,
        forbidden="let the instance answer JSON: add json to search.formats in its settings.yml",
    ),
}
"""The providers by name; ``local`` is none, it is asked on disk."""


def _rows(answer: Any, key: str) -> Iterable[Any]:
    rows = answer.get(key) if isinstance(answer, dict) else None
    if not isinstance(rows, list):
        raise Unanswered(f"an answer without a list of {key}", limited=False)
    return rows


def _results(
    rows: Iterable[Any], names: tuple[str, str, str, str], now: datetime
) -> list[SearchResult]:
    """Read rows by the names of address, title, snippet and date; those without address go."""
    found: dict[str, SearchResult] = {}
    for row in rows:
        if not isinstance(row, dict):
            continue
        url, title, snippet, published = (row.get(name) for name in names)
        try:
            place = canonical_url(str(url or ""))
        except UrlRefused:
            continue
        found.setdefault(
            place,
            SearchResult(
                url=place,
                title=_plain(title)[:500],
                snippet=_plain(snippet)[:2_000],
                published_at=iso_date(str(published), now) if published else None,
            ),
        )
    return list(found.values())


def _plain(text: Any) -> str:
    return clean_line(html.unescape(_TAG.sub("", str(text)[:10_000]))) if text else ""
