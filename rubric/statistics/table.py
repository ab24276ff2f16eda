"""The table of scores that statistics start from: tasks by systems, each cell with a state."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from graphkit.errors import InputError, Problem
from rubric.statistics.measure import Measure, Status, mean

__all__ = ["Cell", "CellState", "ScoreTable"]


class CellState(StrEnum):
    """What became of one task with one system (rubric-scoring.md, section 2)."""

    SCORED = "scored"
    """A report with a score."""
    FAILED = "failed"
    """Missing, unreadable or an unfilled skeleton: 0 in the all-task average."""
    UNSCORED = "unscored"
    """Readable, but nothing could be scored: in no average."""
    NOT_RUN = "not_run"
    """No line at all: in no average, and never silently a failure."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One report's score.

    Attributes:
        task_id: The task.
        system: The system or configuration.
        score: The score; None unless the state is ``scored``.
        state: What became of the report.
    """

    task_id: str
    system: str
    score: Fraction | float | None
    state: CellState = CellState.SCORED


@dataclass(frozen=True)
class ScoreTable:
    """Scores by task and system; tasks and systems are sorted by id, in code-point order.

    Pairs that were never named are ``not_run``. Build it with :meth:`build`, which checks.

    >>> table = ScoreTable.build([Cell("t2", "A", 80.0), Cell("t1", "A", 60.0),
    ...                           Cell("t1", "B", None, CellState.FAILED), Cell("t2", "B", 50.0)])
    >>> table.tasks, table.average("B").value, table.average_successful("B").value
    (('t1', 't2'), 25.0, 50.0)
    """

    tasks: tuple[str, ...]
    systems: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]

    @classmethod
    def build(cls, cells: Iterable[Cell]) -> ScoreTable:
        """Return the table of these cells.

        Args:
            cells: One a task and system, in any order.

        Raises:
            InputError: A pair named twice, a score that is not a finite number, or a score that
                does not fit its state; every such cell is listed.
        """
        found: dict[tuple[str, str], Cell] = {}
        problems: list[Problem] = []
        for cell in cells:
            key = (cell.task_id, cell.system)
            subject = f"task {cell.task_id}, system {cell.system}"
            if key in found:
                problems.append(
                    Problem(
                        "scored twice; expected one line a task and system",
                        code="duplicate_id",
                        subject=subject,
                    )
                )
            problems += [
                Problem(text, code="score", subject=subject) for text in _cell_problems(cell)
            ]
            found[key] = cell
        if problems:
            raise InputError(problems)
        return cls(
            tasks=tuple(sorted({task for task, _ in found})),
            systems=tuple(sorted({system for _, system in found})),
            cells=found,
        )

    def state(self, task_id: str, system: str) -> CellState:
        """Return the state of a pair; ``not_run`` when there is no cell."""
        cell = self.cells.get((task_id, system))
        return cell.state if cell else CellState.NOT_RUN

    def value(self, task_id: str, system: str) -> Fraction | None:
        """Return what a pair adds to the all-task average: its score, 0 if failed, else None."""
        return self._values.get((task_id, system))

    @functools.cached_property
    def _values(self) -> dict[tuple[str, str], Fraction]:
        values: dict[tuple[str, str], Fraction] = {}
        for key, cell in self.cells.items():
            if cell.state is CellState.FAILED:
                values[key] = Fraction(0)
            elif cell.state is CellState.SCORED and cell.score is not None:
                values[key] = Fraction(cell.score)
        return values

    @functools.cached_property
    def places(self) -> dict[tuple[str, str], int]:
        """The place of each system's value among all values of a task, 0 the lowest, by pair.

        Equal values share a place, so that places compare as the exact scores do.
        """
        by_task: dict[str, list[tuple[Fraction, str]]] = {}
        for (task, system), value in self._values.items():
            by_task.setdefault(task, []).append((value, system))
        found = {}
        for task, values in by_task.items():
            order = {value: place for place, value in enumerate(sorted({v for v, _ in values}))}
            found.update({(task, system): order[value] for value, system in values})
        return found

    def average(self, system: str, tasks: Iterable[str] | None = None) -> Measure:
        """Return the all-task average: failures count 0 (section 3.3 of the paper).

        Args:
            system: A system of the table.
            tasks: Only these tasks; default all.
        """
        values = [
            value
            for task in (self.tasks if tasks is None else tasks)
            if (value := self.value(task, system)) is not None
        ]
        result = mean(values)
        if values and not any(
            self.state(task, system) is CellState.SCORED
            for task in (self.tasks if tasks is None else tasks)
        ):
            return Measure(result.value, result.count, Status.ALL_FAILED)
        return result

    def average_successful(self, system: str, tasks: Iterable[str] | None = None) -> Measure:
        """Return the average over successful reports only ("Avg. succ." in the paper).

        Args:
            system: A system of the table.
            tasks: Only these tasks; default all.
        """
        chosen = list(self.tasks if tasks is None else tasks)
        values = [
            Fraction(cell.score)
            for task in chosen
            if (cell := self.cells.get((task, system))) is not None and cell.score is not None
        ]
        if not values and any(self.state(task, system) is CellState.FAILED for task in chosen):
            return Measure(None, 0, Status.ALL_FAILED)
        return mean(values)

    def success_rate(self, system: str) -> Measure:
        """Return scored reports by scored and failed ones.

        ``unscored`` and ``not_run`` are in neither, so that the all-task average is the
        successful-report average times this rate.
        """
        states = [self.state(task, system) for task in self.tasks]
        scored, failed = states.count(CellState.SCORED), states.count(CellState.FAILED)
        if scored + failed == 0:
            return Measure(None, 0, Status.EMPTY)
        return Measure(scored / (scored + failed), scored + failed)

    def counts(self, system: str) -> dict[str, int]:
        """Return how many tasks of a system are in each state."""
        states = [self.state(task, system) for task in self.tasks]
        return {state.value: states.count(state) for state in CellState}


def _cell_problems(cell: Cell) -> list[str]:
    if cell.state is not CellState.SCORED:
        if cell.score is not None:
            return [f"has the score {cell.score} but is {cell.state.value}; expected none"]
        return []
    if cell.score is None:
        return ["has no score; expected one, or another state than scored"]
    if isinstance(cell.score, bool) or not isinstance(cell.score, (int, float, Fraction)):
        return [f"score {cell.score!r} is not a number"]
    if isinstance(cell.score, float) and not math.isfinite(cell.score):
        return [f"score {cell.score} is not a finite number"]
    return []
