"""Hypothesis strategies for trees, verdicts and settings, and the laws of scores as functions.

The only part of the package that imports hypothesis. Use it to test your own scorer:

    @given(rubric.testing.judged_trees())
    def test_mine(judged):
        rubric.testing.laws.check_range(judged)
"""

from __future__ import annotations

from rubric.testing import laws
from rubric.testing.strategies import (
    JudgedTree,
    judged_trees,
    overrides,
    settings,
    tree_data,
    trees,
    verdict_lines,
    verdict_words,
    weights,
)

__all__ = [
    "JudgedTree",
    "judged_trees",
    "laws",
    "overrides",
    "settings",
    "tree_data",
    "trees",
    "verdict_lines",
    "verdict_words",
    "weights",
]
