"""The figures of a release: questions by domain, and root domains per question."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["domain_figure", "root_domain_figure"]

_COLOUR = "#3b6ea5"
_LONGEST = 40
_MOST = 40


def domain_figure(domains: Mapping[str, int], canary: str) -> bytes:
    """Return how many questions there are in each domain, as PNG (figure 4 of EvoBrowseComp).

    Args:
        domains: Questions by domain, the largest first. Beyond 40 the rest is one bar.
        canary: The sentence that goes into the metadata.
    """
    from graphkit.draw.figure import drawable

    rows = list(domains.items())
    if len(rows) > _MOST:
        rows = [*rows[: _MOST - 1], ("others", sum(count for _, count in rows[_MOST - 1 :]))]
    places = range(len(rows))
    labels = []
    families: dict[str, None] = {}
    for name, _ in rows:
        short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "\u2026"
        text, fonts = drawable(short)
        labels.append(text)
        families.update(dict.fromkeys(fonts))
    with _canvas(1.2 + 0.32 * max(1, len(rows))) as (figure, axes):
        axes.barh(places, [count for _, count in rows], color=_COLOUR)
        axes.set_yticks(places)
        axes.set_yticklabels(labels, family=list(families) or None)
        axes.invert_yaxis()
        axes.set_xlabel("questions")
        for place, (_, count) in enumerate(rows):
            axes.annotate(
                str(count), (count, place), (4, 0), textcoords="offset points", va="center"
            )
        return _png(figure, canary)


def root_domain_figure(counts: Mapping[str, int], canary: str) -> bytes:
    """Return how many questions rest on how many root domains, as PNG (figure 5).

    Args:
        counts: Questions by the number of their distinct root domains.
        canary: The sentence that goes into the metadata.
    """
    sizes = sorted(int(size) for size in counts)
    with _canvas(3.6) as (figure, axes):
        axes.bar(sizes, [counts[str(size)] for size in sizes], color=_COLOUR)
        if sizes:
            axes.set_xticks(range(sizes[0], sizes[-1] + 1, 1 + (sizes[-1] - sizes[0]) // 20))
        axes.set_xlabel("distinct root domains of a question's evidence")
        axes.set_ylabel("questions")
        return _png(figure, canary)


@contextlib.contextmanager
def _canvas(height: float) -> Iterator[tuple[Figure, Axes]]:
    """Give a figure that is drawn without a screen; names with dollar signs are no formulas."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"text.usetex": False, "text.parse_math": False}):
        figure = Figure(figsize=(7.2, height), dpi=120, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.08)
        axes.tick_params(length=0)
        yield figure, axes


def _png(figure: Figure, canary: str) -> bytes:
    data = io.BytesIO()
    figure.savefig(data, format="png", metadata={"Software": None, "Description": canary})
    return data.getvalue()
