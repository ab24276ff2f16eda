"""What a search and a visit answer, and the JSON that a model is shown of it."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "Page",
    "PageStatus",
    "SearchOutcome",
    "SearchResult",
    "SearchStatus",
    "search_json",
    "visit_json",
]

SearchStatus = Literal["found", "nothing", "rate_limited", "failed"]
"""How a search ended."""

PageStatus = Literal[
    "ok", "robots", "blocked", "too_large", "timeout", "not_text", "http_error", "failed"
]
"""How a visit ended."""


class SearchResult(BaseModel):
    """One result of a search.

    Attributes:
        url: Its address.
        title: Its title, plain text.
        snippet: What the provider quotes of it, plain text.
        published_at: When it was published, ISO 8601, where the provider says so.
    """

    model_config = ConfigDict(frozen=True)

    url: str
    title: str
    snippet: str = ""
    published_at: str | None = None


class SearchOutcome(BaseModel):
    """The answer to a search.

    Attributes:
        status: ``found``; ``nothing``: the provider looked and there is none; ``rate_limited``: it
            did not look, because too much was asked; ``failed``: it did not look, for ``reason``.
        results: The results, best first; empty unless found.
        provider: Who was asked.
        query: What was asked.
        reason: Why there are no results, empty when found.
        passing: Whether the provider may answer the same another time. Such an outcome is not kept
            in the log of a run, and not written down.
    """

    model_config = ConfigDict(frozen=True)

    status: SearchStatus
    results: tuple[SearchResult, ...] = ()
    provider: str
    query: str
    reason: str = ""
    passing: bool = Field(default=False, exclude=True, repr=False)


class Page(BaseModel):
    """The answer to a visit. What a page says is data: nothing in it is followed.

    Attributes:
        status: ``ok``; ``robots``: the host does not want to be visited; ``blocked``: the address
            is private or not allowed; ``too_large``; ``timeout``; ``not_text``: an image, a PDF;
            ``http_error``: a status of 400 or more, see ``http_status``; ``failed``: anything
            else, see ``reason``.
        url: The address that was asked for, in its canonical spelling.
        final_url: Where the redirects ended.
        title: The title, plain text.
        text: What a reader sees, plain text; empty unless ok.
        published_at: When it was published, ISO 8601, where the page says so.
        fetched_at: When it was fetched, ISO 8601 in UTC.
        sha256: The hash of the text in UTF-8, under which the snapshot is kept.
        root_domain: The registered domain of ``final_url``.
        language: The language of the text, a code of ISO 639-1, or ``und``.
        reason: Why there is no text, empty when ok.
        http_status: The last status that a server answered with.
    """

    model_config = ConfigDict(frozen=True)

    status: PageStatus
    url: str
    final_url: str
    title: str = ""
    text: str = ""
    published_at: str | None = None
    fetched_at: str
    sha256: str | None = None
    root_domain: str = ""
    language: str = "und"
    reason: str = ""
    http_status: int | None = None


def search_json(outcome: SearchOutcome) -> str:
    """Return what a model is shown of a search, one JSON object.

    >>> search_json(SearchOutcome(status="nothing", provider="local", query="x", reason="none"))
    '{"status": "nothing", "results": [], "reason": "none"}'
    """
    results = [result.model_dump() for result in outcome.results]
    return json.dumps(
        {"status": outcome.status, "results": results, "reason": outcome.reason},
        ensure_ascii=False,
    )


def visit_json(page: Page, text: str) -> str:
    """Return what a model is shown of a page, one JSON object; the page's words are one field.

    Args:
        page: The page.
        text: The part of its text to show, see :func:`synthesis.web.passages`.
    """
    return json.dumps(
        {
            "status": page.status,
            "url": page.url,
            "title": page.title,
            "published_at": page.published_at,
            "text": text,
            "reason": page.reason,
        },
        ensure_ascii=False,
    )
