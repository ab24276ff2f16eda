"""Resampled ratios of sums, exact: the machinery under the bootstrap.

A statistic is a ratio of two sums over units (tasks, or clusters of them): its numerator column
holds scores as whole multiples of 2**-30, its denominator column the number of tasks. One matrix
product of the draws with all columns gives every statistic in every replicate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from graphkit.errors import InputError, Problem
from rubric.statistics.draws import resampling_counts
from rubric.statistics.measure import Measure, Status
from rubric.statistics.table import CellState, ScoreTable

__all__ = ["Columns", "Interval"]

_QUANTUM = 1 << 30
_EXACT = 1 << 53
_SERIAL = 1 << 18

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval.

    Attributes:
        low: Lower end; None when there is none, and then ``status`` says why.
        high: Upper end.
        status: ``ok``; ``one_task`` (one unit to resample: both ends are the point),
            ``all_failed`` (both ends are 0) or ``empty``.
        undefined: Replicates that drew no task with a value and are left out.
    """

    low: float | None
    high: float | None
    status: Status = Status.OK
    undefined: int = 0

    def to_list(self) -> list[float] | None:
        """Return ``[low, high]``, or None without an interval."""
        return None if self.low is None or self.high is None else [self.low, self.high]


class Columns:
    """Ratios of sums over units; each is a numerator column and the tasks that it rests on."""

    def __init__(self, table: ScoreTable, clusters: Mapping[str, str] | None) -> None:
        self.table = table
        keys = {task: task for task in table.tasks}
        if clusters is not None:
            missing = [task for task in table.tasks if task not in clusters]
            if missing:
                raise InputError(
                    [
                        Problem(
                            "has no cluster; expected one for every task",
                            code="no_cluster",
                            subject=f"task {task}",
                        )
                        for task in missing
                    ]
                )
            keys = {task: clusters[task] for task in table.tasks}
        order = {key: place for place, key in enumerate(sorted(set(keys.values())))}
        self.units = len(order)
        self._unit = {task: order[key] for task, key in keys.items()}
        self._sums: list[Sequence[int]] = []
        self._places: dict[tuple[int, ...], int] = {}
        self._ratios: dict[tuple[str, ...], tuple[int, int, Fraction, Status]] = {}
        self._drawn: Floats = np.zeros((0, 0))
        self._values = {
            key: quantised(value, *key)
            for key in ((task, system) for task in table.tasks for system in table.systems)
            if (value := table.value(*key)) is not None
        }

    def _column(self, values: Mapping[str, int]) -> int:
        column = [0] * self.units
        for task, value in values.items():
            column[self._unit[task]] += value
        key = tuple(column)
        if key not in self._places:
            if self.units * max(map(abs, key), default=0) >= _EXACT:
                raise InputError(
                    Problem(
                        "the scores are too large, or the tasks too many, for exact sums; "
                        f"expected units times the largest score below {_EXACT // _QUANTUM}",
                        code="overflow",
                    )
                )
            self._places[key] = len(self._sums)
            self._sums.append(key)
        return self._places[key]

    def _ratio(self, name: tuple[str, ...], values: Mapping[str, int], failed: bool) -> None:
        status = Status.OK
        if not values:
            status = Status.EMPTY
        elif failed:
            status = Status.ALL_FAILED
        elif len({self._unit[task] for task in values}) == 1:
            status = Status.ONE_TASK
        mean = Fraction(sum(values.values()), max(1, len(values)) * _QUANTUM)
        self._ratios[name] = (
            self._column(values),
            self._column(dict.fromkeys(values, 1)),
            mean,
            status,
        )

    def average(self, system: str) -> None:
        """Ask for the all-task average of a system."""
        values = {
            task: value
            for task in self.table.tasks
            if (value := self._values.get((task, system))) is not None
        }
        states = {self.table.state(task, system) for task in values}
        self._ratio(("average", system), values, states == {CellState.FAILED})

    def pair(self, a: str, b: str) -> None:
        """Ask for the paired differences of two systems over the tasks that both have."""
        both = [
            task
            for task in self.table.tasks
            if (task, a) in self._values and (task, b) in self._values
        ]
        done = {
            task: (
                self.table.state(task, a) is CellState.SCORED,
                self.table.state(task, b) is CellState.SCORED,
            )
            for task in both
        }
        gaps = {task: self._values[task, a] - self._values[task, b] for task in both}
        failed = bool(both) and not any(any(pair) for pair in done.values())
        self._ratio(("difference", a, b), gaps, failed)
        self._ratio(
            ("successful", a, b), {task: gaps[task] for task in both if all(done[task])}, False
        )
        self._ratio(
            ("completion", a, b),
            {task: (left - right) * _QUANTUM for task, (left, right) in done.items()},
            False,
        )

    def draw(self, seed: int, replicates: int) -> None:
        """Resample the units; every column is summed in every replicate."""
        if self.units == 0:
            return
        sums = np.array(self._sums, dtype=np.float64)
        self._drawn = np.empty((len(sums), replicates))
        done = 0
        for block in resampling_counts(seed, self.units, replicates):
            _multiply(sums, block, self._drawn[:, done : done + len(block)])
            done += len(block)

    def point(self, name: tuple[str, ...]) -> Measure:
        """Return the statistic of the tasks as they are."""
        _, below, mean, status = self._ratios[name]
        count = sum(self._sums[below])
        return Measure(None if status is Status.EMPTY else float(mean), count, status)

    def interval(self, name: tuple[str, ...], level: Fraction) -> Interval:
        """Return the percentile interval of a statistic."""
        above, below, _, status = self._ratios[name]
        if status is Status.EMPTY:
            return Interval(None, None, status)
        values, scale = self._replicated(above, below)
        if not len(values):
            return Interval(None, None, Status.EMPTY, self._drawn.shape[1])
        low, high = _percentiles(values, ((1 - level) / 2, (1 + level) / 2))
        return Interval(
            float(low / scale), float(high / scale), status, self._drawn.shape[1] - len(values)
        )

    def _replicated(self, above: int, below: int) -> tuple[Floats, int]:
        """Return (values, scale): a statistic in every replicate that defines it, times scale."""
        if set(self._sums[below]) == {1}:
            return self._drawn[above], self.units * _QUANTUM
        counts = self._drawn[below]
        kept = counts > 0
        return self._drawn[above][kept] / counts[kept], _QUANTUM

    def probability_best(self) -> dict[str, Measure]:
        """Return how often each system has the highest average; k systems that tie get 1/k."""
        result = {system: Measure(None, 0, Status.EMPTY) for system in self.table.systems}
        present = [
            system
            for system in self.table.systems
            if self._ratios["average", system][3] is not Status.EMPTY
        ]
        if not present:
            return result
        rows = []
        for system in present:
            above, below, _, _ = self._ratios["average", system]
            counts = self._drawn[below]
            with np.errstate(divide="ignore", invalid="ignore"):
                rows.append(np.where(counts > 0, self._drawn[above] / counts, -np.inf))
        averages = np.array(rows)
        top = averages == averages.max(axis=0)
        ties = top.sum(axis=0)
        replicates = averages.shape[1]
        for place, system in enumerate(present):
            shares = np.bincount(ties[top[place]], minlength=1)
            total = sum(
                (Fraction(int(times), size) for size, times in enumerate(shares) if size),
                Fraction(0),
            )
            result[system] = Measure(float(total / replicates), replicates)
        return result


def _multiply(sums: Floats, counts: Floats, out: Floats) -> None:
    """Write ``sums @ counts.T`` to ``out`` in tiles that BLAS does in one thread.

    For products this thin its threads cost more than they give, ten times as much on a busy
    machine. All sums are exact, so that neither tiles nor threads have any influence on them.
    """
    rows = max(1, _SERIAL // counts.size)
    for start in range(0, len(sums), rows):
        np.matmul(sums[start : start + rows], counts.T, out=out[start : start + rows])


def quantised(value: Fraction, task: str, system: str) -> int:
    whole, rest = divmod(value.numerator * _QUANTUM, value.denominator)
    twice = 2 * rest - value.denominator
    scaled = whole + (twice > 0 or (twice == 0 and whole % 2 == 1))
    if abs(scaled) >= _EXACT:
        raise InputError(
            Problem(
                f"score {float(value)} is too large for exact sums",
                code="overflow",
                subject=f"task {task}, system {system}",
            )
        )
    return scaled


def _percentiles(values: Floats, probabilities: Sequence[Fraction]) -> list[Fraction]:
    """Return linear percentiles (definition 7 of Hyndman and Fan), exact."""
    places = [(len(values) - 1) * probability for probability in probabilities]
    ordered = np.sort(values)
    found = []
    for place in places:
        below = int(place)
        low = Fraction(float(ordered[below]))
        high = Fraction(float(ordered[min(below + 1, len(values) - 1)]))
        found.append(low + (high - low) * (place - below))
    return found
