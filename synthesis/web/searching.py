"""Asks a search provider over HTTP, and tells "asked too much" from "nothing found"."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
from datetime import UTC, datetime

import httpx2

from graphkit.errors import Problem, SettingsError
from synthesis.web.errors import WebError
from synthesis.web.politeness import HostQueue, retry_after
from synthesis.web.providers import PROVIDERS, Unanswered
from synthesis.web.replies import SearchOutcome
from synthesis.web.settings import WebSettings

__all__ = ["ProviderSearch"]

_LONGEST = 10_000_000
_PASSING = frozenset((408, 425, 429))
_IN_A_ROW = 10
_SPENT_WORDS = ("not enough credits", "quota exceeded", "plan limit", "usage limit")


class ProviderSearch:
    """A search provider that is asked over HTTP.

    Args:
        settings: Which provider, where, and how patiently.

    Raises:
        SettingsError: The provider wants a key and there is none in the environment, or it cannot
            be sent.
    """

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._shape = PROVIDERS[settings.provider]
        variable = settings.key_variable
        self._key = (os.environ.get(variable, "").strip() or None) if variable else None
        wanted = settings.api_key_env is not None or settings.base_url is None
        if variable and self._key is None and wanted:
            raise SettingsError(
                Problem(
                    f"{settings.provider} needs a key in the environment variable {variable}, "
                    "which is not set; set it, or choose provider local or searxng",
                    code="no_key",
                    subject="web search",
                )
            )
        if self._key and not (self._key.isascii() and self._key.isprintable()):
            raise SettingsError(
                Problem(
                    f"the key in {variable} holds signs that cannot be sent, expected plain "
                    "letters, digits and signs",
                    code="bad_key",
                    subject="web search",
                )
            )
        self._base = (settings.base_url or self._shape.base_url or "").rstrip("/")
        self._queue = HostQueue(
            concurrency=settings.search_concurrency, overall=settings.search_concurrency
        )
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(
                settings.timeout, connect=settings.connect_timeout, read=settings.read_timeout
            ),
            follow_redirects=False,  # the key goes where it was meant to, and nowhere else
            trust_env=not _is_loopback(self._base),
            headers={"User-Agent": settings.user_agent, "Accept": "application/json"},
        )
        self.requests = 0
        self._unanswered = 0

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def search(self, query: str, language: str) -> SearchOutcome:
        """Ask the provider, again after a passing failure.

        Raises:
            WebError: The key is refused or the plan is used up: no further search can succeed. Or
                the provider has left ten searches in a row without an answer, retries included.
        """
        wait = self._settings.retry_wait
        for attempt in range(self._settings.retries + 1):
            async with self._queue.turn(self._base, self._settings.search_delay):
                outcome, pause = await self._once(query, language)
            if pause is None or attempt == self._settings.retries:
                break
            pause = max(pause, wait)
            if pause > self._settings.max_retry_after:
                break
            self._queue.pause(self._base, pause)
            await asyncio.sleep(pause)
            wait *= 2
        self._unanswered = 0 if pause is None else self._unanswered + 1
        if self._unanswered >= _IN_A_ROW:
            raise WebError(
                Problem(
                    f"{self._unanswered} searches in a row had no answer, the last: "
                    f"{outcome.reason}; resume the run when the provider answers again",
                    code="unanswered",
                    subject="web search",
                )
            )
        return outcome.model_copy(update={"passing": pause is not None})

    async def _once(self, query: str, language: str) -> tuple[SearchOutcome, float | None]:
        """Ask once; return the outcome, and how long to wait if asking again may help."""
        self.requests += 1
        asking = self._shape.ask(query, language, self._settings.results, self._key)
        now = datetime.now(UTC)
        try:
            async with (
                asyncio.timeout(self._settings.timeout),
                self._client.stream(
                    asking.method,
                    self._base + asking.path,
                    headers=dict(asking.headers),
                    params=dict(asking.params) or None,
                    json=None if asking.body is None else dict(asking.body),
                ) as response,
            ):
                status, headers = response.status_code, response.headers
                body = b""
                async for data in response.aiter_bytes():
                    body += data
                    if len(body) > _LONGEST:
                        return self._outcome(query, "failed", "the answer is too long"), None
        except TimeoutError:
            return self._outcome(query, "failed", "no answer in time"), 0.0
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            what = "no answer in time" if isinstance(error, httpx2.TimeoutException) else str(error)
            return self._outcome(query, "failed", what or type(error).__name__), 0.0
        text = self._without_key(body.decode("utf-8", "replace"))
        if status in _PASSING or status >= 500:
            kind = "rate_limited" if status == 429 else "failed"
            told = f"{self._settings.provider} answers {status}: {_short(text)}"
            return self._outcome(query, kind, told), retry_after(
                headers.get("retry-after", "")
            ) or 0.0
        self._stop_if_hopeless(status, text)
        if status != 200:
            told = f"{self._settings.provider} answers {status}: {_short(text)}"
            return self._outcome(query, "failed", told), None
        try:
            results = self._shape.read(json.loads(text), now)
        except (ValueError, RecursionError):
            return self._outcome(query, "failed", f"an answer that is no JSON: {_short(text)}"), 0.0
        except Unanswered as error:
            kind = "rate_limited" if error.limited else "failed"
            return self._outcome(query, kind, str(error)), 0.0
        if not results:
            return self._outcome(query, "nothing", "nothing found"), None
        return (
            SearchOutcome(
                status="found",
                results=tuple(results[: self._settings.results]),
                provider=self._settings.provider,
                query=query,
            ),
            None,
        )

    def _outcome(self, query: str, status: str, reason: str) -> SearchOutcome:
        return SearchOutcome.model_validate(
            {
                "status": status,
                "provider": self._settings.provider,
                "query": query,
                "reason": self._without_key(reason),
            }
        )

    def _stop_if_hopeless(self, status: int, text: str) -> None:
        """Raise where no further search can succeed."""
        name = self._settings.provider
        spent = any(words in text.lower() for words in _SPENT_WORDS)
        if status in self._shape.spent or (status in (400, 403) and spent):
            raise WebError(
                Problem(
                    f"{name} says that the plan is used up ({status}: {_short(text)}); what was "
                    "found is kept, resume the run when there are searches again",
                    code="spent",
                    subject="web search",
                )
            )
        if status in self._shape.refused:
            variable = self._settings.key_variable
            cure = self._shape.forbidden if status == 403 else ""
            cure = cure or (f"check the key in {variable}" if variable else "set api_key_env")
            raise WebError(
                Problem(
                    f"{name} refuses the request ({status}: {_short(text)}); {cure}",
                    code="refused",
                    subject="web search",
                )
            )

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[redacted]") if self._key else text


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 200 else text[:199] + "…"


def _is_loopback(url: str) -> bool:
    host = httpx2.URL(url).host
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
