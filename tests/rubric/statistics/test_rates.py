"""Rates by direction and level in three aggregations; group means; matched arms; failures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from graphkit.errors import InputError
from rubric.statistics.matched import matched_comparison
from rubric.statistics.measure import Status
from rubric.statistics.rates import (
    Decision,
    category_means,
    failure_outcomes,
    pass_rates,
    query_form_means,
)
from rubric.statistics.table import Cell, CellState, ScoreTable


def decide(system, task, direction, *outcomes, level="L1"):
    return [
        Decision(task, system, f"{direction}{n}", direction, level, outcome)
        for n, outcome in enumerate(outcomes)
    ]


def test_three_aggregations_differ():
    """A: reports at 1/1 and 0/3; B: 1/2. Configuration mean, mean of those, pooled atoms."""
    (row,) = pass_rates(
        [
            *decide("A", "t1", "C-FC", 1),
            *decide("A", "t2", "C-FC", 0, 0, 0),
            *decide("B", "t1", "C-FC", 1, 0),
        ],
        "direction",
    )
    assert row.configurations["A"].value == 0.5
    assert row.configurations["B"].value == 0.5
    assert row.mean_over_configurations.value == 0.5
    assert row.pooled.value == 2 / 6


def test_na_and_skipped_are_in_no_denominator():
    """None is neither passed nor failed; a direction of a system without any decision is empty."""
    rows = pass_rates(
        [
            *decide("A", "t1", "C-FC", 1, None),
            *decide("A", "t1", "R-CS", None),
            *decide("B", "t1", "R-CS", 1),
        ],
        "direction",
    )
    by_key = {row.key: row for row in rows}
    assert by_key["C-FC"].pooled.value == 1.0
    assert by_key["C-FC"].configurations["B"].status is Status.EMPTY
    assert by_key["R-CS"].configurations["A"].value is None
    assert by_key["R-CS"].mean_over_configurations.count == 1


def test_levels():
    """By level, an atom without a level is left out."""
    rows = pass_rates(
        [*decide("A", "t1", "C-FC", 1, 0, level="L2"), *decide("A", "t2", "P-NAV", 1, level=None)],
        "level",
    )
    assert [(row.key, row.pooled.value) for row in rows] == [("L2", 0.5)]


def test_bad_decisions_are_named():
    """An outcome of 2 and an atom twice in a report are errors, both listed."""
    with pytest.raises(InputError) as caught:
        pass_rates(
            [
                *decide("A", "t1", "C-FC", 2),
                *decide("A", "t2", "C-FC", 1),
                *decide("A", "t2", "C-FC", 1),
            ],
            "direction",
        )
    assert len(caught.value.problems) == 2


TABLE = ScoreTable.build(
    [
        Cell("t1", "A", 60.0),
        Cell("t2", "A", None, CellState.FAILED),
        Cell("t3", "A", 30.0),
        Cell("t1", "B", 50.0),
        Cell("t2", "B", 40.0),
        Cell("t3", "B", None, CellState.FAILED),
    ]
)
GROUPS = {"t1": "K", "t2": "K", "t3": "C"}


def test_category_means_leave_failures_out():
    """Table 4: successful reports only; a group where a system never succeeds says so."""
    consumer, knowledge = category_means(TABLE, GROUPS)
    assert knowledge.systems["A"].value == 60.0
    assert knowledge.systems["B"].value == 45.0
    assert (knowledge.mean_over_systems.value, knowledge.pooled.value) == (52.5, 50.0)
    assert consumer.systems["B"].status is Status.ALL_FAILED
    assert consumer.mean_over_systems.value == 30.0


def test_query_form_means_count_failures_as_zero():
    """Table 18: all-task means."""
    consumer, knowledge = query_form_means(TABLE, GROUPS)
    assert knowledge.systems["A"].value == 30.0
    assert consumer.pooled.value == 15.0


def test_a_task_without_a_group_is_named():
    """No task falls silently out of a table."""
    with pytest.raises(InputError, match="task t3: has no category"):
        category_means(TABLE, {"t1": "K", "t2": "K"})


def test_matched_comparison_uses_shared_models_and_tasks():
    """Quality is a mean over models, process figures medians of model medians."""
    cells = [
        Cell(task, system, score)
        for system, scores in {
            "cc-m1": (60.0, 40.0),
            "cc-m2": (20.0, 40.0),
            "cx-m1": (50.0, 50.0),
            "cx-m2": (30.0, 30.0),
            "cc-m3": (99.0, 99.0),
        }.items()
        for task, score in zip(("t1", "t2"), scores, strict=True)
    ]
    steps = {"cc-m1": [1, 2, 9], "cc-m2": [4], "cx-m1": [], "cx-m2": [7, 8]}
    claude, codex = matched_comparison(
        ScoreTable.build(cells),
        {
            "Claude Code": {"m1": "cc-m1", "m2": "cc-m2", "m3": "cc-m3"},
            "Codex": {"m1": "cx-m1", "m2": "cx-m2"},
        },
        {"steps": steps},
    )
    assert claude.models == ("m1", "m2")
    assert (claude.quality.value, codex.quality.value) == (40.0, 40.0)
    assert (claude.process["steps"].value, codex.process["steps"].value) == (3.0, 7.5)
    assert codex.process["steps"].count == 1
    with pytest.raises(InputError, match="system nobody"):
        matched_comparison(TABLE, {"x": {"m": "nobody"}})


def test_matched_comparison_of_nothing_is_named():
    """Arms without a shared model have no quality, not 0."""
    found = matched_comparison(TABLE, {"x": {"m1": "A"}, "y": {"m2": "B"}}, {"steps": {}})
    assert found[0].quality.status is Status.EMPTY
    assert found[0].process["steps"].status is Status.EMPTY


def test_failures_by_outcome():
    """Shares of the labelled ones; the unlabelled are counted apart and never guessed."""
    found = failure_outcomes(["omitted", "Omitted", "detail-missing", None])
    assert found["omitted"].value == float(Fraction(2, 3))
    assert found["contradicted"].value == 0.0
    assert found["unlabelled"].value == 0.25
    assert failure_outcomes([])["omitted"].status is Status.EMPTY
    with pytest.raises(InputError, match="did you mean omitted"):
        failure_outcomes(["omited"])
