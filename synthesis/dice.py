"""Random choices that come out the same on every machine and Python version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

__all__ = ["Dice"]

T = TypeVar("T")


class Dice:
    """A source of choices made from a seed.

    Only ``Random.random`` is used, whose sequence for a seed is fixed, and arithmetic that IEEE
    754 defines to the last bit.

    >>> Dice(7).shuffled([1, 2, 3, 4]) == Dice(7).shuffled([1, 2, 3, 4])
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, limit: int) -> int:
        """Return a number from 0 up to ``limit``, exclusive."""
        return min(int(self._random.random() * limit), limit - 1)

    def chance(self, share: float) -> bool:
        """Return True in this share of cases."""
        return self._random.random() < share

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """Return one of the items, by weight."""
        place = self._random.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            place -= weight
            if place < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[T], cost: Callable[[T], float] | None = None) -> list[T]:
        """Return the items in a random order; items that cost more come later more often."""
        draw = self._random.random
        costs = [1.0] * len(items) if cost is None else map(cost, items)
        keyed = [(draw() * weight, place) for place, weight in enumerate(costs)]
        keyed.sort()
        return [items[place] for _, place in keyed]
