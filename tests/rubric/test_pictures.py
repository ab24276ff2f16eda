"""Pictures of scores: every part is there, degenerate data is named, the bytes are the same."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given

from graphkit.errors import InputError
from rubric import load_trees, parse_tree, read_verdicts, score_reports
from rubric.breakdown import break_down
from rubric.errors import RubricError
from rubric.pictures import draw_tree, draw_trees_page, forest, heat_map, rank_stability, tree_scene
from rubric.statistics import compare, decisions, pass_rates, score_table, sensitivity, tau_points
from rubric.statistics.regrading import grid_of
from rubric.statistics.table import Cell, CellState, ScoreTable
from rubric.testing import JudgedTree, judged_trees
from rubric.verdicts import VerdictTable

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rubric"
TREES = load_trees(EXAMPLE / "trees")
TABLE = read_verdicts(EXAMPLE / "verdicts.jsonl")
REPORTS = score_reports(TREES, TABLE)


def tree_of(task):
    return next(tree for tree in TREES if tree.task_id == task)


def table_of(judged: JudgedTree) -> VerdictTable:
    return VerdictTable.from_lines(
        {"task_id": judged.tree.task_id, "system": "A", "atom_id": atom, "verdict": word}
        for atom, word in judged.words.items()
    )


def test_tree_shows_every_atom_with_its_outcome():
    """A box for the task, each dimension, each direction in use and each atom, by outcome."""
    tree = tree_of("peat-bog")
    made = break_down(tree, TABLE, "cedar")
    scene = tree_scene(tree, made)
    names = [box.name for box in scene.boxes]
    used = {atom.direction for atom in tree.atoms}
    assert len(names) == len(set(names)) == 1 + 3 + len(used) + len(tree.atoms)
    assert len(scene.links) == len(names) - 1
    styles = {box.name.removeprefix("atom "): box.style for box in scene.boxes}
    kinds = {"passed": "passed", "failed": "failed", "na": "apart", "na_guard": "apart",
             "skipped": "unknown"}  # fmt: skip
    for item in made.atoms:
        assert styles[item.atom_id] == kinds[item.outcome]
    assert {item.outcome for item in made.atoms} == {"passed", "failed", "na_guard", "skipped"}
    assert next(box for box in scene.boxes if box.name == "direction C-VF").style == "negative"


def test_boxes_do_not_overlap():
    """No two boxes of the example's trees share a place, and all are inside the drawing."""
    for tree in TREES:
        scene = tree_scene(tree)
        spans = [(b.at.x - b.width / 2, b.at.x + b.width / 2, b.at.y - b.height / 2,
                  b.at.y + b.height / 2) for b in scene.boxes]  # fmt: skip
        assert all(a >= 0 and b <= scene.width and c >= 0 and d <= scene.height
                   for a, b, c, d in spans)  # fmt: skip
        for number, (a, b, c, d) in enumerate(spans):
            for e, f, g, h in spans[number + 1 :]:
                assert b <= e or f <= a or d <= g or h <= c


@given(judged_trees())
def test_any_tree_is_drawn(judged):
    """Whatever the tree and its verdicts, the parts are there and the SVG is well-formed."""
    from graphkit.draw.svg import svg_text

    made = None
    try:
        made = break_down(judged.tree, table_of(judged), "A", settings=judged.settings)
    except RubricError as error:
        assert "there is no score to explain" in str(error)  # noqa: PT017
    scene = tree_scene(judged.tree, made)
    text = svg_text(scene)
    root = ElementTree.fromstring(text)
    assert len(root.findall(".//{*}rect")) == 1 + len(scene.boxes)
    assert sum(box.name.startswith("atom ") for box in scene.boxes) == len(judged.tree.atoms)


@given(judged_trees())
def test_breakdown_adds_up(judged):
    """Dimensions, directions and atoms each add up to the score, exactly."""
    try:
        made = break_down(judged.tree, table_of(judged), "A", settings=judged.settings)
    except RubricError:
        (report,) = score_reports([judged.tree], table_of(judged), systems=["A"],
                                  settings=judged.settings)  # fmt: skip
        assert report.status != "scored"
        return
    for parts in ([item.points for item in made.dimensions],
                  [item.points for item in made.directions],
                  [item.contribution for item in made.atoms]):  # fmt: skip
        assert sum(parts, Fraction(0)) == made.score
    weighted = [item.weight * (item.value or 0) * 100 for item in made.dimensions]
    assert weighted == [item.points for item in made.dimensions]


def test_pictures_are_the_same_in_another_process(tmp_path):
    """The bytes do not depend on the process, its hash seed or its working folder."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.rubric.test_pictures import draw_all\n"
        "from pathlib import Path\n"
        "draw_all(Path(sys.argv[2]))\n"
    )
    root = str(EXAMPLE.parents[1])
    draw_all(tmp_path / "here")
    outside = {"PYTHONHASHSEED": "7", "PATH": "", "HOME": str(tmp_path)}
    call = [sys.executable, "-c", code, root, str(tmp_path / "there")]
    subprocess.run(call, check=True, cwd=tmp_path, env=outside)
    names = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert len(names) == 9
    for name in names:
        one, two = tmp_path / "here" / name, tmp_path / "there" / name
        assert one.read_bytes() == two.read_bytes(), name


def draw_all(folder: Path) -> None:
    folder.mkdir()
    comparison = compare(score_table(REPORTS), replicates=200)
    moves = sensitivity(tau_points(["0.4", None]), grid_of(TREES, TABLE))
    rates = pass_rates(decisions(REPORTS, TREES), "direction")
    tree = tree_of("tram-lift")
    for kind in ("png", "svg"):
        forest(comparison, folder / f"forest.{kind}")
        rank_stability(moves, folder / f"ranks.{kind}")
        heat_map(rates, folder / f"heat.{kind}")
        draw_tree(tree, folder / f"tree.{kind}", break_down(tree, TABLE, "dune"))
    draw_trees_page([(tree, None)], folder / "page.html")


def test_odd_names_and_degenerate_tables(tmp_path):
    """Long names, other scripts and mathematics in names are drawn; one task, ties, failures."""
    names = ["系统 一", "a" * 200, "$x_1$ & <b>", "plain"]
    cells = [Cell("t1", name, 50.0) for name in names[:3]]
    cells.append(Cell("t1", "plain", None, CellState.FAILED))
    forest(compare(ScoreTable.build(cells), replicates=10), tmp_path / "f.png")
    assert (tmp_path / "f.png").stat().st_size > 5000
    answers = [dict.fromkeys(names, 50.0)] * 80
    moves = sensitivity(tau_points(["0.5"] * 79), lambda points: answers)
    rank_stability(moves, tmp_path / "r.svg")
    ElementTree.parse(tmp_path / "r.svg")


def test_nothing_to_draw_is_named(tmp_path):
    """An empty table, no rates, a tree without atoms, a wrong suffix: each is a clear mistake."""
    empty = compare(ScoreTable.build([Cell("t", "A", None, CellState.UNSCORED)]), replicates=5)
    with pytest.raises(InputError, match="no system has an average"):
        forest(empty, tmp_path / "f.png")
    with pytest.raises(InputError, match="no system has a rank"):
        rank_stability(sensitivity((), lambda points: [{"A": None}]), tmp_path / "r.png")
    with pytest.raises(InputError, match="no pass rate"):
        heat_map([], tmp_path / "h.png")
    with pytest.raises(InputError, match="task t: the tree has no atom"):
        tree_scene(parse_tree({"task_id": "t"}))
    with pytest.raises(InputError, match=re.escape("ends in neither .png nor .svg")):
        draw_tree(TREES[0], tmp_path / "t.gif")
    with pytest.raises(InputError, match="the score is of task"):
        tree_scene(TREES[0], break_down(TREES[1], TABLE, "aurora"))
    with pytest.raises(InputError, match="no rubric tree"):
        draw_trees_page([], tmp_path / "p.html")
    assert not list(tmp_path.iterdir())
