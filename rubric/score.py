"""Scoring reports: verdicts to outcomes, the guard, equations 2 and 3, named states. Pure, exact.

Every number is an exact rational until it is written out, where it is rounded once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rubric.aggregate import (
    FAILED,
    PASSED,
    Aggregate,
    aggregate,
    count_atoms,
    credited,
    gate_value,
    outcome_of,
    present_dimensions,
    weight_of,
)
from rubric.envelope import bounds_of
from rubric.errors import RubricError
from rubric.guard import GuardTrace, guard
from rubric.inventory import Inventory, default_inventory
from rubric.logic import DIMENSIONS, Expected, logic_holds
from rubric.plan import Plan, check_overrides, make_plan
from rubric.settings import Overrides, Settings
from rubric.tree import Tree
from rubric.verdicts import (
    NA,
    NOT_RUN,
    SKIPPED,
    WORDS,
    ReportVerdicts,
    VerdictTable,
    unknown_task,
)

__all__ = [
    "DirectionScore",
    "ReportScore",
    "bounds",
    "outcomes_of",
    "score_outcomes",
    "score_plan",
    "score_report",
    "score_reports",
]

MISSING, UNSCORED, NO_WEIGHT, SCORED = "missing", "unscored", "no_weight", "scored"
NOT_RUN_STATE = "not_run"
DIMENSION_MISSING, DIMENSION_EMPTIED = "dimension_missing", "dimension_emptied"
FAILED_REPORTS = ("missing", "unreadable", "skeleton")

_OUTCOME_WORDS = {PASSED: "passed", FAILED: "failed", NA: "na", SKIPPED: "skipped"}


@dataclass(frozen=True, slots=True)
class DirectionScore:
    """A direction after the guard; OmniDR-Bench, equation 2.

    Attributes:
        n: Scored atoms.
        passed: Atoms passed.
        rate: r_d, or nothing when nothing is scored.
        credited: c_d, likewise.
        weight: w_d, the scored atoms capped by kappa.
        gate: g_d: 0 for a gate that fails, else 1.
        status: ``passed``, ``failed`` or ``not_scored`` by the declared logic.
    """

    n: int
    passed: int
    rate: Fraction | None
    credited: Fraction | None
    weight: int
    gate: int
    status: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "n": self.n,
            "passed": self.passed,
            "rate": _number(self.rate),
            "credited": _number(self.credited),
            "weight": self.weight,
            "gate": self.gate,
            "status": self.status,
        }


@dataclass(frozen=True, slots=True)
class ReportScore:
    """The score of one report.

    Attributes:
        task_id: The task.
        system: The system.
        status: ``scored``, ``unscored`` (readable, nothing scored), ``missing`` (missing,
            unreadable or an unfilled skeleton; score 0), ``not_run`` (no line at all), or
            ``no_weight`` (the weights of the present dimensions sum to 0).
        score: S, 0 to 100; nothing where there is none.
        dimensions: D_k by dimension, 0 to 1; nothing for one without a scored atom.
        lambdas: The weight of each dimension as used.
        directions: The directions of the tree.
        counts: Atoms by verdict word, before the guard.
        low: The lower bound of the score, where skipped atoms leave it open.
        high: The upper bound.
        na_guard: What the guard did.
        flags: Named states, sorted.
        outcomes: ``passed``, ``failed``, ``na``, ``na_guard`` or ``skipped``, by atom id.
        reasons: Why atoms are skipped, by atom id.
        extra: Atom ids of verdicts that the tree does not have, sorted.
    """

    task_id: str
    system: str
    status: str
    score: Fraction | None
    dimensions: Mapping[str, Fraction | None]
    lambdas: Mapping[str, Fraction]
    directions: Mapping[str, DirectionScore]
    counts: Mapping[str, int]
    low: Fraction | None
    high: Fraction | None
    na_guard: GuardTrace
    flags: tuple[str, ...]
    outcomes: Mapping[str, str]
    reasons: Mapping[str, str]
    extra: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the record of formats-and-cli.md; each number is rounded once."""
        return {
            "task_id": self.task_id,
            "system": self.system,
            "status": self.status,
            "score": _number(self.score),
            "score_exact": None if self.score is None else str(self.score),
            "dimensions": {name: _number(value) for name, value in self.dimensions.items()},
            "lambdas": {name: float(value) for name, value in self.lambdas.items()},
            "directions": {name: item.to_dict() for name, item in self.directions.items()},
            "counts": dict(self.counts),
            "bounds": {"low": _number(self.low), "high": _number(self.high)},
            "na_guard": self.na_guard.to_dict(),
            "flags": list(self.flags),
            "skipped": dict(self.reasons),
            "extra_verdicts": list(self.extra),
            "outcomes": dict(self.outcomes),
        }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def score_report(
    tree: Tree,
    verdicts: VerdictTable | ReportVerdicts | Mapping[str, Any],
    *,
    system: str | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    inventory: Inventory | None = None,
) -> ReportScore:
    """Score one report.

    Args:
        tree: The tree of the task.
        verdicts: A table, the verdicts of the report, or verdict words by atom id.
        system: The system; needed with a table that speaks of several.
        settings: Parameters from a file or the defaults.
        overrides: Parameters from flags, which win over the tree.
        inventory: The shared directions.

    Raises:
        RubricError: A parameter is outside its domain, or the table speaks of several systems.

    Source: OmniDR-Bench, equations 2, 3 and 5.

    >>> tree = Tree.model_validate({"task_id": "t", "atoms": [
    ...     {"id": "a", "direction": "C-LC", "expected": "yes", "evaluator": "J"},
    ...     {"id": "b", "direction": "C-LC", "expected": "no", "evaluator": "J"}]})
    >>> found = score_report(tree, {"a": "yes", "b": "yes"})
    >>> found.score, found.flags
    (Fraction(50, 1), ('dimension_missing',))
    """
    if overrides is not None:
        check_overrides(overrides, [tree], inventory or default_inventory())
    plan = make_plan(tree, settings, overrides, inventory)
    return score_plan(plan, *one_report(tree, verdicts, system))


def bounds(
    tree: Tree,
    verdicts: VerdictTable | ReportVerdicts | Mapping[str, Any],
    *,
    system: str | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    inventory: Inventory | None = None,
) -> tuple[Fraction | None, Fraction | None]:
    """Return the bounds that skipped atoms leave open; arguments as :func:`score_report`.

    An envelope of three scores, not a worst case: see :func:`rubric.envelope.bounds_of`.
    """
    found = score_report(
        tree, verdicts, system=system, settings=settings, overrides=overrides, inventory=inventory
    )
    return found.low, found.high


def one_report(
    tree: Tree, verdicts: VerdictTable | ReportVerdicts | Mapping[str, Any], system: str | None
) -> tuple[ReportVerdicts, str]:
    """Return the verdicts of one report and the name of its system.

    Raises:
        RubricError: The table speaks of several systems, or of none, and none is named.
    """
    if isinstance(verdicts, VerdictTable):
        if system is None and len(verdicts.system_names) != 1:
            raise RubricError(
                f"the verdicts speak of {len(verdicts.system_names)} systems; "
                "expected the name of one"
            )
        name = system or verdicts.system_names[0]
        return verdicts.report(tree.task_id, name), name
    if isinstance(verdicts, ReportVerdicts):
        return verdicts, system or ""
    return ReportVerdicts.of(verdicts), system or ""


def score_reports(
    trees: Iterable[Tree],
    table: VerdictTable,
    *,
    systems: Iterable[str] | None = None,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    inventory: Inventory | None = None,
) -> tuple[ReportScore, ...]:
    """Score every tree for every system, by task and system; a pair without a line is ``not_run``.

    Args:
        trees: The trees.
        table: The verdicts.
        systems: The systems; all that the table speaks of if not given.
        settings: Parameters from a file or the defaults.
        overrides: Parameters from flags.
        inventory: The shared directions.

    Raises:
        RubricError: A parameter is outside its domain, or a verdict has no tree.
    """
    listed = sorted(trees, key=lambda tree: tree.task_id)
    known = {tree.task_id for tree in listed}
    problems = [
        problem
        for task in table.task_names
        if task not in known
        for problem in unknown_task(task, known).problems
    ]
    if problems:
        raise RubricError(problems)
    if overrides is not None:
        check_overrides(overrides, listed, inventory or default_inventory())
    names = table.system_names if systems is None else tuple(sorted(set(systems)))
    found = []
    for tree in listed:
        plan = make_plan(tree, settings, overrides, inventory)
        found += [score_plan(plan, table.report(tree.task_id, name), name) for name in names]
    return tuple(found)


def outcomes_of(plan: Plan, verdicts: ReportVerdicts) -> list[int]:
    """Return the outcome of each atom of the tree; an atom without a line is skipped."""
    return [
        outcome_of(verdicts.codes.get(atom.id, SKIPPED), atom.expected is Expected.YES)
        for atom in plan.tree.atoms
    ]


def score_outcomes(plan: Plan, outcomes: Sequence[int]) -> Fraction | None:
    """Return S for outcomes, under the guard of the plan, or nothing where there is none."""
    return judged(plan, outcomes)[0].score


def judged(plan: Plan, outcomes: Sequence[int]) -> tuple[Aggregate, GuardTrace, frozenset[int]]:
    """Run the guard and aggregate: the score with its parts, the trace, the atoms removed."""
    present = present_dimensions(plan, count_atoms(plan, outcomes))
    trace, removed = guard(plan, outcomes)
    return aggregate(plan, count_atoms(plan, outcomes, removed), present), trace, removed


def score_plan(plan: Plan, verdicts: ReportVerdicts, system: str) -> ReportScore:
    """Score one report of a tree under its parameters; see :func:`score_report`."""
    outcomes = outcomes_of(plan, verdicts)
    flags = set()
    failed = verdicts.report in FAILED_REPORTS
    if failed and verdicts.codes:
        flags.add("verdicts_of_failed_report")
    if failed or not verdicts.has_line:
        outcomes = [SKIPPED] * len(outcomes)
    parts, trace, removed = judged(plan, outcomes)
    status, score = SCORED, parts.score
    if failed:
        status, score = MISSING, Fraction(0)
        flags |= {MISSING, verdicts.report or MISSING}
    elif not verdicts.has_line:
        status = NOT_RUN_STATE
    elif all(value is None for value in parts.dimensions):
        status = UNSCORED
    else:
        status = SCORED if score is not None else NO_WEIGHT
        flags |= _dimension_flags(parts)
    if status in (NOT_RUN_STATE, UNSCORED, NO_WEIGHT):
        flags.add(status)
    low, high = (score, score) if failed else bounds_of(plan, outcomes, score)
    if status == NOT_RUN_STATE:
        low = high = None
    known = plan.tree.atoms_by_id
    extra = tuple(sorted(atom for atom in verdicts.codes if atom not in known))
    if extra:
        flags.add("extra_verdicts")
    reasons = {
        atom.id: verdicts.reasons.get(atom.id, NOT_RUN)
        for atom, outcome in zip(plan.tree.atoms, outcomes, strict=True)
        if outcome == SKIPPED
    }
    if failed:
        reasons = dict.fromkeys(reasons, f"report {verdicts.report}")
    return ReportScore(
        task_id=plan.tree.task_id,
        system=system,
        status=status,
        score=score,
        dimensions={
            name.value: value for name, value in zip(DIMENSIONS, parts.dimensions, strict=True)
        },
        lambdas={name.value: value for name, value in zip(DIMENSIONS, parts.lambdas, strict=True)},
        directions=_directions(plan, outcomes, removed),
        counts=_counts(plan, outcomes),
        low=low,
        high=high,
        na_guard=trace,
        flags=tuple(sorted(flags)),
        outcomes={
            atom.id: "na_guard" if place in removed else _OUTCOME_WORDS[outcomes[place]]
            for place, atom in enumerate(plan.tree.atoms)
        },
        reasons=reasons,
        extra=extra,
    )


def _dimension_flags(parts: Aggregate) -> set[str]:
    flags = set()
    for value, total in zip(parts.dimensions, parts.totals, strict=True):
        if value is None:
            flags.add(DIMENSION_MISSING)
        elif not total:
            flags.add(DIMENSION_EMPTIED)
    return flags


def _directions(
    plan: Plan, outcomes: Sequence[int], removed: frozenset[int]
) -> dict[str, DirectionScore]:
    found = {}
    counts = count_atoms(plan, outcomes, removed)
    for direction, (scored, passed) in zip(plan.directions, counts, strict=True):
        holds = logic_holds(direction.logic, passed, scored)
        status = "not_scored" if holds is None else "passed" if holds else "failed"
        found[direction.id] = DirectionScore(
            n=scored,
            passed=passed,
            rate=Fraction(passed, scored) if scored else None,
            credited=credited(direction, scored, passed) if scored else None,
            weight=weight_of(direction, scored),
            gate=gate_value(direction, scored, passed),
            status=status,
        )
    return found


def _counts(plan: Plan, outcomes: Sequence[int]) -> dict[str, int]:
    counts = dict.fromkeys(WORDS, 0)
    for atom, outcome in zip(plan.tree.atoms, outcomes, strict=True):
        if outcome in (PASSED, FAILED):
            yes = (outcome == PASSED) == (atom.expected is Expected.YES)
            counts["yes" if yes else "no"] += 1
        else:
            counts[WORDS[outcome]] += 1
    return counts
