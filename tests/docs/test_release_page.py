"""docs/release.md: every command that it shows is run and prints what it shows.

``python tests/docs/test_release_page.py`` writes the outputs anew.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "release.md"
TEXT = PAGE.read_text(encoding="utf-8")
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def run(block: str) -> str:
    """Return a block as its commands print it now, in the folder where this is called."""
    shown = []
    for line in block.splitlines():
        if not line.startswith("$ "):
            continue
        result = CliRunner().invoke(cli, shlex.split(line[2:])[1:], prog_name="graphkit")
        shown.append(line)
        shown += [text for text in (result.stdout.rstrip(), result.stderr.rstrip()) if text]
        if result.exit_code:
            shown.append(f"[exit {result.exit_code}]")
    return "\n".join(shown) + "\n"


def prepare(place: Path) -> None:
    """Lay out what the commands of the page expect, and go there."""
    (place / "examples").symlink_to(ROOT / "examples")
    (toml,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (place / "licences.toml").write_text(toml, encoding="utf-8")
    os.chdir(place)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which the commands of the page run one after another."""
    before = Path.cwd()
    place = tmp_path_factory.mktemp("page")
    prepare(place)
    yield place
    os.chdir(before)


@pytest.mark.parametrize("block", CONSOLE.findall(TEXT), ids=lambda text: text.split("\n")[0][:60])
def test_commands_print_what_is_shown(folder: Path, block: str) -> None:
    """Output and exit code are those on the page."""
    assert run(block) == block


def test_what_is_opened_is_the_plain_release(folder: Path) -> None:
    """The folder that decrypt wrote and the plain release are the same, file by file."""
    for path in (folder / "release").iterdir():
        assert (folder / "opened" / path.name).read_bytes() == path.read_bytes()


def test_every_file_of_a_release_is_told(folder: Path) -> None:
    """The page names each file."""
    for path in (folder / "release").iterdir():
        assert f"`{path.name}`" in TEXT, path.name


def test_every_command_of_the_group_is_told() -> None:
    """The page shows each command."""
    from cli.commands.export import COMMANDS

    for name in COMMANDS:
        assert name == "to" or f"graphkit export {name} " in TEXT, name


def write() -> None:
    """Write the outputs on the page anew."""
    with tempfile.TemporaryDirectory() as place:
        prepare(Path(place))
        page = CONSOLE.sub(lambda found: f"```console\n{run(found[1])}```", TEXT)
        os.chdir(ROOT)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write()
