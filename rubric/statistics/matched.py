"""Arms (harnesses, skill levels) compared on the models and the tasks that all of them share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from graphkit.errors import InputError, Problem, did_you_mean
from rubric.statistics.measure import Measure, Status, mean, median
from rubric.statistics.rates import reached_values
from rubric.statistics.table import ScoreTable

__all__ = ["Matched", "matched_comparison"]


@dataclass(frozen=True, slots=True)
class Matched:
    """One arm (a harness, a skill level) over the models or tasks that all arms share.

    Attributes:
        arm: Its name.
        quality: Mean over the matched models of the all-task average.
        success_rate: Mean over the matched models of the success rate.
        process: Figure to the median of the model-level medians over available traces.
        models: The matched models.
    """

    arm: str
    quality: Measure
    success_rate: Measure
    process: Mapping[str, Measure]
    models: tuple[str, ...]

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "arm": self.arm,
            "quality": self.quality.to_record(),
            "success_rate": self.success_rate.to_record(),
            "process": {name: value.to_record() for name, value in self.process.items()},
            "models": list(self.models),
        }


def matched_comparison(
    table: ScoreTable,
    arms: Mapping[str, Mapping[str, str]],
    process: Mapping[str, Mapping[str, Sequence[Fraction | float]]] | None = None,
) -> tuple[Matched, ...]:
    """Compare arms on the models, and the tasks, that all of them share (appendices F.5, F.6).

    A model that some arm lacks is left out; so is a task on which some matched configuration was
    not run or could not be scored. Failures are 0.

    Args:
        table: The scores.
        arms: Arm to model to the system id of that configuration.
        process: Figure (steps, hours, tokens) to system id to its values, one an available trace.

    Raises:
        InputError: An arm names a system that is not in the scores.
    """
    unknown = sorted(
        {system for models in arms.values() for system in models.values()} - set(table.systems)
    )
    if unknown:
        raise InputError(
            [
                Problem(
                    f"is not in the scores{did_you_mean(system, table.systems)}",
                    code="unknown_system",
                    subject=f"system {system}",
                )
                for system in unknown
            ]
        )
    shared: set[str] = (
        set.intersection(*(set(models) for models in arms.values())) if (arms) else set()
    )
    used = {models[model] for models in arms.values() for model in shared}
    tasks = [
        task
        for task in table.tasks
        if all(table.value(task, system) is not None for system in used)
    ]
    made = []
    for arm in sorted(arms):
        systems = [arms[arm][model] for model in sorted(shared)]
        values = [reached_values(table, system, tasks, failures=True) for system in systems]
        means = [sum(found, Fraction(0)) / len(found) for found in values if found]
        successes = [
            len(reached_values(table, system, tasks, failures=False)) for system in systems
        ]
        made.append(
            Matched(
                arm=arm,
                quality=mean(means),
                success_rate=mean(
                    [Fraction(done, len(tasks)) for done in successes] if tasks else []
                ),
                process={
                    name: _median_of_medians([found.get(system, ()) for system in systems])
                    for name, found in sorted((process or {}).items())
                },
                models=tuple(sorted(shared)),
            )
        )
    return tuple(made)


def _median_of_medians(groups: Iterable[Sequence[Fraction | float]]) -> Measure:
    middles = [
        middle
        for values in groups
        if (middle := median([Fraction(value) for value in values])) is not None
    ]
    result = median(middles)
    return Measure(
        None if result is None else float(result),
        len(middles),
        Status.EMPTY if result is None else Status.OK,
    )
