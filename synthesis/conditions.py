"""Conditions that could narrow a set of candidates, as bit masks over the candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    keep_place = members.index(keep)
    numbers, met, keeps = _who_meets(book, members, keep_place)
    sizes = met.sum(axis=1)
    masks = np.packbits(met, axis=1, bitorder="little")
    exclusions = frozenset(book.exclusion_codes) if complement_share > 0 else frozenset()
    barred_too, inside = frozenset(barred.tolist()), frozenset(members)
    reaches: dict[tuple[int, Direction], int] = {}
    found: list[Condition] = []
    for row, (number, size, kept) in enumerate(
        zip(numbers.tolist(), sizes.tolist(), keeps.tolist(), strict=True)
    ):
        branch = book.branches[number]
        code = (branch.relation, branch.direction)
        if size == len(members) or branch.anchor in barred_too:
            continue
        if not kept and (
            code not in exclusions
            or branch.anchor in inside
            or size < book.rules.exclusion_share * branch.size
        ):
            continue
        if code not in reaches:
            reaches[code] = bit_mask(candidates, book.reach(*code).ids)
        mask, reach = int.from_bytes(masks[row].tobytes(), "little"), reaches[code]
        if not kept:
            mask, reach = everyone & ~mask, everyone & ~reach
        found.append(Condition(branch, not kept, mask, reach))
    return found


def _who_meets(
    book: BranchBook, members: list[int], keep: int
) -> tuple[Ids, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Say which candidates each branch leads to.

    Returns:
        The branches that lead to any candidate, by number, in the order in which they are met;
        a table (branches, candidates); and for each branch whether it leads to ``keep``.
    """
    rows = [book.numbers_about(entity) for entity in members]
    every = np.concatenate([np.array(row, dtype=np.int32) for row in rows])
    numbers, first, place = np.unique(every, return_index=True, return_inverse=True)
    met = np.zeros((len(numbers), len(members)), dtype=np.bool_)
    met[place, np.repeat(np.arange(len(members)), [len(row) for row in rows])] = True
    order = np.argsort(first)
    met = met[order]
    return numbers[order], met, met[:, keep]


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


_WIDTH = 3
"""How many conditions are tried in each place before the last."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """Conditions chosen so far.

    Attributes:
        conditions: The conditions, in order.
        current: The mask of the candidates that are left.
        without: For each condition left out, and for each with its anchor not named, who is left.
        groups: The outsiders that meet all the conditions.
    """

    conditions: tuple[Condition, ...]
    current: int
    without: tuple[int, ...]
    groups: list[int]

    def fits(self, condition: Condition, rules: Rules, *, last: bool) -> bool:
        """Whether a condition removes enough and leaves every other one necessary."""
        current = self.current
        after = current & condition.mask
        if condition.exclusion or not last:
            least = float(rules.min_removed)
            if condition.exclusion:
                least = max(least, rules.exclusion_share * condition.branch.size)
            if (current & ~after).bit_count() < least:
                return False
        elif after == current:
            return False
        if current & condition.open_mask == after:
            return False
        if not rules.entity_twice:
            anchor = condition.branch.anchor
            if any(other.branch.anchor == anchor for other in self.conditions):
                return False
        return not any(other & condition.mask == after for other in self.without)

    def plus(self, condition: Condition, groups: list[int]) -> _Choice:
        """Return the choice with one condition more."""
        return _Choice(
            (*self.conditions, condition),
            self.current & condition.mask,
            (
                *(other & condition.mask for other in self.without),
                self.current,
                self.current & condition.open_mask,
            ),
            groups,
        )


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
    there before stays needed. In each place only the first few that fit are tried.

    Args:
        ordered: The conditions, the most welcome first.
        outsiders: Who would come in if a part that was there before were left out.
        everyone: The mask of all candidates.
        kept: The mask of the one that must be left.
        count: How many conditions.
        rules: How many candidates a condition must remove, and whether two may name one entity.
    """
    ahead = [everyone]
    for condition in reversed(ordered):
        ahead.append(ahead[-1] & condition.mask)
    ahead.reverse()

    def search(choice: _Choice, start: int) -> _Choice | None:
        last = len(choice.conditions) == count - 1
        tried = 0
        for place in range(start, len(ordered)):
            if choice.current & ahead[place] != kept:  # all that follow would leave more
                return None
            condition = ordered[place]
            after = choice.current & condition.mask
            if (after == kept) is not last or not choice.fits(condition, rules, last=last):
                continue
            groups = outsiders.meeting(condition, choice.groups)
            if not all(groups):
                continue
            longer = choice.plus(condition, groups)
            found = longer if last else search(longer, place + 1)
            if found is not None:
                return found
            tried += 1
            if tried == _WIDTH:
                return None
        return None

    found = search(_Choice((), everyone, (), outsiders.groups), 0)
    return None if found is None else list(found.conditions)
