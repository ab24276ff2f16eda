"""Lists of criteria with positive and negative points, scored as HealthBench scores them."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from graphkit.errors import Problem
from rubric.errors import RubricError
from rubric.literals import to_number
from rubric.statistics.measure import Measure, Status

__all__ = ["PointItem", "PointList", "clipped_mean"]


@dataclass(frozen=True, slots=True)
class PointItem:
    """A criterion: met, it adds its points; negative points are a penalty.

    Attributes:
        id: Its id in the list.
        text: The criterion.
        points: Points, of either sign.
        met: Whether the judged answer meets it; None where it is not graded.
        tags: Labels of the criterion.
        extra: What else the file says about it.
    """

    id: str
    text: str
    points: Fraction
    met: bool | None = None
    tags: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PointList:
    """The criteria of one example.

    Construction raises :class:`rubric.errors.RubricError` for an id used twice and for a list
    without a positive point, which has no score.

    >>> items = (PointItem("1", "?", Fraction(7)), PointItem("2", "?", Fraction(3)),
    ...          PointItem("3", "?", Fraction(-5)))
    >>> PointList("e1", items).score({"1": False, "2": True, "3": True})
    Fraction(-1, 5)
    """

    id: str
    items: tuple[PointItem, ...]
    source: str = "points"
    title: str = ""
    language: str | None = None

    def __post_init__(self) -> None:
        times = Counter(item.id for item in self.items)
        problems = [
            Problem(
                f"the id is used {number} times, expected once",
                code="duplicate_id",
                subject=f"item {name}",
            )
            for name, number in times.items()
            if number > 1
        ]
        if self.possible == 0:
            problems.append(
                Problem(
                    "has no criterion with positive points, so that no score is defined",
                    code="no_points",
                    subject=f"list {self.id}",
                )
            )
        if problems:
            raise RubricError(problems)

    @functools.cached_property
    def possible(self) -> Fraction:
        """The sum of the positive points."""
        return sum((item.points for item in self.items if item.points > 0), Fraction(0))

    @property
    def graded(self) -> bool:
        """Whether every criterion says if it is met."""
        return all(item.met is not None for item in self.items)

    def score(self, met: Mapping[str, bool] | None = None) -> Fraction:
        """Return points of the criteria met by positive points, *not clipped*: below 0 is possible.

        HealthBench clips the mean over examples, not the example; see :func:`clipped_mean`.

        Args:
            met: Item id to whether it is met; default what the list carries.

        Raises:
            RubricError: An item has no decision, or an id is no item; all are named.

        Source: HealthBench (Arora et al. 2025), ``calculate_score``.
        """
        table = {item.id: item.met for item in self.items} if met is None else dict(met)
        names = {item.id for item in self.items}
        problems = [
            Problem(
                "is decided but is no item of the list", code="unknown_id", subject=f"item {name}"
            )
            for name in sorted(set(table) - names)
        ]
        problems += [
            Problem(
                "has no decision; expected true or false for every item",
                code="no_score",
                subject=f"item {item.id}",
            )
            for item in self.items
            if not isinstance(table.get(item.id), bool)
        ]
        if problems:
            raise RubricError(problems)
        gained = sum((item.points for item in self.items if table[item.id]), Fraction(0))
        return gained / self.possible

    def to_record(self) -> dict[str, Any]:
        """Return plain data in HealthBench's form, readable by this package's importer."""
        return {
            "prompt_id": self.id,
            "prompt": self.title,
            "rubrics": [_item_record(item) for item in self.items],
        }


def _item_record(item: PointItem) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": item.id,
        "criterion": item.text,
        "points": to_number(item.points),
        "tags": list(item.tags),
    }
    if item.met is not None:
        record["criteria_met"] = item.met
    return {**record, **item.extra}


def clipped_mean(scores: Iterable[Fraction]) -> Measure:
    """Return the mean of example scores, clipped to 0 to 1, rounded once.

    Args:
        scores: One unclipped score an example.

    Returns:
        The mean; status ``empty`` without examples.

    Source: HealthBench, ``_compute_clipped_stats``.

    >>> clipped_mean([Fraction(-3, 2), Fraction(1)]).value
    0.0
    """
    found = list(scores)
    if not found:
        return Measure(None, 0, Status.EMPTY)
    mean = sum(found, Fraction(0)) / len(found)
    return Measure(float(min(max(mean, Fraction(0)), Fraction(1))), len(found))
