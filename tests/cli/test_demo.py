"""The demo: one screenful that says what was done, and the files it leaves."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.render import width
from tests.cli.conftest import Run, errors


@pytest.fixture
def _little_evidence(little: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import synthesis.demo

    monkeypatch.setattr(synthesis.demo, "bundled_evidence", lambda: Path(little))


def _check_screen(text: str) -> None:
    lines = text.splitlines()
    assert len(lines) <= 50
    assert max(map(width, lines)) <= 100
    for word in ("Evidence", "Grown", "Failed", "Mended", "Asked", "Written"):
        assert any(line.startswith(word) for line in lines), word
    assert "not unique" in text
    assert "MATCH (q:Question)" in text


@pytest.mark.usefixtures("_little_evidence")
def test_screen_and_files(run: Run) -> None:
    """The screen tells all parts; the folder has questions, pictures, page and store."""
    result = run("demo", "--count", 6, "--seed", 3)
    assert result.exit_code == 0, result.stderr
    _check_screen(result.stdout)
    folder = Path("graphkit-demo")
    records = [json.loads(s) for s in (folder / "questions.jsonl").read_text().splitlines()]
    assert len(records) == 6
    for record in records:
        checks = record["checks"]
        assert checks["profile"]["edges"] >= 5
        assert (checks["unique"], checks["redundant"], checks["shortcuts"]) == (True, [], [])
        assert (checks["basis"], checks["valid"]) == ("closed", True)
    names = {path.name for path in folder.iterdir()}
    assert {"questions.html", "question.svg", "question.png", "graphkit.db"} <= names
    found = run("answer", "--all", "--store", folder / "graphkit.db", "--json")
    answers = [json.loads(line)["answers"] for line in found.stdout.splitlines()]
    assert answers == [[record["answer"]] for record in records]


@pytest.mark.usefixtures("_little_evidence")
def test_again_gives_the_same(run: Run) -> None:
    """A second demo replaces the first one; the same seed gives the same questions."""
    first = run("demo", "--count", 3, "--seed", 4)
    kept = Path("graphkit-demo/questions.jsonl").read_bytes()
    assert run("demo", "--count", 2, "--seed", 5).exit_code == 0
    second = run("demo", "--count", 3, "--seed", 4)
    assert second.stdout == first.stdout
    assert Path("graphkit-demo/questions.jsonl").read_bytes() == kept


@pytest.mark.usefixtures("_little_evidence")
def test_json(run: Run) -> None:
    """--json is one document with every part."""
    record = json.loads(run("demo", "--count", 3, "--seed", 3, "--json").stdout)
    assert set(record) == {
        "folder",
        "evidence",
        "attempts",
        "questions",
        "confirmed_by_cypher",
        "repair",
        "query",
        "files",
    }
    assert record["confirmed_by_cypher"] == 3
    repair = record["repair"]
    assert len(repair["answers"]) == repair["checks"]["answers_count"] > 1
    assert repair["checks"]["unique"] is False
    assert repair["mutation"]["strategy"] in ("Complement", "Intersection Expansion")
    assert all(Path(item["path"]).exists() for item in record["files"])


@pytest.mark.usefixtures("_little_evidence")
def test_keeps_what_is_not_its_own(run: Run, facts: str) -> None:
    """A folder with another store is left alone."""
    Path("mine").mkdir()
    run("load", facts, "--store", "mine/graphkit.db")
    before = Path("mine/graphkit.db").read_bytes()
    result = run("demo", "--dir", "mine")
    assert result.exit_code == 2
    assert "not of a demo" in errors(result)[0]
    assert Path("mine/graphkit.db").read_bytes() == before


@pytest.mark.slow
def test_whole_demo(spawn: Callable[..., subprocess.Popen[bytes]]) -> None:
    """On the bundled evidence the whole job is done in about a minute, in one screenful."""
    start = time.monotonic()
    out, err = spawn("demo").communicate(timeout=240)
    assert err.count(b"error") == 0
    _check_screen(out.decode())
    assert "10 questions in" in out.decode()
    assert "34,992 facts" in out.decode()
    assert time.monotonic() - start < 200
