"""A small, quick form of these measurements: fails where a ratio is below half of the recorded one.

Runs on the bundled evidence alone, in about a minute. Ratios are against the frozen baselines or
against plain evaluation, in processor seconds of the same run; larger is better for all.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import evaluation
import questions
from measuring import HERE, Row, best, frozen
from plain_numpy import PlainNumpy
from rejecting import certified
from workload import QueryMaker, columns

from graphkit.facts import FactStore
from graphkit.formats.facts import read_facts
from synthesis.sampling import Sampler

EVIDENCE = HERE.parents[1] / "examples" / "factbook" / "evidence.jsonl"
RECORDED = HERE / "recorded.json"
MARGIN = 2.0
"""A ratio may be so many times worse than the recorded one; machines differ, and are busy."""

CUTS = ("2i", "pi", "inp", "pni")
"""Patterns whose certified sampling is compared; the others say the same and take longer."""

Found = dict[str, float]


def mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs))


def speeds(rows: Iterable[Row]) -> list[float]:
    """Return the ratios that something is demanded of, turned so that larger is better."""
    return [row.ratio if row.bound[0] == ">" else 1 / row.ratio for row in rows if row.bound]


def of_evaluation(facts: FactStore) -> Iterator[tuple[str, float]]:
    """Yield batched evaluation against the two baselines."""
    for row in evaluation.measure("evaluation", facts, 600):
        if row.bound:
            yield f"batched evaluation against {row.other}", row.ratio


def of_questions(facts: FactStore) -> Iterator[tuple[str, float]]:
    """Yield checks, witnesses and standing questions against plain evaluation."""
    checks = list(questions.measure_checks(facts, 40))
    at_root = [row for row in checks if row.job.endswith("at the root alone")]
    rest = [row for row in checks if row not in at_root]
    yield "all single deletions, 14 patterns, in plain evaluations", mean(speeds(rest))
    yield "the branches at the root alone, in plain evaluations", mean(speeds(at_root))
    found = mean(speeds(questions.measure_witnesses(facts, 40)))
    yield "witnesses of all answers, 14 patterns, in plain evaluations", found
    update, *_ = questions.measure_standing(facts, 100, changes=30)
    yield "one fact more or less, standing questions, against all", update.ratio


def of_sampling(facts: FactStore) -> Iterator[tuple[str, float]]:
    """Yield how many are certified in the time in which 100 are drawn at random and rejected."""
    plain = PlainNumpy(columns(facts), len(facts.entities), len(facts.relations))
    maker = QueryMaker(facts)

    def rejected(pattern: str) -> None:
        for query in maker.many(pattern, 100):
            certified(query, plain.answers)

    ratios = []
    for pattern in CUTS:
        list(Sampler(facts, 1).sample(pattern, 5))
        ours, theirs = best(
            lambda pattern=pattern: list(Sampler(facts, 2).sample(pattern, 40)),
            lambda pattern=pattern: rejected(pattern),
            rounds=2,
        )
        ratios.append(40 * theirs / ours)
    yield "certified questions in the time of 100 drawn at random and looked at", mean(ratios)


def measured() -> Found:
    """Measure everything."""
    facts = read_facts(EVIDENCE)
    parts: tuple[Callable[[FactStore], Iterator[tuple[str, float]]], ...]
    parts = (of_evaluation, of_questions, of_sampling)
    return {job: ratio for part in parts for job, ratio in part(facts)}


def compared(found: Found, recorded: Found) -> Iterator[tuple[str, bool]]:
    """Yield a line for each ratio, and whether it holds."""
    for job in dict.fromkeys([*recorded, *found]):
        if job not in found or job not in recorded:
            yield f"| {job} | {'not measured' if job not in found else 'not recorded'} | | |", False
            continue
        least = recorded[job] / MARGIN
        holds = found[job] >= least
        mark = "" if holds else " (missed)"
        yield f"| {job} | {found[job]:.2f} | {recorded[job]:.2f} | {least:.2f}{mark} |", holds


def main() -> None:
    """Measure, print the table, end with 3 where a ratio is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="keep what was found as recorded")
    options = parser.parse_args()
    found = measured()
    if options.record:
        data = {"baselines": frozen(), "ratios": {job: round(found[job], 3) for job in found}}
        Path(RECORDED).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    known = json.loads(RECORDED.read_text(encoding="utf-8"))
    print(f"baselines {frozen()}")
    if known["baselines"] != frozen():
        sys.exit("the baselines changed: what was recorded is another measurement; --record")
    print("| job | now | recorded | at least |")
    print("| --- | ---: | ---: | ---: |")
    lines = list(compared(found, known["ratios"]))
    for line, _ in lines:
        print(line)
    sys.exit(0 if all(holds for _, holds in lines) else 3)


if __name__ == "__main__":
    main()
