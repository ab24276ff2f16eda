"""The search for rivals: each open end once, what is found is evidence, and how far it went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graphkit.evidence import EvidenceRecord
from graphkit.relations import RelationSheet
from synthesis.agents.gathering import Errand
from synthesis.evidence_desk import EvidenceDesk
from synthesis.loop_settings import LoopSettings
from synthesis.rival_search import RivalSearch
from synthesis.rivals import OpenEnd, relaxations
from tests.synthesis.agents.small_web import blocks_of, page, turns, with_errand
from tests.synthesis.test_offers import _chain

PAGES = (
    page("mayors.example", "Ulm has Ada as mayor. Bonn has Ada as mayor. Ada was born in Kiel.",
         "2019-01-01"),
)  # fmt: skip
GRAPH = _chain("Ulm", "Kiel", ("mayor", "forward"), ("born in", "forward"))
VISIT = (("visit", {"url": "https://mayors.example/", "goal": ""}),)


def record(number: int, head: str, relation: str, tail: str) -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=f"e{number}", head_entity=head, relation=relation, tail_entity=tail
    )


KNOWN = [record(1, "Ulm", "mayor", "Ada"), record(2, "Ada", "born in", "Kiel")]


def item(head: str, relation: str, tail: str, quote: str) -> dict[str, Any]:
    return {"head_entity": head, "relation": relation, "tail_entity": tail,
            "evidence_text": quote, "source_url": "https://mayors.example/"}  # fmt: skip


BONN = item("Bonn", "mayor", "Ada", "Bonn has Ada as mayor.")


def searched(
    folder: Path, rivals: Any, asked: set[OpenEnd] | None = None, **settings: Any
) -> tuple[dict[str, Any], EvidenceDesk, list[Any]]:
    async def work(errand: Errand) -> tuple[dict[str, Any], EvidenceDesk]:
        given = {"rival_batch": 2, "rival_members": 5, **settings}
        desk = EvidenceDesk(errand, LoopSettings(**given), RelationSheet())
        desk.pool = desk.pool.with_records(KNOWN)
        search = RivalSearch(desk, GRAPH, set() if asked is None else asked)
        return await search.run(), desk

    script = turns(rivals=rivals, relations={"mapping": []})
    (found, desk), server = with_errand(script, work, folder, pages=PAGES)
    ends = [
        end
        for received in server.received
        if blocks_of(received).get("open_ends") and len(received.body["messages"]) == 2
        for end in json.loads(blocks_of(received)["open_ends"])
    ]
    return found, desk, ends


def test_every_open_end_is_looked_up_once(tmp_path: Path) -> None:
    """In conversations of no more ends than a batch has."""
    asked: set[OpenEnd] = set()
    found, desk, ends = searched(tmp_path, {"evidence": []}, asked)
    wanted = {
        end for item in relaxations(GRAPH, desk.pool.facts, max_members=5) for end in item.open_ends
    }
    assert {OpenEnd(**end) for end in ends} == wanted == asked
    assert len(ends) == len(wanted) == found["looked_up"]
    assert all(len(part["open_ends"]) <= 2 for part in found["conversations"])
    assert (found["left"], found["complete"], found["evidence"]) == (0, True, [])
    assert json.loads(json.dumps(found)) == found


def test_what_is_found_is_evidence_and_opens_further_ends(tmp_path: Path) -> None:
    """It counts as a fact, makes no question, and is followed in the next round."""

    def rivals(received: Any) -> Any:
        return VISIT if len(received.body["messages"]) == 2 else {"evidence": [BONN]}

    found, desk, _ = searched(tmp_path, rivals)
    assert len(found["evidence"]) == 1
    assert {item.head_entity for item in desk.pool.held} == {"Ulm", "Ada", "Bonn"}
    assert len(desk.pool.facts) == 3
    assert found["rounds"] >= 1
    assert sum(part["new"] for part in found["conversations"]) == 1


def test_rounds_are_limited_and_what_is_left_is_told(tmp_path: Path) -> None:
    """Evidence that always opens more is not followed for ever."""
    text = " ".join(f"Ada was born in K{n}. K{n} has M{n} as mayor." for n in range(9))
    pages = (page("mayors.example", text, "2019-01-01"),)

    async def work(errand: Errand) -> dict[str, Any]:
        desk = EvidenceDesk(errand, LoopSettings(rival_rounds=1, rival_batch=50), RelationSheet())
        desk.pool = desk.pool.with_records(KNOWN)
        return await RivalSearch(desk, GRAPH, set()).run()

    def rivals(received: Any) -> Any:
        if len(received.body["messages"]) == 2:
            return VISIT
        return {
            "evidence": [
                item("Ulm", "mayor", f"M{n}", f"K{n} has M{n} as mayor.") for n in range(9)
            ]
        }

    script = turns(rivals=rivals, relations={"mapping": []})
    found, _ = with_errand(script, work, tmp_path, pages=pages)
    assert found["rounds"] == 1
    assert found["left"] > 0
    assert found["complete"] is False


def test_sets_too_large_are_named_even_if_nothing_is_open(tmp_path: Path) -> None:
    """Then the search is not complete, though nothing was asked."""
    asked = {
        OpenEnd(name, relation, way)
        for name in ("Ulm", "Ada", "Kiel")
        for relation in ("mayor", "born in")
        for way in ("forward", "backward")
    }
    big = [record(10 + n, "Ulm", "mayor", f"M{n}") for n in range(9)]

    async def work(errand: Errand) -> dict[str, Any]:
        desk = EvidenceDesk(errand, LoopSettings(rival_members=5), RelationSheet())
        desk.pool = desk.pool.with_records([*KNOWN, *big])
        return await RivalSearch(desk, GRAPH, asked).run()

    found, server = with_errand(turns(), work, tmp_path, pages=PAGES)
    assert server.received == []
    assert (found["rounds"], found["left"]) == (0, 0)
    assert found["cut"] == ["n1"]
    assert found["complete"] is False


def test_a_conversation_that_was_hindered_is_no_complete_search(tmp_path: Path) -> None:
    """One that used up its calls."""

    def rivals(received: Any) -> Any:
        last = received.body["messages"][-1]["content"] or ""
        return {"evidence": []} if "tool calls are used" in str(last) else VISIT

    async def work(errand: Errand) -> dict[str, Any]:
        desk = EvidenceDesk(errand, LoopSettings(), RelationSheet())
        desk.pool = desk.pool.with_records(KNOWN)
        return await RivalSearch(desk, GRAPH, set()).run()

    found, _ = with_errand(
        turns(rivals=rivals), work, tmp_path, pages=PAGES, limits={"max_calls": 1}
    )
    assert found["hindered"] >= 1
    assert found["complete"] is False
