"""Building a verdict table: lines are checked, interned and reconciled by key. No I/O."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphkit.errors import FormatError, Problem, did_you_mean
from rubric.errors import RubricError
from rubric.verdicts import (
    REPORT_WORDS,
    WORDS,
    CodeArray,
    Decision,
    Hygiene,
    IntArray,
    VerdictTable,
    decide,
)

__all__ = ["Columns", "Interner", "TableBuilder"]


class Interner(dict[str, int]):
    """Strings to consecutive numbers, in the order of their first appearance."""

    def __missing__(self, text: str) -> int:
        """Give a new string the next number."""
        self[text] = number = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Verdict lines of one file by column; the positions refer to the builder's interners."""

    task: IntArray
    system: IntArray
    atom: IntArray
    code: CodeArray
    reason: IntArray
    conflict: CodeArray
    line: IntArray


class TableBuilder:
    """Collects lines, file by file, and makes the table.

    Use :meth:`add` or :meth:`add_columns` for the lines of a file, then :meth:`end_file`; at the
    end :meth:`finish`.
    """

    def __init__(self) -> None:
        self.tasks = Interner()
        self.systems = Interner()
        self.atoms = Interner()
        self.reasons = Interner({"": 0})
        self.broken: list[Problem] = []
        self._rows: list[tuple[int, int, int, int, int, int, int]] = []
        self._columns: list[Columns] = []
        self._files: list[tuple[str | None, Columns]] = []
        self._file_reports: list[tuple[int, str, str, str]] = []
        self._reports: dict[tuple[str, str], tuple[str, str | None, int]] = {}
        self._lines = 0
        self._duplicates = 0
        self._conflicts = 0
        self._notes: list[Problem] = []
        self._clashes: list[Problem] = []

    def add(self, record: Any, line: int) -> None:
        """Add one line of the current file.

        Args:
            record: The parsed line.
            line: Its number.

        Raises:
            FormatError: It is not an object, or lacks a task, a system or an atom.
        """
        task, system = _identifier(record, "task_id"), _identifier(record, "system")
        word = record.get("report")
        if word is not None:
            if word not in REPORT_WORDS:
                hint = did_you_mean(word, REPORT_WORDS) if isinstance(word, str) else ""
                raise FormatError(
                    Problem(
                        f"report: {word!r} is not one of {', '.join(REPORT_WORDS)}{hint}", "report"
                    )
                )
            if record.get("atom_id") is not None:
                raise FormatError(Problem("a line has atom_id or report, not both", "report"))
            self._file_reports.append((line, task, system, word))
        else:
            atom = _identifier(record, "atom_id")
            self.add_decision(
                task, system, atom, decide(record.get("verdict"), record.get("votes")), line
            )
        self._lines += 1

    def add_decision(self, task: str, system: str, atom: str, found: Decision, line: int) -> None:
        """Add a decided line of the current file."""
        self._rows.append(
            (
                self.tasks[task],
                self.systems[system],
                self.atoms[atom],
                found.code,
                self.reasons[found.reason],
                found.conflict,
                line,
            )
        )

    def add_columns(self, columns: Columns) -> None:
        """Add decided lines of the current file by column."""
        self._columns.append(columns)
        self._lines += len(columns.code)

    def end_file(self, name: str | None) -> None:
        """Close the current file: within it the last line of a key wins."""
        parts = self._columns
        if self._rows:
            rows = np.array(self._rows, dtype=np.int64)
            parts = [
                *parts,
                Columns(
                    rows[:, 0],
                    rows[:, 1],
                    rows[:, 2],
                    rows[:, 3].astype(np.int8),
                    rows[:, 4],
                    rows[:, 5].astype(np.int8),
                    rows[:, 6],
                ),
            ]
        if parts:
            joined = _joined(parts)
            if len(parts) > 1:
                joined = _chosen(joined, np.argsort(joined.line, kind="stable"))
            self._files.append((name, joined))
        self._rows, self._columns = [], []
        self._close_reports(name)

    def _close_reports(self, name: str | None) -> None:
        last: dict[tuple[str, str], tuple[int, str]] = {}
        for line, task, system, word in self._file_reports:
            before = last.get((task, system))
            if before is not None:
                self._duplicates += 1
                if before[1] != word:
                    self._conflicts += 1
                    self._notes.append(
                        _clash(name, line, task, system, None, word, before[1], f"line {before[0]}")
                    )
            last[task, system] = (line, word)
        self._file_reports = []
        for (task, system), (line, word) in last.items():
            other = self._reports.get((task, system))
            if other is not None:
                self._duplicates += 1
                if other[0] != word:
                    self._clashes.append(
                        _clash(
                            name,
                            line,
                            task,
                            system,
                            None,
                            word,
                            other[0],
                            f"{other[1] or 'another file'}:{other[2]}",
                        )
                    )
            self._reports[task, system] = (word, name, line)

    def finish(self) -> VerdictTable:
        """Make the table.

        Raises:
            RubricError: Two files give one key different verdicts; every such key at once.
        """
        files = [columns for _, columns in self._files]
        rows = _joined(files) if files else _NOTHING
        vote_conflicts = int(np.count_nonzero(rows.conflict))
        counts = np.bincount(rows.reason, minlength=len(self.reasons)).tolist()
        reasons = {
            text: counts[place]
            for text, place in sorted(self.reasons.items())
            if text and counts[place]
        }
        keep = self._keep(rows, files)
        if self._clashes:
            raise RubricError(sorted(self._clashes, key=_by_place))
        if keep is not None:
            rows = _chosen(rows, keep)
        return VerdictTable(
            tasks=tuple(self.tasks),
            systems=tuple(self.systems),
            atoms=tuple(self.atoms),
            task=rows.task,
            system=rows.system,
            atom=rows.atom,
            code=rows.code,
            reason=rows.reason,
            reason_texts=tuple(self.reasons),
            reports={key: word for key, (word, _, _) in sorted(self._reports.items())},
            hygiene=Hygiene(
                lines=self._lines,
                duplicates=self._duplicates,
                conflicts=self._conflicts,
                vote_conflicts=vote_conflicts,
                reasons=reasons,
                broken=tuple(self.broken),
                notes=tuple(sorted(self._notes, key=_by_place)),
            ),
        )

    def _keep(self, rows: Columns, files: list[Columns]) -> IntArray | None:
        """Return the rows that stand, or nothing when no key is repeated."""
        key = (rows.task * len(self.systems) + rows.system) * len(self.atoms) + rows.atom
        if _ascending(key) or _ascending(np.sort(key)):
            return None
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(key[order]) != 0])
        ends = np.r_[starts[1:], len(order)]
        origin = np.repeat(np.arange(len(files)), [len(item.code) for item in files])
        keep = order[ends - 1].copy()
        for place in np.flatnonzero(ends - starts > 1).tolist():
            group = order[starts[place] : ends[place]].tolist()
            self._settle(rows, origin, group)
        return np.sort(keep)

    def _settle(self, rows: Columns, origin: IntArray, group: list[int]) -> None:
        """Count the repetitions of one key, and note where they disagree."""
        self._duplicates += len(group) - 1
        first = group[0]
        names = (
            _name(self.tasks, rows.task[first]),
            _name(self.systems, rows.system[first]),
            _name(self.atoms, rows.atom[first]),
        )
        standing: list[int] = []
        for row in group:
            if standing and origin[standing[-1]] == origin[row]:
                before = standing.pop()
                if rows.code[before] != rows.code[row]:
                    self._conflicts += 1
                    self._notes.append(self._row_clash(rows, origin, row, before, names))
            standing.append(row)
        self._clashes += [
            self._row_clash(rows, origin, row, standing[0], names)
            for row in standing[1:]
            if rows.code[row] != rows.code[standing[0]]
        ]

    def _row_clash(
        self, rows: Columns, origin: IntArray, row: int, before: int, names: tuple[str, str, str]
    ) -> Problem:
        name, other = self._files[int(origin[row])][0], self._files[int(origin[before])][0]
        place = (
            f"line {rows.line[before]}"
            if origin[row] == origin[before]
            else f"{other or 'another file'}:{rows.line[before]}"
        )
        return _clash(
            name,
            int(rows.line[row]),
            *names,
            WORDS[rows.code[row]],
            WORDS[rows.code[before]],
            place,
        )


_EMPTY: IntArray = np.zeros(0, dtype=np.int64)
_EMPTY8: CodeArray = np.zeros(0, dtype=np.int8)


_NOTHING = Columns(_EMPTY, _EMPTY, _EMPTY, _EMPTY8, _EMPTY, _EMPTY8, _EMPTY)


def _joined(parts: Iterable[Columns]) -> Columns:
    """Join columns in the order of their lines, parts of one file or whole files."""
    listed = list(parts)
    if len(listed) == 1:
        return listed[0]
    return Columns(
        *(np.concatenate([getattr(part, name) for part in listed]) for name in Columns.__slots__)
    )


def _ascending(key: IntArray) -> bool:
    return bool(np.all(key[1:] > key[:-1]))


def _chosen(columns: Columns, places: IntArray) -> Columns:
    return Columns(*(getattr(columns, name)[places] for name in Columns.__slots__))


def _identifier(record: Any, name: str) -> str:
    if not isinstance(record, Mapping):
        raise FormatError(Problem("expected a JSON object, a verdict line", "verdict"))
    value = record.get(name)
    if not isinstance(value, str) or not value:
        found = "missing" if value is None else f"{value!r} is not a string with content"
        raise FormatError(Problem(f"{name}: {found}", "verdict"))
    return value


def _by_place(problem: Problem) -> tuple[str, int]:
    return problem.file or "", problem.line or 0


def _name(interner: Interner, place: np.int64) -> str:
    return next(itertools.islice(interner, int(place), None))


def _clash(
    file: str | None,
    line: int,
    task: str,
    system: str,
    atom: str | None,
    word: str,
    other: str,
    place: str,
) -> Problem:
    subject = f"task {task}, system {system}" + (f", atom {atom}" if atom else "")
    return Problem(
        f"says {word}, but {place} says {other}", "verdict_conflict", file, line, subject
    )
