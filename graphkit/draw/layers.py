"""Layered layout from left to right: columns by rank, few crossings, straight where possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

__all__ = ["Layout", "Size", "layered"]

Size = tuple[float, float]
"""Width and height in pixels."""

_SWEEPS = 12
_RELAXATIONS = 24
_CLEARANCE = 6.0


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is.

    Attributes:
        middles: Name -> middle of the item (x, y) in pixels.
        routes: Link (from, to) -> the points at the sides of the columns that it crosses.
        width: Of the whole, in pixels.
        height: Of the whole, in pixels.
    """

    middles: dict[str, tuple[float, float]]
    routes: dict[tuple[str, str], tuple[tuple[float, float], ...]]
    width: float
    height: float


@dataclass(eq=False)
class _Plan:
    """Items and the places that long links pass, column by column."""

    sizes: dict[str, Size]
    columns: list[list[str]]
    before: dict[str, list[str]] = field(default_factory=dict)
    after: dict[str, list[str]] = field(default_factory=dict)
    chains: dict[tuple[str, str], list[str]] = field(default_factory=dict)


def layered(
    sizes: Mapping[str, Size],
    ranks: Mapping[str, int],
    links: Sequence[tuple[str, str]],
    *,
    column_gap: float = 34,
    row_gap: float = 22,
) -> Layout:
    """Place items in columns by their rank, and route links between them.

    The same input gives the same layout. Items keep their order where nothing speaks against it.

    Args:
        sizes: Name -> size of every item.
        ranks: Name -> column, from 0 at the left.
        links: Pairs of names; the second has a higher rank.
        column_gap: Least distance between columns, in pixels.
        row_gap: Least distance between items in a column, in pixels.

    >>> found = layered({"a": (10, 10), "b": (10, 10)}, {"a": 0, "b": 1}, [("a", "b")])
    >>> found.middles["a"][1] == found.middles["b"][1]
    True
    """
    if not sizes:
        return Layout({}, {}, 0, 0)
    plan = _plan(sizes, ranks, links)
    _order(plan)
    rows = _rows(plan, row_gap)
    columns, width = _columns(plan, column_gap)
    half = [max((plan.sizes[name][0] for name in column), default=0) / 2 for column in plan.columns]
    top = min(rows[name] - plan.sizes[name][1] / 2 for name in rows)
    bottom = max(rows[name] + plan.sizes[name][1] / 2 for name in rows)
    middles = {
        name: (columns[number], rows[name] - top)
        for number, column in enumerate(plan.columns)
        for name in column
    }
    routes = {
        (start, end): tuple(
            (columns[rank] + side * half[rank], middles[name][1])
            for rank, name in enumerate(chain, ranks[start] + 1)
            for side in (-1, 1)
        )
        for (start, end), chain in plan.chains.items()
    }
    return Layout({name: middles[name] for name in sizes}, routes, width, bottom - top)


def _plan(
    sizes: Mapping[str, Size], ranks: Mapping[str, int], links: Sequence[tuple[str, str]]
) -> _Plan:
    plan = _Plan(dict(sizes), [[] for _ in range(max(ranks.values()) + 1)])
    for name in sizes:
        plan.columns[ranks[name]].append(name)
    for start, end in links:
        chain: list[str] = []
        for rank in range(ranks[start] + 1, ranks[end]):
            name = f"\x00{start}\x00{end}\x00{rank}"
            plan.sizes[name] = (0, 10)
            plan.columns[rank].append(name)
            chain.append(name)
        plan.chains[start, end] = chain
        path = [start, *chain, end]
        for left, right in pairwise(path):
            plan.after.setdefault(left, []).append(right)
            plan.before.setdefault(right, []).append(left)
    return plan


def _order(plan: _Plan) -> None:
    """Sort the columns by the mean place of their neighbours; keep the best order seen."""
    best = [list(column) for column in plan.columns]
    fewest = _crossings(plan)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 1
        numbers = range(1, len(plan.columns)) if forward else range(len(plan.columns) - 2, -1, -1)
        for number in numbers:
            other = plan.columns[number - 1 if forward else number + 1]
            place = {name: index for index, name in enumerate(other)}
            table = plan.before if forward else plan.after
            own = {name: index for index, name in enumerate(plan.columns[number])}
            plan.columns[number].sort(
                key=lambda name, table=table, place=place, own=own: (  # type: ignore[misc]
                    _mean([place[item] for item in table.get(name, ())], own[name]),
                    own[name],
                )
            )
        crossings = _crossings(plan)
        if crossings < fewest:
            best, fewest = [list(column) for column in plan.columns], crossings
        if not fewest:
            break
    plan.columns = best


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise


def _crossings(plan: _Plan) -> int:
    total = 0
    for left, right in pairwise(plan.columns):
        place = {name: index for index, name in enumerate(right)}
        ends = [
            place[item]
            for name in left
            for item in sorted(plan.after.get(name, ()), key=place.__getitem__)
        ]
        total += sum(
            1 for index, end in enumerate(ends) for later in ends[index + 1 :] if later < end
        )
    return total


def _rows(plan: _Plan, gap: float) -> dict[str, float]:
    """Pull every item towards its neighbours while the order of its column stays."""
    rows: dict[str, float] = {}
    for column in plan.columns:
        y = 0.0
        heights = [plan.sizes[name][1] for name in column]
        total = sum(heights) + gap * (len(column) - 1)
        y = -total / 2
        for name, height in zip(column, heights, strict=True):
            rows[name] = y + height / 2
            y += height + gap
    for turn in range(_RELAXATIONS):
        order = plan.columns if turn % 2 else plan.columns[::-1]
        for column in order:
            wished = {}
            for name in column:
                left, right = _near(plan, name)
                near = (
                    [*left, *right] if turn >= _RELAXATIONS - 6 else (left if turn % 2 else right)
                )
                wished[name] = _mean([rows[item] for item in near or [*left, *right]], rows[name])
            _settle(plan, column, wished, rows, gap)
    for chain in plan.chains.values():
        _straighten(plan, chain, rows)
    return rows


def _straighten(plan: _Plan, chain: list[str], rows: dict[str, float]) -> None:
    """Give a long link one height, if one of its heights is free in all its columns."""
    columns = [column for column in plan.columns if any(name in column for name in chain)]
    for height in sorted({rows[name] for name in chain}, key=lambda y: (abs(y), y)):
        free = True
        for name, column in zip(chain, columns, strict=True):
            place = column.index(name)
            for other in column[max(place - 1, 0) : place + 2]:
                apart = (plan.sizes[name][1] + plan.sizes[other][1]) / 2 + _CLEARANCE
                below = height - rows[other]
                if other != name and (below if column.index(other) < place else -below) < apart:
                    free = False
        if free:
            rows.update(dict.fromkeys(chain, height))
            return


def _near(plan: _Plan, name: str) -> tuple[list[str], list[str]]:
    """Return the neighbours that count, left and right: a long link keeps its height."""
    left, right = plan.before.get(name, []), plan.after.get(name, [])
    if name.startswith("\x00"):
        passing = tuple(
            [item for item in side if item.startswith("\x00")] for side in (left, right)
        )
        if any(passing):
            return passing[0], passing[1]
    return left, right


def _settle(
    plan: _Plan, column: list[str], wished: Mapping[str, float], rows: dict[str, float], gap: float
) -> None:
    """Give the items of a column the places nearest to the wished ones, without overlap.

    Items that would overlap form a block that moves as one to the mean of its wishes.
    """
    blocks: list[tuple[float, list[str]]] = []
    for name in column:
        blocks.append((wished[name], [name]))
        while len(blocks) > 1:
            (upper, above), (lower, below) = blocks[-2], blocks[-1]
            need = _half(plan, above, gap) + _half(plan, below, gap) + gap
            if lower - upper >= need - 1e-9:
                break
            merged = above + below
            blocks[-2:] = [(_middle(plan, merged, wished, gap), merged)]
    for middle, names in blocks:
        y = middle - _half(plan, names, gap)
        for name in names:
            height = plan.sizes[name][1]
            rows[name] = y + height / 2
            y += height + gap


def _half(plan: _Plan, names: Sequence[str], gap: float) -> float:
    return (sum(plan.sizes[name][1] for name in names) + gap * (len(names) - 1)) / 2


def _middle(plan: _Plan, names: Sequence[str], wished: Mapping[str, float], gap: float) -> float:
    y = -_half(plan, names, gap)
    shifts = []
    for name in names:
        height = plan.sizes[name][1]
        shifts.append(wished[name] - (y + height / 2))
        y += height + gap
    return sum(shifts) / len(shifts)


def _columns(plan: _Plan, gap: float) -> tuple[list[float], float]:
    middles: list[float] = []
    x = 0.0
    for column in plan.columns:
        width = max((plan.sizes[name][0] for name in column), default=0.0)
        middles.append(x + width / 2)
        x += width + gap
    return middles, max(x - gap, 0.0)
