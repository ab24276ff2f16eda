"""Budgets, rates, caching and resuming: nothing is paid twice, nothing is overspent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from doors import ASKED, GOOD, LYON, City, door_to, with_server
from hypothesis import given
from hypothesis import strategies as st
from model_faults import Answer, FaultServer, Received, called, failed, said

from graphkit.errors import BudgetError, ModelAccessError, ModelServerError
from graphkit.models import Budget, ExchangeLog, ModelDoor, ModelSettings
from graphkit.models.costs import Expected, Ledger
from graphkit.models.pacing import Gate, Pace

ROOT = Path(__file__).resolve().parents[3]


async def many(door: ModelDoor, count: int, parallel: int = 8) -> list[object]:
    """Ask many different things at once; return values and errors."""
    slots = asyncio.Semaphore(parallel)

    async def one(vote: int) -> object:
        async with slots:
            return (await door.ask("parse", ASKED, City, vote=vote)).value

    return await asyncio.gather(*(one(vote) for vote in range(count)), return_exceptions=True)


def test_a_second_session_pays_for_nothing_twice(tmp_path: Path) -> None:
    """Replies come from the log; costs tell paid calls of the run and cached ones apart."""
    path = tmp_path / "log.jsonl"
    with FaultServer([said(GOOD)]) as server:

        async def session(count: int) -> tuple[object, ...]:
            async with door_to(server, log=path, input_price=1.0, output_price=2.0) as door:
                assert await many(door, count) == [LYON] * count
                return door.costs()

        (first,) = asyncio.run(session(5))
        assert (first.calls, first.cached, first.input_tokens, first.output_tokens) == (
            5,
            0,
            50,
            25,
        )
        assert first.money == pytest.approx(0.0001)
        (second,) = asyncio.run(session(7))
        assert (second.calls, second.cached, second.input_tokens) == (7, 5, 70)
        assert second.money == pytest.approx(0.00014)
        assert server.count == 7


def test_the_key_holds_all_that_a_reply_depends_on() -> None:
    """Sampling, model, schema, vote, messages and run change the key; a timeout does not."""
    with FaultServer([said(GOOD)]) as server:

        async def counted(run: str, vote: int, **settings: Any) -> int:
            before = server.count
            given = {"model": "m", "base_url": server.base_url, **settings}
            async with ModelDoor(ModelSettings(**given), log=logs[run]) as door:
                await door.ask("parse", ASKED, City, vote=vote)
            return server.count - before

        logs = {run: ExchangeLog.open(None, run=run) for run in "ab"}
        changes: list[dict[str, Any]] = [
            {}, {"temperature": 0.5}, {"model": "n"}, {"top_p": 0.5}, {"max_tokens": 9},
            {"seed": 1}, {"extra": {"a": 1}}, {"structured": "prompt"},
        ]  # fmt: skip
        for change in changes:
            assert asyncio.run(counted("a", 0, **change)) == 1
            assert asyncio.run(counted("a", 0, timeout=9, retries=1, **change)) == 0
        assert asyncio.run(counted("a", 1)) == 1
        assert asyncio.run(counted("b", 0)) == 1


def test_replies_are_the_same_from_the_log_whatever_the_server_can_do_now(tmp_path: Path) -> None:
    """A fallback and an emulated tool replay without a single request, refusals included."""
    from doors import Search

    def picky(request: Any) -> Answer:
        if "tools" in request.body or "response_format" in request.body:
            return failed(400, "not supported")
        if "search" not in request.body["messages"][0]["content"]:
            return said(GOOD)
        calls = '{"tool": "search", "arguments": {"query": "x"}}'
        return said(GOOD if "Result of" in request.last else calls)

    with FaultServer(picky) as server:

        async def session_on(server: FaultServer) -> list[Any]:
            search = Search()
            async with door_to(server, log=tmp_path / "log.jsonl") as door:
                told = await door.converse("gather", ASKED, [search.tool], City)
                asked = await door.ask("parse", ASKED, City)
                return [asked.value, told.value, told.calls, told.repairs]

        first = asyncio.run(session_on(server))
        count = server.count
        server.script = failed(500, "must not be asked")
        assert asyncio.run(session_on(server)) == first
        assert server.count == count


BUDGETS = {
    "calls": (Budget(calls=7), {}, "7 of 7 calls are made"),
    "tokens": (Budget(tokens=110), {"max_tokens": 5}, "tokens are used, and the next call may"),
    "money": (
        Budget(money=0.00015), {"input_price": 1.0, "output_price": 2.0, "max_tokens": 5},
        "is spent, and the next call may cost",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("budget", "settings", "why"), BUDGETS.values(), ids=BUDGETS)
def test_a_budget_is_never_exceeded_and_ends_cleanly(
    budget: Budget, settings: dict[str, Any], why: str
) -> None:
    """Calls at once: those that fit are answered, the rest is a named error, nothing is over."""

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await many(door, 20), door.costs()

    slow = Answer(said(GOOD).body, delay=0.02)
    (results, (row,)), server = with_server([slow], work, budget=budget, **settings)
    good = [item for item in results if item == LYON]
    errors = [item for item in results if item != LYON]
    assert all(type(item) is BudgetError for item in errors), errors
    assert why in str(errors[0])
    assert str(errors[0]).startswith("agent parse: ")
    assert len(good) == row.calls == server.count > 0
    assert row.input_tokens + row.output_tokens <= (budget.tokens or 10**9)
    assert row.money is None or row.money <= (budget.money or 10**9)


def test_a_budget_counts_what_earlier_sessions_paid(tmp_path: Path) -> None:
    """A run that goes on does not start from zero; replies of the log still come."""
    with FaultServer([said(GOOD)]) as server:

        async def session(count: int, calls: int) -> list[object]:
            async with door_to(
                server, log=tmp_path / "log.jsonl", budget=Budget(calls=calls)
            ) as door:
                return await many(door, count, parallel=1)

        assert asyncio.run(session(3, 3)) == [LYON] * 3
        *replayed, refused = asyncio.run(session(4, 3))
        assert replayed == [LYON] * 3
        assert isinstance(refused, BudgetError)
        assert asyncio.run(session(4, 4)) == [LYON] * 4


def test_the_time_of_a_run_ends_and_running_calls_are_kept() -> None:
    """Calls under way are finished; the next ones are not begun."""

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await many(door, 14, parallel=2)

    slow = Answer(said(GOOD).body, delay=0.4)
    results, server = with_server([slow], work, budget=Budget(seconds=1.5))
    good = [item for item in results if item == LYON]
    assert 2 <= len(good) == server.count < 14
    assert all(
        "the 1.5 seconds of the run are over" in str(item) for item in results if item != LYON
    )


def test_money_without_prices_is_an_error() -> None:
    """A budget of money cannot be kept for a model whose price is unknown."""

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await many(door, 1)

    (error,), server = with_server([said(GOOD)], work, budget=Budget(money=1.0))
    assert "needs input_price and output_price" in str(error)
    assert server.count == 0


@given(
    limit=st.integers(0, 300),
    calls=st.lists(st.tuples(st.integers(1, 60), st.floats(0, 1)), max_size=12),
)
def test_no_order_of_calls_exceeds_a_budget_of_tokens(
    limit: int, calls: list[tuple[int, float]]
) -> None:
    """Whatever is expected, and however much less is used: the sum stays within the limit, and
    a call is refused only if it would not fit behind those that are answered."""
    from graphkit.models.messages import Usage

    settings = ModelSettings(model="m")

    async def main() -> None:
        ledger = Ledger(Budget(tokens=limit))
        refused: list[int] = []

        async def call(expected: int, part: float) -> None:
            wanted = Expected(expected, None)
            try:
                await ledger.admit("a", wanted)
            except BudgetError:
                refused.append(expected)
                return
            await asyncio.sleep(0)
            ledger.paid("a", settings, Usage(round(expected * part), 0), 0.0)
            ledger.settle(wanted)

        await asyncio.wait_for(asyncio.gather(*(call(*item) for item in calls)), 10)
        spent = sum(row.input_tokens for row in ledger.rows())
        assert spent <= limit
        assert all(spent + expected > limit for expected in refused)

    asyncio.run(main())


def test_tokens_are_counted_here_where_the_server_does_not() -> None:
    """Without usage the row says that its tokens are estimated."""

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        await door.ask("parse", ASKED, City)
        return door.costs()

    ((row,), _) = with_server([said(GOOD, usage=False)], work)
    assert (row.estimated, row.calls) == (1, 1)
    assert 10 < row.input_tokens < 60
    assert 5 < row.output_tokens < 20


def test_retries_are_counted_by_agent_and_model_and_logged(tmp_path: Path) -> None:
    """Each failed attempt is a line of the log with its reason and its wait."""
    path = tmp_path / "log.jsonl"

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        await door.ask("parse", ASKED, City)
        return door.costs()

    script = [failed(500, "one"), failed(429, "two", retry_after="0"), said(GOOD)]
    ((row,), _) = with_server(script, work, log=path)
    assert (row.agent, row.model, row.calls, row.retries) == ("parse", "m", 1, 2)
    records = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    assert [record["kind"] for record in records] == ["begun", "retried", "retried", "model"]
    assert records[1]["why"] == "HTTP 500: one"
    assert (records[2]["why"], records[2]["wait"]) == ("HTTP 429: two", 0)
    assert records[3]["usage"] == {
        "model": "m", "input_tokens": 10, "cached_tokens": 0, "output_tokens": 5,
        "reasoning_tokens": 0, "money": None, "source": "server",
    }  # fmt: skip


def test_a_conversation_is_kept_without_repeating_it(tmp_path: Path) -> None:
    """A record holds only the messages that are new since the exchange that it follows."""
    from doors import Search

    path, search = tmp_path / "log.jsonl", Search()

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await door.converse("gather", ASKED, [search.tool], City)

    script = [called(("search", '{"query": "a"}'))] * 3 + [said(GOOD)]
    with_server(script, work, log=path)
    records = [
        record
        for line in path.read_bytes().split(b"\n")[:-1]
        if (record := json.loads(line))["kind"] == "model"
    ]
    first, *others = records
    assert [item[0] for item in first["request"]["messages"]] == ["system", "user"]
    for before, record in zip(records, others, strict=False):
        assert record["request"]["follows"] == before["key"]
        assert [item[0] for item in record["request"]["messages"]] == ["assistant", "tool"]


def test_no_more_calls_are_under_way_than_allowed() -> None:
    """The lowest limit of the agents that share an endpoint holds."""

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await many(door, 30, parallel=30)

    slow = Answer(said(GOOD).body, delay=0.03)
    results, server = with_server([slow], work, concurrency=5)
    assert results == [LYON] * 30
    assert server.load.most == 5


@pytest.mark.parametrize("told", [True, False])
def test_a_server_that_takes_few_calls_is_not_given_up(told: bool) -> None:
    """32 tasks on a server that takes 20 calls a second and refuses the rest: all are answered,
    with few refusals, whether or not it says how long to wait."""
    taken: list[float] = []

    def script(request: Received) -> Answer:
        if len(taken) >= 10 and request.at - taken[-10] < 0.5:
            return failed(429, "too many", **({"retry_after": "0.5"} if told else {}))
        taken.append(request.at)
        return said(GOOD)

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await many(door, 96, parallel=32), door.costs()

    (results, (row,)), server = with_server(script, work, retries=2)
    assert results == [LYON] * 96
    assert row.retries == server.count - 96 < 200


def test_too_many_calls_are_borne_more_often_than_other_failures() -> None:
    """Six refusals for being too many are no end with two retries; three faults are."""
    many_refused = [failed(429, "too many", retry_after="0")] * 6
    with_server([*many_refused, said(GOOD)], lambda _, door: many_or_raise(door), retries=2)
    with pytest.raises(ModelServerError, match="asked 3 times"):
        with_server(
            [failed(500, "oops", retry_after="0")] * 6,
            lambda _, door: many_or_raise(door),
            retries=2,
        )


def test_the_gate_halves_its_rate_once_for_calls_of_the_same_turn() -> None:
    """Refusals of calls whose turns were fixed before the halving change nothing more; answers
    bring the rate back."""

    async def spacing(gate: Gate) -> float:
        begun = time.monotonic()
        for _ in range(3):
            async with gate.passing(0):
                pass
        return (time.monotonic() - begun) / 2

    async def main() -> None:
        gate = Gate(8)
        before = time.monotonic()
        gate.too_many(before)
        gate.too_many(before)
        once = await spacing(gate)
        gate.too_many(time.monotonic())
        gate.too_many(time.monotonic())
        gate.too_many(time.monotonic())
        more = await spacing(gate)
        for _ in range(200):
            gate.went_well()
        assert 0.02 <= once < more
        assert more >= 0.19
        for _ in range(20):
            async with gate.passing(0):
                pass
        assert gate._gap == 0.0

    asyncio.run(main())


def test_what_a_server_refuses_is_known_from_the_log(tmp_path: Path) -> None:
    """A session that goes on does not try the forms again that an earlier one saw refused."""

    def picky(request: Received) -> Answer:
        form = request.body.get("response_format", {}).get("type")
        return failed(400, "no") if form == "json_schema" else said(GOOD)

    with FaultServer(picky) as server:

        async def session(votes: int) -> None:
            async with door_to(server, log=tmp_path / "log.jsonl") as door:
                for vote in range(votes):
                    await door.ask("parse", ASKED, City, vote=vote)

        asyncio.run(session(1))
        assert server.count == 2
        asyncio.run(session(3))
        assert server.count == 4


def test_too_many_calls_for_ever_end_after_the_longest_wait() -> None:
    """429 is borne longer than other failures, but not for ever."""
    started = time.monotonic()
    script = failed(429, "too many", retry_after="0.3")
    with pytest.raises(ModelServerError, match=r"the last time: HTTP 429: too many"):
        with_server([script], lambda _, door: many_or_raise(door), longest_wait=1.5, retries=1)
    assert 1.4 <= time.monotonic() - started < 8


async def many_or_raise(door: ModelDoor) -> None:
    await door.ask("parse", ASKED, City)


@pytest.mark.parametrize(
    ("settings", "parallel"),
    [({"requests_per_minute": 600}, 10), ({"tokens_per_minute": 9_000, "max_tokens": 5}, 1)],
    ids=["requests", "tokens"],
)
def test_calls_are_spread_over_the_minute(settings: dict[str, Any], parallel: int) -> None:
    """600 requests a minute, or 9,000 tokens at 15 a call: ten calls take 0.9 seconds."""

    async def work(server: FaultServer, door: ModelDoor) -> float:
        await door.ask("parse", ASKED, City, vote=-1)
        await asyncio.sleep(0.2)
        begun = time.monotonic()
        await many(door, 10, parallel)
        return begun

    begun, server = with_server([said(GOOD)], work, **settings)
    assert 0.85 <= server.received[-1].at - begun < 20


@given(
    per_minute=st.integers(1, 5_000),
    steps=st.lists(st.floats(0, 90, allow_subnormal=False), min_size=1, max_size=80),
)
def test_no_minute_sees_more_than_its_amount(per_minute: int, steps: list[float]) -> None:
    """Whenever the requests come: any 60 seconds from a start hold at most that many starts."""
    now = 1000.0
    pace = Pace(per_minute, clock=lambda: now)
    starts = []
    for step in steps:
        now += step
        starts.append(now + pace.reserve())
    for place, start in enumerate(starts):
        within = [other for other in starts[place:] if other < start + 60 - 1e-6]
        assert len(within) <= per_minute
    assert starts == sorted(starts)


KILLED = """
import asyncio, sys
sys.path[:0] = [{here!r}, {servers!r}]
from doors import ASKED, City
from graphkit.models import ExchangeLog, ModelDoor, ModelSettings

async def main(url, path):
    settings = ModelSettings(model="m", base_url=url, api_key_env="TEST_MODEL_KEY")
    with ExchangeLog.open(path, run="r") as log:
        async with ModelDoor(settings, log=log) as door:
            async def one(vote):
                await door.ask("parse", ASKED, City, vote=vote)
                print(vote, flush=True)
            await asyncio.gather(*(one(vote) for vote in range(40)))
    print("end", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def test_a_killed_run_goes_on_and_pays_no_answered_call_twice(tmp_path: Path) -> None:
    """kill -9 again and again: the server sees each key once more only if it was under way, and
    then with the same Idempotency-Key."""
    path = tmp_path / "log.jsonl"
    servers = str(ROOT / "tests" / "servers")
    code = KILLED.format(here=str(Path(__file__).parent), servers=servers)
    with FaultServer([Answer(said(GOOD).body, delay=0.02)]) as server:
        ended = False
        for round_ in range(12):
            with subprocess.Popen(
                [sys.executable, "-c", code, server.base_url, str(path)],
                cwd=ROOT, stdout=subprocess.PIPE, text=True,
            ) as process:  # fmt: skip
                assert process.stdout is not None
                for lines, line in enumerate(process.stdout, start=1):
                    ended = ended or line.strip() == "end"
                    if not ended and lines == 9 * (round_ + 1):
                        os.kill(process.pid, signal.SIGKILL)
            if ended:
                break
        assert ended
        keys = [item.headers["idempotency-key"] for item in server.received]
        with ExchangeLog.open(path, run="r") as log:
            assert len(log) == len(set(keys)) == 40
            assert log.unfinished == 0
        kept = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
        assert sum(record["kind"] == "model" for record in kept) == 40
        again = len(keys) - 40
        begun = sum(record["kind"] == "begun" for record in kept)
        assert 0 <= again <= begun - 40


def test_no_secret_of_a_door_is_in_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key goes to the server and nowhere else, though the server echoes it everywhere."""
    secret = "a-key-of-no-known-shape"
    monkeypatch.setenv("MODEL_DOOR", secret)
    path = tmp_path / "log.jsonl"

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        reply = await door.complete("talk", ASKED)
        with pytest.raises(ModelAccessError) as caught:
            await door.complete("talk", ASKED, vote=1)
        return reply.text, str(caught.value)

    script = [
        failed(500, f"echo {secret}"), said(f"echo {secret}"), failed(403, f"echo {secret}"),
    ]  # fmt: skip
    (text, message), server = with_server(script, work, log=path, api_key_env="MODEL_DOOR")
    assert server.received[0].headers["authorization"] == f"Bearer {secret}"
    assert text == "echo [redacted]"
    assert secret not in message + path.read_text(encoding="utf8")
