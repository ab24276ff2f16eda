"""Fixtures of the command line tests: a runner, a folder of small files, a little evidence."""

from __future__ import annotations

import copy
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
FACTBOOK = ROOT / "examples" / "factbook"
RELATIONS = ("borders", "takes part in", "national color", "observer of", "official language")

Run = Callable[..., Result]

GRAPH: dict[str, Any] = {
    "id": "q1",
    "question": "Which country borders France?",
    "answer": "Spain",
    "root_node_id": "n1",
    "nodes": [
        {
            "node_id": "n0",
            "label": "France",
            "known_entities": ["France"],
            "reference_entities": None,
            "is_root": False,
        },
        {
            "node_id": "n1",
            "label": "answer",
            "known_entities": None,
            "reference_entities": None,
            "is_root": True,
        },
    ],
    "edges": [
        {
            "edge_id": "e0",
            "source_ids": ["n0"],
            "target_id": "n1",
            "op": "projection",
            "relation": "borders",
            "direction": "forward",
        }
    ],
}


def graph(**changes: Any) -> dict[str, Any]:
    """Return a small question graph as plain data, with other values at its top."""
    return {**copy.deepcopy(GRAPH), **changes}


def write_lines(path: Path, *records: dict[str, Any]) -> str:
    """Write records as JSONL; return the path as text."""
    path.write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8"
    )
    return str(path)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty folder, without settings from outside."""
    for name in [name for name in os.environ if name.startswith("GRAPHKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run() -> Run:
    """Run the command in this process: ``run("check", "q.jsonl", stdin="...")``."""
    separate = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(**({"mix_stderr": False} if separate else {}))

    def call(*arguments: Any, stdin: str | bytes | None = None) -> Result:
        return runner.invoke(cli, [str(part) for part in arguments], input=stdin)

    return call


@pytest.fixture
def spawn() -> Callable[..., subprocess.Popen[bytes]]:
    """Start the command as a process of its own."""

    def start(*arguments: Any, **more: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "cli.main", *map(str, arguments)],
            stdout=more.pop("stdout", subprocess.PIPE),
            stderr=more.pop("stderr", subprocess.PIPE),
            env={**os.environ, "PYTHONPATH": str(ROOT), **more.pop("env", {})},
            **more,
        )

    return start


@pytest.fixture
def facts(tmp_path: Path) -> str:
    """A file of three facts."""
    path = tmp_path / "facts.tsv"
    path.write_text("France\tborders\tSpain\nFrance\tborders\tItaly\nSpain\tin\tEurope\n")
    return str(path)


@pytest.fixture
def question(tmp_path: Path) -> str:
    """A file of one question with two answers."""
    return write_lines(tmp_path / "q.jsonl", graph())


@pytest.fixture(scope="session")
def little(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A part of the bundled evidence that is quick to read and still grows questions."""
    folder = tmp_path_factory.mktemp("little")
    with (FACTBOOK / "evidence.jsonl").open(encoding="utf-8") as lines:
        kept = [line for line in lines if json.loads(line)["relation"] in RELATIONS]
    (folder / "evidence.jsonl").write_text("".join(kept), encoding="utf-8")
    sheet = (FACTBOOK / "relations.toml").read_text(encoding="utf-8")
    (folder / "relations.toml").write_text(sheet, encoding="utf-8")
    return str(folder / "evidence.jsonl")


def errors(result: Result) -> list[str]:
    """Return the error lines of a run; no run may show a traceback."""
    assert "Traceback" not in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return [line for line in result.stderr.splitlines() if line.startswith("error: ")]
