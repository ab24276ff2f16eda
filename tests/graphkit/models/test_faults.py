"""Faults of a real server on loopback: what is tried again, what is said, what is never tried."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import json
import time

import pytest
from doors import ASKED, GOOD, LYON, City, asked, door_to, with_server
from model_faults import Answer, FaultServer, failed, said

from graphkit.errors import BudgetError, ModelAccessError, ModelServerError
from graphkit.models import Budget, ExchangeLog, ModelDoor, ModelSettings
from graphkit.models.retrying import asked_wait

PASSING = {
    "429 with Retry-After": failed(429, "slow down", retry_after="0.2"),
    "429 with Retry-After in ms": failed(429, "slow down", retry_after_ms="200"),
    "500": failed(500, "oops"),
    "503 without JSON": Answer(b"<html>busy</html>", 503, {"content-type": "text/html"}),
    "408": failed(408, "too slow"),
    "409": failed(409, "conflict"),
    "529": failed(529, "overloaded"),
    "dropped connection": Answer(drop=True),
    "body cut off": Answer(said(GOOD).body, cut=40),
    "truncated JSON": Answer(json.dumps(said(GOOD).body).encode()[:-40]),
    "no choices": Answer({"id": "x", "choices": []}),
    "an error with status 200": Answer({"error": {"message": "upstream", "code": 502}}),
    "not an object": Answer([1, 2]),
    "an empty body": Answer(b""),
    "JSON without end": Answer(b"[" * 200_000),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_a_failure_that_passes_is_tried_again(fault: Answer) -> None:
    """One fault, then a sound reply: the answer comes, the retry is counted and in the log."""
    kept: dict[str, object] = {}

    async def work(server: FaultServer, door: ModelDoor) -> object:
        answer = await door.ask("parse", ASKED, City)
        kept["costs"] = door.costs()
        return answer

    answer, server = with_server([fault, said(GOOD)], work)
    assert (answer.value, answer.asks, answer.repairs) == (LYON, 1, ())
    assert len(server.received) == 2
    (row,) = kept["costs"]
    assert (row.calls, row.retries, row.cached) == (1, 1, 0)
    first, second = (item.headers["idempotency-key"] for item in server.received)
    assert first == second
    assert first[64:] == ".json_schema.none"


@pytest.mark.parametrize(
    "date", [f"Mon, 30 Nov 2026 12:00:30 +{'9' * 20}", f"Mon, 30 Nov {'9' * 20} 12:00:30 GMT"]
)
def test_an_absurd_retry_after_is_none(date: str) -> None:
    """A date that no calendar and a zone that no clock has name no wait."""
    assert asked_wait({"retry-after": date}) is None


def test_retry_after_in_seconds_is_waited() -> None:
    """The second attempt comes no sooner than the server asked."""
    _, server = asked([failed(429, "slow down", retry_after="1"), said(GOOD)])
    first, second = (item.at for item in server.received)
    assert 1.0 <= second - first < 3.0


def test_retry_after_as_a_date_is_waited() -> None:
    """An HTTP date is honoured as well as seconds; dates have whole seconds."""
    now = datetime.datetime.now(datetime.UTC)
    when = (now + datetime.timedelta(seconds=3)).replace(microsecond=0)
    due = time.monotonic() + (when - now).total_seconds()
    date = email.utils.format_datetime(when, usegmt=True)
    _, server = asked([failed(503, "later", retry_after=date), said(GOOD)])
    first, second = (item.at for item in server.received)
    assert first < due - 0.5
    assert due - 0.05 <= second < due + 2


def test_retry_after_holds_back_every_call_to_the_endpoint() -> None:
    """While the server wants to be left alone no other call is sent either."""

    async def work(server: FaultServer, door: ModelDoor) -> None:
        async def later(vote: int) -> None:
            while not door.costs():
                await asyncio.sleep(0.01)
            await door.ask("parse", ASKED, City, vote=vote)

        await asyncio.gather(door.ask("parse", ASKED, City), *(later(vote) for vote in range(1, 5)))

    _, server = with_server([failed(429, "slow", retry_after="0.7"), said(GOOD)], work)
    first, *others = (item.at for item in server.received)
    assert len(others) == 5
    assert all(at - first >= 0.69 for at in others)


def test_a_wait_that_is_too_long_ends_the_call() -> None:
    """A server that asks for an hour is not waited for."""
    with pytest.raises(ModelServerError, match="asks to wait 3600 s, expected at most 300"):
        asked([failed(429, "quota", retry_after="3600")])


def test_a_server_that_never_answers_well_is_an_error_with_the_last_reason() -> None:
    """After all retries: how often, and why at last."""
    with FaultServer([failed(500, "oops"), failed(503, "still down")]) as server:

        async def main() -> None:
            async with door_to(server, retries=1) as door:
                with pytest.raises(ModelServerError) as caught:
                    await door.ask("parse", ASKED, City)
                text = str(caught.value)
                assert f"model server {server.base_url}: no answer, asked 2 times" in text
                assert "the last time: HTTP 503: still down" in text

        asyncio.run(main())
        assert len(server.received) == 2


@pytest.mark.parametrize(
    "slow", [Answer(said(GOOD).body, delay=5), Answer(said(GOOD).body, drip=1)]
)
def test_a_timeout_covers_the_whole_attempt(slow: Answer) -> None:
    """Silence and a body that drips in for ever are both cut at the timeout, then tried again."""
    started = time.monotonic()
    answer, server = asked([slow, said(GOOD)], given={"timeout": 0.5})
    assert answer.value == LYON
    assert len(server.received) == 2
    assert time.monotonic() - started < 4


def test_nobody_listening_is_an_error_of_the_server() -> None:
    """A refused connection is tried again and then said."""
    with FaultServer([said(GOOD)]) as server:
        url = server.base_url

    async def main() -> None:
        settings = ModelSettings(model="m", base_url=url, api_key_env="TEST_MODEL_KEY", retries=1)
        with ExchangeLog.open(None, run="r") as log:
            async with ModelDoor(settings, log=log) as door:
                await door.ask("parse", ASKED, City)

    with pytest.raises(ModelServerError, match=r"asked 2 times .* the connection failed"):
        asyncio.run(main())


def test_a_wrong_key_is_an_error_at_once_and_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """401: no retry; the message names the variable, not the key that the server echoes."""
    monkeypatch.setenv("TEST_MODEL_KEY", "sk-secret-0123456789abcdef")
    script = failed(401, "Incorrect API key provided: sk-secret-0123456789abcdef.")
    with FaultServer([script]) as server:

        async def main() -> str:
            async with door_to(server) as door:
                with pytest.raises(ModelAccessError) as caught:
                    await door.ask("parse", ASKED, City)
                return str(caught.value)

        text = asyncio.run(main())
        assert "the key in TEST_MODEL_KEY is refused, HTTP 401: Incorrect API key" in text
        assert "sk-secret" not in text
        assert "[redacted]" in text
        (received,) = server.received
        assert received.headers["authorization"] == "Bearer sk-secret-0123456789abcdef"


def test_an_unknown_model_is_an_error_at_once() -> None:
    """404 with JSON is the model; without JSON the address may be wrong."""
    with pytest.raises(ModelAccessError, match=r"no such model .* HTTP 404: no model m"):
        asked([failed(404, "no model m", "model_not_found")])
    with pytest.raises(ModelAccessError, match="does the base URL end as it should, in /v1"):
        asked([Answer(b"not found", 404, {"content-type": "text/plain"})])


def test_an_empty_account_is_not_tried_again() -> None:
    """429 for want of money lasts, however long one waits."""
    script = failed(429, "You exceeded your current quota", "insufficient_quota")
    with FaultServer([script]) as server:

        async def main() -> None:
            async with door_to(server) as door:
                with pytest.raises(ModelAccessError, match="exceeded your current quota"):
                    await door.ask("parse", ASKED, City)

        asyncio.run(main())
        assert len(server.received) == 1


def test_without_a_key_the_endpoint_of_openai_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A missing variable is named before anything is sent."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)

    async def main() -> None:
        with ExchangeLog.open(None, run="r") as log:
            async with ModelDoor(
                ModelSettings(model="m", api_key_env="NO_SUCH_KEY"), log=log
            ) as door:
                await door.ask("parse", ASKED, City)

    with pytest.raises(ModelAccessError, match="NO_SUCH_KEY is not set, expected the key of"):
        asyncio.run(main())


def test_a_request_that_no_form_of_saves_is_refused_with_the_first_reason() -> None:
    """400 whatever the form: the first message, and no retry of the same form."""
    with FaultServer([failed(400, "maximum context length is 8"), failed(400, "other")]) as server:

        async def main() -> None:
            async with door_to(server) as door:
                with pytest.raises(ModelAccessError, match="refused, HTTP 400: maximum context"):
                    await door.ask("parse", ASKED, City)

        asyncio.run(main())
        assert len(server.received) == 3


def test_the_time_of_the_run_is_not_slept_over() -> None:
    """A retry that would begin after the budget's end is not waited for."""
    started = time.monotonic()
    with pytest.raises(BudgetError, match="the time of the run ends before it is tried again"):
        asked([failed(429, "slow", retry_after="30")], given={"budget": Budget(seconds=2)})
    assert time.monotonic() - started < 2


def test_cancelling_a_call_leaves_nothing_open() -> None:
    """A caller that gives up ends the call; the next one works."""

    async def work(server: FaultServer, door: ModelDoor) -> object:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await door.ask("parse", ASKED, City)
        server.script = [said(GOOD)]
        return (await door.ask("parse", ASKED, City)).value

    value, _ = with_server([Answer(said(GOOD).body, delay=30)], work)
    assert value == LYON


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (500, "tools param requires --jinja flag"),
        (404, "No endpoints found that support tool use."),
        (500, "response_format is not supported"),
        (422, "extra fields not permitted"),
        (501, "not implemented"),
    ],
)
def test_a_refused_form_is_known_under_other_statuses_too(status: int, message: str) -> None:
    """What servers say instead of 400 leads to the next form at once, without retries."""
    _, server = asked([failed(status, message), said(GOOD)])
    assert [item.body.get("response_format", {}).get("type") for item in server.received] == [
        "json_schema", "json_object",
    ]  # fmt: skip


def test_the_newer_name_of_the_token_limit_is_used_where_it_is_wanted() -> None:
    """The server names it in its refusal; the same form is sent with it, and later ones too."""

    def script(request: object) -> Answer:
        if "max_tokens" in request.body:
            return failed(400, "Unsupported parameter: use 'max_completion_tokens' instead.")
        return said(GOOD)

    async def work(server: FaultServer, door: ModelDoor) -> None:
        for vote in range(2):
            await door.ask("parse", ASKED, City, vote=vote)

    _, server = with_server(script, work, max_tokens=77)
    limits = [
        (item.body.get("max_tokens"), item.body.get("max_completion_tokens"))
        for item in server.received
    ]
    assert limits == [(77, None), (None, 77), (None, 77)]
    assert all(item.body["response_format"]["type"] == "json_schema" for item in server.received)


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        ("response_format", "response_format is not supported"),
        ("max_tokens", "use 'max_completion_tokens' instead"),
    ],
)
def test_the_same_request_has_the_same_idempotency_key_in_any_session(
    refused: str, why: str
) -> None:
    """Whether something was refused before it, in this session or another, does not show in it."""

    def script(request: object) -> Answer:
        return said(GOOD) if takes(request.body) else failed(400, why)

    def takes(body: dict[str, object]) -> bool:
        if refused == "max_tokens":
            return "max_tokens" not in body
        return body.get("response_format") == {"type": "json_object"}

    async def session(server: FaultServer, votes: tuple[int, ...]) -> None:
        limit = {"max_tokens": 77} if refused == "max_tokens" else {}
        async with door_to(server, **limit) as door:
            for vote in votes:
                await door.ask("parse", ASKED, City, vote=vote)

    found = []
    with FaultServer(script) as server:
        for votes in ((0, 1), (1, 0)):
            before = len(server.received)
            asyncio.run(session(server, votes))
            sent = [(item.body, item.headers["idempotency-key"]) for item in server.received]
            keys = [key for _, key in sent[before:]]
            assert len(keys) == len(set(keys)) == 3
            found.append(sorted(key for body, key in sent[before:] if takes(body)))
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_a_key_that_cannot_be_sent_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pasted key with a foreign sign is said, not shown."""
    monkeypatch.setenv("TEST_MODEL_KEY", "sk-\u201cabc")
    with pytest.raises(ModelAccessError, match="TEST_MODEL_KEY holds signs that cannot be sent"):
        asked([said(GOOD)])
