"""Direction, dimension, score: equations 2 and 3 over counts of atoms, in exact rationals. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rubric.logic import DIMENSIONS, Role, logic_holds
from rubric.plan import Plan, PlannedDirection
from rubric.verdicts import NA, NO, SKIPPED, YES

__all__ = [
    "FAILED",
    "PASSED",
    "Aggregate",
    "Counts",
    "aggregate",
    "count_atoms",
    "credited",
    "gate_value",
    "outcome_of",
    "present_dimensions",
    "weight_of",
]

PASSED, FAILED = 0, 1
"""Outcomes of scored atoms; :data:`rubric.verdicts.NA` and ``SKIPPED`` stand beside them."""

Counts = Sequence[tuple[int, int]]
"""Scored and passed atoms, by direction."""

ZERO = Fraction(0)
ONE = Fraction(1)


def outcome_of(code: int, expected_yes: bool) -> int:
    """Return the outcome of a verdict: passed when it is the expected one, failed when the other.

    >>> outcome_of(YES, True) == PASSED, outcome_of(YES, False) == FAILED, outcome_of(NA, True)
    (True, True, 2)
    """
    if code in (NA, SKIPPED):
        return code
    return PASSED if (code == YES) == expected_yes else FAILED


def count_atoms(
    plan: Plan, outcomes: Sequence[int], removed: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Count scored and passed atoms by direction; ``removed`` atoms count as na."""
    found = []
    for direction in plan.directions:
        scored = passed = 0
        for atom in direction.atoms:
            if outcomes[atom] <= NO and atom not in removed:
                scored += 1
                passed += outcomes[atom] == PASSED
        found.append((scored, passed))
    return found


def present_dimensions(plan: Plan, counts: Counts) -> tuple[bool, ...]:
    """Return which dimensions have a scored atom; ``counts`` are those before the guard."""
    return tuple(
        any(
            scored
            for direction, (scored, _) in zip(plan.directions, counts, strict=True)
            if direction.dimension is dimension
        )
        for dimension in DIMENSIONS
    )


def weight_of(direction: PlannedDirection, scored: int) -> int:
    """Return w_d: the scored atoms, capped by kappa."""
    return scored if direction.kappa is None else min(scored, direction.kappa)


def credited(direction: PlannedDirection, scored: int, passed: int) -> Fraction:
    """Return c_d of equation 2; ``scored`` must be positive."""
    rate = Fraction(passed, scored)
    return rate if direction.tau is None else min(ONE, rate / direction.tau)


def gate_value(direction: PlannedDirection, scored: int, passed: int) -> int:
    """Return g_d: 0 for a gate whose logic fails, else 1."""
    failed = logic_holds(direction.logic, passed, scored) is False
    return 0 if failed and direction.role is Role.GATE else 1


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A score with its parts.

    Attributes:
        score: S, or nothing when no dimension with weight has a scored atom.
        dimensions: D_k by dimension; nothing for one without a scored atom before the guard.
        lambdas: The weights that were used: those of missing dimensions went to the others.
        totals: The sum of direction weights, by dimension.
    """

    score: Fraction | None
    dimensions: tuple[Fraction | None, ...]
    lambdas: tuple[Fraction, ...]
    totals: tuple[int, ...]


def aggregate(plan: Plan, counts: Counts, present: Sequence[bool]) -> Aggregate:
    """Return the score of a report from its counts.

    Args:
        plan: The tree under its parameters.
        counts: Scored and passed atoms by direction, after the guard.
        present: Which dimensions had a scored atom before the guard.

    Source: OmniDR-Bench, equations 2 and 3. That the weight of a dimension without a scored atom
    goes to the others in proportion, and that one emptied by the guard keeps its weight with
    D = 0, is not stated in the paper.
    """
    whole = sum((weight for weight, here in zip(plan.weights, present, strict=True) if here), ZERO)
    lambdas = tuple(
        weight / whole if here and whole else ZERO
        for weight, here in zip(plan.weights, present, strict=True)
    )
    earned = dict.fromkeys(DIMENSIONS, ZERO)
    totals = dict.fromkeys(DIMENSIONS, 0)
    for direction, (scored, passed) in zip(plan.directions, counts, strict=True):
        if scored:
            weight = weight_of(direction, scored)
            totals[direction.dimension] += weight
            if passed and gate_value(direction, scored, passed):
                earned[direction.dimension] += weight * credited(direction, scored, passed)
    dimensions = tuple(
        (earned[dimension] / totals[dimension] if totals[dimension] else ZERO) if here else None
        for dimension, here in zip(DIMENSIONS, present, strict=True)
    )
    score = None
    if whole:
        score = 100 * sum(
            (
                weight * value
                for weight, value in zip(lambdas, dimensions, strict=True)
                if value is not None
            ),
            ZERO,
        )
    return Aggregate(score, dimensions, lambdas, tuple(totals.values()))
