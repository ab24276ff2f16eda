"""The notations for question graphs: which there are, and which one a file is in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from graphkit.errors import FormatError, Problem, did_you_mean
from graphkit.formats import (
    betae,
    decompositions,
    efo,
    graphml,
    question_json,
    rdf,
    sparql_rows,
    webshaper,
    wikimultihop,
)
from graphkit.formats.lines import TextSource, as_source, plain_suffix
from graphkit.formats.notation import Notation, check_carries
from graphkit.formats.reading import OnError, Reading, Source, collect
from graphkit.formats.writing import write_text
from graphkit.question import QuestionGraph

__all__ = [
    "NOTATIONS",
    "notation",
    "notation_of",
    "parse_questions",
    "read_questions",
    "write_questions",
]

NOTATIONS: dict[str, Notation] = {
    item.name: item
    for item in (
        question_json.NOTATION,
        graphml.NOTATION,
        rdf.TURTLE,
        rdf.TRIG,
        sparql_rows.NOTATION,
        efo.NOTATION,
        betae.NOTATION,
        webshaper.NOTATION,
        wikimultihop.NOTATION,
        decompositions.NOTATION,
    )
}
"""Every notation by its name. A new one is one module with a ``NOTATION``, named here."""


def notation(name: str) -> Notation:
    """Return a notation by its name.

    Raises:
        FormatError: There is none with that name; the message lists all.
    """
    found = NOTATIONS.get(name)
    if found is None:
        raise FormatError(
            Problem(
                f'no format "{name}", expected one of {", ".join(NOTATIONS)}'
                f"{did_you_mean(name, NOTATIONS)}",
                code="unknown_format",
            )
        )
    return found


def notation_of(source: TextSource, format: str | None = None) -> Notation:
    """Return the notation of a source: as named, else by its content, else by its suffix.

    Raises:
        FormatError: It cannot be told; the message lists the notations.
    """
    if format is not None:
        return notation(format)
    suffix = plain_suffix(source.name)
    by_suffix = [item for item in NOTATIONS.values() if suffix in item.suffixes]
    if len(by_suffix) == 1:
        return by_suffix[0]
    head = source.head()
    sniffed = [item for item in by_suffix or NOTATIONS.values() if item.sniff(head)]
    if sniffed:
        return sniffed[0]
    if by_suffix:
        return by_suffix[0]
    if not head.strip():
        raise FormatError(Problem("is empty", code="empty", file=source.name))
    raise FormatError(
        Problem(
            f"cannot tell the format, expected one of {', '.join(NOTATIONS)}; name it",
            code="unknown_format",
            file=source.name,
        )
    )


def read_questions(
    source: Source,
    format: str | None = None,
    *,
    keep_going: bool = False,
    on_error: OnError | None = None,
) -> Reading[QuestionGraph]:
    """Read question graphs from a file in any notation.

    Args:
        source: A path (gzip by its suffix), ``-`` for standard input, an open source, or a JSON
            text itself (a string that begins with a bracket).
        format: The notation; by default told by suffix and content.
        keep_going: Skip broken questions, and count them in the result.
        on_error: Called with every problem of a question that is skipped.

    Returns:
        The graphs as a sequence, with the problems of those skipped.

    Raises:
        FormatError: Everything that is wrong in the file, each with its line.
    """
    if isinstance(source, str) and source.lstrip().startswith(("{", "[")):
        source = TextSource.of(source)
    with as_source(source) as opened:
        found = notation_of(opened, format)
        if found.read is None:
            readable = ", ".join(item.name for item in NOTATIONS.values() if item.read)
            raise FormatError(
                Problem(
                    f"the format {found.name} can only be written, expected one of {readable}",
                    code="write_only",
                    file=opened.name,
                )
            )
        return collect(found.read(opened), keep_going=keep_going, on_error=on_error)


def parse_questions(
    text: str, format: str | None = None, *, name: str = "<text>", keep_going: bool = False
) -> Reading[QuestionGraph]:
    """Read question graphs from a string; see :func:`read_questions`.

    >>> graphs = parse_questions('{"nodes": [{"node_id": "n0", "is_root": true}], "edges": []}')
    >>> graphs[0].root_node_id
    'n0'
    """
    return read_questions(TextSource.of(text, name), format, keep_going=keep_going)


def write_questions(
    graphs: Iterable[QuestionGraph],
    path: str | os.PathLike[str],
    format: str | None = None,
) -> tuple[Problem, ...]:
    """Write question graphs to a file, all of it or nothing; the same graphs give the same bytes.

    Args:
        graphs: The graphs.
        path: Where to write; ``-`` is standard output, the suffix ``.gz`` compresses.
        format: The notation; by default told by the suffix, JSONL for standard output.

    Returns:
        What the notation leaves behind although the question stays the same (labels, ids).

    Raises:
        UnsupportedError: The notation cannot carry what is asked; every feature is named.
        FormatError: No notation has this suffix.
    """
    graphs = tuple(graphs)
    suffix = plain_suffix(path)
    if format is None and os.fspath(path) == "-":
        format, suffix = "json", ".jsonl"
    if format is not None:
        found = notation(format)
    else:
        by_suffix = [item for item in NOTATIONS.values() if suffix in item.suffixes and item.write]
        if not by_suffix:
            known = sorted({end for item in NOTATIONS.values() for end in item.suffixes})
            raise FormatError(
                Problem(
                    f'cannot tell the format from the suffix "{suffix}", expected one of '
                    f"{', '.join(known)}, or a format named",
                    code="unknown_format",
                    file=os.fspath(path),
                )
            )
        found = by_suffix[0]
    if found.write is None:
        writable = ", ".join(item.name for item in NOTATIONS.values() if item.write)
        raise FormatError(
            Problem(
                f"the format {found.name} can only be read, expected one of {writable}",
                code="read_only",
                file=os.fspath(path),
            )
        )
    left_out = check_carries(found, graphs)
    write_text(path, found.write(graphs, suffix or found.suffixes[0]))
    return left_out
