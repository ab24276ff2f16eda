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
            key = (
                direction.id,
                direction.dimension,
                frozenset(said),
                direction.tau,
                direction.kappa,
                tables,
            )
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
                plan,
                weights=self.exact_weights[tree],
                directions=tuple(
                    replace(
                        item,
                        tau=self.taus[entry],
                        kappa=None if self.kappa[entry] == _NO_CAP else int(self.kappa[entry]),
                    )
                    for item, entry in zip(plan.directions, entries, strict=True)
                ),
            )
        return self._plans[tree]

    def reached(self, entry: Ints, scored: Ints, passed: Ints) -> Mask:
        """Return where r_d >= tau_d, decided in integers; false where there is no tau.

        Args:
            entry: The entry of each cell.
            scored: Scored atoms, likewise.
            passed: Passed atoms, likewise.
        """
        most = int(scored.max(initial=0)) + 1
        exact = [tau for tau in self.taus if tau is not None]
        if all(tau.denominator * most < 1 << 62 for tau in exact):
            over = np.array([1 if tau is None else tau.numerator for tau in self.taus])
            under = np.array([0 if tau is None else tau.denominator for tau in self.taus])
            direct: Mask = passed * under[entry] >= np.maximum(over[entry] * scored, 1)
            return direct
        least = np.array([_thresholds(tau, most) for tau in self.taus], dtype=np.int64)
        found: Mask = passed >= least[entry, scored]
        return found


def _thresholds(tau: Fraction | None, most: int) -> list[int]:
    """Return for each n below ``most`` the least s >= 1 with s / n >= tau."""
    if tau is None:
        return [_NO_CAP] * most
    return [max(1, -(-tau.numerator * n // tau.denominator)) for n in range(most)]


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
            values.append(
                tuned(name, direction, tree, compiled.settings, overrides, compiled.inventory)
            )
        if found["tau"][-1] is not None and direction.dimension is not Dimension.CONTENT:
            problems.append(
                Problem(
                    f"tau: only a content direction has one, and this is {direction.dimension}",
                    "tau_domain",
                    subject=f"direction {direction.id}",
                )
            )
    if problems:
        raise RubricError(dict.fromkeys(problems))
    taus = tuple(tau if isinstance(tau, Fraction) else None for tau in found["tau"])
    kappas = [kappa if isinstance(kappa, int) else _NO_CAP for kappa in found["kappa"]]
    exact, weights = _own_weights(compiled)
    if overrides.weights is not None:
        one = overrides.weights.normalised
        exact = (one,) * len(exact)
        weights = np.broadcast_to(np.array([float(weight) for weight in one]), weights.shape)
    has_tau = np.array([tau is not None for tau in taus], dtype=np.bool_)
    return Parameters(
        compiled=compiled,
        entry=tuning.entry,
        taus=taus,
        slope=np.array([1.0 if tau is None else float(1 / tau) for tau in taus]),
        kappa=np.minimum(np.array(kappas, dtype=object), _NO_CAP).astype(np.int64),
        weights=weights,
        exact_weights=exact,
        saturated=np.flatnonzero(has_tau[tuning.entry].any(axis=0)),
    )


@functools.lru_cache(maxsize=8)
def _own_weights(
    compiled: CompiledTrees,
) -> tuple[tuple[tuple[Fraction, ...], ...], npt.NDArray[np.float64]]:
    """Return the weights of each tree without overrides, exactly and as doubles."""
    exact = tuple(plan.weights for plan in compiled.plans)
    return exact, np.array([[float(weight) for weight in row] for row in exact]).reshape(-1, 3)
