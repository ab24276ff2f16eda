"""Which visited pages count as sources of a claim, whatever the model says of it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from graphkit.evidence import EvidenceRecord
from synthesis.agents.filtering import ReliabilityReply, judge_reliability
from synthesis.agents.gathering import Errand
from synthesis.evidence_pool import Reliability
from synthesis.web import Page

CLAIM = EvidenceRecord(
    evidence_id="e1",
    head_entity="Niger",
    relation="exports to",
    tail_entity="Oman",
    source_url="https://origin.example/a",
    is_fresh_knowledge=True,
)
TEXTS = {
    "https://origin.example/a": "Niger sells uranium to Oman, it was said this week.",
    "https://one.example/b": "Among the customers of Niger is Oman.",
    "https://two.example.org/c": "Oman buys ore that comes from Niger.",
    "https://three.example.net/d": "Oman has never bought anything from Niger, the ministry says.",
    "https://four.example.com/e": "Nigeria and Romania trade with each other.",
}


class _Web:
    """Web tools over a few pages."""

    async def visit(self, url: str) -> Page:
        return Page(
            status="ok",
            url=url,
            final_url=url,
            title="",
            text=TEXTS[url],
            fetched_at="2026-02-01T00:00:00Z",
        )

    def passages(self, page: Page, goal: str, *, max_chars: int) -> str:
        return page.text[:max_chars]


class _Door:
    """A model that opens some pages and calls the claim credible."""

    def __init__(self, opened: list[str], contradicting: list[str]) -> None:
        self.opened = opened
        self.reply = ReliabilityReply(
            reliability=Reliability.CREDIBLE,
            sources=tuple(opened),
            contradicting=tuple(contradicting),
        )

    async def converse(self, agent: str, messages: Any, tools: Any, schema: Any, **_: Any) -> Any:
        visit = next(tool for tool in tools if tool.name == "visit")
        for url in self.opened:
            await visit.run(visit.parameters(url=url))
        return SimpleNamespace(value=self.reply, repairs=(), ended="answered")


@pytest.mark.parametrize(
    ("hosts", "contradicting", "label"),
    [
        (["one", "two"], [], Reliability.CREDIBLE),
        (["one", "origin"], [], Reliability.UNCLEAR),
        (["one", "four"], [], Reliability.UNCLEAR),
        (["one", "three"], [], Reliability.CREDIBLE),
        (["one", "three"], ["three"], Reliability.UNCLEAR),
        (["one", "two", "three"], ["three"], Reliability.CREDIBLE),
    ],
)
def test_credible_takes_two_other_pages_that_name_both(
    hosts: list[str], contradicting: list[str], label: Reliability
) -> None:
    """Neither the origin, nor a page on something else, nor one that contradicts is a source."""
    pages = {url.split("//")[1].split(".")[0]: url for url in TEXTS}
    door = _Door([pages[name] for name in hosts], [pages[name] for name in contradicting])
    errand: Any = Errand(door, _Web(), "en", "2026-01-01")  # type: ignore[arg-type]
    [verdict] = asyncio.run(judge_reliability(errand, [CLAIM]))
    assert verdict.model is Reliability.CREDIBLE
    assert verdict.label is label
    assert not {pages[name] for name in (*contradicting, "origin")} & set(verdict.supporting)
