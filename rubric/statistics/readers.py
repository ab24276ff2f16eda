"""Strict readers of the files that the statistics need; every problem of a file at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from graphkit.errors import FormatError, Problem, did_you_mean
from rubric.literals import is_finite_data, read_json
from rubric.statistics.records import CalibrationLine, HumanLabel, Trajectory
from rubric.tree_reader import read_bytes

__all__ = [
    "parse_records",
    "read_calibration",
    "read_human_labels",
    "read_trajectories",
]

Record = TypeVar("Record", bound=BaseModel)
PathLike = str | os.PathLike[str]


def read_trajectories(
    path: PathLike, problems: list[Problem] | None = None
) -> tuple[Trajectory, ...]:
    """Read a file of trajectories: JSONL, gzip if its name ends in ``.gz``.

    Args:
        path: The file.
        problems: Where to put what is wrong with single lines, to go on without them.

    Raises:
        FormatError: The file cannot be read, or, without ``problems``, any line is wrong: bad
            JSON, a NaN, an unknown kind, an index used twice, a task and system named twice.
            All of them are listed with their line.
    """
    return _read(path, Trajectory, lambda record: (record.task_id, record.system), problems)


def read_human_labels(
    path: PathLike, problems: list[Problem] | None = None
) -> tuple[HumanLabel, ...]:
    """Read a file of human labels: JSONL, gzip if its name ends in ``.gz``.

    Args:
        path: The file.
        problems: As in :func:`read_trajectories`.

    Raises:
        FormatError: As :func:`read_trajectories`; a rater who labels an item twice in a round is
            an error, whether the labels agree or not.
    """
    return _read(path, HumanLabel, lambda record: record.key, problems)


def read_calibration(
    path: PathLike, problems: list[Problem] | None = None
) -> tuple[CalibrationLine, ...]:
    """Read a calibration file: JSONL, gzip if its name ends in ``.gz``.

    Args:
        path: The file.
        problems: As in :func:`read_trajectories`.

    Raises:
        FormatError: As :func:`read_trajectories`; a key used twice is an error.
    """
    return _read(path, CalibrationLine, lambda record: record.key, problems)


def _read(
    path: PathLike,
    model: type[Record],
    key: Callable[[Record], Any],
    problems: list[Problem] | None,
) -> tuple[Record, ...]:
    name = os.fspath(path)
    found: list[Problem] = []
    lines = read_bytes(name).splitlines()
    records = tuple(parse_records(lines, model, key, found, file=name))
    if problems is not None:
        problems.extend(found)
    elif found:
        raise FormatError(found)
    return records


def parse_records(
    lines: Iterable[str | bytes],
    model: type[Record],
    key: Callable[[Record], Any],
    problems: list[Problem],
    *,
    file: str | None = None,
) -> Iterator[Record]:
    """Yield one record a line; what is wrong goes into ``problems`` and its line is left out.

    Args:
        lines: Lines of JSON; blank ones are skipped.
        model: What a line should be.
        key: What must not repeat, made from a record.
        problems: Filled with every problem, with file, line and what was expected.
        file: The name for messages.
    """
    first: dict[Any, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = model.model_validate(_finite_json(line, file, number))
        except ValidationError as error:
            problems += [problem.at(file, number) for problem in _model_problems(error)]
            continue
        except FormatError as error:
            problems += error.problems
            continue
        name = key(record)
        if name in first:
            parts = name if isinstance(name, tuple) else (name,)
            problems.append(
                Problem(
                    f"{' '.join(str(part) for part in parts if part != '')} is already on line "
                    f"{first[name]}; expected it once",
                    code="duplicate_id",
                    file=file,
                    line=number,
                )
            )
            continue
        first[name] = number
        yield record


def _finite_json(line: str | bytes, file: str | None, number: int) -> Any:
    data = read_json(line, file, number)
    if not is_finite_data(data):
        raise FormatError(
            Problem("holds NaN or infinity, which is not JSON", "not_finite", file, number)
        )
    return data


_EXPECTED = {
    "bool_type": "true or false",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "an object",
    "string_too_short": "a text that is not empty",
    "string_type": "a text",
    "tuple_type": "a list",
}


def _model_problems(error: ValidationError) -> Iterator[Problem]:
    """Yield one problem a field; where a field may be of several kinds, all that were expected."""
    by_place: dict[str, list[ErrorDetails]] = {}
    for detail in error.errors(include_url=False):
        parts = [str(part) for part in detail["loc"] if part not in ("str", "bool")]
        place = ".".join(part for part in parts if not part.startswith("function-"))
        by_place.setdefault(place, []).append(detail)
    for place, details in by_place.items():
        expected = [_EXPECTED[detail["type"]] for detail in details if detail["type"] in _EXPECTED]
        other = [detail for detail in details if detail["type"] not in _EXPECTED]
        text = (
            f"{_shown(details[0]['input'])} is not {' or '.join(expected)}"
            if not other
            else _message(other[-1])
        )
        yield Problem(text, code=details[-1]["type"], subject=place or None)


def _message(detail: ErrorDetails) -> str:
    value, context = detail["input"], detail.get("ctx", {})
    if detail["type"] == "missing":
        return "is missing"
    if detail["type"] == "literal_error":
        expected = context["expected"].replace(" or ", ", ").replace("'", "")
        return f"{value!r} is not one of {expected}{did_you_mean(str(value), expected.split(', '))}"
    if detail["type"] == "value_error":
        return str(context["error"])
    if detail["type"] == "greater_than_equal":
        return f"{_shown(value)} is too small; expected {context['ge']} or more"
    return f"{_shown(value)}: {detail['msg'][0].lower()}{detail['msg'][1:]}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
