"""Lets long computations of many seeds and the event loop take turns, a short piece at a time."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Generator
from typing import ParamSpec, TypeVar

__all__ = ["Lane", "Pieces", "in_one_go"]

P = ParamSpec("P")
T = TypeVar("T")

Pieces = Generator[None, None, T]
"""A computation that pauses between its pieces, and returns what it comes to."""


class Lane:
    """One computation at a time, in pieces, between which everything else may run.

    A plan takes a tenth of a second and more; made in one go it holds up the answers of all other
    seeds, and a server that they wait for has nothing to do. One lane serves all seeds of a run: if
    each computed by itself, all their pieces would come before the next answer is looked at.

    >>> def three():
    ...     for _ in range(3):
    ...         yield
    ...     return "done"
    >>> async def both():
    ...     lane = Lane()
    ...     return await asyncio.gather(lane.run(three()), lane.run(three()))
    >>> asyncio.run(both())
    ['done', 'done']
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def run(self, pieces: Pieces[T]) -> T:
        """Run a computation to its end; return what it returns and raise what it raises."""
        async with self._lock:
            while True:
                try:
                    next(pieces)
                except StopIteration as end:
                    result: T = end.value
                    return result
                await asyncio.sleep(0)


def in_one_go(computation: Callable[P, Pieces[T]]) -> Callable[P, T]:
    """Return a computation that makes no pauses.

    >>> def two():
    ...     yield
    ...     return 2
    >>> in_one_go(two)()
    2
    """

    @functools.wraps(computation)
    def whole(*args: P.args, **more: P.kwargs) -> T:
        pieces = computation(*args, **more)
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                result: T = end.value
                return result

    return whole
