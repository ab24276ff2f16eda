"""Score tables: what counts as a failure; wins and losses; completion apart from quality."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import InputError
from rubric.statistics.measure import Status
from rubric.statistics.paired import completion, paired_record
from rubric.statistics.table import Cell, CellState, ScoreTable

FAILED = CellState.FAILED


def test_all_task_average_is_success_rate_times_successful_average():
    """The identity by which the paper's 63.3 is 96.0 % of 66.0."""
    table = ScoreTable.build(
        [
            Cell("t1", "A", 60.0),
            Cell("t2", "A", 30.0),
            Cell("t3", "A", None, FAILED),
            Cell("t4", "A", None, FAILED),
            Cell("t5", "A", None, CellState.UNSCORED),
        ]
    )
    assert table.average("A").value == 22.5
    assert table.average_successful("A").value == 45.0
    assert table.success_rate("A").value == 0.5
    assert table.counts("A") == {"scored": 2, "failed": 2, "unscored": 1, "not_run": 0}


def test_average_is_exact():
    """Three thirds are one: the mean is of fractions, rounded once."""
    cells = [Cell(f"t{n}", "A", Fraction(1, 3)) for n in range(3)]
    assert ScoreTable.build(cells).average("A").value == 1 / 3
    cells = [Cell(f"t{n}", "A", value) for n, value in enumerate([1e16, 1.0, -1e16, 1.0])]
    assert ScoreTable.build(cells).average("A").value == 0.5


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None, True, "80"])
def test_a_score_is_a_finite_number(score):
    """NaN never reaches an average, and text is no number."""
    with pytest.raises(InputError, match="task t1, system A"):
        ScoreTable.build([Cell("t1", "A", score)])


def test_every_wrong_cell_is_named():
    """A pair scored twice and a failure with a score are both reported."""
    with pytest.raises(InputError) as caught:
        ScoreTable.build([Cell("t1", "A", 1.0), Cell("t1", "A", 2.0), Cell("t2", "A", 3.0, FAILED)])
    assert len(caught.value.problems) == 2


@given(st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * 2), max_size=8))
def test_wins_ties_and_losses_add_up(pairs):
    """Every task that both were run on is exactly one of the three."""
    cells = [
        Cell(
            f"t{n}",
            name,
            None if score is None else float(score),
            FAILED if score is None else CellState.SCORED,
        )
        for n, pair in enumerate(pairs)
        for name, score in zip("AB", pair, strict=True)
    ]
    record = paired_record(ScoreTable.build(cells), "A", "B")
    assert record.wins + record.ties + record.losses == len(pairs)
    assert record.wins == sum((a or 0) > (b or 0) for a, b in pairs)


def test_completion_is_an_exact_test():
    """Six tasks that only A completes: two-sided 2 / 2**6."""
    cells = [Cell(f"t{n}", "A", 10.0) for n in range(8)]
    cells += [
        Cell(f"t{n}", "B", 90.0 if n > 5 else None, CellState.SCORED if n > 5 else FAILED)
        for n in range(8)
    ]
    found = completion(ScoreTable.build(cells), "A", "B")
    assert (found.only_a, found.only_b, found.p_value.value) == (6, 0, 2 / 64)
    assert (found.a.value, found.b.value) == (1.0, 0.25)


def test_completion_of_equals_is_named():
    """Nothing to tell apart: p is 1 and the status says why; no task at all has no p."""
    table = ScoreTable.build([Cell("t1", "A", 1.0), Cell("t1", "B", 2.0)])
    assert completion(table, "A", "B").p_value.status is Status.CONSTANT
    lone = ScoreTable.build([Cell("t1", "A", 1.0), Cell("t2", "B", 2.0)])
    assert completion(lone, "A", "B").p_value.status is Status.EMPTY
    assert completion(lone, "A", "B").a.status is Status.EMPTY
