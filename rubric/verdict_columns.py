"""Verdict lines by column: whole files at once, for lines that look like one another. No I/O.

A line of a file is taken as the template of those that have the same bytes outside their string
values. It goes through the strict reader; what is equal to it byte by byte, but for string values
without control characters and with valid escapes, is then valid JSON of the same shape, and only
its values have to be looked at, once for each distinct value. Every other line is left to the
strict reader. So the two readers agree by construction, and a property in the tests checks it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphkit.errors import FormatError
from rubric.literals import read_json
from rubric.verdict_scan import PADDING, REACH, Mask, Places, Text, Words, is_utf8, scan
from rubric.verdict_table import Columns, Interner, TableBuilder
from rubric.verdicts import Decision, decide

__all__ = ["read_columns"]

_LONGEST_ID = REACH
_MOST_TEMPLATES = 24
_BLOCK = 1 << 19
_MOST_QUOTES = 512
_PART = np.array([(1 << (8 * size)) - 1 for size in range(8)] + [(1 << 64) - 1], dtype=np.uint64)
_MIX = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xC2B2AE3D27D4EB4F),
    np.uint64(0x165667B19E3779F9),
    np.uint64(0xD6E8FEB86659FD93),
)
_ID_KEYS = ("task_id", "system", "atom_id")


@dataclass(frozen=True, slots=True)
class _Template:
    """Fixed bytes around string values; ``values`` are places of their opening quotes.

    ``ids``, ``verdict`` and ``votes`` are positions in ``values``; a verdict that is no string in
    the line is ``None``, and so are votes that are absent.
    """

    fixed: tuple[bytes, ...]
    values: tuple[int, ...]
    ids: tuple[int, int, int]
    verdict: int | None
    votes: tuple[int, ...] | None


def read_columns(data: bytes, builder: TableBuilder) -> list[int]:
    """Add the lines that follow a template to the builder, and return the numbers of the others.

    Args:
        data: The file; lines end with a line feed.
        builder: The table under construction; its current file is this one.
    """
    left: list[Places] = []
    known: dict[int, list[_Template]] = {}
    size = len(data)
    ascii_only = data.isascii()
    scratch = np.empty((2, 0), dtype=np.bool_)
    start = before = 0
    while start < size:
        source, begin = data, start
        stop = data.find(b"\n", min(start + _BLOCK, size) - 1) + 1
        if not stop or stop + PADDING > size:
            rest = data[start:] + (b"" if data.endswith(b"\n") else b"\n")
            source, begin, stop = rest + bytes(PADDING), 0, len(rest)
            start = size
        else:
            start = stop
        if ascii_only or is_utf8(source, begin, stop):
            if scratch.shape[1] < stop - begin:
                scratch = np.empty((2, stop - begin + _BLOCK), dtype=np.bool_)
            text = scan(source, begin, stop, scratch)
            lines = len(text.ends)
            left.append(_read_block(text, before, known, builder) + before)
        else:
            lines = source.count(b"\n", begin, stop)
            left.append(np.arange(before, before + lines))
        before += lines
    return (np.concatenate(left) + 1).tolist() if left else []


def _read_block(
    text: Text, before: int, known: dict[int, list[_Template]], builder: TableBuilder
) -> Places:
    """Read the lines of a block, those with one number of quotes together; return the others."""
    left = ~text.good
    for quotes in np.flatnonzero(np.bincount(text.counts[text.good])).tolist():
        lines = np.flatnonzero(text.good & (text.counts == quotes))
        if quotes % 2 or not 6 <= quotes <= _MOST_QUOTES:
            left[lines] = True
        else:
            templates = known.setdefault(quotes, [])
            left[_read_group(text, lines, quotes, before, templates, builder)] = True
    found: Places = np.flatnonzero(left)
    return found


def _read_group(
    text: Text,
    lines: Places,
    quotes: int,
    before: int,
    templates: list[_Template],
    builder: TableBuilder,
) -> Places:
    """Read lines with one number of quotes, template by template; return those left over."""
    if len(lines) == len(text.ends):
        places = text.special.reshape(-1, quotes + 1)[:, :quotes]
    else:
        places = text.special[text.first[lines][:, None] + np.arange(quotes)]
    pending = np.arange(len(lines))
    left = []
    tried = 0
    while len(pending) and tried < _MOST_TEMPLATES:
        if tried == len(templates):
            head = int(pending[0])
            template = _template(text, int(lines[head]), places[head])
            if template is None:
                left.append(pending[:1])
                pending = pending[1:]
                if len(left) > 2 * _MOST_TEMPLATES:
                    break
                continue
            templates.append(template)
        template = templates[tried]
        tried += 1
        opening = places if len(pending) == len(lines) else places[pending]
        fits = _fits(text, template, lines[pending], opening)
        if fits.any():
            opening = opening if fits.all() else opening[fits]
            chosen = pending[fits]
            numbers = lines[chosen] + (before + 1)
            left.append(chosen[_read_values(text, template, numbers, opening, builder)])
            pending = pending[~fits]
    rest: Places = lines[np.concatenate([*left, pending])]
    return rest


def _template(text: Text, line: int, quotes: Places) -> _Template | None:
    """Make the template of a line; nothing when the line is not one that it can stand for."""
    start, end = int(text.starts[line]), int(text.ends[line])
    row = bytes(text.data[start:end])
    try:
        record = read_json(row)
    except FormatError:
        return None
    if not isinstance(record, dict) or record.get("report") is not None:
        return None
    offsets = (quotes - start).tolist()
    values: list[int] = []
    fields: dict[str, int] = {}
    votes: list[int] = []
    depth: list[int] = []
    key, cut = "", 0
    for place in range(0, len(offsets), 2):
        opening, closing = offsets[place], offsets[place + 1]
        for letter in row[cut:opening]:
            if letter in b"{[":
                depth.append(letter)
            elif letter in b"}]":
                depth.pop()
        cut = closing + 1
        if row[cut:].lstrip().startswith(b":"):
            if len(depth) == 1:
                key = json.loads(row[opening:cut])
            continue
        if len(depth) == 1:
            fields[key] = len(values)
        elif key == "votes" and bytes(depth) == b"{[":
            votes.append(len(values))
        values.append(place)
    ids = tuple(fields[name] for name in _ID_KEYS if name in fields)
    said = record.get("votes")
    if len(ids) != 3 or not (record.get("verdict") is None or "verdict" in fields):
        return None
    if said is not None and not (isinstance(said, list) and len(said) == len(votes)):
        return None
    bounds = [
        0,
        *(edge for place in values for edge in (offsets[place] + 1, offsets[place + 1])),
        len(row),
    ]
    fixed = tuple(row[bounds[i] : bounds[i + 1]] for i in range(0, len(bounds), 2))
    return _Template(
        fixed,
        tuple(values),
        (ids[0], ids[1], ids[2]),
        fields.get("verdict"),
        None if said is None else tuple(votes),
    )


def _fits(text: Text, template: _Template, lines: Places, quotes: Places) -> Mask:
    """Return which lines have the fixed bytes of the template, each in its place."""
    starts = [text.starts[lines], *(quotes[:, place + 1] for place in template.values)]
    stops = [*(quotes[:, place] for place in template.values), text.ends[lines]]
    fits = np.ones(len(lines), dtype=np.bool_)
    last = len(template.fixed) - 1
    for number, fixed in enumerate(template.fixed):
        start, size = starts[number], len(fixed)
        fits &= stops[number] - start == (size if number == last else size - 1)
        for offset in range(0, size, 8):
            part = fixed[offset : offset + 8]
            want = np.uint64(int.from_bytes(part, "little"))
            where = start + offset
            if size > REACH:  # a line of another length may end before
                where = np.minimum(where, len(text.words) - 1)
            found = text.words[where]
            if len(part) < 8:
                found &= _PART[len(part)]
            fits &= found == want
    return fits


def _read_values(
    text: Text, template: _Template, numbers: Places, quotes: Places, builder: TableBuilder
) -> Mask:
    """Add the lines that fit a template; return which of them need the strict reader."""
    wanted = [*template.ids]
    if template.verdict is not None:
        wanted.append(template.verdict)
    wanted += template.votes or ()
    columns: list[Places] = []
    names: list[list[str]] = []
    ok = np.ones(len(numbers), dtype=np.bool_)
    for value in wanted:
        place = template.values[value]
        column, texts, usable = _intern(text, quotes[:, place] + 1, quotes[:, place + 1])
        columns.append(column)
        names.append(texts)
        if usable is not None:
            ok &= usable
    whole = bool(ok.all())
    if not whole:
        columns = [column[ok] for column in columns]
    decided = _decide(template, columns[3:], names[3:], len(columns[0]))
    code, reason, conflict = _coded(decided[0], decided[1], builder)
    builder.add_columns(
        Columns(
            task=_renamed(columns[0], names[0], builder.tasks),
            system=_renamed(columns[1], names[1], builder.systems),
            atom=_renamed(columns[2], names[2], builder.atoms),
            code=code,
            reason=reason,
            conflict=conflict,
            line=numbers if whole else numbers[ok],
        )
    )
    return ~ok


def _intern(text: Text, start: Places, stop: Places) -> tuple[Places, list[str], Mask | None]:
    """Return numbers for string values, the strings, and which values are usable.

    A value that is empty, long, or holds an escape is not usable.
    """
    size = stop - start
    longest = int(size.max(initial=0))
    usable = None
    if longest > _LONGEST_ID or not size.all():
        usable = (size > 0) & (size <= _LONGEST_ID)
        size = np.clip(size, 0, _LONGEST_ID)
        longest = min(longest, _LONGEST_ID)
    words = []
    for offset in range(0, max(longest, 1), 8):
        words.append(text.words[start + offset] & _PART[np.clip(size - offset, 0, 8)])
    heads, column = _grouped(words)
    texts = [
        str(text.data[begin : begin + length], "utf-8", "replace")
        for begin, length in zip(start[heads].tolist(), size[heads].tolist(), strict=True)
    ]
    escaped = np.array(["\\" in item for item in texts], dtype=np.bool_)
    if escaped.any():
        plain = ~escaped[column]
        usable = plain if usable is None else usable & plain
    return column, texts, usable


def _grouped(words: list[Words]) -> tuple[Places, Places]:
    """Return one row of each distinct value, and the number of the value of each row.

    Values are compared in full; the hash only proposes which to compare.
    """
    rows = len(words[0])
    changed = np.ones(rows, dtype=np.bool_)
    changed[1:] = words[0][1:] != words[0][:-1]
    for word in words[1:]:
        changed[1:] |= word[1:] != word[:-1]
    runs = np.flatnonzero(changed)
    if len(runs) * 4 < rows:
        return runs, np.cumsum(changed) - 1
    bits = max(10, int(rows).bit_length() + 2)
    chosen = np.arange(rows)
    rest = chosen
    for mix in _MIX:
        mixed = np.zeros(len(rest), dtype=np.uint64)
        for word in words:
            mixed = (mixed ^ (word if len(rest) == rows else word[rest])) * mix
            mixed ^= mixed >> np.uint64(29)
        slots = ((mixed * mix) >> np.uint64(64 - bits)).astype(np.int64)
        table = np.empty(1 << bits, dtype=np.int64)
        table[slots[::-1]] = rest[::-1]
        proposed = table[slots]
        same = np.ones(len(rest), dtype=np.bool_)
        for word in words:
            same &= word[proposed] == (word if len(rest) == rows else word[rest])
        chosen[rest[same]] = proposed[same]
        rest = rest[~same]
        if not len(rest):
            break
    mine = chosen == np.arange(rows)
    return np.flatnonzero(mine), (np.cumsum(mine) - 1)[chosen]


def _decide(
    template: _Template, columns: list[Places], names: list[list[str]], rows: int
) -> tuple[Places, list[Decision]]:
    """Return the number of the decision of each row, and the decisions."""
    combined = np.zeros(rows, dtype=np.int64)
    for column, texts in zip(columns, names, strict=True):
        distinct = {item: number for number, item in enumerate(dict.fromkeys(texts))}
        small = np.array([distinct[item] for item in texts], dtype=np.int64)
        _, combined = np.unique(combined * len(distinct) + small[column], return_inverse=True)
    heads = np.zeros(int(combined.max(initial=-1)) + 1, dtype=np.int64)
    heads[combined] = np.arange(rows)
    decisions = []
    for head in heads.tolist():
        said: list[Any] = [
            texts[int(column[head])] for column, texts in zip(columns, names, strict=True)
        ]
        verdict = said.pop(0) if template.verdict is not None else None
        decisions.append(decide(verdict, None if template.votes is None else said))
    return combined, decisions


def _coded(
    numbers: Places, decisions: list[Decision], builder: TableBuilder
) -> tuple[Any, Any, Any]:
    codes = np.array([item.code for item in decisions], dtype=np.int8)
    reasons = np.array([builder.reasons[item.reason] for item in decisions], dtype=np.int64)
    conflicts = np.array([item.conflict for item in decisions], dtype=np.int8)
    return codes[numbers], reasons[numbers], conflicts[numbers]


def _renamed(column: Places, texts: list[str], interner: Interner) -> Places:
    return np.array([interner[item] for item in texts], dtype=np.int64)[column]
