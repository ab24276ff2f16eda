"""``graphkit parse``: sets of questions on a real endpoint, stopped, killed and taken up again."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_faults import FaultServer, Received, said
from parse_model import blocks_of, chain_graph

from tests.cli.conftest import Run, errors


def _script(received: Received) -> Any:
    question = blocks_of(received)["question"]
    if "largest" in question:
        return said('{"not_expressible": "the largest"}')
    anchor = question.rsplit(" ", 1)[-1].strip("?")
    return said(json.dumps(chain_graph(anchor, "river")))


def _set(path: Path, count: int = 3) -> str:
    rows = [{"id": f"q{n}", "question": f"Which river is in Land{n}?"} for n in range(count)]
    rows.append({"id": "big", "question": "Which is the largest?"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_set_becomes_graphs_and_a_row_of_table_two(tmp_path: Path, run: Run) -> None:
    """The table is printed, the graphs can be checked, and doing it again costs nothing."""
    source = _set(tmp_path / "set.jsonl")
    with FaultServer(_script) as server:
        given = ("--model", "m", "--base-url", server.base_url)
        done = run("parse", source, *given, "-o", "graphs.jsonl")
        assert done.exit_code == 0, done.stderr
        assert "needs a ranking" in done.stdout
        assert "cl100k_base" in done.stdout
        assert len(server.received) == 4
        again = run("parse", source, *given, "--json")
        assert len(server.received) == 4
    record = json.loads(again.stdout)
    assert record["table2"][0]["scale"] == 4
    assert record["table2"][0]["nodes"] == 2.0
    assert (record["parsed"], record["not_expressible"]) == (3, 1)
    assert record["run"] == f"{source}.parse"
    assert run("check", "graphs.jsonl", "--facts", _facts(tmp_path)).exit_code in (0, 3)
    costs = json.loads(Path(f"{source}.parse", "costs.json").read_text())
    assert [row["calls"] for row in costs] == [4]


def _facts(folder: Path) -> str:
    path = folder / "facts.tsv"
    path.write_text("Land0\triver\tR0\nLand1\triver\tR1\nLand2\triver\tR2\n")
    return str(path)


def test_another_set_does_not_go_on_in_a_run(tmp_path: Path, run: Run) -> None:
    """Runs are not mixed; the message names what differs."""
    with FaultServer(_script) as server:
        given = ("--run", "r", "--model", "m", "--base-url", server.base_url)
        assert run("parse", _set(tmp_path / "a.jsonl"), *given).exit_code == 0
        other = run("parse", _set(tmp_path / "b.jsonl", 2), *given)
    assert other.exit_code == 2
    assert "set differ from when this run began" in errors(other)[0]


def test_a_limit_leaves_questions_for_the_next_time(tmp_path: Path, run: Run) -> None:
    """With a limit on calls the exit code is 1, and the same command without it completes."""
    source = _set(tmp_path / "set.jsonl")
    with FaultServer(_script) as server:
        given = ("--model", "m", "--base-url", server.base_url, "--parallel", "1")
        short = run("parse", source, *given, "--max-calls", "2")
        assert short.exit_code == 1
        assert any("2 questions not asked" in line for line in errors(short))
        assert run("parse", source, *given).exit_code == 0
        assert len(server.received) == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["parse", "gone.jsonl", "--model", "m"], "no such file"),
        (["parse", "-", "--model", "m"], "read from a file"),
        (["parse", "set.jsonl"], "no model"),
        (["parse", "set.jsonl", "--model", "m", "--question-field", "text"], 'in "text"'),
        (["parse", "set.jsonl", "--model", "m", "--question-field", "a["], "is no field"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, run: Run, arguments: list[str], told: str) -> None:
    """Missing files, models and fields are the user's mistake, in one line each."""
    _set(tmp_path / "set.jsonl")
    done = run(*arguments)
    assert done.exit_code == 2
    assert any(told in line for line in done.stderr.splitlines())
    assert not list(tmp_path.glob("*.parse"))


def test_a_killed_parse_goes_on(tmp_path: Path, spawn: Callable[..., Any]) -> None:
    """After kill -9 the same command completes; no question that was answered is asked again."""
    source = _set(tmp_path / "set.jsonl", 30)

    def slow(received: Received) -> Any:
        return dataclasses.replace(_script(received), delay=0.1)

    with FaultServer(slow) as server:
        given = ("parse", source, "--model", "m", "--base-url", server.base_url, "--parallel", "3")
        first = spawn(*given)
        deadline = time.monotonic() + 60
        while server.count < 9 and time.monotonic() < deadline:
            time.sleep(0.02)
        first.kill()
        first.communicate()
        log = Path(f"{source}.parse", "exchanges.jsonl").read_text().splitlines()
        kept = sum('"reply"' in line for line in log)
        before = server.count
        second = spawn(*given, "--json")
        out, err = second.communicate(timeout=120)
        assert second.returncode == 0, err
        assert server.count == before + 31 - kept
    record = json.loads(out)
    assert (record["parsed"], record["not_expressible"], record["unasked"]) == (30, 1, 0)


def test_graphs_on_standard_output_stand_alone(tmp_path: Path, run: Run) -> None:
    """With -o - every line printed is a graph; with --json as well there would be two things."""
    source = _set(tmp_path / "set.jsonl")
    with FaultServer(_script) as server:
        given = ("--model", "m", "--base-url", server.base_url)
        done = run("parse", source, *given, "-o", "-")
    assert done.exit_code == 0, done.stderr
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["q0", "q1", "q2"]
    both = run("parse", source, *given, "-o", "-", "--json")
    assert both.exit_code == 2
    assert both.stdout == ""
