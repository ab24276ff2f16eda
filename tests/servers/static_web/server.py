"""Serves the static web: many virtual hosts on one loopback port, and the search endpoint."""

from __future__ import annotations

import asyncio
import threading
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from typing import Any

from loopback_http import LoopbackServer, Request, Response, json_response

from static_web.hosts import BROKEN, ELSEWHERE, FORBIDDEN, GOOD, HUGE, SNAIL, all_pages
from static_web.pages import Page
from static_web.search import SearchEngine
from static_web.world import World, world

__all__ = ["HUGE_BYTES", "StaticWeb"]

HUGE_BYTES = 30_000_000
"""The size of the page that nobody should read to its end."""

_FILLER = b"<p>Words upon words upon words about nothing at all.</p>\n" * 1000
_REDIRECTS = {
    "/private/trade": "http://10.0.0.1/admin",
    "/metadata/trade": "http://169.254.169.254/latest/meta-data/",
    "/loop/trade": f"http://{ELSEWHERE}/loop/trade",
}


class StaticWeb:
    """The static web, in a thread of this process.

    Args:
        seed: Which countries the troubled hosts write about, dates, order of sentences.
        slow_seconds: How long the slow host takes to answer.
        port: 0 for any free port.
        search_limit: The search endpoint answers 429 to every n-th query; 0 for never.

    Attributes:
        world: The facts behind the pages.
        pages: All pages.
        stats: What was asked for: ``requests`` by host, ``paths`` by URL, ``most_at_once`` by
            host, ``searches``, ``forbidden`` (pages fetched that robots.txt forbids).
    """

    def __init__(
        self, seed: int = 1, *, slow_seconds: float = 3.0, port: int = 0, search_limit: int = 0
    ) -> None:
        self.seed = seed
        self.slow_seconds = slow_seconds
        self.search_limit = search_limit
        self.world: World = world()
        self.pages: list[Page] = all_pages(self.world, seed)
        self._by_place = {(page.host, page.path): page for page in self.pages}
        self._engine = SearchEngine(self.pages)
        self._hosts = {page.host for page in self.pages}
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self.requests: Counter[str] = Counter()
        self.paths: Counter[str] = Counter()
        self.most_at_once: Counter[str] = Counter()
        self.searches = 0
        self.server = LoopbackServer(self._answer, port)

    def __enter__(self) -> StaticWeb:
        self.server.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.server.close()

    @property
    def search_url(self) -> str:
        """The base URL of the search provider; its endpoint is ``/search`` below it."""
        return self.server.url

    @property
    def connect_to(self) -> dict[str, str]:
        """Host -> where to connect instead, as WebSettings has it."""
        return dict.fromkeys(sorted(self._hosts), self.server.address)

    @property
    def good_hosts(self) -> tuple[str, ...]:
        """The hosts that tell the truth, each in words of its own."""
        return tuple(host.name for host in GOOD)

    def complete_facts(self) -> list[dict[str, Any]]:
        """Return the facts of the whole sub-world as evidence records; a run never sees them."""
        return self.world.complete_facts()

    def relation_sheet(self) -> str:
        """Return the relation sheet of the complete facts, as TOML."""
        return self.world.relation_sheet()

    @property
    def stats(self) -> dict[str, Any]:
        """What was asked for so far."""
        with self._lock:
            return {
                "requests": dict(self.requests),
                "paths": dict(self.paths),
                "most_at_once": dict(self.most_at_once),
                "searches": self.searches,
                "forbidden": sum(
                    count
                    for url, count in self.paths.items()
                    if url.startswith(f"{FORBIDDEN}/") and not url.endswith("/robots.txt")
                ),
            }

    def _answer(self, request: Request) -> Response | Any:
        host, path = request.host, urllib.parse.unquote(request.path)
        if host not in self._hosts:
            return self._own(request, path)
        with self._lock:
            self.requests[host] += 1
            self.paths[host + path] += 1
        if path == "/robots.txt":
            return _robots(host)
        return self._after_a_while(host, path)

    def _own(self, request: Request, path: str) -> Response:
        """Answer what is asked of the server itself: the search, and what happened so far."""
        if path == "/stats":
            return json_response(self.stats)
        if path == "/connect_to":
            return json_response(self.connect_to)
        if path == "/complete_facts":
            return json_response(self.complete_facts())
        if path != "/search":
            return Response(404, b"nothing here")
        query = request.query
        if request.method == "POST":
            query |= dict(urllib.parse.parse_qsl(request.body.decode()))
        with self._lock:
            self.searches += 1
            number = self.searches
        if self.search_limit and number % self.search_limit == 0:
            return Response(429, b"too many", "text/plain", {"Retry-After": "0"})
        if query.get("format") != "json":
            return Response(403, b"only format=json is served", "text/plain")
        page = int(query.get("pageno", "1") or 1)
        return json_response(
            self._engine.searxng(query.get("q", ""), query.get("language", ""), page)
        )

    async def _after_a_while(self, host: str, path: str) -> Response:
        with self._lock:
            self._under_way[host] += 1
            self.most_at_once[host] = max(self.most_at_once[host], self._under_way[host])
        try:
            await asyncio.sleep(self.slow_seconds if host == SNAIL else 0)
            return self._page(host, path)
        finally:
            with self._lock:
                self._under_way[host] -= 1

    def _page(self, host: str, path: str) -> Response:
        page = self._by_place.get((host, path))
        if page is None:
            return Response(404, b"<html><body><p>There is no such page.</p></body></html>")
        if host == ELSEWHERE:
            return Response(302, b"", headers={"Location": _REDIRECTS[path]})
        if host == HUGE:
            return Response(chunks=_huge(page))
        if host == BROKEN:
            return _broken(page)
        return Response(body=page.html().encode())


def _robots(host: str) -> Response:
    rule = "Disallow: /" if host == FORBIDDEN else "Disallow: /private-notes/"
    return Response(body=f"User-agent: *\n{rule}\n".encode(), content_type="text/plain")


def _broken(page: Page) -> Response:
    if page.path.startswith("/500/"):
        return Response(500, b"<html><body><p>Something broke.</p></body></html>")
    if page.path.startswith("/drop/"):
        return Response(drop=True)
    body = page.html().encode()
    return Response(body=body[: len(body) // 2], missing=len(body) - len(body) // 2)


def _huge(page: Page) -> Iterator[bytes]:
    """Yield the page and filler after it, 30 MB in all."""
    yield page.html().encode().replace(b"</article></main>", b"")
    sent = 0
    while sent < HUGE_BYTES:
        sent += len(_FILLER)
        yield _FILLER
