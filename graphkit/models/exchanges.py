"""The log of every outside call: append-only JSONL, so that nothing is asked or paid for twice."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import fcntl
import hashlib
import io
import json
import os
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import IO, Any

from graphkit.errors import ExchangeLogError, Problem
from graphkit.models.past import PastUse, UseTally
from graphkit.models.redaction import Redactor, secrets_of

__all__ = ["ExchangeLog", "exchange_key"]

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
)
_MARKS = frozenset(("begun", "failed", "retried"))
_HEAD = re.compile(
    rb'\{"key":("(?:[^"\\]|\\.)*"),"kind":("(?:[^"\\]|\\.)*"),"run":("(?:[^"\\]|\\.)*")'
)
_START = b'{"key":'
_BODY = b',"request":'


def exchange_key(kind: str, **parts: Any) -> str:
    """Return the key of an exchange: the SHA-256 of its kind and parts as canonical JSON.

    Args:
        kind: What is asked, for instance ``model`` or ``search``.
        parts: All that the reply depends on, as plain data; the order of keys does not matter.

    >>> exchange_key("search", query="x", page=1) == exchange_key("search", page=1, query="x")
    True
    >>> exchange_key("search", query="x")[:12]
    'dba583278599'
    """
    text = _CANONICAL.encode([kind, parts])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ExchangeLog:
    """What was asked of the outside world and what it answered, by key.

    A reply that is in the log is given back without a call, so a run that was killed and starts
    again pays for nothing twice. Each record is one line, appended and flushed before its reply is
    returned: ``{"key", "kind", "run", "at", "agent", "seconds", "usage", "request", "reply"}``.
    Before a call starts a record of kind ``begun`` is written, and one of kind ``failed`` when it
    raises; both have no reply. One process writes a log at a time. In memory are only the places
    of the replies.

    Attributes:
        run: The run that the log belongs to.
        path: The file, or None for a log in memory.
        torn: Bytes of an unfinished last line that were cut off when the log was opened.
        unfinished: Calls that earlier sessions began and whose end is not in the log: they may
            have been paid for without an answer. A call that is made again counts no longer.
        redactor: What takes secrets out of everything that is written.

    >>> async def ask():
    ...     return {"answer": 42}
    >>> with ExchangeLog.open(None, run="r1") as log:
    ...     reply = asyncio.run(log.once("k", "search", {"query": "x"}, ask))
    ...     reply, log.get("k"), "k" in log, len(log)
    ({'answer': 42}, {'answer': 42}, True, 1)
    """

    def __init__(self, stream: IO[bytes], reader: IO[bytes], path: Path | None, run: str) -> None:
        self.run = run
        self.path = path
        self.torn = 0
        self.redactor = Redactor(secrets_of())
        self._stream = stream
        self._reader = reader
        self._size = 0
        self._places: dict[bytes, int] = {}
        self._begun: dict[bytes, int] = {}
        self._calls: dict[str, tuple[asyncio.Task[Any], list[int]]] = {}
        self._tally = UseTally()

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None, *, run: str) -> ExchangeLog:
        """Open the log of a run, or make it; a torn last line is cut off.

        Args:
            path: The JSONL file; None keeps the log in memory.
            run: The name of the run.

        Raises:
            ExchangeLogError: Another process writes it, it holds records of another run, a line
                inside it is damaged, or the file cannot be read or written.
        """
        if path is None:
            memory = io.BytesIO()
            return cls(memory, memory, None, run)
        place = Path(path)
        with contextlib.ExitStack() as opened:
            try:
                stream = opened.enter_context(open(place, "ab", buffering=0))
                reader = opened.enter_context(open(place, "rb"))
                fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ExchangeLogError(
                    Problem(
                        "another process is writing this log; wait for it to end, or stop it",
                        code="locked",
                        file=str(place),
                    )
                ) from None
            except OSError as error:
                raise ExchangeLogError(
                    Problem(f"cannot be opened: {error.strerror}", "unwritable", str(place))
                ) from error
            log = cls(stream, reader, place, run)
            log._scan()
            opened.pop_all()
        return log

    def __enter__(self) -> ExchangeLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __contains__(self, key: str) -> bool:
        return _short(key) in self._places

    def __len__(self) -> int:
        return len(self._places)

    @property
    def unfinished(self) -> int:
        """How many calls of earlier sessions were begun, have no end and were not made again."""
        return len(self._begun)

    def cut_off(self) -> dict[str, int]:
        """Return how many of the unfinished calls there are of each kind."""
        found: dict[str, int] = {}
        for offset in sorted(self._begun.values()):
            self._reader.seek(offset)
            kind = str(json.loads(self._reader.readline()).get("of"))
            found[kind] = found.get(kind, 0) + 1
        if self.path is None:
            self._reader.seek(0, os.SEEK_END)
        return found

    def earlier(self) -> tuple[PastUse, ...]:
        """Return what the sessions before this one used, a row for each kind, agent and model."""
        return self._tally.rows()

    def get(self, key: str) -> Any | None:
        """Return the stored reply of a key, or None where there is none."""
        record = self.record(key)
        return None if record is None else record["reply"]

    def record(self, key: str) -> dict[str, Any] | None:
        """Return the whole record of a key, or None where there is none.

        Raises:
            ExchangeLogError: The record is damaged.
        """
        offset = self._places.get(_short(key))
        if offset is None:
            return None
        self._reader.seek(offset)
        line = self._reader.readline()
        if self.path is None:
            self._reader.seek(0, os.SEEK_END)
        try:
            record: dict[str, Any] = json.loads(line)
        except (ValueError, RecursionError):
            record = {}
        if record.get("key") != key or "reply" not in record:
            raise self._damaged(f"the record at byte {offset} is damaged")
        return record

    async def once(
        self,
        key: str,
        kind: str,
        request: Any,
        call: Callable[[], Awaitable[Any]],
        *,
        agent: str | None = None,
        price: Callable[[Any], Mapping[str, Any] | None] | None = None,
    ) -> Any:
        """Return the stored reply of a key, or make the call and store what it returns.

        Callers that ask for the same key at the same time share one call; it goes on as long as
        one of them waits. What is returned is what was stored, so that the first run and a later
        one see the same reply, secrets taken out.

        Args:
            key: See :func:`exchange_key`.
            kind: What is asked, for the record.
            request: What was asked, for the record: plain data.
            call: Asks the outside world; its reply is plain data. What it raises is raised here
                and not stored as a reply.
            agent: Who asks, for the record.
            price: Reply -> what it used, for the record: ``model``, ``input_tokens``,
                ``output_tokens``, ``money``.

        Raises:
            ExchangeLogError: The log cannot be written or read.
        """
        stored = self.record(key)
        if stored is not None:
            return stored["reply"]
        if key not in self._calls:
            task = asyncio.ensure_future(self._make(key, kind, request, call, agent, price))
            self._calls[key] = (task, [0])
            task.add_done_callback(lambda done: self._forget(key, done))
        task, waiting = self._calls[key]
        waiting[0] += 1
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if waiting[0] == 1 and not task.done():
                self._calls.pop(key, None)  # who joins from now on makes a call of its own
                task.cancel()
                await asyncio.wait((task,))
            raise
        finally:
            waiting[0] -= 1

    async def _make(
        self,
        key: str,
        kind: str,
        request: Any,
        call: Callable[[], Awaitable[Any]],
        agent: str | None,
        price: Callable[[Any], Mapping[str, Any] | None] | None,
    ) -> Any:
        started = time.perf_counter()
        self.note(key, "begun", agent=agent, of=kind)
        try:
            reply = await call()
        except Exception as error:
            self.note(key, "failed", agent=agent, of=kind, error=str(error))
            self._begun.pop(_short(key), None)
            raise
        record: dict[str, Any] = {"key": key, "kind": kind, "run": self.run, "at": _now()}
        if agent is not None:
            record["agent"] = agent
        record["seconds"] = round(time.perf_counter() - started, 6)
        usage = price(reply) if price is not None else None
        if usage is not None:
            record["usage"] = dict(usage)
        record["request"], record["reply"] = request, reply
        text = _ENCODER.encode(record)
        if self.redactor.suspects(text):
            record["request"] = self.redactor.data(request)
            record["reply"] = self.redactor.data(reply)
            text = _ENCODER.encode(record)
        line = _line(text, record)
        self._places[_short(key)] = self._append(line)
        self._begun.pop(_short(key), None)
        return json.loads(line)["reply"]

    def _forget(self, key: str, done: asyncio.Task[Any]) -> None:
        """Drop a call that has ended; an error of it that nobody waits for is in the log."""
        if key in self._calls and self._calls[key][0] is done:
            del self._calls[key]
        if not done.cancelled():
            done.exception()

    def note(self, key: str, kind: str, *, agent: str | None = None, **details: Any) -> None:
        """Append a remark on a call, without a reply: ``begun``, ``failed`` or ``retried``.

        Raises:
            ExchangeLogError: The log cannot be written.
        """
        if kind not in _MARKS:
            raise ValueError(f"a remark is one of {', '.join(sorted(_MARKS))}, not {kind!r}")
        record: dict[str, Any] = {"key": key, "kind": kind, "run": self.run, "at": _now()}
        if agent is not None:
            record["agent"] = agent
        record.update(self.redactor.data(details))
        self._append(_line(_ENCODER.encode(record), record))

    def close(self) -> None:
        """Flush the log to the disk, give up the lock and close the file; twice does no harm."""
        if self._stream.closed:
            return
        if self.path is not None:
            with contextlib.suppress(OSError):
                os.fsync(self._stream.fileno())
            self._reader.close()
        self._stream.close()

    def _append(self, line: bytes) -> int:
        """Write one line at the end; return where it starts."""
        offset = self._size
        if self._stream.closed:
            raise self._damaged("the log is closed", "closed")
        try:
            written = self._stream.write(line)
            while written < len(line):
                written += self._stream.write(line[written:])
        except OSError as error:
            with contextlib.suppress(OSError):  # half a line must not be followed by another
                self._stream.truncate(offset)
            raise self._damaged(f"cannot be written: {error.strerror}", "unwritable") from error
        self._size += len(line)
        return offset

    def _scan(self) -> None:
        """Read the places of all replies; cut off a last line that was not finished."""
        others: set[str] = set()
        for number, line in enumerate(self._reader, start=1):
            head = _HEAD.match(line)
            if not line.endswith(b"\n") and _may_be_torn(line):
                self._cut(line)
                break
            if head is None or not line.endswith(b"}\n"):
                raise self._damaged("no record of an exchange, expected one a line", line=number)
            key, kind, run = (json.loads(part) for part in head.groups())
            if run != self.run:
                others.add(run)
            elif kind == "begun":
                self._begun[_short(key)] = self._size
            elif kind != "retried":
                self._begun.pop(_short(key), None)
                if kind != "failed":
                    self._places[_short(key)] = self._size
                    self._tally.add(json.loads(line[: line.index(_BODY)] + b"}"))
            self._size += len(line)
        if others:
            raise self._damaged(
                f"holds records of run {', '.join(sorted(others))}, expected run {self.run}; "
                "runs are never mixed: use another folder, or resume that run",
                "other_run",
            )

    def _cut(self, line: bytes) -> None:
        self.torn = len(line)
        try:
            self._stream.truncate(self._size)
        except OSError as error:
            raise self._damaged(f"cannot be written: {error.strerror}", "unwritable") from error

    def _damaged(
        self, message: str, code: str = "damaged", line: int | None = None
    ) -> ExchangeLogError:
        file = "<memory>" if self.path is None else str(self.path)
        return ExchangeLogError(Problem(message, code=code, file=file, line=line))


def _short(key: str) -> bytes:
    """Return sixteen bytes that stand for a key in memory; records are checked when read."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _may_be_torn(line: bytes) -> bool:
    """Whether a last line without an end was the beginning of a record, or was never written."""
    return line.startswith(_START) or _START.startswith(line) or not line.strip(b"\0")


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def _line(text: str, record: Mapping[str, Any]) -> bytes:
    """Return a record as one line; half surrogate pairs, which UTF-8 cannot carry, are escaped."""
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(record, allow_nan=False, separators=(",", ":")).encode() + b"\n"
