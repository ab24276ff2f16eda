"""Reads validation sheets back in: agreement, shares that pass, what is still to be discussed."""

from __future__ import annotations

import math
import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphkit.errors import FormatError, Problem
from synthesis.release.sheets import CHECKS
from synthesis.spreadsheets import SheetRow, read_csv

__all__ = ["Agreement", "Disagreement", "Share", "Tally", "tally_sheets", "wilson_interval"]

_YES = frozenset({"yes", "y", "1", "true", "ok", "\u662f", "\u5bf9", "\u6b63\u786e"})
_NO = frozenset({"no", "n", "0", "false", "\u5426", "\u9519", "\u4e0d\u662f", "\u4e0d"})
_REQUIRED = ("item_id", "question_id", "check", "verdict")
_SHOWN = 60


def wilson_interval(passed: int, total: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the interval of Wilson (1927) for a share, by default at 95 %.

    Args:
        passed: How many passed.
        total: Of how many; at least one.
        z: The quantile of the normal distribution.

    >>> [round(bound, 3) for bound in wilson_interval(8, 10)]
    [0.49, 0.943]
    """
    share = passed / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    spread = (z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))) / (
        1 + z * z / total
    )
    return (
        0.0 if passed == 0 else centre - spread,
        1.0 if passed == total else centre + spread,
    )


@dataclass(frozen=True, slots=True)
class Share:
    """How many questions pass a check.

    Attributes:
        passed: How many pass.
        failed: How many fail.
        undecided: How many are not judged, or judged differently and not discussed; they count
            neither way.
    """

    passed: int
    failed: int
    undecided: int

    def to_record(self) -> dict[str, Any]:
        """Return the share of those decided, its 95 % interval, and bounds over all."""
        decided, total = self.passed + self.failed, self.passed + self.failed + self.undecided
        return {
            "passed": self.passed,
            "failed": self.failed,
            "undecided": self.undecided,
            "share": self.passed / decided if decided else None,
            "interval": list(wilson_interval(self.passed, decided)) if decided else None,
            "bounds": [self.passed / total, (self.passed + self.undecided) / total]
            if total
            else None,
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two experts agree on rows that both judged.

    Attributes:
        rows: How many rows both judged.
        same: On how many of these they say the same.
        kappa: Cohen's kappa (1960); None where it is not defined, because both say only one thing.
    """

    rows: int
    same: int
    kappa: float | None

    def to_record(self) -> dict[str, Any]:
        """Return the agreement as plain data."""
        return {
            "rows": self.rows,
            "same": self.same,
            "share": self.same / self.rows if self.rows else None,
            "kappa": self.kappa,
        }


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A row on which the experts differ, or that one of them has not judged.

    Attributes:
        item_id: The row.
        question_id: Its question.
        check: Its check.
        verdicts: What the two say; None where one says nothing.
        final: What they agreed on in discussion; None while it is open.
        about: The beginning of what is judged.
    """

    item_id: str
    question_id: str
    check: str
    verdicts: tuple[bool | None, bool | None]
    final: bool | None
    about: str

    def to_record(self) -> dict[str, Any]:
        """Return the disagreement as plain data."""
        return {
            "item_id": self.item_id,
            "question_id": self.question_id,
            "check": self.check,
            "verdicts": list(self.verdicts),
            "final": self.final,
            "about": self.about,
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """What two experts made of a release.

    Attributes:
        questions: How many questions were judged.
        languages: How many of them by language.
        shares: The share that passes each check, and ``all`` three, by name.
        evidence_rows: The share of single evidence records.
        agreement: Agreement by check, and over ``all`` rows.
        discussed: Rows on which they differed and that were discussed.
        open: Rows on which they differ, or that are not judged by both.
    """

    questions: int
    languages: Mapping[str, int]
    shares: Mapping[str, Share]
    evidence_rows: Share
    agreement: Mapping[str, Agreement]
    discussed: tuple[Disagreement, ...]
    open: tuple[Disagreement, ...]

    def to_record(self) -> dict[str, Any]:
        """Return the tally as plain data."""
        return {
            "questions": self.questions,
            "languages": dict(self.languages),
            "shares": {name: share.to_record() for name, share in self.shares.items()},
            "evidence_rows": self.evidence_rows.to_record(),
            "agreement": {name: item.to_record() for name, item in self.agreement.items()},
            "discussed": [item.to_record() for item in self.discussed],
            "open": [item.to_record() for item in self.open],
        }


def tally_sheets(
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
    discussion: str | os.PathLike[str] | None = None,
) -> Tally:
    """Read the sheets of two experts, and what came of their discussion.

    A verdict stands where both give it. Where they differ, ``after_discussion`` decides: in the
    sheet of the discussion, else in either of the two. A question passes the first check if all
    its evidence does. What is not decided is counted apart and is never a pass.

    Args:
        first: The sheet of one expert.
        second: The sheet of the other.
        discussion: The sheet of the discussion, which may have fewer rows.

    Raises:
        FormatError: A sheet has other rows than the other, a row twice, or a verdict that is
            neither yes nor no; all problems at once.
    """
    problems: list[Problem] = []
    tables = [_table(read_csv(path, _REQUIRED), problems) for path in (first, second)]
    extra: dict[str, SheetRow] = {}
    if discussion is not None:
        extra = _table(read_csv(discussion, ("item_id", "after_discussion")), problems)
    one, other = tables
    for own, others, path in ((one, other, second), (other, one, first)):
        problems += [
            _problem(
                row,
                f"item {ident} is missing in {os.fspath(path)}; both experts judge the same rows",
                code="rows",
            )
            for ident, row in own.items()
            if ident not in others
        ]
    problems += [
        _problem(row, f"item {ident} is in neither of the experts' sheets", code="rows")
        for ident, row in extra.items()
        if ident not in one and ident not in other
    ]
    judged = [
        _judged(one[ident], other[ident], extra.get(ident), problems)
        for ident in one
        if ident in other
    ]
    if problems:
        raise FormatError(problems)
    return _tally(
        judged, {row.question_id: one[row.item_id].cells.get("language", "") for row in judged}
    )


def _problem(row: SheetRow, message: str, *, code: str) -> Problem:
    """Return what is wrong with a row, at its place."""
    return Problem(message, code=code, file=row.file, line=row.line)


def _table(rows: Iterable[SheetRow], problems: list[Problem]) -> dict[str, SheetRow]:
    table: dict[str, SheetRow] = {}
    for row in rows:
        ident = row.cells["item_id"]
        before = table.setdefault(ident, row)
        if before is not row:
            problems.append(
                _problem(
                    row,
                    f"item {ident} is in line {before.line} already, expected each row once",
                    code="rows",
                )
            )
        check = row.cells.get("check", CHECKS[0])
        if check not in CHECKS:
            problems.append(
                _problem(row, f'check "{check}" is not one of {", ".join(CHECKS)}', code="check")
            )
    return table


def _verdict(row: SheetRow | None, column: str, problems: list[Problem]) -> bool | None:
    text = "" if row is None else row.cells.get(column, "")
    word = unicodedata.normalize("NFKC", text).strip().strip(".").casefold()
    if row is None or not word:
        return None
    if word in _YES or word in _NO:
        return word in _YES
    problems.append(
        _problem(
            row,
            f'{column} "{text[:_SHOWN]}" is neither yes nor no; remarks go into the column comment',
            code="verdict",
        )
    )
    return None


def _judged(
    one: SheetRow, other: SheetRow, talk: SheetRow | None, problems: list[Problem]
) -> Disagreement:
    """Return a row with both verdicts and what is final; agreement is a kind of it too."""
    verdicts = _verdict(one, "verdict", problems), _verdict(other, "verdict", problems)
    final = _verdict(talk, "after_discussion", problems)
    said = [_verdict(row, "after_discussion", problems) for row in (one, other)]
    if final is None:
        given = [item for item in said if item is not None]
        final = given[0] if given else None
        if len(set(given)) > 1:
            problems.append(
                Problem(
                    f"after_discussion differs from {other.file}:{other.line}; what was agreed on "
                    "is one verdict",
                    code="verdict",
                    file=one.file,
                    line=one.line,
                )
            )
    if verdicts[0] is not None and verdicts[0] == verdicts[1]:
        final = verdicts[0]
    about = one.cells.get("evidence" if one.cells["check"] == "evidence" else "question", "")
    short = " ".join(about.split())
    return Disagreement(
        one.cells["item_id"],
        one.cells["question_id"],
        one.cells["check"],
        verdicts,
        final,
        short if len(short) <= _SHOWN else short[: _SHOWN - 1] + "\u2026",
    )


def _tally(rows: Sequence[Disagreement], languages: Mapping[str, str]) -> Tally:
    finals: dict[str, dict[str, list[bool | None]]] = {}
    for row in rows:
        checks = finals.setdefault(row.question_id, {name: [] for name in CHECKS})
        checks[row.check].append(row.final)
    outcomes = {
        question: {name: _every(values) for name, values in checks.items()}
        for question, checks in finals.items()
    }
    shares = {name: _share(outcome[name] for outcome in outcomes.values()) for name in CHECKS}
    shares["all"] = _share(_every(list(outcome.values())) for outcome in outcomes.values())
    spoken = [languages[question] for question in finals]
    differing = [
        row for row in rows if row.verdicts[0] is None or row.verdicts[0] != row.verdicts[1]
    ]
    return Tally(
        questions=len(finals),
        languages={name: spoken.count(name) for name in sorted(set(spoken))},
        shares=shares,
        evidence_rows=_share(row.final for row in rows if row.check == "evidence"),
        agreement={
            **{name: _agreement([row for row in rows if row.check == name]) for name in CHECKS},
            "all": _agreement(rows),
        },
        discussed=tuple(row for row in differing if row.final is not None),
        open=tuple(row for row in differing if row.final is None),
    )


def _every(values: Sequence[bool | None]) -> bool | None:
    """Return whether all hold: one that does not decides, one that is open leaves it open."""
    if False in values:
        return False
    return None if None in values or not values else True


def _share(values: Iterable[bool | None]) -> Share:
    kept = list(values)
    return Share(kept.count(True), kept.count(False), kept.count(None))


def _agreement(rows: Sequence[Disagreement]) -> Agreement:
    both = [row.verdicts for row in rows if None not in row.verdicts]
    total = len(both)
    same = sum(one == other for one, other in both)
    if not total:
        return Agreement(0, 0, None)
    yes = [sum(pair[side] is True for pair in both) / total for side in (0, 1)]
    chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    kappa = (same / total - chance) / (1 - chance) if chance < 1 else None
    return Agreement(total, same, kappa)
