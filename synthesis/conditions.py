"""Conditions that could narrow a set of candidates, as bit masks over the candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphkit.entity_set import Ids, is_in
from graphkit.mutate import Branch, BranchBook, Rules
from graphkit.operations import Direction

__all__ = ["Condition", "Outsiders", "combine", "condition_pool"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A branch that candidates must meet, or an exclusion that they must not.

    Attributes:
        branch: The branch.
        exclusion: Whether its set is excluded.
        mask: Bit i is set when candidate i may stay.
        open_mask: The same if the anchor of the branch were not named.
    """

    branch: Branch
    exclusion: bool
    mask: int
    open_mask: int


def condition_pool(
    book: BranchBook, candidates: Ids, keep: int, barred: Ids, *, complement_share: float
) -> list[Condition]:
    """Return every sensible condition that keeps one candidate and removes another.

    Args:
        book: The branches of the facts, with the rules.
        candidates: The candidates, sorted.
        keep: The candidate that must stay.
        barred: Entities that must not be anchors.
        complement_share: With 0, no exclusions are returned.
    """
    members = candidates.tolist()
    everyone = (1 << len(members)) - 1
    kept = 1 << members.index(keep)
    masks: dict[int, int] = {}
    for place, entity in enumerate(members):
        bit = 1 << place
        for number in book.numbers_about(entity):
            masks[number] = masks.get(number, 0) | bit
    exclusions = frozenset(book.exclusion_codes) if complement_share > 0 else frozenset()
    barred_too, inside = frozenset(barred.tolist()), frozenset(members)
    reaches: dict[tuple[int, Direction], int] = {}
    found: list[Condition] = []
    for number, met in masks.items():
        branch = book.branches[number]
        code = (branch.relation, branch.direction)
        exclusion = not met & kept
        if met == everyone or branch.anchor in barred_too:
            continue
        if exclusion and (
            code not in exclusions
            or branch.anchor in inside
            or met.bit_count() < book.rules.exclusion_share * branch.size
        ):
            continue
        if code not in reaches:
            reaches[code] = bit_mask(candidates, book.reach(*code).ids)
        reach = reaches[code]
        if exclusion:
            met, reach = everyone & ~met, everyone & ~reach
        found.append(Condition(branch, exclusion, met, reach))
    return found


def bit_mask(members: Ids, chosen: Ids) -> int:
    """Return a mask whose bit i says whether member i is among the chosen; both are sorted."""
    bits = np.packbits(is_in(members, chosen), bitorder="little")
    return int.from_bytes(bits.tobytes(), "little")


class Outsiders:
    """Entities that would come in if one part of the question so far were left out.

    A part stays needed as long as one of its outsiders meets every condition that is added.
    Conditions are evaluated on all outsiders at once, and only when they are asked about.

    Args:
        book: The branches of the facts.
        groups: For each part the entities that would come in.
    """

    def __init__(self, book: BranchBook, groups: list[Ids]) -> None:
        self._facts = book.facts
        self._everyone = (
            np.unique(np.concatenate(groups)) if groups else np.zeros(0, dtype=np.int32)
        )
        self._masks: dict[Branch, int] = {}
        self.groups = [bit_mask(self._everyone, group) for group in groups]

    def meeting(self, condition: Condition, groups: list[int]) -> list[int]:
        """Return those of each group that meet a condition."""
        mask = self._masks.get(condition.branch)
        if mask is None:
            members = condition.branch.value(self._facts).ids
            mask = self._masks[condition.branch] = bit_mask(self._everyone, members)
        if condition.exclusion:
            return [group & ~mask for group in groups]
        return [group & mask for group in groups]


def combine(
    ordered: list[Condition],
    outsiders: Outsiders,
    *,
    everyone: int,
    kept: int,
    count: int,
    rules: Rules,
) -> list[Condition] | None:
    """Choose ``count`` conditions, taken in order, that leave one candidate and are all needed.

    Every condition that is not the last, and every exclusion, removes enough candidates; every
    one, if left out, would let another candidate in; and every part of the question that was
    there before stays needed.

    Args:
        ordered: The conditions, the most welcome first.
        outsiders: Who would come in if a part that was there before were left out.
        everyone: The mask of all candidates.
        kept: The mask of the one that must be left.
        count: How many conditions.
        rules: How many candidates a condition must remove, and whether two may name one entity.
    """
    chosen: list[Condition] = []
    current = everyone
    without: list[int] = []
    groups = outsiders.groups
    anchors: set[int] = set()
    for step in range(count):
        last = step == count - 1
        for condition in ordered:
            after = current & condition.mask
            if last:
                if after != kept or after == current:
                    continue
            elif after == kept:
                continue
            if not last or condition.exclusion:
                least = float(rules.min_removed)
                if condition.exclusion:
                    least = max(least, rules.exclusion_share * condition.branch.size)
                if (current & ~after).bit_count() < least:
                    continue
            if condition.branch.anchor in anchors and not rules.entity_twice:
                continue
            if current & condition.open_mask == after:
                continue
            if any(other & condition.mask == after for other in without):
                continue
            left = outsiders.meeting(condition, groups)
            if all(left):
                break
        else:
            return None
        without = [other & condition.mask for other in without]
        without += [current, current & condition.open_mask]
        current, groups = after, left
        anchors.add(condition.branch.anchor)
        chosen.append(condition)
    return chosen
