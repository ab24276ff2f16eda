"""One endpoint: the client, who may call it and when, and what its failures mean."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from graphkit.errors import BudgetError, ModelAccessError, ModelServerError, Problem
from graphkit.models.model_settings import ModelSettings
from graphkit.models.pacing import Gate
from graphkit.models.retrying import asked_wait, backoff, passes

if TYPE_CHECKING:
    import ssl

    from openai import AsyncOpenAI

__all__ = ["Attempts", "Endpoint", "RequestRefusedError", "address_of"]

_NO_KEY = "none"
_SHOWN = 300
_FORM_REFUSED = re.compile(
    r"\b(tools?|tool use|tool_choice|response_format|json_schema|grammar|jinja)\b.*"
    r"\b(not support|unsupported|requires?|invalid|cannot)"
    r"|\b(support|unsupported|no endpoints)\b.*\b(tools?|tool use|response_format|json_schema)\b",
    re.IGNORECASE,
)
_LANE_WIDTH = 8
_LONGEST_FOR_MANY = 5.0


class RequestRefusedError(ModelAccessError):
    """The endpoint refused this request as it is; another form of it may be taken."""


@dataclass(slots=True)
class Attempts:
    """Follows the attempts of one call.

    Attributes:
        expected: Tokens that the call is expected to need.
        retried: Told of every failed attempt that is made again: why, and the wait in seconds.
        seconds_left: The time that the run has left, or None for any.
        clean: Takes secrets out of a text.
    """

    expected: int
    retried: Callable[[str, float], None]
    seconds_left: Callable[[], float | None]
    clean: Callable[[str], str]


def address_of(base_url: str | None) -> str:
    """Return what an endpoint is called: its address without credentials and query.

    >>> address_of("https://me:secret@models.example/v1/?key=x"), address_of(None)
    ('https://models.example/v1', 'https://api.openai.com/v1')
    """
    if base_url is None:
        base_url = os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    return _bare(base_url)


@functools.lru_cache(maxsize=256)
def _bare(base_url: str) -> str:
    parts = urlsplit(base_url)
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


@dataclass(slots=True)
class _Lane:
    """A client with a few connections, and how many calls it has under way."""

    client: AsyncOpenAI
    busy: int = 0


class _Failed(NamedTuple):
    """An attempt that may do better: why it failed, the wait asked for, whether for being many."""

    why: str
    asked: float | None = None
    too_many: bool = False


class Endpoint:
    """An OpenAI-compatible endpoint; all agents that use it share its limits.

    Args:
        settings: Settings of one of the agents: the address and where the key is.
        limits: The gate that all of them pass.

    Attributes:
        address: What it is called in records and errors.
        secret: Its key, to be kept out of everything that is written; empty without one.
    """

    def __init__(self, settings: ModelSettings, limits: Gate) -> None:
        self.address = address_of(settings.base_url)
        self._base_url = settings.base_url
        self._variable = settings.api_key_env
        self._gate = limits
        self._trust: ssl.SSLContext | None = None
        self._lanes: list[_Lane] = []
        self.secret = os.environ.get(self._variable, "").strip()
        if not (self.secret.isascii() and self.secret.isprintable()):
            raise ModelAccessError(
                Problem(
                    f"the key in {self._variable} holds signs that cannot be sent, expected "
                    "plain letters, digits and signs",
                    code="bad_key",
                )
            )
        if not self.secret and self._base_url is None:
            raise ModelAccessError(
                Problem(
                    f"the environment variable {self._variable} is not set, expected the key of "
                    f"{self.address}; name another variable with api_key_env, or a server of "
                    "your own with base_url",
                    code="no_key",
                )
            )
        self._lane()  # the client is loaded before the first call is timed and paced

    async def send(
        self, body: Mapping[str, Any], key: str, settings: ModelSettings, attempts: Attempts
    ) -> dict[str, Any]:
        """Ask for a completion, and again after failures that may pass.

        Where there are too many calls for the endpoint (429), they are spread wider, and a call is
        tried again until ``longest_wait`` is over, however often that is.

        Args:
            body: The request.
            key: Goes along as ``Idempotency-Key``, the same at every attempt.
            settings: Timeout and retries.
            attempts: Who follows them.

        Returns:
            The completion, with at least one choice that has a message.

        Raises:
            RequestRefusedError: The request is refused as it is: 400, 413, 422 or 501.
            ModelAccessError: The key, the model or the address is wrong.
            ModelServerError: No attempt was answered, or the server asks for too long a wait.
            BudgetError: The time of the run ends before the next attempt.
        """
        started = time.monotonic()
        attempt = 0
        while True:
            async with self._gate.passing(attempts.expected) as fixed:
                found = await self._attempt(body, key, settings.timeout, attempts.clean)
            if isinstance(found, dict):
                self._gate.went_well()
                return found
            attempt += 1
            why, asked, too_many = found
            self._gate.settle(-attempts.expected)
            if too_many:
                self._gate.too_many(fixed)
            if asked is None:
                wait = min(backoff(attempt), _LONGEST_FOR_MANY) if too_many else backoff(attempt)
            else:
                wait = asked
            spent = time.monotonic() - started
            if attempt > settings.retries and not (too_many and spent < settings.longest_wait):
                times = "once" if attempt == 1 else f"{attempt} times"
                raise ModelServerError(
                    self._problem(
                        f"no answer, asked {times} in {spent:.1f} s; the last time: {why}",
                        "retries",
                    )
                )
            if wait > settings.longest_wait:
                raise ModelServerError(
                    self._problem(
                        f"{why}; it asks to wait {wait:.0f} s, expected at most "
                        f"{settings.longest_wait:g} (longest_wait)",
                        "wait",
                    )
                )
            left = attempts.seconds_left()
            if left is not None and wait >= left:
                raise BudgetError(
                    self._problem(f"{why}; the time of the run ends before it is tried again")
                )
            attempts.retried(why, wait)
            if asked is not None:
                self._gate.close_for(asked)
            await asyncio.sleep(wait)

    def settle(self, difference: int) -> None:
        """Say how many tokens more, or less, than expected a call needed."""
        self._gate.settle(difference)

    async def aclose(self) -> None:
        """Close all connections."""
        lanes, self._lanes = self._lanes, []
        for lane in lanes:
            await lane.client.close()

    async def _attempt(
        self, body: Mapping[str, Any], key: str, timeout: float, clean: Callable[[str], str]
    ) -> dict[str, Any] | _Failed:
        """Return a completion, or why there is none."""
        import httpx2
        import openai

        lane = self._lane()
        lane.busy += 1
        try:
            async with asyncio.timeout(timeout):
                response = await lane.client.post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    body=body,
                    options={"headers": {"Idempotency-Key": key}},
                )
            return _completion(response.content, clean)
        except (TimeoutError, openai.APITimeoutError):
            return _Failed(f"no answer within {timeout:g} s")
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            return _Failed(f"the connection failed: {clean(str(cause)) or type(cause).__name__}")
        except openai.APIStatusError as error:
            status, text, code = error.status_code, clean(_message(error)), _code(error)
            why = f"HTTP {status}: {text}"
            if status in (404, 500) and _FORM_REFUSED.search(text):
                status = 400  # some servers say so, of a form that they do not take
            if code == "insufficient_quota" or not passes(status):
                raise self._lasting(status, why, error.response.headers) from None
            return _Failed(why, asked_wait(error.response.headers), status == 429)
        finally:
            lane.busy -= 1

    def _lasting(self, status: int, why: str, headers: Mapping[str, str]) -> ModelAccessError:
        if status in (400, 413, 422, 501):
            return RequestRefusedError(self._problem(f"the request is refused, {why}", "refused"))
        if status in (401, 403):
            held = f"the key in {self._variable}" if self.secret else "a request without a key"
            return ModelAccessError(self._problem(f"{held} is refused, {why}", "key"))
        if status == 404:
            hint = "" if "json" in headers.get("content-type", "") else (
                "; does the base URL end as it should, in /v1 as a rule?"
            )  # fmt: skip
            return ModelAccessError(
                self._problem(f"no such model or no such address, {why}{hint}", "not_found")
            )
        return ModelAccessError(self._problem(f"the call is refused, {why}", "access"))

    def _problem(self, message: str, code: str = "model") -> Problem:
        return Problem(message, code=code, subject=f"model server {self.address}")

    def _lane(self) -> _Lane:
        """Return the client with the fewest calls under way; clients are made as they are needed.

        A pool looks at all its connections for every request, so a few small ones take less time
        than a large one.
        """
        free = [lane for lane in self._lanes if lane.busy < _LANE_WIDTH]
        if free:
            return min(free, key=lambda lane: lane.busy)
        import httpx2
        from openai import AsyncOpenAI

        if self._trust is None:
            self._trust = httpx2.create_ssl_context()
        client = AsyncOpenAI(
            base_url=self._base_url,
            api_key=self.secret or _NO_KEY,
            max_retries=0,
            timeout=None,
            http_client=httpx2.AsyncClient(
                limits=httpx2.Limits(max_connections=_LANE_WIDTH),
                timeout=None,
                verify=self._trust,
                follow_redirects=True,
            ),
        )
        self._lanes.append(_Lane(client))
        return self._lanes[-1]


def _completion(data: bytes, clean: Callable[[str], str]) -> dict[str, Any] | _Failed:
    """Return the completion in a body, or what is wrong with it."""
    try:
        found = json.loads(data, parse_constant=lambda _: None, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return _Failed(f"the answer is no JSON ({len(data)} bytes, {error})")
    if not isinstance(found, dict):
        return _Failed("the answer is no JSON object")
    choices = found.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and isinstance(first.get("message"), dict):
        return found
    if found.get("error"):
        return _Failed(f"an error in place of a completion: {clean(_short(found['error']))}")
    return _Failed(f"no completion, the answer holds {', '.join(found) or 'nothing'}")


def _finite(text: str) -> float | None:
    number = float(text)
    return number if abs(number) != float("inf") else None


def _message(error: Any) -> str:
    """Return what an error of the server says, on one line."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, Mapping) else inner
        if said:
            return _short(said)
    return _short(error.response.text) or "no reason given"


def _code(error: Any) -> str | None:
    body = error.body
    return body.get("code") if isinstance(body, Mapping) else None


def _short(said: Any) -> str:
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "\u2026"
