"""A score taken apart into dimensions, directions and atoms whose points add up to it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rubric.errors import RubricError
from rubric.explanation import AtomWorth, explain_plan
from rubric.inventory import Inventory, default_inventory
from rubric.plan import check_overrides, make_plan
from rubric.score import score_plan
from rubric.settings import Overrides, Settings
from rubric.tree import Tree
from rubric.verdicts import VerdictTable

__all__ = ["Breakdown", "DimensionPart", "DirectionPart", "break_down"]


@dataclass(frozen=True, slots=True)
class DimensionPart:
    """A dimension: its weight as used, D (0 to 1; None without a scored atom), its points."""

    id: str
    weight: Fraction
    value: Fraction | None
    points: Fraction


@dataclass(frozen=True, slots=True)
class DirectionPart:
    """A direction after the guard, and its points.

    Attributes:
        id: Its id.
        dimension: Its dimension.
        role: Core or gate.
        n: Scored atoms.
        passed: Passed ones.
        rate: Passed by scored.
        credited: The rate after saturation.
        weight: Scored atoms, capped.
        gate: 0 for a gate that fails, else 1.
        status: How its logic ended.
        points: What it adds to the score.
    """

    id: str
    dimension: str
    role: str
    n: int
    passed: int
    rate: Fraction | None
    credited: Fraction | None
    weight: int
    gate: int
    status: str
    points: Fraction


@dataclass(frozen=True)
class Breakdown:
    """A score and its parts; each level adds up to the score exactly.

    Attributes:
        task_id: The task.
        system: The system.
        score: The score, 0 to 100.
        dimensions: Its dimensions.
        directions: Its directions, in the order of the tree.
        atoms: Its atoms, in the order of the tree.
        question_of: The question of each atom.
        dimension_of: The dimension of each direction.
    """

    task_id: str
    system: str
    score: Fraction
    dimensions: tuple[DimensionPart, ...]
    directions: tuple[DirectionPart, ...]
    atoms: tuple[AtomWorth, ...]
    question_of: dict[str, str]
    dimension_of: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the document of ``graphkit rubric explain --json``."""
        return {
            "task_id": self.task_id,
            "system": self.system,
            "score": float(self.score),
            "score_exact": str(self.score),
            "dimensions": [
                {"id": item.id, "weight": float(item.weight), "value": _number(item.value),
                 "points": float(item.points)}
                for item in self.dimensions
            ],
            "directions": [
                {"id": item.id, "dimension": item.dimension, "role": item.role, "n": item.n,
                 "passed": item.passed, "rate": _number(item.rate),
                 "credited": _number(item.credited), "weight": item.weight, "gate": item.gate,
                 "status": item.status, "points": float(item.points)}
                for item in self.directions
            ],
            "atoms": [
                {**item.to_dict(), "contribution_exact": str(item.contribution),
                 "gain_exact": None if item.gain is None else str(item.gain),
                 "question": self.question_of[item.atom_id]}
                for item in self.atoms
            ],
        }  # fmt: skip


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def break_down(
    tree: Tree,
    verdicts: VerdictTable,
    system: str,
    *,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    inventory: Inventory | None = None,
) -> Breakdown:
    """Take the score of a report apart.

    Args:
        tree: The tree of the task.
        verdicts: The verdicts.
        system: Whose report.
        settings: Parameters from a file or the defaults.
        overrides: Parameters from flags.
        inventory: The shared directions.

    Raises:
        RubricError: The report has no score, and why; or a parameter is outside its domain.

    >>> tree = Tree.model_validate({"task_id": "t", "atoms": [
    ...     {"id": "a", "direction": "C-LC", "expected": "yes", "evaluator": "J"}]})
    >>> table = VerdictTable.from_lines([
    ...     {"task_id": "t", "system": "A", "atom_id": "a", "verdict": "yes"}])
    >>> [str(item.points) for item in break_down(tree, table, "A").directions]
    ['100']
    """
    if overrides is not None:
        check_overrides(overrides, [tree], inventory or default_inventory())
    plan = make_plan(tree, settings, overrides, inventory)
    said = verdicts.report(tree.task_id, system)
    report = score_plan(plan, said, system)
    if report.score is None or report.status != "scored":
        what = f"the report is {said.report}" if report.status == "missing" else report.status
        raise RubricError(
            f"task {tree.task_id}, system {system}: {what}; there is no score to explain"
        )
    atoms = explain_plan(plan, said)
    by_direction: dict[str, Fraction] = {item.id: Fraction(0) for item in plan.directions}
    for atom in atoms:
        by_direction[atom.direction] += atom.contribution
    directions = []
    by_dimension: dict[str, Fraction] = dict.fromkeys(report.lambdas, Fraction(0))
    for planned in plan.directions:
        found = report.directions[planned.id]
        points = by_direction[planned.id]
        by_dimension[planned.dimension.value] += points
        directions.append(
            DirectionPart(
                planned.id, planned.dimension.value, planned.role.value, found.n, found.passed,
                found.rate, found.credited, found.weight, found.gate, found.status, points,
            )
        )  # fmt: skip
    return Breakdown(
        tree.task_id,
        system,
        report.score,
        tuple(
            DimensionPart(name, report.lambdas[name], report.dimensions[name], points)
            for name, points in by_dimension.items()
        ),
        tuple(directions),
        atoms,
        {atom.id: atom.question for atom in tree.atoms},
        {planned.id: planned.dimension.value for planned in plan.directions},
    )
