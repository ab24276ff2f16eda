"""Long computations in pieces: everything else runs in between, one of them at a time."""

from __future__ import annotations

import asyncio

import pytest

from synthesis.lane import Lane, Pieces, in_one_go


def counting(name: str, told: list[str], pieces: int = 3) -> Pieces[str]:
    """Tells of each of its pieces, and returns its name."""
    for _ in range(pieces):
        told.append(name)
        yield
    return name


def test_others_run_between_the_pieces() -> None:
    """A task that is ready has its turn after every piece, not after the whole computation."""

    async def work() -> list[str]:
        told: list[str] = []
        computing = asyncio.create_task(Lane().run(counting("piece", told)))
        while not computing.done():
            await asyncio.sleep(0)
            told.append("other")
        return told

    told = asyncio.run(work())
    assert told[:6] == ["piece", "other"] * 3


def test_one_computation_at_a_time_in_the_order_they_came() -> None:
    """So that between two looks at the outside there is one piece, however many seeds compute."""

    async def work() -> tuple[list[str], list[str]]:
        told: list[str] = []
        lane = Lane()
        found = await asyncio.gather(*(lane.run(counting(name, told)) for name in "abc"))
        return found, told

    assert asyncio.run(work()) == (["a", "b", "c"], list("aaabbbccc"))


def test_an_error_ends_only_its_own_computation() -> None:
    """It comes out where the computation was asked for; the lane is free for the next."""

    def broken() -> Pieces[str]:
        yield
        raise ValueError("no way")

    async def work() -> str:
        lane = Lane()
        with pytest.raises(ValueError, match="no way"):
            await lane.run(broken())
        return await lane.run(counting("next", []))

    assert asyncio.run(work()) == "next"


def test_a_cancelled_computation_leaves_the_lane_free() -> None:
    """At its next pause."""

    async def work() -> str:
        lane = Lane()
        endless = asyncio.create_task(lane.run(counting("endless", [], 10**9)))
        await asyncio.sleep(0)
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless
        return await lane.run(counting("next", []))

    assert asyncio.run(work()) == "next"


def test_in_one_go_it_comes_to_the_same() -> None:
    """With all that it is given."""
    told: list[str] = []
    assert in_one_go(counting)("x", told, pieces=2) == "x"
    assert told == ["x", "x"]
