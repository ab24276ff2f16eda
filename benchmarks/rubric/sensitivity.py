"""A grid of 200 settings over 900 reports, the guard rerun at each, without a judge."""

from __future__ import annotations

import workload
from measuring import Claim, Peers, best, quietly, run

from rubric.compiled import compile_trees
from rubric.statistics import kappa_points, sensitivity, tau_points, weight_points
from rubric.statistics.regrading import grid_of
from rubric.tree_reader import parse_tree
from rubric.verdict_reader import parse_verdicts


def measure(peers: Peers) -> list[Claim]:
    """Measure the grid; the peers have none, so theirs is 201 times one scoring."""
    compiled = compile_trees([parse_tree(tree) for tree in workload.trees()])
    table = parse_verdicts([("verdicts.jsonl", workload.verdict_lines(full=False))])
    points = [
        *weight_points(12)[:66],
        *tau_points([f"{step}/67" for step in range(1, 68)]),
        *kappa_points(range(1, 68)),
    ]
    mine, theirs = best(
        quietly(lambda: sensitivity(points, grid_of(compiled, table))),
        peers.job("healthbench"),
        rounds=3,
    )
    return [
        Claim(
            f"sensitivity of {len(points)} settings over 900 reports",
            mine,
            f"{len(points) + 1} x HealthBench's formula",
            theirs * (len(points) + 1),
        )
    ]


if __name__ == "__main__":
    run(measure, "sensitivity over 200 settings")
