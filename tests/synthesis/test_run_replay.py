"""A whole run again from its log alone: another process, another order, nobody to ask."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphkit.errors import ExchangeLogError
from graphkit.models import ExchangeLog
from tests.synthesis.loopback import journal_of, records_of, servers, whole_run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SEEDS = ("Austria", "Bulgaria", "Czech Republic")
AGAIN = """
import asyncio, json, sys
from pathlib import Path
from synthesis.run import run_seeds
from synthesis.run_folder import RunFolder
folder = RunFolder.open(Path(sys.argv[1]))
loop = folder.plan.loop.model_copy(update={"parallel": int(sys.argv[2])})
folder.plan = folder.plan.model_copy(update={"loop": loop, "seeds": folder.plan.seeds[::-1]})
result = asyncio.run(run_seeds(folder))
print(json.dumps(result.to_record()))
"""


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that came to its end; the servers are gone."""
    return whole_run(tmp_path_factory.mktemp("first") / "run", SEEDS)


def again(first: Path, folder: Path, *, hash_seed: str, parallel: int) -> dict[str, Any]:
    """Run once more from the log of the first run; seeds come in the other order."""
    folder.mkdir()
    for name in ("run.json", "exchanges.jsonl"):
        shutil.copy(first / name, folder / name)
    shutil.copytree(first / "snapshots", folder / "snapshots")
    done = subprocess.run(
        [sys.executable, "-c", AGAIN, str(folder), str(parallel)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _steps(folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    return {(step["seed"], step["number"]): step for step in journal_of(folder)}


@pytest.mark.parametrize(("hash_seed", "parallel"), [("1", 1), ("2", 3)])
def test_the_log_alone_gives_the_same_run(
    first: Path, tmp_path: Path, hash_seed: str, parallel: int
) -> None:
    """Every step, every question, and no call: neither hashes nor tasks nor the clock matter."""
    folder = tmp_path / "again"
    told = again(first, folder, hash_seed=hash_seed, parallel=parallel)
    assert (told["unfinished"], told["stopped"]) == ({}, None)
    assert _steps(folder) == _steps(first)
    for name in ("questions.jsonl", "set_aside.jsonl"):
        key = lambda record: record["id"]  # noqa: E731
        old, new = records_of(first / name), records_of(folder / name)
        assert sorted(old, key=key) == sorted(new, key=key)
    assert records_of(first / "evidence.jsonl") != []
    sort = lambda records: sorted(map(json.dumps, records))  # noqa: E731
    assert sort(records_of(folder / "evidence.jsonl")) == sort(records_of(first / "evidence.jsonl"))
    assert len(records_of(folder / "exchanges.jsonl")) == len(records_of(first / "exchanges.jsonl"))


def test_a_changed_step_is_noticed(first: Path, tmp_path: Path) -> None:
    """A journal that says something else than what comes out ends the run; it is not mixed."""
    folder = tmp_path / "changed"
    shutil.copytree(first, folder)
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    seed = json.loads(lines[0])["seed"]
    kept = [
        line.replace('"step": "gathered"', '"step": "gathered", "odd": 1', 1)
        for line in lines
        if json.loads(line)["seed"] != seed or json.loads(line)["number"] == 0
    ]
    (folder / "journal.jsonl").write_text("".join(kept), encoding="utf-8")
    with servers() as outside, pytest.raises(Exception, match="otherwise than it is written down"):
        outside.run(folder)
    assert (folder / "journal.jsonl").read_text(encoding="utf-8") == "".join(kept)


def test_a_log_that_cannot_be_written_stops_the_run(
    first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be kept is not paid for, seed after seed; with room again the run goes on."""
    folder = tmp_path / "full"
    append = ExchangeLog._append
    room = iter(range(40))

    def full(log: ExchangeLog, line: bytes) -> int:
        if next(room, None) is None:
            raise ExchangeLogError("cannot be written: No space left on device")
        return append(log, line)

    with servers() as outside:
        with monkeypatch.context() as patched:
            patched.setattr(ExchangeLog, "_append", full)
            result = outside.run(folder, SEEDS, parallel=1)
        assert "No space left" in str(result.stopped)
        assert len(result.unfinished) == 1
        assert outside.run(folder).unfinished == {}
    for name in ("questions.jsonl", "set_aside.jsonl"):
        assert records_of(folder / name) == records_of(first / name)
