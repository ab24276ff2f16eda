"""Draws: fixed numbers for a seed, no favoured value, no dependence on how they are taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.errors import InputError
from rubric.statistics.draws import BoundedDraws, resampling_counts


def reference(seed: int, bound: int, count: int) -> list[int]:
    """The same stream in plain Python integers, from the definition."""
    generator, found = np.random.PCG64(seed), []
    while len(found) < count:
        raw = int(generator.random_raw())
        for word in (raw & 0xFFFFFFFF, raw >> 32):
            if (word * bound) % 2**32 >= 2**32 % bound:
                found.append(word * bound >> 32)
    return found[:count]


def test_golden_numbers_of_a_seed():
    """The same seed gives these bytes on every machine and with every numpy."""
    assert BoundedDraws(20261, 50).take(12).tolist() == reference(20261, 50, 12)
    assert BoundedDraws(0, 50).take(12).tolist() == [42, 31, 25, 13, 15, 2, 3, 0, 8, 40, 32, 45]


@given(st.integers(0, 2**64), st.integers(1, 2**32), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_equals_the_plain_definition(seed: int, bound: int, count: int):
    """Any bound: also where half of the words are rejected (bound near 2**31 + 1)."""
    assert BoundedDraws(seed, bound).take(count).tolist() == reference(seed, bound, count)


@given(st.lists(st.integers(0, 9), max_size=6), st.sampled_from([3, 2**31 + 1, 2**32 - 5]))
@settings(max_examples=40, deadline=None)
def test_portions_do_not_matter(portions: list[int], bound: int):
    """Taking 7 then 3 is taking 10, also when words are rejected or half used."""
    stream = BoundedDraws(5, bound)
    parts = [value for count in portions for value in stream.take(count).tolist()]
    assert parts == BoundedDraws(5, bound).take(sum(portions)).tolist()


@pytest.mark.parametrize("block", [1, 7, 100, 10**6])
def test_blocks_do_not_matter(block: int):
    """A replicate's counts do not depend on the memory used."""
    whole = np.concatenate(list(resampling_counts(3, 7, 40)))
    parts = np.concatenate(list(resampling_counts(3, 7, 40, block=block)))
    assert (whole == parts).all()
    assert (whole.sum(axis=1) == 7).all()


def test_no_value_is_favoured():
    """600,000 draws over 6 values stay within five standard deviations."""
    counts = np.bincount(BoundedDraws(1, 6).take(600_000), minlength=6)
    assert abs(counts - 100_000).max() < 5 * (600_000 * 5 / 36) ** 0.5


@pytest.mark.parametrize(("seed", "bound"), [(-1, 5), (0, 0), (0, 2**32 + 1)])
def test_ranges_are_checked(seed: int, bound: int):
    """A negative seed or an impossible bound is the user's mistake."""
    with pytest.raises(InputError):
        BoundedDraws(seed, bound)
