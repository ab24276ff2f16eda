"""Parameters of compiled trees as arrays: lambda, tau and kappa by precedence. Pure."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from graphkit.errors import Problem
from rubric.compiled import CompiledTrees, Ints, Mask
from rubric.errors import RubricError
from rubric.logic import Dimension
from rubric.plan import Plan, check_overrides, resolve, tuned
from rubric.settings import Overrides
from rubric.tree import Direction, Tree

__all__ = ["Parameters", "Tuning", "parameters_of", "tuning_of"]

_NO_CAP = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class Tuning:
    """Which directions of which trees have their parameters from the same words.

    Attributes:
        models: A direction and its tree for each entry; the first entry is no direction.
        entry: The entry of each column, by tree.
    """

    models: tuple[tuple[Direction, Tree] | None, ...]
    entry: Ints


@functools.lru_cache(maxsize=8)
def tuning_of(compiled: CompiledTrees) -> Tuning:
    """Find the directions whose parameters are said alike, once for all settings."""
    models: list[tuple[Direction, Tree] | None] = [None]
    known: dict[object, int] = {}
    entry = np.zeros((len(compiled.plans), len(compiled.slots)), dtype=np.int64)
    for place, plan in enumerate(compiled.plans):
        tree = plan.tree
        tables = (tuple(sorted(tree.tau.items())), tuple(sorted(tree.kappa.items())))
        directions = resolve(tree, compiled.inventory).values()
        for direction, column in zip(directions, compiled.slot_of[place].tolist(), strict=True):
            said = direction.model_fields_set & {"tau", "kappa"}
            key = (direction.id, direction.dimension, frozenset(said), direction.tau,
                   direction.kappa, tables)
            if key not in known:
                known[key] = len(models)
                models.append((direction, tree))
            entry[place, column] = known[key]
    return Tuning(tuple(models), entry)


@dataclass(slots=True, eq=False)
class Parameters:
    """Parameters under one point of a grid.

    Attributes:
        compiled: The trees.
        entry: The entry of each column, by tree: a position in the next three.
        taus: The exact tau of each entry.
        slope: 1 / tau of each entry, or 1 without tau.
        kappa: The cap of each entry.
        weights: Normalised lambda, trees by dimensions.
        exact_weights: The same as rationals.
        saturated: The columns in which some tree has a tau.
    """

    compiled: CompiledTrees
    entry: Ints
    taus: tuple[Fraction | None, ...]
    slope: npt.NDArray[np.float64]
    kappa: Ints
    weights: npt.NDArray[np.float64]
    exact_weights: Sequence[tuple[Fraction, ...]]
    saturated: Ints
    _plans: dict[int, Plan] = field(default_factory=dict)

    def plan(self, tree: int) -> Plan:
        """Return the exact plan of a tree under these parameters."""
        if tree not in self._plans:
            plan = self.compiled.plans[tree]
            entries = self.entry[tree, self.compiled.slot_of[tree]].tolist()
            self._plans[tree] = replace(
                plan, weights=self.exact_weights[tree],
                directions=tuple(
                    replace(item, tau=self.taus[entry],
                            kappa=None if self.kappa[entry] == _NO_CAP else int(self.kappa[entry]))
                    for item, entry in zip(plan.directions, entries, strict=True)))
        return self._plans[tree]

    def reached(self, trees: Ints, columns: Ints, scored: Ints, passed: Ints) -> Mask:
        """Return where r_d >= tau_d, decided in integers; false where there is no tau.

        Args:
            trees: The tree of each report.
            columns: The columns that ``scored`` and ``passed`` stand for.
            scored: Scored atoms, reports by these columns.
            passed: Passed atoms, likewise.
        """
        found = np.zeros(scored.shape, dtype=np.bool_)
        for place, column in enumerate(columns.tolist()):
            most = int(scored[:, place].max(initial=0))
            entries, which = np.unique(self.entry[:, column], return_inverse=True)
            least = np.array([_thresholds(self.taus[entry], most) for entry in entries.tolist()],
                             dtype=np.int64)
            found[:, place] = passed[:, place] >= least[which[trees], scored[:, place]]
        return found


def _thresholds(tau: Fraction | None, most: int) -> list[int]:
    """Return for each n up to ``most`` the least s with s / n >= tau."""
    if tau is None:
        return [_NO_CAP] * (most + 1)
    return [-(-tau.numerator * n // tau.denominator) for n in range(most + 1)]


def parameters_of(compiled: CompiledTrees, overrides: Overrides) -> Parameters:
    """Resolve the parameters of all trees: override > tree > settings.

    Args:
        compiled: The trees.
        overrides: A point of a grid.

    Raises:
        RubricError: A parameter is outside its domain, or of a direction that nobody knows.
    """
    check_overrides(overrides, [plan.tree for plan in compiled.plans], compiled.inventory)
    tuning = tuning_of(compiled)
    found: dict[str, list[object]] = {"tau": [None], "kappa": [None]}
    problems = []
    for model in tuning.models[1:]:
        assert model is not None
        direction, tree = model
        for name, values in found.items():
            values.append(tuned(name, direction, tree, compiled.settings, overrides,
                                compiled.inventory))
        if found["tau"][-1] is not None and direction.dimension is not Dimension.CONTENT:
            problems.append(Problem("tau: only a content direction has one, and this is "
                                    f"{direction.dimension}", "tau_domain",
                                    subject=f"direction {direction.id}"))
    if problems:
        raise RubricError(dict.fromkeys(problems))
    taus = tuple(tau if isinstance(tau, Fraction) else None for tau in found["tau"])
    kappas = [kappa if isinstance(kappa, int) else _NO_CAP for kappa in found["kappa"]]
    exact = ([overrides.weights.normalised] * len(compiled.plans) if overrides.weights
             else [plan.weights for plan in compiled.plans])
    rows = {row: [float(weight) for weight in row] for row in dict.fromkeys(exact)}
    has_tau = np.array([tau is not None for tau in taus], dtype=np.bool_)
    return Parameters(
        compiled=compiled, entry=tuning.entry, taus=taus,
        slope=np.array([1.0 if tau is None else float(1 / tau) for tau in taus]),
        kappa=np.minimum(np.array(kappas, dtype=object), _NO_CAP).astype(np.int64),
        weights=np.array([rows[row] for row in exact]).reshape(-1, 3),
        exact_weights=exact,
        saturated=np.flatnonzero(has_tau[tuning.entry].any(axis=0)))
