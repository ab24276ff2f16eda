"""Charts by matplotlib, without a screen; the same data gives the same bytes."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from graphkit.draw.figure import drawable
from graphkit.draw.lettering import text_width
from graphkit.errors import InputError
from graphkit.formats.writing import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rubric.statistics import Comparison, Sensitivity
    from rubric.statistics.rates import RateRow

__all__ = ["forest", "heat_map", "rank_stability"]

PathLike = str | os.PathLike[str]

_INK, _SOFT, _LINE = "#1d2733", "#5c6b7d", "#d7dee8"
_COLOURS = (
    "#2b5fc0", "#c2542d", "#178a4b", "#7247c9", "#b3831b", "#0d8a86", "#b8325f", "#5c6b7d",
)  # fmt: skip
_DPI = 160
_MOST_SETTINGS = 60
_SETTINGS: Any = {
    "font.size": 9.5,
    "text.color": _INK,
    "text.usetex": False,
    "text.parse_math": False,
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _SOFT,
    "xtick.color": _SOFT,
    "ytick.color": _INK,
    "axes.unicode_minus": True,
    "svg.hashsalt": "graphkit",
    "svg.fonttype": "path",
    "path.simplify": False,
}


def _draw(
    path: PathLike,
    size: tuple[float, float],
    paint: Callable[[Figure], None],
    names: Sequence[str],
) -> None:
    """Draw a figure and write it as the kind of file that its name says.

    Args:
        path: The file.
        size: Width and height, in inches.
        paint: Puts everything into the figure.
        names: What is written in it that users named, to find fonts that have it.

    Raises:
        InputError: The name ends in neither ``.png`` nor ``.svg``.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    kind = os.fspath(path).lower().rpartition(".")[2]
    if kind not in ("png", "svg"):
        raise InputError(f"{os.fspath(path)}: ends in neither .png nor .svg")
    _, families = drawable("".join(names))
    with matplotlib.rc_context({**_SETTINGS, "font.family": list(families)}):
        figure = Figure(figsize=size, dpi=_DPI, facecolor="white")
        FigureCanvasAgg(figure)
        paint(figure)
        data = io.BytesIO()
        about = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
        figure.savefig(data, format=kind, metadata=about)
    write_bytes(path, data.getvalue())


def _plain(axes: Axes) -> None:
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
    axes.tick_params(length=0)


def _label_inches(names: Sequence[str], size: float = 9.5) -> float:
    """Return the width of the longest of some names, in inches."""
    widest = max((text_width(name, size) for name in names), default=0.0)
    return widest / 72 + 0.2


def _short(name: str, limit: int = 42) -> str:
    text, _ = drawable(name)
    return text if len(text) <= limit else text[: limit - 1] + "\u2026"


def forest(comparison: Comparison, path: PathLike) -> None:
    """Draw the averages of systems with their intervals, the best above.

    A dot is the all-task average, failures 0; a small ring the average over reports that
    succeeded, where it differs.

    Args:
        comparison: What :func:`rubric.statistics.compare` gives.
        path: A ``.png`` or ``.svg`` file.

    Raises:
        InputError: No system has an average, or the name of the file ends otherwise.
    """
    systems = [item for item in comparison.systems if item.average.value is not None]
    if not systems:
        raise InputError("no system has an average to draw")
    systems.sort(key=lambda item: (item.average.value or 0.0, item.system))
    names = [_short(item.system) for item in systems]
    left, right = _label_inches(names), 1.75
    width, height = max(7.2, left + right + 3.6), 1.25 + 0.36 * len(systems)

    def paint(figure: Figure) -> None:
        axes = figure.add_axes(
            (left / width, 0.62 / height, (width - left - right) / width, 1 - 1.12 / height)
        )
        _plain(axes)
        low = min(_ends(item)[0] for item in systems)
        high = max(_ends(item)[1] for item in systems)
        start, end = max(0.0, math.floor(low / 10) * 10 - 2), min(100.0, math.ceil(high / 10) * 10)
        axes.set_xlim(start, end + 2)
        axes.set_ylim(-0.6, len(systems) - 0.4)
        axes.grid(axis="x", color=_LINE, linewidth=0.8)
        axes.set_axisbelow(True)
        for row, item in enumerate(systems):
            average = item.average.value or 0.0
            if item.interval.low is not None and item.interval.high is not None:
                axes.plot(
                    [item.interval.low, item.interval.high], [row, row], color=_COLOURS[0],
                    linewidth=2.2, solid_capstyle="round", zorder=2,
                )  # fmt: skip
            axes.plot([average], [row], "o", color=_COLOURS[0], markersize=6.5, zorder=3)
            other = item.average_successful.value
            if other is not None and abs(other - average) > 0.005:
                axes.plot(
                    [other], [row], "o", markerfacecolor="white", markeredgecolor=_COLOURS[1],
                    markersize=5.5, zorder=4,
                )  # fmt: skip
            axes.annotate(
                _numbers(item), (1.03, row), xycoords=("axes fraction", "data"), va="center",
                fontsize=8.5, color=_SOFT,
            )  # fmt: skip
        axes.set_yticks(range(len(systems)), names)
        share = f"{float(comparison.level):.0%}"
        axes.set_xlabel(
            f"average over {comparison.units} tasks or clusters, failures 0, with {share} "
            "intervals;  \u25cb successful reports only",
            fontsize=8.5, x=0.5, labelpad=6,
        )  # fmt: skip
        figure.text(0.012, 1 - 0.3 / height, "Systems compared", fontsize=11.5, weight="bold",
                    va="center")  # fmt: skip

    _draw(path, (width, height), paint, names)


def _ends(item: Any) -> tuple[float, float]:
    known = [
        value
        for value in (item.interval.low, item.interval.high, item.average.value,
                      item.average_successful.value)
        if value is not None
    ]  # fmt: skip
    return min(known), max(known)


def _numbers(item: Any) -> str:
    text = f"{item.average.value:.1f}"
    if item.interval.low is not None and item.interval.high is not None:
        text += f"  [{item.interval.low:.1f}, {item.interval.high:.1f}]"
    return text


def rank_stability(found: Sensitivity, path: PathLike) -> None:
    """Draw the rank of every system at every setting, the settings in groups.

    Where there are too many settings to tell apart, a disc says how often a system has a rank,
    and a ring which rank it has at the released setting.

    Args:
        found: What :func:`rubric.statistics.sensitivity` gives.
        path: A ``.png`` or ``.svg`` file.

    Raises:
        InputError: No system has a rank, or the name of the file ends otherwise.
    """
    rows = [found.released, *found.rows]
    systems = [name for name, place in found.released.ranks.items() if place is not None]
    if not systems:
        raise InputError("no system has a rank to draw")
    systems.sort(key=lambda name: (found.released.ranks[name] or 0, name))
    if len(rows) > _MOST_SETTINGS:
        _rank_shares(found, systems, path)
        return
    taken: dict[int, list[str]] = {}
    for name in systems:
        taken.setdefault(found.released.ranks[name] or 0, []).append(_short(name, 28))
    names = [_short(", ".join(group), 48) for group in taken.values()]
    left, right = _label_inches(names), 0.35
    step = 0.3 if len(rows) <= 40 else 12 / len(rows)
    most = max(place or 0 for row in rows for place in row.ranks.values())
    below = _label_inches([row.point.label for row in rows], 7.5) + 0.1
    width = max(6.0, left + right + step * len(rows))
    height = 0.75 + 0.36 * most + below

    def paint(figure: Figure) -> None:
        axes = figure.add_axes(
            (left / width, below / height, (width - left - right) / width, 0.36 * most / height)
        )
        _plain(axes)
        axes.set_ylim(most + 0.6, 0.4)
        axes.set_xlim(-0.5, len(rows) - 0.5)
        axes.grid(axis="y", color=_LINE, linewidth=0.8)
        axes.set_axisbelow(True)
        for at in range(1, len(rows)):
            if rows[at].point.group != rows[at - 1].point.group:
                axes.axvline(at - 0.5, color=_SOFT, linewidth=0.8, linestyle=(0, (2, 2)))
        for place, name in enumerate(systems):
            ranks = [row.ranks[name] for row in rows]
            axes.plot(
                range(len(rows)),
                [math.nan if rank is None else rank for rank in ranks],
                color=_COLOURS[place % len(_COLOURS)],
                marker="o",
                markersize=4.5, linewidth=1.8, alpha=0.9,
                linestyle="-" if place < len(_COLOURS) else "--",
            )  # fmt: skip
        axes.set_yticks(list(taken), names)
        labels = [row.point.label for row in rows]
        axes.set_xticks(range(len(rows)), labels, rotation=90, fontsize=7.5)
        figure.text(0.012, 1 - 0.3 / height, "Ranks under other settings (1 is best)",
                    fontsize=11.5, weight="bold", va="center")  # fmt: skip

    labels = [row.point.label for row in rows]
    _draw(path, (width, height), paint, [*names, *labels])


def _rank_shares(found: Sensitivity, systems: Sequence[str], path: PathLike) -> None:
    """Draw how often each system has each rank."""
    rows = [found.released, *found.rows]
    most = max(place or 0 for row in rows for place in row.ranks.values())
    names = [_short(name, 28) for name in systems]
    cell, left = 0.36, _label_inches(names)
    width = max(5.2, left + cell * most + 0.4)
    height = 1.2 + cell * len(systems)

    def paint(figure: Figure) -> None:
        axes = figure.add_axes(
            (left / width, 0.55 / height, cell * most / width, cell * len(systems) / height)
        )
        _plain(axes)
        axes.set_xlim(0.5, most + 0.5)
        axes.set_ylim(len(systems) - 0.5, -0.5)
        axes.grid(color=_LINE, linewidth=0.6)
        axes.set_axisbelow(True)
        for y, name in enumerate(systems):
            for place in range(1, most + 1):
                times = sum(row.ranks[name] == place for row in rows)
                if times:
                    size = 20 * (times / len(rows)) ** 0.5
                    axes.plot([place], [y], "o", color=_COLOURS[0], markersize=max(2.0, size))
            axes.plot(
                [found.released.ranks[name] or 0], [y], "o", markerfacecolor="none",
                markeredgecolor=_COLOURS[1], markersize=22, markeredgewidth=1.4,
            )  # fmt: skip
        axes.set_yticks(range(len(systems)), names)
        axes.set_xticks(range(1, most + 1))
        axes.tick_params(labelsize=8.5)
        figure.text(
            left / width, 0.14 / height,
            f"rank; area by share of {len(rows) - 1} settings, ring: released", fontsize=8.5,
            color=_SOFT,
        )  # fmt: skip
        figure.text(0.06 / width * 2, 1 - 0.3 / height, "Ranks under other settings",
                    fontsize=11.5, weight="bold", va="center")  # fmt: skip

    _draw(path, (width, height), paint, names)


def heat_map(rows: Sequence[RateRow], path: PathLike, *, title: str = "Pass rates") -> None:
    """Draw pass rates by system as a heat map; a rate that does not exist is left white.

    Args:
        rows: What :func:`rubric.statistics.pass_rates` gives, in the order wanted.
        path: A ``.png`` or ``.svg`` file.
        title: What stands above.

    Raises:
        InputError: There is no rate, or the name of the file ends otherwise.
    """
    systems = sorted({name for row in rows for name in row.configurations})
    if not rows or not systems:
        raise InputError("no pass rate to draw")
    keys = [_short(row.key, 24) for row in rows]
    names = [_short(name, 24) for name in systems]
    cell = (max(0.62, min(1.1, _label_inches(names, 8.5))), 0.34)
    left, below = _label_inches(keys), 0.3
    slanted = _label_inches(names, 8.5) > cell[0]
    above = 0.62 + (_label_inches(names, 8.5) if slanted else 0.28)
    width = max(left + cell[0] * (len(systems) + 1) + 0.3, 4.2)
    height = above + cell[1] * len(rows) + below

    def paint(figure: Figure) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        scale = LinearSegmentedColormap.from_list(
            "rates", ["#c9564f", "#f3d9b1", "#f6f3e4", "#a9d3b4", "#2e8b57"]
        )
        axes = figure.add_axes(
            (left / width, below / height, cell[0] * (len(systems) + 1) / width,
             cell[1] * len(rows) / height)
        )  # fmt: skip
        _plain(axes)
        axes.spines["bottom"].set_visible(False)
        axes.set_xlim(-0.5, len(systems) + 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        for y, row in enumerate(rows):
            values = [row.configurations.get(name) for name in systems]
            rates = [None if value is None else value.value for value in values]
            for x, rate in enumerate([*rates, row.mean_over_configurations.value]):
                _cell(axes, x, y, rate, scale)
        axes.axvline(len(systems) - 0.5, color="white", linewidth=4)
        axes.set_yticks(range(len(rows)), keys)
        axes.xaxis.tick_top()
        axes.set_xticks(
            range(len(systems) + 1), [*names, "mean"], fontsize=8.5,
            rotation=90 if slanted else 0,
        )  # fmt: skip
        figure.text(0.012 * 7 / width, 1 - 0.3 / height, title, fontsize=11.5, weight="bold",
                    va="center")  # fmt: skip

    _draw(path, (width, height), paint, [*names, *keys, title])


def _cell(axes: Axes, x: int, y: int, rate: float | None, scale: Any) -> None:
    from matplotlib.patches import Rectangle

    colour = "white" if rate is None else scale(rate)
    axes.add_patch(
        Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5)
    )
    text = "\u2013" if rate is None else f"{rate * 100:.0f}"
    dark = rate is not None and (rate > 0.88 or rate < 0.1)
    axes.text(
        x, y, text, ha="center", va="center_baseline", fontsize=8.5,
        color="white" if dark else _SOFT if rate is None else _INK,
    )  # fmt: skip
