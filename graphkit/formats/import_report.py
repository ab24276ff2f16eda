"""Imports a set of questions in any notation: every row is a graph, or is named with its reason."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from graphkit.errors import FormatError, Problem
from graphkit.formats.lines import as_source
from graphkit.formats.reading import Broken, Placed, Reading, Source
from graphkit.formats.registry import notation_of
from graphkit.question import QuestionGraph

__all__ = ["Diagnostic", "ImportReport", "import_questions", "report_text"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A row that is no graph.

    Attributes:
        row: Its id, else its number in the file.
        problems: What is in its way; the first gives the reason.
    """

    row: str
    problems: tuple[Problem, ...]

    @property
    def reason(self) -> str:
        """One stable word."""
        return self.problems[0].code

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        first = self.problems[0]
        return {
            "row": self.row,
            "file": first.file,
            "line": first.line,
            "reason": self.reason,
            "messages": [problem.message for problem in self.problems],
            "places": [_place(problem) for problem in self.problems],
        }


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of the rows of a file.

    Attributes:
        file: The file.
        notation: The notation that it was read as.
        graphs: The rows that are graphs, in their order.
        diagnostics: The rows that are not.
    """

    file: str
    notation: str
    graphs: tuple[QuestionGraph, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def rows(self) -> int:
        """How many rows the file holds."""
        return len(self.graphs) + len(self.diagnostics)

    @property
    def reasons(self) -> dict[str, int]:
        """How many rows were refused for each reason, the most frequent first."""
        counts = Counter(item.reason for item in self.diagnostics)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))

    @property
    def reading(self) -> Reading[QuestionGraph]:
        """The graphs with the problems of the rows that were refused."""
        problems = tuple(problem for item in self.diagnostics for problem in item.problems)
        return Reading(self.graphs, problems, len(self.diagnostics))

    @property
    def summary(self) -> str:
        """One line: how many rows became graphs, and why others did not."""
        text = f"{self.file}: {len(self.graphs):,} of {self.rows:,} rows are question graphs"
        if self.reasons:
            told = ", ".join(f"{reason} {count:,}" for reason, count in self.reasons.items())
            text += f"; refused: {told}"
        return text

    def to_record(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "file": self.file,
            "format": self.notation,
            "rows": self.rows,
            "graphs": len(self.graphs),
            "refused": len(self.diagnostics),
            "reasons": self.reasons,
            "diagnostics": [item.to_record() for item in self.diagnostics],
        }


def import_questions(source: Source, format: str | None = None) -> ImportReport:
    """Read a set of questions; rows that are no graph are named, and the others go on.

    Args:
        source: A path (gzip by its suffix), ``-`` for standard input, or an open source.
        format: The notation; by default told by suffix and content.

    Raises:
        FormatError: The file as a whole cannot be read, or only be written in this notation.

    >>> from graphkit.formats.lines import TextSource
    >>> rows = '''{"id": "a", "formula": "(p,(capital),(e,France))"}
    ... {"id": "b", "formula": "r(s,e1)&q(e1,f)&t(e1,f)"}'''
    >>> report = import_questions(TextSource.of(rows), "efo")
    >>> len(report.graphs), report.reasons, report.diagnostics[0].row
    (1, {'cyclic': 1}, 'b')
    """
    graphs: list[QuestionGraph] = []
    diagnostics: list[Diagnostic] = []
    with as_source(source) as opened:
        found = notation_of(opened, format)
        if found.read is None:
            raise FormatError(
                Problem(
                    f"the format {found.name} can only be written",
                    code="write_only",
                    file=opened.name,
                )
            )
        for place, item in enumerate(found.read(opened), 1):
            if isinstance(item, Broken):
                diagnostics.append(Diagnostic(_row(item.problems, place), item.problems))
            else:
                graphs.append(item.record if isinstance(item, Placed) else item)
        return ImportReport(opened.name, found.name, tuple(graphs), tuple(diagnostics))


def _row(problems: Iterable[Problem], place: int) -> str:
    """The id of a row, as its problems tell it."""
    for problem in problems:
        for kind in ("row ", "question "):
            if problem.subject is not None and problem.subject.startswith(kind):
                return problem.subject.removeprefix(kind).split(", ", 1)[0]
    return str(place)


def _place(problem: Problem) -> str | None:
    """Where in its row a problem stands."""
    subject = problem.subject or ""
    if subject.startswith("row "):
        subject = subject.partition(", ")[2]
    return subject or None


def report_text(reports: Iterable[ImportReport]) -> str:
    """Return the reports of several files as one JSON document."""
    records = [report.to_record() for report in reports]
    total: Counter[str] = Counter()
    for report in records:
        total.update(report["reasons"])
    document = {
        "rows": sum(record["rows"] for record in records),
        "graphs": sum(record["graphs"] for record in records),
        "refused": sum(record["refused"] for record in records),
        "reasons": dict(sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))),
        "files": records,
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
