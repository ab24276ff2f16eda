"""The peers, in an environment of their own: one turn for each name on standard input.

Run by run.py with the interpreter of that environment: the package named ``rubric`` there is
another one than ours.
"""

from __future__ import annotations

import asyncio
import functools
import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import workload

Job = Callable[[], Any]


def graded() -> list[list[bool]]:
    """Return met or not of every leaf, report by report."""
    reports: dict[tuple[int, int], list[bool]] = {}
    for task, system, _, word in workload.verdicts():
        reports.setdefault((task, system), []).append(word == "yes")
    return list(reports.values())


def autorubric_job() -> Job:
    """Score 900 reports with autorubric's ``score_reports``."""
    from autorubric.scoring import score_reports
    from autorubric.types import CannotAssessConfig, CriterionReport, CriterionVerdict

    reports = [
        [
            CriterionReport(
                weight=1.0,
                requirement="?",
                reason="",
                verdict=CriterionVerdict.MET if met else CriterionVerdict.UNMET,
            )
            for met in report
        ]
        for report in graded()
    ]
    config = CannotAssessConfig()
    return lambda: [score_reports(report, config) for report in reports]


def rubric_job() -> Job:
    """Score 900 reports with the aggregation of the package rubric."""
    from rubric.autograders import PerCriterionGrader
    from rubric.types import CriterionReport

    async def nobody(system_prompt: str, user_prompt: str, **more: Any) -> Any:
        raise RuntimeError("aggregation asks no model")

    grader = PerCriterionGrader(generate_fn=nobody)
    reports = [
        [
            CriterionReport(
                weight=1.0, requirement="?", reason="", verdict="MET" if met else "UNMET"
            )
            for met in report
        ]
        for report in graded()
    ]

    async def score() -> None:
        for report in reports:
            await grader.aggregate(report)

    return lambda: asyncio.run(score())


def healthbench_job() -> Job:
    """Score 900 reports with HealthBench's formula, written as its source writes it."""

    class Item:
        def __init__(self, points: float) -> None:
            self.points = points

    items = [Item(1.0) for _ in range(workload.LEAVES)]
    reports = [[{"criteria_met": met, "explanation": ""} for met in report] for report in graded()]

    def score(answers: list[dict[str, Any]]) -> float | None:
        possible = sum(item.points for item in items if item.points > 0)
        if possible == 0:
            return None
        achieved = sum(
            item.points
            for item, answer in zip(items, answers, strict=True)
            if answer["criteria_met"]
        )
        return achieved / possible

    return lambda: [score(report) for report in reports]


def scipy_job(paired: bool) -> Job:
    """Bootstrap 20,000 x 50 x 18 with scipy: column by column, or all systems paired."""
    import numpy as np
    from scipy.stats import bootstrap

    table = np.array(workload.scores())
    if not paired:
        return lambda: bootstrap(
            (table,), np.mean, n_resamples=20_000, axis=0, method="percentile", vectorized=True
        )
    columns = [table[:, system] for system in range(table.shape[1])]

    def means(*samples: Any, axis: int) -> Any:
        return np.stack([sample.mean(axis=axis) for sample in samples])

    return lambda: bootstrap(
        columns,
        means,
        n_resamples=20_000,
        paired=True,
        axis=0,
        method="percentile",
        vectorized=True,
    )


JOBS: dict[str, Callable[[], Job]] = {
    "autorubric": autorubric_job,
    "rubric": rubric_job,
    "healthbench": healthbench_job,
    "scipy": functools.partial(scipy_job, paired=False),
    "scipy-paired": functools.partial(scipy_job, paired=True),
}


def main() -> None:
    """Print the versions, then for each name that is read the shortest time in one turn."""
    print(
        json.dumps({name: version(name) for name in ("autorubric", "rubric", "scipy")}), flush=True
    )
    ready: dict[str, Job] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in ready:
            ready[name] = JOBS[name]()
            ready[name]()
        shortest, ends = float("inf"), time.perf_counter() + workload.BURST
        while True:
            start = time.perf_counter()
            ready[name]()
            shortest = min(shortest, time.perf_counter() - start)
            if time.perf_counter() >= ends:
                break
        print(shortest, flush=True)


if __name__ == "__main__":
    main()
