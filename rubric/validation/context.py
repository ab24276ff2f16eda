"""What the static checks read, and what they report."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from typing import Any

from graphkit.errors import Problem
from rubric.facts import Fact
from rubric.inventory import Inventory
from rubric.plan import resolve
from rubric.settings import Settings
from rubric.tree import Atom, Direction, Tree

__all__ = ["Check", "Context", "Finding", "NotRun", "Rule", "Severity", "Wording"]


class Severity(StrEnum):
    """Errors block; warnings need an explicit decision."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    Attributes:
        code: The code of the rule.
        severity: Error or warning.
        subject: What it is about, for instance ``atom fc1``.
        message: Field, what is there, and what was expected.
        accepted: Whether the warning was accepted.
    """

    code: str
    severity: Severity
    subject: str
    message: str
    accepted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "subject": self.subject,
            "message": self.message,
            "accepted": self.accepted,
        }


@dataclass(frozen=True, slots=True)
class NotRun:
    """A check could not run, or not wholly; ``lacks`` says what it needs."""

    lacks: str


Check = Callable[["Context"], Iterable[tuple[Severity, str, str] | NotRun]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One named check.

    Attributes:
        code: Its stable name.
        title: What it asks.
        severity: The gravest severity of its findings.
        check: The function.
    """

    code: str
    title: str
    severity: Severity
    check: Check


@dataclass(frozen=True, slots=True)
class Wording:
    """The word lists of ``wording.toml``."""

    subjective: re.Pattern[str]
    boundaries: Mapping[str, re.Pattern[str]]
    scripts: Mapping[str, tuple[str, ...]]


@functools.cache
def default_wording() -> Wording:
    """Return the word lists that ship with the package; reads their file once."""
    text = resources.files("rubric").joinpath("validation/wording.toml").read_text("utf-8")
    data = tomllib.loads(text)
    return Wording(
        _pattern(data["subjective"]["words"]),
        {name: _pattern(words) for name, words in data["boundaries"].items()},
        {name: tuple(scripts) for name, scripts in data["scripts"].items()},
    )


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    parts = [
        rf"(?<![\w-]){re.escape(word)}(?![\w-])" if word.isascii() else re.escape(word)
        for word in words
    ]
    return re.compile("|".join(parts), re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Context:
    """A tree package under validation.

    Attributes:
        tree: The tree.
        problems: What the reader found wrong in it, if its fields are valid.
        facts: The fact library by id; nothing where there is none.
        inventory: The shared directions.
        settings: The thresholds.
        empty_report: The verdict of each machine atom on a valid report without content.
        wording: The word lists.
    """

    tree: Tree
    problems: tuple[Problem, ...]
    facts: Mapping[str, Fact] | None
    inventory: Inventory
    settings: Settings
    empty_report: Mapping[str, str] | None = None
    wording: Wording = field(default_factory=default_wording)

    @functools.cached_property
    def directions(self) -> dict[str, Direction]:
        """The directions that can be resolved."""
        return resolve(self.tree, self.inventory)

    def of_reader(self, *codes: str) -> Iterable[tuple[Severity, str, str]]:
        """Yield what the reader found under these codes, as errors."""
        for problem in self.problems:
            if problem.code in codes:
                yield Severity.ERROR, problem.subject or "tree", problem.message

    def placed(self) -> Iterable[tuple[Atom, Direction]]:
        """Yield the atoms whose direction is known, with it."""
        for atom in self.tree.atoms:
            if atom.direction in self.directions:
                yield atom, self.directions[atom.direction]
