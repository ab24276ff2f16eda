"""What every importer works on and gives back: named text in, rubrics and reasons out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from graphkit.errors import FormatError, Problem
from rubric.formats.points import PointList
from rubric.formats.weighted import WeightedTree
from rubric.literals import exact, read_json

__all__ = ["Imported", "Options", "Rubric", "documents", "number", "text_of"]

Rubric = WeightedTree | PointList


@dataclass(frozen=True, slots=True)
class Options:
    """How to import.

    Attributes:
        rename_duplicates: Give the second and later nodes of an id a suffix (``id#2``) and say
            so in a note, instead of refusing the tree.
    """

    rename_duplicates: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file gave.

    Attributes:
        format: The format it was read as.
        rubrics: The trees and lists, in the order of the file.
        problems: Rows and trees that could not be read, each by id, place and reason. A tree
            with a broken row is refused whole: scored without the row it would be inflated.
        notes: Things worth knowing about what was read: renamed ids, weights that do not sum to
            1, criteria that a judge failed on.
    """

    format: str
    rubrics: tuple[Rubric, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = field(default=())

    @property
    def trees(self) -> tuple[WeightedTree, ...]:
        """The weighted trees among the rubrics."""
        return tuple(item for item in self.rubrics if isinstance(item, WeightedTree))


def number(
    data: Mapping[str, Any],
    key: str,
    subject: str,
    problems: list[Problem],
    *,
    negative: bool = False,
) -> Fraction:
    """Return a finite number of a row exactly; a problem and 0 when it is none.

    Args:
        data: The row.
        key: Its key.
        subject: The row's name in messages.
        problems: Where to put what is wrong.
        negative: Whether a negative number is allowed.
    """
    if key not in data or data[key] is None:
        problems.append(
            Problem(f"{key} is missing; expected a number", code=f"no_{key}", subject=subject)
        )
        return Fraction(0)
    value = data[key]
    try:
        if isinstance(value, str):
            raise ValueError(f"{value!r} is a text; expected a number")
        found = exact(value)
    except ValueError as error:
        problems.append(Problem(f"{key}: {error}", code=key, subject=subject))
        return Fraction(0)
    if found < 0 and not negative:
        problems.append(
            Problem(f"{key} {value} is negative; expected 0 or more", code=key, subject=subject)
        )
    return found


def text_of(data: Mapping[str, Any], key: str, subject: str, problems: list[Problem]) -> str:
    """Return a text of a row; a problem and an empty text when it is missing or no text.

    Args:
        data: The row.
        key: Its key.
        subject: The row's name in messages.
        problems: Where to put what is wrong.
    """
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        shown = "is missing" if value is None else f"{value!r} is not a text"
        problems.append(
            Problem(f"{key} {shown}; expected a text", code=f"no_{key}", subject=subject)
        )
        return ""
    return value


def documents(
    text: str | bytes, file: str | None, problems: list[Problem]
) -> list[tuple[int | None, Any]]:
    """Return the JSON documents of a file with their lines: JSONL, one document, or a list.

    Args:
        text: The file.
        file: Its name, for messages.
        problems: Where broken lines go; when no line is JSON, the file is reported as one.

    Returns:
        (line, document); the line is None for the items of one list.
    """
    raw = text.encode() if isinstance(text, str) else text
    try:
        whole = read_json(raw, file)
    except FormatError as error:
        failure = error
    else:
        return [(None, item) for item in whole] if isinstance(whole, list) else [(1, whole)]
    found: list[tuple[int | None, Any]] = []
    broken: list[Problem] = []
    for at, line in enumerate(raw.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append((at, read_json(line, file, at)))
        except FormatError as error:
            broken += error.problems
    problems += broken if found else failure.problems
    return found
