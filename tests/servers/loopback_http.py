"""A small HTTP/1.1 server on loopback: fast enough for benchmarks, and able to misbehave."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import urllib.parse
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

__all__ = ["Handler", "LoopbackServer", "Request", "Response", "json_response", "serve_process"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request: header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The path without the query, not decoded."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the query, the last of each name."""
        return dict(urllib.parse.parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    @property
    def host(self) -> str:
        """The host asked for, without a port."""
        return self.headers.get("host", "").rpartition(":")[0] or self.headers.get("host", "")


@dataclass(slots=True)
class Response:
    """One answer, and how it goes wrong.

    Attributes:
        status: The status code.
        body: The body.
        content_type: Its type.
        headers: Further headers.
        chunks: A body in pieces, in place of ``body``; sent with ``Transfer-Encoding: chunked``.
        drop: Close the connection without a word.
        missing: How many bytes the body falls short of what ``Content-Length`` says.
    """

    status: int = 200
    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    chunks: Iterable[bytes] | None = None
    drop: bool = False
    missing: int = 0


def json_response(value: Any, status: int = 200, **headers: str) -> Response:
    """Return a value as JSON."""
    body = json.dumps(value, ensure_ascii=False).encode()
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Response(status, body, "application/json", named)


Handler = Callable[[Request], Response | Awaitable[Response]]
"""Answers a request, at once or after a while."""


class _Connection(asyncio.Protocol):
    """One connection; requests are answered one after another."""

    def __init__(self, handler: Handler, known: set[_Connection]) -> None:
        self.handler = handler
        self.known = known
        self.buffer = bytearray()
        self.transport: asyncio.Transport | None = None
        self.task: asyncio.Task[None] | None = None
        self.may_write = asyncio.Event()
        self.may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.known.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        self.known.discard(self)
        self.may_write.set()
        if self.task is not None:
            self.task.cancel()

    def pause_writing(self) -> None:
        self.may_write.clear()

    def resume_writing(self) -> None:
        self.may_write.set()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if self.task is None:
            self._next()

    def _next(self) -> None:
        request = _taken(self.buffer)
        if request is None or self.transport is None:
            return
        answer = self.handler(request)
        if isinstance(answer, Response) and answer.chunks is None:
            self._send(answer)
            self._next()
        else:
            self.task = asyncio.ensure_future(self._later(answer))

    async def _later(self, answer: Response | Awaitable[Response]) -> None:
        response = answer if isinstance(answer, Response) else await answer
        if response.chunks is None:
            self._send(response)
        else:
            await self._stream(response)
        self.task = None
        self._next()

    def _send(self, response: Response) -> None:
        if self.transport is None:
            return
        if response.drop:
            self.transport.abort()
            return
        length = len(response.body)
        self.transport.write(_head(response, f"Content-Length: {length + response.missing}"))
        self.transport.write(response.body)
        if response.missing:
            self.transport.close()

    async def _stream(self, response: Response) -> None:
        if self.transport is None:
            return
        self.transport.write(_head(response, "Transfer-Encoding: chunked"))
        for piece in response.chunks or ():
            await self.may_write.wait()
            if self.transport is None:
                return
            self.transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await asyncio.sleep(0)
        if self.transport is not None:
            self.transport.write(b"0\r\n\r\n")


def _head(response: Response, length: str) -> bytes:
    lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
    lines += [f"Content-Type: {response.content_type}", length]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _taken(buffer: bytearray) -> Request | None:
    """Take one whole request off the buffer, or nothing."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    lines = buffer[:end].decode("latin-1").split("\r\n")
    method, target, _ = lines[0].split(" ", 2)
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if "chunked" in headers.get("transfer-encoding", ""):
        found = _dechunked(buffer, end + 4)
        if found is None:
            return None
        body, stop = found
    else:
        stop = end + 4 + int(headers.get("content-length", "0"))
        if len(buffer) < stop:
            return None
        body = bytes(buffer[end + 4 : stop])
    del buffer[:stop]
    return Request(method, target, headers, body)


def _dechunked(buffer: bytearray, start: int) -> tuple[bytes, int] | None:
    body = bytearray()
    while True:
        line = buffer.find(b"\r\n", start)
        if line < 0:
            return None
        size = int(buffer[start:line].split(b";")[0], 16)
        after = line + 2 + size + 2
        if len(buffer) < after:
            return None
        if size == 0:
            return bytes(body), after
        body += buffer[line + 2 : line + 2 + size]
        start = after


class LoopbackServer:
    """A server in a thread of its own, with its own event loop.

    Args:
        handler: What answers; it runs in the thread of the server.
        port: 0 for any free port.
    """

    def __init__(self, handler: Handler, port: int = 0) -> None:
        self._handler = handler
        self._wanted = port
        self._connections: set[_Connection] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="loopback-http", daemon=True)
        self.port = 0

    @property
    def address(self) -> str:
        """Host and port, for a map of ``connect_to``."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The address as a URL."""
        return f"http://{self.address}"

    def start(self) -> LoopbackServer:
        """Start; returns when connections are accepted."""
        self._thread.start()
        self._ready.wait()
        if not self.port:
            raise OSError(f"cannot listen on port {self._wanted} of 127.0.0.1")
        return self

    def close(self) -> None:
        """Stop, and close every connection."""
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def __enter__(self) -> LoopbackServer:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _run(self) -> None:
        loop = self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            server = loop.run_until_complete(
                loop.create_server(
                    lambda: _Connection(self._handler, self._connections),
                    "127.0.0.1",
                    self._wanted,
                    backlog=1024,
                )
            )
        except OSError:
            self._ready.set()
            loop.close()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        try:
            loop.run_forever()
        finally:
            server.close()
            loop.run_until_complete(self._finish())
            loop.close()

    async def _finish(self) -> None:
        waiting = [item.task for item in self._connections if item.task is not None]
        for connection in list(self._connections):
            if connection.transport is not None:
                connection.transport.abort()
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.sleep(0)


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    yield stop


def serve_process(server: LoopbackServer) -> None:
    """Run a server until the process is told to end; its port is printed first, on one line."""
    with server, _stopped_by_signals() as stop:
        print(server.port, flush=True)
        stop.wait()
