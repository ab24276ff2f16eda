"""Answers that fit a schema: repairs, re-asks that show the model its error, named errors."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from doors import ASKED, GOOD, LYON, Cities, City, asked, door_to, with_server
from model_faults import Answer, FaultServer, failed, said
from pydantic import BaseModel

from graphkit.errors import (
    ModelEmptyError,
    ModelLengthError,
    ModelRefusalError,
    ModelRepetitionError,
    ModelReplyError,
    SettingsError,
)
from graphkit.models import ExchangeLog, Message, ModelDoor, ModelSettings

REPAIRED = {
    "fence": "```json\n" + GOOD + "\n```",
    "prose": f"Here you are:\n{GOOD}\nAnything else?",
    "trailing comma": '{"name": "Lyon", "size": 3,}',
    "single quotes": "{'name': 'Lyon', 'size': 3}",
    "number as text": '{"name": "Lyon", "size": "3"}',
    "names in another case": '{"Name": "Lyon", "SIZE": 3}',
    "unknown field": '{"name": "Lyon", "size": 3, "score": 9}',
    "wrapped as an answer": '{"answer": ' + GOOD + "}",
    "thoughts": "<think>Maybe {Paris}? No.</think>\n" + GOOD,
    "thoughts without a beginning": "Lyon it is.\n</think>\n" + GOOD,
}


@pytest.mark.parametrize("text", REPAIRED.values(), ids=REPAIRED)
def test_slips_are_repaired_and_told(text: str) -> None:
    """One ask is enough, and whatever was read as something else is recorded."""
    answer, server = asked([said(text)])
    assert answer.value == LYON
    assert answer.asks == len(server.received) == 1
    assert answer.repairs or text == REPAIRED["wrapped as an answer"]


def test_a_sound_reply_needs_no_repair() -> None:
    """Strict JSON of the schema: no repairs, one ask."""
    answer, _ = asked([said(GOOD)])
    assert (answer.value, answer.repairs, answer.asks) == (LYON, (), 1)


LISTS = {
    "bare array": f"[{GOOD}]",
    "bare array in prose": f"The cities: [{GOOD},]",
    "single item": GOOD,
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_bare_array_becomes_the_only_list(text: str) -> None:
    """An array, or one item, where an object with one list is wanted, is a repair."""
    answer, _ = asked([said(text)], Cities)
    assert answer.value == Cities(cities=[LYON])
    assert any('"cities"' in repair for repair in answer.repairs)


UNUSABLE = {
    "no JSON": ("not json", "no JSON"),
    "missing field": ('{"name": "Lyon"}', 'the field "size" is missing'),
    "near name": ('{"name": "Lyon", "sizes": 3}', "did you mean size in place of sizes?"),
    "wrong type": ('{"name": "Lyon", "size": "big"}', 'size is "big", expected a valid integer'),
    "cut off": ('{"name": "Lyon", "size"', "cut off"),
    "an array": ("[1, 2]", "the reply is [1, 2]"),
    "a number": ("17", "the reply is 17"),
}


@pytest.mark.parametrize(("text", "said_why"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_model_is_shown_its_own_reply_and_what_is_wrong(text: str, said_why: str) -> None:
    """The re-ask holds the reply and the exact error; the second reply is used."""
    answer, server = asked([said(text), said(GOOD)])
    assert (answer.value, answer.asks) == (LYON, 2)
    assert any(said_why in repair for repair in answer.repairs), answer.repairs
    own, error = server.received[1].body["messages"][-2:]
    assert own == {"role": "assistant", "content": text}
    assert error["role"] == "user"
    assert said_why in error["content"]


def test_a_cut_off_list_is_never_completed() -> None:
    """What would be lost by mending is asked for again."""
    answer, server = asked([said(f"[{GOOD}, " + '{"name": "Par'), said(f"[{GOOD}]")], Cities)
    assert answer.asks == len(server.received) == 2


def test_checks_of_the_caller_are_told_to_the_model() -> None:
    """What ``validate`` finds is shown like any other problem."""
    answer, server = asked(
        [said('{"name": "Paris", "size": 3}'), said(GOOD)],
        validate=lambda city: ["name: Paris was ruled out"] if city.name == "Paris" else [],
    )
    assert answer.value == LYON
    assert "- name: Paris was ruled out" in server.received[1].last


FAILURES = {
    "refusal field": (said(None, refusal="I cannot help."), ModelRefusalError, "I cannot help"),
    "content filter": (said("", finish="content_filter"), ModelRefusalError, "content filter"),
    "filtered behind its JSON": (
        said(GOOD, finish="content_filter"), ModelRefusalError, "content filter",
    ),
    "refusal beside text": (said(GOOD, refusal="Not that."), ModelRefusalError, "Not that."),
    "empty": (said(""), ModelEmptyError, "the reply is empty"),
    "null": (said(None), ModelEmptyError, "the reply is empty"),
    "only thoughts": (said("<think>hm</think>"), ModelEmptyError, "the reply is empty"),
    "length": (said('{"name": "Ly', finish="length"), ModelLengthError, "cut off at 5 tokens"),
    "thoughts cut off": (
        said("<think>Let me see.", finish="length"), ModelLengthError, "was thinking",
    ),
    "reasoning cut off": (
        said("", finish="length", reasoning_content="so"), ModelLengthError, "was thinking",
    ),
    "endless": (
        said('{"name": "' + "ha ha " * 80, finish="length"), ModelRepetitionError, "repeats 'ha'",
    ),
    "endless thoughts": (
        said("", finish="length", reasoning_content="wait, " * 90), ModelRepetitionError, "wait",
    ),
    "wrong schema": (said('{"town": "x"}'), ModelReplyError, 'the field "name" is missing'),
}  # fmt: skip


@pytest.mark.parametrize(("fault", "kind", "why"), FAILURES.values(), ids=FAILURES)
def test_a_model_that_does_no_better_ends_in_a_named_error(
    fault: Answer, kind: type[ModelReplyError], why: str
) -> None:
    """After the bounded re-asks: the class of the last failure, the agent, the model, the count."""
    with FaultServer([fault]) as server:

        async def main() -> str:
            async with door_to(server) as door:
                with pytest.raises(ModelReplyError) as caught:
                    await door.ask("parse", ASKED, City, reasks=1)
                assert type(caught.value) is kind
                return str(caught.value)

        text = asyncio.run(main())
        assert text.startswith("agent parse, model m: asked 2 times, no reply that can be used: ")
        assert why in text
        assert len(server.received) == 2


@pytest.mark.parametrize(("fault", "kind", "why"), FAILURES.values(), ids=FAILURES)
def test_one_failure_of_any_kind_is_survived(fault: Answer, kind: type, why: str) -> None:
    """The re-ask never sends an empty message, and the next reply is used."""
    answer, server = asked([fault, said(GOOD)])
    assert (answer.value, answer.asks) == (LYON, 2)
    assert all(message["content"] for message in server.received[1].body["messages"])


def test_json_that_is_complete_before_the_cut_is_used() -> None:
    """Blank space without end behind the JSON, as constrained models write it, does no harm."""
    answer, _ = asked([said(GOOD + "\n" * 400, finish="length")])
    assert answer.value == LYON
    assert "output: cut off behind its JSON" in answer.repairs


def test_reasoning_beside_the_reply_is_kept_apart() -> None:
    """``reasoning_content`` is no part of the reply and no repair."""
    answer, _ = asked([said(GOOD, reasoning_content="Lyon, I think")])
    assert (answer.value, answer.repairs) == (LYON, ())


def test_free_text_comes_as_it_is_or_as_a_named_error() -> None:
    """``complete`` has no re-asks: text, or the error of its kind."""

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        reply = await door.complete("talk", ASKED)
        assert (reply.text, reply.finish, reply.cached) == ("hello", "stop", False)
        assert (await door.complete("talk", ASKED)).cached
        with pytest.raises(ModelRefusalError):
            await door.complete("talk", ASKED, vote=1)
        return reply

    reply, server = with_server([said("hello"), said(None, refusal="no")], work)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (10, 5)
    assert "response_format" not in server.received[0].body


def forms_of(server: FaultServer) -> list[str]:
    """How each request asked for its schema."""
    formats = [request.body.get("response_format", {}) for request in server.received]
    return [found.get("type", "prompt") for found in formats]


def picky(*refused: str) -> Any:
    """A server that refuses forms with 400."""

    def script(request: Any) -> Answer:
        form = request.body.get("response_format", {}).get("type", "prompt")
        if form in refused:
            return failed(400, f"response_format {form} is not supported")
        return said(GOOD)

    return script


@pytest.mark.parametrize(
    ("refused", "first", "then"),
    [
        ((), ["json_schema"], ["json_schema"]),
        (("json_schema",), ["json_schema", "json_object"], ["json_object"]),
        (
            ("json_schema", "json_object"),
            ["json_schema", "json_object", "prompt"],
            ["prompt"],
        ),
    ],
)
def test_a_form_that_the_server_refuses_is_tried_once(
    refused: tuple[str, ...], first: list[str], then: list[str]
) -> None:
    """Each form down to the prompt; what was refused is remembered for the next ask."""

    async def work(server: FaultServer, door: ModelDoor) -> None:
        for vote in range(3):
            assert (await door.ask("parse", ASKED, City, vote=vote)).value == LYON

    _, server = with_server(picky(*refused), work)
    assert forms_of(server) == first + then * 2
    system = server.received[-1].body["messages"][0]["content"]
    assert system.startswith("graphkit task: parse/1 (en)\n")
    assert ('"size"' in system) == bool(refused)


def test_a_form_can_be_demanded() -> None:
    """Settings name one form: no other is tried."""
    for form in ("json_schema", "json_object", "prompt"):
        _, server = asked([said(GOOD)], given={"structured": form})
        assert forms_of(server) == [form]


def test_sampling_and_further_fields_are_sent() -> None:
    """What the settings hold, and nothing that they do not; the vote moves the seed."""
    given = {
        "temperature": 0.7, "top_p": 0.9, "max_tokens": 50, "seed": 4,
        "extra": {"reasoning_effort": "low"},
    }  # fmt: skip
    _, server = asked([said(GOOD)], given=given, vote=2)
    body = server.received[0].body
    assert {name: body[name] for name in ("temperature", "top_p", "max_tokens", "seed")} == {
        "temperature": 0.7, "top_p": 0.9, "max_tokens": 50, "seed": 6,
    }  # fmt: skip
    assert body["reasoning_effort"] == "low"
    _, server = asked([said(GOOD)])
    assert set(server.received[0].body) == {"model", "messages", "response_format"}


def test_strict_schemas_are_closed_and_free_maps_are_not_strict() -> None:
    """Servers that constrain want closed objects; a map of any keys cannot be one."""

    class Free(BaseModel):
        table: dict[str, int]

    _, server = asked([said('{"table": {"a": 1}}')], Free)
    sent = server.received[0].body["response_format"]["json_schema"]
    assert (sent["name"], sent["strict"]) == ("Free", False)
    _, server = asked([said(f'{{"cities": [{GOOD}]}}')], Cities)
    sent = server.received[0].body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["schema"]["$defs"]["City"]["required"] == ["name", "size", "old"]
    assert sent["schema"]["$defs"]["City"]["additionalProperties"] is False


def test_agents_have_models_and_servers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each agent asks its endpoint with its key; without settings it is an error with names."""
    monkeypatch.setenv("FIRST_KEY", "first-key-value")
    with FaultServer([said(GOOD)]) as first, FaultServer([said(GOOD)]) as second:
        settings = {
            "parse": ModelSettings(model="a", base_url=first.base_url, api_key_env="FIRST_KEY"),
            "seeds": ModelSettings(model="b", base_url=second.base_url, api_key_env="NONE_SET"),
        }

        async def main() -> None:
            with ExchangeLog.open(None, run="r") as log:
                async with ModelDoor(settings, log=log) as door:
                    await door.ask("parse", ASKED, City)
                    await door.ask("seeds", ASKED, City)
                    with pytest.raises(SettingsError, match=r"agent sees: no model .* mean seeds"):
                        await door.ask("sees", ASKED, City)

        asyncio.run(main())
        assert first.received[0].headers["authorization"] == "Bearer first-key-value"
        assert (first.received[0].body["model"], second.received[0].body["model"]) == ("a", "b")
        assert "first-key-value" not in json.dumps(second.received[0].headers)


def test_messages_may_be_anything() -> None:
    """Half surrogates, other scripts and very long text go out and come back."""
    text = "\u54ea\u4e2a\u56fd\u5bb6 \U0001f5fa " + "x" * 200_000

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await door.complete("talk", [Message(role="user", content=text)])

    reply, server = with_server(lambda request: said(request.last), work)
    assert reply.text == text == server.received[0].last
