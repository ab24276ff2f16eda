"""Reader of facts as tab-separated head, relation, tail."""

from __future__ import annotations

from collections.abc import Iterator

from graphkit.errors import FormatError, Problem
from graphkit.evidence import nfc
from graphkit.facts import NamedFact
from graphkit.formats.lines import as_source
from graphkit.formats.reading import Broken, OnError, Reading, Source, collect

__all__ = ["iter_triples", "read_triples"]

_COLUMNS = ("head", "relation", "tail")


def read_triples(
    source: Source, *, keep_going: bool = False, on_error: OnError | None = None
) -> Reading[NamedFact]:
    """Read facts, one a line: head, relation and tail between tabs.

    A first line that says just ``head``, ``relation``, ``tail`` is a heading. Blank lines are
    passed over; there are no comments, as a name may begin with any character.

    Args:
        source: A path (gzip by its suffix), ``-`` for standard input, or an open source.
        keep_going: Skip broken lines, and count them.
        on_error: Called with the problem of every line that is skipped.

    Raises:
        FormatError: Everything that is wrong in the file, each with its line; or no facts.
    """
    return collect(
        (item for _, item in iter_triples(source)), keep_going=keep_going, on_error=on_error
    )


def iter_triples(source: Source) -> Iterator[tuple[int, NamedFact | Broken]]:
    """Yield (line number, fact) for every line, a broken one as :class:`Broken`.

    Raises:
        FormatError: The file as a whole cannot be read, or holds only a heading.
    """
    with as_source(source) as opened:
        started = empty = False
        for line in opened.lines():
            if isinstance(line, Problem):
                yield line.line or 0, Broken((line,))
                continue
            columns = line.text.split("\t")
            if len(columns) == 3:
                head, relation, tail = columns
                fact = NamedFact(nfc(head), nfc(relation), nfc(tail))
                if not started:
                    started = True
                    if tuple(part.casefold() for part in fact) == _COLUMNS:
                        empty = True
                        continue
                empty = False
                if all(fact):
                    yield line.number, fact
                    continue
            elif not line.text.strip():
                continue
            started, empty = True, False
            yield line.number, Broken((_problem(columns, opened.name, line.number),))
        if empty:
            raise FormatError(
                Problem("only a heading, expected facts below it", code="empty", file=opened.name)
            )


def _problem(columns: list[str], file: str, line: int) -> Problem:
    if len(columns) == 3:
        blank = next(name for name, text in zip(_COLUMNS, columns, strict=True) if not text.strip())
        return Problem(f"the {blank} is blank, expected a name", code="blank", file=file, line=line)
    hint = "; columns are separated by tabs, not spaces" if len(columns) == 1 else ""
    return Problem(
        f"{len(columns)} column{'s' if len(columns) > 1 else ''}, expected 3: "
        f"head, relation, tail{hint}",
        code="columns",
        file=file,
        line=line,
    )
