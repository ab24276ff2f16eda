"""From scored reports to tables, decisions and sensitivity grids, with the scorer itself."""

from __future__ import annotations

from fractions import Fraction

import pytest

from graphkit.errors import InputError
from rubric.score import score_reports
from rubric.settings import Overrides
from rubric.statistics import (
    CalibrationLine,
    CellState,
    calibrate,
    calibration_scorer,
    compare,
    decisions,
    kappa_points,
    machine_decisions,
    pass_rates,
    score_table,
    sensitivity,
    table_from_records,
    tau_points,
    weight_points,
)
from rubric.statistics.regrading import grid_of
from rubric.tree_reader import parse_tree
from rubric.verdicts import VerdictTable


def atoms(direction, count, fact=None):
    return [
        {
            "id": f"{direction}{n}",
            "direction": direction,
            "question": "?",
            "expected": "yes",
            "evaluator": "J",
            "level": "L1",
            "fact_ids": [f"{fact}{n}"] if fact else [],
        }
        for n in range(count)
    ]


TREES = [
    parse_tree(
        {
            "task_id": f"t{n}",
            "directions": ["C-FC", "R-CS", "P-NAV"],
            "atoms": [*atoms("C-FC", 6 + n, "f"), *atoms("R-CS", 3, "f"), *atoms("P-NAV", 2)],
        }
    )
    for n in range(3)
]


def line(task, system, atom, verdict):
    return {"task_id": task, "system": system, "atom_id": atom, "verdict": verdict}


def verdicts():
    lines = []
    for tree in TREES:
        for place, system in enumerate("ABC"):
            if (tree.task_id, system) == ("t2", "B"):
                lines.append({"task_id": "t2", "system": "B", "report": "missing"})
                continue
            if (tree.task_id, system) == ("t1", "C"):
                continue
            for number, atom in enumerate(tree.atoms):
                word = (
                    "skipped"
                    if number == 7
                    else "yes"
                    if (number * 7 + place * 3 + int(tree.task_id[1])) % 5 < 2
                    else "no"
                )
                lines.append(line(tree.task_id, system, atom.id, word))
    return VerdictTable.from_lines(lines)


def test_states_of_reports():
    """Missing is a failure with 0, a pair without a line is not run: never the same."""
    table = score_table(score_reports(TREES, verdicts()))
    assert table.state("t2", "B") is CellState.FAILED
    assert table.state("t1", "C") is CellState.NOT_RUN
    assert table.value("t2", "B") == 0
    assert table.average("C").count == 2


def test_records_give_the_same_table():
    """A scores file holds what the scored reports hold, exactly."""
    reports = score_reports(TREES, verdicts())
    assert table_from_records(report.to_dict() for report in reports) == score_table(reports)
    assert compare(score_table(reports), replicates=20).pairs


def test_bad_records_are_named():
    """Unknown status, no system, a ratio that is none: all at once."""
    with pytest.raises(InputError) as caught:
        table_from_records(
            [
                {"task_id": "t", "score": 1},
                {"task_id": "t", "system": "A", "status": "scord", "score": 1},
                {
                    "task_id": "t",
                    "system": "B",
                    "status": "scored",
                    "score": 1,
                    "score_exact": "1/0",
                },
            ]
        )
    assert len(caught.value.problems) == 3
    assert "did you mean scored" in str(caught.value)


def test_a_record_without_status_is_scored_when_it_has_a_score():
    """The documented scores file has no status."""
    table = table_from_records(
        [
            {"task_id": "t", "system": "A", "score": 12.5},
            {"task_id": "u", "system": "A", "score": None},
        ]
    )
    assert table.value("t", "A") == Fraction(25, 2)
    assert table.state("u", "A") is CellState.UNSCORED


def test_decisions_leave_failed_reports_and_open_atoms_out():
    """Skipped atoms and atoms that the guard removed have no outcome; missing reports none."""
    reports = score_reports(TREES, verdicts())
    found = list(decisions(reports, TREES))
    assert not [item for item in found if (item.task_id, item.system) == ("t2", "B")]
    for report in reports:
        for item in found:
            if (item.task_id, item.system) == (report.task_id, report.system):
                want = {"passed": 1, "failed": 0}.get(report.outcomes[item.atom_id])
                assert item.outcome == want
    rows = {row.key: row for row in pass_rates(found, "direction")}
    passed = sum(item.outcome or 0 for item in found if item.direction == "C-FC")
    scored = sum(item.outcome is not None for item in found if item.direction == "C-FC")
    assert rows["C-FC"].pooled.value == passed / scored
    assert [row.key for row in pass_rates(found, "level")]
    with pytest.raises(InputError, match="has no tree"):
        list(decisions(reports, TREES[:1]))


def test_grid_equals_scoring_each_point_by_itself():
    """The vectorised grid against the exact scorer under the same overrides, guard rerun."""
    points = [
        *tau_points(["0.2", "1", None]),
        *kappa_points([2, None]),
        *weight_points([("0.2", "0.2", "0.6"), (1, 0, 0)]),
    ]
    found = sensitivity(points, grid_of(TREES, verdicts()))
    for row in (found.released, *found.rows):
        table = score_table(
            score_reports(
                TREES, verdicts(), overrides=Overrides.model_validate(row.point.overrides())
            )
        )
        for system in table.systems:
            assert row.averages[system] == pytest.approx(table.average(system).value, abs=1e-9)


def test_machine_decisions_against_labels():
    """Verdicts of one system also answer labels that name no system."""
    table = VerdictTable.from_lines(
        [line("t0", "A", "C-FC0", "yes"), line("t0", "A", "C-FC1", "skipped")]
    )
    found = machine_decisions(table)
    assert found["t0", "", "C-FC0"] == found["t0", "A", "C-FC0"] == "yes"
    assert found["t0", "A", "C-FC1"] == "skipped"
    assert ("t0", "", "C-FC0") not in machine_decisions(verdicts())


def test_calibration_from_verdicts():
    """Runs without a score line are scored with the tree of their task."""
    lines = [
        CalibrationLine(
            task_id="t0", report=report, atom_id=atom.id, verdict="yes" if place < least else "no"
        )
        for report, least in (("R1", 2), ("R2", 6), ("R3", 11))
        for place, atom in enumerate(TREES[0].atoms)
    ]
    (task,) = calibrate(lines, 10, calibration_scorer(TREES)).tasks
    assert task.passed
    assert task.scores["R3"] == 100.0
    with pytest.raises(InputError, match="has no tree"):
        calibrate(
            [CalibrationLine(task_id="tx", report="R1", atom_id="a", verdict="yes")],
            10,
            calibration_scorer(TREES),
        )
