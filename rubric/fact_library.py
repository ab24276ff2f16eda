"""Reading fact libraries: a fact a line, or the facts of one document; this file does I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from graphkit.errors import FormatError, GraphkitError, Problem
from rubric.facts import Fact
from rubric.inputs import Content, contents_of
from rubric.literals import is_finite_data, read_json

__all__ = ["FactLibrary", "LibraryFact", "parse_facts", "read_facts"]


@dataclass(frozen=True, slots=True)
class LibraryFact:
    """A fact of a library.

    Attributes:
        task_id: The task that it belongs to; None for every task.
        fact: The fact.
        file: Where it stands.
        line: Its line there.
    """

    task_id: str | None
    fact: Fact
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class FactLibrary:
    """The facts of one or several files, in their order."""

    facts: tuple[LibraryFact, ...]

    def of(self, task_id: str | None) -> tuple[Fact, ...]:
        """Return the facts of a task: its own and those of every task."""
        return tuple(item.fact for item in self.facts if item.task_id in (None, task_id))


def read_facts(paths: Iterable[str | Path]) -> FactLibrary:
    """Read fact libraries from files and folders, gzip by suffix.

    Raises:
        FormatError: A file cannot be read, or a fact in it is none, or is there twice; all at
            once.
    """
    return parse_facts(contents_of(paths, ("facts",)))


def parse_facts(contents: Iterable[Content]) -> FactLibrary:
    """Parse files that are in memory; see :func:`read_facts`."""
    problems: list[Problem] = []
    found: list[LibraryFact] = []
    first: dict[tuple[str | None, str], LibraryFact] = {}
    for content in contents:
        try:
            records = _records(content)
        except GraphkitError as error:
            problems += error.problems
            continue
        for line, task, data in records:
            made = _fact(data, problems, content.name, line)
            if made is None:
                continue
            own = task if task is not None else (made.model_extra or {}).get("task_id")
            if own is not None and not isinstance(own, str):
                problems.append(Problem(f"task_id: {own!r} is not a text", "fact", content.name,
                                        line, f"fact {made.fact_id}"))  # fmt: skip
                continue
            item = LibraryFact(own, made, content.name, line)
            before = first.setdefault((own, made.fact_id), item)
            if before is item:
                found.append(item)
            elif before.fact != made:
                problems.append(
                    Problem(f"says otherwise than {before.file}:{before.line or 1}",
                            "duplicate_id", content.name, line, f"fact {made.fact_id}")
                )  # fmt: skip
    if problems:
        raise FormatError(problems)
    return FactLibrary(tuple(found))


def _records(content: Content) -> list[tuple[int | None, str | None, Any]]:
    """Return (line, task, data) of every fact of a file."""
    try:
        whole = read_json(content.data, content.name)
    except FormatError:
        lines = enumerate(content.data.split(b"\n"), 1)
        return [
            (number, None, read_json(line, content.name, number))
            for number, line in lines
            if line.strip()
        ]
    if isinstance(whole, Mapping) and isinstance(whole.get("facts"), list):
        task = whole.get("task_id")
        return [(None, task if isinstance(task, str) else None, item) for item in whole["facts"]]
    return [(None, None, item) for item in (whole if isinstance(whole, list) else [whole])]


def _fact(data: Any, problems: list[Problem], file: str, line: int | None) -> Fact | None:
    try:
        if not is_finite_data(data):
            raise ValueError("holds NaN or infinity, which is not JSON")
        return Fact.model_validate(data)
    except ValidationError as error:
        name = data.get("fact_id") if isinstance(data, Mapping) else None
        problems += [
            Problem(
                ": ".join(filter(None, (".".join(map(str, item["loc"])), str(item["msg"])))),
                "fact", file, line, f"fact {name}" if isinstance(name, str) else None,
            )
            for item in error.errors()
        ]  # fmt: skip
    except ValueError as error:
        problems.append(Problem(str(error), "not_finite", file, line))
    return None
