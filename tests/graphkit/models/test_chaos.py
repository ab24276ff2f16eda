"""Any mix of faults, at any place: a value or a named error, exact counts, and a sound log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from doors import ASKED, GOOD, LYON, City, Search, door_to
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_faults import Answer, FaultServer, Received, called, failed, said

from graphkit.errors import GraphkitError, ModelError
from graphkit.models import ExchangeLog, ModelDoor

ANSWERS = {
    "good": said(GOOD),
    "without usage": said(GOOD, usage=False),
    "tool": called(("search", '{"query": "x"}')),
    "tool in text": said('{"tool": "search", "arguments": {"query": "x"}}'),
    "wrong tool": called(("serch", "{")),
    "prose": said("I would rather not say."),
    "wrong schema": said('{"town": 1}'),
    "refusal": said(None, refusal="no"),
    "empty": said(""),
    "cut off": said('{"name": "L', finish="length"),
    "endless": said("la " * 200, finish="length"),
    "null message": Answer({"choices": [{"message": None}]}),
    "strange types": Answer({"choices": [{"message": {"content": [1, {"text": 2}]}}], "usage": 3}),
    "strange calls": said(None, tool_calls=[None, {}, {"function": {"name": 3}}]),
    "429": failed(429, "slow", retry_after="0"),
    "500": failed(500, "oops"),
    "400": failed(400, "no such form"),
    "401": failed(401, "no"),
    "dropped": Answer(drop=True),
    "cut": Answer(said(GOOD).body, cut=30),
    "no JSON": Answer(b"<html>"),
}
PAID = [name for name, answer in ANSWERS.items() if answer.status == 200 and not answer.drop]


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphkit.models.endpoint.backoff", lambda attempt: 0.0)


@pytest.fixture(scope="module")
def chaos() -> Any:
    """One server for all examples; its script is set by each."""
    with FaultServer([said(GOOD)]) as server:
        yield server


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.sampled_from(sorted(ANSWERS)), min_size=1, max_size=12), st.integers(1, 4))
def test_any_mix_of_faults_ends_and_replays(
    tmp_path: Path, chaos: FaultServer, names: list[str], parallel: int
) -> None:
    """Asks and conversations at once meet any answers in any order; a second session over the
    same log pays for nothing that was answered, and ends the same where nothing was raised."""
    path = tmp_path / "log.jsonl"
    path.unlink(missing_ok=True)

    async def one(door: ModelDoor, number: int) -> object:
        if number % 2:
            return (await door.ask("parse", ASKED, City, vote=number, reasks=1)).value
        found = await door.converse(
            "gather", ASKED, [Search().tool], City, vote=number, max_calls=3, reasks=1
        )
        return found.value, found.calls, found.repairs, found.ended

    async def session() -> tuple[list[object], int]:
        async with door_to(chaos, log=path, retries=1) as door:
            works = (one(door, number) for number in range(parallel))
            found = await asyncio.gather(*works, return_exceptions=True)
            return found, sum(row.calls for row in door.costs())

    first_number = chaos.count

    def script(request: Received) -> Answer:
        return ANSWERS[names[(request.number - first_number - 1) % len(names)]]

    chaos.script = script
    first, calls = asyncio.run(session())
    for item in first:
        assert not isinstance(item, BaseException) or isinstance(item, ModelError), item
    records = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    paid = [record for record in records if record["kind"] == "model"]
    assert calls == len(paid) == len({record["key"] for record in paid})
    with ExchangeLog.open(path, run="r") as log:
        assert log.unfinished == 0
    chaos.script = lambda request: failed(401, "asked again")
    count = chaos.count
    second, calls_after = asyncio.run(session())
    assert calls_after == calls
    for before, after in zip(first, second, strict=True):
        if not isinstance(before, GraphkitError):
            assert before == after
        elif "no reply that can be used" in str(before):
            assert str(before) == str(after)
    if not any(record["kind"] == "failed" for record in records):
        assert chaos.count == count


def test_the_mix_has_answers_that_are_paid_and_such_that_are_not() -> None:
    """The law above would be empty without both."""
    assert len(PAID) > 8
    assert len(ANSWERS) - len(PAID) > 4
    assert LYON.name in GOOD
