"""A grid whose released setting is itself changed by flags. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rubric.settings import Overrides
from rubric.statistics.sensitivity import Averages, Grid, Point

__all__ = ["released_under"]


def released_under(overrides: Overrides, grid: Grid) -> Grid:
    """Return a grid that applies overrides to every point that does not change the same itself.

    Args:
        overrides: What is released differs from trees and settings by these.
        grid: The grid to ask.

    >>> asked = []
    >>> grid = released_under(Overrides(tau={"*": 0.5}), lambda points: asked.extend(points) or [])
    >>> _ = grid([Point("released", "released")])
    >>> asked[0].tau
    {'*': Fraction(1, 2)}
    """
    weights = None
    if overrides.weights is not None:
        weights = {name: getattr(overrides.weights, name) for name in type(overrides.weights)
                   .model_fields}  # fmt: skip

    def changed(points: Sequence[Point]) -> Sequence[Averages]:
        return grid(
            [
                replace(
                    point,
                    weights=weights if point.weights is None else point.weights,
                    tau={**({} if "*" in point.tau else overrides.tau), **point.tau},
                    kappa={**({} if "*" in point.kappa else overrides.kappa), **point.kappa},
                )
                for point in points
            ]
        )

    return changed
