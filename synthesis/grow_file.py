"""Grows questions into a file: whole at the end, what there is so far beside it until then."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

from graphkit.errors import InputError, OperationError, Problem
from graphkit.formats import write_text
from graphkit.formats.strict_json import dumps
from synthesis.grow import GrownQuestion, Growth

__all__ = ["grow_to_file", "part_of"]


def part_of(path: str | os.PathLike[str]) -> Path:
    """Return where questions are kept while the file is not finished.

    >>> part_of("q.jsonl").name
    'q.jsonl.part'
    """
    return Path(f"{os.fspath(path)}.part")


def grow_to_file(
    growth: Growth,
    path: str | os.PathLike[str],
    *,
    each: Callable[[GrownQuestion], None] | None = None,
) -> list[GrownQuestion]:
    """Run a growth and write its questions as JSONL, in the order in which they were grown.

    Every question is appended to ``PATH.part``, a line of plain JSON, as soon as it is grown.
    At the end PATH appears whole and ``PATH.part`` goes; an interrupt leaves ``PATH.part``.

    Args:
        growth: The run; it is used up.
        path: Where to write, see :func:`graphkit.formats.write_text`.
        each: Is called with every question once it is in ``PATH.part``.

    Returns:
        The questions.

    Raises:
        OperationError: It cannot be written.
        InputError: The folder does not exist, or the path is a directory.
    """
    place = Path(path)
    if place.is_dir():
        raise InputError(
            Problem("is a directory, expected a file", code="directory", file=os.fspath(path))
        )
    plain = place.is_file() or not place.exists()  # a device or a pipe has no neighbour
    part = part_of(path)
    if plain:
        write_text(part, [])
    questions: list[GrownQuestion] = []
    lines: list[str] = []
    with open(part if plain else os.devnull, "a", encoding="utf-8") as stream:
        for question in growth:
            lines.append(dumps(question.to_record()) + "\n")
            questions.append(question)
            _append(stream, lines[-1])
            if each is not None:
                each(question)
    write_text(path, lines)
    part.unlink(missing_ok=not plain)
    return questions


def _append(stream: IO[str], line: str) -> None:
    try:
        stream.write(line)
        stream.flush()
    except OSError as error:
        raise OperationError(
            Problem(f"cannot be written: {error.strerror}", code="unwritable", file=stream.name)
        ) from error
