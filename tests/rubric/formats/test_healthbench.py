"""Point lists: the unclipped example score, the clipped mean, no silent zero."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubric.errors import RubricError
from rubric.formats import PointItem, PointList, clipped_mean, import_text


def example(name="e1", *points, met=None, **more):
    rows = [
        {"criterion": f"c{n}", "points": value, "tags": ["axis:x"]}
        for n, value in enumerate(points, start=1)
    ]
    for row, flag in zip(rows, met or [], strict=False):
        row["criteria_met"] = flag
    return {
        "prompt_id": name,
        "prompt": [{"role": "user", "content": "Help"}],
        "rubrics": rows,
        **more,
    }


def load(*examples):
    return import_text("\n".join(map(json.dumps, examples)), None, "h.jsonl")


def test_score_as_healthbench_has_it():
    """7, 5, 10, -6 with 7, 10 and the penalty met: 11 of 22."""
    found = load(example("e1", 7, 5, 10, -6, met=[True, False, True, True]))
    (points,) = found.rubrics
    assert found.format == "healthbench"
    assert points.score() == Fraction(1, 2)
    assert points.title == "Help"
    assert points.items[3].tags == ("axis:x",)


def test_examples_are_not_clipped_their_mean_is():
    """-2 and 1 average to -1/2, clipped to 0; clipping each first would say 1/2."""
    low = PointList("a", (PointItem("1", "?", Fraction(1)), PointItem("2", "?", Fraction(-2))))
    assert low.score({"1": False, "2": True}) == -2
    assert clipped_mean([Fraction(-2), Fraction(1)]).value == 0.0
    assert clipped_mean([]).status.value == "empty"


@given(st.lists(st.tuples(st.integers(-10, 10), st.booleans()), min_size=1, max_size=12))
def test_equals_the_formula(rows):
    """Points met by positive points, in any order; without positive points there is no score."""
    items = tuple(PointItem(str(n), "?", Fraction(p), met) for n, (p, met) in enumerate(rows))
    possible = sum(p for p, _ in rows if p > 0)
    if not possible:
        with pytest.raises(RubricError, match="no criterion with positive points"):
            PointList("e", items)
        return
    want = Fraction(sum(p for p, met in rows if met), possible)
    assert PointList("e", items).score() == PointList("e", items[::-1]).score() == want
    assert want <= 1


def test_a_missing_decision_is_an_error():
    """A criterion that no judge answered is neither met nor unmet."""
    (points,) = load(example("e1", 5, 5)).rubrics
    with pytest.raises(RubricError) as caught:
        points.score({"1": True, "9": True})
    assert {problem.code for problem in caught.value.problems} == {"unknown_id", "no_score"}
    with pytest.raises(RubricError):
        points.score()


@pytest.mark.parametrize(
    "row",
    [
        {"criterion": "x", "points": float("nan")},
        {"criterion": "x", "points": "5"},
        {"criterion": "x"},
        {"points": 5},
        "x",
        {"criterion": "x", "points": 1, "criteria_met": "yes"},
    ],
)
def test_a_broken_row_is_named(row):
    """The example is refused with the place of the row; the other is read."""
    bad = example("e1", 5)
    bad["rubrics"].append(row)
    found = load(bad, example("e2", 5))
    assert [item.id for item in found.rubrics] == ["e2"]
    assert {(problem.line, problem.subject) for problem in found.problems} == {
        (1, "example e1, item 2")
    }


def test_lists_without_score_and_ids_twice_are_named():
    """Only penalties, no rows, an id on two lines, an item id twice."""
    twice = example("e5", 1, 2)
    for row in twice["rubrics"]:
        row["id"] = "same"
    found = load(example("e1", -5), example("e2"), example("e3", 1), example("e3", 2), twice)
    assert [item.id for item in found.rubrics] == ["e3"]
    assert [problem.code for problem in found.problems] == [
        "no_points",
        "empty_children",
        "duplicate_id",
        "duplicate_id",
    ]


def test_round_trip():
    """Written in HealthBench's form and read back, decimals kept."""
    (points,) = load(example("e1", 2.5, -1, met=[True, False])).rubrics
    (again,) = import_text(json.dumps(points.to_record())).rubrics
    assert again.items == points.items
