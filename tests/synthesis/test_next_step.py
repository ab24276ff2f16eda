"""What a question becomes next: reworded, grown, planned anew, given more evidence, or given up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from synthesis.advice import Advice
from synthesis.agents.construction import QaRecord
from synthesis.agents.gathering import Errand
from synthesis.evidence_pool import EvidencePool
from synthesis.loop_settings import LoopSettings
from synthesis.next_step import NextStep
from synthesis.offers import Offer
from synthesis.seed_state import Reading, SeedState
from synthesis.seeds import Seed
from tests.synthesis.agents.small_web import blocks_of, turns, with_errand
from tests.synthesis.fresh_village import planner, pool
from tests.synthesis.test_planning import planned

QA = QaRecord(question="Who? Say who it is.", answer="x")
UNREAD = Reading(None, None, ("unparsed: no graph",))


def decided(
    folder: Path,
    reading: Reading,
    missing: tuple[str, ...],
    *,
    before: Any = None,
    evidence: EvidencePool | None = None,
    offer: Offer | None = None,
    script: Mapping[str, Any] | None = None,
    **settings: Any,
) -> tuple[Advice, Offer | None, list[tuple[str, Any]], SeedState, Any]:
    steps: list[tuple[str, Any]] = []

    def record(step: str, data: Mapping[str, Any]) -> None:
        steps.append((step, json.loads(json.dumps(data, allow_nan=False))))

    async def work(errand: Errand) -> Any:
        given = {"more_gatherings": 0, "plan_attempts": 10, **settings}
        state = SeedState(Seed(entity_name="Ada Ash"), errand, LoopSettings(**given), record)
        state.desk.pool = evidence if evidence is not None else pool()
        state.iteration = 1
        if before is not None:
            state.take(QA, None, Reading(before, planner().standing(before)))
        advice, picked = await NextStep(state).decide(QA, offer, reading, missing)
        return advice, picked, state

    plan = {"direction": {}, "gather": {"evidence": []}, **(script or {})}
    (advice, picked, state), server = with_errand(turns(**plan), work, folder)
    return advice, picked, steps, state, server


def test_a_text_that_is_not_understood_is_sent_back_with_its_problems(tmp_path: Path) -> None:
    """No model is asked, and a change that was to be made still holds."""
    offer = planned(0).opening(planner())
    advice, picked, steps, state, server = decided(tmp_path, UNREAD, ("unparsed",), offer=offer)
    assert (advice.kind, picked, state.rewordings) == ("reword", offer, 1)
    assert advice.problems == ("unparsed: no graph",)
    assert advice.offer["graph"]["root_node_id"] == offer.graph.root_node_id
    assert server.received == []
    assert [step for step, _ in steps] == ["advised"]


@pytest.mark.parametrize(
    "missing",
    [("text_leak",), ("quality_clear", "quality_length"), ("lint_error", "text_leak")],
)
def test_what_words_can_mend_is_sent_back(tmp_path: Path, missing: tuple[str, ...]) -> None:
    """The line is asked for again, in other words."""
    graph = planned(0).graphs[-1]
    reading = Reading(graph, planner().standing(graph))
    advice, picked, _, _, _ = decided(tmp_path, reading, missing, before=graph)
    assert (advice.kind, picked) == ("reword", None)
    assert advice.offer["answer"] == graph.answer


def test_a_wording_is_not_sent_back_for_ever(tmp_path: Path) -> None:
    """After so many times a question is planned from the beginning."""
    advice, picked, _, state, _ = decided(tmp_path, UNREAD, ("unparsed",), rewordings=0)
    assert advice.kind == "start"
    assert picked is not None
    assert not picked.grows
    assert state.rewordings == 0
    assert advice.offer["graph"]["edges"]
    assert advice.expansion_advice.problems(QA.question) == []


def test_a_line_is_grown_with_advice(tmp_path: Path) -> None:
    """The model is asked, its view and the agreement are kept, the mutation is recorded."""
    graph = planned(1).graphs[1]
    reading = Reading(graph, planner().standing(graph))
    script = {"direction": {"seen": {"ambiguous": True}}}
    missing = planner().standing(graph).missing
    advice, picked, steps, state, server = decided(
        tmp_path, reading, missing, before=graph, script=script
    )
    assert picked is not None
    assert advice.kind in ("grow", "start")
    (step,) = [data for name, data in steps if name == "advised"]
    assert step["mutation"] == json.loads(json.dumps(picked.mutation.to_record()))
    assert step["missing"] == list(missing)
    if advice.kind == "grow":
        assert len(server.received) == 1
        assert [view["ambiguous"] for view in state.views] == [True]
        assert step["agreement"] == state.views[0]


def test_without_a_way_on_more_is_gathered_about_what_is_named_most(tmp_path: Path) -> None:
    """Never twice about the same, and not about the seed again."""
    few = EvidencePool().with_records(list(pool().retained)[:3])
    mentioned = [item.head_entity for item in few.retained]
    advice, picked, steps, _, server = decided(
        tmp_path, UNREAD, ("unparsed",), evidence=few, rewordings=0, more_gatherings=2
    )
    assert (advice.kind, picked) == ("gather", None)
    told = [data["about"] for name, data in steps if name == "gathered"]
    assert told
    assert len(set(told)) == len(told)
    assert "Ada Ash" not in told
    assert blocks_of(server.received[0])["seed"] == told[0]
    assert set(told) <= {*mentioned, *(item.tail_entity for item in few.retained)}


def test_each_entity_is_gathered_about_once(tmp_path: Path) -> None:
    """Those named most come first; when all were tried, nothing more is asked."""
    few = EvidencePool().with_records(list(pool().retained)[:2])
    steps: list[dict[str, Any]] = []

    async def work(errand: Errand) -> SeedState:
        state = SeedState(
            Seed(entity_name="Ada Ash"), errand, LoopSettings(), lambda _, data: steps.append(data)
        )
        state.desk.pool = few
        step = NextStep(state)
        for _ in range(6):
            assert await step._gather_more() is False
        return state

    state, _ = with_errand(turns(gather={"evidence": []}), work, tmp_path)
    told = [data["about"] for data in steps]
    assert len(set(told)) == len(told)
    assert set(told) == set(state.desk.mentions) - {"Ada Ash"}
    counts = [state.desk.mentions[name] for name in told]
    assert counts == sorted(counts, reverse=True)


def test_nothing_is_gathered_where_it_is_not_wanted(tmp_path: Path) -> None:
    """With no more gatherings a seed without a way on is given up at once."""
    few = EvidencePool().with_records(list(pool().retained)[:3])
    advice, _, steps, _, server = decided(
        tmp_path, UNREAD, ("unparsed",), evidence=few, rewordings=0, more_gatherings=0
    )
    assert advice.kind == "gather"
    assert server.received == []
    assert [step for step, _ in steps] == ["advised"]
