"""The loop of one seed: how it ends when evidence, words or models fail it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from model_faults import failed

from graphkit.errors import BudgetError, ModelServerError, MutationError
from graphkit.models import Budget
from graphkit.testing.strategies import stores_with_graphs
from synthesis.agents.gathering import Errand
from synthesis.asked import asked_on
from synthesis.loop_settings import LoopSettings
from synthesis.offers import Planner, without_text
from synthesis.seed_loop import Outcome, SeedLoop
from synthesis.seeds import Seed
from tests.synthesis.agents.small_web import page, turns, with_errand

TOWNS = ("Ulm", "Bonn", "Kiel", "Trier")
PAGES = (
    page("towns.example", " ".join(f"{town} lies on the Rhine." for town in TOWNS), "2019-01-01"),
)
VISIT = (("visit", {"url": "https://towns.example/", "goal": ""}),)
FOUND = {
    "evidence": [
        {
            "head_entity": town,
            "relation": "lies on",
            "tail_entity": "Rhine",
            "evidence_text": f"{town} lies on the Rhine.",
            "source_url": "https://towns.example/",
        }
        for town in TOWNS
    ]
}
QA = {"questions": [{"question": "Which town lies on the Rhine?", "answer": "Ulm"}]}
SCRIPT: dict[str, Any] = {
    "gather": [VISIT, FOUND],
    "popularity": {"popularity": "non-popular"},
    "relations": {"mapping": []},
    "construct": QA,
    "revise": QA,
    "parse": {"not_expressible": "all of it"},
    "direction": {},
    "rivals": {"evidence": []},
}


def looped(
    folder: Path,
    budget: Budget | None = None,
    loop: Mapping[str, Any] | None = None,
    **script: Any,
) -> tuple[Outcome, list[tuple[str, dict[str, Any]]], Any]:
    steps: list[tuple[str, dict[str, Any]]] = []

    def record(step: str, data: Mapping[str, Any]) -> None:
        steps.append((step, json.loads(json.dumps(data, allow_nan=False))))

    async def work(errand: Errand) -> Outcome:
        given = {"min_evidence": 3, "gatherings": 2, "more_gatherings": 0, **(loop or {})}
        return await SeedLoop(Seed(entity_name="Ulm"), errand, LoopSettings(**given), record).run()

    outcome, server = with_errand(
        turns(**{**SCRIPT, **script}), work, folder, pages=PAGES, budget=budget
    )
    return outcome, steps, server


def test_too_little_evidence_ends_a_seed_after_its_gatherings(tmp_path: Path) -> None:
    """No question is written; each gathering is a step."""
    outcome, steps, _ = looped(tmp_path, loop={"min_evidence": 9})
    assert (outcome.status, outcome.missing, outcome.iterations) == (
        "gave_up", ("too_little_evidence",), 0
    )  # fmt: skip
    assert [step for step, _ in steps] == ["gathered", "gathered"]


def test_popular_evidence_is_too_little(tmp_path: Path) -> None:
    """However much of it there is."""
    outcome, _, _ = looped(tmp_path, popularity={"popularity": "popular"})
    assert outcome.missing == ("too_little_evidence",)


@pytest.mark.parametrize("role", ["gather", "popularity", "construct"])
def test_a_model_that_gives_nothing_fails_the_seed(tmp_path: Path, role: str) -> None:
    """With a stable word and the reason in the record."""
    outcome, steps, _ = looped(tmp_path, **{role: "no json"})
    assert outcome.status == "failed"
    assert outcome.missing
    assert all(" " not in word for word in outcome.missing)
    assert steps[-1][0] == "gave_nothing"
    assert steps[-1][1]["problems"]


@pytest.mark.parametrize("role", ["gather", "popularity", "construct"])
def test_a_server_that_fails_leaves_the_seed_open(tmp_path: Path, role: str) -> None:
    """It is not the seed's fault: there is no outcome."""
    with pytest.raises(ModelServerError):
        looped(tmp_path, **{role: failed(500, "broken")})


@pytest.mark.parametrize("calls", [1, 3, 5])
def test_a_spent_budget_leaves_the_seed_open(tmp_path: Path, calls: int) -> None:
    """Wherever it is spent."""
    with pytest.raises(BudgetError):
        looped(tmp_path, Budget(calls=calls))


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_question_that_is_not_understood_is_sent_back_so_many_times(
    tmp_path: Path, limit: int
) -> None:
    """Then another way is looked for; where the evidence has none, the seed is given up."""
    outcome, steps, _ = looped(tmp_path, loop={"rewordings": limit, "plan_attempts": 3})
    assert (outcome.status, outcome.missing) == ("gave_up", ("unparsed",))
    kinds = [data["advice"]["kind"] for step, data in steps if step == "advised"]
    assert kinds == ["reword"] * limit + ["gather"]
    assert outcome.iterations == limit + 1


def test_the_cap_on_iterations_ends_a_seed(tmp_path: Path) -> None:
    """With what was missing then."""
    outcome, _, _ = looped(
        tmp_path, loop={"rewordings": 99, "min_iterations": 1, "max_iterations": 3}
    )
    assert (outcome.status, outcome.iterations) == ("gave_up", 3)
    assert outcome.question is None


def test_the_same_replies_give_the_same_steps(tmp_path: Path) -> None:
    """From one run to the next."""
    for name in "ab":
        (tmp_path / name).mkdir()
    assert looped(tmp_path / "a")[:2] == looped(tmp_path / "b")[:2]


@settings(max_examples=25)
@given(pair=stores_with_graphs(safe=None, planted=True))
def test_any_question_on_any_facts_has_a_standing_and_offers_or_none(pair: Any):
    """Whatever a parser makes of a text, judging and planning end without a crash."""
    facts, graph = pair
    plans = Planner(facts)
    standing = plans.standing(without_text(graph))
    assert (standing.distance == 0) is (standing.missing == ())
    for loosen in (False, True):
        try:
            offers = plans.offers(graph, count=3, loosen=loosen, steps_left=2)
        except MutationError:
            continue
        asked = [asked_on(offer.graph, facts) for offer in offers]
        assert len(set(asked)) == len(asked)
        assert asked_on(graph, facts) not in asked
