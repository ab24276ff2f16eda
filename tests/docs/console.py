"""The commands that a page of docs/ shows, run again, and the page with what they print now."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def blocks(text: str) -> list[str]:
    """Return the blocks of a page that show commands and what they print."""
    return _CONSOLE.findall(text)


def printed(block: str, *, notes: bool = True) -> str:
    """Return a block as its commands print it now, in the folder where this is called.

    Args:
        block: The block.
        notes: Whether what a command says on standard error is shown beside its output, not only
            where it prints nothing else.
    """
    shown = []
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        words, _, target = line[2:].partition(" > ")
        result = CliRunner().invoke(cli, shlex.split(words)[1:], prog_name="graphkit")
        out, err = result.stdout.rstrip(), result.stderr.rstrip()
        if target:
            Path(target).write_text(result.stdout, encoding="utf-8")
            out, err = "", ""
        shown += [line, *(text for text in (out, err if notes or not out else "") if text)]
        if result.exit_code:
            shown.append(f"[exit {result.exit_code}]")
    return "\n".join(shown) + "\n"


def written_anew(text: str, *, notes: bool = True) -> str:
    """Return a page with what its commands print now."""
    return _CONSOLE.sub(lambda found: f"```console\n{printed(found[1], notes=notes)}```", text)


@contextlib.contextmanager
def inside(place: Path) -> Iterator[Path]:
    """Lay the examples into a folder and be there meanwhile."""
    before = Path.cwd()
    (place / "examples").symlink_to(ROOT / "examples")
    os.chdir(place)
    try:
        yield place
    finally:
        os.chdir(before)
