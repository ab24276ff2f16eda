"""Random draws that are the same on every machine and with every version of numpy."""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from graphkit.errors import InputError, Problem

__all__ = ["BoundedDraws", "resampling_counts"]

_WORD = 1 << 32
_SHIFT = np.uint64(32)


class BoundedDraws:
    """A stream of integers, each uniform on ``0 .. bound - 1``.

    Only ``random_raw`` of PCG64 is used, whose stream numpy guarantees; the bounded integers of
    ``numpy.random.Generator`` may change between versions. Each raw number gives two 32-bit
    words, the low one first; a word x becomes ``x * bound >> 32`` and is rejected while the low
    half of the product is below ``2**32 mod bound`` (Lemire 2019), so that no value is favoured.
    In which portions the stream is taken has no influence on it.

    Args:
        seed: Any non-negative integer.
        bound: The number of values, 1 to 2**32.

    Raises:
        InputError: The seed or the bound is outside its range.

    >>> BoundedDraws(seed=1, bound=6).take(8).tolist()
    [2, 3, 4, 5, 0, 0, 4, 5]
    """

    def __init__(self, seed: int, bound: int) -> None:
        if operator.index(seed) < 0 or not 1 <= bound <= _WORD:
            raise InputError(
                Problem(
                    f"seed {seed}, bound {bound}; expected a seed of 0 or more and a bound of 1 to "
                    "2**32",
                    code="draws",
                )
            )
        self._generator = np.random.PCG64(seed)
        self._bound = np.uint64(bound)
        self._threshold = np.uint32(_WORD % bound)
        self._spare: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def take(self, count: int) -> NDArray[np.int64]:
        """Return the next ``count`` integers of the stream."""
        parts, have = [self._spare], len(self._spare)
        while have < count:
            part = self._accepted((count - have + 1) // 2)
            parts.append(part)
            have += len(part)
        joined = np.concatenate(parts)
        self._spare = joined[count:]
        return joined[:count]

    def _accepted(self, words: int) -> NDArray[np.int64]:
        raw = np.asarray(self._generator.random_raw(words), dtype="<u8")
        products = raw.view("<u4").astype("<u8")
        products *= self._bound
        rejected = products.view("<u4")[::2] < self._threshold
        products >>= _SHIFT
        kept = products[~rejected] if bool(rejected.any()) else products
        return kept.astype(np.int64, copy=False)


def resampling_counts(
    seed: int, units: int, replicates: int, *, block: int = 12_800
) -> Iterator[NDArray[np.float64]]:
    """Yield how often each unit is drawn in each replicate: the bootstrap as a matrix.

    Args:
        seed: Any non-negative integer.
        units: The number of units; as many are drawn with replacement for each replicate.
        replicates: The number of replicates.
        block: About how many counts one block holds, by default what a processor's own cache
            holds; no influence on the numbers.

    Yields:
        Blocks of rows; together ``replicates`` rows by ``units`` columns of whole numbers, each
        row with the sum ``units``.

    Raises:
        InputError: The seed is negative, or there are no units or replicates.
    """
    if units < 1 or replicates < 1:
        raise InputError(
            Problem(
                f"{units} units, {replicates} replicates; expected at least one of each",
                code="bootstrap",
            )
        )
    stream = BoundedDraws(seed, units)
    step = max(16, block // units) if block >= 16 else 1
    for start in range(0, replicates, step):
        rows = min(step, replicates - start)
        drawn = stream.take(rows * units).reshape(rows, units)
        drawn = drawn + np.arange(0, rows * units, units, dtype=np.int64)[:, None]
        counted = np.bincount(drawn.ravel(), minlength=rows * units)
        yield counted.reshape(rows, units).astype(np.float64)
