"""Reads facts of any kind of file, several merged, with the relation sheet beside them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from graphkit.errors import FormatError, InputError, Problem, SheetError
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore, NamedFact
from graphkit.formats.evidence import iter_evidence
from graphkit.formats.lines import TextSource, as_source, open_source, plain_suffix
from graphkit.formats.reading import Broken, OnError, Reading, Source, collect
from graphkit.formats.triples import iter_triples
from graphkit.relations import RelationSheet

__all__ = ["FACT_FORMATS", "SHEET_NAME", "fact_format", "find_sheet", "read_facts", "read_sheet"]

SHEET_NAME = "relations.toml"
"""The name of a relation sheet beside its facts."""

FACT_FORMATS = {
    "evidence": (".jsonl", ".json", ".ndjson"),
    "triples": (".tsv", ".txt", ".tab"),
    "rdf": (".nt", ".ttl", ".trig"),
}
"""Kinds of fact files and their suffixes."""


def fact_format(source: TextSource) -> str:
    """Return the kind of a fact file: ``evidence``, ``triples`` or ``rdf``.

    Raises:
        FormatError: It cannot be told from suffix and content.
    """
    suffix = plain_suffix(source.name)
    for kind, suffixes in FACT_FORMATS.items():
        if suffix in suffixes:
            return kind
    head = source.head().lstrip()
    if head.startswith(("{", "[")):
        return "evidence"
    if head.split("\n", 1)[0].count("\t") == 2:
        return "triples"
    if head.startswith(("@prefix", "@base", "<", "_:")) or head[:6].upper() == "PREFIX":
        return "rdf"
    if not head:
        raise FormatError(Problem("is empty: no facts", code="empty", file=source.name))
    raise FormatError(
        Problem(
            "cannot tell what facts these are, expected evidence (.jsonl), tab-separated head, "
            "relation, tail (.tsv, .txt) or RDF (.nt, .ttl, .trig)",
            code="unknown_format",
            file=source.name,
        )
    )


def read_sheet(path: str | os.PathLike[str]) -> RelationSheet:
    """Read a relation sheet.

    Raises:
        FormatError: There is no such file, or it is not UTF-8.
        SheetError: It says what no sheet can say; all problems at once.
    """
    with open_source(path) as source:
        return RelationSheet.parse(source.text(), source.name)


def find_sheet(path: str | os.PathLike[str]) -> Path | None:
    """Return the relation sheet beside a fact file, if there is one."""
    if os.fspath(path) == "-":
        return None
    sheet = Path(path).parent / SHEET_NAME
    return sheet if sheet.is_file() else None


def read_facts(
    paths: Source | Iterable[Source],
    sheet: RelationSheet | str | os.PathLike[str] | None = None,
    *,
    keep_going: bool = False,
    on_error: OnError | None = None,
) -> FactStore:
    """Read one or several files of facts into one store.

    Triples alone become facts without evidence. Together with evidence or RDF each triple is
    given a record named after its file and line, so that nothing of its origin is lost.

    Args:
        paths: Evidence (JSONL), triples (tab-separated) or RDF, each also with gzip.
        sheet: The relation sheet or its path; by default the ``relations.toml`` beside the files.
        keep_going: Skip broken records.
        on_error: Called with every problem of a record that is skipped.

    Raises:
        FormatError: Everything that is wrong in all the files.
        SheetError: The relation sheet is wrong, or two sheets contradict each other.
        InputError: Two files give the same id to different records, or no file was given.
    """
    if isinstance(paths, str | os.PathLike | TextSource):
        paths = [paths]
    sources = list(paths)
    if not sources:
        raise InputError("no file of facts was given")
    if not isinstance(sheet, RelationSheet):
        sheet = read_sheet(sheet) if sheet is not None else _sheets_beside(sources)
    problems: list[Problem] = []
    parts: list[Reading[NamedFact | EvidenceRecord]] = []
    with contextlib.ExitStack() as stack:
        opened: list[tuple[TextSource, str]] = []
        for source in sources:
            try:
                text = stack.enter_context(as_source(source))
                opened.append((text, fact_format(text)))
            except FormatError as error:
                problems.extend(error.problems)
        plain = all(kind == "triples" for _, kind in opened)
        for text, kind in opened:
            items = _READERS[kind](text, plain)
            try:
                parts.append(collect(items, keep_going=keep_going, on_error=on_error))
            except FormatError as error:
                problems.extend(error.problems)
    if problems:
        raise FormatError(problems)
    everything = (item for part in parts for item in part)
    if plain:
        return FactStore.from_triples(
            (item for item in everything if isinstance(item, NamedFact)), sheet
        )
    return FactStore.from_evidence(
        (item for item in everything if isinstance(item, EvidenceRecord)), sheet
    )


_Items = Iterator[NamedFact | EvidenceRecord | Broken]


def _evidence(source: TextSource, plain: bool) -> _Items:
    yield from iter_evidence(source)


def _rdf(source: TextSource, plain: bool) -> _Items:
    from graphkit.formats.rdf_facts import iter_rdf

    yield from iter_rdf(source)


def _triples(source: TextSource, plain: bool) -> _Items:
    for line, fact in iter_triples(source):
        if plain or isinstance(fact, Broken):
            yield fact
        else:
            yield EvidenceRecord(
                evidence_id=f"{source.name}:{line}",
                head_entity=fact.head,
                relation=fact.relation,
                tail_entity=fact.tail,
            )


_READERS: dict[str, Callable[[TextSource, bool], _Items]] = {
    "evidence": _evidence,
    "triples": _triples,
    "rdf": _rdf,
}


def _sheets_beside(sources: Iterable[Source]) -> RelationSheet:
    merged: RelationSheet | None = None
    merged_from: Path | None = None
    for source in sources:
        path = find_sheet(source.name if isinstance(source, TextSource) else source)
        if path is None or path == merged_from:
            continue
        sheet = read_sheet(path)
        if merged is None or merged == sheet:
            merged, merged_from = sheet, path
        else:
            merged = _merge(merged, sheet, str(merged_from), str(path))
    return merged or RelationSheet()


def _merge(left: RelationSheet, right: RelationSheet, first: str, second: str) -> RelationSheet:
    data: dict[str, dict[str, object]] = {}
    problems: list[Problem] = []
    for part in ("meta", "types", "relations", "articles"):
        one, other = getattr(left, part), getattr(right, part)
        for name in one.keys() & other.keys() if part in ("types", "relations") else ():
            if one[name] != other[name]:
                problems.append(
                    Problem(
                        f"{first} says something else about it, expected one sheet",
                        code="two_sheets",
                        file=second,
                        subject=f"{part.removesuffix('s')} {name}",
                    )
                )
        data[part] = {**one, **other}
    if problems:
        raise SheetError(sorted(problems, key=str))
    return RelationSheet.model_validate(data)
