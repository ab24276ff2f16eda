"""The errors that graphkit raises, and the problems that they carry.

::

    GraphkitError                  every error of the toolkit
    ├── InputError                 the user's mistake: exit code 2
    │   ├── FormatError            a file cannot be read as what it should be
    │   ├── GraphError             a question graph breaks a structural rule
    │   ├── SheetError             a relation sheet is wrong
    │   ├── GroundingError         a name or a relation is not in the fact store
    │   ├── UnsafeGraphError       the answers are a complement of something
    │   ├── UnsupportedError       a notation or an engine cannot carry this
    │   ├── MutationError          a mutation does not fit the graph
    │   ├── SettingsError          a setting has no such name or value
    │   └── QueryError             a query is wrong, or not allowed as it stands
    └── OperationError             something failed: exit code 1
        ├── StoreError             the graph store cannot be used
        │   ├── StoreLockedError   somebody else has it open
        │   ├── StoreReadOnlyError it cannot be written
        │   └── StoreVersionError  it was written by another version
        ├── ExchangeLogError       the log of outside calls cannot be used
        ├── JournalError           the journal of a run cannot be used
        ├── BudgetError            the next call would cost more than is allowed
        ├── ModelError             a language model gave nothing that can be used
        │   ├── ModelAccessError   no key, a wrong key, no such model, a refused request
        │   ├── ModelServerError   the server did not answer, however often it was asked
        │   └── ModelReplyError    its replies are not what was asked for
        │       ├── ModelRefusalError     it refused
        │       ├── ModelEmptyError       it said nothing
        │       ├── ModelLengthError      its reply was cut off at the limit of tokens
        │       └── ModelRepetitionError  it repeated itself without end
        └── DependencyError        an optional package is missing
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace

__all__ = [
    "BudgetError",
    "DependencyError",
    "ExchangeLogError",
    "FormatError",
    "GraphError",
    "GraphkitError",
    "GroundingError",
    "InputError",
    "JournalError",
    "ModelAccessError",
    "ModelEmptyError",
    "ModelError",
    "ModelLengthError",
    "ModelRefusalError",
    "ModelRepetitionError",
    "ModelReplyError",
    "ModelServerError",
    "MutationError",
    "OperationError",
    "Problem",
    "QueryError",
    "SettingsError",
    "SheetError",
    "StoreError",
    "StoreLockedError",
    "StoreReadOnlyError",
    "StoreVersionError",
    "UnsafeGraphError",
    "UnsupportedError",
    "did_you_mean",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: the place, what is there, and what was expected.

    Attributes:
        message: What is wrong and what was expected, without a final full stop.
        code: A stable word for programs, for instance ``cycle``.
        file: The file it stands in, if any.
        line: The line in that file, from 1.
        subject: The thing concerned, for instance ``node n3``.

    >>> str(Problem("op is missing", file="q.jsonl", line=17, subject="edge e2"))
    'q.jsonl:17: edge e2: op is missing'
    """

    message: str
    code: str = "invalid"
    file: str | None = None
    line: int | None = None
    subject: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        return ": ".join(part for part in (place, self.subject, self.message) if part)

    def at(self, file: str | None = None, line: int | None = None) -> Problem:
        """Return the same problem with its place filled in where it had none."""
        return replace(self, file=self.file or file, line=self.line or line)


class GraphkitError(Exception):
    """Any error of the toolkit.

    Attributes:
        problems: What is wrong, one entry a thing.
        exit_code: How a command that meets this error ends.
    """

    exit_code = 1

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = (Problem(problems),)
        elif isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def at(self, file: str | None = None, line: int | None = None) -> GraphkitError:
        """Return the same error with file and line filled in where they were missing."""
        return type(self)(problem.at(file, line) for problem in self.problems)


class InputError(GraphkitError):
    """The user's mistake; a command ends with exit code 2."""

    exit_code = 2


class FormatError(InputError):
    """A file or a text is not what it should be."""


class GraphError(InputError):
    """A question graph breaks a structural rule."""


class SheetError(InputError):
    """A relation sheet is wrong."""


class GroundingError(InputError):
    """Names or relations of a question graph are not in the fact store."""


class UnsafeGraphError(InputError):
    """The answers of a graph are the complement of a set: everything else in the universe."""


class UnsupportedError(InputError):
    """A notation or an engine cannot carry what it was given; the message names it."""


class MutationError(InputError):
    """A mutation does not fit the graph that it should change."""


class SettingsError(InputError):
    """A setting has no such name or value."""


class QueryError(InputError):
    """A query over the store is wrong, or not allowed as it stands."""


class OperationError(GraphkitError):
    """Something failed that the input is not to blame for; exit code 1."""


class StoreError(OperationError):
    """The graph store cannot be used."""


class StoreLockedError(StoreError):
    """Another process has the store open for writing."""


class StoreReadOnlyError(StoreError):
    """The store cannot be written."""


class StoreVersionError(StoreError):
    """The store was written by another version of its schema or engine."""


class ExchangeLogError(OperationError):
    """The log of outside calls cannot be used: locked, damaged, or of another run."""


class JournalError(OperationError):
    """The journal of a run cannot be used: damaged, of another run, or no longer what happens."""


class BudgetError(OperationError):
    """The next call would cost more tokens, money, calls or time than is allowed."""


class ModelError(OperationError):
    """A language model gave nothing that can be used."""


class ModelAccessError(ModelError):
    """A model cannot be asked at all: no key, a wrong key, no such model, a refused request."""


class ModelServerError(ModelError):
    """A model server did not answer, or not with an answer, however often it was asked."""


class ModelReplyError(ModelError):
    """The replies of a model are not what was asked for, after it was shown its errors."""


class ModelRefusalError(ModelReplyError):
    """A model refused, or a filter of its server held its reply back."""


class ModelEmptyError(ModelReplyError):
    """A model said nothing."""


class ModelLengthError(ModelReplyError):
    """The reply of a model was cut off at the limit of tokens."""


class ModelRepetitionError(ModelReplyError):
    """A model repeated itself until its reply was cut off."""


class DependencyError(OperationError):
    """An optional package is missing; the message says how to install it."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return `` (did you mean X?)`` for the closest choice, or nothing.

    >>> did_you_mean("projecton", ["projection", "complement"])
    ' (did you mean projection?)'
    >>> did_you_mean("xyz", ["projection", "complement"])
    ''
    """
    close = difflib.get_close_matches(word, list(choices), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""
