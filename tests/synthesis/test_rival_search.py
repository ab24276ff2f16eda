"""How far a search for rivals says that it looked: not further than its searches were answered."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

import synthesis.rival_search
from graphkit.evidence import EvidenceRecord
from synthesis.evidence_pool import EvidencePool
from synthesis.loop_settings import LoopSettings
from synthesis.rival_search import RivalSearch
from tests.synthesis.test_finishing import GRAPH

POOL = EvidencePool().with_records(
    EvidenceRecord(
        evidence_id=f"e{number}",
        head_entity=head,
        relation=relation,
        tail_entity=tail,
        popularity="non-popular",
    )
    for number, (head, relation, tail) in enumerate(
        [("Austria", "borders", "Slovakia"), ("Austria", "capital", "Vienna")]
    )
)


class _Desk:
    """A desk at which nothing new arrives."""

    settings = LoopSettings()
    pool = POOL
    errand = None

    async def take(self, records: Any, *, popularity: bool) -> dict[str, Any]:
        return {"relations": {}, "reliability": [], "pool": {}}


def _gathered(status: str, ended: str) -> Any:
    searches = [{"query": "q", "status": status, "results": 0}]
    return SimpleNamespace(records=(), to_record=lambda: {"searches": searches, "ended": ended})


@pytest.mark.parametrize(
    ("status", "ended", "complete"),
    [
        ("found", "answered", True),
        ("nothing", "answered", True),
        ("rate_limited", "answered", False),
        ("failed", "answered", False),
        ("found", "max_calls", False),
    ],
)
def test_a_search_that_was_not_answered_is_not_complete(
    monkeypatch: pytest.MonkeyPatch, status: str, ended: str, complete: bool
) -> None:
    """Rate limits, failures and conversations cut short are told, and nothing is called whole."""

    async def search(*_: Any, **__: Any) -> Any:
        return _gathered(status, ended)

    monkeypatch.setattr(synthesis.rival_search, "search_for_rivals", search)
    desk: Any = _Desk()
    told = asyncio.run(RivalSearch(desk, GRAPH, set()).run())
    assert told["looked_up"] > 0
    assert told["left"] == 0
    assert told["cut"] == []
    assert told["hindered"] == (0 if complete else len(told["conversations"]))
    assert told["complete"] is complete
