"""Bounds of a score that skipped atoms leave open: an envelope, not a worst case. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rubric.aggregate import FAILED, PASSED, aggregate, count_atoms, present_dimensions
from rubric.guard import guard
from rubric.plan import Plan
from rubric.verdicts import SKIPPED

__all__ = ["bounds_of"]


def bounds_of(
    plan: Plan, outcomes: Sequence[int], score: Fraction | None
) -> tuple[Fraction | None, Fraction | None]:
    """Return the least and the greatest of three scores, the guard rerun for each.

    The three are the score itself, the score with every skipped atom failed, and with every
    skipped atom passed. Not stated in the paper. Other ways to fill the skipped atoms can leave
    this envelope, because the guard is not monotone.

    Args:
        plan: The tree under its parameters.
        outcomes: The outcome of each atom of the tree.
        score: The score itself, if there is one.
    """
    if SKIPPED not in outcomes:
        return score, score
    found = [score]
    for filled in (FAILED, PASSED):
        whole = [filled if outcome == SKIPPED else outcome for outcome in outcomes]
        _, removed = guard(plan, whole)
        present = present_dimensions(plan, count_atoms(plan, whole))
        found.append(aggregate(plan, count_atoms(plan, whole, removed), present).score)
    scores = [value for value in found if value is not None]
    return min(scores, default=None), max(scores, default=None)
