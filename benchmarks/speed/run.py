"""Measures everything in one run and prints one table; ends with 3 when a demand is missed."""

from __future__ import annotations

import argparse
import sys

import evaluation
import questions
import sampling
import stores
from measuring import Row, show
from workload import debian, fb15k237

PARTS = ("evaluation", "debian", "checks", "sampling", "standing", "witnesses", "stores")


def main() -> None:
    """Measure the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; by default all")
    parser.add_argument("--queries", type=int, default=1000, help="queries a pattern")
    parser.add_argument(
        "--debian-queries",
        type=int,
        default=100,
        help="queries a pattern on the graph of package lists",
    )
    options = parser.parse_args()
    parts = options.parts or PARTS
    unknown = set(parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; parts are {', '.join(PARTS)}")
    rows: list[Row] = []
    facts = fb15k237()
    if "evaluation" in parts:
        rows += evaluation.measure("FB15k-237", facts, options.queries)
    if "debian" in parts:
        rows += evaluation.measure("Debian", debian(), options.debian_queries, rounds=2)
    if "checks" in parts:
        rows += questions.measure_checks(facts, min(300, options.queries))
    if "sampling" in parts:
        rows += sampling.measure(facts, options.queries)
    if "standing" in parts:
        rows += questions.measure_standing(facts, options.queries)
    if "witnesses" in parts:
        rows += questions.measure_witnesses(facts, min(300, options.queries))
    if "stores" in parts:
        rows += stores.measure("FB15k-237", fb15k237)
        rows += stores.measure("Debian", debian)
    sys.exit(0 if show(rows) else 3)


if __name__ == "__main__":
    main()
