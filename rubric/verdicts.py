"""Verdicts: what a line says, how votes decide, and the table of all lines. No I/O.

Reconciliation is strictly by atom id. A line that cannot be used as a verdict is ``skipped`` with
a reason; nothing a judge failed to decide is ever recorded as passed, failed or na.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from graphkit.errors import FormatError, Problem
from rubric.errors import RubricError

__all__ = [
    "NA",
    "NO",
    "REPORT_WORDS",
    "SKIPPED",
    "WORDS",
    "YES",
    "Decision",
    "Hygiene",
    "ReportVerdicts",
    "VerdictLine",
    "VerdictTable",
    "decide",
]

WORDS = ("yes", "no", "na", "skipped")
"""The verdict words, in the order of their codes."""
YES, NO, NA, SKIPPED = range(4)
_CODES = {word: code for code, word in enumerate(WORDS)}

REPORT_WORDS = ("missing", "unreadable", "skeleton", "readable")
"""What a line may say of a whole report; the first three score 0 in the all-task average."""

NOT_RUN = "not run"
STATED = "stated"

IntArray = npt.NDArray[np.int64]
CodeArray = npt.NDArray[np.int8]


class VerdictLine(BaseModel):
    """One line of a verdict file, as formats-and-cli.md has it; unknown keys are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    task_id: str = Field(min_length=1)
    system: str = Field(min_length=1)
    atom_id: str | None = None
    verdict: Any = None
    votes: Any = None
    rationale: Any = None
    quote: Any = None
    evaluator: Any = None
    report: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a line decides.

    Attributes:
        code: One of :data:`YES`, :data:`NO`, :data:`NA`, :data:`SKIPPED`.
        reason: Why it is skipped, or nothing.
        conflict: Whether the votes decide otherwise than the verdict beside them.
    """

    code: int
    reason: str = ""
    conflict: bool = False

    @property
    def word(self) -> str:
        """The verdict word."""
        return WORDS[self.code]


def decide(verdict: Any, votes: Any = None) -> Decision:
    """Decide a line from its verdict and its votes; the votes win, and a conflict is noted.

    Args:
        verdict: The verdict word as found, or ``None``.
        votes: A list of words as found, or ``None`` for no votes.

    Source: OmniDR-Bench, A.3 (gate criteria: three votes, majority). Ties, empty votes and
    unknown words are not stated in the paper: they are ``skipped``.

    >>> decide("yes").word, decide("no", ["yes", "no", "yes"])
    ('yes', Decision(code=0, reason='', conflict=True))
    >>> decide(None, ["yes", "no"]), decide("N/A")
    (Decision(code=3, reason='tied votes', conflict=False),
     Decision(code=3, reason="unknown word 'N/A'", conflict=False))
    """
    single = _word(verdict)
    if votes is None:
        return single
    found = _vote(votes)
    return Decision(found.code, found.reason, verdict is not None and found.code != single.code)


def _word(verdict: Any) -> Decision:
    if verdict is None:
        return Decision(SKIPPED, "no verdict")
    code = _CODES.get(verdict) if isinstance(verdict, str) else None
    if code is None:
        return Decision(SKIPPED, f"unknown word {_short(verdict)}")
    return Decision(code, STATED if code == SKIPPED else "")


def _vote(votes: Any) -> Decision:
    if not isinstance(votes, list | tuple):
        return Decision(SKIPPED, f"votes are no list: {_short(votes)}")
    if votes and all(vote == "na" for vote in votes):
        return Decision(NA)
    yes = sum(1 for vote in votes if vote == "yes")
    no = sum(1 for vote in votes if vote == "no")
    if yes != no:
        return Decision(YES if yes > no else NO)
    return Decision(SKIPPED, "tied votes" if yes else "no usable vote")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


@dataclass(frozen=True, slots=True)
class Hygiene:
    """What had to be noted while verdicts were read.

    Attributes:
        lines: Lines that hold a record.
        duplicates: Lines that say something about a key that another line says something about.
        conflicts: Duplicates within one file that say otherwise; the last line won.
        vote_conflicts: Lines whose votes decide otherwise than their verdict.
        reasons: Why lines are skipped, with counts.
        broken: Lines that could not be read and were left out.
        notes: Every conflict with its place.
    """

    lines: int = 0
    duplicates: int = 0
    conflicts: int = 0
    vote_conflicts: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    broken: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "lines": self.lines,
            "duplicates": self.duplicates,
            "conflicts": self.conflicts,
            "vote_conflicts": self.vote_conflicts,
            "reasons": dict(self.reasons),
            "broken": [str(item) for item in self.broken],
            "notes": [str(item) for item in self.notes],
        }


@dataclass(frozen=True, slots=True)
class ReportVerdicts:
    """The verdicts of one report.

    Attributes:
        codes: Code by atom id.
        reasons: Why an atom is skipped, by atom id.
        report: The word said of the whole report, if any.
    """

    codes: Mapping[str, int]
    reasons: Mapping[str, str] = field(default_factory=dict)
    report: str | None = None

    @classmethod
    def of(cls, verdicts: Mapping[str, Any]) -> ReportVerdicts:
        """Make them from verdict words by atom id; an unknown word is skipped with a reason.

        >>> ReportVerdicts.of({"a": "yes", "b": "perhaps"}).reasons
        {'b': "unknown word 'perhaps'"}
        """
        found = {atom: decide(word) for atom, word in verdicts.items()}
        return cls(
            {atom: item.code for atom, item in found.items()},
            {atom: item.reason for atom, item in found.items() if item.reason},
        )

    @property
    def has_line(self) -> bool:
        """Whether anything at all is said about the report."""
        return bool(self.codes) or self.report is not None


@dataclass(frozen=True, eq=False)
class VerdictTable:
    """All verdicts, by column: one row for each task, system and atom that a line speaks of.

    Attributes:
        tasks: Task ids; ``task`` holds positions in it.
        systems: Systems, likewise.
        atoms: Atom ids, likewise.
        task: Position of the task, by row.
        system: Position of the system, by row.
        atom: Position of the atom id, by row.
        code: Verdict code, by row.
        reason: Position in ``reason_texts``, by row; 0 is no reason.
        reason_texts: Reasons of skipped rows.
        reports: Word said of whole reports, by task and system.
        hygiene: What had to be noted.
    """

    tasks: tuple[str, ...]
    systems: tuple[str, ...]
    atoms: tuple[str, ...]
    task: IntArray
    system: IntArray
    atom: IntArray
    code: CodeArray
    reason: IntArray
    reason_texts: tuple[str, ...]
    reports: Mapping[tuple[str, str], str]
    hygiene: Hygiene

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.code)

    @classmethod
    def from_lines(cls, lines: Iterable[VerdictLine | Mapping[str, Any]]) -> VerdictTable:
        """Make a table from lines in memory, as if they stood in one file.

        Raises:
            FormatError: A line lacks a task, a system or an atom.

        >>> table = VerdictTable.from_lines([
        ...     {"task_id": "t1", "system": "A", "atom_id": "fc1", "verdict": "yes"}])
        >>> table.report("t1", "A").codes
        {'fc1': 0}
        """
        from rubric.verdict_table import TableBuilder

        builder = TableBuilder()
        problems: list[Problem] = []
        for number, item in enumerate(lines, 1):
            record = item.model_dump() if isinstance(item, VerdictLine) else item
            try:
                builder.add(record, number)
            except FormatError as error:
                problems += [problem.at(line=number) for problem in error.problems]
        if problems:
            raise FormatError(problems)
        builder.end_file(None)
        return builder.finish()

    @functools.cached_property
    def system_names(self) -> tuple[str, ...]:
        """Every system that a line speaks of, sorted."""
        return tuple(sorted(set(self.systems) | {system for _, system in self.reports}))

    @functools.cached_property
    def task_names(self) -> tuple[str, ...]:
        """Every task that a line speaks of, sorted."""
        return tuple(sorted(set(self.tasks) | {task for task, _ in self.reports}))

    @functools.cached_property
    def _rows(self) -> dict[tuple[str, str], IntArray]:
        if not len(self):
            return {}
        pair = self.task * len(self.systems) + self.system
        order = np.argsort(pair, kind="stable")
        heads = np.flatnonzero(np.r_[True, np.diff(pair[order]) != 0])
        groups = np.split(order, heads[1:])
        return {
            (self.tasks[int(self.task[rows[0]])], self.systems[int(self.system[rows[0]])]): rows
            for rows in groups
        }

    def report(self, task: str, system: str) -> ReportVerdicts:
        """Return the verdicts of one report; empty if no line speaks of it."""
        rows = self._rows.get((task, system))
        codes: dict[str, int] = {}
        reasons: dict[str, str] = {}
        if rows is not None:
            for atom, code, reason in zip(
                self.atom[rows].tolist(),
                self.code[rows].tolist(),
                self.reason[rows].tolist(),
                strict=True,
            ):
                codes[self.atoms[atom]] = code
                if reason:
                    reasons[self.atoms[atom]] = self.reason_texts[reason]
        return ReportVerdicts(codes, reasons, self.reports.get((task, system)))


def unknown_task(task: str, choices: Iterable[str]) -> RubricError:
    """Say that verdicts have no tree."""
    known = ", ".join(sorted(choices)[:5])
    return RubricError(
        Problem(
            f"no tree has this task_id; the trees are of {known}",
            "unknown_task",
            subject=f"task {task}",
        )
    )
