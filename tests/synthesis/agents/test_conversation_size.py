"""How much of the web one conversation is shown: it does not outgrow the model."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import pytest

from synthesis.agents.gathering import Errand
from synthesis.agents.web_access import VisitArguments
from synthesis.loop_settings import LoopSettings
from synthesis.web import Page, passages


class _Web:
    """A web on which every page is long."""

    async def visit(self, url: str) -> Page:
        text = "Ulm lies on the Danube. " * 5_000
        return Page(status="ok", url=url, final_url=url, text=text, fetched_at="2026-02-01")

    def passages(self, page: Page, goal: str, *, max_chars: int) -> str:
        return passages(page, goal, max_chars=max_chars)


def _shown(visits: int, **settings: int) -> list[int]:
    loop = LoopSettings(**settings)
    web: Any = _Web()
    access = Errand.of(web, web, loop).access()

    async def work() -> list[int]:
        told = [
            await access.visit(VisitArguments(url=f"https://h{number}.example/", goal="Danube"))
            for number in range(visits)
        ]
        return [len(json.loads(text)["text"]) for text in told]

    return asyncio.run(work())


@pytest.mark.parametrize("settings", [{}, {"conversation_chars": 40_000}, {"page_chars": 500}])
def test_forty_long_pages_are_shown_in_ever_shorter_parts(settings: dict[str, int]) -> None:
    """The first pages are shown widely, later ones less, none not at all, all within bounds."""
    loop = LoopSettings(**settings)
    sizes = _shown(40, **settings)
    assert sizes[0] > 0.8 * min(loop.page_chars, loop.conversation_chars // 8)
    assert all(later <= sooner for sooner, later in itertools.pairwise(sizes))
    assert sizes[-1] > 0
    assert sum(sizes) <= loop.conversation_chars + 40 * 1_000


def test_few_pages_are_shown_as_widely_as_the_settings_say() -> None:
    """What fits is not cut: the bound is felt in long conversations only."""
    assert all(size > 0.9 * LoopSettings().page_chars for size in _shown(2))
