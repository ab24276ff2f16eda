"""Strict JSON: everything that a lax reader lets pass is an error with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from graphkit.errors import FormatError, Problem

__all__ = ["DECODER", "Path", "dumps", "line_of", "locate", "name_of", "parse"]

Path = tuple[str | int, ...]
"""A place in a JSON value: keys and indices from the outside in."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_SUSPECT = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
_MAX_EXAMPLES = 20


class _Refused(ValueError):
    """Python's reader met something that it would let pass."""


def _no_constant(name: str) -> Any:
    raise _Refused(name)


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _Refused(text)
    return number


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise _Refused("duplicate")
    return table


DECODER = json.JSONDecoder(
    object_pairs_hook=_distinct, parse_constant=_no_constant, parse_float=_finite
)


def parse(text: str, file: str | None = None, line: int = 1) -> Any:
    """Read one JSON value and nothing after it.

    Args:
        text: The JSON text.
        file: The file it stands in, for errors.
        line: The number of its first line in that file.

    Returns:
        The value as plain Python data.

    Raises:
        FormatError: It is not JSON, an object has a key twice, a number is not finite, or a
            string holds half of a surrogate pair; with the line.

    >>> parse('{"a": 1, "a": 2}', "x.json")
    Traceback (most recent call last):
        ...
    graphkit.errors.FormatError: x.json:1: key "a" stands twice in one object
    """
    try:
        value = DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise FormatError(_syntax(text, error, file, line)) from None
    except _Refused:
        raise FormatError(list(_refusals(text, file, line))) from None
    except RecursionError:
        raise FormatError(
            Problem("nested too deeply to be read", code="json", file=file, line=line)
        ) from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise FormatError(Problem(f"not JSON: {error}", code="json", file=file, line=line)) from (
            None
        )
    if _SUSPECT.search(text):
        problems = list(_bad_characters(text, value, file, line))
        if problems:
            raise FormatError(problems)
    return value


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Write plain data as JSON: keys in their order, no escapes but the necessary ones."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def _syntax(text: str, error: json.JSONDecodeError, file: str | None, line: int) -> Problem:
    place = line + error.lineno - 1
    if not text.strip():
        return Problem("expected JSON, found nothing", code="json", file=file, line=line)
    rest = text[error.pos :].strip()
    if not rest or error.msg.startswith("Unterminated string"):
        return Problem(
            "the JSON value is cut off: the text ends before it does (truncated?)",
            code="truncated",
            file=file,
            line=place,
        )
    if error.msg == "Extra data":
        return Problem(
            f"more text after the JSON value, at column {error.colno}: {_shorten(rest)}",
            code="json",
            file=file,
            line=place,
        )
    return Problem(
        f"not JSON: {error.msg.lower()} at column {error.colno}, found {_shorten(rest)}",
        code="json",
        file=file,
        line=place,
    )


def _shorten(text: str) -> str:
    text = text.splitlines()[0]
    return repr(text if len(text) <= 30 else text[:29] + "\u2026")


class _Token(NamedTuple):
    text: str
    line: int
    path: Path
    key: bool


def _walk(text: str, line: int) -> Iterator[_Token]:
    """Yield keys, scalars and opening brackets with their line and path; any text will do."""
    stack: list[tuple[str, str | int]] = []
    waiting_key = False
    last = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        line += text.count("\n", last, match.start())
        last = match.start()
        if token in "}]":
            if stack:
                stack.pop()
            waiting_key = False
        elif token == ",":
            if stack and stack[-1][0] == "[":
                place = stack[-1][1]
                stack[-1] = ("[", place + 1 if isinstance(place, int) else 0)
            waiting_key = bool(stack) and stack[-1][0] == "{"
        elif token == ":":
            waiting_key = False
        elif waiting_key and stack:
            key = _string(token)
            stack[-1] = ("{", key)
            yield _Token(key, line, tuple(item for _, item in stack), True)
        else:
            yield _Token(token, line, tuple(item for _, item in stack), False)
            if token in "{[":
                stack.append((token, 0 if token == "[" else ""))
                waiting_key = token == "{"


def _string(token: str) -> str:
    try:
        value = json.loads(token)
    except ValueError:
        return token
    return value if isinstance(value, str) else token


def locate(text: str, line: int = 1, depth: int = 4) -> dict[Path, int]:
    """Return the line of every value down to a depth.

    Args:
        text: A JSON text; a broken one is read as far as it makes sense.
        line: The number of its first line.
        depth: The longest path that is kept.

    >>> locate('{"a": [1,\\n2]}')
    {(): 1, ('a',): 1, ('a', 0): 1, ('a', 1): 2}
    """
    return {
        token.path: token.line
        for token in _walk(text, line)
        if not token.key and len(token.path) <= depth
    }


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """Return the line of the innermost part of a path that is known."""
    for size in range(len(path), -1, -1):
        found = lines.get(path[:size])
        if found is not None:
            return found
    return None


def name_of(path: Path) -> str:
    """Return a path as it is written.

    >>> name_of(("nodes", 2, "label"))
    'nodes[2].label'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _refusals(text: str, file: str | None, line: int) -> Iterator[Problem]:
    seen: dict[Path, set[str]] = {}
    count = 0
    for token in _walk(text, line):
        message, code = None, "duplicate_key"
        if token.key:
            if token.text in seen.setdefault(token.path[:-1], set()):
                message = f'key "{token.text}" stands twice in one object'
            seen[token.path[:-1]].add(token.text)
        elif token.text == "{":
            seen[token.path] = set()
        elif token.text.lstrip("-") in ("NaN", "Infinity") or _overflows(token.text):
            message = f"{token.text} is not a finite number, expected one"
            code = "not_finite"
        if message is not None:
            count += 1
            if count <= _MAX_EXAMPLES:
                place = token.path[:-1] if token.key else token.path
                yield Problem(
                    message, code=code, file=file, line=token.line, subject=name_of(place) or None
                )


def _overflows(token: str) -> bool:
    if token[0] not in "-0123456789" or not token.lower().count("e"):
        return False
    return float(token) in (float("inf"), float("-inf"))


def _bad_characters(text: str, value: Any, file: str | None, line: int) -> Iterator[Problem]:
    lines: dict[Path, int] | None = None
    count = 0
    for path, string in _strings(value, ()):
        if any("\ud800" <= sign <= "\udfff" for sign in string):
            count += 1
            if count <= _MAX_EXAMPLES:
                lines = locate(text, line, 12) if lines is None else lines
                yield Problem(
                    "holds half of a surrogate pair, expected whole characters",
                    code="character",
                    file=file,
                    line=line_of(lines, path),
                    subject=name_of(path) or None,
                )


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _strings(item, (*path, place))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), key
            yield from _strings(item, (*path, key))
