"""Waits between the requests to one host, and for as long as a server asks us to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime

from graphkit.models.retrying import asked_wait

__all__ = ["HostQueue", "retry_after"]


def retry_after(value: str, now: datetime | None = None) -> float | None:
    """Return how many seconds a ``Retry-After`` asks to wait, or None if it says nothing.

    Args:
        value: The header: seconds or a date.
        now: The time that a date is measured from.

    >>> retry_after("120"), retry_after("soon")
    (120.0, None)
    >>> from datetime import UTC
    >>> retry_after("Thu, 01 Jan 2026 00:01:00 GMT", datetime(2026, 1, 1, tzinfo=UTC))
    60.0
    """
    return asked_wait({"retry-after": value}, now)


@dataclass(slots=True)
class _Host:
    places: asyncio.Semaphore
    free_at: float = 0.0


class HostQueue:
    """Lets requests to one host through one after the other, with a pause between them.

    Args:
        concurrency: How many may be under way to one host.
        overall: How many may be under way to all hosts together.
    """

    def __init__(self, *, concurrency: int, overall: int) -> None:
        self._concurrency = concurrency
        self._overall = asyncio.Semaphore(overall)
        self._hosts: dict[str, _Host] = {}

    @contextlib.asynccontextmanager
    async def turn(self, host: str, delay: float) -> AsyncIterator[None]:
        """Wait for a turn at a host, and hold it while the body runs.

        Args:
            host: The host.
            delay: The least time between the beginnings of two turns, in seconds.
        """
        entry = self._hosts.get(host)
        if entry is None:
            entry = self._hosts[host] = _Host(asyncio.Semaphore(self._concurrency))
        loop = asyncio.get_running_loop()
        async with entry.places:
            # Who waits for a host keeps no place among all; while waiting for one, the host may
            # have been paused or begun with, so that its wait is looked at again.
            while True:
                while (wait := entry.free_at - loop.time()) > 0:
                    await asyncio.sleep(wait)
                async with self._overall:
                    if entry.free_at <= loop.time():
                        entry.free_at = loop.time() + delay
                        yield
                        return

    def pause(self, host: str, seconds: float) -> None:
        """Let nothing through to a host for a while."""
        entry = self._hosts.get(host)
        if entry is not None:
            loop = asyncio.get_running_loop()
            entry.free_at = max(entry.free_at, loop.time() + seconds)
