"""docs/release.md: every command that it shows is run and prints what it shows.

``python -m tests.docs.test_release_page`` writes the outputs anew.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.console import ROOT, blocks, inside, printed, written_anew

PAGE = ROOT / "docs" / "release.md"
TEXT = PAGE.read_text(encoding="utf-8")


def prepare(place: Path) -> None:
    """Lay out what the commands of the page expect beside the examples."""
    (toml,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (place / "licences.toml").write_text(toml, encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which the commands of the page run one after another."""
    with inside(tmp_path_factory.mktemp("page")) as place:
        prepare(place)
        yield place


@pytest.mark.parametrize("block", blocks(TEXT), ids=lambda text: text.split("\n")[0][:60])
def test_commands_print_what_is_shown(folder: Path, block: str) -> None:
    """Output and exit code are those on the page."""
    assert printed(block) == block


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
    with tempfile.TemporaryDirectory() as folder, inside(Path(folder)) as place:
        prepare(place)
        page = written_anew(TEXT)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write()
