"""Options that several commands share, and what they open: facts, questions, the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.endings import complain
from cli.progress import Progress
from cli.state import State

if TYPE_CHECKING:
    from graphkit.errors import GraphkitError, Problem
    from graphkit.facts import FactStore
    from graphkit.question import QuestionGraph
    from graphkit.stores.base import GraphStore

__all__ = [
    "Asked",
    "as_json",
    "keep_going",
    "limit_rows",
    "no_store_yet",
    "open_facts",
    "open_questions",
    "opened_store",
    "progress",
    "takes_facts",
    "takes_questions",
    "takes_store",
]

F = TypeVar("F", bound=Callable[..., Any])

as_json = click.option("--json", "json_", is_flag=True, help="Print JSON and nothing else.")
"""``--json``."""

keep_going = click.option(
    "--keep-going", is_flag=True, help="Skip broken records, count them, and exit 1."
)
"""``--keep-going``."""


@dataclass(frozen=True)
class Asked:
    """A question graph and where it was read.

    Attributes:
        graph: The graph.
        file: The file; None for the store.
        number: Which one of the file, from 1.
        line: The line that it begins in, where that is known.
    """

    graph: QuestionGraph
    file: str | None
    number: int
    line: int | None = None

    def problems(self, error: GraphkitError) -> list[Problem]:
        """Return the problems of an error with the place of this question filled in."""
        from dataclasses import replace

        name = f"question {self.graph.id or self.number}"
        return [
            replace(
                problem,
                file=problem.file or self.file,
                line=problem.line if problem.file else self.line,
                subject=f"{name}: {problem.subject}" if problem.subject else name,
            )
            for problem in error.problems
        ]


def takes_store(command: F) -> F:
    """Give a command the option ``--store``."""
    return click.option(
        "--store",
        metavar="PATH",
        help="The graph store; else GRAPHKIT_STORE, graphkit.toml, or ./graphkit.db.",
    )(command)


def takes_facts(command: F) -> F:
    """Give a command ``--facts``, ``--relations`` and ``--store``."""
    command = takes_store(command)
    command = click.option(
        "--relations",
        metavar="FILE",
        help="The relation sheet; by default relations.toml beside the facts.",
    )(command)
    return click.option(
        "--facts",
        "facts_files",
        multiple=True,
        metavar="FILE",
        help="Facts: evidence (.jsonl), triples (.tsv, .txt) or RDF (.nt, .ttl, .trig), also "
        "with .gz; may be given again. Without it: the facts of the store.",
    )(command)


def takes_questions(command: F) -> F:
    """Give a command files of question graphs, ``--all``, ``--format`` and ``--keep-going``."""
    command = keep_going(command)
    command = click.option(
        "--format", "format_", metavar="NAME", help="The notation; by default told by the file."
    )(command)
    command = click.option(
        "--all", "all_", is_flag=True, help="Take all questions of the store instead of files."
    )(command)
    return click.argument("files", nargs=-1, metavar="[FILE]...")(command)


def progress(label: str, unit: str = "") -> Progress:
    """Return a line of progress, silent where the settings say so."""
    return Progress(label, unit, shown=State.current().settings().output.progress)


def limit_rows(rows: Sequence[Any]) -> Sequence[Any]:
    """Return as many rows as a table is to show; how many more there are is said on stderr."""
    limit = rows_of_a_table()
    tell_more_rows(len(rows) - limit)
    return rows[:limit]


def rows_of_a_table() -> int:
    """Return how many rows a table is to show at the most."""
    return State.current().settings().output.rows


def tell_more_rows(number: int) -> None:
    """Say on standard error how many rows a table leaves out, if any."""
    if number > 0:
        click.echo(
            f"note: {number:,} more rows; --json prints all, GRAPHKIT_OUTPUT_ROWS=N shows more",
            err=True,
        )


def no_store_yet(flag: str | None) -> bool:
    """Whether no store was named and there is none at the usual place."""
    settings = State.current().settings({"store": flag})
    return settings.origin("store") == "default" and not _exists(settings.store)


def _exists(place: str) -> bool:
    """Whether there is a store at a path, or the log of one whose first load was killed."""
    return "://" in place or Path(place).exists() or Path(f"{place}-wal").exists()


@contextmanager
def opened_store(flag: str | None, *, read_only: bool = False) -> Iterator[GraphStore]:
    """Open the store for a while.

    Args:
        flag: What ``--store`` said.
        read_only: Open it for reading only.

    Raises:
        InputError: It is to be read and there is none.
    """
    from graphkit.errors import InputError, Problem
    from graphkit.stores import open_store

    place = State.current().settings({"store": flag}).store
    if read_only and not _exists(place):
        raise InputError(
            Problem(
                "there is no store; graphkit load makes one, --store names another",
                code="missing_store",
                file=place,
            )
        )
    with open_store(place, read_only=read_only) as store:
        yield store


def open_facts(
    files: Sequence[str], relations: str | None, store: str | None, *, keep_going: bool = False
) -> FactStore:
    """Read the facts from files, else from the store.

    Args:
        files: What ``--facts`` said.
        relations: What ``--relations`` said.
        store: What ``--store`` said.
        keep_going: Skip broken records.

    Raises:
        InputError: There are neither.
    """
    from graphkit.errors import InputError
    from graphkit.formats import read_facts, read_sheet

    sheet = read_sheet(relations) if relations else None
    if files:
        with progress(f"reading {', '.join(files)}"):
            return read_facts(files, sheet, keep_going=keep_going, on_error=_skip)
    if no_store_yet(store):
        raise InputError(
            "no facts: name files with --facts, or load some into a store with graphkit load"
        )
    from graphkit import stores

    with opened_store(store, read_only=True) as opened, progress("reading the store"):
        facts = stores.read_facts(opened)
    return facts if sheet is None else facts.with_sheet(sheet)


def _skip(problem: Problem) -> None:
    State.current().places.add((problem.file, problem.line))
    complain(problem)


def open_questions(
    files: Sequence[str],
    store: str | None = None,
    *,
    all_: bool = False,
    format_: str | None = None,
    keep_going: bool = False,
    facts_files: Sequence[str] = (),
) -> list[Asked]:
    """Read question graphs from files, or all those of the store.

    Args:
        files: The files.
        store: What ``--store`` said.
        all_: Whether to take those of the store.
        format_: The notation.
        keep_going: Skip broken records.
        facts_files: What ``--facts`` said, to refuse standard input twice.

    Raises:
        FormatError: Everything that is wrong in all the files.
    """
    from graphkit.errors import FormatError
    from graphkit.formats import read_questions

    if all_ and files:
        raise click.UsageError("either files of questions or --all, not both")
    if [*files, *facts_files].count("-") > 1:
        raise click.UsageError('standard input ("-") can be read only once')
    if all_:
        from graphkit import stores

        with opened_store(store, read_only=True) as opened:
            graphs = stores.read_questions(opened)
        return [Asked(graph, None, number) for number, graph in enumerate(graphs, 1)]
    if not files:
        raise click.UsageError('no question graphs: name a file, "-" or --all')
    problems: list[Problem] = []
    found: list[Asked] = []
    for file in files:
        try:
            reading = read_questions(file, format_, keep_going=keep_going, on_error=complain)
        except FormatError as error:
            problems.extend(error.problems)
            continue
        State.current().skipped += reading.skipped
        name = "<stdin>" if file == "-" else file
        lines = reading.lines or (None,) * len(reading)
        found += [
            Asked(graph, name, number, line)
            for number, (graph, line) in enumerate(zip(reading, lines, strict=True), 1)
        ]
    if problems:
        raise FormatError(problems)
    return found
