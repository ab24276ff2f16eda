"""Reader and writer of evidence in JSONL: the contract of EvoBrowseComp, A.2."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from graphkit.errors import FormatError, Problem
from graphkit.evidence import EvidenceRecord
from graphkit.formats import strict_json
from graphkit.formats.fields import Fields
from graphkit.formats.reading import (
    Broken,
    OnError,
    Reading,
    Record,
    Source,
    collect,
    iter_records,
    kind_of,
)
from graphkit.formats.writing import write_text

__all__ = ["evidence_record", "evidence_text", "iter_evidence", "read_evidence", "write_evidence"]

_KEYS = tuple(EvidenceRecord.model_fields)
_REQUIRED = ("evidence_id", "head_entity", "relation", "tail_entity")
_NULLABLE = tuple(
    name for name, field in EvidenceRecord.model_fields.items() if field.default is None
)


def read_evidence(
    source: Source, *, keep_going: bool = False, on_error: OnError | None = None
) -> Reading[EvidenceRecord]:
    """Read evidence records from JSONL (or a JSON array).

    Args:
        source: A path (gzip by its suffix), ``-`` for standard input, or an open source.
        keep_going: Skip broken records, and count them.
        on_error: Called with every problem of a record that is skipped.

    Raises:
        FormatError: Everything that is wrong in the file, each with its line; or it holds no
            evidence at all.
    """
    return collect(iter_evidence(source), keep_going=keep_going, on_error=on_error)


def iter_evidence(source: Source) -> Iterator[EvidenceRecord | Broken]:
    """Yield the records of a file one by one, the broken ones as :class:`Broken`."""
    seen: dict[str, tuple[EvidenceRecord, int]] = {}
    try:
        for item in iter_records(source, "an evidence record"):
            if isinstance(item, Broken):
                yield item
                continue
            record = evidence_record(item)
            if isinstance(record, Broken):
                yield record
                continue
            before, line = seen.setdefault(record.evidence_id, (record, item.line))
            if before is record:
                yield record
            elif before != record:
                yield Broken(
                    (
                        Problem(
                            f"the id is used for another record in line {line} already, "
                            "expected each id once",
                            code="duplicate_id",
                            file=item.file,
                            line=item.line,
                            subject=f"evidence {record.evidence_id}",
                        ),
                    )
                )
    except FormatError as error:
        if error.problems[0].code == "empty":
            problem = error.problems[0]
            raise FormatError(
                Problem(
                    f"{problem.message}: an evidence file without facts; expected evidence "
                    "records, one JSON object a line",
                    code="empty",
                    file=problem.file,
                )
            ) from None
        raise


def evidence_record(item: Record) -> EvidenceRecord | Broken:
    """Return an evidence record from plain data, or everything that is wrong with it."""
    try:
        if isinstance(item.data.get("is_fresh_knowledge", False), bool):
            return EvidenceRecord.model_validate(item.data)
        error: ValidationError | None = None
    except ValidationError as found:
        error = found
    return Broken(tuple(_problems(item, error)))


def _problems(item: Record, error: ValidationError | None) -> list[Problem]:
    """Say in our words what is wrong with a record that is known to be broken."""
    ident = item.data.get("evidence_id")
    subject = f"evidence {ident}" if isinstance(ident, str) and ident else None
    problems: list[Problem] = []
    if "nodes" in item.data and "edges" in item.data:
        return [
            Problem(
                "this is a question graph, expected an evidence record",
                code="kind",
                file=item.file,
                line=item.line,
            )
        ]
    fields = Fields(item, item.data, (), subject, problems, _KEYS)
    for key in _REQUIRED:
        fields.text(key, required=True, filled=True)
    for key in ("evidence_text", "source_url"):
        fields.text(key)
    for key in _NULLABLE:
        fields.text(key, nullable=True)
    fields.flag("is_fresh_knowledge")
    aliases = item.data.get("aliases", {})
    if not isinstance(aliases, dict):
        fields.complain(
            f"aliases is {kind_of(aliases)}, expected an object from names to lists of names",
            "type",
            "aliases",
        )
    else:
        for name, others in aliases.items():
            if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
                fields.complain(
                    f"aliases of {name!r}: {kind_of(others)}, expected a list of strings",
                    "type",
                    "aliases",
                    name,
                )
    if not problems:
        for entry in error.errors() if error else ():
            path = tuple(part for part in entry["loc"])
            fields.complain(
                f"{strict_json.name_of(path)}: {str(entry['msg']).lower()}", "type", *path
            )
    return problems


def evidence_text(records: Iterable[EvidenceRecord]) -> Iterator[str]:
    """Yield the lines of an evidence file; keys that were not set are left out."""
    for record in records:
        yield strict_json.dumps(record.model_dump(mode="json", exclude_unset=True)) + "\n"


def write_evidence(records: Iterable[EvidenceRecord], path: str | os.PathLike[str]) -> None:
    """Write evidence records as JSONL, atomically; gzip by the suffix."""
    write_text(path, evidence_text(records))
