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


_FIRST_GAP = 0.025
_WIDEST_GAP = 5.0
_NARROWING = 0.92


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
        self._least = self._unit = 0.0 if per_minute is None else 60.0 / per_minute
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

    def widen(self, seconds: float) -> None:
        """Take at least so long for one, or only as long as at first for less than that."""
        self._unit = max(self._least, seconds)


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
        self._closed_until = self._widened = float("-inf")
        self._gap = 0.0

    @contextlib.asynccontextmanager
    async def passing(self, tokens: float) -> AsyncIterator[float]:
        """Wait for a place and hold it; give the time at which its turn was fixed."""
        async with self._slots:
            while True:
                while (wait := self._closed_until - time.monotonic()) > 0:
                    await asyncio.sleep(wait)
                fixed = time.monotonic()
                wait = max(self._requests.reserve(), self._tokens.reserve(tokens))
                if wait <= 0:
                    break
                await asyncio.sleep(wait)
                if self._closed_until <= time.monotonic():
                    break
                self._tokens.settle(-tokens)
            yield fixed

    def settle(self, difference: float) -> None:
        """Say how many tokens more, or less, than expected a call needed."""
        self._tokens.settle(difference)

    def close_for(self, seconds: float) -> None:
        """Let nobody through for a time, as the endpoint asked."""
        self._closed_until = max(self._closed_until, time.monotonic() + seconds)

    def too_many(self, fixed: float) -> None:
        """Let calls through at half the rate, since there were too many of them.

        Args:
            fixed: When the turn of the call was fixed that the endpoint refused for that; if it
                was before the rate was last halved, nothing changes.
        """
        if fixed >= self._widened:
            self._widened = time.monotonic()
            self._gap = min(_WIDEST_GAP, max(2 * self._gap, _FIRST_GAP))
            self._requests.widen(self._gap)

    def went_well(self) -> None:
        """Let calls through a little faster again, since one was answered."""
        if self._gap:
            self._gap = self._gap * _NARROWING if self._gap > _FIRST_GAP / 4 else 0.0
            self._requests.widen(self._gap)
