"""Sensitivity: ranks with ties, changes against the released setting, one group at a time."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import InputError
from rubric.statistics.sensitivity import (
    Point,
    kappa_points,
    rank,
    sensitivity,
    tau_points,
    weight_points,
)


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3), st.none() | st.integers(0, 4).map(float)
    )
)
def test_ranks_share_the_best(averages):
    """A rank is one more than the number of systems strictly above."""
    ranks = rank(averages)
    present = [value for value in averages.values() if value is not None]
    for system, value in averages.items():
        want = None if value is None else 1 + sum(other > value for other in present)
        assert ranks[system] == want


def test_noise_of_the_vectorised_scorer_is_a_tie():
    """Two averages 1e-12 apart are equal; 1e-6 apart they are not."""
    assert rank({"A": 50.0, "B": 50.0 + 1e-12}) == {"A": 1, "B": 1}
    assert rank({"A": 50.0, "B": 50.0 + 1e-6}) == {"A": 2, "B": 1}


def test_changes_are_against_the_released_setting():
    """A falls from 1 to 3 under one cap, nobody moves under the other."""
    base = {"A": 60.0, "B": 50.0, "C": 40.0}
    answers = {
        "released": base,
        "kappa 5": {"A": 30.0, "B": 50.0, "C": 40.0},
        "kappa none": {"A": 61.0, "B": 50.0, "C": 40.0},
    }
    found = sensitivity(
        kappa_points([5, None]), lambda points: [answers[point.label] for point in points]
    )
    assert found.released.ranks == {"A": 1, "B": 2, "C": 3}
    assert found.rows[0].changes == {"A": 2, "B": -1, "C": -1}
    assert (found.rows[0].largest_change, found.rows[0].score_change) == (2, 30.0)
    assert found.largest_change == {"kappa": 2}
    assert not found.same_top(1)


def test_the_scorer_is_asked_once_for_all_points():
    """One call with the released setting first, so that a vectorised scorer can batch."""
    calls = []

    def grid(points):
        calls.append([point.label for point in points])
        return [{"A": 1.0}] * len(points)

    sensitivity([*tau_points(["0.5"]), *kappa_points([3])], grid)
    assert calls == [["released", "tau 0.5", "kappa 3"]]


def test_systems_without_a_score_have_no_rank():
    """None stays None: no rank, no change, and no crash when nobody has a score."""
    found = sensitivity(
        tau_points([None]), lambda points: [{"A": None, "B": 5.0}, {"A": 3.0, "B": None}]
    )
    assert found.rows[0].ranks == {"A": 1, "B": None}
    assert found.rows[0].largest_change is None
    assert found.to_record()["settings"][0]["score_change"] is None


def test_points_are_exact_and_checked():
    """0.35 is 7/20; what lies outside its domain is refused before anything is scored."""
    assert tau_points([0.35])[0].tau == {"*": Fraction(7, 20)}
    assert kappa_points([4], "C-FC")[0].label == "kappa C-FC 4"
    triples = weight_points(4)
    assert len(triples) == 15
    assert all(sum(point.weights.values()) == 1 for point in triples)
    for wrong in (
        lambda: tau_points([0]),
        lambda: tau_points([1.2]),
        lambda: kappa_points([0]),
        lambda: kappa_points([True]),
        lambda: kappa_points([2.5]),
        lambda: weight_points([(0, 0, 0)]),
        lambda: weight_points([(1, -1, 1)]),
        lambda: weight_points([(1, 1)]),
        lambda: weight_points([(float("nan"), 1, 1)]),
        lambda: weight_points(0),
    ):
        with pytest.raises(InputError):
            wrong()


def test_one_group_at_a_time():
    """A point that changes weights and caps together is refused."""
    both = Point("lambda", "both", {"content": Fraction(1)}, kappa={"*": 3})
    with pytest.raises(InputError, match="one at a time"):
        sensitivity([both], lambda points: [])


def test_a_scorer_that_loses_systems_is_noticed():
    """An answer for other systems than the first is an error, never a shorter table."""
    with pytest.raises(InputError):
        sensitivity(tau_points(["0.5"]), lambda points: [{"A": 1.0, "B": 2.0}, {"A": 1.0}])
    with pytest.raises(InputError):
        sensitivity(tau_points(["0.5"]), lambda points: [{"A": 1.0}])
