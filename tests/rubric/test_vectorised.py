"""The vectorised scorer: grids, many tasks and systems, alignment, cheap import."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubric import compiled, parse_tree, score_reports
from rubric.errors import RubricError
from rubric.settings import GuardMode, Overrides, Settings
from rubric.testing import overrides, trees, verdict_words
from rubric.testing import settings as scoring_settings
from rubric.vectorised import STATES, Scorer, align, compile_trees, score_grid
from rubric.verdicts import VerdictTable


@st.composite
def batches(draw):
    """Several trees, several systems, some reports missing, some never run."""
    made = [draw(trees(f"t{place}", most=3)) for place in range(draw(st.integers(1, 3)))]
    lines = []
    for tree in made:
        for system in ("A", "B", "Ç"):
            kind = draw(st.integers(0, 9))
            if kind == 0:
                lines.append(
                    {
                        "task_id": tree.task_id,
                        "system": system,
                        "report": draw(st.sampled_from(("missing", "readable"))),
                    }
                )
            elif kind > 1:
                lines += [
                    {"task_id": tree.task_id, "system": system, "atom_id": atom, "verdict": word}
                    for atom, word in draw(verdict_words(tree)).items()
                ]
                if kind == 2:
                    lines.append(
                        {
                            "task_id": tree.task_id,
                            "system": system,
                            "atom_id": "nobody's",
                            "verdict": "yes",
                        }
                    )
    return made, VerdictTable.from_lines(draw(st.permutations(lines)))


@pytest.mark.parametrize("dense", [True, False])
def test_grids_equal_the_exact_scorer(dense, monkeypatch):
    """Every point, report and state, whichever way verdicts are looked up."""
    if not dense:
        monkeypatch.setattr(compiled, "_DENSE", -1)

    @settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
    @given(batches(), scoring_settings(), st.lists(overrides(), max_size=3))
    def run(batch, parameters, points):
        made, table = batch
        grid = score_grid(made, table, points, systems=["A", "B", "Ç"], settings=parameters)
        for place, point in enumerate(points):
            want = score_reports(
                made, table, systems=["A", "B", "Ç"], settings=parameters, overrides=point
            )
            assert [(item.task_id, item.system) for item in want] == list(
                zip(grid.tasks, grid.systems, strict=True)
            )
            assert [item.status for item in want] == [STATES[code] for code in grid.states[place]]
            for report, item in enumerate(want):
                value = grid.score(place, report)
                assert (value is None) == (item.score is None)
                assert value is None or abs(value - float(item.score)) < 1e-9

    run()


def test_points_are_checked():
    """A point outside its domain is an error, not a score."""
    tree = parse_tree(
        {
            "task_id": "t",
            "atoms": [{"id": "a", "direction": "R-CS", "expected": "yes", "evaluator": "J"}],
        }
    )
    table = VerdictTable.from_lines(
        [{"task_id": "t", "system": "A", "atom_id": "a", "verdict": "yes"}]
    )
    with pytest.raises(RubricError, match="only a content direction"):
        score_grid([tree], table, [Overrides(tau={"R-CS": "0.5"})])
    with pytest.raises(RubricError, match="no tree has this direction"):
        score_grid([tree], table, [Overrides(kappa={"R-CX": 3})])
    with pytest.raises(ValueError, match="outside 0 < tau"):
        Overrides(tau={"*": 0})


def test_a_scorer_keeps_what_does_not_change():
    """Proposals of the guard are laid out once; scores do not depend on what was asked before."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC"}],
            "atoms": [
                *(
                    {
                        "id": f"fc{n}",
                        "direction": "C-FC",
                        "expected": "yes",
                        "evaluator": "J",
                        "fact_ids": [f"f{n}"],
                    }
                    for n in range(6)
                ),
                *(
                    {
                        "id": f"cs{n}",
                        "direction": "R-CS",
                        "expected": "yes",
                        "evaluator": "J",
                        "fact_ids": [f"f{n}"],
                    }
                    for n in range(6)
                ),
            ],
        }
    )
    table = VerdictTable.from_lines(
        {
            "task_id": "t",
            "system": "A",
            "atom_id": atom.id,
            "verdict": "yes" if atom.id in ("fc0", "cs0") else "no",
        }
        for atom in tree.atoms
    )
    for mode in GuardMode:
        scorer = Scorer(align(compile_trees([tree], Settings(guard=mode)), table))
        points = [Overrides(), Overrides(tau={"*": "0.1"}), Overrides(kappa={"*": 1}), Overrides()]
        first = [scorer.score(point)[0].tolist() for point in points]
        assert first[0] == first[3] != first[1]
        fresh = [
            score_grid([tree], table, [point], settings=Settings(guard=mode)).scores[0]
            for point in points
        ]
        assert np.array_equal(np.array(first), np.array(fresh))


def test_the_package_is_cheap_to_import():
    """No plotting, no statistics library, no hypothesis; names load when they are used."""
    code = (
        "import sys, rubric; heavy = {'numpy', 'pydantic', 'matplotlib', 'scipy', "
        "'hypothesis'} & set(sys.modules); assert not heavy, heavy; "
        "[getattr(rubric, name) for name in rubric.__all__]; "
        "heavy = {'matplotlib', 'scipy', 'hypothesis'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_public_names():
    """Functions stay functions after their modules are loaded."""
    import rubric
    import rubric.explanation
    import rubric.validation

    assert set(rubric.__all__) <= set(dir(rubric))
    for name in ("bounds", "explain", "validate", "verify_na_order", "score_report", "load_tree"):
        assert callable(getattr(rubric, name))
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        rubric.scores  # noqa: B018
