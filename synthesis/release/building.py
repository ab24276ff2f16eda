"""Builds a release: every file as bytes, then the folder, which appears whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphkit.errors import InputError, OperationError, Problem
from graphkit.evidence import EvidenceRecord
from graphkit.formats import strict_json
from graphkit.formats.writing import encode
from graphkit.question import QuestionGraph
from synthesis.release.canary import Sealer, canary_guid, canary_text, is_canary
from synthesis.release.card import data_card
from synthesis.release.content import ReleaseContent
from synthesis.release.figures import domain_figure, root_domain_figure
from synthesis.release.licences import Licence, SourceRow, source_rows
from synthesis.release.manifest import ReleaseManifest
from synthesis.release.sheets import validation_sheets
from synthesis.release.tables import release_statistics
from synthesis.spreadsheets import csv_text

__all__ = ["OPEN_KEYS", "Release", "ReleaseSettings", "build_release", "put_folder"]

OPEN_KEYS = ("id", "question", "language", "domain", "subdomain")
"""What stays readable of a sealed question."""


@dataclass(frozen=True, slots=True)
class ReleaseSettings:
    """How a release is made.

    Attributes:
        title: Its name.
        version: Its version.
        licence: The licence of the set itself.
        description: A paragraph of the user's for the data card.
        seed: Draws the questions for validation and makes the canary.
        canary: The canary GUID; by default made from the content and the seed.
        sealed: Whether answers, graphs and evidence are sealed with the canary.
        sheet_size: How many questions of each language go into the sheets for validation.
        licences: What the user says of sources, by root domain.
    """

    title: str = "Reasoning-graph questions"
    version: str = "1"
    licence: str = "unknown"
    description: str = ""
    seed: int = 0
    canary: str | None = None
    sealed: bool = False
    sheet_size: int = 0
    licences: Mapping[str, Licence] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Release:
    """A release that is built and not yet written.

    Attributes:
        files: Its files by name.
        canary: Its canary GUID.
        numbers: Its statistics.
        sources: Its sources.
    """

    files: Mapping[str, bytes]
    canary: str
    numbers: Mapping[str, Any]
    sources: tuple[SourceRow, ...]


def build_release(content: ReleaseContent, settings: ReleaseSettings | None = None) -> Release:
    """Return all files of a release; the same content and settings give the same bytes.

    Args:
        content: What is released.
        settings: How.

    Raises:
        InputError: Sheets are wanted of a sealed release, the canary is more than one word, or a
            sealed question gives its answer away in its own id.
        UnsupportedError: A text holds what UTF-8 cannot carry.
    """
    settings = settings or ReleaseSettings()
    if settings.sealed and settings.sheet_size:
        raise InputError(
            Problem(
                "sheets for validation show answers and evidence, so they are no part of a sealed "
                "release; make them apart from it",
                code="sealed",
            )
        )
    if settings.canary and not is_canary(settings.canary):
        raise InputError(
            Problem(
                f"the canary {settings.canary!r} could not be found again in its sentence, "
                "expected one word of letters, digits, _, . and -",
                code="canary",
            )
        )
    plain = _lines(graph.to_record() for graph in content.questions)
    plain += _lines(_evidence_record(record) for record in content.evidence)
    guid = settings.canary or canary_guid(plain, settings.seed)
    told = canary_text(guid)
    sources = source_rows(content, settings.licences)
    numbers = release_statistics(content, sources)
    questions = [graph.replace(canary=told) for graph in content.questions]
    records = [
        EvidenceRecord.model_validate({**_evidence_record(record), "canary": told})
        for record in content.evidence
    ]
    files: dict[str, bytes] = {}
    if settings.sealed:
        sealer = Sealer(guid)
        files["questions.jsonl"] = _lines(_sealed_question(g, sealer, told) for g in questions)
        if records:
            files["evidence.jsonl"] = _lines(
                _sealed_evidence(record, sealer, place, told)
                for place, record in enumerate(records, 1)
            )
    else:
        files["questions.jsonl"] = _lines(graph.to_record() for graph in questions)
        if records:
            files["evidence.jsonl"] = _lines(map(_evidence_record, records))
        files |= _rdf(questions, records)
    files["statistics.json"] = _document({"canary": told, **_told(numbers, settings)})
    heads = ("root_domain", "evidence", "questions", "licence", "url", "note", "canary")
    rows = [{**row.to_record(), "canary": told} for row in sources]
    files["licences.csv"] = encode(csv_text(heads, rows))
    files["domains.png"] = domain_figure(numbers["domains"], told)
    if numbers["root_domains"] is not None:
        files["root_domains.png"] = root_domain_figure(numbers["root_domains"]["counts"], told)
    if settings.sheet_size:
        sheets = validation_sheets(
            content, size=settings.sheet_size, seed=settings.seed, canary=told
        )
        files |= {f"validation/{name}": encode(text) for name, text in sheets.items()}
    names = [*files, "release.json"]
    files["README.md"] = encode(data_card(_told(numbers, settings), settings, told, names))
    files["release.json"] = _document(_manifest(files, settings, guid, content))
    return Release(files, guid, numbers, sources)


def _told(numbers: Mapping[str, Any], settings: ReleaseSettings) -> dict[str, Any]:
    """Return the numbers that a release may tell: sealed, the ids of evidence stay out."""
    if not settings.sealed:
        return dict(numbers)
    evidence = dict(numbers["evidence"])
    evidence["missing"] = [{"question": item["question"]} for item in evidence["missing"]]
    private = {"kinds": numbers["personal_data"]["kinds"]}
    return {**numbers, "evidence": evidence, "personal_data": private}


def _manifest(
    files: Mapping[str, bytes], settings: ReleaseSettings, guid: str, content: ReleaseContent
) -> dict[str, Any]:
    manifest = ReleaseManifest.of(
        files,
        guid,
        title=settings.title,
        version=settings.version,
        licence=settings.licence,
        description=settings.description,
        seed=settings.seed,
        sealed=settings.sealed,
        questions=len(content.questions),
        evidence=len(content.evidence),
    )
    return manifest.model_dump(mode="json")


def _sealed_question(graph: QuestionGraph, sealer: Sealer, canary: str) -> dict[str, Any]:
    from graphkit.lint.leak import find_leaks

    record = graph.to_record()
    name = str(graph.id)
    hidden = [n for n in (graph.answer, *graph.aliases) if n]
    if find_leaks(name.replace("-", " ").replace("_", " "), hidden):
        raise InputError(
            Problem(
                "the id holds the answer, and ids stay readable in a sealed release; rename it",
                code="sealed",
                subject=f"question {name}",
            )
        )
    kept = {key: record[key] for key in OPEN_KEYS if key in record}
    rest = {key: value for key, value in record.items() if key not in (*OPEN_KEYS, "canary")}
    return {
        **kept,
        "answer": sealer.seal(rest.pop("answer", None), f"{name}/answer"),
        "sealed": sealer.seal(rest, f"{name}/sealed"),
        "canary": canary,
    }


def _sealed_evidence(
    record: EvidenceRecord, sealer: Sealer, place: int, canary: str
) -> dict[str, Any]:
    data = _evidence_record(record)
    data.pop("canary")
    return {"sealed": sealer.seal(data, f"evidence/{place}"), "canary": canary}


def _evidence_record(record: EvidenceRecord) -> dict[str, Any]:
    return record.model_dump(mode="json", exclude_unset=True)


def _rdf(questions: list[QuestionGraph], records: list[EvidenceRecord]) -> dict[str, bytes]:
    from graphkit.facts import FactStore
    from graphkit.formats.notation import check_carries
    from graphkit.formats.rdf import TRIG
    from graphkit.formats.rdf_evidence import evidence_turtle

    check_carries(TRIG, tuple(questions))
    write = TRIG.write
    files: dict[str, bytes] = {}
    if write is not None:
        files["questions.trig"] = encode("".join(write(tuple(questions), ".trig")))
    if records:
        facts = FactStore.from_evidence(records)
        files["evidence.ttl"] = encode("".join(evidence_turtle(records, facts)))
    return files


def _lines(records: Iterable[Mapping[str, Any]]) -> bytes:
    return encode("".join(strict_json.dumps(record) + "\n" for record in records))


def _document(value: Mapping[str, Any]) -> bytes:
    return encode(strict_json.dumps(value, indent=2) + "\n")


def put_folder(
    files: Mapping[str, bytes],
    folder: str | os.PathLike[str],
    *,
    replace: bool = False,
    before: Callable[[], None] | None = None,
) -> None:
    """Write a folder that appears whole or not at all.

    All goes into a new folder beside it, which takes the name at the end. One that was there stays
    as it was until then.

    Args:
        files: Its files by name; names may have folders of their own.
        folder: Where to write; absent or empty, unless ``replace``.
        replace: Take the place of what is there: all of it goes.
        before: Called when all is written and nothing is in place yet.

    Raises:
        InputError: Something is there already, or there is no folder to put it in.
        OperationError: It cannot be written.
    """
    target = Path(os.path.abspath(folder))
    shown = os.fspath(folder)
    if target.exists() and not target.is_dir():
        raise InputError(
            Problem("is a file, expected a folder to write to", code="folder", file=shown)
        )
    if target.is_dir() and any(target.iterdir()) and not replace:
        raise InputError(
            Problem(
                "is not empty; --replace puts the release in its place, and what is there goes",
                code="folder",
                file=shown,
            )
        )
    part = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    old = target.with_name(f".{target.name[:200]}.{os.getpid()}.old")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(part, ignore_errors=True)
        for name, data in files.items():
            place = part / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        if before is not None:
            before()
        try:
            if target.exists():
                os.rename(target, old)
            os.rename(part, target)
        except BaseException:  # a signal between the two renames too
            if old.exists() and not target.exists():
                os.rename(old, target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise OperationError(
            Problem(f"cannot be written: {error.strerror or error}", code="unwritable", file=shown)
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
