"""Evaluation of 14 patterns x many fixed queries in batches, against two plain baselines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from measuring import Row, best, faster
from plain_numpy import PlainNumpy
from plain_sets import PlainSets
from workload import SHAPES, Query, QueryMaker, as_graph, columns

from graphkit.batch import Plan, Run, evaluate_many
from graphkit.facts import FactStore


def put(plan: Plan, query: Query) -> int:
    """Put a query of the baselines in a plan."""
    kind = query[0]
    if kind == "a":
        return plan.entity(query[1])
    if kind == "p":
        return plan.follow(query[1], put(plan, query[2]))
    if kind == "n":
        return put(plan, query[1]) ^ 1
    if kind == "i":
        return plan.meet([put(plan, part) for part in query[1]])
    return plan.meet([put(plan, part) ^ 1 for part in query[1]]) ^ 1


def measure(name: str, facts: FactStore, count: int, *, rounds: int = 3) -> Iterator[Row]:
    """Yield the rows of one graph; all engines must agree before they are timed."""
    queries = {pattern: QueryMaker(facts).many(pattern, count) for pattern in SHAPES}
    every = [query for group in queries.values() for query in group]
    numbers = columns(facts)
    plain = PlainNumpy(numbers, len(facts.entities), len(facts.relations))
    sets = PlainSets(numbers, len(facts.relations))

    def planned() -> tuple[Plan, list[int]]:
        plan = Plan(facts)
        return plan, [put(plan, query) for query in every]

    plan, roots = planned()
    found = Run(plan).values(roots)
    for query, answers in zip(every, found, strict=True):
        if not np.array_equal(answers.ids, np.sort(plain.answers(query))):
            raise AssertionError(f"graphkit and numpy differ on {query}")
    for query, answers in zip(every[::7], found[::7], strict=True):
        if set(answers.ids.tolist()) != sets.answers(query):
            raise AssertionError(f"graphkit and the sets differ on {query}")

    def ours() -> None:
        plan, roots = planned()
        Run(plan).values(roots)

    graphs = [as_graph(query, facts) for query in every]
    total, kept, from_graphs, with_numpy, with_sets = best(
        ours,
        lambda: Run(plan).values(roots),
        lambda: evaluate_many(graphs, facts),
        lambda: [plain.answers(query) for query in every],
        lambda: [sets.answers(query) for query in every],
        rounds=rounds,
    )
    job = f"{name}: 14 x {count:,} queries"
    yield faster(job, total, "plain numpy", with_numpy, ">= 1.5")
    yield faster(job, total, "plain Python sets", with_sets, ">= 15")
    yield faster(f"{job}, the plan kept", kept, "plain numpy", with_numpy)
    yield faster(f"{job}, the plan kept", kept, "plain Python sets", with_sets)
    yield faster(f"{job}, question graphs, names grounded", from_graphs, "plain numpy", with_numpy)
