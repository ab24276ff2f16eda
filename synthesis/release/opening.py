"""Reads a release back, sealed or plain, and opens what is sealed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphkit.errors import FormatError, InputError, Problem
from graphkit.evidence import EvidenceRecord
from graphkit.formats import strict_json
from graphkit.formats.evidence import evidence_record
from graphkit.formats.lines import open_source
from graphkit.formats.question_json import graph_from_data
from graphkit.formats.reading import Broken, Record, iter_records
from graphkit.question import QuestionGraph
from synthesis.release.building import OPEN_KEYS, Release, ReleaseSettings, build_release
from synthesis.release.canary import PREFIX, Sealer, canary_of
from synthesis.release.content import ReleaseContent, gather_content
from synthesis.release.licences import NO_SOURCE, UNKNOWN, Licence
from synthesis.release.manifest import read_manifest

__all__ = ["open_questions_file", "opened_release", "read_release"]


def read_release(
    folder: str | os.PathLike[str],
) -> tuple[ReleaseContent, ReleaseSettings]:
    """Read a release, sealed or plain, with the settings that it was made with.

    Args:
        folder: The folder of the release.

    Raises:
        FormatError: It is no release, a file is broken, or something sealed cannot be opened; all
            problems of a file at once.
    """
    place = Path(folder)
    told = place / "release.json"
    manifest = read_manifest(_document(told), str(told))
    guid = manifest.canary_guid
    graphs = open_questions_file(place / "questions.jsonl", guid)
    records: dict[str, EvidenceRecord] = {}
    if (place / "evidence.jsonl").is_file():
        for record in _evidence(place / "evidence.jsonl", guid):
            records.setdefault(record.evidence_id, record)
    settings = ReleaseSettings(
        title=manifest.title,
        version=manifest.version,
        licence=manifest.licence,
        description=manifest.description,
        seed=manifest.seed,
        canary=guid,
        sealed=manifest.sealed,
        licences=_licences(place / "statistics.json"),
    )
    return gather_content(graphs, records), settings


def opened_release(folder: str | os.PathLike[str]) -> Release:
    """Return a sealed release with nothing sealed: the files that it would have had without.

    Args:
        folder: The folder of the release; a plain one comes out as it is.

    Raises:
        FormatError: See :func:`read_release`.
    """
    content, settings = read_release(folder)
    return build_release(content, replace(settings, sealed=False))


def open_questions_file(
    path: str | os.PathLike[str], canary: str | None = None
) -> list[QuestionGraph]:
    """Read the questions of a release, and open them if they are sealed.

    Args:
        path: The file ``questions.jsonl`` of a release.
        canary: The canary GUID; by default the one that each record carries.

    Raises:
        FormatError: Everything that is wrong in the file.
    """
    problems: list[Problem] = []
    graphs: list[QuestionGraph] = []
    for item in iter_records(open_source(path), "a question of a release"):
        if isinstance(item, Broken):
            problems += item.problems
            continue
        try:
            graphs.append(graph_from_data(_opened(item, canary), item.file))
        except InputError as error:
            problems += [problem.at(item.file, item.line) for problem in error.problems]
    if problems:
        raise FormatError(problems)
    return graphs


def _opened(item: Record, canary: str | None) -> dict[str, Any]:
    data = dict(item.data)
    sealed = data.pop("sealed", None)
    if sealed is None:
        return data
    name = data.get("id")
    if not isinstance(name, str) or not isinstance(sealed, str):
        raise FormatError(Problem("a sealed question has an id and the text sealed"))
    sealer = _sealer(data, canary)
    rest = sealer.open(sealed, f"{name}/sealed")
    answer = sealer.open(str(data.get("answer")), f"{name}/answer")
    if not isinstance(rest, dict):
        raise FormatError(Problem("what is sealed is no question", subject=f"question {name}"))
    opened: dict[str, Any] = {key: data[key] for key in ("id", "question") if key in data}
    return {
        **opened,
        "answer": answer,
        **{key: data[key] for key in OPEN_KEYS if key in data and key not in opened},
        **rest,
        "canary": data.get("canary"),
    }


def _sealer(data: dict[str, Any], canary: str | None) -> Sealer:
    guid = canary or canary_of(str(data.get("canary", "")))
    if not guid:
        raise FormatError(Problem("is sealed and carries no canary to open it with", code="sealed"))
    return Sealer(guid)


def _evidence(path: Path, canary: str) -> list[EvidenceRecord]:
    problems: list[Problem] = []
    records: list[EvidenceRecord] = []
    for item in iter_records(open_source(path), "an evidence record"):
        if isinstance(item, Broken):
            problems += item.problems
            continue
        sealed = item.data.get("sealed")
        try:
            if isinstance(sealed, str) and sealed.startswith(PREFIX):
                data = _sealer(item.data, canary).open(sealed, f"evidence/{item.place}")
                item = Record(data, item.file, item.line, item.place)
            found = evidence_record(item)
        except InputError as error:
            problems += [problem.at(item.file, item.line) for problem in error.problems]
            continue
        if isinstance(found, Broken):
            problems += found.problems
        else:
            records.append(found)
    if problems:
        raise FormatError(problems)
    return records


def _document(path: Path) -> dict[str, Any]:
    source = open_source(path)
    data = strict_json.parse(source.text(), str(path))
    if not isinstance(data, dict):
        raise FormatError(Problem("expected a JSON object", code="format", file=str(path)))
    return data


def _licences(path: Path) -> dict[str, Licence]:
    rows = _document(path).get("sources") if path.is_file() else None
    return {
        row["root_domain"]: Licence(
            row["licence"], str(row.get("url", "")), str(row.get("note", ""))
        )
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
        and isinstance(row.get("root_domain"), str)
        and isinstance(row.get("licence"), str)
        and row["root_domain"] != NO_SOURCE
        and row["licence"] != UNKNOWN
    }
