"""Whole runs while models and hosts fail: each ends by itself, and says what it lacks."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from loopback_http import Response
from scripted_model import CONTENT, TRANSPORT, Faults
from static_web.hosts import BROKEN, ELSEWHERE, FORBIDDEN, HUGE, SNAIL

from tests.synthesis.loopback import Servers, journal_of, records_of, servers, whole_run

pytestmark = pytest.mark.slow

SEEDS = ("Bulgaria", "Czech Republic", "Belgium")
SHARE = 0.04

TROUBLE = {
    f"http://{BROKEN}/500/trade": "http_error",
    f"http://{BROKEN}/drop/trade": "failed",
    f"http://{BROKEN}/truncated/trade": "failed",
    f"http://{HUGE}/trade": "too_large",
    f"http://{ELSEWHERE}/private/trade": "blocked",
    f"http://{ELSEWHERE}/metadata/trade": "blocked",
    f"http://{ELSEWHERE}/loop/trade": "failed",
    f"http://{FORBIDDEN}/secret/trade": "robots",
    f"http://{SNAIL}/country/belarus": "timeout",
    "http://127.0.0.1/admin": "blocked",
    "file:///etc/passwd": "blocked",
    "http://unknown.invalid/": "failed",
}
"""What a model that is led astray opens, and what the journal must say of it."""


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in which nothing fails."""
    return whole_run(tmp_path_factory.mktemp("quiet") / "run", SEEDS)


def _ends(folder: Path) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {
        step["seed"]: (step["status"], tuple(step["missing"]))
        for step in journal_of(folder, "outcome")
    }


def test_transport_faults_change_nothing(quiet: Path, tmp_path: Path) -> None:
    """429, 500, dropped connections and broken bodies are tried again: the set is the same."""
    with servers(faults=Faults(share=dict.fromkeys(TRANSPORT, SHARE))) as outside:
        result = outside.run(tmp_path / "run", SEEDS)
        stats = outside.model.stats
    assert set(stats["faults"]) == set(TRANSPORT)
    assert sum(row["retries"] for row in result.costs) == sum(stats["faults"].values())
    assert stats["requests"] == stats["paid"] + sum(stats["faults"].values())
    assert stats["paid"] == sum(row["calls"] for row in result.costs)
    assert result.unfinished == {}
    for name in ("questions.jsonl", "set_aside.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (quiet / name).read_bytes()
    assert _ends(tmp_path / "run") == _ends(quiet)


def test_faults_of_every_kind_end_in_outcomes(tmp_path: Path) -> None:
    """Answers of no use beside calls that fail: every seed is at an end, with words for it."""
    faults = Faults(share=dict.fromkeys((*TRANSPORT, *CONTENT), SHARE))
    folder = tmp_path / "run"
    with servers(faults=faults) as outside:
        result = outside.run(folder, SEEDS)
        stats = outside.model.stats
        assert set(stats["faults"]) == {*TRANSPORT, *CONTENT}
        assert sum(result.outcomes.values()) == len(SEEDS)
        assert result.unfinished == {}
        for status, missing in _ends(folder).values():
            assert status in ("accepted", "gave_up", "failed")
            assert bool(missing) == (status != "accepted")
        repairs = [text for step in journal_of(folder) for text in step.get("repairs", ())]
        assert repairs
        before = (folder / "questions.jsonl").read_bytes()
        outside.run(folder)
        assert outside.model.stats["requests"] == stats["requests"]
        assert (folder / "questions.jsonl").read_bytes() == before


def test_a_server_that_is_down_leaves_seeds_to_be_resumed(quiet: Path, tmp_path: Path) -> None:
    """Without any answer the seeds are not finished, and say why; later they end as ever."""
    folder = tmp_path / "run"
    with servers() as outside:
        hasty = outside.model_settings(retries=1)
        outside.model.faults = Faults(every={"server_error": 1})
        down = outside.run(folder, SEEDS, model=hasty)
        assert down.outcomes == {}
        assert len(down.unfinished) == len(SEEDS)
        assert all("HTTP 500" in reason for reason in down.unfinished.values())
        assert (folder / "questions.jsonl").read_bytes() == b""
        assert journal_of(folder) == []
        outside.model.faults = Faults()
        up = outside.run(folder)
    assert up.unfinished == {}
    assert (folder / "questions.jsonl").read_bytes() == (quiet / "questions.jsonl").read_bytes()


def test_one_seed_that_cannot_end_does_not_stop_the_others(tmp_path: Path) -> None:
    """A server that goes down half way: what was finished stays finished and is written."""
    folder = tmp_path / "run"
    with servers() as outside:
        hasty = outside.model_settings(retries=0)

        def told(state: Any) -> None:
            if state.done == 1:
                outside.model.faults = Faults(every={"drop": 1})

        result = outside.run(folder, SEEDS, model=hasty, told=told, parallel=1)
    assert sum(result.outcomes.values()) == 1
    assert len(result.unfinished) == len(SEEDS) - 1
    assert len(records_of(folder / "questions.jsonl")) == result.outcomes["accepted"]


def test_a_wrong_key_stops_the_run_at_once(tmp_path: Path) -> None:
    """A refused key would be refused for every seed: it is asked once, and the run says so."""
    with servers() as outside:
        outside.model.api_key = "right"
        result = outside.run(tmp_path / "run", SEEDS, parallel=1)
        assert outside.model.stats["requests"] == 0
    assert result.stopped is not None
    assert "TEST_MODEL_KEY" in result.stopped or "without a key" in result.stopped
    assert len(result.unfinished) == 1


def test_hosts_in_trouble_are_named_and_the_run_goes_on(tmp_path: Path) -> None:
    """30 MB, private addresses, robots, slow and broken hosts: each has its word in the journal."""
    folder = tmp_path / "run"
    with servers(slow_seconds=3, lead={"Bulgaria": tuple(TROUBLE)}) as outside:
        quick = outside.web_settings(read_timeout=0.7, timeout=3, retries=1, max_bytes=1_000_000)
        result = outside.run(folder, ["Bulgaria", "Belgium"], web=quick)
        stats = outside.web.stats
    assert result.unfinished == {}
    assert sum(result.outcomes.values()) == 2
    first = next(step for step in journal_of(folder, "gathered") if step["failed"])
    assert {url: first["failed"].get(url) for url in TROUBLE} == TROUBLE
    assert stats["forbidden"] == 0
    assert result.web["visit:ok"] > 0
    pages = [
        item
        for item in records_of(folder / "exchanges.jsonl")
        if item["kind"] == "visit" and item["reply"]["status"] != "ok"
    ]
    assert all(item["reply"]["reason"] for item in pages)
    assert {item["request"]["url"] for item in pages} >= set(TROUBLE) - {"file:///etc/passwd"}


def test_a_search_without_an_answer_is_asked_again_another_time(
    quiet: Path, tmp_path: Path
) -> None:
    """A provider that limits or breaks now and then costs time, never what a seed finds."""
    folder = tmp_path / "run"
    with servers() as outside:
        answer, number = outside.web._own, itertools.count(1)

        def now_and_then(request: Any, path: str) -> Any:
            if path == "/search" and next(number) % 9 == 0:
                return Response(429 if next(number) % 2 else 503, b"later", "text/plain")
            return answer(request, path)

        setattr(outside.web, "_own", now_and_then)  # noqa: B010
        hasty = outside.web_settings(retries=0)
        result = outside.run(folder, SEEDS, web=hasty)
        assert result.stopped is None
        assert result.unfinished
        assert all("resuming asks again" in reason for reason in result.unfinished.values())
        sessions = 0
        while outside.run(folder).unfinished:
            sessions += 1
            assert sessions < 40
    assert (folder / "questions.jsonl").read_bytes() == (quiet / "questions.jsonl").read_bytes()
    statuses = {item["status"] for step in journal_of(folder) for item in step.get("searches", ())}
    assert statuses <= {"found", "nothing"}


@pytest.mark.parametrize(("status", "word"), [(402, "plan is used up"), (401, "refuses")])
def test_a_search_plan_that_is_used_up_stops_the_run(
    tmp_path: Path, status: int, word: str
) -> None:
    """No seed could search any more: the run stops with the first, before more is paid for."""
    with servers() as outside:
        _searches_answer(outside, Response(status, b"no more", "text/plain"))
        result = outside.run(tmp_path / "run", SEEDS, parallel=1)
        assert outside.model.stats["paid"] == 1
    assert result.stopped is not None
    assert word in result.stopped
    assert list(result.unfinished.values()) == [result.stopped]


def test_a_search_provider_that_is_away_stops_the_run(quiet: Path, tmp_path: Path) -> None:
    """After ten searches in a row without an answer the run stops, and goes on another time."""
    folder = tmp_path / "run"
    names = (*SEEDS, *(f"Nowhere {number}" for number in range(12)))
    with servers() as outside:
        answer = _searches_answer(outside, Response(503, b"later", "text/plain"))
        quick = outside.web_settings(retries=0)
        result = outside.run(folder, names, web=quick, parallel=1)
        assert result.stopped is not None
        assert "10 searches in a row" in result.stopped
        assert result.outcomes == {}
        assert len(result.unfinished) < len(names)
        outside.web._own = answer
        again = outside.run(folder)
    assert (again.stopped, again.unfinished) == (None, {})
    ends = _ends(folder)
    assert {seed: ends[seed] for seed in _ends(quiet)} == _ends(quiet)


def _searches_answer(outside: Servers, response: Response) -> Any:
    """Let every search be answered alike; return what answered before."""
    before = outside.web._own
    setattr(  # noqa: B010
        outside.web,
        "_own",
        lambda request, path: response if path == "/search" else before(request, path),
    )
    return before
