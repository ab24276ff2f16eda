"""What each atom is worth: its contribution now, and what flipping it would change. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rubric.aggregate import (
    FAILED,
    PASSED,
    count_atoms,
    credited,
    gate_value,
    weight_of,
)
from rubric.errors import RubricError
from rubric.inventory import Inventory
from rubric.logic import DIMENSIONS
from rubric.plan import Plan, make_plan
from rubric.score import FAILED_REPORTS, judged, one_report, outcomes_of, score_outcomes
from rubric.settings import Overrides, Settings
from rubric.tree import Tree
from rubric.verdicts import SKIPPED, ReportVerdicts, VerdictTable

__all__ = ["AtomWorth", "explain", "explain_plan"]

ZERO = Fraction(0)
_WORDS = {PASSED: "passed", FAILED: "failed"}


@dataclass(frozen=True, slots=True)
class AtomWorth:
    """What one atom is worth in a report.

    Attributes:
        atom_id: The atom.
        direction: Its direction.
        outcome: ``passed``, ``failed``, ``na``, ``na_guard`` or ``skipped``.
        contribution: Its part of the score now; the contributions of all atoms add up to S.
        gain: S after flipping it, guard rerun, minus S; negative for most passed atoms, nothing
            for atoms that are not scored.
    """

    atom_id: str
    direction: str
    outcome: str
    contribution: Fraction
    gain: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; each number is rounded once."""
        return {
            "atom_id": self.atom_id,
            "direction": self.direction,
            "outcome": self.outcome,
            "contribution": float(self.contribution),
            "gain": None if self.gain is None else float(self.gain),
        }

    def __str__(self) -> str:
        """Say it in a sentence."""
        text = f"{self.atom_id} ({self.outcome}) is worth {float(self.contribution):.2f} points now"
        if self.gain is None:
            return text
        if self.outcome == "passed":
            return f"{text}; failing it would change the score by {float(self.gain):+.2f}"
        return f"{text}; passing it would add {float(self.gain):.2f}"


def explain(
    tree: Tree,
    verdicts: VerdictTable | ReportVerdicts | Mapping[str, Any],
    *,
    system: str | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    inventory: Inventory | None = None,
) -> tuple[AtomWorth, ...]:
    """Explain a score atom by atom, in the order of the tree.

    Args:
        tree: The tree of the task.
        verdicts: A table, the verdicts of the report, or verdict words by atom id.
        system: The system; needed with a table that speaks of several.
        settings: Parameters from a file or the defaults.
        overrides: Parameters from flags.
        inventory: The shared directions.

    Raises:
        RubricError: The report has no score, or a parameter is outside its domain.

    Not stated in the paper.

    >>> tree = Tree.model_validate({"task_id": "t", "atoms": [
    ...     {"id": "a", "direction": "C-LC", "expected": "yes", "evaluator": "J"},
    ...     {"id": "b", "direction": "C-LC", "expected": "yes", "evaluator": "J"}]})
    >>> for worth in explain(tree, {"a": "yes", "b": "no"}):
    ...     print(worth)
    a (passed) is worth 50.00 points now; failing it would change the score by -50.00
    b (failed) is worth 0.00 points now; passing it would add 50.00
    """
    plan = make_plan(tree, settings, overrides, inventory)
    report, _ = one_report(tree, verdicts, system)
    if report.report in FAILED_REPORTS:
        raise RubricError(
            f"task {tree.task_id}: the report is {report.report}; there is no score to explain"
        )
    return explain_plan(plan, report)


def explain_plan(plan: Plan, verdicts: ReportVerdicts) -> tuple[AtomWorth, ...]:
    """Explain a score of a tree under its parameters; see :func:`explain`."""
    outcomes = outcomes_of(plan, verdicts)
    parts, _, removed = judged(plan, outcomes)
    if parts.score is None:
        raise RubricError(f"task {plan.tree.task_id}: the report has no score to explain")
    counts = count_atoms(plan, outcomes, removed)
    shares = []
    for direction, (scored, passed) in zip(plan.directions, counts, strict=True):
        place = DIMENSIONS.index(direction.dimension)
        share = ZERO
        if passed:
            share = (
                100
                * parts.lambdas[place]
                * weight_of(direction, scored)
                * gate_value(direction, scored, passed)
                * credited(direction, scored, passed)
                / parts.totals[place]
                / passed
            )
        shares.append(share)
    found = []
    for position, atom in enumerate(plan.tree.atoms):
        outcome = outcomes[position]
        gain = None
        if outcome in (PASSED, FAILED):
            flipped = list(outcomes)
            flipped[position] = FAILED if outcome == PASSED else PASSED
            other = score_outcomes(plan, flipped)
            gain = None if other is None else other - parts.score
        word = _WORDS.get(outcome, "skipped" if outcome == SKIPPED else "na")
        found.append(
            AtomWorth(
                atom.id,
                atom.direction,
                "na_guard" if position in removed else word,
                shares[plan.direction_of[position]] if outcome == PASSED else ZERO,
                gain,
            )
        )
    return tuple(found)
