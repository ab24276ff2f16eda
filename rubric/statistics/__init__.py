"""Statistics around scores: intervals, sensitivity, rates, agreement, calibration, traces."""

from rubric.statistics.agreement import AgreementReport, agreement_report
from rubric.statistics.bootstrap import Comparison, Interval, bootstrap_averages, compare
from rubric.statistics.calibration import CalibrationReport, calibrate
from rubric.statistics.matched import matched_comparison
from rubric.statistics.measure import Measure, Status
from rubric.statistics.rates import (
    Decision,
    category_means,
    failure_outcomes,
    pass_rates,
    query_form_means,
)
from rubric.statistics.readers import read_calibration, read_human_labels, read_trajectories
from rubric.statistics.records import CalibrationLine, Event, HumanLabel, Trajectory
from rubric.statistics.reports import (
    calibration_scorer,
    decisions,
    machine_decisions,
    score_table,
    table_from_records,
)
from rubric.statistics.sensitivity import (
    Point,
    Sensitivity,
    kappa_points,
    sensitivity,
    tau_points,
    weight_points,
)
from rubric.statistics.table import Cell, CellState, ScoreTable
from rubric.statistics.trajectories import configuration_profiles, trace_profile

__all__ = [
    "AgreementReport",
    "CalibrationLine",
    "CalibrationReport",
    "Cell",
    "CellState",
    "Comparison",
    "Decision",
    "Event",
    "HumanLabel",
    "Interval",
    "Measure",
    "Point",
    "ScoreTable",
    "Sensitivity",
    "Status",
    "Trajectory",
    "agreement_report",
    "bootstrap_averages",
    "calibrate",
    "calibration_scorer",
    "category_means",
    "compare",
    "configuration_profiles",
    "decisions",
    "failure_outcomes",
    "kappa_points",
    "machine_decisions",
    "matched_comparison",
    "pass_rates",
    "query_form_means",
    "read_calibration",
    "read_human_labels",
    "read_trajectories",
    "score_table",
    "sensitivity",
    "table_from_records",
    "tau_points",
    "trace_profile",
    "weight_points",
]
