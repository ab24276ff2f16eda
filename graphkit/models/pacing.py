"""How many calls an endpoint gets at a time and a minute, and when it wants to be left alone."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable

__all__ = ["Gate", "Pace"]


_MOST = 24_000.0
"""Requests a minute without a limit. Calls that start together would end together and wait for
each other again and again; a little apart, about as long as a call takes here, they do not."""


class Pace:
    """Spreads an amount a minute evenly: no 60 seconds see more than it, however it is asked for.

    Args:
        per_minute: The amount, or None for any.
        clock: Seconds that only go forward.

    >>> pace = Pace(60, clock=lambda: 100.0)
    >>> pace.reserve(), pace.reserve(2), pace.reserve()
    (0.0, 1.0, 3.0)
    """

    def __init__(
        self, per_minute: float | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._unit = 0.0 if per_minute is None else 60.0 / per_minute
        self._clock = clock
        self._free = float("-inf")

    def reserve(self, amount: float = 1.0) -> float:
        """Take an amount; return the seconds to wait before it may be used."""
        now = self._clock()
        start = max(now, self._free)
        self._free = start + amount * self._unit
        return start - now

    def settle(self, difference: float) -> None:
        """Correct what was taken by what was used more, or less, than expected."""
        self._free += difference * self._unit


class Gate:
    """Lets calls through to an endpoint: so many at a time, so many and so much a minute.

    Args:
        concurrency: Calls under way at a time.
        requests_per_minute: Calls in any 60 seconds, or None.
        tokens_per_minute: Tokens a minute, or None; a call passes on what it is expected to need
            and is settled by what it needed.
    """

    def __init__(
        self,
        concurrency: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ) -> None:
        self._slots = asyncio.Semaphore(concurrency)
        self._requests = Pace(min(requests_per_minute or _MOST, _MOST))
        self._tokens = Pace(tokens_per_minute)
        self._closed_until = float("-inf")

    @contextlib.asynccontextmanager
    async def passing(self, tokens: float) -> AsyncIterator[None]:
        """Wait for a place and hold it; the wait of a paced call holds its place too."""
        async with self._slots:
            while True:
                while (wait := self._closed_until - time.monotonic()) > 0:
                    await asyncio.sleep(wait)
                wait = max(self._requests.reserve(), self._tokens.reserve(tokens))
                if wait <= 0:
                    break
                await asyncio.sleep(wait)
                if self._closed_until <= time.monotonic():
                    break
                self._tokens.settle(-tokens)
            yield

    def settle(self, difference: float) -> None:
        """Say how many tokens more, or less, than expected a call needed."""
        self._tokens.settle(difference)

    def close_for(self, seconds: float) -> None:
        """Let nobody through for a time, as the endpoint asked."""
        self._closed_until = max(self._closed_until, time.monotonic() + seconds)
