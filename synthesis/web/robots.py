"""Obeys robots.txt as RFC 9309 says: fetched once a host, unreachable means keep out."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

import protego

from synthesis.web.fetch import Fetcher, FetchFailed
from synthesis.web.politeness import HostQueue
from synthesis.web.settings import WebSettings
from synthesis.web.urls import Target, UrlRefused, join_url, read_url

__all__ = ["Robots", "Rules"]

_LONGEST = 512_000
_REDIRECTS = 5
_KEPT = 1_000
_AGAIN = 600.0
_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Rules:
    """What a host allows.

    Attributes:
        parsed: Its robots.txt, or None if there is none that says anything.
        unreachable: Why nothing may be visited, empty if the file could be read or is missing.
        kind: What a visit then ends as: ``robots`` if the server answered, else ``timeout`` or
            ``failed``.
    """

    parsed: protego.Protego | None = None
    unreachable: str = ""
    kind: Literal["robots", "timeout", "failed"] = "robots"

    def refusal(self, target: Target, product: str) -> str:
        """Return why a page may not be visited, or nothing.

        Args:
            target: The page.
            product: The name that the file knows us by.
        """
        if self.unreachable:
            return self.unreachable
        if self.parsed is not None and not self.parsed.can_fetch(target.url, product):
            return f"robots.txt of {target.authority} does not allow {target.path} to {product}"
        return ""

    def delay(self, product: str) -> float:
        """Return the wait between two requests that the file asks for, in seconds."""
        if self.parsed is None:
            return 0.0
        delay = self.parsed.crawl_delay(product) or 0.0
        rate = self.parsed.request_rate(product)
        if rate is not None and rate.requests > 0:
            delay = max(delay, rate.seconds / rate.requests)
        return max(0.0, delay)


class Robots:
    """The rules of every host that was asked for them, each fetched once a day.

    A missing file (any 4xx but 429) allows all; one that cannot be had (5xx, 429, no connection)
    forbids all for ten minutes, then it is asked for again; redirects are followed up to five
    times, each checked like that of a page.
    """

    def __init__(self, settings: WebSettings, fetcher: Fetcher, queue: HostQueue) -> None:
        self._settings = settings
        self._fetcher = fetcher
        self._queue = queue
        self._rules: OrderedDict[str, tuple[asyncio.Task[Rules], float]] = OrderedDict()

    async def rules(self, target: Target) -> Rules:
        """Return the rules for a page's host.

        Raises:
            UrlRefused: The host may not be visited at all.
        """
        now = asyncio.get_running_loop().time()
        task, since = self._rules.get(target.origin, (None, now))
        if task is None or now - since > _lasts(task):
            task = asyncio.create_task(self._fetch(target))
            task.add_done_callback(_looked_at)
            self._rules[target.origin] = (task, now)
            while len(self._rules) > _KEPT:
                self._rules.popitem(last=False)
        else:
            self._rules.move_to_end(target.origin)
        return await asyncio.shield(task)

    async def aclose(self) -> None:
        """End what is still being fetched."""
        tasks = [task for task, _ in self._rules.values() if not task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetch(self, target: Target) -> Rules:
        place = read_url(f"{target.origin}/robots.txt")
        wait = self._settings.retry_wait
        for attempt in range(self._settings.retries + 1):
            rules = await self._once(place)
            if not rules.unreachable or attempt == self._settings.retries:
                break
            await asyncio.sleep(wait)
            wait *= 2
        return rules

    async def _once(self, place: Target) -> Rules:
        origin = place.authority
        for _ in range(_REDIRECTS + 1):
            try:
                async with self._queue.turn(place.host, 0.0):
                    answer = await self._fetcher.get(
                        place,
                        max_bytes=_LONGEST,
                        wanted=lambda status, headers: 200 <= status < 300,
                        cut=True,
                    )
            except FetchFailed as error:
                return Rules(
                    unreachable=f"robots.txt of {origin} could not be fetched: {error}",
                    kind="timeout" if error.kind == "timeout" else "failed",
                )
            if answer.status in (301, 302, 303, 307, 308) and "location" in answer.headers:
                try:
                    place = join_url(place, answer.headers["location"])
                except UrlRefused:
                    return Rules()
                continue
            if answer.status >= 500 or answer.status == 429:
                return Rules(unreachable=f"robots.txt of {origin} answers {answer.status}")
            if answer.status >= 300:
                return Rules()
            return Rules(protego.Protego.parse(answer.body.decode("utf-8-sig", "replace")))
        return Rules()


def _lasts(task: asyncio.Task[Rules]) -> float:
    """Return for how many seconds after its beginning a fetch of rules counts."""
    if not task.done():
        return math.inf
    if task.cancelled() or task.exception() is not None:
        return -1.0
    return _AGAIN if task.result().unreachable else _DAY


def _looked_at(task: asyncio.Task[Rules]) -> None:
    """Look at how a fetch ended, for the case that nobody waits for it any longer."""
    if not task.cancelled():
        task.exception()
