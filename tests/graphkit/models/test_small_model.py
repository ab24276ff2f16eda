"""A real model behind a real server: schemas, cuts, tools and replay over its wire format."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from doors import ASKED, Search
from pydantic import BaseModel, Field
from small_model import MODEL, SmallModel

from graphkit.errors import ModelLengthError, ModelReplyError
from graphkit.models import ExchangeLog, Message, ModelDoor, ModelSettings

pytestmark = [pytest.mark.model, pytest.mark.slow]


class Verdict(BaseModel):
    """A short reply."""

    fluent: bool
    kind: Literal["city", "river"]


class Sentence(BaseModel):
    """Something that has many possible values."""

    text: str = Field(max_length=60)


def on_model(
    server: SmallModel, log: Path | None, work: Callable[[ModelDoor], Awaitable[Any]], **more: Any
) -> Any:
    given = {"model": MODEL, "temperature": 0.0, "max_tokens": 120, "timeout": 300, **more}
    settings = ModelSettings(base_url=server.base_url, api_key_env="TEST_MODEL_KEY", **given)

    async def main() -> Any:
        with ExchangeLog.open(log, run="r") as opened:
            async with ModelDoor(settings, log=opened) as door:
                return await work(door)

    return asyncio.run(main())


def test_a_schema_is_kept_and_replayed(small_model: SmallModel, tmp_path: Path) -> None:
    """json_schema is taken by the server; usage is its own; a second session asks nothing."""
    path = tmp_path / "log.jsonl"

    async def work(door: ModelDoor) -> Any:
        return (await door.ask("quality", ASKED, Verdict)).value, door.costs()

    (first, (paid,)) = on_model(small_model, path, work)
    (second, (cached,)) = on_model(small_model, path, work)
    assert first == second
    assert (paid.calls, paid.cached, paid.estimated) == (1, 0, 0)
    assert (cached.calls, cached.cached) == (1, 1)
    assert paid.input_tokens > 20
    record = json.loads(path.read_bytes().split(b"\n")[1])
    assert record["reply"]["structured"] == "json_schema"


def test_it_is_deterministic(small_model: SmallModel) -> None:
    """Temperature 0: the same reply for different votes, so nothing else differs."""

    async def work(door: ModelDoor) -> Any:
        return [(await door.ask("talk", ASKED, Sentence, vote=vote)).value for vote in range(2)]

    first, second = on_model(small_model, None, work)
    assert len(first.text) > 5
    assert first == second


def test_a_reply_that_is_cut_off_is_a_named_error(small_model: SmallModel) -> None:
    """Constrained output breaks at the limit of tokens; the door says so and gives up in time."""

    async def work(door: ModelDoor) -> Any:
        with pytest.raises(ModelLengthError, match="cut off at 4 tokens"):
            await door.ask("quality", ASKED, Verdict, reasks=1)
        return door.costs()

    (row,) = on_model(small_model, None, work, max_tokens=4)
    assert row.calls == 2


def test_tools_are_emulated_and_the_conversation_ends(small_model: SmallModel) -> None:
    """The model knows no tools: by schema it calls them or answers, and it always ends."""
    search = Search()
    messages = [Message(role="system", content="Find a city."), Message(role="user", content="Go")]

    async def work(door: ModelDoor) -> Any:
        try:
            found = await door.converse("gather", messages, [search.tool], Verdict, max_calls=2)
        except ModelReplyError as error:
            return error
        return found

    found = on_model(small_model, None, work, tools="emulated")
    if isinstance(found, ModelReplyError):
        assert "no reply that can be used" in str(found)
    else:
        assert found.ended in ("answered", "max_calls")
        assert len(found.calls) <= 2


@pytest.mark.parametrize("structured", ["json_object", "prompt"])
def test_other_forms_end_in_a_value_or_a_named_error(
    small_model: SmallModel, structured: str
) -> None:
    """Without its schema the model may fail; then the error names it, after bounded re-asks."""

    async def work(door: ModelDoor) -> Any:
        try:
            return (await door.ask("quality", ASKED, Verdict, reasks=1)).value
        except ModelReplyError as error:
            return str(error)

    found = on_model(small_model, None, work, structured=structured, max_tokens=60)
    assert isinstance(found, Verdict) or f"model {MODEL}: asked 2 times" in found
