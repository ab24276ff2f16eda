"""Bootstrap 20,000 x 50 x 18: against scipy.stats.bootstrap."""

from __future__ import annotations

import workload
from measuring import Claim, Peers, best, quietly, run

from rubric.statistics import Cell, ScoreTable, bootstrap_averages, compare


def measure(peers: Peers) -> list[Claim]:
    """Measure both in turn; scipy in the faster of two ways, drawing the systems paired or not."""
    table = ScoreTable.build(
        Cell(f"task-{task:02}", f"system-{system:02}", score)
        for task, row in enumerate(workload.scores())
        for system, score in enumerate(row)
    )
    mine, all_pairs, columns, paired = best(
        quietly(lambda: bootstrap_averages(table)),
        quietly(lambda: compare(table)),
        peers.job("scipy"),
        peers.job("scipy-paired"),
    )
    name, theirs = f"scipy {peers.versions['scipy']}", min(columns, paired)
    return [
        Claim("intervals of 18 averages, 20,000 x 50", mine, name, theirs, 2.5),
        Claim(
            "all of compare: 153 pairs, quality and completion, chance to be best",
            all_pairs,
            name,
            theirs,
        ),
    ]


if __name__ == "__main__":
    run(measure, "bootstrap of 18 systems over 50 tasks")
