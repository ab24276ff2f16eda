"""The vectorised scorer as the grid that a sensitivity table asks: saved verdicts, no judge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rubric.inventory import Inventory
from rubric.settings import Overrides, Settings
from rubric.statistics.sensitivity import Averages, Grid, Point
from rubric.tree import Tree
from rubric.vectorised import STATES, CompiledTrees, compile_trees, score_grid
from rubric.verdicts import VerdictTable

__all__ = ["grid_of"]

_COUNTED = {place for place, state in enumerate(STATES) if state in ("scored", "missing")}


def grid_of(
    trees: Iterable[Tree] | CompiledTrees,
    verdicts: VerdictTable,
    *,
    systems: Iterable[str] | None = None,
    settings: Settings | None = None,
    inventory: Inventory | None = None,
) -> Grid:
    """Return the function that scores all reports at every point and averages them by system.

    The guard runs again at every point. A missing report counts 0; one that could not be scored,
    or was not run, is in no average.

    Args:
        trees: The trees, or what :func:`rubric.vectorised.compile_trees` made of them.
        verdicts: The saved verdicts.
        systems: The systems; all that the verdicts speak of if not given.
        settings: The released parameters.
        inventory: The shared directions.

    Raises:
        RubricError: A parameter is outside its domain, or a verdict has no tree.
    """
    compiled = (
        trees if isinstance(trees, CompiledTrees) else compile_trees(trees, settings, inventory)
    )
    chosen = None if systems is None else tuple(systems)

    def grid(points: Sequence[Point]) -> list[Averages]:
        found = score_grid(
            compiled,
            verdicts,
            [Overrides.model_validate(point.overrides()) for point in points],
            systems=chosen,
        )
        names = sorted(set(found.systems))
        columns = {
            name: [place for place, system in enumerate(found.systems) if system == name]
            for name in names
        }
        scores, states = found.scores.tolist(), found.states.tolist()
        answers: list[Averages] = []
        for at in range(len(points)):
            row: dict[str, float | None] = {}
            for name in names:
                values = [
                    scores[at][place] for place in columns[name] if states[at][place] in _COUNTED
                ]
                row[name] = math.fsum(values) / len(values) if values else None
            answers.append(row)
        return answers

    return grid
