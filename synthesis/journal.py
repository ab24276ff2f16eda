"""The journal of a run: one line a finished step, appended, checked when a run is resumed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from graphkit.errors import JournalError, Problem

__all__ = ["Journal", "Step"]


class Step(dict[str, Any]):
    """One line: ``run``, ``seed``, ``number``, ``step`` and what happened in it."""


class Journal:
    """What happened in a run, step by step.

    A resumed run goes through the steps of its unfinished seeds again; the outside world answers
    from the log of exchanges, so that they come out the same. The journal holds each step to that:
    one that it has already is compared, not written again, and a difference ends the run with an
    error, since then two runs would be mixed into one.

    Attributes:
        path: The file, or None for a journal in memory.
        run: The run that it belongs to.
        torn: Bytes of an unfinished last line that were cut off when the journal was opened.
        ended: Seed -> how it ended, for the seeds that are finished: ``status`` and ``missing``.
    """

    def __init__(self, stream: IO[bytes] | None, path: Path | None, run: str) -> None:
        self.path = path
        self.run = run
        self.torn = 0
        self.ended: dict[str, dict[str, Any]] = {}
        self._stream = stream
        self._size = 0
        self._places: dict[str, int] = {}
        self._kept: dict[str, Step] = {}
        self._digests: dict[str, dict[int, bytes]] = {}

    @classmethod
    def open(cls, path: Path | None, *, run: str) -> Journal:
        """Open the journal of a run, or make it; a torn last line is cut off.

        Args:
            path: The JSONL file; None keeps no file.
            run: The name of the run.

        Raises:
            JournalError: It belongs to another run, a line inside it is damaged, or it cannot be
                read or written.
        """
        if path is None:
            return cls(None, None, run)
        try:
            path.touch()
            journal = cls(None, path, run)
            journal._scan()
            journal._stream = open(path, "ab", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise JournalError(
                Problem(f"cannot be opened: {error.strerror}", "unwritable", str(path))
            ) from error
        return journal

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def write(self, seed: str, number: int, step: str, data: Mapping[str, Any]) -> None:
        """Write one finished step; one that is there already is compared instead.

        Args:
            seed: The seed that it belongs to.
            number: Its place among the steps of the seed, from 0.
            step: What kind of step.
            data: What happened, as plain data.

        Raises:
            JournalError: The step is there already and says something else, the seed is finished,
                or the file cannot be written.
        """
        record = Step(run=self.run, seed=seed, number=number, step=step, **data)
        line = _line(record)
        digest = _digest(line)
        known = self._digests.get(seed, {}).get(number)
        if known == digest:
            return
        if known is not None or seed in self.ended:
            raise JournalError(
                Problem(
                    f"step {number} ({step}) comes out otherwise than it is written down; the "
                    "code or the settings have changed, expected a new run",
                    code="diverged",
                    file=str(self.path) if self.path else None,
                    subject=f"seed {seed}",
                )
            )
        place = self._size
        self._append(line + b"\n")
        self._digests.setdefault(seed, {})[number] = digest
        if step == "outcome":
            self._finished(record, place)

    def _append(self, line: bytes) -> None:
        if self._stream is None:
            return
        reason = "No space left on device"
        try:
            written = self._stream.write(line)
        except OSError as error:
            written, reason = 0, str(error.strerror)
        if written != len(line):
            with contextlib.suppress(OSError):  # half a line must not be followed by another
                self._stream.truncate(self._size)
            raise JournalError(
                Problem(f"cannot be written: {reason}", "unwritable", str(self.path))
            )
        self._size += len(line)

    def outcome(self, seed: str) -> Step:
        """Return the last step of a finished seed, read again from the file.

        Raises:
            KeyError: The seed is not finished.
        """
        if seed in self._kept or self.path is None:
            return self._kept[seed]
        with self.path.open("rb") as file:
            file.seek(self._places[seed])
            return Step(json.loads(file.readline()))

    def _finished(self, record: Step, place: int) -> None:
        """Keep how a seed ended, and no longer what its steps were."""
        seed = str(record["seed"])
        self.ended[seed] = {key: record.get(key) for key in ("status", "missing")}
        self._places[seed] = place
        self._digests.pop(seed, None)
        if self.path is None:
            self._kept[seed] = record

    def steps(self, seed: str | None = None) -> Iterator[Step]:
        """Yield the steps written down, of one seed or of all, in the order of the file."""
        if self.path is None:
            return
        with self.path.open("rb") as lines:
            for line in lines:
                record = Step(json.loads(line))
                if seed is None or record["seed"] == seed:
                    yield record

    def _scan(self) -> None:
        assert self.path is not None
        end = 0
        torn = b""
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    torn = line
                    break
                self._take(line, number, end)
                end += len(line)
        self._size = end
        if torn:
            self.torn = len(torn)
            with self.path.open("r+b") as file:
                file.truncate(end)

    def _take(self, line: bytes, number: int, place: int) -> None:
        try:
            record = Step(json.loads(line))
            seed, place_of_step = str(record["seed"]), int(record["number"])
            run, step = record["run"], record["step"]
            steps = self._digests.get(seed, {})
            if seed in self.ended or place_of_step != len(steps):
                raise ValueError("not the next step of its seed")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise JournalError(
                Problem("a damaged line, expected a step", "damaged", str(self.path), number)
            ) from error
        if run != self.run:
            raise JournalError(
                Problem(
                    f"a step of run {run!r}, expected run {self.run!r}",
                    "other_run",
                    str(self.path),
                    number,
                )
            )
        if step == "outcome":
            self._finished(record, place)
        else:
            self._digests.setdefault(seed, {})[place_of_step] = _digest(line.rstrip(b"\n"))


_HALVES = re.compile("[\ud800-\udfff]")


def _line(record: Mapping[str, Any]) -> bytes:
    """Return a step as a line of JSON, whatever a reply has put into it.

    Half a surrogate pair is escaped, a number that JSON has not becomes null.
    """
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(record), ensure_ascii=False, allow_nan=False)
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(line, digest_size=16).digest()
