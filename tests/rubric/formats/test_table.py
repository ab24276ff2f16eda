"""Tables of criteria: trees by parent, point lists, every row that cannot be used named."""

from __future__ import annotations

from fractions import Fraction

import pytest

from graphkit.errors import FormatError
from rubric.formats import PointList, import_text


def load(text):
    return import_text(text, None, "dir/rubric.csv")


def test_flat_weights():
    """Rows without parents stand below a root; decimals are exact."""
    found = load('id,criterion,weight\na,Is it so?,0.1\nb,"And, this?",0.3\n')
    (tree,) = found.trees
    assert (found.format, tree.id, tree.root) == ("csv", "rubric", "task:rubric")
    assert tree.effective_weights == {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert tree.by_id["b"].text == "And, this?"


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_parents_tasks_and_scores(mark):
    """Children may stand before their parents; each task is a tree of its own."""
    rows = [
        "Task ID,ID,Parent,Question,Weight,Score,note".replace("Task ID", "task_id"),
        "t1,a,g,?,1,1,kept",
        "t1,g,,group,2,,",
        "t1,b,g,?,3,0,",
        "t2,a,,?,1,0.5,",
    ]
    found = import_text("\n".join(rows).replace(",", mark))
    first, second = found.trees
    assert first.root == "g"
    assert first.aggregate().score == Fraction(1, 4)
    assert first.by_id["a"].extra == {"note": "kept"}
    assert second.aggregate().score == Fraction(1, 2)


def test_points():
    """A column of points makes point lists, with decisions where they are there."""
    found = load("id,criterion,points,met\n1,?,5,yes\n2,?,-2,true\n3,?,5,0\n")
    (points,) = found.rubrics
    assert isinstance(points, PointList)
    assert points.score() == Fraction(3, 10)


def test_every_bad_row_is_named_and_nothing_is_scored_without_it():
    """Line, id and reason; the table gives no tree."""
    found = load(
        "id,criterion,weight,parent\na,?,nan,\nb,?,-1,\nc,?,,\nd,?,x,\ne,?,1,z\n"
        "f,?,1,\nf,?,1,\n,?,1,\n"
    )
    assert not found.rubrics
    assert [(problem.line, problem.code) for problem in found.problems] == [
        (8, "duplicate_id"),
        (9, "no_id"),
        (2, "weight"),
        (3, "weight"),
        (4, "weight"),
        (5, "weight"),
        (6, "dangling"),
    ]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("id,criterion,weight\na,?,0\nb,?,0\n", "weigh 0"),
        ("id,criterion,weight,parent\na,?,1,b\nb,?,1,a\n", "own ancestor"),
        ("id,criterion,weight\na,?\n", "fewer cells"),
        ("id,criterion,weight\na,?,1,2\n", "more cells"),
        ("id,criterion,points\na,?,-1\n", "no criterion with positive points"),
        ("id,criterion,points,met\na,?,1,maybe\n", "'maybe' is not one of"),
        ("id,criterion,weight,score\na,?,1,2\n", "outside 0 to 1"),
    ],
)
def test_refused_tables(text, word):
    """Cycles, rows of another length, sums of 0, odd decisions."""
    found = load(text)
    assert not found.rubrics
    assert word in str(found.problems[0])


def test_a_table_without_weights_is_no_rubric():
    """Named column and expectation, not a table of equal weights."""
    with pytest.raises(FormatError, match="expected weight or points"):
        import_text("id,criterion\na,?\n", "csv")
    with pytest.raises(FormatError, match="not UTF-8"):
        import_text(b"id,criterion,weight\n\xff,?,1\n", "csv")
