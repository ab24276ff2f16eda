"""Reads records from JSONL, a JSON array or one JSON object; counts what is broken."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from graphkit.errors import FormatError, Problem
from graphkit.formats import strict_json
from graphkit.formats.lines import Line, TextSource, as_source, plain_suffix

__all__ = [
    "MAX_PROBLEMS",
    "Broken",
    "OnError",
    "Placed",
    "Reading",
    "Record",
    "Source",
    "collect",
    "iter_records",
    "kind_of",
]

MAX_PROBLEMS = 1000
"""After this many problems a file is given up, unless broken records are to be skipped."""

T = TypeVar("T")

OnError = Callable[[Problem], None]
"""Called with each problem of a skipped record, as soon as it is met."""

Source = str | os.PathLike[str] | TextSource
"""What can be read: a path, ``-`` for standard input, or an open source."""


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of a file, and where it stands.

    Attributes:
        data: The object as plain data.
        file: The file.
        line: The line it begins in.
        place: Which object of the file, from 1.
        alone: Whether its line tells it from its neighbours.
        text: Its JSON text where it spans several lines, to find the lines of its parts.
    """

    data: dict[str, Any]
    file: str
    line: int
    place: int
    alone: bool = True
    text: str | None = None

    def line_of(self, *path: str | int) -> int:
        """Return the line of a part of the record."""
        if self.text is None:
            return self.line
        found = strict_json.line_of(strict_json.locate(self.text, self.line), path)
        return self.line if found is None else found


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that could not be read, with everything that is wrong in it."""

    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Placed(Generic[T]):
    """A record with the line that it begins in, for what is found wrong with it later."""

    record: T
    line: int


@dataclass(frozen=True, slots=True)
class Reading(Sequence[T], Generic[T]):
    """What a file holds, in its order.

    Attributes:
        records: What could be read.
        problems: What was wrong with the records that were skipped.
        skipped: How many records were skipped.
        lines: The line of each record; empty where the notation has no lines.
    """

    records: tuple[T, ...]
    problems: tuple[Problem, ...] = ()
    skipped: int = 0
    lines: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        """Return a record by its place, or several by a slice."""
        return self.records[place]

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)


def collect(
    items: Iterator[T | Placed[T] | Broken],
    *,
    keep_going: bool = False,
    on_error: OnError | None = None,
) -> Reading[T]:
    """Gather records and report what is broken: all problems of a file at once.

    Args:
        items: The records, and the broken ones among them.
        keep_going: Skip broken records, and count them.
        on_error: Called with every problem of a record that is skipped.

    Raises:
        FormatError: Something is broken and not to be skipped, or nothing was left.
    """
    records: list[T] = []
    lines: list[int] = []
    problems: list[Problem] = []
    skipped = 0
    for item in items:
        if isinstance(item, Placed):
            records.append(item.record)
            lines.append(item.line)
            continue
        if not isinstance(item, Broken):
            records.append(item)
            continue
        skipped += 1
        problems.extend(item.problems)
        if keep_going and on_error is not None:
            for problem in item.problems:
                on_error(problem)
        if not keep_going and len(problems) >= MAX_PROBLEMS:
            problems.append(
                Problem(
                    f"more than {MAX_PROBLEMS} problems, reading stopped here",
                    code="too_many",
                    file=problems[-1].file,
                )
            )
            break
    if problems and (not keep_going or not records):
        raise FormatError(problems)
    placed = tuple(lines) if len(lines) == len(records) else ()
    return Reading(tuple(records), tuple(problems), skipped, placed)


def iter_records(source: Source, expected: str = "records") -> Iterator[Record | Broken]:
    """Yield the JSON objects of a file: JSONL, an array of objects, or one object.

    Args:
        source: The file.
        expected: What the file should hold, for errors.

    Raises:
        FormatError: The file as a whole cannot be read.
    """
    with as_source(source) as opened:
        lines = _Ahead(opened.lines())
        first = lines.first_text()
        if _is_document(first, lines, plain_suffix(opened.name)):
            yield from _document(lines, opened.name, expected)
        else:
            yield from _json_lines(lines, opened.name, expected)


class _Ahead:
    """Lines with a look ahead at the first two that say something."""

    def __init__(self, lines: Iterator[Line | Problem]) -> None:
        self._lines = lines
        self._seen: list[Line | Problem] = []

    def first_text(self) -> str:
        return self._text(1)

    def second_text(self) -> str:
        return self._text(2)

    def _text(self, place: int) -> str:
        while True:
            told = [item for item in self._seen if isinstance(item, Problem) or item.text.strip()]
            if len(told) >= place:
                item = told[place - 1]
                return item.text if isinstance(item, Line) else ""
            try:
                self._seen.append(next(self._lines))
            except StopIteration:
                return ""

    def __iter__(self) -> Iterator[Line | Problem]:
        yield from self._seen
        yield from self._lines


def _is_document(first: str, lines: _Ahead, suffix: str) -> bool:
    """Whether the text is one JSON document over several lines, or an array."""
    if suffix in (".jsonl", ".ndjson"):
        return False
    start = first.lstrip()
    if start.startswith("["):
        return True
    if not start.startswith("{"):
        return False
    if _parses(first):
        return False
    second = lines.second_text()
    if suffix == ".json" or len(start.rstrip()) == 1:
        return bool(second)
    return bool(second) and not _parses(second)


def _parses(text: str) -> bool:
    """Whether a line is a whole JSON value of its own; a part of a document seldom is."""
    try:
        strict_json.parse(text)
    except FormatError:
        return False
    return True


def _json_lines(lines: _Ahead, file: str, expected: str) -> Iterator[Record | Broken]:
    place = 0
    for line in lines:
        if isinstance(line, Problem):
            place += 1
            yield Broken((line,))
            continue
        if not line.text.strip():
            continue
        place += 1
        try:
            data = strict_json.parse(line.text, file, line.number)
        except FormatError as error:
            yield Broken(error.problems)
            continue
        if isinstance(data, dict):
            yield Record(data, file, line.number, place)
        else:
            yield Broken((_no_object(data, file, line.number, expected),))


def _document(lines: _Ahead, file: str, expected: str) -> Iterator[Record | Broken]:
    parts: list[str] = []
    start = 1
    for item in lines:
        if isinstance(item, Problem):
            raise FormatError(item)
        if not parts and not item.text.strip():
            start = item.number + 1
            continue
        parts.append(item.text)
    text = "\n".join(parts)
    data = strict_json.parse(text, file, start)
    several = len(parts) > 1
    if isinstance(data, dict):
        yield Record(data, file, start, 1, text=text if several else None)
        return
    if not data:
        raise FormatError(
            Problem(f"an empty list, expected {expected}", code="empty", file=file, line=start)
        )
    places = _elements(text, start)
    own_line = len({line for line, _ in places}) == len(places)
    for number, (element, (line, source)) in enumerate(zip(data, places, strict=True), 1):
        if isinstance(element, dict):
            yield Record(element, file, line, number, own_line, source if "\n" in source else None)
        else:
            yield Broken((_no_object(element, file, line, expected),))


def _elements(text: str, line: int) -> list[tuple[int, str]]:
    """Return (line, JSON text) of every element of a valid array."""
    found: list[tuple[int, str]] = []
    decoder = strict_json.DECODER
    place = text.index("[") + 1
    line += text.count("\n", 0, place)
    while True:
        skipped = _skip(text, place)
        line += text.count("\n", place, skipped)
        if text[skipped] == "]":
            return found
        _, end = decoder.raw_decode(text, skipped)
        found.append((line, text[skipped:end]))
        line += text.count("\n", skipped, end)
        place = end


def _skip(text: str, place: int) -> int:
    while text[place] in " \t\n\r,":
        place += 1
    return place


def _no_object(data: Any, file: str, line: int, expected: str) -> Problem:
    return Problem(
        f"found {kind_of(data)}, expected an object ({expected})",
        code="type",
        file=file,
        line=line,
    )


def kind_of(value: Any) -> str:
    """Return what a JSON value is, in words.

    >>> kind_of(None), kind_of(3), kind_of("x"), kind_of([1, 2])
    ('null', 'the number 3', "'x'", 'a list')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:59] + "\u2026")
    return "a list" if isinstance(value, list | tuple) else "an object"
