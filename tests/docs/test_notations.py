"""docs/notations.md: its examples run, and it names every notation and every reason."""

from __future__ import annotations

import doctest
import os
import re
from pathlib import Path

from graphkit.formats import NOTATIONS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "notations.md"


def test_the_examples_run() -> None:
    """What the page shows is what happens."""
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        found = doctest.testfile(str(PAGE), module_relative=False)
    finally:
        os.chdir(before)
    assert found.attempted >= 4
    assert not found.failed


def test_every_notation_is_in_the_table() -> None:
    """Names, directions and suffixes of the table are those of the code."""
    rows = re.findall(r"^\| (`.*?) \|.*?\| (yes)? ?\| (yes)? ?\| (.*?) \|$",
                      PAGE.read_text(), re.MULTILINE)  # fmt: skip
    table = {
        name: (bool(read), bool(write), set(re.findall(r"`(\S+)`", files)))
        for names, read, write, files in rows
        for name in re.findall(r"`(\w+)`", names)
    }
    assert table.keys() >= NOTATIONS.keys()
    for name, item in NOTATIONS.items():
        read, write, suffixes = table[name]
        assert (read, write) == (item.read is not None, item.write is not None)
        assert suffixes >= set(item.suffixes)


def test_every_reason_is_told() -> None:
    """Each code with which a reader refuses stands on the page."""
    text = PAGE.read_text()
    codes: set[str] = set()
    for name in ("conditions", "conjunctive", "sparql_in", "sparql_terms"):
        source = (ROOT / "graphkit" / "formats" / f"{name}.py").read_text()
        codes |= set(re.findall(r"refusal\(\s*\"(\w+)\"", source))
        codes |= set(re.findall(r"^    \"\w+\": \(\"(\w+)\",", source, re.MULTILINE))
    assert len(codes) > 20
    assert {code for code in codes if f"`{code}`" not in text} <= {"unsupported_pattern"}
