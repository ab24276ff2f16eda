"""How a command ends: one line for each problem, the exit code, never a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import click

from cli.render import visible
from cli.state import State
from graphkit.errors import GraphkitError, Problem

__all__ = ["CLOSED_PIPE", "FAILED", "FOUND", "INTERRUPTED", "MISTAKE"]
__all__ += ["TERMINATED", "Terminated", "complain", "finish", "note", "run"]

FAILED, MISTAKE, FOUND = 1, 2, 3
"""Exit codes beside 0."""

INTERRUPTED, CLOSED_PIPE, TERMINATED = 130, 141, 143
"""Exit codes as a shell gives them for SIGINT, SIGPIPE and SIGTERM."""

_PROBLEMS = 50


class Terminated(BaseException):
    """The process was told to end; it unwinds as for an interrupt."""


def complain(problem: Problem | str) -> None:
    """Print one problem on standard error, in one line."""
    click.echo(f"error: {visible(str(problem))}", err=True)


def note(text: str) -> None:
    """Print a remark on standard error."""
    click.echo(f"note: {visible(text)}", err=True)


def finish(*, found: bool = False) -> None:
    """End a command that did its work: 1 when records were skipped, 3 when a check found something.

    Args:
        found: Whether a check found something.
    """
    context = click.get_current_context()
    state = State.current()
    skipped = state.skipped + len(state.places)
    if skipped:
        note(f"{skipped} broken record{' was' if skipped == 1 else 's were'} skipped")
        context.exit(FAILED)
    context.exit(FOUND if found else 0)


def run(
    group: click.Group,
    args: Sequence[str] | None = None,
    prog_name: str | None = None,
    **extra: Any,
) -> int:
    """Run a command line and return its exit code; whatever happens is told in lines of text.

    Args:
        group: The group of commands.
        args: What was typed behind the name; by default that of the process.
        prog_name: The name of the program.
        **extra: For the context.
    """
    state = State()
    arguments = list(sys.argv[1:] if args is None else args)
    name = prog_name or "graphkit"
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = _run(group, arguments, name, state, **extra)
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed_pipe()
    return code


def _run(group: click.Group, arguments: list[str], name: str, state: State, **extra: Any) -> int:
    try:
        with group.make_context(name, arguments, obj=state, **extra) as context:
            group.invoke(context)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.UsageError as error:
        if error.ctx is not None:
            click.echo(error.ctx.get_usage(), err=True)
        message = error.format_message()
        complain(message[:1].lower() + message[1:].removesuffix("."))
        return MISTAKE
    except click.ClickException as error:
        complain(error.format_message())
        return error.exit_code
    except GraphkitError as error:
        _complain_of_all(error.problems, state)
        if state.debug:
            traceback.print_exc()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort, Terminated) as error:
        click.echo(f"interrupted: {visible(state.go_on)}", err=True)
        return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        return _internal(error, state)
    return 0


def _complain_of_all(problems: Iterable[Problem], state: State) -> None:
    """Print problems; of each file as many as the settings allow, the rest is counted."""
    try:
        limit = state.settings().output.problems
    except GraphkitError:
        limit = _PROBLEMS
    seen: Counter[str | None] = Counter()
    for problem in problems:
        seen[problem.file] += 1
        if seen[problem.file] <= limit:
            complain(problem)
    for file, count in seen.items():
        if count > limit:
            complain(Problem(f"{count - limit} more problems", file=file))


def _closed_pipe() -> int:
    """Leave quietly: nothing more can be written, not even at the end of the interpreter."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # a stream without a descriptor: nothing is flushed later
        return CLOSED_PIPE
    finally:
        os.close(nowhere)
    return CLOSED_PIPE


def _internal(error: Exception, state: State) -> int:
    if state.debug:
        traceback.print_exc()
    what = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {what[0]}" if what else type(error).__name__
    hint = "" if state.debug else "; graphkit --debug COMMAND shows where, please report it"
    complain(f"internal: {text}{hint}")
    return FAILED
