"""Behavioural calibration of a task: R1 < R2 < R3, a minimum gain, and stable scorings of R2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from graphkit.errors import InputError, Problem
from rubric.literals import exact
from rubric.settings import Settings
from rubric.statistics.measure import Measure, Status, mean, share
from rubric.statistics.records import CalibrationLine
from rubric.verdicts import decide

__all__ = ["DELTA", "CalibrationReport", "TaskCalibration", "calibrate"]

DELTA = Settings().delta_cal
"""The minimum gain; the paper's value is lost, this one is assumed (rubric-scoring.md, 7)."""

_REPORTS = ("R1", "R2", "R3")

Scorer = Callable[[str, Mapping[str, str]], Fraction | float | None]


@dataclass(frozen=True, slots=True)
class TaskCalibration:
    """How one task passed.

    Attributes:
        task_id: The task.
        scores: Report to its score: the exact mean over its runs, rounded once.
        increasing: Whether R1 < R2 < R3, strictly; None when a score is missing.
        gain: R3 - R1, rounded once; None when a score is missing.
        enough: Whether the gain is above the minimum, strictly and exactly.
        passed: Both.
        status: ``ok``, or ``incomplete`` when a report has no score.
        missing: The reports without a score.
        non_unanimity: Share of the atoms decided yes or no in every scoring of R2 whose
            decisions differ; ``one_rater`` with fewer than two scorings, ``empty`` without one.
        incomparable: Atoms of R2 that some scoring left na, skipped or out.
        runs: How many scorings of R2 hold verdicts.
    """

    task_id: str
    scores: Mapping[str, float]
    increasing: bool | None
    gain: float | None
    enough: bool | None
    passed: bool
    status: Status
    missing: tuple[str, ...]
    non_unanimity: Measure
    incomparable: int
    runs: int

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "task_id": self.task_id,
            "scores": dict(self.scores),
            "increasing": self.increasing,
            "gain": self.gain,
            "enough": self.enough,
            "passed": self.passed,
            "status": self.status.value,
            "missing": list(self.missing),
            "non_unanimity": self.non_unanimity.to_record(),
            "incomparable": self.incomparable,
            "runs": self.runs,
        }


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """All tasks, and non-unanimity averaged over the tasks that have one (0.89 % in the paper)."""

    tasks: tuple[TaskCalibration, ...]
    delta: Fraction
    non_unanimity: Measure

    @property
    def failed(self) -> tuple[TaskCalibration, ...]:
        """The tasks that did not pass, incomplete ones included."""
        return tuple(task for task in self.tasks if not task.passed)

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "delta_cal": float(self.delta),
            "passed": bool(self.tasks) and not self.failed,
            "non_unanimity": self.non_unanimity.to_record(),
            "tasks": [task.to_record() for task in self.tasks],
        }


def calibrate(
    lines: Iterable[CalibrationLine],
    delta: Fraction | float | str = DELTA,
    scorer: Scorer | None = None,
) -> CalibrationReport:
    """Check every task: R1 < R2 < R3 and R3 - R1 > delta, both strict (section 3.2, E.4).

    Scores are compared as the decimals that they are written as, so that 20.1 - 10.1 is not
    above 10. The paper does not say which of several scorings of R2 enters the comparison; here
    a report's score is the mean over its runs. A run with a score line has that score, else its
    verdicts are scored.

    Args:
        lines: Lines of scores and of verdicts, in any order.
        delta: The minimum gain delta_cal, in points of the score, not negative.
        scorer: (task id, atom id to yes, no, na or skipped) to a score or None; needed only for
            runs that have verdicts and no score line.

    Raises:
        InputError: delta is negative or no number, a task and report and run has two scores, or
            an atom two verdicts.
    """
    try:
        least = exact(delta)
    except ValueError as error:
        raise InputError(Problem(f"delta_cal: {error}", code="delta")) from error
    if least < 0:
        raise InputError(
            Problem(f"delta_cal {delta} is negative; expected 0 or more", code="delta")
        )
    scores, verdicts = _sorted_out(lines)
    tasks = sorted({task for task, _, _ in (*scores, *verdicts)})
    for key in sorted(set(verdicts) - set(scores)):
        score = scorer(key[0], verdicts[key]) if scorer else None
        if score is not None:
            scores[key] = exact(score)
    made = tuple(_task(task, scores, verdicts, least) for task in tasks)
    shares = [
        Fraction(round(found.value * found.count), found.count)
        for task in made
        if (found := task.non_unanimity).value is not None
    ]
    return CalibrationReport(made, least, mean(shares))


Key = tuple[str, str, int]


def _sorted_out(
    lines: Iterable[CalibrationLine],
) -> tuple[dict[Key, Fraction], dict[Key, dict[str, str]]]:
    scores: dict[Key, Fraction] = {}
    verdicts: dict[Key, dict[str, str]] = defaultdict(dict)
    problems: list[Problem] = []
    for line in lines:
        key = (line.task_id, line.report, line.run)
        subject = f"task {line.task_id}, {line.report}, run {line.run}"
        if line.score is not None:
            if key in scores:
                problems.append(
                    Problem("has two scores; expected one", code="duplicate_id", subject=subject)
                )
            scores[key] = line.score
        elif line.atom_id is not None:
            if line.atom_id in verdicts[key]:
                problems.append(
                    Problem(
                        "has two verdicts; expected one",
                        code="duplicate_id",
                        subject=f"{subject}, atom {line.atom_id}",
                    )
                )
            verdicts[key][line.atom_id] = decide(line.verdict, line.votes).word
    if problems:
        raise InputError(problems)
    return scores, dict(verdicts)


def _task(
    task: str,
    scores: Mapping[Key, Fraction],
    verdicts: Mapping[Key, Mapping[str, str]],
    least: Fraction,
) -> TaskCalibration:
    means: dict[str, Fraction] = {}
    for report in _REPORTS:
        runs = [score for key, score in scores.items() if key[:2] == (task, report)]
        if runs:
            means[report] = sum(runs, Fraction(0)) / len(runs)
    missing = tuple(report for report in _REPORTS if report not in means)
    increasing = enough = None
    if not missing:
        increasing = means["R1"] < means["R2"] < means["R3"]
    gain = None
    if "R1" in means and "R3" in means:
        gain = means["R3"] - means["R1"]
        enough = gain > least
    differing, incomparable, count = _stability(
        [found for key, found in sorted(verdicts.items()) if key[:2] == (task, "R2")]
    )
    return TaskCalibration(
        task_id=task,
        scores={report: float(value) for report, value in means.items()},
        increasing=increasing,
        gain=None if gain is None else float(gain),
        enough=enough,
        passed=bool(increasing and enough),
        status=Status.INCOMPLETE if missing else Status.OK,
        missing=missing,
        non_unanimity=differing,
        incomparable=incomparable,
        runs=count,
    )


def _stability(runs: list[Mapping[str, str]]) -> tuple[Measure, int, int]:
    atoms = sorted({atom for run in runs for atom in run})
    if len(runs) < 2:
        return Measure(None, 0, Status.ONE_RATER if runs else Status.EMPTY), 0, len(runs)
    decided = [
        words
        for atom in atoms
        if (words := {run.get(atom, "skipped") for run in runs}) <= {"yes", "no"}
    ]
    return (
        share(sum(len(words) > 1 for words in decided), len(decided)),
        (len(atoms) - len(decided)),
        len(runs),
    )
