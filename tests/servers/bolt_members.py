"""Scripted members of a cluster that speak Bolt on loopback; what clients send is kept."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

__all__ = ["Cluster", "Member", "Sent", "pack", "unpack"]

_NAMES = {
    0x01: "HELLO",
    0x02: "GOODBYE",
    0x0F: "RESET",
    0x10: "RUN",
    0x11: "BEGIN",
    0x12: "COMMIT",
    0x13: "ROLLBACK",
    0x2F: "DISCARD",
    0x3F: "PULL",
    0x66: "ROUTE",
    0x6A: "LOGON",
}
_SUCCESS, _RECORD, _IGNORED, _FAILURE = 0x70, 0x71, 0x7E, 0x7F
_VERSION = bytes([0, 0, 2, 5])

Rows = Callable[[str], tuple[list[str], list[list[Any]]]]


@dataclass(frozen=True)
class Sent:
    """A message that a member was sent."""

    member: str
    name: str
    fields: list[Any]


class Member:
    """One server of a cluster.

    Attributes:
        name: What tests call it.
        agent: What it says it is.
        failures: Codes with which messages of a name are refused, one after the other; ``hang up``
            closes the connection instead.
    """

    def __init__(self, cluster: Cluster, name: str, agent: str):
        self.name = name
        self.agent = agent
        self.failures: dict[str, list[str]] = {}
        self._cluster = cluster
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._links: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close all connections and listen no more."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for link in self._links:
            link.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            self._links.append(link)
            threading.Thread(target=self._talk, args=(link,), daemon=True).start()

    def _talk(self, link: socket.socket) -> None:
        with contextlib.suppress(OSError, EOFError), link:
            _exactly(link, 20)
            link.sendall(_VERSION)
            failed, query, mode = False, "", "w"
            for tag, fields in _messages(link):
                name = _NAMES.get(tag, hex(tag))
                self._cluster.sent.append(Sent(self.name, name, fields))
                if name == "GOODBYE":
                    return
                if name == "RESET":
                    failed = False
                    _send(link, _SUCCESS, {})
                    continue
                if failed:
                    _send(link, _IGNORED)
                    continue
                refusals = self.failures.get(name)
                if refusals:
                    code = refusals.pop(0)
                    if code == "hang up":
                        return
                    _send(link, _FAILURE, {"code": code, "message": f"scripted {code}"})
                    failed = True
                    continue
                if name == "RUN":
                    query = fields[0]
                elif name == "BEGIN":
                    mode = fields[0].get("mode", "w")
                self._answer(link, name, query, writes=mode == "w")

    def _answer(self, link: socket.socket, name: str, query: str, *, writes: bool) -> None:
        columns, rows = self._cluster.rows(query)
        if name == "HELLO":
            _send(link, _SUCCESS, {"server": self.agent, "connection_id": "bolt-1"})
        elif name == "ROUTE":
            _send(link, _SUCCESS, {"rt": self._cluster.table()})
        elif name == "RUN":
            _send(link, _SUCCESS, {"fields": columns, "t_first": 0})
        elif name in ("PULL", "DISCARD"):
            for row in rows if name == "PULL" else []:
                _send(link, _RECORD, row)
            kind = "r" if "RETURN" in query else "w"
            _send(link, _SUCCESS, {"type": kind, "t_last": 0, "db": self._cluster.database})
        elif name == "COMMIT":
            _send(link, _SUCCESS, {"bookmark": self._cluster.bookmark(after_write=writes)})
        else:
            _send(link, _SUCCESS, {})


@dataclass
class Cluster:
    """Members that know of each other.

    Attributes:
        rows: Columns and rows for a query.
        database: The name of the database.
        agent: What the members say they are.
        sent: All messages, in the order in which they came.
        writer: The member that takes writes.
        commits: How many writes were committed.
    """

    rows: Rows
    database: str = "bench"
    agent: str = "Neo4j/5.26.0"
    sent: list[Sent] = field(default_factory=list)
    writer: str = "one"
    commits: int = 0

    def __post_init__(self) -> None:
        self.members = {name: Member(self, name, self.agent) for name in ("one", "two", "three")}

    def table(self) -> dict[str, Any]:
        """Return the routing table: one member for writes, the others for reads."""
        readers = [m.address for name, m in self.members.items() if name != self.writer]
        everybody = [member.address for member in self.members.values()]
        return {
            "ttl": 300,
            "db": self.database,
            "servers": [
                {"role": "WRITE", "addresses": [self.members[self.writer].address]},
                {"role": "READ", "addresses": readers},
                {"role": "ROUTE", "addresses": everybody},
            ],
        }

    def bookmark(self, *, after_write: bool) -> str:
        """Return the bookmark of the last write, one later after another write."""
        self.commits += after_write
        return f"mark:{self.commits}"

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for member in self.members.values():
            member.close()


def _exactly(link: socket.socket, number: int) -> bytes:
    data = b""
    while len(data) < number:
        more = link.recv(number - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _messages(link: socket.socket) -> Iterator[tuple[int, list[Any]]]:
    while True:
        data = b""
        while True:
            (size,) = struct.unpack(">H", _exactly(link, 2))
            if not size and data:
                break
            data += _exactly(link, size)
        tag, fields = unpack(data)
        yield tag, fields


def _send(link: socket.socket, tag: int, *fields: Any) -> None:
    data = bytes([0xB0 + len(fields), tag]) + b"".join(map(pack, fields))
    parts = [data[start : start + 0xFFFF] for start in range(0, len(data), 0xFFFF)]
    link.sendall(b"".join(struct.pack(">H", len(part)) + part for part in parts) + b"\0\0")


def pack(value: Any) -> bytes:
    """Return a value in PackStream; numbers and texts as long as these servers need them.

    >>> unpack(pack({"a": [1, -1, None, True, "text"]}))
    {'a': [1, -1, None, True, 'text']}
    """
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return b"\xcb" + struct.pack(">q", value)
    if isinstance(value, str):
        return b"\xd2" + struct.pack(">I", len(value.encode())) + value.encode()
    if isinstance(value, list):
        return b"\xd6" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    pairs = b"".join(pack(key) + pack(item) for key, item in value.items())
    return b"\xda" + struct.pack(">I", len(value)) + pairs


def unpack(data: bytes) -> Any:
    """Return the value of a text in PackStream; a structure is its tag and its fields."""
    return _unpacked(data, 0)[0]


_SIZED = {
    **dict.fromkeys((0xD0, 0xD1, 0xD2), ("text", 0xD0)),
    **dict.fromkeys((0xD4, 0xD5, 0xD6), ("list", 0xD4)),
    **dict.fromkeys((0xD8, 0xD9, 0xDA), ("map", 0xD8)),
}
_TINY = {0x80: "text", 0x90: "list", 0xA0: "map", 0xB0: "structure"}
_INTEGERS = {0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
_PLAIN = {0xC0: None, 0xC2: False, 0xC3: True}


def _unpacked(data: bytes, at: int) -> tuple[Any, int]:
    mark = data[at]
    at += 1
    if mark in _PLAIN:
        return _PLAIN[mark], at
    if mark < 0x80 or mark >= 0xF0:
        return (mark if mark < 0x80 else mark - 0x100), at
    if mark in _INTEGERS or mark == 0xC1:
        form = _INTEGERS.get(mark, ">d")
        end = at + struct.calcsize(form)
        return struct.unpack(form, data[at:end])[0], end
    if mark in _SIZED:
        kind, first = _SIZED[mark]
        width = 1 << (mark - first)
        size, at = int.from_bytes(data[at : at + width], "big"), at + width
    else:
        kind, size = _TINY[mark & 0xF0], mark & 0x0F
    if kind == "text":
        return data[at : at + size].decode(), at + size
    tag, at = (data[at], at + 1) if kind == "structure" else (0, at)
    items = []
    for _ in range(size * 2 if kind == "map" else size):
        item, at = _unpacked(data, at)
        items.append(item)
    if kind == "map":
        return dict(zip(items[::2], items[1::2], strict=True)), at
    return ((tag, items) if kind == "structure" else items), at
