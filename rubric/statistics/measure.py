"""One statistic with its name for "there is no such number": a value or a status, never NaN."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

__all__ = ["Measure", "Status", "mean", "median", "share"]


class Status(StrEnum):
    """Why a statistic is what it is; everything but ``OK`` names a degenerate input."""

    OK = "ok"
    """The value is an ordinary one."""
    EMPTY = "empty"
    """Nothing to compute it from."""
    ONE_TASK = "one_task"
    """A single task: the interval is the point itself and says nothing about other tasks."""
    ALL_FAILED = "all_failed"
    """Every report failed: the average is 0 and there is no average of successful reports."""
    ONE_RATER = "one_rater"
    """Fewer raters than the comparison needs."""
    NO_OVERLAP = "no_overlap"
    """No item was judged by enough raters to be compared."""
    CONSTANT = "constant"
    """All ratings are equal, so that chance agreement or a correlation is undefined."""
    TOO_FEW = "too_few"
    """Fewer pairs than a correlation needs (two)."""
    TIED = "tied"
    """The votes are even: there is no majority."""
    NO_WRITE = "no_write"
    """The trace has no report-writing event."""
    NO_SEARCH = "no_search"
    """The trace has no search."""
    ONE_EVENT = "one_event"
    """A trace of one event has no normalised positions (0 divided by 0)."""
    INCOMPLETE = "incomplete"
    """A part that the statistic needs is missing; the result says which."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, how many observations it rests on, and its status.

    Attributes:
        value: The number; None when there is none, and then ``status`` says why.
        count: The observations in the denominator.
        status: ``ok``, or the name of the degenerate input.

    >>> share(3, 4)
    Measure(value=0.75, count=4, status=<Status.OK: 'ok'>)
    >>> share(0, 0).status.value
    'empty'
    """

    value: float | None
    count: int
    status: Status = Status.OK

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"value": self.value, "count": self.count, "status": self.status.value}


def share(part: int, whole: int) -> Measure:
    """Return ``part / whole``, rounded once, or the status ``empty`` for an empty whole.

    Args:
        part: The observations that count.
        whole: All observations.
    """
    if whole == 0:
        return Measure(None, 0, Status.EMPTY)
    return Measure(part / whole, whole)


def mean(values: list[Fraction]) -> Measure:
    """Return the arithmetic mean, exact and rounded once, or the status ``empty``.

    Args:
        values: Exact numbers, in any order.
    """
    if not values:
        return Measure(None, 0, Status.EMPTY)
    return Measure(float(sum(values, Fraction(0)) / len(values)), len(values))


def median(values: list[Fraction]) -> Fraction | None:
    """Return the median (the mean of the two middle values of an even number), or None.

    Args:
        values: Exact numbers, in any order.

    >>> median([Fraction(1), Fraction(4), Fraction(2), Fraction(3)])
    Fraction(5, 2)
    """
    if not values:
        return None
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2
