"""A real HTTP server on loopback with many hosts, whose pages can be as broken as a test wants."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Call", "WebFaults", "answer", "bomb", "drip", "drop", "endless", "in_turn", "redirect"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A request that came."""

    host: str
    path: str
    at: float
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Call:
    """A request that waits for its answer."""

    hit: Hit
    handler: http.server.BaseHTTPRequestHandler
    stopping: threading.Event
    sent: int = 0

    def start(self, status: int, headers: Mapping[str, str]) -> None:
        self.handler.send_response_only(status)
        for name, value in headers.items():
            self.handler.send_header(name, value)
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()

    def write(self, data: bytes) -> None:
        self.handler.wfile.write(data)
        self.handler.wfile.flush()
        self.sent += len(data)

    def pause(self, seconds: float) -> bool:
        """Wait; say whether the server still runs."""
        return not self.stopping.wait(seconds)


Route = Callable[[Call], None]


def answer(
    body: bytes | str = b"",
    kind: str = "text/html; charset=utf-8",
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Route:
    """Answer with a body."""
    data = body.encode() if isinstance(body, str) else body

    def route(call: Call) -> None:
        given = {"Content-Length": str(len(data)), **({"Content-Type": kind} if kind else {})}
        call.start(status, {**given, **(headers or {})})
        call.write(data)

    return route


def redirect(to: str, status: int = 302) -> Route:
    """Lead somewhere else."""
    return answer(b"", status=status, headers={"Location": to})


def drip(pieces: int, seconds: float, piece: bytes = b"<p>slow") -> Route:
    """Send a page piece by piece, with a wait before each."""

    def route(call: Call) -> None:
        call.start(200, {"Content-Type": "text/html"})
        for _ in range(pieces):
            if not call.pause(seconds):
                return
            call.write(piece)

    return route


def endless(total: int) -> Route:
    """Send a page of so many bytes, without saying how long it is."""

    def route(call: Call) -> None:
        call.start(200, {"Content-Type": "text/html"})
        piece = b"<p>" + b"x" * 65_533
        while call.sent < total:
            call.write(piece)

    return route


def bomb(size: int) -> Route:
    """Send few bytes that unpack to many."""
    data = gzip.compress(b"<p>" + b"\0" * size, mtime=0)
    return answer(data, "text/html", headers={"Content-Encoding": "gzip"})


def drop(call: Call) -> None:
    """Close the connection in the middle of an answer."""
    call.start(200, {"Content-Type": "text/html", "Content-Length": "1000"})
    call.write(b"<p>half")


def in_turn(*routes: Route) -> Route:
    """Answer with the first route first, and so on; the last one stays."""
    left = list(routes)
    lock = threading.Lock()

    def route(call: Call) -> None:
        with lock:
            now = left.pop(0) if len(left) > 1 else left[0]
        now(call)

    return route


@dataclass(slots=True)
class WebFaults:
    """The server; its pages are ``routes[host, path]``, the path without its query.

    A path that is not there answers 404; so does robots.txt, which means that all is allowed.
    """

    routes: dict[tuple[str, str], Route] = field(default_factory=dict)
    hits: list[Hit] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    under_way: int = 0
    most_under_way: int = 0
    port: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def connect_to(self) -> dict[str, str]:
        """Return the hosts of all routes, as the setting ``connect_to`` wants them."""
        return {host: self.address for host, _ in self.routes}

    def paths(self, host: str) -> list[str]:
        """Return what was asked of a host, but for robots.txt."""
        return [hit.path for hit in self.hits if hit.host == host and hit.path != "/robots.txt"]

    @contextlib.contextmanager
    def running(self, tls: ssl.SSLContext | None = None) -> Iterator[WebFaults]:
        """Run the server while the body runs, over TLS if there is a context for it."""
        stopping = threading.Event()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site._serve(self, stopping)

            def do_POST(self) -> None:
                site._serve(self, stopping)

            def log_message(self, format: str, *args: Any) -> None:
                return

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = False
            request_queue_size = 128

        with Server(("127.0.0.1", 0), Handler) as server:
            self.port = server.server_address[1]
            if tls is not None:
                server.socket = tls.wrap_socket(server.socket, server_side=True)
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            try:
                yield self
            finally:
                stopping.set()
                server.shutdown()
                thread.join()

    def _serve(
        self, handler: http.server.BaseHTTPRequestHandler, stopping: threading.Event
    ) -> None:
        length = int(handler.headers.get("Content-Length", "0"))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        host = headers.get("host", "")
        hit = Hit(host, handler.path, time.monotonic(), headers, handler.rfile.read(length))
        call = Call(hit, handler, stopping)
        with self._lock:
            self.hits.append(hit)
            self.calls.append(call)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        name = host.split(":")[0]
        route = self.routes.get((name, handler.path.split("?")[0]), answer("gone", status=404))
        handler.close_connection = True
        try:
            with contextlib.suppress(ConnectionError, socket.timeout):
                route(call)
        finally:
            with self._lock:
                self.under_way -= 1
