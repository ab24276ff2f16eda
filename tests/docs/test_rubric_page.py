"""docs/rubric.md: every command that it shows is run and prints what it shows.

``python -m tests.docs.test_rubric_page`` writes the outputs anew.
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from pathlib import Path

import pytest

from rubric import Settings, parse_tree, read_verdicts, score_reports
from rubric.verdicts import VerdictTable
from tests.docs.console import ROOT, blocks, inside, printed, written_anew

PAGE = ROOT / "docs" / "rubric.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with inside(tmp_path_factory.mktemp("page")) as place:
        yield place


@pytest.mark.parametrize("block", blocks(TEXT), ids=lambda text: text.split("\n")[0][:60])
def test_commands_print_what_is_shown(folder, block):
    """Output and exit code are those on the page."""
    assert printed(block, notes=False) == block


def test_every_command_of_the_group_is_told(folder):
    """The page names each command."""
    from cli.commands.rubric import COMMANDS

    for name in COMMANDS:
        assert re.search(rf"`{name}`|graphkit rubric {name}\b", TEXT), name


def test_smallest_tree_scores():
    """The tree and the verdicts at the top of the page are complete."""
    tree, lines = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    table = VerdictTable.from_lines(map(json.loads, lines.splitlines()))
    found = score_reports([parse_tree(tree)], table)
    assert [report.status for report in found] == ["scored", "missing"]


def test_settings_of_the_page_are_read():
    """The settings that are shown are settings."""
    (text,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert Settings.parse(text).guard.value == "exact"
    assert set(tomllib.loads(text)["rubric"]) == {"weights", "tau", "kappa", "guard"}


def test_python_of_the_page_runs(folder, capsys):
    """The program at the end runs."""
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(compile(code, str(PAGE), "exec"), {})  # noqa: S102
    assert "Interval(" in capsys.readouterr().out


def test_example_is_what_its_script_makes(tmp_path):
    """build.py makes the committed files to the byte."""
    import subprocess
    import sys

    script = ROOT / "examples" / "rubric" / "build.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(made) == 11
    for name in made:
        assert (tmp_path / name).read_bytes() == (script.parent / name).read_bytes(), name


def test_example_has_every_accident():
    """The hygiene of the example's verdicts has something of each kind."""
    hygiene = read_verdicts(ROOT / "examples" / "rubric" / "verdicts.jsonl").hygiene
    assert (hygiene.duplicates, hygiene.conflicts, hygiene.vote_conflicts) == (1, 1, 1)
    assert set(hygiene.reasons) == {"stated", "tied votes", "unknown word 'partly'"}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder_of_page, inside(Path(folder_of_page)):
        page = written_anew(TEXT, notes=False)
    PAGE.write_text(page, encoding="utf-8")
