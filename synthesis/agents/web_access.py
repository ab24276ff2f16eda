"""What agents may do on the web, and the record of what they did."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from graphkit.errors import Problem

if TYPE_CHECKING:
    from graphkit.models import Tool
    from synthesis.web import Page, SearchOutcome, WebTools

__all__ = ["WebAccess"]

_PARTS = 8
_LEAST = 1_000
_LARGE = 50_000


class SearchArguments(BaseModel):
    """Arguments of the tool ``search``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    query: str = Field(min_length=1, max_length=2000, description="What to look for.")


class VisitArguments(BaseModel):
    """Arguments of the tool ``visit``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    url: str = Field(min_length=1, max_length=4000, description="The address of the page.")
    goal: str = Field(
        default="", max_length=2000, description="What is wanted from it; the nearest parts come."
    )


@dataclass
class WebAccess:
    """The web tools of one conversation: hands them to a model and keeps what came of each use.

    Attributes:
        web: The web tools of the run.
        language: The language to search in.
        max_chars: How much of a page a model is shown at most.
        total_chars: About how much of the web it is shown in the whole conversation, so that this
            does not outgrow the model: a visit shows an eighth of what is left of it at most, yet
            always a little.
        shown: How much it was shown so far.
        searches: Every search, in order.
        pages: Every visited page that could be read, in order, each address once.
        failed: Visits that gave no text: address -> status.
    """

    web: WebTools
    language: str = "en"
    max_chars: int = 8_000
    total_chars: int = 120_000
    shown: int = 0
    searches: list[SearchOutcome] = field(default_factory=list)
    pages: dict[str, Page] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def tools(self, *, visit: bool = True) -> tuple[Tool, ...]:
        """Return the tools as a model gets them.

        Args:
            visit: Whether pages may be visited, not only searched for.
        """
        from graphkit.models import Tool

        found = [
            Tool(
                name="search",
                description="Searches the web; returns addresses, titles and snippets.",
                parameters=SearchArguments,
                run=self.search,
            )
        ]
        if visit:
            found.append(
                Tool(
                    name="visit",
                    description="Fetches a page and returns its text, or the parts of it that are "
                    "nearest to the goal.",
                    parameters=VisitArguments,
                    run=self.visit,
                )
            )
        return tuple(found)

    async def search(self, arguments: SearchArguments) -> str:
        """Search and return the outcome as JSON text.

        Raises:
            UnansweredError: The provider did not answer. A model that was told so would go on with
                less than there is, and so would every seed that searches for the same.
        """
        from synthesis.web import search_json
        from synthesis.web.errors import UnansweredError

        outcome = await self.web.search(arguments.query, language=self.language)
        if outcome.passing:
            raise UnansweredError(
                Problem(
                    f"no answer to {outcome.query!r}: {outcome.reason}; resuming asks again",
                    code=outcome.status,
                    subject="web search",
                )
            )
        self.searches.append(outcome)
        found = search_json(outcome)
        self.shown += len(found)
        return found

    async def visit(self, arguments: VisitArguments) -> str:
        """Visit a page and return its text, or why there is none, as JSON text."""
        from synthesis.web import visit_json

        page = await self.web.visit(arguments.url)
        if page.status != "ok":
            self.failed[arguments.url] = page.status
            return visit_json(page, "")
        self.pages.setdefault(page.url, page)
        room = min(self.max_chars, max(_LEAST, (self.total_chars - self.shown) // _PARTS))
        if len(page.text) > _LARGE:  # megabytes take a second, in which all else would stand still
            text = await asyncio.to_thread(self.web.passages, page, arguments.goal, max_chars=room)
        else:
            text = self.web.passages(page, arguments.goal, max_chars=room)
        self.shown += len(text)
        return visit_json(page, text)

    def listed_dates(self) -> list[tuple[str, str]]:
        """Return the addresses that a search gave a date for, each with that date."""
        return [
            (result.url, result.published_at)
            for outcome in self.searches
            for result in outcome.results
            if result.published_at is not None
        ]

    def record(self) -> dict[str, Any]:
        """Return what was done, as plain data, for the journal."""
        return {
            "searches": [
                {"query": item.query, "status": item.status, "results": len(item.results)}
                for item in self.searches
            ],
            "visited": [page.final_url or page.url for page in self.pages.values()],
            "failed": dict(self.failed),
        }
