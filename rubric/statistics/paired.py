"""Two systems task by task: wins, ties, losses, and completion tested apart from quality."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rubric.statistics.measure import Measure, Status, share
from rubric.statistics.table import CellState, ScoreTable

__all__ = ["Completion", "Record", "completion", "paired_record"]


@dataclass(frozen=True, slots=True)
class Record:
    """On how many tasks a scored above, equal to and below b; failures are 0 and take part."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class Completion:
    """Success of two systems on the tasks that both were run on.

    Attributes:
        a: Success rate of the first.
        b: Success rate of the second.
        only_a: Tasks that only the first completed.
        only_b: Tasks that only the second completed.
        p_value: Exact two-sided binomial (McNemar) test on the tasks where they differ; the
            status is ``constant`` and the value 1 when they differ nowhere.
    """

    a: Measure
    b: Measure
    only_a: int
    only_b: int
    p_value: Measure

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "a": self.a.value,
            "b": self.b.value,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "p_value": self.p_value.value,
        }


def paired_record(table: ScoreTable, a: str, b: str) -> Record:
    """Count the tasks that a wins, ties and loses against b (appendix F.5: "12 of 15 tasks").

    Args:
        table: The scores; tasks that one of the two was not run on, or that could not be scored,
            are left out. Scores are compared exactly.
        a: First system.
        b: Second system.
    """
    wins = ties = losses = 0
    places = table.places
    for task in table.tasks:
        left, right = places.get((task, a)), places.get((task, b))
        if left is None or right is None:
            continue
        wins += left > right
        ties += left == right
        losses += left < right
    return Record(wins, ties, losses)


def completion(table: ScoreTable, a: str, b: str) -> Completion:
    """Test whether two systems complete different shares of their tasks.

    The paper says that completion is tested separately (appendix F.5), not how; this is the
    exact McNemar test, which needs no large sample.

    Args:
        table: The scores.
        a: First system.
        b: Second system.

    >>> from rubric.statistics.table import Cell
    >>> cells = [Cell(f"t{n}", "A", 50.0) for n in range(5)]
    >>> cells += [Cell(f"t{n}", "B", None, CellState.FAILED) for n in range(5)]
    >>> completion(ScoreTable.build(cells), "A", "B").p_value.value
    0.0625
    """
    finished = (CellState.SCORED, CellState.FAILED)
    pairs = [
        (left is CellState.SCORED, right is CellState.SCORED)
        for task in table.tasks
        if (left := table.state(task, a)) in finished
        and (right := table.state(task, b)) in finished
    ]
    only_a = sum(left and not right for left, right in pairs)
    only_b = sum(right and not left for left, right in pairs)
    return Completion(
        a=share(sum(left for left, _ in pairs), len(pairs)),
        b=share(sum(right for _, right in pairs), len(pairs)),
        only_a=only_a,
        only_b=only_b,
        p_value=_sign_test(only_a, only_b, len(pairs)),
    )


def _sign_test(left: int, right: int, pairs: int) -> Measure:
    if pairs == 0:
        return Measure(None, 0, Status.EMPTY)
    differing = left + right
    if differing == 0:
        return Measure(1.0, 0, Status.CONSTANT)
    tail = sum(math.comb(differing, k) for k in range(min(left, right) + 1))
    return Measure(float(min(Fraction(1), Fraction(2 * tail, 2**differing))), differing)
