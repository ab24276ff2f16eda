"""Rankings under other weights, thresholds and caps: raw outcomes aggregated again, no judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from graphkit.errors import InputError, Problem
from rubric.literals import exact, to_number

__all__ = [
    "Grid",
    "GridRow",
    "Point",
    "Sensitivity",
    "kappa_points",
    "rank",
    "sensitivity",
    "tau_points",
    "weight_points",
]

TIE = Fraction(1, 1 << 30)
"""Averages this close share a rank: the vectorised scorer agrees to 1e-9 with the exact one."""

_EVERY = "*"


@dataclass(frozen=True, slots=True)
class Point:
    """One parameter setting of a grid; what it does not name keeps its released value.

    Attributes:
        group: ``lambda``, ``tau`` or ``kappa``: what it changes; ``released`` for nothing.
        label: How tables call it.
        weights: Dimension to weight, or None.
        tau: Direction id (``*`` for every saturated one) to threshold, None for no saturation.
        kappa: Direction id (or ``*``) to cap, None for no cap.
    """

    group: str
    label: str
    weights: Mapping[str, Fraction] | None = None
    tau: Mapping[str, Fraction | None] = field(default_factory=dict)
    kappa: Mapping[str, int | None] = field(default_factory=dict)

    def overrides(self) -> dict[str, Any]:
        """Return the plain data that :class:`rubric.settings.Overrides` reads."""
        return {
            "weights": dict(self.weights) if self.weights else None,
            "tau": dict(self.tau),
            "kappa": dict(self.kappa),
        }


def weight_points(triples: Iterable[Sequence[Any]] | int) -> tuple[Point, ...]:
    """Return points that change the three dimension weights (content, citation, presentation).

    Args:
        triples: The weights of each point, numbers or decimal strings; or an integer n for every
            triple of multiples of 1/n that sums to 1.

    Raises:
        InputError: A weight is negative or no number, or all three are 0.

    >>> [point.label for point in weight_points([(0.4, 0.4, 0.2)])], len(weight_points(10))
    (['lambda 0.4 / 0.4 / 0.2'], 66)
    """
    if isinstance(triples, int):
        if triples < 1:
            raise InputError(Problem(f"{triples} steps; expected at least one", code="grid"))
        triples = [
            (Fraction(a, triples), Fraction(b, triples), Fraction(triples - a - b, triples))
            for a in range(triples, -1, -1)
            for b in range(triples - a, -1, -1)
        ]
    points = []
    for triple in triples:
        values = _numbers(triple, "lambda")
        if len(values) != 3 or min(values) < 0 or not any(values):
            raise InputError(
                Problem(
                    f"lambda {' / '.join(map(str, triple))}; expected three weights, "
                    "none negative, not all 0",
                    code="grid",
                )
            )
        label = " / ".join(str(to_number(value)) for value in values)
        names = ("content", "citation", "presentation")
        points.append(Point("lambda", f"lambda {label}", dict(zip(names, values, strict=True))))
    return tuple(points)


def tau_points(values: Iterable[Any], direction: str = _EVERY) -> tuple[Point, ...]:
    """Return points that change the saturation threshold.

    Args:
        values: Thresholds, 0 < tau <= 1; None for no saturation.
        direction: A direction id, or ``*`` for every direction that has one.

    Raises:
        InputError: A threshold is outside its domain.
    """
    points = []
    for value in values:
        tau = None if value is None else _numbers([value], "tau")[0]
        if tau is not None and not 0 < tau <= 1:
            raise InputError(Problem(f"tau {value} is outside 0 < tau <= 1", code="grid"))
        shown = "none" if tau is None else to_number(tau)
        points.append(Point("tau", f"tau{_of(direction)} {shown}", tau={direction: tau}))
    return tuple(points)


def kappa_points(values: Iterable[int | None], direction: str = _EVERY) -> tuple[Point, ...]:
    """Return points that change the cap on a direction's weight.

    Args:
        values: Caps, integers from 1; None for no cap.
        direction: A direction id, or ``*`` for every direction that has one.

    Raises:
        InputError: A cap is outside its domain.
    """
    points = []
    for value in values:
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or value < 1
        ):
            raise InputError(Problem(f"kappa {value} is not an integer >= 1", code="grid"))
        shown = "none" if value is None else value
        points.append(Point("kappa", f"kappa{_of(direction)} {shown}", kappa={direction: value}))
    return tuple(points)


def _of(direction: str) -> str:
    return "" if direction == _EVERY else f" {direction}"


def _numbers(values: Iterable[Any], name: str) -> list[Fraction]:
    found = []
    for value in values:
        try:
            found.append(exact(value))
        except ValueError as error:
            raise InputError(Problem(f"{name}: {error}", code="grid")) from error
    return found


Averages = Mapping[str, Fraction | float | None]
Grid = Callable[[Sequence[Point]], Sequence[Averages]]
"""All-task averages of every system (None: no score) at every point, in the order asked for.

It scores saved raw outcomes and runs the guard again at each point; it never calls a judge.
"""


@dataclass(frozen=True, slots=True)
class GridRow:
    """One point: averages, ranks, and how far systems moved from the released setting.

    Attributes:
        point: The setting.
        averages: System to its all-task average, None without one.
        ranks: System to its rank, 1 the best; ties share the better rank; None without an
            average.
        changes: System to rank here minus rank at the released setting.
        largest_change: The largest absolute change of a rank; None without comparable systems.
        score_change: The largest absolute change of an average; None likewise.
    """

    point: Point
    averages: Mapping[str, float | None]
    ranks: Mapping[str, int | None]
    changes: Mapping[str, int | None]
    largest_change: int | None
    score_change: float | None

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "group": self.point.group,
            "label": self.point.label,
            "averages": dict(self.averages),
            "ranks": dict(self.ranks),
            "largest_change": self.largest_change,
            "score_change": self.score_change,
        }


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A table like the paper's table 15.

    Attributes:
        released: The row of the released setting.
        rows: The other points, in the order given.
        largest_change: Group to the largest absolute change of a rank in it.
    """

    released: GridRow
    rows: tuple[GridRow, ...]
    largest_change: Mapping[str, int | None]

    def same_top(self, places: int) -> bool:
        """Return whether the systems of the first ranks are the same, in the same order."""

        def top(row: GridRow) -> list[tuple[int, str]]:
            return sorted(
                (place, system)
                for system, place in row.ranks.items()
                if place is not None and place <= places
            )

        return all(top(row) == top(self.released) for row in self.rows)

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "released": self.released.to_record(),
            "settings": [row.to_record() for row in self.rows],
            "largest_change": dict(self.largest_change),
        }


def rank(averages: Averages, tie: Fraction = TIE) -> dict[str, int | None]:
    """Return competition ranks, the highest average first; ties share the best rank.

    Args:
        averages: System to average; None has no rank.
        tie: How close to the best of a group of equals counts as equal.

    >>> rank({"A": 60.0, "B": 62.0, "C": 60.0, "D": 10.0, "E": None})
    {'A': 2, 'B': 1, 'C': 2, 'D': 4, 'E': None}
    """
    present = {system: Fraction(value) for system, value in averages.items() if value is not None}
    ranks: dict[str, int | None] = dict.fromkeys(averages)
    best: Fraction | None = None
    shared = 0
    for place, system in enumerate(sorted(present, key=lambda name: -present[name]), start=1):
        if best is None or best - present[system] > tie:
            best, shared = present[system], place
        ranks[system] = shared
    return ranks


def sensitivity(points: Iterable[Point], grid: Grid) -> Sensitivity:
    """Rank all systems at every point and compare with the released setting (appendix F.2).

    Args:
        points: Settings that change one parameter group each.
        grid: Scores all points in one call, see :data:`Grid`; the first point that it is asked
            for is the released setting.

    Raises:
        InputError: A point changes several groups, or the grid answers for other systems or
            another number of points than asked.

    >>> answers = [{"A": 60.0, "B": 50.0}, {"A": 40.0, "B": 50.0}]
    >>> sensitivity(tau_points(["0.5"]), lambda points: answers).largest_change
    {'tau': 1}
    """
    wanted = list(points)
    problems = [
        Problem(
            "changes more than one parameter group; expected one at a time",
            code="grid",
            subject=point.label,
        )
        for point in wanted
        if _groups(point) != {point.group}
    ]
    if problems:
        raise InputError(problems)
    asked = [Point("released", "released"), *wanted]
    answers = list(grid(asked))
    if len(answers) != len(asked) or any(set(row) != set(answers[0]) for row in answers):
        raise InputError(
            Problem(
                f"the scorer answered {len(answers)} of {len(asked)} points, or "
                "not for the same systems at each",
                code="grid",
            )
        )
    base = {system: answers[0][system] for system in sorted(answers[0])}
    start = rank(base)
    made = [
        _row(point, {system: row[system] for system in base}, base, start)
        for point, row in zip(asked, answers, strict=True)
    ]
    groups = dict.fromkeys(point.group for point in wanted)
    return Sensitivity(
        made[0],
        tuple(made[1:]),
        {
            group: max(
                (
                    row.largest_change
                    for row in made[1:]
                    if row.point.group == group and row.largest_change is not None
                ),
                default=None,
            )
            for group in groups
        },
    )


def _groups(point: Point) -> set[str]:
    parts = {"lambda": point.weights, "tau": point.tau, "kappa": point.kappa}
    return {name for name, value in parts.items() if value}


def _row(
    point: Point, averages: Averages, base: Averages, start: Mapping[str, int | None]
) -> GridRow:
    ranks = rank(averages)
    changes: dict[str, int | None] = {}
    moved: list[Fraction] = []
    for system, place in ranks.items():
        before = start[system]
        changes[system] = None if place is None or before is None else place - before
        here, there = averages[system], base[system]
        if here is not None and there is not None:
            moved.append(abs(Fraction(here) - Fraction(there)))
    return GridRow(
        point=point,
        averages={
            system: None if value is None else float(value) for system, value in averages.items()
        },
        ranks=ranks,
        changes=changes,
        largest_change=max(
            (abs(step) for step in changes.values() if step is not None), default=None
        ),
        score_change=float(max(moved)) if moved else None,
    )
