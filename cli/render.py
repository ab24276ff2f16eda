"""How results look: JSON, tables that fit names of any script, colours where they are wanted."""

from __future__ import annotations

import json
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from cli.state import State

__all__ = [
    "cut",
    "document",
    "document_of_rows",
    "line",
    "mark",
    "paint",
    "pairs",
    "table",
    "visible",
    "width",
]

_HIDDEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset(
    [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u200e", "\u200f"]
)


def line(record: Mapping[str, Any]) -> None:
    """Print one JSON object in one line on standard output."""
    click.echo(_encoded(record, None), color=True)


def document(value: Any) -> None:
    """Print one JSON document on standard output."""
    click.echo(_encoded(value), color=True)


def document_of_rows(
    head: Mapping[str, Any], name: str, rows: Iterable[Any], tail: Callable[[], Mapping[str, Any]]
) -> None:
    """Print one JSON document with many rows, each as it comes.

    Args:
        head: What stands before the rows.
        name: The key of the rows.
        rows: The rows.
        tail: Gives what stands behind the rows, once all of them came.
    """
    out = sys.stdout.buffer
    out.write(_encoded(head)[: -len("\n}")] + f",\n  {json.dumps(name)}: [".encode())
    some = False
    for row in rows:
        out.write((b"," if some else b"") + b"\n    " + _encoded(row).replace(b"\n", b"\n    "))
        some = True
    out.write((b"\n  " if some else b"") + b"],\n" + _encoded(tail())[len("{\n") :] + b"\n")
    out.flush()


def _encoded(value: Any, indent: int | None = 2) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair: JSON can carry it, UTF-8 cannot
        return json.dumps(value, indent=indent, allow_nan=False).encode()


def visible(text: str) -> str:
    """Return a text in which nothing can move the cursor or turn the line round.

    >>> print(visible("a\\nb\\x1b[31m"))
    a\\nb\\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        repr(sign)[1:-1] if unicodedata.category(sign) in _HIDDEN else _told(sign) for sign in text
    )


def _told(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if sign in _TURNING else sign


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal.

    >>> width("caf\\u00e9"), width("\\u65e5\\u672c")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(_columns(sign) for sign in text)


def _columns(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def paint(text: str, colour: str) -> str:
    """Return a text in a colour, where colours are wanted."""
    if not State.current().colours():
        return text
    click.get_current_context().color = True  # also where standard output is no terminal
    return click.style(text, fg=colour)


def mark(value: bool | None) -> str:
    """Return ``yes``, ``no``, or ``-`` for a verdict that could not be reached."""
    return "-" if value is None else "yes" if value else "no"


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as a table; on a terminal its lines are cut to the width of the window.

    Columns of numbers are set flush right. Texts are made visible; see :func:`visible`.

    >>> print(table(["name", "n"], [["France", 3], ["Japan", 12]]))
    name     n
    ------  --
    France   3
    Japan   12
    """
    kept = [list(row) for row in rows]
    right = [
        bool(kept) and all(_is_number(row[place]) for row in kept) for place in range(len(heads))
    ]
    cells = [[_text(value) for value in row] for row in kept]
    sizes = [
        max(map(width, (head, *(row[place] for row in cells)))) for place, head in enumerate(heads)
    ]
    limit = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    lines = [list(heads), ["-" * size for size in sizes], *cells]
    return "\n".join(_joined(row, sizes, right, limit) for row in lines)


def pairs(rows: Iterable[tuple[str, Any]]) -> str:
    """Return names and values below each other, the values in one column.

    >>> print(pairs([("facts", 3), ("entities", 12)]))
    facts     3
    entities  12
    """
    kept = [(name, _text(value)) for name, value in rows]
    size = max((width(name) for name, _ in kept), default=0)
    return "\n".join(f"{name}{' ' * (size - width(name))}  {text}".rstrip() for name, text in kept)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return mark(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list | tuple) and not any(isinstance(i, list | dict) for i in value):
        return ", ".join(map(_text, value))
    if isinstance(value, list | dict):
        return visible(json.dumps(value, ensure_ascii=False))
    return visible(str(value))


def _joined(
    cells: Sequence[str], sizes: Sequence[int], right: Sequence[bool], limit: int | None
) -> str:
    parts = []
    for text, size, flush in zip(cells, sizes, right, strict=True):
        gap = " " * (size - width(text))
        parts.append(gap + text if flush else text + gap)
    return cut("  ".join(parts).rstrip(), limit)


def cut(text: str, limit: int | None) -> str:
    """Return a text that takes no more columns than a limit, the rest as an ellipsis."""
    if limit is None or width(text) <= limit:
        return text
    kept, total = [], 0
    for sign in text:
        total += _columns(sign)
        if total >= limit:
            break
        kept.append(sign)
    return "".join(kept) + "\u2026"
