"""A real small model in every role: each wire format is taken, and a run ends by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from small_model import MODEL, SmallModel

from graphkit.errors import ModelReplyError
from graphkit.models import Budget, ExchangeLog, Message, ModelDoor, ModelSettings
from synthesis.advice import Advice, ExpansionAdvice, first_span
from synthesis.agents.construction import QaRecord, construct, revise
from synthesis.agents.filtering import judge_popularity, judge_reliability
from synthesis.agents.gathering import Errand, gather, search_for_rivals
from synthesis.agents.guidance import advise
from synthesis.agents.naming import name_evidence
from synthesis.agents.parsing import parse_question
from synthesis.agents.seeding import find_seeds
from synthesis.offers import without_text
from synthesis.prompting import Prompt
from synthesis.quality import judge_privacy, judge_text
from synthesis.relation_names import RelationBook
from synthesis.web import WebTools
from tests.synthesis.fresh_village import planner, pool
from tests.synthesis.loopback import Servers, journal_of, records_of, servers
from tests.synthesis.test_planning import planned

pytestmark = [pytest.mark.model, pytest.mark.slow]

Work = Callable[[Errand], Awaitable[Any]]

QA = QaRecord(question="Which river flows through Paris?", answer="Seine")
RECORDS = pool().retained[:2]


async def _advised(errand: Errand) -> Any:
    graph = planned(0).graphs[1]
    offers = planner().offers(graph, count=2, seed=0, steps_left=3)
    asked = QaRecord(question="Which of them is it?", answer=graph.answer or "")
    standing = planner().standing(without_text(graph))
    return await advise(errand.door, asked, graph, standing, offers, language="en")


async def _revised(errand: Errand) -> Any:
    advice = Advice(
        kind="reword",
        expansion_advice=ExpansionAdvice(target_text_span=first_span(QA.question, ())),
        problems=("it names its answer",),
    )
    return await revise(errand.door, RECORDS, QA, advice, language="en")


ROLES: dict[str, Work] = {
    "seeds": lambda errand: find_seeds(errand, primary="World", secondary="Trade", count=1),
    "gather": lambda errand: gather(errand, seed="Malta", count=1),
    "rivals": lambda errand: search_for_rivals(
        errand,
        question=QA.question,
        remaining=["it flows through Paris"],
        open_ends=[{"entity": "Paris", "relation": "flows through", "direction": "backward"}],
    ),
    "reliability": lambda errand: judge_reliability(errand, RECORDS[:1]),
    "popularity": lambda errand: judge_popularity(errand.door, RECORDS, language="en"),
    "relations": lambda errand: name_evidence(
        errand.door,
        RelationBook(),
        [
            RECORDS[0].model_copy(update={"relation": name, "evidence_id": name})
            for name in ("lies on", "is situated at")
        ],
        (),
        language="en",
    ),
    "construct": lambda errand: construct(
        errand.door, RECORDS, since="2026-01-01", min_hops=1, language="en"
    ),
    "parse": lambda errand: parse_question(errand.door, QA.question, QA.answer, reasks=0),
    "direction": _advised,
    "revise": _revised,
    "quality": lambda errand: judge_text(errand.door, QA.question, QA.answer),
    "privacy": lambda errand: judge_privacy(errand.door, QA.question, QA.answer),
}
"""Role -> one piece of its work, as small as can be."""


class OnceDoor(ModelDoor):
    """A door that asks nobody a second time: the model is slow here and would not do better."""

    async def ask(self, *args: Any, **more: Any) -> Any:
        return await super().ask(*args, **{**more, "reasks": 0})

    async def converse(self, *args: Any, **more: Any) -> Any:
        return await super().converse(*args, **{**more, "reasks": 0})


@pytest.fixture(autouse=True)
def short_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    """System messages of two lines: most of the time here goes into reading them."""
    whole = Prompt.messages

    def messages(prompt: Prompt, **blocks: Any) -> tuple[Message, ...]:
        _, user = whole(prompt, **blocks)
        return Message(role="system", content=f"{prompt.title}\n\nReply as JSON."), user

    monkeypatch.setattr(Prompt, "messages", messages)


def _settings(server: SmallModel) -> ModelSettings:
    return ModelSettings(
        model=MODEL,
        base_url=server.base_url,
        api_key_env="TEST_MODEL_KEY",
        temperature=0.0,
        max_tokens=40,
        timeout=300,
        tools="emulated",
    )


async def _worked(outside: Servers, server: SmallModel, log: ExchangeLog, work: Work) -> Any:
    async with (
        OnceDoor(_settings(server), log=log) as door,
        WebTools(outside.web_settings(results=2), log=log) as web,
    ):
        errand = Errand(door, web, "en", "2026-01-01", max_calls=1, max_chars=200)
        try:
            return await work(errand), None
        except ModelReplyError as error:
            return None, error


@pytest.mark.parametrize("role", list(ROLES))
def test_every_role_is_asked_over_its_wire_format(
    small_model: SmallModel, tmp_path: Path, role: str
) -> None:
    """The server takes the request; a reply of no use is a named error, never another one."""
    file = tmp_path / "log.jsonl"
    with servers() as outside, ExchangeLog.open(file, run="r") as log:
        found, error = asyncio.run(_worked(outside, small_model, log, ROLES[role]))
    assert (found is None) is (error is not None)
    if error is not None:
        assert all(problem.code and str(problem) for problem in error.problems)
    asked = [item for item in records_of(file) if item["kind"] == "model"]
    assert asked
    assert {item["agent"] for item in asked} == {role}
    opening = asked[0]["request"]["messages"][0][1].partition("\n")[0]
    assert opening == f"graphkit task: {role}/1 (en)"


def test_a_whole_run_ends_with_an_honest_reason(small_model: SmallModel, tmp_path: Path) -> None:
    """One seed with low caps: no question, a word for it, and a second session asks nothing."""
    folder = tmp_path / "run"
    caps = {
        "gatherings": 1,
        "more_gatherings": 0,
        "tool_calls": 1,
        "page_chars": 200,
        "max_iterations": 3,
    }
    with servers() as outside:
        few = outside.web_settings(results=2)
        budget = Budget(calls=12)
        result = outside.run(
            folder, ["Malta"], web=few, model=_settings(small_model), budget=budget, **caps
        )
        assert result.stopped is None
        assert result.unfinished == {}
        assert not any("internal" in reason for reason in result.unfinished.values())
        paid = sum(row["calls"] for row in result.costs)
        assert 0 < paid <= 12
        outside.run(folder, budget=budget)
    (end,) = journal_of(folder, "outcome")
    assert end["status"] in ("gave_up", "failed")
    assert end["missing"]
    assert (folder / "questions.jsonl").read_bytes() == b""
    models = [item for item in records_of(folder / "exchanges.jsonl") if item["kind"] == "model"]
    assert len(models) == paid
