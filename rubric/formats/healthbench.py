"""HealthBench-style point lists: an example a line, criteria with points of either sign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphkit.errors import GraphkitError, Problem
from rubric.formats.points import PointItem, PointList
from rubric.formats.source import Imported, Options, documents, number, text_of

__all__ = ["parse", "sniff"]

NAME = "healthbench"

_LISTS = ("rubrics", "rubric_items", "rubric")
_IDS = ("prompt_id", "id", "example_id", "task_id")
_KNOWN = {"id", "criterion", "points", "tags", "criteria_met"}


def sniff(document: Any) -> bool:
    """Return whether parsed JSON looks like one example of such a set."""
    rows = _rows(document)
    return (
        isinstance(rows, list)
        and bool(rows)
        and all(isinstance(row, Mapping) and {"criterion", "points"} & set(row) for row in rows)
        and any("points" in row for row in rows)
    )


def _rows(document: Any) -> Any:
    if not isinstance(document, Mapping):
        return None
    return next((document[key] for key in _LISTS if key in document), None)


def parse(text: str | bytes, file: str | None = None, options: Options | None = None) -> Imported:
    """Read point lists; items may carry ``criteria_met`` where they are graded.

    An item without an id has its place in the list, from 1.

    Args:
        text: JSONL, or one JSON object.
        file: Its name, for messages.
        options: Nothing in this format depends on them.
    """
    lists: list[PointList] = []
    problems: list[Problem] = []
    first: dict[str, int | None] = {}
    for line, document in documents(text, file, problems):
        found: list[Problem] = []
        made = _example(document, line, found)
        if made is not None and made.id in first:
            place = f"line {first[made.id]}" if first[made.id] else "the same list"
            found.append(
                Problem(
                    f"the id is already on {place}; expected once",
                    code="duplicate_id",
                    subject=f"example {made.id}",
                )
            )
        if made is not None and not found:
            lists.append(made)
            first[made.id] = line
        problems += [problem.at(file, line) for problem in found]
    return Imported(NAME, tuple(lists), tuple(problems))


def _example(document: Any, line: int | None, problems: list[Problem]) -> PointList | None:
    rows = _rows(document)
    name = (
        next(
            (str(document[key]) for key in _IDS if document.get(key) not in (None, "")),
            f"line {line or 1}",
        )
        if isinstance(document, Mapping)
        else ""
    )
    if not isinstance(rows, list) or not rows:
        problems.append(
            Problem(
                "has no criteria; expected a list in rubrics",
                code="empty_children",
                subject=f"example {name}" if name else None,
            )
        )
        return None
    items = []
    for place, row in enumerate(rows, start=1):
        where = f"example {name}, item {place}"
        if not isinstance(row, Mapping):
            problems.append(
                Problem(f"{row!r} is no criterion; expected an object", code="row", subject=where)
            )
            continue
        met = row.get("criteria_met")
        if met is not None and not isinstance(met, bool):
            problems.append(
                Problem(f"criteria_met {met!r} is not true or false", code="met", subject=where)
            )
            met = None
        tags = row.get("tags") or ()
        items.append(
            PointItem(
                id=str(row.get("id") or place),
                text=text_of(row, "criterion", where, problems),
                points=number(row, "points", where, problems, negative=True),
                met=met,
                tags=tuple(str(tag) for tag in tags) if isinstance(tags, (list, tuple)) else (),
                extra={key: value for key, value in row.items() if key not in _KNOWN},
            )
        )
    if problems:
        return None
    try:
        return PointList(name, tuple(items), NAME, _prompt(document))
    except GraphkitError as error:
        problems += [
            problem
            if problem.subject and name in problem.subject
            else Problem(
                problem.message, problem.code, subject=f"example {name}, {problem.subject}"
            )
            for problem in error.problems
        ]
        return None


def _prompt(document: Mapping[str, Any]) -> str:
    """Return the last message of the user, or the prompt if it is a text."""
    prompt = document.get("prompt")
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list):
        texts = [
            turn.get("content")
            for turn in prompt
            if isinstance(turn, Mapping) and turn.get("role") == "user"
        ]
        return next((text for text in reversed(texts) if isinstance(text, str)), "")
    return ""
