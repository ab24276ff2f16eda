"""The licences of the sources of a release, by root domain; what is not known is named unknown."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphkit.errors import FormatError, Problem, did_you_mean
from graphkit.formats.lines import open_source
from synthesis.release.content import ReleaseContent, named_evidence

__all__ = ["NO_SOURCE", "UNKNOWN", "Licence", "SourceRow", "read_licences", "source_rows"]

UNKNOWN = "unknown"
"""The licence of a source that nobody has named one for."""

NO_SOURCE = "no source"
"""Stands for the root domain of evidence without an address."""

_KEYS = ("licence", "license", "url", "note")


@dataclass(frozen=True, slots=True)
class Licence:
    """What the user says of a source.

    Attributes:
        licence: Its licence, for instance ``CC BY 4.0``.
        url: Where that is said.
        note: Anything else.
    """

    licence: str
    url: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source of a release.

    Attributes:
        root_domain: Its root domain, or :data:`NO_SOURCE`.
        evidence: How many evidence records come from it.
        questions: How many questions use one of these.
        licence: Its licence, or :data:`UNKNOWN`.
        url: Where that is said.
        note: Anything else.
    """

    root_domain: str
    evidence: int
    questions: int
    licence: str
    url: str = ""
    note: str = ""

    def to_record(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


def read_licences(path: str | os.PathLike[str]) -> dict[str, Licence]:
    """Read the licences of sources from TOML: a table a root domain, or just its licence.

    ::

        "example.org" = "CC BY 4.0"
        ["example.com"]
        licence = "all rights reserved; quoted"
        url = "https://example.com/terms"

    Raises:
        FormatError: Everything that is wrong in the file.
    """
    source = open_source(path)
    name = source.name
    try:
        data = tomllib.loads(source.text())
    except tomllib.TOMLDecodeError as error:
        raise FormatError(Problem(f"not TOML: {error}", code="toml", file=name)) from error
    found: dict[str, Licence] = {}
    problems: list[Problem] = []
    for domain, value in data.items():
        table = {"licence": value} if isinstance(value, str) else value
        if not isinstance(table, dict):
            problems.append(_wrong(name, domain, "expected a licence, or a table with one"))
            continue
        for key, text in table.items():
            if key not in _KEYS:
                known = ", ".join(_KEYS)
                problems.append(
                    _wrong(name, domain, f"{key} is not one of {known}{did_you_mean(key, _KEYS)}")
                )
            elif not isinstance(text, str):
                problems.append(_wrong(name, domain, f"{key} is not a text"))
        licence = table.get("licence", table.get("license"))
        if not isinstance(licence, str) or not licence.strip():
            problems.append(_wrong(name, domain, "has no licence"))
            continue
        found[domain.strip().casefold()] = Licence(
            licence.strip(), str(table.get("url", "")), str(table.get("note", ""))
        )
    if problems:
        raise FormatError(problems)
    return found


def _wrong(file: str, domain: str, message: str) -> Problem:
    return Problem(message, code="licence", file=file, subject=f"source {domain}")


def source_rows(
    content: ReleaseContent, licences: Mapping[str, Licence] | None = None
) -> tuple[SourceRow, ...]:
    """Return the sources of a release, those of most evidence first.

    Args:
        content: What is released.
        licences: What the user says of sources, by root domain.
    """
    known = licences or {}
    domains = {item.evidence_id: item.root_domain or NO_SOURCE for item in content.evidence}
    evidence = Counter(domains.values())
    questions = Counter(
        name
        for graph in content.questions
        for name in {domains[ident] for ident in named_evidence(graph) if ident in domains}
    )
    rows = []
    for name, count in evidence.items():
        said = known.get(name, Licence(UNKNOWN))
        rows.append(SourceRow(name, count, questions[name], said.licence, said.url, said.note))
    return tuple(sorted(rows, key=lambda row: (-row.evidence, row.root_domain)))
