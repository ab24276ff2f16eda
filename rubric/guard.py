"""Guarded citation N/A: equation 5 as published, and the exact comparison of scores. Pure.

The published guard estimates the gain of stating a fact by margins of directions; it can still
rank an omitted fact above a stated one. ``guard="exact"`` compares the scores themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rubric.aggregate import (
    FAILED,
    PASSED,
    Counts,
    aggregate,
    count_atoms,
    present_dimensions,
    weight_of,
)
from rubric.logic import DIMENSIONS, Dimension
from rubric.plan import Plan
from rubric.settings import GuardMode
from rubric.verdicts import NO

__all__ = ["GuardStep", "GuardTrace", "guard", "readings", "restore_next"]

_CONTENT = DIMENSIONS.index(Dimension.CONTENT)
_CITATION = DIMENSIONS.index(Dimension.CITATION)
ZERO = Fraction(0)
ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class GuardStep:
    """One reading of the guard.

    Attributes:
        remaining: Candidates still proposed for removal.
        delta_c: The estimated content gain of equation 5.
        delta_r: The estimated citation gain of equation 5.
        score: S with the remaining candidates removed; exact guard only.
        limit: The least score of the reports that state or cite more; exact guard only.
        restored: The atom restored because the reading did not hold, or nothing when it held.
    """

    remaining: int
    delta_c: Fraction
    delta_r: Fraction
    score: Fraction | None
    limit: Fraction | None
    restored: str | None

    @property
    def holds(self) -> bool:
        """Whether the remaining removals may stay."""
        if self.score is not None and self.limit is not None:
            return self.score <= self.limit
        return self.delta_c > self.delta_r


@dataclass(frozen=True, slots=True)
class GuardTrace:
    """What the guard did: ``na_guard`` of OmniDR-Bench, A.4.

    Attributes:
        mode: The guard used.
        candidates: Ids of all candidates, sorted.
        applied: Ids of those that became na, sorted.
        retracted: Ids of those restored to zero, in the order of restoration.
        steps: Both readings at every step.
    """

    mode: GuardMode
    candidates: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()
    steps: tuple[GuardStep, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; exact readings are strings such as ``1/12`` beside the number."""
        return {
            "mode": self.mode.value,
            "candidates": len(self.candidates),
            "applied": len(self.applied),
            "retracted": len(self.retracted),
            "candidate_ids": list(self.candidates),
            "applied_ids": list(self.applied),
            "retracted_ids": list(self.retracted),
            "steps": [_step(step) for step in self.steps],
        }


def _step(step: GuardStep) -> dict[str, Any]:
    made: dict[str, Any] = {"remaining": step.remaining, "restored": step.restored}
    for name in ("delta_c", "delta_r", "score", "limit"):
        value = getattr(step, name)
        if value is not None:
            made[name] = float(value)
            made[f"{name}_exact"] = str(value)
    return made


def coverage_of(plan: Plan, outcomes: Sequence[int], atom: int) -> list[int]:
    """Return the scored positive coverage atoms that share a fact with an atom."""
    found = dict.fromkeys(
        other
        for fact in plan.tree.atoms[atom].fact_ids
        for other in plan.coverage_atoms.get(fact, ())
        if outcomes[other] <= NO
    )
    return list(found)


def find_candidates(plan: Plan, outcomes: Sequence[int]) -> list[int]:
    """Return the failed citation atoms whose linked coverage checks are scored and all failed.

    Source: OmniDR-Bench, A.4. The union over all facts of the atom is not stated there.
    """
    found = []
    for atom in plan.citation_atoms:
        if outcomes[atom] == FAILED:
            linked = coverage_of(plan, outcomes, atom)
            if linked and all(outcomes[other] == FAILED for other in linked):
                found.append(atom)
    return found


def restore_next(plan: Plan, remaining: Collection[int]) -> int:
    """Return the candidate to restore: from the fact with most of them, the last atom id.

    Ties between facts go to the smallest fact id; order is by code point. An atom counts for each
    of its facts. Source: OmniDR-Bench, A.4; how ties are broken is not stated there.
    """
    counts: dict[str, int] = {}
    for atom in remaining:
        for fact in plan.tree.atoms[atom].fact_ids:
            counts[fact] = counts.get(fact, 0) + 1
    chosen = min(counts, key=lambda fact: (-counts[fact], fact))
    return max(
        (atom for atom in remaining if chosen in plan.tree.atoms[atom].fact_ids),
        key=lambda atom: plan.tree.atoms[atom].id,
    )


def linked_directions(plan: Plan, outcomes: Sequence[int], remaining: Iterable[int]) -> set[int]:
    """Return B: the coverage directions linked to the remaining candidates."""
    return {
        plan.direction_of[other]
        for atom in remaining
        for other in coverage_of(plan, outcomes, atom)
    }


def gamma_of(tau: Fraction | None, scored: int, passed: int) -> Fraction:
    """Return gamma_d: 1 without tau, 1 / tau below saturation, 0 at it; A.4."""
    if tau is None:
        return ONE
    return 1 / tau if passed * tau.denominator < tau.numerator * scored else ZERO


def readings(
    plan: Plan, counts: Counts, linked: Collection[int], proposed: Sequence[int]
) -> tuple[Fraction, Fraction]:
    """Return both sides of equation 5.

    Args:
        plan: The tree under its parameters.
        counts: Scored and passed atoms by direction, before any removal.
        linked: B, the coverage directions linked to remaining candidates.
        proposed: k_j, the remaining candidates by direction.

    Source: OmniDR-Bench, A.4, equation 5.
    """
    weights = [
        weight_of(direction, scored)
        for direction, (scored, _) in zip(plan.directions, counts, strict=True)
    ]
    totals = dict.fromkeys(DIMENSIONS, 0)
    for direction, weight in zip(plan.directions, weights, strict=True):
        totals[direction.dimension] += weight
    margins = []
    for place in linked:
        direction, (scored, passed) = plan.directions[place], counts[place]
        gamma = gamma_of(direction.tau, scored, passed)
        share = Fraction(weights[place], totals[direction.dimension])
        margins.append(plan.weights[_CONTENT] * share * gamma / scored)
    gain = ZERO
    for place, taken in enumerate(proposed):
        scored, passed = counts[place]
        if taken and scored > taken:
            share = Fraction(weights[place], totals[plan.directions[place].dimension])
            gain += share * Fraction(passed * taken, scored * (scored - taken))
    return min(margins, default=ZERO), plan.weights[_CITATION] * gain


def improved(plan: Plan, outcomes: Sequence[int]) -> Iterable[tuple[str, str, list[int]]]:
    """Yield every better report that the intended order names: ``(kind, fact, outcomes)``.

    ``stated``: an omitted fact's scored positive coverage atoms pass. ``cited``: all scored
    citation atoms of a stated fact pass, where one of them fails. Not stated in the paper.
    """
    for fact, atoms in plan.coverage_atoms.items():
        scored = [atom for atom in atoms if outcomes[atom] <= NO]
        if not scored:
            continue
        if all(outcomes[atom] == FAILED for atom in scored):
            yield "stated", fact, _passing(outcomes, scored)
            continue
        citations = [atom for atom in plan.citations.get(fact, ()) if outcomes[atom] <= NO]
        if any(outcomes[atom] == FAILED for atom in citations):
            yield "cited", fact, _passing(outcomes, citations)


def _passing(outcomes: Sequence[int], atoms: Iterable[int]) -> list[int]:
    made = list(outcomes)
    for atom in atoms:
        made[atom] = PASSED
    return made


def guard(plan: Plan, outcomes: Sequence[int]) -> tuple[GuardTrace, frozenset[int]]:
    """Decide which failed citation atoms become na.

    Args:
        plan: The tree under its parameters; it names the guard.
        outcomes: The outcome of each atom of the tree.

    Returns:
        The trace, and the positions of the atoms that become na.

    Source: OmniDR-Bench, A.4, equation 5; the exact guard is not stated in the paper.
    """
    found = find_candidates(plan, outcomes)
    if not found:
        return GuardTrace(plan.guard), frozenset()
    names = plan.tree.atoms
    counts = count_atoms(plan, outcomes)
    present = present_dimensions(plan, counts)
    limit = _limit(plan, outcomes, present) if plan.guard is GuardMode.EXACT else None
    remaining = dict.fromkeys(found)
    retracted: list[str] = []
    steps: list[GuardStep] = []
    while remaining:
        proposed = [0] * len(plan.directions)
        for atom in remaining:
            proposed[plan.direction_of[atom]] += 1
        delta_c, delta_r = readings(
            plan, counts, linked_directions(plan, outcomes, remaining), proposed
        )
        score = None
        if plan.guard is GuardMode.EXACT:
            score = aggregate(plan, count_atoms(plan, outcomes, remaining), present).score
        step = GuardStep(len(remaining), delta_c, delta_r, score, limit, None)
        if step.holds:
            steps.append(step)
            break
        atom = restore_next(plan, remaining)
        del remaining[atom]
        retracted.append(names[atom].id)
        steps.append(GuardStep(step.remaining, delta_c, delta_r, score, limit, names[atom].id))
    return GuardTrace(
        plan.guard,
        tuple(sorted(names[atom].id for atom in found)),
        tuple(sorted(names[atom].id for atom in remaining)),
        tuple(retracted),
        tuple(steps),
    ), frozenset(remaining)


def _limit(plan: Plan, outcomes: Sequence[int], present: Sequence[bool]) -> Fraction | None:
    """Return the least score, without a guard, of the reports that state or cite more.

    A candidate's facts hold scored coverage atoms that all failed, so there is always one.
    """
    found = [
        aggregate(plan, count_atoms(plan, better), present).score
        for _, _, better in improved(plan, outcomes)
    ]
    scores = [score for score in found if score is not None]
    return min(scores, default=None)
