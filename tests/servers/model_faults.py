"""An OpenAI-compatible server on loopback that answers by a script and fails on purpose.

Run as a program it answers every request alike, after a delay: ``model_faults.py --delay 0.2``
prints its address; ``GET /load`` tells how many requests it had under way, in the mean since it was
last asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer", "FaultServer", "Received", "called", "failed", "said"]


@dataclass(frozen=True)
class Received:
    """A request as it came in."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Any
    at: float

    @property
    def last(self) -> str:
        """What the last message says."""
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Answer:
    """What the server does with a request.

    ``delay`` comes before anything is sent; ``drop`` closes the connection without a word;
    ``cut`` sends only so many bytes of the body and closes; ``drip`` waits so long after each
    eighth of the body.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    cut: int | None = None
    drip: float = 0.0


def said(text: str | None, *, finish: str = "stop", usage: bool = True, **message: Any) -> Answer:
    """A completion that says a text; further fields go into the message."""
    spoken = {"role": "assistant", "content": text, **message}
    body: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": spoken, "finish_reason": finish}],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return Answer(body)


def called(*calls: tuple[str, str]) -> Answer:
    """A completion that uses tools: (name, arguments as text)."""
    wished = [
        {"id": f"t{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    return said(None, finish="tool_calls", tool_calls=wished)


def failed(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """An error in the shape of the API; ``retry_after="2"`` becomes a header."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return Answer(body, status, {name.replace("_", "-"): text for name, text in headers.items()})


Script = Callable[[Received], Answer] | Sequence[Answer]


class FaultServer:
    """The server; a context manager. It runs on a thread of its own.

    The script is a function of the request, or a sequence of answers whose last is repeated.
    """

    def __init__(self, script: Script, *, keep: bool = True) -> None:
        self.script = script
        self.received: list[Received] = []
        self.count = 0
        self._keep = keep
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self.load = Load()
        self.port = 0

    @property
    def base_url(self) -> str:
        """The address for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> FaultServer:
        self._thread.start()
        assert self._ready.wait(10), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive(), "the server did not stop"

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self.serve())
        finally:
            self._loop.close()

    async def serve(self) -> None:
        """Answer until the server is left."""
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for writer in list(self._writers):
            writer.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the client has left, as some tests want it to
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): text.strip()
            for name, _, text in (line.partition(":") for line in head[1:])
        }
        data = await reader.readexactly(int(headers.get("content-length", "0")))
        path = head[0].split()[1]
        if path == "/load":
            told, self.load = self.load.told(), Load()
            await self._send(writer, Answer(told))
            return True
        self.count += 1
        request = Received(
            self.count, path, headers, json.loads(data) if data else None, time.monotonic()
        )
        if self._keep:
            self.received.append(request)
        load = self.load
        load.change(1)
        try:
            answer = self._answer(request)
            await asyncio.sleep(answer.delay)
        finally:
            load.change(-1)
        if answer.drop:
            return False
        await self._send(writer, answer)
        return answer.cut is None

    def _answer(self, request: Received) -> Answer:
        if callable(self.script):
            return self.script(request)
        return self.script[min(request.number, len(self.script)) - 1]

    async def _send(self, writer: asyncio.StreamWriter, answer: Answer) -> None:
        body = answer.body
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {
            "content-type": "application/json", "content-length": str(len(data)), **answer.headers,
        }  # fmt: skip
        lines = [f"HTTP/1.1 {answer.status} scripted", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        data = data[: answer.cut]
        step = max(1, len(data) // 8) if answer.drip else max(1, len(data))
        for start in range(0, len(data), step):
            writer.write(data[start : start + step])
            await writer.drain()
            if answer.drip:
                await asyncio.sleep(answer.drip)


class Load:
    """How many requests were under way, in the mean, from the first to the last change."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.area = 0.0
        self.first = self.last = 0.0

    def change(self, by: int) -> None:
        """One more, or one less."""
        at = time.perf_counter()
        self.first = self.first or at
        if self.last:
            self.area += self.now * (at - self.last)
        self.last = at
        self.now += by
        self.most = max(self.most, self.now)

    def told(self) -> dict[str, float]:
        """The mean and the most so far."""
        spent = self.last - self.first
        return {"mean": self.area / spent if spent else 0.0, "most": self.most, "seconds": spent}


def main() -> None:
    """Serve one and the same answer until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--text", default='{"name": "Lyon", "size": 3}')
    chosen = parser.parse_args()
    answer = said(chosen.text)
    answer = Answer(answer.body, delay=chosen.delay)
    server = FaultServer(lambda _: answer, keep=False)

    async def serve() -> None:
        serving = asyncio.ensure_future(server.serve())
        while not server.port:
            await asyncio.sleep(0.01)
        print(server.base_url, flush=True)
        await serving

    asyncio.run(serve())


if __name__ == "__main__":
    main()
