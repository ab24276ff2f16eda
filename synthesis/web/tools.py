"""The two web tools of a run: search and visit, every answer kept and never asked for twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from graphkit.errors import InputError
from graphkit.models.exchanges import ExchangeLog, exchange_key
from synthesis.web.addresses import AddressGuard, Resolver, resolve
from synthesis.web.dates import utc_now
from synthesis.web.errors import check_packages
from synthesis.web.local_index import LocalIndex
from synthesis.web.passages import nearest
from synthesis.web.replies import Page, PageStatus, SearchOutcome
from synthesis.web.settings import WebSettings
from synthesis.web.snapshots import Snapshots
from synthesis.web.urls import Target, UrlRefused, read_url
from synthesis.web.visible import clean_line

if TYPE_CHECKING:
    from synthesis.web.visiting import Visitor

__all__ = ["WebTools", "passages"]

_LONGEST_QUERY = 2_000


class _Searcher(Protocol):
    requests: int

    async def search(self, query: str, language: str) -> SearchOutcome: ...

    async def aclose(self) -> None: ...


def passages(page: Page, goal: str, *, max_chars: int) -> str:
    """Return the parts of a page that are nearest to a goal, in their order.

    Args:
        page: The page.
        goal: What is wanted of it; empty for its beginning.
        max_chars: The longest result, in characters.
    """
    return nearest(page.text, goal, max_chars=max_chars, title=page.title)


class WebTools:
    """Search and visit for one run.

    Whatever they answer is kept in the log of the run, failures included, and a run that is
    resumed gets the same answers without asking again; only a search that the provider left
    without an answer is asked again. Callers that want the same thing at the
    same time share one request.

    Args:
        settings: Who answers searches, and the limits of visits.
        log: The log of the run.
        snapshots: The folder for the texts of pages; without it they are kept in the log.
        resolver: Looks up the addresses of hosts.

    Raises:
        DependencyError: A package of the extra ``web`` is missing.
        SettingsError: The provider's key is missing.
        WebError: The local index cannot be used.
    """

    def __init__(
        self,
        settings: WebSettings,
        *,
        log: ExchangeLog,
        snapshots: Path | None = None,
        resolver: Resolver = resolve,
    ) -> None:
        check_packages()
        from synthesis.web.searching import ProviderSearch
        from synthesis.web.visiting import Visitor

        self._settings = settings
        self._log = log
        self._snapshots = None if snapshots is None else Snapshots(snapshots)
        self._index: LocalIndex | None = None
        if settings.index_path is not None:
            self._index = LocalIndex.open(settings.index_path)
        try:
            self._searcher: _Searcher = (
                _LocalSearch(self._index, settings.results)
                if settings.provider == "local" and self._index is not None
                else ProviderSearch(settings)
            )
        except BaseException:
            if self._index is not None:
                self._index.close()
            raise
        guard = AddressGuard(
            connect_to=settings.connect_to, ports=settings.ports, resolver=resolver
        )
        self._visitor: Visitor = Visitor(settings, guard)
        self._counts: Counter[str] = Counter()

    async def __aenter__(self) -> WebTools:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close all connections and the index; the log stays open."""
        await self._visitor.aclose()
        await self._searcher.aclose()
        if self._index is not None:
            self._index.close()

    @property
    def counts(self) -> Mapping[str, int]:
        """What happened in this process: answers by status, and what was sent for them.

        ``search:found``, ``visit:ok`` and so on count answers; ``replayed`` those of them that
        came from the log or from a request that was under way; ``requests`` what was sent,
        retries and robots.txt included; ``retries`` the retries of pages.
        """
        sent = {
            "requests": self._visitor.requests + self._searcher.requests,
            "retries": self._visitor.retried,
        }
        return {**dict(sorted(self._counts.items())), **sent}

    async def search(self, query: str, *, language: str = "en") -> SearchOutcome:
        """Ask the search provider.

        Args:
            query: What is sought.
            language: The language of the results, a code of ISO 639-1.

        Raises:
            WebError: The key is refused or the plan is used up.
            ExchangeLogError: The log cannot be written.
        """
        query = clean_line(query)[:_LONGEST_QUERY]
        provider = self._settings.provider
        if not query:
            reason = "the query is empty"
            return SearchOutcome(status="failed", provider=provider, query=query, reason=reason)
        request = {
            "provider": provider,
            "query": query,
            "language": language,
            "results": self._settings.results,
        }
        asked = False

        async def ask() -> Any:
            nonlocal asked
            asked = True
            found = await self._searcher.search(query, language)
            if found.passing:
                raise _NoAnswer(found)
            return found.model_dump(mode="json")

        key = exchange_key("search", run=self._log.run, **request)
        try:
            outcome = SearchOutcome.model_validate(
                await self._log.once(key, "search", request, ask)
            )
        except _NoAnswer as error:
            outcome = error.outcome
        self._count("search", outcome.status, asked)
        return outcome

    async def visit(self, url: str) -> Page:
        """Return what a page says; every failure is a page with another status than ``ok``.

        Args:
            url: The address, in any spelling.

        Raises:
            OperationError: A snapshot that the run needs is gone, or cannot be written.
        """
        target: Target | None = None
        place, refusal = url[:_LONGEST_QUERY], ""
        try:
            target = read_url(url)
            place = target.url
        except UrlRefused as error:
            refusal = str(error)
        asked = False

        async def fetch() -> Any:
            nonlocal asked
            asked = True
            if target is None:
                return _without_text("blocked", place, refusal).model_dump(mode="json")
            return await self._kept(await self._fetch(target))

        key = exchange_key("visit", run=self._log.run, url=place)
        reply = await self._log.once(key, "visit", {"url": place}, fetch)
        page = self._whole(Page.model_validate(reply))
        self._count("visit", page.status, asked)
        return page

    def passages(self, page: Page, goal: str, *, max_chars: int | None = None) -> str:
        """Return the parts of a page that are nearest to a goal, see :func:`passages`.

        Args:
            page: The page.
            goal: What is wanted of it.
            max_chars: The longest result; the setting ``passages`` without it.
        """
        return passages(page, goal, max_chars=max_chars or self._settings.passages)

    async def _fetch(self, target: Target) -> Page:
        if not self._settings.offline:
            return await self._visitor.visit(target)
        page = None
        if self._index is not None:
            page = await asyncio.to_thread(self._index.page, target.url)
        if page is not None:
            return page
        reason = "the page is not in the local index, and nothing is fetched"
        return _without_text("failed", target.url, reason)

    async def _kept(self, page: Page) -> Any:
        """Return a page as the log keeps it, its text put where the snapshots are."""
        if self._snapshots is not None and page.status == "ok":
            await asyncio.to_thread(self._snapshots.keep, page.text)
            page = page.model_copy(update={"text": ""})
        return page.model_dump(mode="json")

    def _whole(self, page: Page) -> Page:
        """Return a page of the log with its text."""
        if page.status != "ok" or page.sha256 is None or page.text:
            return page
        if self._snapshots is None:
            raise InputError("the texts of this run are in a folder of snapshots; name it")
        return page.model_copy(update={"text": self._snapshots.read(page.sha256)})

    def _count(self, what: str, status: str, asked: bool) -> None:
        self._counts[f"{what}:{status}"] += 1
        if not asked:
            self._counts["replayed"] += 1


def _without_text(status: PageStatus, url: str, reason: str) -> Page:
    return Page(status=status, url=url, final_url=url, fetched_at=utc_now(), reason=reason)


class _NoAnswer(Exception):
    """Keeps an outcome out of the log that another time may be another one."""

    def __init__(self, outcome: SearchOutcome) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


class _LocalSearch:
    """Searches in the local index, beside the loop."""

    def __init__(self, index: LocalIndex, results: int) -> None:
        self._index = index
        self._results = results
        self.requests = 0

    async def search(self, query: str, language: str) -> SearchOutcome:
        """Search; the language is that of the query."""
        return await asyncio.to_thread(self._index.search, query, results=self._results)

    async def aclose(self) -> None:
        """Nothing to close: the index belongs to who made it."""
