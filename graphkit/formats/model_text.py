"""Finds the JSON object in what a model wrote: fences, prose, trailing commas, single quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from graphkit.errors import FormatError, Problem
from graphkit.formats import strict_json

__all__ = ["Found", "Repair", "find_object"]

_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"\{\s*(?:[\"'}/]|\w+\s*:)")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing in the output of a model that was read as something else.

    Attributes:
        place: Where it stands, for instance ``edges[2].op``.
        before: What the model wrote.
        after: What it was read as.
        code: A stable word for the kind of repair.

    >>> str(Repair("edges[2].op", "AND", "intersection", "op"))
    'edges[2].op: "AND" read as "intersection"'
    """

    place: str
    before: Any
    after: Any
    code: str

    def __str__(self) -> str:
        return f"{self.place}: {_show(self.before)} read as {_show(self.after)}"


def _show(value: Any) -> str:
    try:
        text = strict_json.dumps(value)
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "\u2026"


@dataclass(frozen=True, slots=True)
class Found:
    """The object in a model's output, with how it was found, or why there is none."""

    data: dict[str, Any] | None
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()


def find_object(text: str, keys: tuple[str, ...]) -> Found:
    """Find the JSON object with certain keys in the output of a model.

    Where several objects have the keys the last one counts: models draft before they answer. A
    text that ends inside the object is not completed: what is missing would be guessed.

    Args:
        text: What the model wrote.
        keys: Keys of which the object has at least one.

    >>> find_object("Sure! ```json\\n{'nodes': [1,],}\\n```", ("nodes",)).data
    {'nodes': [1]}
    """
    spoken = _THOUGHT.sub("", text)
    repairs: list[Repair] = []
    candidates: list[tuple[str, bool]] = []
    for block in _FENCE.findall(spoken):
        candidates += _objects(block)
    if not any(_mentions(part, keys) for part, _ in candidates):
        candidates = _objects(spoken)
    telling = [item for item in candidates if _mentions(item[0], keys)]
    if not telling:
        what = "no JSON object" if not candidates else f"no JSON object with {' or '.join(keys)}"
        return Found(None, (), (Problem(f"{what} in the output: {_show(text)}", code="no_json"),))
    if len(telling) > 1:
        repairs.append(
            Repair("output", f"{len(telling)} JSON objects", "the last of them", "several")
        )
    part, complete = telling[-1]
    if not complete:
        return Found(
            None,
            tuple(repairs),
            (
                Problem(
                    "the JSON object is cut off: its brackets are not all closed",
                    code="truncated",
                ),
            ),
        )
    if part.strip() != text.strip():
        repairs.append(Repair("output", _around(text, part), "the JSON object in it", "prose"))
    try:
        data = strict_json.parse(part)
    except FormatError as error:
        if error.problems[0].code not in ("json", "truncated"):
            return Found(None, tuple(repairs), error.problems)
        data = _repaired(part)
        if not isinstance(data, dict) or not any(key in data for key in keys):
            return Found(None, tuple(repairs), error.problems)
        repairs.append(Repair("output", str(error.problems[0].message), "JSON", "syntax"))
    return Found(data, tuple(repairs))


def _around(text: str, part: str) -> str:
    before, _, after = text.partition(part)
    return " \u2026 ".join(piece.strip()[:30] for piece in (before, after) if piece.strip())


def _mentions(part: str, keys: tuple[str, ...]) -> bool:
    return any(re.search(rf"\b{re.escape(key)}[\"']?\s*:", part) for key in keys)


def _repaired(part: str) -> Any:
    """Return what json_repair makes of a text; it answers with an empty string to what is none."""
    import json_repair

    return json_repair.loads(part, skip_json_loads=True)


def _objects(text: str) -> list[tuple[str, bool]]:
    """Return the outermost bracketed parts of a text, and whether each is closed."""
    found: list[tuple[str, bool]] = []
    depth = start = 0
    quoted = False
    place = 0
    while place < len(text):
        sign = text[place]
        if quoted:
            if sign == "\\":
                place += 1
            elif sign == '"':
                quoted = False
        elif sign == '"' and depth:
            quoted = True
        elif sign == "{" and (depth or _OPENING.match(text, place)):
            if not depth:
                start = place
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if not depth:
                found.append((text[start : place + 1], True))
        place += 1
    if depth:
        found.append((text[start:], False))
    return found
