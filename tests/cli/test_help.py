"""The help of the commands: quick to show, all of it in docs/cli.md, nothing heavy imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.help_page import HELP_PAGE, help_page
from cli.main import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "graphkit.facts",
    "hypothesis",
    "kglite",
    "matplotlib",
    "neo4j",
    "networkx",
    "numpy",
    "openai",
    "pydantic",
    "rdflib",
    "synthesis",
)
PAGE_COMMANDS = "demo doctor load check stats answer query compile convert draw grow export schema"


def _words(text: str) -> str:
    return " ".join(text.split())


def test_page_is_up_to_date() -> None:
    """docs/cli.md says what the commands say; python -m cli.help_page writes it anew."""
    assert _words(HELP_PAGE.read_text(encoding="utf-8")) == _words(help_page())


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_documented(name: str) -> None:
    """Every command is on the page and tells of itself and of each of its options."""
    page = HELP_PAGE.read_text(encoding="utf-8")
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert f"### graphkit {name}\n" in page
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"


def test_commands_of_the_design() -> None:
    """Every command that is promised for now is there."""
    assert set(PAGE_COMMANDS.split()) <= set(COMMANDS)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([n, "-h"] for n in COMMANDS)])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """Showing help or the version imports none of the heavy packages."""
    code = (
        "import sys\n"
        "from cli.main import cli\n"
        f"try: cli.main({arguments!r})\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        f"print('HEAVY', sorted(n for n in {HEAVY!r} if n in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "HEAVY []"


def test_unknown_command_is_told_with_a_guess() -> None:
    """A misspelt command is a mistake of the user, with what may have been meant."""
    result = CliRunner().invoke(cli, ["chekc"])
    assert result.exit_code == 2
    assert 'error: no command "chekc" (did you mean check?)' in result.stderr
