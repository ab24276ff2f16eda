"""A model that parses questions by a script: for tests of the parser alone."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from model_faults import Answer, FaultServer, Received, said

from graphkit.models import Budget, ExchangeLog, ModelDoor, ModelSettings

__all__ = ["asks_before", "blocks_of", "chain_graph", "replies", "with_door"]

T = TypeVar("T")

_BLOCK = re.compile(r"<([a-z_]+)>\n(.*?)\n</\1>", re.DOTALL)


def blocks_of(received: Received) -> dict[str, str]:
    """The data blocks of the first user message."""
    content = next(m["content"] for m in received.body["messages"] if m["role"] == "user")
    return dict(_BLOCK.findall(content))


def asks_before(received: Received) -> int:
    """How often this question was asked before in this conversation."""
    return sum(message["role"] == "assistant" for message in received.body["messages"])


def chain_graph(anchor: str, *relations: str, **changes: Any) -> dict[str, Any]:
    """A chain of projections from an anchor, as the paper's JSON."""
    count = len(relations)
    nodes = [
        {
            "node_id": f"n{n}",
            "label": anchor if n == 0 else f"set {n}",
            "known_entities": [anchor] if n == 0 else None,
            "reference_entities": None,
            "is_root": n == count,
        }
        for n in range(count + 1)
    ]
    edges = [
        {
            "edge_id": f"e{n}",
            "source_ids": [f"n{n}"],
            "target_id": f"n{n + 1}",
            "op": "projection",
            "relation": relation,
            "direction": "forward",
        }
        for n, relation in enumerate(relations)
    ]
    graph = {"question": "", "answer": "", "root_node_id": f"n{count}"}
    return {**graph, "nodes": nodes, "edges": edges, **changes}


def replies(*values: Any) -> Callable[[Received], Answer]:
    """A script that gives one reply after the other within a conversation, the last repeated."""

    def script(received: Received) -> Answer:
        value = values[min(asks_before(received), len(values) - 1)]
        return said(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    return script


def with_door(
    script: Callable[[Received], Answer] | Sequence[Answer] | FaultServer,
    work: Callable[[ModelDoor], Awaitable[T]],
    *,
    log: Path | None = None,
    budget: Budget | None = None,
    **settings: Any,
) -> tuple[T, FaultServer]:
    """Run work on a door to a server with a script, or to one that runs already."""

    async def main(server: FaultServer) -> T:
        chosen = {"retries": 0, "timeout": 10.0, **settings}
        model = ModelSettings(model="scripted", base_url=server.base_url, **chosen)
        with ExchangeLog.open(log, run="test") as exchanges:
            async with ModelDoor(model, log=exchanges, budget=budget) as door:
                return await work(door)

    if isinstance(script, FaultServer):
        return asyncio.run(main(script)), script
    with FaultServer(script) as server:
        return asyncio.run(main(server)), server
