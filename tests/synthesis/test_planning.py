"""Plans: a way of recorded steps to a question that lacks nothing, the same from the same seed."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphkit.facts import FactStore
from graphkit.mutate import Mutation, Strategy, apply_mutation, replay_history
from graphkit.testing.oracle import oracle_answers, oracle_redundant
from synthesis.asked import asked_on
from synthesis.offers import Planner, without_text
from synthesis.planning import Plan, plan_question
from tests.synthesis.fresh_village import planner, pool

ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(12)


@functools.cache
def planned(seed: int, entity: str = "Ada Ash") -> Plan:
    plan = plan_question(
        planner(), entity, min_iterations=5, max_iterations=9, attempts=80, seed=seed
    )
    assert plan is not None
    return plan


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_leads_to_a_question_that_lacks_nothing(seed: int) -> None:
    """One answer, every condition needed, five edges and hops, fresh: by plain sets as well."""
    graph, facts = planned(seed).graphs[-1], planner().facts
    assert planner().standing(without_text(graph)).missing == ()
    answers = oracle_answers(graph, facts)
    assert answers is not None
    assert len(answers) == 1
    assert oracle_redundant(without_text(graph), facts) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_the_steps_of_a_plan_lead_from_one_to_the_next(seed: int) -> None:
    """The history is a seed and mutations, as plain data too; there are as many as asked for."""
    plan = planned(seed)
    assert 5 <= len(plan.history) <= 9
    assert [step.strategy is Strategy.SEED for step in plan.history] == [
        place == 0 for place in range(len(plan.history))
    ]
    for step, before, after in zip(plan.history[1:], plan.graphs, plan.graphs[1:], strict=False):
        assert apply_mutation(before, step) == after
    records = [json.loads(json.dumps(step.to_record())) for step in plan.history]
    assert tuple(replay_history(map(Mutation.model_validate, records))) == plan.graphs


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_rests_on_evidence_that_questions_may_be_made_of(seed: int) -> None:
    """Every step that names evidence names some that is retained."""
    retained = {item.evidence_id for item in pool().retained}
    named = [set(step.evidence_ids) for step in planned(seed).history if step.evidence_ids]
    assert named
    assert all(retained & ids for ids in named)


def test_the_steps_of_a_plan_are_found_again_by_their_graphs() -> None:
    """From the opening on; after the last there is none, and none after another question."""
    plan = planned(0)
    offer = plan.opening(planner())
    assert offer.graph == plan.graphs[0]
    assert not offer.grows
    seen = [offer.graph]
    while (step := plan.after(seen[-1], planner())) is not None:
        assert step.grows
        seen.append(step.graph)
    assert tuple(seen) == plan.graphs
    assert plan.after(planned(1).graphs[0], planner()) is None


def test_a_step_is_found_whatever_the_text_says() -> None:
    """The question in words does not matter, the graph does."""
    plan = planned(0)
    worded = plan.graphs[0].replace(question="Who?", iteration=7)
    step = plan.after(worded, planner())
    assert step is not None
    assert step.graph == plan.graphs[1]


def test_what_was_asked_before_is_not_planned_again() -> None:
    """With the question that it led to avoided a plan leads elsewhere."""
    plan = planned(0)
    asked = asked_on(plan.graphs[-1], planner().facts)
    other = plan_question(
        planner(),
        "Ada Ash",
        min_iterations=5,
        max_iterations=9,
        attempts=80,
        seed=0,
        avoid=[asked],
    )
    assert other is not None
    assert asked_on(other.graphs[-1], planner().facts) != asked


def test_more_steps_than_allowed_are_no_plan() -> None:
    """Nor is anything without attempts, or without facts."""
    given = {"max_iterations": 9, "attempts": 80}
    assert plan_question(planner(), "Ada Ash", min_iterations=10, **given) is None
    assert plan_question(planner(), "x", min_iterations=5, max_iterations=9, attempts=0) is None
    empty = Planner(FactStore.from_triples([]))
    assert plan_question(empty, "Ada Ash", min_iterations=1, **given) is None


def test_a_seed_that_the_evidence_does_not_know_is_no_hindrance() -> None:
    """Something near what there is is asked about."""
    assert planned(1, "Nobody At All").graphs[-1].answer


def test_plans_and_offers_are_the_same_in_every_process() -> None:
    """Nothing depends on how strings are hashed: a resumed run plans what the first one did."""
    program = (
        "import json\n"
        "from tests.synthesis.fresh_village import planner\n"
        "from synthesis.planning import plan_question\n"
        "plan = plan_question(planner(), 'Bo Elm', min_iterations=5, max_iterations=9,"
        " attempts=80, seed=5)\n"
        "offers = planner().offers(plan.graphs[1], count=5, seed=3, steps_left=2)\n"
        "print(json.dumps([[m.to_record() for m in plan.history],"
        " [[o.name, o.mutation.to_record(), o.standing.missing] for o in offers]]))\n"
    )
    told = set()
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    for process in running:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        told.add(out)
    assert len(told) == 1
