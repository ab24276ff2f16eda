"""The command as a process: pipes, exit codes, interrupts, closed pipes, colours."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import graph, write_lines

Spawn = Callable[..., subprocess.Popen[bytes]]


def _wait(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def test_pipe_of_commands(spawn: Spawn, question: str, facts: str) -> None:
    """Commands work in a pipe: one writes JSON lines, the next one reads them."""
    with spawn("convert", question, "-") as first:
        with spawn("answer", "-", "--facts", facts, "--json", stdin=first.stdout) as second:
            out, err = second.communicate(timeout=60)
        first.communicate(timeout=60)
    assert (second.returncode, first.returncode, err) == (0, 0, b"")
    assert json.loads(out)["answers"] == ["Italy", "Spain"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["answer", "q.jsonl", "--facts", "facts.tsv"], 0),
        (["load", "facts.tsv", "--store", "facts.tsv"], 1),
        (["answer", "none.jsonl", "--facts", "facts.tsv"], 2),
        (["check", "q.jsonl", "--facts", "facts.tsv", "--strict"], 3),
    ],
)
def test_exit_codes(
    spawn: Spawn, question: str, facts: str, arguments: list[str], code: int
) -> None:
    """The process ends with the code that is documented."""
    process = spawn(*arguments)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"Traceback" not in err


def test_closed_pipe_is_quiet(spawn: Spawn, facts: str) -> None:
    """When the reader of a pipe goes away, the command ends without a word."""
    file = write_lines(Path("q.jsonl"), *(graph(id=f"q{n}") for n in range(5000)))
    with spawn("answer", file, "--facts", facts, "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_interrupted_growth_keeps_what_there_is(spawn: Spawn, little: str) -> None:
    """Ctrl-C while growing: whole lines stay in FILE.part, and it is said how to go on."""
    arguments = ["grow", "--facts", little, "--count", 400, "--seed", 2, "-o", "q.jsonl"]
    process = spawn(*arguments)
    part = Path("q.jsonl.part")
    _wait(lambda: part.exists() and part.read_bytes().count(b"\n") >= 3, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    lines = part.read_text().splitlines()
    last = err.decode().splitlines()[-1]
    assert last == (
        f"interrupted: {len(lines)} of 400 questions are in q.jsonl.part, each a whole line; the "
        "same command with --seed 2 grows the same ones first, then the rest"
    )
    assert [json.loads(line)["id"] for line in lines][:2] == ["grown-2-0001", "grown-2-0002"]
    assert not Path("q.jsonl").exists()
    assert [path.name for path in Path().iterdir()] == ["q.jsonl.part"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_load_is_completed(spawn: Spawn, little: str, number: int, code: int) -> None:
    """A load that is interrupted leaves whole batches; the same command again completes it."""
    process = spawn("load", little)
    log = Path("graphkit.db-wal")
    _wait(lambda: log.exists() and log.stat().st_size > 200_000, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert err.decode().splitlines()[-1] == (
        "interrupted: what is in the store is whole; the same command again completes the load"
    )
    again = spawn("load", little, "--json")
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    record = json.loads(out)
    assert 0 < record["files"][0]["changed"] < record["files"][0]["records"]
    assert record["holds"]["evidence"] == record["files"][0]["records"]


def test_a_signal_among_many_tasks_is_one_line() -> None:
    """Wherever in a group of tasks of an event loop it comes up, a command says how it ends."""
    code = (
        "import asyncio, sys, click, cli.main, cli.endings, cli.looping\n"
        "async def busy(n):\n"
        "    print('go', flush=True)\n"
        "    while True:\n"
        "        sum(range(20000)); await asyncio.sleep(0)\n"
        "async def all():\n"
        "    async with asyncio.TaskGroup() as tasks:\n"
        "        for n in range(8): tasks.create_task(busy(n))\n"
        "@click.command()\n"
        "def work(): cli.looping.until_done(all())\n"
        "group = click.Group(commands={'work': work})\n"
        "import signal; signal.signal(signal.SIGTERM, cli.main._terminate)\n"
        "sys.exit(cli.endings.run(group, ['work']))\n"
    )
    root = Path(__file__).resolve().parents[2]
    for number, ends_with in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
        with subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        ) as process:
            assert process.stdout is not None
            for _ in range(8):
                process.stdout.readline()
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        assert process.returncode == ends_with, err
        assert err.startswith("interrupted: ")
        assert err.count("\n") == 1


def test_internal_error_is_one_line(spawn: Spawn, facts: str) -> None:
    """An error that nobody foresaw is one line with a hint; --debug shows where it was."""
    code = (
        "import sys, cli.options, cli.main\n"
        "def fail(*a, **k): raise KeyError('x')\n"
        "cli.options.open_questions.__code__ = fail.__code__\n"
        "cli.main.cli.main(sys.argv[1:])\n"
    )
    Path("broken.py").write_text(code)
    for flags, traces in (([], 0), (["--debug"], 1)):
        done = subprocess.run(
            [sys.executable, "broken.py", *flags, "check", "q.jsonl"],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )
        assert done.returncode == 1
        assert done.stderr.count("Traceback") == traces
        assert done.stderr.splitlines()[-1].startswith("error: internal: KeyError: 'x'")


def _on_terminal(arguments: list[str], **env: str) -> str:
    """Run a command with a terminal as standard output; return what it shows."""
    ours, theirs = pty.openpty()
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(
        [sys.executable, "-m", "cli.main", *arguments],
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(root), "COLUMNS": "40", **env},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(ours)
    process.wait(timeout=60)
    return shown.decode()


def test_colours_on_a_terminal_only(spawn: Spawn) -> None:
    """Colours appear on a terminal, not with NO_COLOR, not in a pipe."""
    assert "\x1b[3" in _on_terminal(["doctor"])
    assert "\x1b[3" not in _on_terminal(["doctor"], NO_COLOR="1")
    assert "\x1b[3" not in _on_terminal(["doctor"], GRAPHKIT_OUTPUT_COLOR="never")
    out, _ = spawn("doctor").communicate(timeout=60)
    assert b"\x1b[" not in out
    out, _ = spawn("doctor", env={"GRAPHKIT_OUTPUT_COLOR": "always"}).communicate(timeout=60)
    assert b"\x1b[3" in out


def test_tables_fit_the_terminal(question: str, facts: str) -> None:
    """On a terminal a table is cut to its width."""
    shown = _on_terminal(["check", question, "--facts", facts])
    assert max(map(len, shown.splitlines()[:3])) <= 40


def test_starts_quickly(spawn: Spawn) -> None:
    """--version and --help take a moment only: the best of five tries is under 0.3 s of CPU."""
    for flag in ("--version", "--help"):
        times = []
        for _ in range(5):
            before = os.times()
            assert spawn(flag).communicate(timeout=60)[1] == b""
            after = os.times()
            times.append(
                after.children_user
                + after.children_system
                - before.children_user
                - before.children_system
            )
        assert min(times) < 0.3, times
