"""Scoring 900 reports x 128 leaves: against autorubric, rubric and HealthBench's formula."""

from __future__ import annotations

from dataclasses import replace

import workload
from measuring import Claim, Peers, best, quietly, run

from rubric.compiled import align, compile_trees
from rubric.tree_reader import parse_tree
from rubric.vectorised import Scorer
from rubric.verdict_reader import parse_verdicts


def measure(peers: Peers) -> list[Claim]:
    """Measure both in turn; ours includes gates, saturation, caps and the guard."""
    compiled = compile_trees([parse_tree(tree) for tree in workload.trees()])
    table = parse_verdicts([("verdicts.jsonl", workload.verdict_lines(full=False))])
    scorer = Scorer(align(compiled, table))
    scorer.score()
    outcomes = align(compiled, table)
    again, anew, first, autorubric, rubric, healthbench = best(
        quietly(scorer.score),
        quietly(lambda: Scorer(replace(outcomes)).score()),
        quietly(lambda: Scorer(align(compiled, table)).score()),
        *(peers.job(name) for name in ("autorubric", "rubric", "healthbench")),
    )
    job = "score 900 x 128, outcomes in memory"
    name = f"autorubric {peers.versions['autorubric']}"
    return [
        Claim(job, again, name, autorubric, 30),
        Claim(job, again, f"rubric {peers.versions['rubric']}", rubric),
        Claim(job, again, "HealthBench's formula", healthbench, 5),
        Claim(
            "the same with nothing kept: counts and guard from the outcomes", anew, name, autorubric
        ),
        Claim(
            "the same from the verdict table: reconciled by atom id first", first, name, autorubric
        ),
    ]


if __name__ == "__main__":
    run(measure, "scoring 900 reports of 128 leaves")
