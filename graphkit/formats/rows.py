"""Rows of other notations: each becomes a graph, or is named with its id, place and reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from graphkit.errors import InputError, Problem
from graphkit.formats.lines import TextSource
from graphkit.formats.reading import Broken, Record, iter_records
from graphkit.question import QuestionGraph

__all__ = [
    "broken_row",
    "checked_rows",
    "convert_row",
    "read_rows",
    "row_id",
    "row_text",
    "text_of",
]

Convert = Callable[[Record], QuestionGraph]
"""Turns one record into a graph, or raises an error with everything that is in the way."""


def row_id(record: Record, *keys: str) -> str:
    """Return the id of a row: the first of some keys that holds one, else its number.

    Args:
        record: The row.
        *keys: The keys that may hold an id.
    """
    for key in keys or ("id", "_id"):
        value = record.data.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return str(record.place)


def text_of(data: Any, key: str) -> str:
    """Return a text of a record, empty where there is none."""
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""


def broken_row(row: str, error: InputError, file: str, line: int | None) -> Broken:
    """Return a row that is no graph; every problem carries the id of the row and its place."""
    subject = f"row {row}"
    return Broken(
        tuple(
            replace(
                problem.at(file, line),
                subject=f"{subject}, {problem.subject}" if problem.subject else subject,
            )
            for problem in error.problems
        )
    )


def convert_row(record: Record, row: str, convert: Convert) -> QuestionGraph | Broken:
    """Turn one record into a graph, or into a row that is named."""
    try:
        return convert(record)
    except InputError as error:
        return broken_row(row, error, record.file, record.line)


def read_rows(
    source: TextSource, expected: str, convert: Convert, *keys: str
) -> Iterator[QuestionGraph | Broken]:
    """Yield a graph, or what is in its way, for every record of a file.

    Args:
        source: JSONL, a JSON array or one JSON object.
        expected: What a record should be, for errors.
        convert: Turns one record into a graph.
        *keys: The keys that may hold the id of a row.
    """

    def rows() -> Iterator[tuple[str, int | None, QuestionGraph | Broken]]:
        for item in iter_records(source, expected):
            if isinstance(item, Broken):
                yield "", None, item
                continue
            row = row_id(item, *keys)
            yield row, item.line, convert_row(item, row, convert)

    yield from checked_rows(rows(), source.name)


def checked_rows(
    rows: Iterator[tuple[str, int | None, QuestionGraph | Broken]], file: str
) -> Iterator[QuestionGraph | Broken]:
    """Pass rows on as (id, line, graph or broken); an id that stands twice is named."""
    seen: dict[str, int] = {}
    for place, (row, line, item) in enumerate(rows, 1):
        first = seen.setdefault(row, place) if row else place
        if first == place:
            yield item
            continue
        twice = Problem(
            f"the id is that of row number {first} of this file already, expected each id once",
            code="duplicate_question",
            file=file,
            line=line,
            subject=f"row {row}",
        )
        before = item.problems if isinstance(item, Broken) else ()
        yield Broken((twice, *before))


def row_text(graph: QuestionGraph, key: str, text: str) -> str:
    """Return a line of JSONL with a question in another notation.

    Args:
        graph: The question.
        key: The key of its text.
        text: The question graph in that notation.
    """
    row: dict[str, Any] = {} if graph.id is None else {"id": graph.id}
    if graph.question:
        row["question"] = graph.question
    if graph.answer is not None:
        row["answer"] = graph.answer
    return json.dumps({**row, key: text}, ensure_ascii=False) + "\n"
