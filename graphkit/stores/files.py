"""Loads files of any kind into a store: what a file holds is told by its suffix and content."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphkit.errors import FormatError, Problem, did_you_mean
from graphkit.evidence import EvidenceRecord
from graphkit.fact_table import NamedFact
from graphkit.formats import (
    ImportReport,
    find_sheet,
    import_questions,
    read_evidence,
    read_questions,
    read_sheet,
    read_triples,
)
from graphkit.formats.facts import fact_format
from graphkit.formats.lines import TextSource, as_source, plain_suffix
from graphkit.formats.reading import OnError, Reading, collect
from graphkit.formats.registry import NOTATIONS
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.stores import rooms
from graphkit.stores.base import GraphStore
from graphkit.stores.histories import save_checks, save_history
from graphkit.stores.loading import load_evidence, load_triples
from graphkit.stores.questions import load_questions

__all__ = ["KINDS", "Loaded", "ReadFile", "file_kind", "load_files", "read_file"]

KINDS = ("questions", "evidence", "triples", "rdf")
"""What a file may hold."""

_OF_FACTS = (".json", ".jsonl", ".ndjson", ".nt", ".ttl", ".trig", "")
"""Suffixes that files of facts may have too."""

Told = Callable[[str, int, int], None]
"""Is told (file, done, total) after each transaction."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The content of one file.

    Attributes:
        file: The file.
        kind: One of :data:`KINDS`.
        reading: Its records.
        sheet: The relation sheet beside it.
    """

    file: str
    kind: str
    reading: Reading[Any]
    sheet: RelationSheet | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading one file did.

    Attributes:
        file: The file.
        kind: One of :data:`KINDS`.
        records: How many records it holds.
        changed: How many of them were new to the store or other than there.
        skipped: How many broken ones were skipped.
    """

    file: str
    kind: str
    records: int
    changed: int
    skipped: int = 0

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "file": self.file,
            "kind": self.kind,
            "records": self.records,
            "changed": self.changed,
            "skipped": self.skipped,
        }


def file_kind(source: TextSource) -> str:
    """Return what a file holds: one of :data:`KINDS`.

    Raises:
        FormatError: It cannot be told.
    """
    head = source.head()
    if not head.strip():
        raise FormatError(Problem("is empty", code="empty", file=source.name))
    suffix = plain_suffix(source.name)
    for kind in rooms.kinds().values():
        if kind.sniff(head):
            return kind.name
    for item in NOTATIONS.values():
        if item.read is not None and item.sniff(head):
            return "questions"
    if suffix not in _OF_FACTS and any(suffix in item.suffixes for item in NOTATIONS.values()):
        return "questions"
    if suffix in (".json", ".jsonl", ".ndjson") or head.lstrip().startswith(("{", "[")):
        return "evidence" if '"evidence_id"' in head or '"nodes"' not in head else "questions"
    return fact_format(source)


def read_file(
    file: str | os.PathLike[str],
    kind: str | None = None,
    *,
    sheet: RelationSheet | None = None,
    keep_going: bool = False,
    on_error: OnError | None = None,
    on_report: Callable[[ImportReport], None] | None = None,
) -> ReadFile:
    """Read one file of any kind.

    Args:
        file: A path, or ``-`` for standard input.
        kind: One of :data:`KINDS` or of another room, or a notation of questions; by default
            told by suffix and content.
        sheet: The relation sheet of facts; by default the one beside the file.
        keep_going: Skip broken records.
        on_error: Called with every problem of a record that is skipped.
        on_report: Given the report of a file of questions; its rows that are no graph are named
            there, and skipped.

    Raises:
        FormatError: Everything that is wrong in the file.
    """
    known = (*KINDS, *rooms.kinds(), *NOTATIONS)
    if kind is not None and kind not in known:
        raise FormatError(
            f"no kind {kind!r}, expected one of {', '.join(known)}{did_you_mean(kind, known)}"
        )
    path = os.fspath(file)
    with as_source(path) as source:
        kind = kind or file_kind(source)
        notation = kind if kind in NOTATIONS else None
        if notation is not None or (kind == "questions" and on_report is not None):
            return _read_notation(source, notation, keep_going, on_error, on_report)
        other = rooms.kinds().get(kind)
        read = _READERS[kind] if other is None else other.read
        reading = read(source, keep_going=keep_going, on_error=on_error)
        if kind == "questions" or other is not None:
            return ReadFile(source.name, kind, reading)
        if sheet is None and (beside := find_sheet(path)) is not None:
            sheet = read_sheet(beside)
        return ReadFile(source.name, kind, reading, sheet)


def _read_notation(
    source: TextSource,
    notation: str | None,
    keep_going: bool,
    on_error: OnError | None,
    on_report: Callable[[ImportReport], None] | None,
) -> ReadFile:
    if on_report is None:
        reading = read_questions(source, notation, keep_going=keep_going, on_error=on_error)
        return ReadFile(source.name, "questions", reading)
    report = import_questions(source, notation)
    on_report(report)
    return ReadFile(source.name, "questions", report.reading)


def _read_rdf(
    source: TextSource, *, keep_going: bool, on_error: OnError | None
) -> Reading[EvidenceRecord]:
    from graphkit.formats.rdf_facts import iter_rdf

    return collect(iter_rdf(source), keep_going=keep_going, on_error=on_error)


_READERS: dict[str, Callable[..., Reading[Any]]] = {
    "questions": read_questions,
    "evidence": read_evidence,
    "triples": read_triples,
    "rdf": _read_rdf,
}


def load_files(
    store: GraphStore,
    files: Iterable[ReadFile],
    *,
    sheet: RelationSheet | None = None,
    progress: Told | None = None,
) -> list[Loaded]:
    """Load files that were read into a store, evidence and triples before questions.

    Questions that carry ``checks`` and ``history``, as grown ones do, are taken apart: graph,
    verdicts and mutations each have their place in the store.

    Args:
        store: The store, open for writing.
        files: The files; see :func:`read_file`.
        sheet: The relation sheet, over those beside the files.
        progress: Is told (file, done, total) after each transaction.
    """
    found = list(files)
    others = rooms.kinds()
    done: dict[int, Loaded] = {}
    for name, kind in others.items():
        places = [place for place, item in enumerate(found) if item.kind == name]
        if not places:
            continue
        held = [(found[place].file, found[place].reading) for place in places]
        changes = kind.load(store, held, progress or _nobody)
        for place, (file, reading), changed in zip(places, held, changes, strict=True):
            done[place] = Loaded(file, name, len(reading), changed, reading.skipped)
    for place, item in sorted(
        enumerate(found), key=lambda pair: (pair[1].kind == "questions", pair[0])
    ):
        if place in done:
            continue
        done[place] = _load(store, item, sheet or item.sheet, progress)
    return [done[place] for place in range(len(found))]


def _nobody(file: str, done: int, total: int) -> None:
    """Tell nobody."""


def _load(
    store: GraphStore, item: ReadFile, sheet: RelationSheet | None, progress: Told | None
) -> Loaded:
    def tell(done: int, total: int) -> None:
        if progress is not None:
            progress(item.file, done, total)

    records = item.reading.records
    if item.kind == "questions":
        changed = _load_questions(store, records, tell)
    elif item.kind == "triples":
        triples: list[NamedFact] = list(records)
        changed = load_triples(store, triples, sheet, progress=tell)
    else:
        changed = load_evidence(store, records, sheet, progress=tell)
    return Loaded(item.file, item.kind, len(records), changed, item.reading.skipped)


def _load_questions(
    store: GraphStore, graphs: Iterable[QuestionGraph], progress: Callable[[int, int], None]
) -> int:
    bare: list[QuestionGraph] = []
    checks: list[tuple[QuestionGraph, Mapping[str, Any]]] = []
    histories: list[tuple[QuestionGraph, list[Mapping[str, Any]]]] = []
    for graph in graphs:
        extra = dict(graph.model_extra or {})
        check, history = extra.get("checks"), extra.get("history")
        ours = _is_check(check), _is_history(history)
        for name, known in zip(("checks", "history"), ours, strict=True):
            if known:
                del extra[name]
        plain = _with_extra(graph, extra) if any(ours) else graph
        bare.append(plain)
        if check is not None and ours[0]:
            checks.append((plain, check))
        if history is not None and ours[1]:
            histories.append((plain, history))
    changed = load_questions(store, bare, progress=progress)
    for plain, mutations in histories:
        save_history(store, plain, mutations)
    if checks:
        save_checks(store, checks)
    return changed


def _is_check(value: Any) -> bool:
    """Whether a value is a check report as ``CheckReport.to_record`` gives it."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("valid"), bool)
        and isinstance(value.get("basis"), str)
        and isinstance(value.get("profile"), dict | None)
        and all(
            isinstance(value.get(name), list | None)
            and all(isinstance(item, dict) and key in item for item in value.get(name) or ())
            for name, key in (("lint", "code"), ("shortcuts", "kind"))
        )
        and isinstance(value.get("redundant"), list | None)
    )


def _is_history(value: Any) -> bool:
    """Whether a value is a list of mutations as ``Mutation.to_record`` gives them."""
    return isinstance(value, list) and all(
        isinstance(item, dict)
        and isinstance(item.get("strategy"), str)
        and isinstance(item.get("evidence_ids", []), list)
        and all(isinstance(item.get(n), int | None) for n in ("answers_before", "answers_after"))
        for item in value
    )


def _with_extra(graph: QuestionGraph, extra: Mapping[str, Any]) -> QuestionGraph:
    fields = {name: getattr(graph, name) for name in type(graph).model_fields}
    return type(graph)(**fields, **extra)
