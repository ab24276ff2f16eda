"""Pools of conditions and their combinations, against plain sets; and the dice."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.entity_set import EntitySet
from graphkit.mutate import Branch, BranchBook, Rules
from graphkit.operations import Direction
from synthesis.conditions import Condition, Outsiders, bit_mask, combine, condition_pool
from synthesis.dice import Dice
from tests.synthesis.village import village


@pytest.fixture(scope="module")
def book() -> BranchBook:
    return BranchBook(village(), Rules())


def members(branch: Branch) -> set[int]:
    return set(branch.value(village()).ids.tolist())


@pytest.mark.parametrize("place", range(0, 60, 7))
def test_a_pool_holds_every_sensible_condition(book: BranchBook, place: int):
    """Branches and exclusions by plain sets: who stays, who must, and who is barred."""
    facts = village()
    people = facts.of_type("person").ids
    keep = int(people[place])
    candidates = people[place % 5 :: 3]
    candidates = EntitySet.of([*candidates.tolist(), keep]).ids
    inside = set(candidates.tolist())
    barred = EntitySet.of([int(people[1]), *facts.named("Club 3").ids.tolist()]).ids
    pool = condition_pool(book, candidates, keep, barred, complement_share=1.0)
    found = {(item.branch.code, item.exclusion): item for item in pool}
    assert len(found) == len(pool)
    want = set()
    for entity in inside:
        for branch in book.about(entity):
            met = members(branch) & inside
            exclusion = keep not in met
            if met == inside or branch.anchor in barred.tolist():
                continue
            if exclusion and (branch.anchor in inside or len(met) < 0.1 * branch.size):
                continue
            want.add((branch.code, exclusion))
            left = inside - met if exclusion else met
            item = found[branch.code, exclusion]
            assert {n for i, n in enumerate(candidates.tolist()) if item.mask >> i & 1} == left
    assert set(found) == want
    assert want
    assert not any(
        item.exclusion
        for item in condition_pool(book, candidates, keep, barred, complement_share=0.0)
    )


@given(st.sets(st.integers(0, 80), min_size=1), st.sets(st.integers(0, 80)))
def test_a_mask_says_who_is_chosen(everybody: set[int], chosen: set[int]):
    """Bit i stands for member i."""
    ids = EntitySet.of(everybody).ids
    mask = bit_mask(ids, EntitySet.of(chosen).ids)
    assert {n for i, n in enumerate(ids.tolist()) if mask >> i & 1} == everybody & chosen


SIZE = 6
masks = st.integers(0, 2**SIZE - 1)


@st.composite
def pools(draw: st.DrawFn) -> list[Condition]:
    """Conditions that all keep candidate 0; what an anchor reaches without its name is more."""
    found = []
    for number in range(draw(st.integers(1, 9))):
        mask = draw(masks) | 1
        branch = Branch(0, Direction.FORWARD, draw(st.integers(0, 5)), draw(st.integers(1, 12)))
        found.append(Condition(branch, draw(st.booleans()), mask, mask | draw(masks)))
        assert number < 9
    return found


def needed(chosen: tuple[Condition, ...]) -> bool:
    """Whether every condition, and the name in it, is needed to leave candidate 0 alone."""
    everyone = 2**SIZE - 1
    for place, _ in enumerate(chosen):
        for replaced in (everyone, chosen[place].open_mask):
            left = everyone
            for other, item in enumerate(chosen):
                left &= replaced if other == place else item.mask
            if left == 1:
                return False
    return True


@given(pools(), st.integers(1, 4), st.booleans())
def test_a_combination_leaves_one_and_needs_every_part(
    pool: list[Condition], count: int, twice: bool
):
    """What is found leaves the one candidate; every condition and every name in it is needed."""
    rules = Rules(entity_twice=twice)
    found = combine(
        pool,
        Outsiders(BranchBook(village(), rules), []),
        everyone=2**SIZE - 1,
        kept=1,
        count=count,
        rules=rules,
    )
    if found is None:
        fitting = [
            chosen
            for chosen in itertools.combinations(pool, count)
            if fits(chosen, rules) and needed(chosen)
        ]
        assert len(pool) > 3 or not fitting
        return
    assert len(found) == count
    assert fits(tuple(found), rules)
    assert needed(tuple(found))


def fits(chosen: tuple[Condition, ...], rules: Rules) -> bool:
    """Whether conditions taken in this order leave one, and each removes enough in its turn."""
    left = 2**SIZE - 1
    for place, item in enumerate(chosen):
        after = left & item.mask
        removed = (left & ~after).bit_count()
        last = place == len(chosen) - 1
        if (after == 1) is not last:
            return False
        if removed < (1 if last and not item.exclusion else rules.min_removed):
            return False
        if item.exclusion and removed < rules.exclusion_share * item.branch.size:
            return False
        left = after
    anchors = [item.branch.anchor for item in chosen]
    return rules.entity_twice or len(set(anchors)) == len(anchors)


def test_outsiders_are_those_who_would_come_in(book: BranchBook):
    """Of each group those are left that meet the condition, or do not meet an exclusion."""
    facts = village()
    people = facts.of_type("person").ids
    groups = [people[:20], people[10:40]]
    branch = book.about(int(people[0]))[0]
    outsiders = Outsiders(book, groups)
    for exclusion in (False, True):
        condition = Condition(branch, exclusion, 0, 0)
        counts = [left.bit_count() for left in outsiders.meeting(condition, outsiders.groups)]
        assert counts == [
            sum((int(n) in members(branch)) != exclusion for n in group) for group in groups
        ]


# ---- dice -------------------------------------------------------------------------------------


def test_dice_repeat_themselves():
    """The same seed gives the same choices, whatever is asked for."""
    first, again = Dice(3), Dice(3)
    for dice in (first, again):
        dice.shuffled("abc")
    assert [first.below(10) for _ in range(20)] == [again.below(10) for _ in range(20)]
    assert first.shuffled(range(9), float) == again.shuffled(range(9), float)


def test_dice_are_the_same_on_every_machine():
    """The first choices of a seed, written down."""
    dice = Dice(7)
    assert [dice.below(100) for _ in range(5)] == [32, 15, 65, 7, 53]
    assert dice.shuffled("abcde") == ["d", "b", "a", "e", "c"]


def test_weights_and_costs_matter():
    """What weighs nothing is never taken, what costs more comes later more often."""
    dice = Dice(1)
    assert {dice.weighted("ab", [0.0, 1.0]) for _ in range(50)} == {"b"}
    first = [dice.shuffled("ab", {"a": 1.0, "b": 9.0}.__getitem__)[0] for _ in range(300)]
    assert first.count("a") > 240
    counts = np.bincount([dice.below(4) for _ in range(4_000)])
    assert counts.min() > 900
    assert sum(dice.chance(0.25) for _ in range(4_000)) in range(880, 1120)
    assert {dice.pick("xyz") for _ in range(60)} == set("xyz")


_SCRIPT = """
from synthesis.grow import grow
from synthesis.grow_settings import GrowSettings
from tests.synthesis.village import village
import json
print(json.dumps([q.to_record() for q in grow(village(), GrowSettings(count=4, seed=2))]))
"""


def test_other_hashes_change_nothing():
    """Two processes with different hash seeds print the same bytes."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ".", "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(printed) == 1
    assert len(printed.pop()) > 1_000
