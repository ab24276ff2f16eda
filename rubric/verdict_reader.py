"""Reading verdict files, JSONL, gzip by suffix, fast; this file does I/O."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from graphkit.errors import FormatError, Problem
from rubric.literals import read_json
from rubric.tree_reader import read_bytes
from rubric.verdict_columns import read_columns
from rubric.verdict_table import TableBuilder
from rubric.verdicts import VerdictTable

__all__ = ["parse_verdicts", "read_verdicts"]

Reader = Literal["columns", "lines"]


def read_verdicts(
    paths: str | Path | Iterable[str | Path],
    *,
    keep_going: bool = False,
    reader: Reader = "columns",
) -> VerdictTable:
    """Read verdict files.

    Within one file the last line of a key wins, and a conflict is counted; between two files a
    conflict is an error.

    Args:
        paths: One file or several; ``-`` is standard input. A file given twice is read once.
        keep_going: Leave broken lines out and list them in ``hygiene.broken``.
        reader: ``columns`` reads lines of one shape together; ``lines`` reads each by itself.
            Both give the same table and the same errors.

    Raises:
        FormatError: A file cannot be read, or lines of it are broken; every line at once.
        RubricError: Two files disagree; every key at once.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files = []
    seen = set()
    for path in given:
        if str(path) == "-":
            files.append(("<stdin>", sys.stdin.buffer.read()))
            continue
        place = Path(path).resolve()
        if place not in seen:
            files.append((str(path), read_bytes(path)))
        seen.add(place)
    return parse_verdicts(files, keep_going=keep_going, reader=reader)


def parse_verdicts(
    files: Iterable[tuple[str | None, bytes]],
    *,
    keep_going: bool = False,
    reader: Reader = "columns",
) -> VerdictTable:
    """Read verdict files that are in memory; see :func:`read_verdicts`.

    Args:
        files: Names and contents.
        keep_going: Leave broken lines out.
        reader: ``columns`` or ``lines``.

    >>> table = parse_verdicts([("v.jsonl", b'{"task_id": "t1", "system": "A", "atom_id": "a", '
    ...                                     b'"votes": ["yes", "no", "yes"]}')])
    >>> table.report("t1", "A").codes
    {'a': 0}
    """
    builder = TableBuilder()
    for name, content in files:
        data = content.replace(b"\r\n", b"\n") if b"\r" in content else content
        rest = None if reader == "lines" else read_columns(data, builder)
        if rest is None or rest:
            _read_lines(data, name, rest, builder)
        builder.end_file(name)
    if builder.broken and not keep_going:
        raise FormatError(builder.broken)
    return builder.finish()


def _read_lines(
    data: bytes, name: str | None, numbers: list[int] | None, builder: TableBuilder
) -> None:
    """Read lines one by one: all of them, or those whose numbers are given."""
    lines = data.split(b"\n")
    for number in range(1, len(lines) + 1) if numbers is None else numbers:
        if number > len(lines):
            continue
        line = lines[number - 1]
        if not line.strip():
            continue
        try:
            builder.add(_record(line, name, number), number)
        except FormatError as error:
            builder.broken += [problem.at(name, number) for problem in error.problems]


def _record(line: bytes, name: str | None, number: int) -> object:
    record = read_json(line, name, number)
    try:
        for key in ("task_id", "system", "atom_id"):
            if isinstance(record, dict) and isinstance(record.get(key), str):
                record[key].encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(
            Problem("an id holds half of a surrogate pair", "utf8", name, number)
        ) from error
    return record
