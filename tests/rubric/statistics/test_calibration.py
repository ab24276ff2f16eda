"""Calibration: strict inequalities in exact decimals, stability of R2, incomplete tasks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import InputError
from rubric.statistics.calibration import calibrate
from rubric.statistics.measure import Status
from rubric.statistics.records import CalibrationLine


def scores(*values, task="t1"):
    return [
        CalibrationLine(task_id=task, report=f"R{n}", score=value)
        for n, value in enumerate(values, start=1)
        if value is not None
    ]


def verdicts(*runs, task="t1"):
    """One string a run: y, n, - (na), ? (skipped), a blank for no line."""
    words = {"y": "yes", "n": "no", "-": "na", "?": "skipped"}
    return [
        CalibrationLine(
            task_id=task, report="R2", run=run, atom_id=f"a{place}", verdict=words[sign]
        )
        for run, signs in enumerate(runs, start=1)
        for place, sign in enumerate(signs)
        if sign != " "
    ]


def test_the_gain_is_strict_and_exact():
    """20.1 - 10.1 is 10 exactly, not above 10, although doubles say 10.000000000000002."""
    assert 20.1 - 10.1 > 10
    (task,) = calibrate(scores(10.1, 15, 20.1), 10).tasks
    assert (task.increasing, task.enough, task.passed, task.gain) == (True, False, False, 10.0)
    assert calibrate(scores(10.1, 15, 20.2), 10).tasks[0].passed


@pytest.mark.parametrize("values", [(10, 10, 40), (10, 40, 40), (20, 10, 40), (40, 30, 20)])
def test_the_order_is_strict(values):
    """Equal scores do not increase."""
    assert calibrate(scores(*values), 5).tasks[0].increasing is False


def test_a_missing_score_is_named():
    """Without R2 there is no order to speak of, and the task has not passed."""
    found = calibrate(scores(10, None, 40), 5)
    (task,) = found.tasks
    assert (task.status, task.missing, task.increasing) == (Status.INCOMPLETE, ("R2",), None)
    assert task.gain == 30.0
    assert found.failed == (task,)


def test_several_runs_count_with_their_mean():
    """Three scorings of R2: their mean enters the comparison."""
    runs = [
        CalibrationLine(task_id="t1", report="R2", run=n, score=value)
        for n, value in enumerate([20, 30, 31], start=1)
    ]
    (task,) = calibrate([*scores(10, None, 40), *runs], 5).tasks
    assert (task.scores["R2"], task.passed) == (27.0, True)


def test_non_unanimity_is_averaged_over_tasks():
    """Task 1: one of four decided atoms differs; task 2: none of one. Mean 1/8."""
    found = calibrate(
        [*verdicts("yyny?", "yyny-", "ynny "), *verdicts("y", "y", "y", task="t2")], 5
    )
    assert [task.non_unanimity.value for task in found.tasks] == [0.25, 0.0]
    assert found.tasks[0].incomparable == 1
    assert found.non_unanimity.value == 0.125


def test_a_judge_failure_is_no_disagreement():
    """yes, yes, skipped is not comparable, neither unanimous nor not."""
    (task,) = calibrate(verdicts("y", "y", "?"), 5).tasks
    assert task.non_unanimity.status is Status.EMPTY


def test_one_scoring_has_no_stability():
    """A single run is named, not called unanimous."""
    assert calibrate(verdicts("yn"), 5).tasks[0].non_unanimity.status is Status.ONE_RATER
    assert calibrate([], 5).non_unanimity.status is Status.EMPTY
    assert calibrate([], 5).to_record()["passed"] is False


def test_votes_beat_the_verdict_and_a_tie_is_skipped():
    """As everywhere: rubric-scoring.md, section 1."""
    lines = [
        CalibrationLine(task_id="t1", report="R2", run=run, atom_id="a", verdict="no", votes=votes)
        for run, votes in enumerate([("yes", "yes", "no"), ("yes", "no")], start=1)
    ]
    assert calibrate(lines, 5).tasks[0].incomparable == 1


def test_verdict_runs_are_scored_by_the_callable():
    """A run without a score line is scored from its verdicts."""
    found = calibrate(
        [*scores(10, None, 90), *verdicts("yn", "yy")],
        5,
        scorer=lambda task, table: 50.0 * sum(v == "yes" for v in table.values()),
    )
    assert found.tasks[0].scores["R2"] == 75.0
    assert found.tasks[0].passed


def test_duplicates_and_bad_deltas_are_errors():
    """Two scores of one run, two verdicts of one atom, a negative or NaN minimum."""
    with pytest.raises(InputError, match="two scores"):
        calibrate([*scores(10, 20, 30), *scores(11)], 5)
    with pytest.raises(InputError, match="two verdicts"):
        calibrate([*verdicts("y"), *verdicts("n")], 5)
    for delta in (-1, float("nan"), "x"):
        with pytest.raises(InputError):
            calibrate([], delta)


@given(st.lists(st.sampled_from(["y", "n"]), min_size=1, max_size=6).map("".join))
def test_three_equal_scorings_are_unanimous(run):
    """Whatever the decisions, repeating them gives 0."""
    assert calibrate(verdicts(run, run, run), 5).non_unanimity.value == 0.0
