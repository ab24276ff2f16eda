"""Scoring many reports under many settings with numpy; guards decided exactly, scores to 1e-9."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from rubric.aggregate import aggregate
from rubric.compiled import CompiledTrees, Ints, Mask, Outcomes, align, compile_trees
from rubric.guard import gamma_of
from rubric.inventory import Inventory
from rubric.logic import DIMENSIONS, Dimension
from rubric.parameters import Parameters, parameters_of, tuning_of
from rubric.score import MISSING, NO_WEIGHT, NOT_RUN_STATE, SCORED, UNSCORED
from rubric.settings import GuardMode, Overrides, Settings
from rubric.tree import Tree
from rubric.vectorised_guard import BetterReports, Proposals, better_reports, propose
from rubric.verdicts import VerdictTable

__all__ = [
    "STATES",
    "CompiledTrees",
    "Grid",
    "Outcomes",
    "Scorer",
    "align",
    "compile_trees",
    "score_grid",
]

Floats = npt.NDArray[np.float64]

STATES = (SCORED, UNSCORED, MISSING, NOT_RUN_STATE, NO_WEIGHT)
"""The states of a report, in the order of their codes in :class:`Grid`."""

_CONTENT = DIMENSIONS.index(Dimension.CONTENT)
_CITATION = DIMENSIONS.index(Dimension.CITATION)
_DOUBT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Scores of every report under every point of a grid.

    Attributes:
        tasks: The task of each report.
        systems: The system of each report.
        scores: Points by reports; NaN exactly where ``states`` says that there is no score.
        states: Position in :data:`STATES`, points by reports.
    """

    tasks: tuple[str, ...]
    systems: tuple[str, ...]
    scores: Floats
    states: npt.NDArray[np.int8]

    def score(self, point: int, report: int) -> float | None:
        """Return one score, or nothing where there is none."""
        value = float(self.scores[point, report])
        return None if np.isnan(value) else value


@dataclass(frozen=True, slots=True, eq=False)
class _StepParts:
    """What equation 5 needs of steps (``place``, ``gains``, ``linked``) and of their reports.

    ``place`` is the position of the report of each step among the reports with candidates;
    ``gains`` has a row s k / (n (n - k)) for each column in ``citing`` where that is not all 0;
    ``linked`` is nothing when every step links every coverage column.
    """

    place: Ints
    gains: Floats
    citing: Ints
    linked: Mask | None
    scored: Ints
    passed: Ints
    entry: Ints


class Scorer:
    """Scores reports under any number of settings; what depends on outcomes alone is kept.

    Args:
        outcomes: The outcomes, from :func:`rubric.compiled.align`.
        guard: The guard; that of the settings if not given.
    """

    def __init__(self, outcomes: Outcomes, guard: GuardMode | None = None) -> None:
        self.outcomes = outcomes
        self.compiled = outcomes.compiled
        self.guard = guard or outcomes.compiled.settings.guard

    @functools.cached_property
    def proposals(self) -> Proposals | None:
        """What the guard proposes, step by step."""
        return propose(self.outcomes)

    @functools.cached_property
    def better(self) -> BetterReports | None:
        """The better reports that limit the exact guard."""
        found = self.proposals
        return None if found is None else better_reports(self.outcomes, found.reports)

    @functools.cached_property
    def present(self) -> Mask:
        """Which dimensions have a scored atom before the guard, by report."""
        found: Mask = self.outcomes.counts[0] @ self.compiled.dimension_matrix > 0
        return found

    def score(self, overrides: Overrides | None = None) -> tuple[Floats, npt.NDArray[np.int8]]:
        """Score every report once.

        Args:
            overrides: Parameters that win over trees and settings.

        Returns:
            Scores, NaN where there is none, and states as positions in :data:`STATES`.

        Raises:
            RubricError: A parameter is outside its domain.
        """
        parameters = parameters_of(self.compiled, overrides or Overrides())
        scored, passed = self.outcomes.counts
        removed = self.removed(parameters)
        left = scored if removed is None else scored - removed
        values = self._aggregate(parameters, None, left, passed)
        states = self._states.copy()
        states[(states == 0) & np.isnan(values)] = STATES.index(NO_WEIGHT)
        values[states != 0] = np.nan
        values[self.outcomes.failed] = 0.0
        return values, states

    @functools.cached_property
    def _states(self) -> npt.NDArray[np.int8]:
        """The states that settings do not change."""
        states = np.zeros(len(self.present), dtype=np.int8)
        states[~self.present.any(axis=1)] = STATES.index(UNSCORED)
        states[~self.outcomes.has_line] = STATES.index(NOT_RUN_STATE)
        states[self.outcomes.failed] = STATES.index(MISSING)
        return states

    @functools.cached_property
    def _entry(self) -> Ints:
        """The entry of the parameters of each cell, reports by columns."""
        found: Ints = tuning_of(self.compiled).entry[self.outcomes.tree]
        return found

    def removed(self, parameters: Parameters) -> Ints | None:
        """Return the atoms that become na, by report and column; nothing if there are none."""
        found = self.proposals
        if found is None:
            return None
        holds = (
            self._exact_holds(parameters, found)
            if self.guard is GuardMode.EXACT
            else self._published_holds(parameters, found)
        )
        removed = np.zeros_like(self.outcomes.counts[0])
        kept = np.flatnonzero(holds)
        reports = found.steps[kept]
        first = np.ones(len(kept), dtype=np.bool_)
        first[1:] = reports[1:] != reports[:-1]
        removed[reports[first][:, None], found.citing] = found.proposed[kept[first]]
        return removed

    @functools.cached_property
    def _step_parts(self) -> _StepParts:
        """What equation 5 needs of every step and report, whatever the settings are."""
        found = self.proposals
        assert found is not None
        scored, passed = self.outcomes.counts
        rows = found.steps[:, None], found.citing
        n, s, k = scored[rows], passed[rows], found.proposed
        some = (k > 0) & (n > k)
        gains = np.where(some, s * k / np.where(some, n * (n - k), 1), 0.0)
        useful = gains.any(axis=0)
        here = found.reports[:, None], found.covering
        return _StepParts(
            place=np.repeat(
                np.arange(len(found.reports)), np.diff(found.first, append=len(found.steps))
            ),
            gains=np.ascontiguousarray(gains.T[useful]),
            citing=found.citing[useful],
            linked=None if found.linked.all() else found.linked,
            scored=scored[here],
            passed=passed[here],
            entry=self._entry[here],
        )

    def _published_holds(self, parameters: Parameters, found: Proposals) -> Mask:
        """Decide equation 5 at every step: by doubles, and exactly where they are close."""
        parts, reports, covering = self._step_parts, found.reports, found.covering
        weights = np.minimum(
            self.outcomes.counts[0][reports], parameters.kappa[self._entry[reports]]
        )
        totals = weights @ self.compiled.dimension_matrix
        lambdas = parameters.weights[self.outcomes.tree[reports]]
        gamma = np.where(
            parameters.reached(parts.entry, parts.scored, parts.passed),
            0.0,
            parameters.slope[parts.entry],
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            margin = (
                lambdas[:, [_CONTENT]]
                * weights[:, covering]
                * gamma
                / (totals[:, [_CONTENT]] * parts.scored)
            )
            factor = lambdas[:, [_CITATION]] * weights[:, parts.citing] / totals[:, [_CITATION]]
        if parts.linked is None:
            delta_c = margin.min(axis=1)[parts.place]
        else:
            delta_c = np.where(parts.linked, margin[parts.place], np.inf).min(axis=1)
        delta_r = np.zeros(len(parts.place))
        for number, gains in enumerate(parts.gains):
            delta_r += factor[:, number][parts.place] * gains
        holds: Mask = delta_c > delta_r
        both = delta_c + delta_r
        close = np.abs(delta_c - delta_r) <= _DOUBT * both
        close &= (delta_c > 0) & (delta_r > 0)
        for step in np.flatnonzero(close).tolist():
            holds[step] = self._exact_reading(parameters, found, step)
        return holds

    def _exact_reading(self, parameters: Parameters, found: Proposals, step: int) -> bool:
        """Compare both sides of equation 5 at one step in rationals."""
        report = int(found.steps[step])
        scored, passed = (counts[report].tolist() for counts in self.outcomes.counts)
        entry = self._entry[report].tolist()
        weights = [
            min(n, int(parameters.kappa[place])) for n, place in zip(scored, entry, strict=True)
        ]
        lambdas = parameters.exact_weights[int(self.outcomes.tree[report])]
        totals = dict.fromkeys(DIMENSIONS, 0)
        for slot, weight in zip(self.compiled.slots, weights, strict=True):
            totals[slot.dimension] += weight
        margins = []
        for column, linked in zip(
            found.covering.tolist(), found.linked[step].tolist(), strict=True
        ):
            if linked:
                tau = parameters.taus[entry[column]]
                gamma = gamma_of(tau, scored[column], passed[column])
                margins.append(Fraction(weights[column], scored[column]) * gamma)
        gain = Fraction(0)
        for column, k in zip(found.citing.tolist(), found.proposed[step].tolist(), strict=True):
            n = scored[column]
            if k and n > k:
                gain += Fraction(weights[column] * passed[column] * k, n * (n - k))
        return (
            lambdas[_CONTENT] * min(margins) / totals[Dimension.CONTENT]
            > lambdas[_CITATION] * gain / totals[Dimension.CITATION]
        )

    def _exact_holds(self, parameters: Parameters, found: Proposals) -> Mask:
        """Compare scores at every step: by doubles, and exactly where they are close."""
        better = self.better
        assert better is not None
        scored, passed = self.outcomes.counts
        least = np.full(len(scored), np.inf)
        reached = self._aggregate(parameters, better.report, scored[better.report], better.passed)
        left = scored[found.steps]
        left[:, found.citing] -= found.proposed
        here = self._aggregate(parameters, found.steps, left, passed[found.steps])
        with np.errstate(invalid="ignore"):  # NaN: no weight, no score, and nothing holds
            np.minimum.at(least, better.report, reached)
            limit = least[found.steps]
            holds: Mask = here <= limit
            close = np.abs(here - limit) <= _DOUBT * np.maximum(1.0, limit)
        limits: dict[int, Fraction] = {}
        for step in np.flatnonzero(close).tolist():
            report = int(found.steps[step])
            if report not in limits:
                rows = np.flatnonzero(better.report == report)
                limits[report] = min(
                    self._exact_score(parameters, report, scored[report], gained)
                    for gained in better.passed[rows]
                )
            holds[step] = (
                self._exact_score(parameters, report, left[step], passed[report]) <= limits[report]
            )
        return holds

    def _exact_score(
        self, parameters: Parameters, report: int, scored: Ints, passed: Ints
    ) -> Fraction:
        tree = int(self.outcomes.tree[report])
        columns = self.compiled.slot_of[tree]
        counts = list(zip(scored[columns].tolist(), passed[columns].tolist(), strict=True))
        score = aggregate(parameters.plan(tree), counts, self.present[report].tolist()).score
        assert score is not None
        return score

    def _aggregate(
        self, parameters: Parameters, reports: Ints | None, scored: Ints, passed: Ints
    ) -> Floats:
        """Equations 2 and 3 over rows of counts; NaN where the present weights sum to zero.

        ``reports`` are the reports that the rows stand for; nothing for one row a report.
        """
        rows = slice(None) if reports is None else reports
        entry = self._entry[rows]
        weights = np.minimum(scored, parameters.kappa[entry]).astype(np.float64)
        earned = passed / np.maximum(scored, 1)
        columns = parameters.saturated
        if len(columns):
            slope = parameters.slope[entry[:, columns]]
            earned[:, columns] = np.minimum(1.0, earned[:, columns] * slope)
        earned *= weights
        for column, fails in self.compiled.failed_gates(scored, passed):
            earned[fails, column] = 0.0
        matrix = self.compiled.dimension_matrix
        parts = (earned @ matrix) / np.maximum(weights @ matrix, 1.0)
        lambdas = parameters.weights[self.outcomes.tree[rows]] * self.present[rows]
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = 100.0 * (lambdas * parts).sum(axis=1) / lambdas.sum(axis=1)
        return found


def score_grid(
    trees: Iterable[Tree] | CompiledTrees,
    table: VerdictTable,
    grid: Sequence[Overrides] = (Overrides(),),
    *,
    systems: Iterable[str] | None = None,
    settings: Settings | None = None,
    inventory: Inventory | None = None,
) -> Grid:
    """Score every tree for every system under every point of a grid, without a judge.

    Args:
        trees: The trees, or what :func:`compile_trees` made of them (with its own settings).
        table: The verdicts.
        grid: The points; each wins over trees and settings.
        systems: The systems; all that the table speaks of if not given.
        settings: Parameters from a file or the defaults.
        inventory: The shared directions.

    Raises:
        RubricError: A parameter is outside its domain, or a verdict has no tree.

    >>> tree = Tree.model_validate({"task_id": "t", "atoms": [
    ...     {"id": "a", "direction": "C-FC", "expected": "yes", "evaluator": "J"},
    ...     {"id": "b", "direction": "C-FC", "expected": "yes", "evaluator": "J"}]})
    >>> table = VerdictTable.from_lines([
    ...     {"task_id": "t", "system": "A", "atom_id": "a", "verdict": "yes"},
    ...     {"task_id": "t", "system": "A", "atom_id": "b", "verdict": "no"}])
    >>> score_grid([tree], table, [Overrides(), Overrides(tau={"*": 1})]).scores.tolist()
    [[100.0], [50.0]]
    """
    compiled = (
        trees if isinstance(trees, CompiledTrees) else compile_trees(trees, settings, inventory)
    )
    outcomes = align(compiled, table, systems)
    scorer = Scorer(outcomes)
    found = [scorer.score(point) for point in grid]
    reports = len(outcomes.base)
    return Grid(
        tasks=tuple(compiled.task_ids[tree] for tree in outcomes.tree.tolist()),
        systems=outcomes.systems * len(compiled.plans),
        scores=np.array([scores for scores, _ in found]).reshape(len(found), reports),
        states=np.array([states for _, states in found], dtype=np.int8).reshape(
            len(found), reports
        ),
    )
