"""Task bootstrap: intervals of averages and of paired differences, probability of being best.

Everything that is random or summed is exact: draws come from raw PCG64 words, scores are rounded
to multiples of 2**-30, so that sums are whole numbers in doubles and no order of summation, no
machine and no version of numpy changes an interval.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from graphkit.errors import InputError, Problem
from rubric.literals import exact
from rubric.settings import Settings
from rubric.statistics.measure import Measure
from rubric.statistics.paired import Completion, Record, completion, paired_record
from rubric.statistics.resampling import Columns, Interval
from rubric.statistics.table import ScoreTable

__all__ = [
    "LEVEL",
    "REPLICATES",
    "Comparison",
    "Interval",
    "PairResult",
    "SystemResult",
    "bootstrap_averages",
    "compare",
]

_DEFAULTS = Settings()
REPLICATES = _DEFAULTS.replicates
"""Bootstrap replicates (appendix F.2 of the paper)."""
LEVEL = _DEFAULTS.confidence
"""Confidence of an interval (appendix F.2 of the paper)."""

_BATCH = 128  # pairs whose replicates are in memory at a time


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system: all-task average with its interval, the other averages, chance to be best."""

    system: str
    average: Measure
    interval: Interval
    average_successful: Measure
    success_rate: Measure
    probability_best: Measure

    def to_record(self) -> dict[str, Any]:
        """Return the entry of ``graphkit rubric compare --json`` (formats-and-cli.md)."""
        return {
            "system": self.system,
            "average": self.average.value,
            "average_successful": self.average_successful.value,
            "success_rate": self.success_rate.value,
            "interval": self.interval.to_list(),
            "tasks": self.average.count,
            "status": self.interval.status.value,
            "probability_best": self.probability_best.value,
        }


@dataclass(frozen=True, slots=True)
class PairResult:
    """Two systems over the tasks that both were run on; differences are a minus b.

    Attributes:
        a: First system.
        b: Second system.
        difference: Mean paired difference, failures 0.
        interval: Its interval.
        record: Paired wins, ties and losses of a.
        successful: Mean paired difference over tasks where both succeeded: quality alone.
        successful_interval: Its interval.
        completion: Completion alone: rates, discordant tasks and an exact test.
        completion_interval: Interval of the difference of the success rates.
    """

    a: str
    b: str
    difference: Measure
    interval: Interval
    record: Record
    successful: Measure
    successful_interval: Interval
    completion: Completion
    completion_interval: Interval

    def to_record(self) -> dict[str, Any]:
        """Return the entry of ``graphkit rubric compare --json`` (formats-and-cli.md)."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.difference.value,
            "interval": self.interval.to_list(),
            "tasks": self.difference.count,
            "status": self.interval.status.value,
            "wins": self.record.wins,
            "ties": self.record.ties,
            "losses": self.record.losses,
            "difference_successful": self.successful.value,
            "interval_successful": self.successful_interval.to_list(),
            "completion": {
                **self.completion.to_record(),
                "interval": self.completion_interval.to_list(),
            },
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that one bootstrap says: systems in code-point order, and pairs of them."""

    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    replicates: int
    level: Fraction
    seed: int
    units: int

    def to_record(self) -> dict[str, Any]:
        """Return the document of ``graphkit rubric compare --json``."""
        return {
            "systems": [system.to_record() for system in self.systems],
            "pairs": [pair.to_record() for pair in self.pairs],
            "bootstrap": {
                "replicates": self.replicates,
                "level": float(self.level),
                "seed": self.seed,
                "units": self.units,
            },
        }


def bootstrap_averages(
    table: ScoreTable,
    *,
    replicates: int = REPLICATES,
    level: Fraction | float | str = LEVEL,
    seed: int = 0,
    clusters: Mapping[str, str] | None = None,
) -> dict[str, Interval]:
    """Return the percentile interval of every system's all-task average.

    Task identities (or whole clusters of them) are resampled with replacement, all systems
    paired within a replicate, failures 0 (appendix F.2). Percentiles are linear, in exact
    arithmetic, rounded once.

    Args:
        table: The scores; every task counts once.
        replicates: How many replicates.
        level: Confidence, between 0 and 1.
        seed: Any non-negative integer; the same seed gives the same bytes everywhere.
        clusters: Task id to cluster key; every task of the table needs one. Whole clusters are
            drawn, and a replicate's average is over the tasks drawn. Not stated in the paper.

    Returns:
        System id to interval, in the order of the table.

    Raises:
        InputError: A parameter outside its range, a task without a cluster, or scores so large
            that sums would no longer be exact.

    >>> from rubric.statistics.table import Cell
    >>> table = ScoreTable.build([Cell(f"t{n}", "A", float(n)) for n in range(10)])
    >>> bootstrap_averages(table, replicates=1000, seed=7)["A"].to_list()
    [2.7975, 6.2]
    """
    chosen = _level(level)
    columns = Columns(table, clusters)
    for system in table.systems:
        columns.average(system)
    columns.draw(seed, replicates)
    return {system: columns.interval(("average", system), chosen) for system in table.systems}


def compare(
    table: ScoreTable,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    replicates: int = REPLICATES,
    level: Fraction | float | str = LEVEL,
    seed: int = 0,
    clusters: Mapping[str, str] | None = None,
) -> Comparison:
    """Compare systems: averages, intervals, paired differences, chance of being the best.

    The intervals of the averages are those of :func:`bootstrap_averages` with the same seed.

    Args:
        table: The scores.
        pairs: Pairs of systems to compare; default every pair in the order of the table.
        replicates: How many replicates.
        level: Confidence, between 0 and 1.
        seed: Any non-negative integer.
        clusters: Task id to cluster key, as in :func:`bootstrap_averages`.

    Raises:
        InputError: As :func:`bootstrap_averages`, or a pair names an unknown system.
    """
    chosen = _level(level)
    wanted = list(itertools.combinations(table.systems, 2) if pairs is None else pairs)
    unknown = sorted({name for pair in wanted for name in pair} - set(table.systems))
    if unknown:
        raise InputError(
            [
                Problem(
                    f"is not in the scores; expected one of {', '.join(table.systems)}",
                    code="unknown_system",
                    subject=f"system {name}",
                )
                for name in unknown
            ]
        )
    columns = Columns(table, clusters)
    for system in table.systems:
        columns.average(system)
    columns.draw(seed, replicates)
    best = columns.probability_best()
    systems = tuple(
        SystemResult(
            system,
            table.average(system),
            columns.interval(("average", system), chosen),
            table.average_successful(system),
            table.success_rate(system),
            best[system],
        )
        for system in table.systems
    )
    made: list[PairResult] = []
    for start in range(0, len(wanted), _BATCH):
        made += _pairs(table, wanted[start : start + _BATCH], clusters, (seed, replicates), chosen)
    return Comparison(systems, tuple(made), replicates, chosen, seed, columns.units)


def _pairs(
    table: ScoreTable,
    pairs: list[tuple[str, str]],
    clusters: Mapping[str, str] | None,
    drawing: tuple[int, int],
    level: Fraction,
) -> list[PairResult]:
    columns = Columns(table, clusters)
    for a, b in pairs:
        columns.pair(a, b)
    columns.draw(*drawing)
    return [
        PairResult(
            a,
            b,
            columns.point(("difference", a, b)),
            columns.interval(("difference", a, b), level),
            paired_record(table, a, b),
            columns.point(("successful", a, b)),
            columns.interval(("successful", a, b), level),
            completion(table, a, b),
            columns.interval(("completion", a, b), level),
        )
        for a, b in pairs
    ]


def _level(level: Fraction | float | str) -> Fraction:
    try:
        value = exact(level)
    except ValueError as error:
        raise InputError(
            Problem(f"level {error}; expected a number between 0 and 1", code="level")
        ) from error
    if not 0 < value < 1:
        raise InputError(Problem(f"level {level} is not between 0 and 1", code="level"))
    return value
