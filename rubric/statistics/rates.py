"""Pass rates by level and direction, group means, kinds of failure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from graphkit.errors import InputError, Problem, did_you_mean
from rubric.statistics.measure import Measure, mean, share
from rubric.statistics.table import ScoreTable

__all__ = [
    "FAILURES",
    "Decision",
    "GroupMeans",
    "RateRow",
    "category_means",
    "failure_outcomes",
    "pass_rates",
    "query_form_means",
    "reached_values",
]

FAILURES = ("omitted", "topic only", "detail missing", "contradicted")
"""How a failed criterion failed (appendix F.3): the fact is omitted, only its broad topic is
there, its specific detail is missing, or the report states an explicit error."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One atom of one evaluable report, after the guard.

    Attributes:
        task_id: The task.
        system: The configuration.
        atom_id: The atom.
        direction: Its direction.
        level: Its evidence level, or None if it has none.
        outcome: 1 passed, 0 failed, None when na (also by the guard) or skipped.
    """

    task_id: str
    system: str
    atom_id: str
    direction: str
    level: str | None
    outcome: int | None


@dataclass(frozen=True, slots=True)
class RateRow:
    """Pass rates of one direction or level, aggregated in three ways that differ.

    Attributes:
        key: The direction or level.
        configurations: Configuration to its rate: the mean of its report rates, a report's rate
            being passed by applicable atoms; the count is that of the reports.
        mean_over_configurations: The unweighted mean of the configuration rates (table 16).
        pooled: Passed by applicable atoms over everything, which weights a configuration by its
            number of scored atoms (the "dashboard" rate of section 4.2).
    """

    key: str
    configurations: Mapping[str, Measure]
    mean_over_configurations: Measure
    pooled: Measure

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "key": self.key,
            "configurations": {
                name: rate.to_record() for name, rate in self.configurations.items()
            },
            "mean_over_configurations": self.mean_over_configurations.to_record(),
            "pooled": self.pooled.to_record(),
        }


def pass_rates(
    decisions: Iterable[Decision], by: Literal["direction", "level"]
) -> tuple[RateRow, ...]:
    """Return pass rates by direction or by evidence level (appendix F.3).

    That a configuration's rate is the mean of its report rates is not stated in the paper.

    Args:
        decisions: The atoms of evaluable reports after the guard; atoms that are na or skipped
            are in no denominator. Atoms without a level are left out of rates by level.
        by: What to group by.

    Raises:
        InputError: An outcome is neither 0, 1 nor None, or an atom of a report is there twice.

    >>> rows = pass_rates([Decision("t1", "A", "a1", "C-FC", "L1", 1),
    ...                    Decision("t2", "A", "a2", "C-FC", "L1", 0),
    ...                    Decision("t2", "A", "a3", "C-FC", "L1", 0)], "direction")
    >>> rows[0].mean_over_configurations.value, round(rows[0].pooled.value, 3)
    (0.5, 0.333)
    """
    counts: dict[str, dict[tuple[str, str], list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0])
    )
    systems: set[str] = set()
    for item in _checked(decisions):
        systems.add(item.system)
        key = item.direction if by == "direction" else item.level
        if key is None:
            continue
        cell = counts[key][item.system, item.task_id]
        if item.outcome is not None:
            cell[0] += item.outcome
            cell[1] += 1
    rows = []
    for key in sorted(counts):
        reports: dict[str, list[Fraction]] = {system: [] for system in sorted(systems)}
        for (system, _), (passed, scored) in counts[key].items():
            if scored:
                reports[system].append(Fraction(passed, scored))
        present = [sum(found, Fraction(0)) / len(found) for found in reports.values() if found]
        rows.append(
            RateRow(
                key=key,
                configurations={system: mean(found) for system, found in reports.items()},
                mean_over_configurations=mean(present),
                pooled=share(
                    sum(cell[0] for cell in counts[key].values()),
                    sum(cell[1] for cell in counts[key].values()),
                ),
            )
        )
    return tuple(rows)


def _checked(decisions: Iterable[Decision]) -> list[Decision]:
    found = list(decisions)
    times = Counter((item.system, item.task_id, item.atom_id) for item in found)
    problems = [
        Problem(
            f"is there {number} times; expected once",
            code="duplicate_id",
            subject=f"task {task}, system {system}, atom {atom}",
        )
        for (system, task, atom), number in times.items()
        if number > 1
    ]
    problems += [
        Problem(
            f"outcome {item.outcome!r} is not 0, 1 or none",
            code="outcome",
            subject=f"task {item.task_id}, system {item.system}, atom {item.atom_id}",
        )
        for item in found
        if not (item.outcome is None or (isinstance(item.outcome, int) and item.outcome in (0, 1)))
    ]
    if problems:
        raise InputError(problems)
    return found


@dataclass(frozen=True, slots=True)
class GroupMeans:
    """Mean scores of one group of tasks.

    Attributes:
        group: The category or the query form.
        tasks: How many tasks it has.
        systems: System to its mean over the group.
        mean_over_systems: The unweighted mean of the systems' means.
        pooled: The mean over all reports of the group.
    """

    group: str
    tasks: int
    systems: Mapping[str, Measure]
    mean_over_systems: Measure
    pooled: Measure

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "group": self.group,
            "tasks": self.tasks,
            "systems": {name: value.to_record() for name, value in self.systems.items()},
            "mean_over_systems": self.mean_over_systems.to_record(),
            "pooled": self.pooled.to_record(),
        }


def category_means(table: ScoreTable, categories: Mapping[str, str]) -> tuple[GroupMeans, ...]:
    """Return means over *successful* reports by task category (appendix F.4, tables 4, 19, 20).

    Args:
        table: The scores.
        categories: Task id to category; every task of the table needs one.

    Raises:
        InputError: A task has no category.
    """
    return _group_means(table, categories, "category", failures=False)


def query_form_means(table: ScoreTable, forms: Mapping[str, str]) -> tuple[GroupMeans, ...]:
    """Return *all-task* means by query form, failures 0 (appendix F.4, table 18).

    Args:
        table: The scores.
        forms: Task id to query form; every task of the table needs one.

    Raises:
        InputError: A task has no form.
    """
    return _group_means(table, forms, "query form", failures=True)


def _group_means(
    table: ScoreTable, groups: Mapping[str, str], word: str, *, failures: bool
) -> tuple[GroupMeans, ...]:
    missing = [task for task in table.tasks if task not in groups]
    if missing:
        raise InputError(
            [
                Problem(
                    f"has no {word}; expected one for every task",
                    code="no_group",
                    subject=f"task {task}",
                )
                for task in missing
            ]
        )
    members: dict[str, list[str]] = defaultdict(list)
    for task in table.tasks:
        members[groups[task]].append(task)
    average = table.average if failures else table.average_successful
    made = []
    for group in sorted(members):
        tasks = members[group]
        values = {
            system: reached_values(table, system, tasks, failures) for system in table.systems
        }
        present = [sum(found, Fraction(0)) / len(found) for found in values.values() if found]
        made.append(
            GroupMeans(
                group=group,
                tasks=len(tasks),
                systems={system: average(system, tasks) for system in table.systems},
                mean_over_systems=mean(present),
                pooled=mean([value for found in values.values() for value in found]),
            )
        )
    return tuple(made)


def reached_values(
    table: ScoreTable, system: str, tasks: Sequence[str], failures: bool
) -> list[Fraction]:
    """Return the values of a system on tasks: with failures as 0, or of scored reports alone."""
    if failures:
        return [value for task in tasks if (value := table.value(task, system)) is not None]
    return [
        Fraction(cell.score)
        for task in tasks
        if (cell := table.cells.get((task, system))) is not None and cell.score is not None
    ]


def failure_outcomes(kinds: Iterable[str | None]) -> dict[str, Measure]:
    """Return the share of each kind of failure among failed criteria (appendix F.3).

    Args:
        kinds: One a failed criterion: a word of :data:`FAILURES` (hyphens and underscores stand
            for spaces), or None where its rationale was not sorted into one.

    Returns:
        Kind to its share of the sorted ones; ``unlabelled`` to its share of all.

    Raises:
        InputError: A word is none of the four.

    >>> failure_outcomes(["omitted", "topic_only", None, "omitted"])["omitted"].count
    3
    """
    words = [
        kind if kind is None else kind.strip().lower().replace("_", " ").replace("-", " ")
        for kind in kinds
    ]
    unknown = sorted({word for word in words if word is not None and word not in FAILURES})
    if unknown:
        raise InputError(
            [
                Problem(
                    f"{word!r} is not one of {', '.join(FAILURES)}{did_you_mean(word, FAILURES)}",
                    code="failure",
                )
                for word in unknown
            ]
        )
    labelled = len(words) - words.count(None)
    result = {kind: share(words.count(kind), labelled) for kind in FAILURES}
    result["unlabelled"] = share(words.count(None), len(words))
    return result
