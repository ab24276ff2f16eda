"""A real small model asked to judge and to parse: it ends by itself, with honest states."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from small_model import MODEL, SmallModel

from graphkit.models import ExchangeLog, ModelDoor, ModelSettings
from synthesis.agents.parsing import parse_question
from synthesis.quality import QualityState, judge_privacy, judge_text

pytestmark = [pytest.mark.model, pytest.mark.slow]


def _asked(server: SmallModel, log: Path, work: Callable[[ModelDoor], Awaitable[Any]]) -> Any:
    settings = ModelSettings(
        model=MODEL,
        base_url=server.base_url,
        api_key_env="TEST_MODEL_KEY",
        temperature=0.0,
        max_tokens=96,
        timeout=300,
    )

    async def main() -> Any:
        with ExchangeLog.open(log, run="r") as opened:
            async with ModelDoor(settings, log=opened) as door:
                return await work(door), door.costs()

    return asyncio.run(main())


def test_judges_give_states(small_model: SmallModel, tmp_path: Path) -> None:
    """Each check has a verdict or is unscored with a reason; a second session asks nothing."""

    async def work(door: ModelDoor) -> Any:
        text = await judge_text(door, "Which river flows through Paris?", "Seine")
        return (*text, await judge_privacy(door, "哪条河流经巴黎？", "塞纳河", language="zh"))

    checks, costs = _asked(small_model, tmp_path / "log.jsonl", work)
    assert [check.name for check in checks] == ["fluent", "clear", "unambiguous", "privacy"]
    for check in checks:
        assert check.state is not QualityState.UNSCORED or check.reason
    again, replayed = _asked(small_model, tmp_path / "log.jsonl", work)
    assert again == checks
    assert sum(row.cached for row in replayed) == sum(row.calls for row in costs)


def test_parsing_ends_by_itself(small_model: SmallModel, tmp_path: Path) -> None:
    """A model that cannot do it leaves the question with a status and its problems."""

    async def work(door: ModelDoor) -> Any:
        return await parse_question(door, "Which river flows through Paris?", "Seine", reasks=0)

    found, _ = _asked(small_model, tmp_path / "log.jsonl", work)
    assert found.status in ("parsed", "not_expressible", "failed")
    assert found.status != "failed" or (found.problems and found.asks == 1)
