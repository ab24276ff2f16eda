"""Plain tables of criteria (CSV): weights in a tree, or points of either sign."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from graphkit.errors import FormatError, GraphkitError, Problem, did_you_mean
from rubric.formats.points import PointItem, PointList
from rubric.formats.source import Imported, Options
from rubric.formats.weighted import WeightedNode, WeightedTree
from rubric.literals import exact

__all__ = ["parse", "sniff"]

NAME = "csv"

_ALIASES = {
    "id": ("id", "criterion_id", "item_id", "atom_id"),
    "text": ("text", "criterion", "question", "requirements", "requirement", "description"),
    "weight": ("weight",),
    "points": ("points",),
    "parent": ("parent", "parent_id", "group"),
    "task": ("task", "task_id", "prompt_id", "rubric"),
    "score": ("score",),
    "met": ("met", "criteria_met"),
}
_TRUE = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _header(text: str) -> tuple[dict[str, str], str]:
    """Return (our name to the column's name, delimiter) of the first line."""
    first = text.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r")
    delimiter = max(",;\t", key=first.count)
    names = next(csv.reader([first], delimiter=delimiter), [])
    lowered = {name.strip().lower(): name for name in reversed(names)}
    return {
        ours: lowered[alias]
        for ours, aliases in _ALIASES.items()
        for alias in reversed(aliases)
        if alias in lowered
    }, delimiter


def sniff(text: str) -> bool:
    """Return whether the first line is a header with a criterion and a weight or points."""
    if text.lstrip("\ufeff \n").startswith(("{", "[")):
        return False
    columns, _ = _header(text)
    return ("text" in columns or "id" in columns) and ("weight" in columns or "points" in columns)


def parse(text: str | bytes, file: str | None = None, options: Options | None = None) -> Imported:
    """Read a table of criteria.

    Columns, by name in any order: ``id`` (default the number of the row), ``text`` (or
    criterion, question), ``weight`` or ``points``, and where they are there ``parent`` (the id
    of the group), ``task``, ``score`` (0 to 1) and ``met``; other columns are kept with the row.
    With points, each task is a point list; with weights a weighted tree, whose rows without a
    parent stand below a root ``task:NAME`` unless there is only one. Comma, semicolon and tab
    are told apart by the header.

    Args:
        text: The table, UTF-8.
        file: Its name, for messages.
        options: Nothing in this format depends on them.

    Raises:
        FormatError: It is not UTF-8, not a table, or lacks a needed column.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError(Problem(f"not UTF-8: {error}", "utf8", file)) from error
    text = text.removeprefix("\ufeff")
    columns, delimiter = _header(text)
    if "weight" not in columns and "points" not in columns:
        first = text.split("\n", 1)[0].strip()
        raise FormatError(
            Problem(
                f"has the columns {first!r}; expected weight or points among them",
                "header",
                file,
                1,
            )
        )
    problems: list[Problem] = []
    tasks: dict[str, list[tuple[int, dict[str, str]]]] = {}
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    stem = (file or "table").replace("\\", "/").rsplit("/", 1)[-1].split(".", 1)[0]
    try:
        for row in reader:
            line = reader.line_num
            if None in row or None in row.values():
                problems.append(
                    Problem(
                        f"has {'more' if None in row else 'fewer'} cells than the header",
                        "cells",
                        file,
                        line,
                    )
                )
                continue
            tasks.setdefault(_cell(row, columns, "task") or stem, []).append((line, row))
    except csv.Error as error:
        raise FormatError(Problem(f"is no table: {error}", "csv", file, reader.line_num)) from error
    rubrics: list[WeightedTree | PointList] = []
    broken = bool(problems)
    for task, rows in tasks.items():
        found: list[Problem] = []
        make = _points if "points" in columns else _tree
        rubric = make(task, rows, columns, found)
        problems += [problem.at(file) for problem in found]
        if rubric is not None and not found and not broken:
            rubrics.append(rubric)
    return Imported(NAME, tuple(rubrics), tuple(problems))


def _cell(row: Mapping[str, str], columns: Mapping[str, str], name: str) -> str:
    return row[columns[name]].strip() if name in columns else ""


def _number(
    text: str, name: str, subject: str, line: int, problems: list[Problem], negative: bool
) -> Fraction:
    try:
        if not text:
            raise ValueError("is missing; expected a number")
        value = exact(text)
        if value < 0 and not negative:
            raise ValueError(f"{text} is negative; expected 0 or more")
    except ValueError as error:
        problems.append(Problem(f"{name}: {error}", name, line=line, subject=subject))
        return Fraction(0)
    return value


def _extra(row: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: value for name, value in row.items() if name not in columns.values() and value != ""
    }


def _ids(
    rows: list[tuple[int, dict[str, str]]], columns: Mapping[str, str], problems: list[Problem]
) -> list[str]:
    names = [
        _cell(row, columns, "id") or ("" if "id" in columns else str(place))
        for place, (_, row) in enumerate(rows, start=1)
    ]
    lines: dict[str, list[int]] = {}
    for name, (line, _) in zip(names, rows, strict=True):
        lines.setdefault(name, []).append(line)
    for name, found in lines.items():
        if not name:
            problems += [
                Problem("has no id; expected one in every row", "no_id", line=line)
                for line in found
            ]
        elif len(found) > 1:
            problems.append(
                Problem(
                    f"the id is used {len(found)} times, on lines "
                    f"{', '.join(map(str, found))}; expected once",
                    "duplicate_id",
                    line=found[1],
                    subject=f"row {name}",
                )
            )
    return names


def _points(
    task: str,
    rows: list[tuple[int, dict[str, str]]],
    columns: Mapping[str, str],
    problems: list[Problem],
) -> PointList | None:
    items = []
    for name, (line, row) in zip(_ids(rows, columns, problems), rows, strict=True):
        subject = f"row {name}"
        points = _number(_cell(row, columns, "points"), "points", subject, line, problems, True)
        word = _cell(row, columns, "met").lower()
        if word and word not in _TRUE:
            problems.append(
                Problem(
                    f"met: {word!r} is not one of {', '.join(_TRUE)}",
                    "met",
                    line=line,
                    subject=subject,
                )
            )
        items.append(
            PointItem(
                name,
                _cell(row, columns, "text"),
                points,
                _TRUE.get(word),
                extra=_extra(row, columns),
            )
        )
    try:
        return None if problems else PointList(task, tuple(items), NAME)
    except GraphkitError as error:
        problems += error.problems
        return None


def _tree(
    task: str,
    rows: list[tuple[int, dict[str, str]]],
    columns: Mapping[str, str],
    problems: list[Problem],
) -> WeightedTree | None:
    names = _ids(rows, columns, problems)
    known = set(names)
    below: dict[str, list[str]] = {}
    found: dict[str, WeightedNode] = {}
    for name, (line, row) in zip(names, rows, strict=True):
        subject = f"row {name}"
        parent = _cell(row, columns, "parent")
        if parent and parent not in known:
            problems.append(
                Problem(
                    f"parent {parent!r} is no row{did_you_mean(parent, known)}",
                    "dangling",
                    line=line,
                    subject=subject,
                )
            )
        below.setdefault(parent, []).append(name)
        text = _cell(row, columns, "score")
        score = _number(text, "score", subject, line, problems, False) if text else None
        found[name] = WeightedNode(
            name,
            _cell(row, columns, "text"),
            _number(_cell(row, columns, "weight"), "weight", subject, line, problems, False),
            score=score,
            extra=_extra(row, columns),
        )
    if problems:
        return None
    top = below.get("", [])
    root = top[0] if len(top) == 1 and top[0] in below else f"task:{task}"
    order: list[WeightedNode] = []
    if root not in found:
        order.append(WeightedNode(root, task, Fraction(1), tuple(top)))
    stack = list(reversed(top))
    while stack:
        name = stack.pop()
        children = below.get(name, [])
        node = found[name]
        if children:
            recorded = None if node.score is None else float(node.score)
            order.append(
                WeightedNode(
                    name,
                    node.text,
                    node.weight,
                    tuple(children),
                    recorded=recorded,
                    extra=node.extra,
                )
            )
        else:
            order.append(node)
        stack += reversed(children)
    lost = sorted(known - {node.id for node in order})
    problems += [
        Problem("is its own ancestor; expected a parent above it", "cycle", subject=f"row {name}")
        for name in lost
    ]
    try:
        return None if problems else WeightedTree(task, root, tuple(order), NAME)
    except GraphkitError as error:
        problems += error.problems
        return None
