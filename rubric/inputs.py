"""Files of rubric work told apart by content: trees, verdicts, saved scores; this file does I/O."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphkit.errors import FormatError, GraphkitError, InputError, Problem
from rubric.inventory import Inventory
from rubric.literals import read_json
from rubric.settings import Settings
from rubric.tree import Tree
from rubric.tree_reader import trees_of
from rubric.verdict_reader import parse_verdicts
from rubric.verdicts import VerdictTable

__all__ = ["KINDS", "Content", "Inputs", "contents_of", "kind_of", "read_inputs", "sorted_inputs"]

KINDS = {
    "trees": "a rubric tree",
    "verdicts": "verdict lines",
    "scores": "saved scores",
    "facts": "a fact library",
    "labels": "human labels",
    "calibration": "calibration lines",
    "trajectories": "trajectories",
}
"""What a file may hold, and how messages call it."""

_SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")
_HEAD = 65_536
_LINES = 20


@dataclass(frozen=True, slots=True)
class Content:
    """One file that was read.

    Attributes:
        name: Its name; ``<stdin>`` for standard input.
        data: Its bytes, unpacked.
        kind: A key of :data:`KINDS`.
    """

    name: str
    data: bytes
    kind: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """What files gave.

    Attributes:
        trees: The trees.
        verdicts: The verdicts; nothing where no file holds any.
        scores: Records of saved scores.
        problems: What was left out because of ``keep_going``.
    """

    trees: tuple[Tree, ...]
    verdicts: VerdictTable | None
    scores: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...] = ()


def kind_of(data: bytes) -> str | None:
    """Return what a file holds, told by its first record that can be read; None if none tells.

    >>> kind_of(b'{"task_id": "t", "system": "A", "atom_id": "a", "verdict": "yes"}')
    'verdicts'
    >>> kind_of(b'{"task_id": "t",\\n "atoms": []}')
    'trees'
    """
    head = data[:_HEAD]
    records = [_parsed(line) for line in head.splitlines()[:_LINES]]
    records += [_parsed(data)] if b"\n" in data.strip() else []
    for record in records:
        found = _kind(record)
        if found is not None:
            return found
    if any(isinstance(record, dict) for record in records):
        return None
    places = [(head.find(b'"%b"' % key), kind) for key, kind in _MARKS]
    return min(((at, kind) for at, kind in places if at >= 0), default=(0, None))[1]


_MARKS = (
    (b"reports", "scores"),
    (b"score_exact", "scores"),
    (b"na_guard", "scores"),
    (b"atoms", "trees"),
    (b"directions", "trees"),
    (b"events", "trajectories"),
    (b"rater", "labels"),
    (b"fact_id", "facts"),
    (b"atom_id", "verdicts"),
)
"""Keys that tell what a record is which is cut off or broken: the first that stands in it."""


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return None


def _kind(record: Any) -> str | None:
    if not isinstance(record, dict):
        return None
    keys = set(record)
    if keys & {"atoms", "directions"} and not keys & {"outcomes", "na_guard", "dimensions"}:
        return "trees"
    if "reports" in keys or keys & {"na_guard", "score_exact"}:
        return "scores"
    if "events" in keys:
        return "trajectories"
    if "rater" in keys and "item_id" in keys:
        return "labels"
    if record.get("report") in ("R1", "R2", "R3"):
        return "calibration"
    if "fact_id" in keys or "facts" in keys:
        return "facts"
    if "system" in keys and keys & {"atom_id", "report", "verdict", "votes"}:
        return "verdicts"
    if "system" in keys and "score" in keys:
        return "scores"
    return None


def contents_of(paths: Iterable[str | Path], kinds: Iterable[str]) -> list[Content]:
    """Read files, and of folders every JSON and JSONL file, gzip by suffix.

    Args:
        paths: Files and folders; ``-`` is standard input. A file given twice is read once.
        kinds: What they may hold, keys of :data:`KINDS`.

    Raises:
        FormatError: A file cannot be read, is empty, or holds something else; all at once.
    """
    wanted = tuple(kinds)
    expected = " or ".join(KINDS[kind] for kind in wanted)
    problems: list[Problem] = []
    found: list[Content] = []
    seen: set[Path] = set()
    for path in (item for entry in paths for item in _files(entry, problems)):
        if str(path) != "-":
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
        name = "<stdin>" if str(path) == "-" else str(path)
        try:
            data = _read(path)
        except FormatError as error:
            problems += error.problems
            continue
        kind = kind_of(data)
        if kind in wanted:
            found.append(Content(name, data, kind))
            continue
        if not data.strip():
            message = f"is empty; expected {expected}"
        elif kind is not None:
            message = f"holds {KINDS[kind]}; expected {expected}"
        else:
            message = _why_not(data, name, expected)
        problems.append(Problem(message, "kind", name))
    if problems:
        raise FormatError(problems)
    return found


def _why_not(data: bytes, name: str, expected: str) -> str:
    """Say why nothing can be told of a file: it is not JSON, or JSON of something else."""
    try:
        read_json(data, name)
    except FormatError as error:
        return f"{error.problems[0].message}; expected {expected}"
    return f"is JSON of something else; expected {expected}"


def _files(entry: str | Path, problems: list[Problem]) -> list[Path]:
    path = Path(entry)
    if str(entry) == "-" or not path.is_dir():
        return [path]
    found = sorted(item for item in path.iterdir() if item.name.endswith(_SUFFIXES))
    if not found:
        problems.append(Problem("holds no .json or .jsonl file", "empty_folder", str(path)))
    return found


def _read(path: Path) -> bytes:
    name = str(path)
    try:
        if name == "-":
            return sys.stdin.buffer.read()
        data = path.read_bytes()
        return gzip.decompress(data) if name.endswith(".gz") else data
    except OSError as error:
        why = error.strerror or str(error)
        raise FormatError(Problem(f"cannot be read: {why}", "unreadable", name)) from error
    except (EOFError, zlib.error) as error:
        raise FormatError(Problem(f"broken gzip: {error}", "gzip", name)) from error


def read_inputs(
    paths: Iterable[str | Path],
    *,
    kinds: Iterable[str] = ("trees", "verdicts"),
    keep_going: bool = False,
    settings: Settings | None = None,
    inventory: Inventory | None = None,
) -> Inputs:
    """Read trees, verdicts and saved scores from files in any order.

    Args:
        paths: Files and folders; ``-`` is standard input.
        kinds: What they may hold.
        keep_going: Leave out lines of verdicts that are broken.
        settings: The settings that the trees will be scored with.
        inventory: The shared directions.

    Raises:
        FormatError: Files cannot be read or hold something else; every problem at once.
        RubricError: A tree is outside a domain, or verdict files disagree.
    """
    return sorted_inputs(contents_of(paths, kinds), keep_going=keep_going, settings=settings,
                         inventory=inventory)  # fmt: skip


def sorted_inputs(
    contents: Iterable[Content],
    *,
    keep_going: bool = False,
    settings: Settings | None = None,
    inventory: Inventory | None = None,
) -> Inputs:
    """Parse what :func:`contents_of` read; see :func:`read_inputs`."""
    by_kind: dict[str, list[tuple[str, bytes]]] = {}
    for item in contents:
        by_kind.setdefault(item.kind, []).append((item.name, item.data))
    problems: list[Problem] = []
    trees: tuple[Tree, ...] = ()
    verdicts: VerdictTable | None = None
    scores: list[dict[str, Any]] = []
    try:
        named = [(_as_lines(name, data), data) for name, data in by_kind.get("trees", ())]
        trees = trees_of(named, settings=settings, inventory=inventory)
    except GraphkitError as error:
        problems += error.problems
    try:
        if "verdicts" in by_kind:
            verdicts = parse_verdicts(by_kind["verdicts"], keep_going=keep_going)
    except GraphkitError as error:
        problems += error.problems
    for name, data in by_kind.get("scores", ()):
        try:
            scores += _scores(data, name)
        except GraphkitError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    left_out = verdicts.hygiene.broken if verdicts is not None else ()
    return Inputs(trees, verdicts, tuple(scores), left_out)


def _as_lines(name: str, data: bytes) -> str:
    """Return the name of a file of trees so that it says whether there is a tree a line."""
    if name == "<stdin>" and isinstance(_parsed(data.split(b"\n", 1)[0]), dict):
        return "<stdin>.jsonl"
    return name


def _scores(data: bytes, name: str) -> list[dict[str, Any]]:
    """Return the records of saved scores: what ``score --json`` prints, or a record a line."""
    found: list[tuple[int | None, Any]]
    try:
        whole = read_json(data, name)
    except FormatError:
        lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
        found = [(number, read_json(line, name, number)) for number, line in lines]
    else:
        records = whole.get("reports", [whole]) if isinstance(whole, dict) else whole
        found = [(None, item) for item in records] if isinstance(records, list) else []
    wrong = [
        Problem("is no record of a score; expected task_id, system and score", "score", name, line)
        for line, item in found
        if not isinstance(item, dict) or not {"task_id", "system", "score"} <= set(item)
    ]
    if wrong or not found:
        raise FormatError(wrong or Problem("holds no scores", "score", name))
    return [item for _, item in found]
