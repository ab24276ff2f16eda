"""Writes a whole store to a folder of JSONL files, and reads it back exactly."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from graphkit.errors import FormatError, GraphError, InputError, Problem, StoreVersionError
from graphkit.evidence import EvidenceRecord
from graphkit.formats import strict_json
from graphkit.formats.writing import write_text
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.stores.base import GraphStore
from graphkit.stores.histories import read_checks, read_histories, save_checks, save_history
from graphkit.stores.loading import load_evidence, load_triples
from graphkit.stores.questions import load_questions
from graphkit.stores.reading import counts
from graphkit.stores.rooms import require_rooms, rooms
from graphkit.stores.schema import RESERVED_LABELS, SCHEMA_VERSION, package_version

__all__ = ["StoreExport", "export_store", "import_store", "read_export"]


@dataclass(frozen=True)
class StoreExport:
    """What an export holds.

    Attributes:
        sheet: The relation sheet.
        evidence: The evidence records.
        triples: Facts without evidence, by name.
        questions: The question graphs.
        histories: Question id and mutations.
        checks: Question id and verdicts.
        rooms: What other rooms read, by their names; see :mod:`graphkit.stores.rooms`.
    """

    sheet: RelationSheet | None
    evidence: tuple[EvidenceRecord, ...]
    triples: tuple[tuple[str, str, str], ...]
    questions: tuple[QuestionGraph, ...]
    histories: tuple[tuple[str, Any], ...]
    checks: tuple[tuple[str, Any], ...]
    rooms: Mapping[str, Any] = field(default_factory=dict)


_FILES = {
    "evidence.jsonl": "MATCH (n:Evidence) RETURN n.json AS json ORDER BY n.place",
    "questions.jsonl": "MATCH (n:Question) RETURN n.json AS json ORDER BY n.place",
}


def export_store(store: GraphStore, folder: str | os.PathLike[str]) -> dict[str, int]:
    """Write all that a store holds to a folder, one record a line, in the order of loading.

    The files are ``store.json`` (versions and counts), ``relations.json`` (the sheet),
    ``evidence.jsonl``, ``triples.jsonl``, ``questions.jsonl``, ``histories.jsonl`` and
    ``checks.jsonl``, and those of other rooms. What is imported into an empty store exports as
    the same bytes.

    Args:
        store: The store.
        folder: Where to write; made if it does not exist. Files of these names are replaced.

    Returns:
        How much of each kind there is; see :func:`graphkit.stores.counts`.

    Raises:
        InputError: The folder cannot be made.
        OperationError: A file cannot be written.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "is a file" if target.is_file() else error.strerror
        raise InputError(
            Problem(f"{why}, expected a folder to write to", code="folder", file=str(target))
        ) from error
    require_rooms(store, RESERVED_LABELS)
    held = counts(store)
    for room in rooms():
        room.export(store, target)
    for name, query in _FILES.items():
        rows = store.read(query, timeout=0)
        write_text(target / name, (row["json"] + "\n" for row in rows))
    write_text(target / "triples.jsonl", _triple_lines(store))
    sheet = store.read("MATCH (s:Sheet {id: 'sheet'}) RETURN s.json AS json").value()
    write_text(target / "relations.json", [f"{sheet or '{}'}\n"])
    histories = read_histories(store).items()
    write_text(
        target / "histories.jsonl",
        _lines({"question_id": key, "mutations": steps} for key, steps in histories),
    )
    checks = read_checks(store).items()
    write_text(
        target / "checks.jsonl", _lines({"question_id": k, "check": check} for k, check in checks)
    )
    about = {
        "format": "graphkit store",
        "schema_version": SCHEMA_VERSION,
        "graphkit_version": package_version(),
        "counts": held,
    }
    write_text(target / "store.json", [strict_json.dumps(about, indent=2) + "\n"])
    return held


def _lines(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        yield strict_json.dumps(record) + "\n"


def _triple_lines(store: GraphStore) -> Iterator[str]:
    for row in store.read("MATCH (b:Triples) RETURN b.json AS json ORDER BY b.place", timeout=0):
        for triple in json.loads(row["json"]):
            yield strict_json.dumps(triple) + "\n"


def import_store(store: GraphStore, source: StoreExport | str | os.PathLike[str]) -> dict[str, int]:
    """Load what :func:`export_store` wrote; into an empty store, or beside what is there.

    Args:
        store: The store, open for writing.
        source: The folder, or what :func:`read_export` read from it.

    Returns:
        How much of each kind the store holds now.

    Raises:
        FormatError: A file is missing or not what it should be, with file and line.
        StoreVersionError: Another version of the schema wrote it.
    """
    found = source if isinstance(source, StoreExport) else read_export(source)
    load_evidence(store, found.evidence, found.sheet)
    load_triples(store, found.triples)
    load_questions(store, found.questions)
    for key, mutations in found.histories:
        save_history(store, key, mutations)
    save_checks(store, found.checks)
    for room in rooms():
        if found.rooms.get(room.name) is not None:
            room.load_export(store, found.rooms[room.name])
    return counts(store)


def read_export(folder: str | os.PathLike[str]) -> StoreExport:
    """Read what :func:`export_store` wrote, without a store.

    Raises:
        FormatError: A file is missing or not what it should be, with file and line.
        StoreVersionError: Another version of the schema wrote it.
    """
    source = Path(folder)
    about = _document(source / "store.json")
    if about.get("format") != "graphkit store":
        raise FormatError(
            Problem("not the export of a store", code="format", file=str(source / "store.json"))
        )
    if about.get("schema_version") != SCHEMA_VERSION:
        raise StoreVersionError(
            f"{source}: an export with schema version {about.get('schema_version')}, "
            f"expected {SCHEMA_VERSION}"
        )
    sheet_data = _document(source / "relations.json")
    sheet = RelationSheet.from_dict(sheet_data) if sheet_data else None
    evidence = [
        _checked(EvidenceRecord, data, file, line)
        for file, line, data in _records(source / "evidence.jsonl")
    ]
    triples = []
    for file, line, data in _records(source / "triples.jsonl"):
        if not (
            isinstance(data, list) and len(data) == 3 and all(isinstance(x, str) for x in data)
        ):
            raise FormatError(
                Problem("expected [head, relation, tail]", code="triple", file=file, line=line)
            )
        triples.append((data[0], data[1], data[2]))
    graphs = [
        _checked(QuestionGraph, data, file, line)
        for file, line, data in _records(source / "questions.jsonl")
    ]
    return StoreExport(
        sheet=sheet,
        evidence=tuple(evidence),
        triples=tuple(triples),
        questions=tuple(graphs),
        histories=tuple(_entries(source / "histories.jsonl", "mutations", list)),
        checks=tuple(_entries(source / "checks.jsonl", "check", dict)),
        rooms={room.name: room.read_export(source) for room in rooms()},
    )


def _entries(path: Path, name: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Yield (question id, value) of records that belong to questions."""
    for file, line, data in _records(path):
        key = data.get("question_id") if isinstance(data, dict) else None
        value = data.get(name) if isinstance(data, dict) else None
        parts = value if isinstance(value, list) else [{}]
        if (
            not isinstance(key, str)
            or not isinstance(value, kind)
            or not all(isinstance(part, dict) for part in parts)
        ):
            raise FormatError(
                Problem(f"expected question_id and {name}", code="entry", file=file, line=line)
            )
        yield key, value


def _document(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(
            Problem("there is no such file, expected the export of a store", file=str(path))
        ) from None
    except (ValueError, RecursionError, OSError) as error:
        raise FormatError(Problem(f"cannot be read: {error}", file=str(path))) from error
    if not isinstance(data, dict):
        raise FormatError(Problem("expected a JSON object", file=str(path)))
    return data


def _records(path: Path) -> Iterator[tuple[str, int, Any]]:
    """Yield (file, line, value); unlike files of users these may hold NUL in names."""
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield str(path), number, json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise FormatError(
                        Problem(f"not JSON: {error}", code="json", file=str(path), line=number)
                    ) from None
    except FileNotFoundError:
        raise FormatError(
            Problem("there is no such file, expected the export of a store", file=str(path))
        ) from None
    except UnicodeDecodeError as error:
        raise FormatError(Problem(f"not UTF-8: {error.reason}", file=str(path))) from None


def _checked(model: Any, data: Any, file: str, line: int) -> Any:
    try:
        return model.model_validate(data)
    except GraphError as error:
        raise FormatError(problem.at(file, line) for problem in error.problems) from None
    except ValidationError as error:
        raise FormatError(
            Problem(
                f"{'.'.join(map(str, item['loc']))}: {str(item['msg']).lower()}",
                file=file,
                line=line,
            )
            for item in error.errors()
        ) from None
