"""The command ``graphkit``: which commands there are; each is loaded when it is called."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import click

from cli.endings import Terminated, run
from cli.groups import LazyGroup
from cli.state import State

__all__ = ["COMMANDS", "cli", "main"]

COMMANDS: dict[str, str] = {
    "demo": "cli.commands.demo:demo",
    "doctor": "cli.commands.doctor:doctor",
    "load": "cli.commands.load:load",
    "parse": "cli.commands.parse:parse",
    "check": "cli.commands.check:check",
    "stats": "cli.commands.stats:stats",
    "answer": "cli.commands.answer:answer",
    "query": "cli.commands.query:query",
    "compile": "cli.commands.compile:compile_",
    "convert": "cli.commands.convert:convert",
    "draw": "cli.commands.draw:draw",
    "grow": "cli.commands.grow:grow",
    "index": "cli.commands.index:index",
    "synthesize": "cli.commands.synthesize:synthesize",
    "rubric": "cli.commands.rubric:rubric",
    "export": "cli.commands.export:export",
    "import": "cli.commands.exchange:import_",
    "schema": "cli.commands.schema:schema",
}
"""Every command and where it is: ``module:name``. A new command or group is one line here."""


class Program(LazyGroup):
    """All the commands; it ends as the documents say."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and exit with its code; see ``cli.endings``."""
        if not standalone_mode or "_GRAPHKIT_COMPLETE" in os.environ:
            return super().main(args, prog_name, complete_var, standalone_mode, **extra)
        sys.exit(run(self, args, prog_name, **extra))


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib import metadata

    try:
        found = metadata.version("reasoning-graphkit")
    except metadata.PackageNotFoundError:
        found = "(from source, not installed)"
    click.echo(f"graphkit {found}")
    ctx.exit()


@click.group(
    cls=Program,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--settings",
    metavar="FILE",
    help="The settings file; by default graphkit.toml in this folder, if there is one.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context, debug: bool, settings: str | None) -> None:
    """Typed reasoning graphs for benchmarks of search agents: grow, check, store, query, draw.

    Facts come from files (--facts: evidence in JSONL, tab-separated triples, RDF) or from a store
    (--store, GRAPHKIT_STORE, by default ./graphkit.db). "-" reads standard input. --json prints
    data only; progress and messages go to standard error.

    Exit codes: 0 done; 1 something failed; 2 a mistake in what was given; 3 a check ran and found
    something; 130 or 143 interrupted; 141 the reader of a pipe
    went away.
    """
    state = ctx.ensure_object(State)
    state.debug, state.settings_file = debug, settings


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def main() -> None:
    """Run the command line of this process."""
    signal.signal(signal.SIGTERM, _terminate)
    cli.main()


if __name__ == "__main__":
    main()
