"""What the tests of the model door share: a door before a scripted server, schemas, messages."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from model_faults import FaultServer, Script
from pydantic import BaseModel, ConfigDict

from graphkit.models import Budget, ExchangeLog, Message, ModelDoor, ModelSettings, Tool

T = TypeVar("T")

ASKED = (
    Message(role="system", content="graphkit task: parse/1 (en)\nFind the city."),
    Message(role="user", content="<question>\nWhich city?\n</question>"),
)


class City(BaseModel):
    """A reply with fields of several kinds."""

    model_config = ConfigDict(extra="forbid")

    name: str
    size: int
    old: bool = False


class Cities(BaseModel):
    """A reply with one list."""

    cities: list[City]


class Query(BaseModel):
    """Arguments of a tool."""

    query: str


GOOD = '{"name": "Lyon", "size": 3}'
LYON = City(name="Lyon", size=3)


class Search:
    """A tool that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.tool = Tool("search", "Search the web.", Query, self._run)

    async def _run(self, arguments: Query) -> str:
        self.asked.append(arguments.query)
        return f'{{"status": "found", "results": ["{arguments.query}"]}}'


@contextlib.asynccontextmanager
async def door_to(
    server: FaultServer,
    *,
    log: Path | None = None,
    budget: Budget | None = None,
    **settings: Any,
) -> AsyncIterator[ModelDoor]:
    """A door to a server, quick to give up unless told otherwise."""
    given = {"model": "m", "api_key_env": "TEST_MODEL_KEY", "retries": 2, **settings}
    found = ModelSettings(base_url=server.base_url, **given)
    with ExchangeLog.open(log, run="r") as opened:
        async with ModelDoor(found, log=opened, budget=budget) as door:
            yield door


def with_server(
    script: Script, work: Callable[[FaultServer, ModelDoor], Awaitable[T]], **given: Any
) -> tuple[T, FaultServer]:
    """Run work on a door to a server with a script; return its result and the server."""
    with FaultServer(script) as server:

        async def main() -> T:
            async with door_to(server, **given) as door:
                return await work(server, door)

        return asyncio.run(main()), server


def asked(script: Script, schema: type[BaseModel] = City, *, given: Any = (), **more: Any) -> Any:
    """Ask once for a schema; return the answer and the server."""

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await door.ask("parse", ASKED, schema, **more)

    return with_server(script, work, **dict(given))


def conversed(script: Script, *, given: Any = (), **more: Any) -> Any:
    """Converse once with a search tool; return the answer, the server and the tool."""
    search = Search()

    async def work(server: FaultServer, door: ModelDoor) -> Any:
        return await door.converse("gather", ASKED, [search.tool], City, **more)

    found, server = with_server(script, work, **dict(given))
    return found, server, search
