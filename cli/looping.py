"""Runs a command's coroutine to its end, or to the moment when the process is told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from cli.endings import Terminated

__all__ = ["until_done"]

T = TypeVar("T")


def until_done(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an event loop of its own.

    SIGTERM cancels it at its next pause, as SIGINT does, so that every task can put its things in
    order; raised in the middle of one of many tasks it would come out of the loop as an error of
    that task.

    Args:
        work: What is to be done.

    Raises:
        Terminated: SIGTERM came.
        KeyboardInterrupt: SIGINT came.
    """
    told = False

    async def watched() -> T:
        loop = asyncio.get_running_loop()
        this = asyncio.current_task()

        def stop() -> None:
            nonlocal told
            told = True
            if this is not None:
                this.cancel()

        loop.add_signal_handler(signal.SIGTERM, stop)
        try:
            return await work
        finally:
            loop.remove_signal_handler(signal.SIGTERM)
            signal.signal(signal.SIGTERM, before)

    before = signal.getsignal(signal.SIGTERM)
    try:
        return asyncio.run(watched())
    except asyncio.CancelledError:
        if told:
            raise Terminated from None
        raise
