"""The package against a second scorer written from the formulas, on generated trees."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from rubric.plan import make_plan
from rubric.score import score_plan
from rubric.settings import GuardMode, Settings
from rubric.tree_reader import parse_tree
from rubric.vectorised import STATES, score_grid
from rubric.verdicts import ReportVerdicts, VerdictTable


def _beside(name):
    spec = importlib.util.spec_from_file_location(
        f"rubric_{name}", Path(__file__).with_name(f"{name}.py")
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


reference = _beside("reference")
generated = _beside("generated")


def compare(count, seed, mode, coverage=("C-FC",)):
    """Compare exact and vectorised scores with the second scorer; return what was met."""
    rng = random.Random(seed)
    settings = Settings(guard=mode, coverage=frozenset(coverage))
    trees, lines, expected = [], [], {}
    met = {"candidates": 0, "restored": 0, "applied": 0, "emptied": 0, "none": 0}
    for number in range(count):
        data, task = generated.tree(rng, number, coverage)
        said = generated.words(rng, data)
        tree = parse_tree(data, settings=settings)
        outcomes = generated.outcomes(data, said)
        skipped = [atom for atom, word in said.items() if word == "skipped"]
        gone, back, readings = reference.guarded(task, outcomes, mode.value)
        want = reference.raw_score(task, outcomes, gone)
        found = score_plan(make_plan(tree, settings), ReportVerdicts.of(said), "A")
        assert found.score == want, data
        assert set(found.na_guard.applied) == gone
        assert list(found.na_guard.retracted) == back
        assert [(step.delta_c, step.delta_r) for step in found.na_guard.steps] == readings
        assert (found.low, found.high) == reference.bounds(task, outcomes, skipped, mode.value)
        met["candidates"] += bool(found.na_guard.candidates)
        met["restored"] += bool(back)
        met["applied"] += bool(gone)
        met["emptied"] += "dimension_emptied" in found.flags
        met["none"] += want is None
        trees.append(tree)
        lines += [
            {"task_id": data["task_id"], "system": "A", "atom_id": atom, "verdict": word}
            for atom, word in said.items()
        ]
        expected[data["task_id"]] = found
    grid = score_grid(trees, VerdictTable.from_lines(lines), settings=settings)
    for place, task_id in enumerate(grid.tasks):
        want = expected[task_id]
        assert STATES[grid.states[0, place]] == want.status
        if want.score is None:
            assert np.isnan(grid.scores[0, place])
        else:
            assert abs(grid.scores[0, place] - float(want.score)) < 1e-9, task_id
    return met


@pytest.mark.parametrize("mode", list(GuardMode))
@pytest.mark.parametrize("coverage", [("C-FC",), ("C-FC", "C-CA")])
def test_same_scores(mode, coverage):
    """Scores, guard steps, bounds and states are those of the formulas."""
    met = compare(400, 7, mode, coverage)
    assert min(met.values()) > 0, met


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GuardMode))
def test_same_scores_on_ten_thousand_trees(mode):
    """10,000 generated trees: exact and vectorised scores equal those of the second scorer."""
    met = compare(5_000, 20260, mode)
    assert min(met.values()) > 0, met
