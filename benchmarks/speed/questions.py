"""Checks, witnesses and standing questions, against plain evaluation of the same questions."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from measuring import Row, best, faster, share
from workload import SHAPES, QueryMaker, as_graph

from graphkit.batch import evaluate_many
from graphkit.checks import Relaxer, minimal_core, redundant_constraints
from graphkit.evaluate import evaluate, node_values
from graphkit.facts import FactStore
from graphkit.grounding import ground
from graphkit.standing import StandingQuestions
from graphkit.witnesses import find_witnesses


def measure_checks(facts: FactStore, count: int) -> Iterator[Row]:
    """Yield for each pattern what all single deletions take, in plain evaluations."""
    for pattern in SHAPES:
        yield from _checks_of(pattern, facts, count)


def _checks_of(pattern: str, facts: FactStore, count: int) -> Iterator[Row]:
    graphs = [as_graph(query, facts) for query in QueryMaker(facts).many(pattern, count)]
    groundings = [ground(graph, facts) for graph in graphs]
    pairs = list(zip(graphs, groundings, strict=True))
    relaxers = [Relaxer(graph, facts, grounding) for graph, grounding in pairs]
    branches = [
        [
            item
            for item in relaxer.constraints
            if item.kind == "source" and item.node_id == relaxer.graph.root_node_id
        ]
        for relaxer in relaxers
    ]
    number = len(relaxers[0].constraints)
    plain, at_root, single, core = best(
        lambda: [node_values(graph, facts, grounding) for graph, grounding in pairs],
        lambda: [
            redundant_constraints(relaxer, among)
            for relaxer, among in zip(relaxers, branches, strict=True)
        ],
        lambda: [redundant_constraints(relaxer) for relaxer in relaxers],
        lambda: [minimal_core(relaxer) for relaxer in relaxers],
    )
    job = f"{pattern}: {number} single deletions, {count} questions"
    yield share(job, single, "plain evaluation", plain, f"<= {number + 1}")
    if SHAPES[pattern][0] in "iu":
        job = f"{pattern}: the branches at the root alone"
        yield share(job, at_root, "plain evaluation", plain, "<= 2")
    yield share(f"{pattern}: minimal core", core, "plain evaluation", plain)


def measure_witnesses(facts: FactStore, count: int) -> Iterator[Row]:
    """Yield what the witnesses of all answers take, in plain evaluations."""
    for pattern in SHAPES:
        yield _witnesses_of(pattern, facts, count)


def _witnesses_of(pattern: str, facts: FactStore, count: int) -> Row:
    graphs = [as_graph(query, facts) for query in QueryMaker(facts).many(pattern, count)]
    evaluations = [evaluate(graph, facts) for graph in graphs]
    pairs = [(item.graph, item.grounding) for item in evaluations]
    find_witnesses(evaluations[0])  # ranks the names, once a store
    plain, found = best(
        lambda: [node_values(graph, facts, grounding) for graph, grounding in pairs],
        lambda: [find_witnesses(item) for item in evaluations],
    )
    return share(f"{pattern}: witnesses of all answers", found, "plain evaluation", plain, "<= 3")


def measure_standing(facts: FactStore, count: int, changes: int = 200) -> Iterator[Row]:
    """Yield what one fact more or less takes with 14 x count standing questions."""
    queries = [query for pattern in SHAPES for query in QueryMaker(facts).many(pattern, count)]
    graphs = [as_graph(query, facts) for query in queries]
    standing = StandingQuestions(graphs, facts)
    (everything,) = best(lambda: evaluate_many(graphs, facts))
    dice, every = random.Random(1), list(facts.facts())
    updating = changing = rechecked = 0.0
    gone = every[0]
    for turn in range(changes):
        start = time.process_time()
        if turn % 2:
            changed = standing.facts.with_fact(gone.head, facts.relations[gone.relation], gone.tail)
        else:
            gone = every[dice.randrange(len(every))]
            changed = standing.facts.without_fact(gone)
        middle = time.process_time()
        update = standing.update(changed)
        updating += time.process_time() - middle
        changing += middle - start
        rechecked += len(update.rechecked)
        if turn < 4 or turn >= changes - 4:
            for mine, fresh in zip(standing.answers, evaluate_many(graphs, changed), strict=True):
                if mine is None or not mine.same_form(fresh):
                    raise AssertionError("a standing question differs from a fresh evaluation")
    job = f"one fact more or less, {len(graphs):,} standing questions"
    yield faster(job, updating / changes, "all, batched", everything, ">= 50")
    yield faster(
        f"{job}, the change of the store too",
        (updating + changing) / changes,
        "all, batched",
        everything,
    )
    part = rechecked / changes / len(graphs) * 100
    yield Row(job, f"{part:.2f} %", "checked again", "1 %", part, "<= 1")
