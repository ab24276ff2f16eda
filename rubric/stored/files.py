"""Our kinds of files for ``graphkit load``, and our files in the export of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from graphkit.errors import FormatError, GraphkitError, InputError, Problem
from graphkit.formats import strict_json
from graphkit.formats.lines import TextSource
from graphkit.formats.reading import Broken, OnError, Reading, collect
from graphkit.formats.writing import write_text
from graphkit.stores.base import GraphStore, Queries
from graphkit.stores.rooms import Kind, Room
from rubric.fact_library import parse_facts
from rubric.inputs import KINDS, Content, kind_of, sorted_inputs
from rubric.literals import is_finite_data, read_json
from rubric.stored.keys import LABELS
from rubric.stored.scores import save_scores, score_lines
from rubric.stored.trees import load_facts, load_trees, read_facts, tree_lines
from rubric.stored.verdicts import load_verdicts, verdict_lines
from rubric.tree_reader import trees_of
from rubric.verdict_reader import parse_verdicts
from rubric.verdict_table import TableBuilder

__all__ = ["ROOM", "read_verdict_lines"]

Told = Callable[[str, int, int], None]
Held = Sequence[tuple[str, Reading[Any]]]


def _sniffs(kind: str) -> Callable[[str], bool]:
    return lambda head: kind_of(head.encode("utf-8", "replace")) == kind


def _content(source: TextSource, kind: str) -> Content:
    """Read a file whole; the beginning of it may have misled, so that its kind is told again."""
    data = source.text().encode("utf-8")
    found = kind_of(data)
    if found is not None and found != kind:
        raise FormatError(
            Problem(f"holds {KINDS[found]}; expected {KINDS[kind]}", "kind", source.name)
        )
    return Content(source.name, data, kind)


def _read_trees(
    source: TextSource, *, keep_going: bool = False, on_error: OnError | None = None
) -> Reading[Any]:
    content = _content(source, "trees")
    return Reading(sorted_inputs([content]).trees)


def _read_facts(
    source: TextSource, *, keep_going: bool = False, on_error: OnError | None = None
) -> Reading[Any]:
    return Reading(parse_facts([_content(source, "facts")]).facts)


def read_verdict_lines(
    source: TextSource, *, keep_going: bool = False, on_error: OnError | None = None
) -> Reading[Any]:
    """Read verdict lines as plain data, checked as :func:`rubric.read_verdicts` checks them."""
    return collect(_verdict_lines(source), keep_going=keep_going, on_error=on_error)


def _verdict_lines(source: TextSource) -> Iterator[dict[str, Any] | Broken]:
    builder = TableBuilder()
    for line in source.lines():
        if isinstance(line, Problem):
            yield Broken((line,))
            continue
        if not line.text.strip():
            continue
        try:
            record = read_json(line.text, source.name, line.number)
            if not is_finite_data(record):
                raise FormatError("holds NaN or infinity, which is not JSON")
            builder.add(record, line.number)
        except FormatError as error:
            found = tuple(item.at(source.name, line.number) for item in error.problems)
            yield Broken(found)
            continue
        yield record


def _read_scores(
    source: TextSource, *, keep_going: bool = False, on_error: OnError | None = None
) -> Reading[Any]:
    return Reading(sorted_inputs([_content(source, "scores")]).scores)


def _load_each(
    load: Callable[..., int],
) -> Callable[[GraphStore, Held, Told], list[int]]:
    def loader(store: GraphStore, files: Held, told: Told) -> list[int]:
        return [load(store, reading.records) for _, reading in files]

    return loader


def _load_trees(store: GraphStore, files: Held, told: Told) -> list[int]:
    """Load trees; one task in two files is an error, as where trees are read for scoring."""
    places: dict[str, str] = {}
    problems: list[Problem] = []
    for file, reading in files:
        for tree in reading:
            if tree.task_id in places:
                problems.append(Problem(f"task_id: also that of {places[tree.task_id]}",
                                        "duplicate_id", file,
                                        subject=f"tree {tree.task_id}"))  # fmt: skip
            places.setdefault(tree.task_id, file)
    if problems:
        raise InputError(problems)
    return [
        load_trees(store, reading.records, progress=_telling(told, file)) for file, reading in files
    ]


def _load_verdicts(store: GraphStore, files: Held, told: Told) -> list[int]:
    """Load verdicts; two files that disagree are an error, as where they are read for scoring."""
    if len(files) > 1:
        parse_verdicts(
            (file, "\n".join(strict_json.dumps(line) for line in reading).encode())
            for file, reading in files
        )
    return [
        load_verdicts(store, reading.records, progress=_telling(told, file))
        for file, reading in files
    ]


def _telling(told: Told, file: str) -> Callable[[int, int], None]:
    return lambda done, total: told(file, done, total)


# ---- export and import --------------------------------------------------------------------------

_TREES, _FACTS = "rubric-trees.jsonl", "rubric-facts.jsonl"
_VERDICTS, _SCORES = "rubric-verdicts.jsonl", "rubric-scores.jsonl"


def _export(store: Queries, folder: Path) -> None:
    """Write our files; one without a record is not made, and an older one of its name goes."""
    facts = ({"task_id": task, **record} for task, record in read_facts(store))
    parts: dict[str, Iterable[str]] = {
        _TREES: tree_lines(store),
        _FACTS: (strict_json.dumps(record) + "\n" for record in facts),
        _VERDICTS: verdict_lines(store),
        _SCORES: score_lines(store),
    }
    for name, lines in parts.items():
        rest = iter(lines)
        first = next(rest, None)
        if first is None:
            (folder / name).unlink(missing_ok=True)
        else:
            write_text(folder / name, chain([first], rest))


def _read_export(folder: Path) -> dict[str, Any]:
    """Read our files; an export that was made before there were any has none of them."""
    problems: list[Problem] = []
    data = {name: _bytes(folder / name) for name in (_TREES, _FACTS, _VERDICTS, _SCORES)}
    found: dict[str, Any] = {}
    readers: dict[str, Callable[[str, bytes], Any]] = {
        _TREES: lambda name, content: trees_of([(name, content)]),
        _FACTS: lambda name, content: parse_facts([Content(name, content, "facts")]).facts,
        _VERDICTS: _exported_verdicts,
        _SCORES: lambda name, content: sorted_inputs([Content(name, content, "scores")]).scores,
    }
    for name, read in readers.items():
        content = data[name]
        try:
            found[name] = read(str(folder / name), content) if content.strip() else ()
        except GraphkitError as error:
            problems += error.problems
    if problems:
        raise FormatError(problems)
    return found


def _exported_verdicts(name: str, content: bytes) -> Sequence[Any]:
    return read_verdict_lines(TextSource.of(content.decode("utf-8"), name)).records


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _load_export(store: GraphStore, found: dict[str, Any]) -> None:
    if found[_TREES]:
        load_trees(store, found[_TREES])
    if found[_FACTS]:
        load_facts(store, found[_FACTS])
    if found[_VERDICTS]:
        load_verdicts(store, found[_VERDICTS])
    if found[_SCORES]:
        save_scores(store, found[_SCORES])


ROOM = Room(
    name="rubric",
    labels=LABELS,
    kinds=(
        Kind("trees", _sniffs("trees"), _read_trees, _load_trees),
        Kind("rubric-facts", _sniffs("facts"), _read_facts, _load_each(load_facts)),
        Kind("verdicts", _sniffs("verdicts"), read_verdict_lines, _load_verdicts),
        Kind("scores", _sniffs("scores"), _read_scores, _load_each(save_scores)),
    ),
    counts={
        "trees": "MATCH (n:Task) RETURN count(n) AS n",
        "atoms": "MATCH (n:Atom) RETURN count(n) AS n",
        "rubric_facts": "MATCH (n:RubricFact) RETURN count(n) AS n",
        "reports": "MATCH (n:Report) RETURN count(n) AS n",
        "verdicts": "MATCH (n:Verdict) RETURN count(n) AS n",
        "scores": "MATCH (n:Score) RETURN count(n) AS n",
    },
    export=_export,
    read_export=_read_export,
    load_export=_load_export,
)
"""What this package keeps in a store."""
