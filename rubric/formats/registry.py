"""The formats by name; which of them a file is; reading a file at the edge."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphkit.errors import FormatError, Problem, did_you_mean
from rubric.formats import drbench, healthbench, paperbench, table, weighted_json
from rubric.formats.source import Imported, Options, documents
from rubric.tree_reader import read_bytes

__all__ = ["FORMATS", "Format", "import_file", "import_text", "sniff"]


@dataclass(frozen=True, slots=True)
class Format:
    """An importer.

    Attributes:
        name: Its name.
        title: What it reads, for help texts.
        parse: (text, file, options) to what was read.
        matches: Whether a parsed JSON document is of this kind; None for a table.
    """

    name: str
    title: str
    parse: Callable[[str | bytes, str | None, Options | None], Imported]
    matches: Callable[[Any], bool] | None


FORMATS: dict[str, Format] = {
    item.name: item
    for item in (
        Format(
            "paperbench",
            "PaperBench task trees, plain or graded",
            paperbench.parse,
            paperbench.sniff,
        ),
        Format("drbench", "DeepResearch Bench criteria", drbench.parse, drbench.sniff),
        Format(
            "healthbench", "HealthBench-style point lists", healthbench.parse, healthbench.sniff
        ),
        Format(
            "weighted",
            "weighted trees as this package writes them",
            weighted_json.parse,
            weighted_json.sniff,
        ),
        Format("csv", "a table of criteria with weights or points", table.parse, None),
    )
}


def sniff(text: str | bytes) -> str | None:
    """Return the name of the format of a file, or None.

    Args:
        text: The content; the first JSON document that can be read decides, else the header.
    """
    problems: list[Problem] = []
    for _, document in documents(text, None, problems)[:20]:
        for item in FORMATS.values():
            if item.matches is not None and item.matches(document):
                return item.name
    plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return "csv" if table.sniff(plain) else None


def import_text(
    text: str | bytes,
    format: str | None = None,
    file: str | None = None,
    options: Options | None = None,
) -> Imported:
    """Import rubrics from text.

    Args:
        text: The content.
        format: A name of :data:`FORMATS`; default by its content.
        file: The name of the file, for messages and ids.
        options: See :class:`rubric.formats.source.Options`.

    Raises:
        FormatError: The format is unknown, or the text is not of that form at all. What is
            wrong inside is in ``problems`` of the result, each by id and reason.
    """
    name = sniff(text) if format is None else format
    if name is None:
        raise FormatError(
            Problem(
                f"is no rubric that can be imported; expected one of {', '.join(FORMATS)}",
                code="format",
                file=file,
            )
        )
    if name not in FORMATS:
        raise FormatError(
            Problem(
                f"format {name!r} is not one of {', '.join(FORMATS)}{did_you_mean(name, FORMATS)}",
                code="format",
            )
        )
    return FORMATS[name].parse(text, file, options)


def import_file(
    path: str | os.PathLike[str],
    format: str | None = None,
    options: Options | None = None,
    *,
    keep_going: bool = False,
) -> Imported:
    """Import the rubrics of a file, gzip if its name ends in ``.gz``.

    Args:
        path: The file.
        format: A name of :data:`FORMATS`; default by its content.
        options: See :class:`rubric.formats.source.Options`.
        keep_going: Return what can be read although parts cannot, with ``problems`` filled.

    Raises:
        FormatError: The file cannot be read or is of no known form; or, unless ``keep_going``,
            anything in it is wrong, all of it listed.
    """
    name = os.fspath(path)
    found = import_text(read_bytes(name), format, name, options)
    if found.problems and not keep_going:
        raise FormatError(found.problems)
    return found
