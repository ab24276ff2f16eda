"""The distance between two requests to a host holds, however busy all of the visits are."""

from __future__ import annotations

import asyncio
import itertools

from synthesis.web.politeness import HostQueue


def test_the_distance_holds_when_all_places_are_taken() -> None:
    """A turn begins when it gets its place among all, and the next is counted from there."""

    async def run() -> list[float]:
        queue = HostQueue(concurrency=2, overall=1)
        loop = asyncio.get_running_loop()
        starts: list[float] = []

        async def other() -> None:
            async with queue.turn("other", 0.0):
                await asyncio.sleep(0.4)

        async def one() -> None:
            async with queue.turn("a", 0.2):
                starts.append(loop.time())

        busy = asyncio.create_task(other())
        await asyncio.sleep(0.01)
        await asyncio.gather(busy, one(), one(), one())
        return starts

    starts = asyncio.run(run())
    assert len(starts) == 3
    assert min(later - before for before, later in itertools.pairwise(starts)) >= 0.19


def test_a_pause_counts_that_is_set_while_a_place_is_waited_for() -> None:
    """A host that asks for a pause gets it, also from those who only waited for a place."""

    async def run() -> tuple[float, float]:
        queue = HostQueue(concurrency=2, overall=1)
        loop = asyncio.get_running_loop()
        begun: dict[str, float] = {}

        async def turn(host: str) -> None:
            async with queue.turn(host, 0.0):
                begun[host] = loop.time()

        async with queue.turn("other", 0.0):
            waiting = asyncio.create_task(turn("a"))
            await asyncio.sleep(0.01)
            queue.pause("a", 0.4)
            start = loop.time()
            third = asyncio.create_task(turn("third"))
            await asyncio.sleep(0.01)
        await asyncio.gather(waiting, third)
        return begun["a"] - start, begun["third"] - start

    paused, free = asyncio.run(run())
    assert paused >= 0.39
    assert free < 0.3  # whoever waits for a paused host keeps no other from its turn


def test_a_turn_that_fails_or_is_cancelled_gives_its_place_back() -> None:
    """The next turn comes, whatever became of the one before."""

    async def run() -> bool:
        queue = HostQueue(concurrency=1, overall=1)
        try:
            async with queue.turn("a", 0.0):
                raise ValueError
        except ValueError:
            failed = True

        async def long() -> None:
            async with queue.turn("a", 0.0):
                await asyncio.sleep(60)

        task = asyncio.create_task(long())
        await asyncio.sleep(0.01)
        task.cancel()
        async with asyncio.timeout(1), queue.turn("a", 0.0):
            return failed

    assert asyncio.run(run())
