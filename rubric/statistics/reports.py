"""From scored reports to what the statistics take: a score table, and single decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from graphkit.errors import InputError, Problem, did_you_mean
from rubric.statistics.rates import Decision
from rubric.statistics.table import Cell, CellState, ScoreTable

if TYPE_CHECKING:
    from rubric.score import ReportScore
    from rubric.settings import Settings
    from rubric.tree import Tree
    from rubric.verdicts import VerdictTable

__all__ = [
    "calibration_scorer",
    "decisions",
    "machine_decisions",
    "score_table",
    "table_from_records",
]

_STATES = {
    "scored": CellState.SCORED,
    "unscored": CellState.UNSCORED,
    "no_weight": CellState.UNSCORED,
    "missing": CellState.FAILED,
    "failed": CellState.FAILED,
    "not_run": CellState.NOT_RUN,
}
_OUTCOMES = {"passed": 1, "failed": 0, "na": None, "na_guard": None, "skipped": None}


def score_table(reports: Iterable[ReportScore]) -> ScoreTable:
    """Return the table of scored reports; a missing report is a failure and scores 0.

    Args:
        reports: What :func:`rubric.score.score_reports` gives.

    Raises:
        InputError: A task and system is there twice.
    """
    cells = []
    for report in reports:
        state = _STATES[report.status]
        cells.append(
            Cell(
                report.task_id,
                report.system,
                report.score if state is CellState.SCORED else None,
                state,
            )
        )
    return ScoreTable.build(cells)


def table_from_records(records: Iterable[Mapping[str, Any]]) -> ScoreTable:
    """Return the table of records of a scores file (formats-and-cli.md).

    ``score_exact`` is used where it is there, else ``score``. A record without a ``status`` is
    scored when it has a score.

    Args:
        records: Plain data, one record a report.

    Raises:
        InputError: A record lacks task, system or a usable score, or a pair is there twice; all
            of them are listed.
    """
    cells: list[Cell] = []
    problems: list[Problem] = []
    for place, record in enumerate(records, start=1):
        task, system = record.get("task_id"), record.get("system")
        if not isinstance(task, str) or not isinstance(system, str):
            problems.append(
                Problem("lacks task_id or system", code="score", subject=f"record {place}")
            )
            continue
        subject = f"task {task}, system {system}"
        score = record.get("score")
        status = record.get("status", "scored" if score is not None else "unscored")
        if status not in _STATES:
            problems.append(
                Problem(
                    f"status {status!r} is not one of {', '.join(_STATES)}"
                    f"{did_you_mean(str(status), _STATES)}",
                    code="status",
                    subject=subject,
                )
            )
            continue
        state = _STATES[status]
        exact_score = record.get("score_exact")
        if state is CellState.SCORED and isinstance(exact_score, str):
            try:
                score = Fraction(exact_score)
            except (ValueError, ZeroDivisionError):
                problems.append(
                    Problem(
                        f"score_exact {exact_score!r} is not a ratio", code="score", subject=subject
                    )
                )
                continue
        cells.append(Cell(task, system, score if state is CellState.SCORED else None, state))
    if problems:
        raise InputError(problems)
    return ScoreTable.build(cells)


def decisions(reports: Iterable[ReportScore], trees: Iterable[Tree]) -> Iterator[Decision]:
    """Yield the atoms of all evaluable reports, after the guard, for :func:`pass_rates`.

    Args:
        reports: Scored reports; those that are missing or were not run are passed over.
        trees: The trees of their tasks.

    Raises:
        InputError: A report has no tree.
    """
    by_task = {
        tree.task_id: [(atom.id, atom.direction, tree.level(atom.id)) for atom in tree.atoms]
        for tree in trees
    }
    for report in reports:
        if _STATES[report.status] in (CellState.FAILED, CellState.NOT_RUN):
            continue
        if report.task_id not in by_task:
            raise InputError(
                Problem(
                    f"has no tree{did_you_mean(report.task_id, by_task)}",
                    code="unknown_task",
                    subject=f"task {report.task_id}",
                )
            )
        for atom, direction, level in by_task[report.task_id]:
            yield Decision(
                report.task_id,
                report.system,
                atom,
                direction,
                None if level is None else level.value,
                _OUTCOMES[report.outcomes[atom]],
            )


def machine_decisions(table: VerdictTable) -> dict[tuple[str, str, str], str]:
    """Return (task, system, atom) to the machine's verdict word, for ``machine_to_human``.

    Args:
        table: The verdicts. Where they speak of one system only, each decision also stands
            without the system, for human labels that name none.
    """
    from rubric.verdicts import WORDS

    found = {
        (table.tasks[task], table.systems[system], table.atoms[atom]): WORDS[code]
        for task, system, atom, code in zip(
            table.task.tolist(),
            table.system.tolist(),
            table.atom.tolist(),
            table.code.tolist(),
            strict=True,
        )
    }
    if len(table.systems) == 1:
        found |= {(task, "", atom): word for (task, _, atom), word in found.items()}
    return found


def calibration_scorer(
    trees: Iterable[Tree], settings: Settings | None = None
) -> Callable[[str, Mapping[str, str]], Fraction | None]:
    """Return the scorer that ``calibrate`` needs for runs that hold verdicts only.

    Args:
        trees: The trees of the tasks.
        settings: Parameters of scoring.

    Raises:
        InputError: From the scorer: a task has no tree.
    """
    from rubric.score import score_report

    by_task = {tree.task_id: tree for tree in trees}

    def scorer(task: str, verdicts: Mapping[str, str]) -> Fraction | None:
        if task not in by_task:
            raise InputError(
                Problem(
                    f"has no tree{did_you_mean(task, by_task)}",
                    code="unknown_task",
                    subject=f"task {task}",
                )
            )
        return score_report(by_task[task], verdicts, settings=settings).score

    return scorer
