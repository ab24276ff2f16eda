"""Writes docs/cli.md, the help of every command: ``python -m cli.help_page``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from cli.main import cli

__all__ = ["HELP_PAGE", "help_page"]

HELP_PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
"""The page in a checkout."""

_INTRODUCTION = """\
# The command line

This page is made by `python -m cli.help_page` from the help of the commands; a test fails when it
is out of date. What files hold and which JSON the commands print is told by `graphkit schema`.

## What holds for every command
- **Facts** come from `--facts FILE` (evidence, triples or RDF, with the relation sheet
  `relations.toml` beside them or named by `--relations`; may be given again), else from the store:
  `--store PATH`, `GRAPHKIT_STORE`, `graphkit.toml`, or `./graphkit.db`.
- `-` reads standard input, or writes standard output. Names that end in `.gz` are compressed.
- `--json` prints data and nothing else on standard output: one document, or one object a line and
  question for `check`, `answer`, `compile` and `grow`. Progress, notes, warnings and errors go to
  standard error; progress is shown after a second on a terminal, else as a line every five.
- Tables show the first 50 rows (`GRAPHKIT_OUTPUT_ROWS`). `NO_COLOR` is honoured.
- An error is one line with its place: `error: questions.jsonl:17: node n3: op "projecton" is not
  one of projection, intersection, complement, union (did you mean projection?)`. All problems of
  all files are told at once, of each file the first 50 (`GRAPHKIT_OUTPUT_PROBLEMS`), the rest is
  counted. With `--keep-going` broken records are skipped and counted, and the exit code is 1.
- Output files appear whole or not at all.

| exit code | meaning |
| --- | --- |
| 0 | done, nothing found |
| 1 | something failed: the store is locked or read-only, too few questions grown, records skipped |
| 2 | a mistake in what was given: a file, a name, an option, a query |
| 3 | a check ran and found something |
| 130, 143 | interrupted (Ctrl-C) or terminated; how to go on is told |
| 141 | the reader of a pipe went away |

`check` exits 3 when lint finds an error in a question; with `--strict` also when a question is not
sound. An internal error exits 1; `graphkit --debug COMMAND` shows its traceback. When several
hold, the first of 2, 1 and 3 is given.
"""


def help_page() -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION]
    for level, names, text in _helps(cli, ("graphkit",)):
        parts.append(f"{'#' * (level + 1)} {' '.join(names)}\n```\n{text}\n```\n")
    return "\n".join(parts)


def _helps(
    command: click.Command, names: tuple[str, ...], parent: click.Context | None = None
) -> Iterator[tuple[int, tuple[str, ...], str]]:
    context = click.Context(
        command,
        info_name=names[-1],
        parent=parent,
        terminal_width=100,
        help_option_names=["-h", "--help"],
    )
    yield len(names), names, command.get_help(context).rstrip()
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _helps(inner, (*names, name), context)


def main() -> None:
    """Write the page."""
    from graphkit.formats import write_text

    target = sys.argv[1] if len(sys.argv) > 1 else HELP_PAGE
    write_text(target, [help_page()])


if __name__ == "__main__":
    main()
