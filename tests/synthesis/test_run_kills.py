"""Runs that are killed, torn or stopped: the same set at the end, and nothing paid for twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted_model import TRANSPORT, Faults

from graphkit.errors import ExchangeLogError
from graphkit.models import Budget
from synthesis.run_folder import RunFolder
from tests.synthesis.loopback import RUN, Servers, journal_of, records_of, servers

pytestmark = pytest.mark.slow

SEEDS = ("Bulgaria", "Czech Republic")
LATENCY = 0.04
KILLS = 20
_RESULTS = ("questions.jsonl", "set_aside.jsonl")
_ROOT = Path(__file__).parents[2]


class Session:
    """One session of a run, as a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cli.main", "synthesize", "--resume", str(folder)],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def runs_until(self, reached: Callable[[], bool]) -> bool:
        """Wait until something is so; whether the session still ran then."""
        end = time.monotonic() + 120
        while not reached():
            if self.process.poll() is not None:
                return False
            assert time.monotonic() < end
            time.sleep(0.003)
        return self.process.poll() is None

    def ended(self, number: int | None = None) -> tuple[int, str, str]:
        """Send a signal, if one is given, and wait for the end: its code and what it said."""
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out, err


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counter[str]]:
    """The folder of a run that nothing stopped, and what was paid for in it, by body."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with servers() as outside:
        result = outside.run(folder, SEEDS)
        bodies = Counter(outside.model.ledger.bodies)
    assert result.settled.questions
    return folder, bodies


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[tuple[Servers, Path]]:
    """Servers, and the folder of a run over them that is begun and has done nothing."""
    folder = tmp_path / "run"
    with servers(latency=LATENCY) as outside:
        RunFolder.create(folder, outside.plan(SEEDS), run=RUN)
        yield outside, folder


def _same_set(folder: Path, whole: Path) -> None:
    for name in _RESULTS:
        assert (folder / name).read_bytes() == (whole / name).read_bytes()
    kept = [
        {seed: [step["step"] for step in journal_of(place) if step["seed"] == seed]}
        for place in (folder, whole)
        for seed in sorted({step["seed"] for step in journal_of(place)})
    ]
    assert kept[: len(kept) // 2] == kept[len(kept) // 2 :]


def _asked_again(folder: Path) -> int:
    """Return how many calls were begun once more; none of them had its reply in the log."""
    replied: set[str] = set()
    begun: Counter[str] = Counter()
    for item in records_of(folder / "exchanges.jsonl"):
        if item["kind"] == "begun":
            assert item["key"] not in replied
            begun[item["key"]] += 1
        elif "reply" in item:
            assert item["key"] not in replied
            replied.add(item["key"])
    return sum(count - 1 for count in begun.values())


def test_twenty_kills(begun: tuple[Servers, Path], whole: tuple[Path, Counter[str]]) -> None:
    """Killed twenty times, at moments spread over its length, a run ends as if nothing was."""
    outside, folder = begun
    ledger, total = outside.model.ledger, sum(whole[1].values())
    chance = random.Random(5)
    places = sorted(chance.sample(range(total), KILLS))
    in_flight = killed = 0
    for place in places:
        with Session(folder) as session:
            session.runs_until(lambda at=place: ledger.paid >= at)
            time.sleep(chance.random() * LATENCY)
            in_flight += int(outside.model.stats["in_flight"])
            code, _, _ = session.ended(signal.SIGKILL)
        killed += code == -signal.SIGKILL
    with Session(folder) as session:
        code, _, err = session.ended()
    assert (code, "Traceback" in err) == (0, False)
    assert killed == KILLS
    _same_set(folder, whole[0])
    stats = outside.model.stats
    assert stats["crashes"] == []
    assert stats["paid"] == total
    assert outside.model.ledger.bodies == whole[1]
    assert _asked_again(folder) > 0
    assert stats["repeated"] <= _asked_again(folder)
    assert stats["requests"] == stats["paid"] + stats["repeated"]


def test_kills_at_the_very_end_and_in_replay(
    begun: tuple[Servers, Path], whole: tuple[Path, Counter[str]]
) -> None:
    """Killed while it replays, judges or writes its results, a run ends the same."""
    outside, folder = begun
    chance = random.Random(7)
    journal, results = folder / "journal.jsonl", folder / "questions.jsonl"
    outside.model.latency = 0.0

    def ended() -> int:
        return journal.read_bytes().count(b'"step": "outcome"') if journal.exists() else 0

    moments: list[Callable[[], bool]] = [
        lambda: ended() >= 1,
        lambda: ended() >= len(SEEDS),
        results.exists,
    ]
    for reached in moments:
        with Session(folder) as session:
            session.runs_until(reached)
            time.sleep(chance.random() * 0.01)
            session.ended(signal.SIGKILL)
    with Session(folder) as session:
        assert session.ended()[0] == 0
    _same_set(folder, whole[0])
    assert outside.model.ledger.bodies == whole[1]


def test_torn_last_lines(begun: tuple[Servers, Path], whole: tuple[Path, Counter[str]]) -> None:
    """Half lines at the end of the log and of the journal are cut off, and asked for again."""
    outside, folder = begun
    outside.model.latency = 0.0
    stopped = outside.run(folder, budget=Budget(calls=sum(whole[1].values()) - 5))
    assert stopped.stopped
    for name in ("exchanges.jsonl", "journal.jsonl"):
        file = folder / name
        lines = file.read_bytes().splitlines(keepends=True)
        whole_lines, last = lines[:-1], lines[-1]
        while name == "exchanges.jsonl" and b'"kind":"model"' not in last[:120]:
            last = whole_lines.pop()
        file.write_bytes(b"".join(whole_lines) + last[: len(last) // 2])
    outside.run(folder)
    _same_set(folder, whole[0])
    assert outside.model.ledger.bodies == whole[1]
    assert outside.model.stats["repeated"] >= 1
    for name in ("exchanges.jsonl", "journal.jsonl"):
        assert all(isinstance(item, dict) for item in records_of(folder / name))


def test_a_run_that_ends_at_every_fault(
    begun: tuple[Servers, Path], whole: tuple[Path, Counter[str]]
) -> None:
    """When nothing is tried again, each fault ends a session; calls beside it are not lost."""
    outside, folder = begun
    plan = outside.plan(SEEDS).model_dump(mode="json")
    plan["models"]["default"]["retries"] = 0
    told = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**told, "plan": plan}))
    outside.model.latency = 0.01
    outside.model.faults = Faults(share=dict.fromkeys(TRANSPORT, 0.03))
    stops = 0
    while outside.run(folder).unfinished:
        stops += 1
        assert stops < 40
    assert stops > 1
    _same_set(folder, whole[0])
    assert outside.model.ledger.bodies == whole[1]
    assert outside.model.stats["repeated"] == 0


def test_an_interrupt_says_how_to_go_on(
    begun: tuple[Servers, Path], whole: tuple[Path, Counter[str]]
) -> None:
    """Ctrl-C ends the process with code 130 and the way on; the rest comes out the same."""
    outside, folder = begun
    with Session(folder) as session:
        assert session.runs_until(lambda: outside.model.ledger.paid >= 30)
        code, out, err = session.ended(signal.SIGINT)
    assert (code, out) == (130, "")
    assert f"interrupted: graphkit synthesize --resume {folder} goes on" in err
    assert "Traceback" not in err
    outside.model.latency = 0.0
    outside.run(folder)
    _same_set(folder, whole[0])
    assert outside.model.ledger.bodies == whole[1]


def test_a_second_process_is_refused(begun: tuple[Servers, Path]) -> None:
    """While one process works on a run another is turned away, in words, and changes nothing."""
    outside, folder = begun
    with Session(folder) as session:
        assert session.runs_until(lambda: outside.model.ledger.paid >= 5)
        with Session(folder) as second:
            code, _, err = second.ended()
        assert session.process.poll() is None
        with pytest.raises(ExchangeLogError, match="another process"):
            outside.run(folder)
    assert code == 1
    assert "another process is writing this log" in err
    assert "Traceback" not in err


def test_a_budget_stops_and_a_larger_one_goes_on(
    begun: tuple[Servers, Path], whole: tuple[Path, Counter[str]]
) -> None:
    """A run stops at its limit of calls, whatever that is, and a larger one leads to the end."""
    outside, folder = begun
    outside.model.latency = 0.0
    total = sum(whole[1].values())
    for limit in (total // 4, total // 2):
        result = outside.run(folder, budget=Budget(calls=limit))
        assert result.stopped
        assert "calls" in result.stopped
        assert result.unfinished
        assert outside.model.ledger.paid == limit
        assert json.loads((folder / "summary.json").read_text())["stopped"] == result.stopped
    result = outside.run(folder, budget=Budget(calls=total))
    assert (result.stopped, result.unfinished, result.perhaps_paid) == (None, {}, 0)
    _same_set(folder, whole[0])
    assert outside.model.ledger.bodies == whole[1]
    assert outside.model.stats["repeated"] == 0
