"""Agreement: the paper's rates, alpha and Spearman against known values, degenerate input."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.errors import InputError
from rubric.statistics.agreement import (
    agreement_report,
    inter_rater,
    item_correctness,
    krippendorff_alpha,
    machine_to_human,
    majority,
    mean_ratings,
    spearman,
    unanimity,
)
from rubric.statistics.measure import Status
from rubric.statistics.records import HumanLabel


def labels(kind, table, round=1, system=None):
    """Item to the labels of raters r0, r1, ..."""
    return [
        HumanLabel(
            item_id=item,
            kind=kind,
            task_id="t1",
            rater=f"r{n}",
            label=word,
            round=round,
            system=system,
        )
        for item, words in table.items()
        for n, word in enumerate(words)
    ]


def test_item_correctness_is_over_judgments_and_unanimity_over_items():
    """Six judgments, four correct; of two items one is unanimous."""
    found = labels("fact", {"f1": ["correct"] * 3, "f2": ["correct", "incorrect", "incorrect"]})
    assert item_correctness(found).value == 4 / 6
    assert unanimity(found).value == 0.5


def test_unanimity_needs_three_reviewers():
    """An item with two labels is not reviewed by all three; alone, it has no unanimity."""
    assert unanimity(labels("atom", {"a": ["yes", "yes"]})).status is Status.NO_OVERLAP
    assert unanimity(labels("atom", {"a": ["yes", "yes"]}), raters=2).value == 1.0
    assert unanimity(labels("atom", {"a": ["yes"]})).status is Status.ONE_RATER
    assert unanimity([]).status is Status.EMPTY
    with pytest.raises(InputError):
        inter_rater(labels("decision", {"a": ["yes"]}), raters=1)


def test_an_even_vote_has_no_majority():
    """Two against two decides nothing."""
    assert majority(["yes", "yes", "no", "no"]) is None
    assert majority(["yes", "no", "na"]) is None


def test_comparable_decisions_are_all_yes_or_no():
    """One na takes the decision out of both rates."""
    found = labels(
        "decision", {"a": ["yes"] * 3, "b": ["yes", "yes", "no"], "c": ["yes", "yes", "na"]}
    )
    assert inter_rater(found).value == 0.5
    machine = {("t1", "", "a"): "yes", ("t1", "", "b"): "no", ("t1", "", "c"): "yes"}
    assert machine_to_human(machine, found).value == 0.5
    assert machine_to_human({("t1", "", "a"): "skipped"}, found).status is Status.NO_OVERLAP


def test_an_even_human_vote_is_not_compared():
    """With four raters two against two is no label that a machine could match."""
    found = labels("decision", {"a": ["yes", "yes", "no", "no"]})
    assert machine_to_human({("t1", "", "a"): "yes"}, found).status is Status.TIED


def test_systems_are_kept_apart():
    """The same atom judged on two reports is two decisions."""
    found = [
        *labels("decision", {"a": ["yes"] * 3}, system="A"),
        *labels("decision", {"a": ["no"] * 3}, system="B"),
    ]
    machine = {("t1", "A", "a"): "yes", ("t1", "B", "a"): "yes"}
    assert machine_to_human(machine, found).value == 0.5
    assert machine_to_human(machine, found).count == 2


def test_alpha_of_the_standard_example():
    """Krippendorff's own example with missing values: 0.691 nominal, 0.811 interval."""
    rows = [
        "* * * * * 3 4 1 2 1 1 3 3 * 3",
        "1 * 2 1 3 3 4 3 * * * * * * *",
        "* * 2 1 3 4 4 * 2 1 1 3 3 * 4",
    ]
    ratings = [
        (f"r{n}", f"i{place}", int(value))
        for n, row in enumerate(rows)
        for place, value in enumerate(row.split())
        if value != "*"
    ]
    assert krippendorff_alpha(ratings).value == pytest.approx(0.691358, abs=1e-6)
    assert krippendorff_alpha(ratings, "interval").value == pytest.approx(0.810845, abs=1e-6)


@pytest.mark.parametrize(
    ("ratings", "status"),
    [
        ([], Status.EMPTY),
        ([("a", "1", "yes"), ("a", "2", "no")], Status.ONE_RATER),
        ([("a", "1", "yes"), ("b", "2", "no")], Status.NO_OVERLAP),
        ([("a", "1", "yes"), ("b", "1", "yes")], Status.CONSTANT),
    ],
)
def test_alpha_of_degenerate_input_is_named(ratings, status):
    """No rater to compare, nothing shared, nothing that varies: a name, never NaN."""
    found = krippendorff_alpha(ratings)
    assert (found.value, found.status) == (None, status)


def test_alpha_refuses_what_it_cannot_use():
    """A rater twice, a NaN, a word on a scale of numbers."""
    for ratings, scale in (
        ([("a", "1", 1), ("a", "1", 2)], "nominal"),
        ([("a", "1", float("nan")), ("b", "1", 2)], "interval"),
        ([("a", "1", "yes"), ("b", "1", 2)], "interval"),
        ([("a", "1", -1), ("b", "1", 2)], "ratio"),
    ):
        with pytest.raises(InputError):
            krippendorff_alpha(ratings, scale)


def test_spearman_by_hand():
    """Ties get mean ranks."""
    assert spearman([(1, 1), (2, 2), (3, 3)]).value == pytest.approx(1)
    assert spearman([(1, 2), (2, 2), (3, 5)]).value == pytest.approx(0.8660254)


def test_spearman_of_degenerate_input_is_named():
    """No pair, one pair, a side that does not vary."""
    assert spearman([]).status is Status.EMPTY
    assert spearman([(1, 2)]).status is Status.TOO_FEW
    assert spearman([(1, 2), (1, 3)]).status is Status.CONSTANT
    with pytest.raises(InputError):
        spearman([(1, float("nan")), (2, 3)])


@given(
    st.lists(st.sampled_from(["yes", "no", "na", "skipped"]), max_size=12),
    st.integers(1, 4),
    st.integers(2, 4),
)
@settings(max_examples=60, deadline=None)
def test_no_statistic_is_ever_nan(words, raters, needed):
    """Any labels at all give a value or a named status."""
    table: dict[str, list[str]] = {}
    for place, word in enumerate(words):
        table.setdefault(f"i{place // raters}", []).append(word)
    found = agreement_report(labels("decision", table), raters=needed)
    for measure in (
        found.inter_rater,
        found.machine,
        found.alpha,
        found.holistic_alpha,
        found.correlation,
    ):
        if measure.value is None:
            assert measure.status is not Status.OK
        else:
            assert math.isfinite(measure.value)


def test_holistic_ratings_against_scores():
    """Mean rating of each report, then Spearman; two rounds of artifact checks stay apart."""
    holistic = [
        HumanLabel(
            item_id="report",
            kind="holistic",
            task_id=f"t{n}",
            rater=f"r{k}",
            rating=value,
            system="A",
        )
        for n, values in enumerate([(1, 2), (3, 4), (5, 5)])
        for k, value in enumerate(values)
    ]
    assert mean_ratings(holistic)["t0", "A"].value == 1.5
    checks = [
        *labels("fact", {"f": ["correct"] * 3}),
        *labels("fact", {"f": ["incorrect"] * 3}, round=2),
    ]
    found = agreement_report(
        [*holistic, *checks], scores={("t0", "A"): 10.0, ("t1", "A"): 5.0, ("t2", "A"): 90.0}
    )
    assert found.correlation.value == pytest.approx(0.5)
    assert {number: pair[0].value for number, pair in found.rounds.items()} == {1: 1.0, 2: 0.0}
    assert found.to_record()["rounds"][1]["unanimity"]["value"] == 1.0
