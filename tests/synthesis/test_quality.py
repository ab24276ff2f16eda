"""Checks of a finished question: named states, and nothing unjudged that passes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_faults import Received, failed, said
from parse_model import chain_graph, with_door

from graphkit.errors import ModelServerError
from graphkit.evidence import EvidenceRecord
from graphkit.question import QuestionGraph
from synthesis.quality import (
    QualityCheck,
    QualityLimits,
    QualityReport,
    QualityState,
    assess_quality,
    judge_privacy,
    judge_text,
)
from synthesis.quality_checks import check_freshness, check_hops, check_length, hop_freshness

GOOD = {"fluent": True, "clear": True, "unambiguous": True, "reason": "fine"}
STATES = st.sampled_from(list(QualityState))


def _record(name: str, fresh: bool, text: str = "") -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=name,
        head_entity=f"head {name}",
        relation="r",
        tail_entity=f"tail {name}",
        evidence_text=text,
        is_fresh_knowledge=fresh,
    )


def _script(**by_role: Any) -> Any:
    def answer(received: Received) -> Any:
        role = received.body["messages"][0]["content"].split(": ")[1].split("/")[0]
        value = by_role[role]
        return (
            value
            if not isinstance(value, dict | str)
            else said(value if isinstance(value, str) else json.dumps(value))
        )

    return answer


def test_each_verdict_of_the_judge_is_a_check() -> None:
    """Fluent, clear and unambiguous pass and fail apart, with the judge's reason."""

    async def work(door: Any) -> Any:
        return await judge_text(door, "Q?", "A")

    verdict = {**GOOD, "unambiguous": False, "reason": "two readings"}
    checks, _ = with_door(_script(quality=verdict), work)
    assert [(check.name, check.state.value) for check in checks] == [
        ("fluent", "passed"),
        ("clear", "passed"),
        ("unambiguous", "failed"),
    ]
    assert checks[2].reason == "two readings"


def test_a_judge_without_a_verdict_leaves_the_checks_unscored() -> None:
    """Prose in place of a verdict is no pass."""

    async def work(door: Any) -> Any:
        return await judge_text(door, "问题？", "答案", language="zh")

    checks, server = with_door(_script(quality="It is fine, I think."), work)
    assert {check.state for check in checks} == {QualityState.UNSCORED}
    assert all(check.value is None and check.reason for check in checks)
    assert "(zh)" in server.received[0].body["messages"][0]["content"].splitlines()[0]


def test_a_judge_that_is_not_there_is_an_error() -> None:
    """A server that fails is no verdict and no unscored check."""

    async def work(door: Any) -> Any:
        return await judge_text(door, "Q?", "A")

    with pytest.raises(ModelServerError):
        with_door([failed(500, "broken")], work)


@pytest.mark.parametrize(
    ("text", "said_private", "state"),
    [
        ("They met in 2024.", False, "passed"),
        ("They met in 2024.", True, "failed"),
        ("Write to jo@example.org.", False, "failed"),
        ("The office is at 10 Downing Street.", False, "passed"),
        ("The office is at 10 Downing Street.", None, "unscored"),
        ("Write to jo@example.org.", None, "failed"),
        ("They met in 2024.", None, "unscored"),
    ],
)
def test_privacy_takes_patterns_and_the_model(
    text: str, said_private: bool | None, state: str
) -> None:
    """Numbers and e-mail fail on their own; an address is the model's to judge; both are kept."""

    async def work(door: Any) -> Any:
        return await judge_privacy(door, "Q?", "A", [_record("e1", True, text)])

    reply = "?" if said_private is None else {"private": said_private, "reason": "r"}
    check, _ = with_door(_script(privacy=reply), work)
    assert check.state.value == state
    assert check.value["model"] is said_private
    assert bool(check.value["patterns"]) == ("@" in text or "Street" in text)
    assert "jo@example.org" not in json.dumps(check.to_record())


def test_hops_are_counted_on_the_graph() -> None:
    """What an agent declares is kept and decides nothing."""
    graph = QuestionGraph.model_validate(chain_graph("a", "r", "s", "t", "u", "v"))
    short = QuestionGraph.model_validate(chain_graph("a", "r"))
    assert check_hops(graph, declared=2).state is QualityState.PASSED
    assert check_hops(short, declared=9).state is QualityState.FAILED
    assert check_hops(short, declared=9).value == {"graph": 1, "declared": 9}
    assert check_hops(None, declared=9).state is QualityState.UNSCORED


def test_freshness_is_that_of_the_evidence() -> None:
    """The chain's own word does not count; hops without known evidence leave it open."""
    records = {r.evidence_id: r for r in (_record("a", False), _record("b", True))}
    chain = [
        {"evidence_id": "a", "is_fresh_knowledge": True},
        {"evidence_id": "b", "is_fresh_knowledge": False},
    ]
    fresh = hop_freshness(chain, records)
    assert fresh == (False, True)
    checks = {c.name: c for c in check_freshness(fresh, list(records.values()))}
    assert {c.state for c in checks.values()} == {QualityState.PASSED}
    assert checks["knowledge_order"].value["evidence"] == "nonfresh-fresh"
    declared = check_freshness(fresh, list(records.values()), declared="fresh-nonfresh")
    assert [c.name for c in declared if c.state is QualityState.FAILED] == ["knowledge_order"]
    gone = hop_freshness([*chain, {"evidence_id": "gone"}], records)
    states = {c.name: c.state.value for c in check_freshness(gone, [])}
    assert set(states.values()) == {"unscored"}
    stale = check_freshness((True, False), list(records.values()))
    assert stale[2].state is QualityState.FAILED


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [(None, None, "passed"), (5, 5, "passed"), (6, None, "failed"), (None, 4, "failed")],
)
def test_length_is_in_tokens_of_a_named_tokenizer(
    low: int | None, high: int | None, state: str
) -> None:
    """Bounds hold where they are given; the number never stands without its tokenizer."""
    limits = QualityLimits(min_tokens=low, max_tokens=high)
    check = check_length("Which country borders France?", limits)
    assert check.state.value == state
    assert check.value == {"tokens": 5, "tokenizer": "cl100k_base"}
    assert check_length("").state is QualityState.FAILED


@given(st.lists(STATES, max_size=8))
def test_only_a_report_of_passes_passes(states: list[QualityState]) -> None:
    """One check that failed, or that nobody judged, and the report does not pass."""
    report = QualityReport(tuple(QualityCheck(f"c{n}", s) for n, s in enumerate(states)))
    assert report.passed == (bool(states) and set(states) == {QualityState.PASSED})
    record = report.to_record()
    assert len(record["failed"]) == states.count(QualityState.FAILED)
    assert len(record["unscored"]) == states.count(QualityState.UNSCORED)


def test_all_checks_of_a_question() -> None:
    """A good question passes nine checks; a private one fails exactly one of them."""
    graph = QuestionGraph.model_validate(chain_graph("a", "r", "s", "t", "u", "v"))
    evidence = [_record(name, name in "cde") for name in "abcde"]
    chain = [{"evidence_id": name} for name in "abcde"]

    async def work(door: Any) -> Any:
        return await assess_quality(door, "Q?", "A", graph=graph, evidence=evidence, chain=chain)

    good, server = with_door(_script(quality=GOOD, privacy={"private": False}), work)
    assert good.passed
    assert [check.name for check in good.checks] == [
        *("fluent", "clear", "unambiguous", "privacy", "length", "hops"),
        *("fresh_share", "knowledge_order", "last_hop_fresh"),
    ]
    assert len(server.received) == 2
    bad, _ = with_door(_script(quality=GOOD, privacy={"private": True}), work)
    assert (bad.passed, bad.failed, bad.unscored) == (False, ("privacy",), ())


@pytest.mark.parametrize(
    ("fresh", "demanded", "state"),
    [
        ([False, True], True, "passed"),
        ([True, False], True, "failed"),
        ([True, False], False, "passed"),
        ([True, None], False, "unscored"),
        ([], False, "unscored"),
    ],
)
def test_a_fresh_last_hop_is_demanded_only_where_it_is_wanted(
    fresh: list[bool | None], demanded: bool, state: str
) -> None:
    """A run that does without it does not lose its questions for it; the unknown is unscored."""
    checks = check_freshness(fresh, [], QualityLimits(last_hop_fresh=demanded))
    assert {check.name: check.state.value for check in checks}["last_hop_fresh"] == state
