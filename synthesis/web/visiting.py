"""Visits one page: address, robots.txt, politeness, redirects, retries, and what it says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from synthesis.web.addresses import AddressGuard, HostUnknown
from synthesis.web.charset import decode_page
from synthesis.web.dates import utc_now
from synthesis.web.domains import root_domain
from synthesis.web.extract import Extracted, extract_html, extract_json, extract_plain
from synthesis.web.fetch import Answer, Fetcher, FetchFailed
from synthesis.web.politeness import HostQueue, retry_after
from synthesis.web.replies import Page, PageStatus
from synthesis.web.robots import Robots, Rules
from synthesis.web.settings import WebSettings
from synthesis.web.snapshots import text_hash
from synthesis.web.urls import Target, UrlRefused, join_url

__all__ = ["Visitor"]

_READERS = 2
_LONGEST_READING = 60.0
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_PASSING = frozenset((429, 500, 502, 503, 504))
_HTML = re.compile(r"text/html|application/(?:xhtml\+xml|vnd\.wap\.xhtml\+xml)")
_PLAIN = re.compile(r"text/(?!html)[\w.+-]+|application/(?:json|[\w.+-]+\+(?:json|xml)|xml)")
_LOOKS_HTML = re.compile(rb"<(?:!doctype html|html|head|body|title|p|div|h1|meta)\b", re.IGNORECASE)
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\xd0\xcf\x11\xe0", "application/msword"),
)


class _Ended(Exception):
    """A visit that ends without text."""

    def __init__(self, status: PageStatus, reason: str, http_status: int | None = None) -> None:
        super().__init__(reason)
        self.status: PageStatus = status
        self.http_status = http_status


class Visitor:
    """Visits pages.

    Args:
        settings: The limits.
        guard: Says where pages may be fetched.
    """

    def __init__(self, settings: WebSettings, guard: AddressGuard) -> None:
        self._settings = settings
        self._guard = guard
        self._fetcher = Fetcher(settings, guard)
        self._queue = HostQueue(
            concurrency=settings.per_host_concurrency, overall=settings.concurrency
        )
        self._robots = Robots(settings, self._fetcher, self._queue)
        self._readers = _new_readers()
        self._reading = asyncio.Semaphore(_READERS)
        self.retried = 0

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return self._fetcher.requests

    async def aclose(self) -> None:
        """Close all connections."""
        await self._robots.aclose()
        await self._fetcher.aclose()
        self._readers.shutdown(wait=True, cancel_futures=True)

    async def visit(self, target: Target) -> Page:
        """Visit a page; every failure is an answer.

        Args:
            target: Its address.
        """
        place = target
        status: int | None = None
        seen = {target.url}
        try:
            while True:
                answer = await self._patiently(place)
                status = answer.status
                location = answer.headers.get("location")
                if status not in _REDIRECTS or location is None:
                    break
                if len(seen) > self._settings.max_redirects:
                    raise _Ended("failed", f"more than {self._settings.max_redirects} redirects")
                place = join_url(place, location)
                if place.url in seen:
                    raise _Ended("failed", f"the redirects go round: {place.url} again")
                seen.add(place.url)
            found = await self._read(answer, place)
        except _Ended as end:
            return self._page(target, place, end.status, str(end), end.http_status or status)
        except UrlRefused as error:
            return self._page(target, place, "blocked", str(error), status)
        if not found.text:
            return self._page(target, place, "failed", "the page has no visible text", status)
        return Page(
            status="ok",
            url=target.url,
            final_url=place.url,
            title=found.title,
            text=found.text,
            published_at=found.published_at,
            fetched_at=utc_now(),
            sha256=text_hash(found.text),
            root_domain=root_domain(place.url),
            language=found.language,
            http_status=status,
        )

    def _page(
        self, target: Target, place: Target, status: PageStatus, reason: str, code: int | None
    ) -> Page:
        return Page(
            status=status,
            url=target.url,
            final_url=place.url,
            fetched_at=utc_now(),
            root_domain=root_domain(place.url),
            reason=reason,
            http_status=code,
        )

    async def _patiently(self, place: Target) -> Answer:
        """Fetch one address, again after a passing failure."""
        try:  # what may not be visited is not even asked for its robots.txt
            async with asyncio.timeout(self._settings.connect_timeout):
                await self._guard.places(place)
        except HostUnknown as error:
            raise _Ended("failed", str(error)) from None
        except TimeoutError:
            raise _Ended("timeout", f"the name {place.host} was not resolved in time") from None
        rules = await self._robots.rules(place) if self._settings.robots else Rules()
        refusal = rules.refusal(place, self._settings.product)
        if refusal:
            raise _Ended(rules.kind, refusal)
        asked = rules.delay(self._settings.product)
        if asked > self._settings.max_crawl_delay:
            raise _Ended(
                "robots", f"robots.txt asks for {asked:g} seconds between two visits, too long"
            )
        delay = max(self._settings.per_host_delay, asked)
        wait = self._settings.retry_wait
        for attempt in range(self._settings.retries + 1):
            last = attempt == self._settings.retries
            if attempt:
                self.retried += 1
            pause: float | None = None
            try:
                async with self._queue.turn(place.host, delay):
                    answer = await self._fetcher.get(
                        place, max_bytes=self._settings.max_bytes, wanted=_wanted
                    )
            except FetchFailed as error:
                if last or not error.passing:
                    raise _Ended(_status(error.kind), str(error)) from None
            else:
                if answer.status not in _PASSING:
                    return answer
                pause = retry_after(answer.headers.get("retry-after", ""))
                too_long = pause is not None and pause > self._settings.max_retry_after
                if last or too_long:
                    raise _Ended("http_error", _told(answer, pause), answer.status)
            pause = max(pause or 0.0, wait)
            self._queue.pause(place.host, pause)
            await asyncio.sleep(pause)
            wait *= 2
        raise AssertionError("the last attempt returns or raises")

    async def _read(self, answer: Answer, place: Target) -> Extracted:
        """Return what an answer says, if it is text."""
        if answer.status != 200:
            raise _Ended("http_error", f"the server answers {answer.status}", answer.status)
        kind = _kind(answer.headers)
        named = answer.headers.get("content-type", "")
        for magic, name in _MAGIC:
            if answer.body.startswith(magic):
                raise _Ended("not_text", name, answer.status)
        if not _is_text(kind):
            raise _Ended("not_text", kind, answer.status)
        if not answer.body.strip():
            raise _Ended("failed", "the page is empty", answer.status)
        loop = asyncio.get_running_loop()
        try:
            async with self._reading, asyncio.timeout(_LONGEST_READING):
                return await loop.run_in_executor(
                    self._readers, _extract, answer.body, kind, named, place.url
                )
        except TimeoutError:  # its thread cannot be stopped: the next pages get others
            self._readers.shutdown(wait=False)
            self._readers = _new_readers()
            raise _Ended(
                "timeout", f"the page was not read within {_LONGEST_READING:g} seconds"
            ) from None
        except _Ended:
            raise
        except Exception as error:  # no page may end more than its own visit, whatever is in it
            what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise _Ended("failed", f"the page cannot be read: {what}") from error


def _new_readers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_READERS, thread_name_prefix="page-reader")


def _extract(body: bytes, kind: str, content_type: str, url: str) -> Extracted:
    looks_html = _LOOKS_HTML.search(body[:4_096]) is not None
    text = decode_page(body, content_type)
    if text.count("\x00") > len(text) // 100:
        raise _Ended("not_text", f"binary data, sent as {kind or 'nothing'}", 200)
    if _HTML.fullmatch(kind) or (looks_html and (not kind or kind.endswith("xml"))):
        return extract_html(text, url)
    if kind.endswith("json"):
        return extract_json(text)
    if kind.endswith("xml"):
        return extract_html(text, url)
    return extract_plain(text)


def _kind(headers: Mapping[str, str]) -> str:
    """Return the content type without its parameters, in lower case."""
    return headers.get("content-type", "").split(";")[0].strip().lower()


def _is_text(kind: str) -> bool:
    return not kind or bool(_HTML.fullmatch(kind) or _PLAIN.fullmatch(kind))


def _wanted(status: int, headers: Mapping[str, str]) -> bool:
    """Say whether the body of an answer is read."""
    return status == 200 and _is_text(_kind(headers))


def _status(kind: str) -> PageStatus:
    return "timeout" if kind == "timeout" else "too_large" if kind == "too_large" else "failed"


def _told(answer: Answer, pause: float | None) -> str:
    what = "too many requests" if answer.status == 429 else "the server fails"
    when = "" if pause is None else f", and asks to come back in {pause:g} seconds"
    return f"{what} ({answer.status}){when}"
