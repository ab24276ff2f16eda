"""What a whole run of the loop costs: calls under way, processor time of a seed, memory."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SERVERS = Path(__file__).resolve().parents[2] / "tests" / "servers"
sys.path.insert(0, str(SERVERS))

from static_web import SINCE, world  # noqa: E402

import synthesis.next_step  # noqa: E402
import synthesis.offers  # noqa: E402
import synthesis.rivals  # noqa: E402
import synthesis.run  # noqa: E402
from graphkit.models import ModelSettings  # noqa: E402
from synthesis.loop_settings import LoopSettings  # noqa: E402
from synthesis.run import RunProgress, run_seeds  # noqa: E402
from synthesis.run_folder import RunFolder, RunPlan  # noqa: E402
from synthesis.seeds import Seed  # noqa: E402
from synthesis.web import WebSettings  # noqa: E402


@contextlib.contextmanager
def served(name: str, *options: str) -> Iterator[str]:
    """Start one of the servers of the tests as a process of its own; yield its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", name, "--port", "0", *options],
        cwd=SERVERS,
        env={**os.environ, "PYTHONPATH": f"{SERVERS}{os.pathsep}{SERVERS.parents[1]}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def asked(url: str) -> Any:
    """Return what a server tells of itself."""
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


def memory() -> dict[str, float]:
    """Megabytes of this process now, and at most."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")}


class Stopwatch:
    """Adds up the processor time of the loop's own computing, by what it is for.

    Only the outermost of nested pieces counts.
    """

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._inside = False

    def watch(self, place: Any, name: str, what: str) -> None:
        """Replace a function by one that is timed."""
        inner = getattr(place, name)
        bound = getattr(inner, "__func__", inner)

        @functools.wraps(bound)
        def timed(*args: Any, **more: Any) -> Any:
            if self._inside:
                return inner(*args, **more) if bound is inner else bound(*args, **more)
            self._inside = True
            started = time.thread_time()
            try:
                return inner(*args, **more) if bound is inner else bound(*args, **more)
            finally:
                self._inside = False
                self.seconds[what] += time.thread_time() - started
                self.calls[what] += 1

        setattr(place, name, classmethod(timed) if bound is not inner else timed)

    def watch_pieces(self, place: Any, name: str, what: str) -> None:
        """Replace a computation that makes pauses by one whose pieces are timed."""
        inner = getattr(place, name)

        @functools.wraps(inner)
        def timed(*args: Any, **more: Any) -> Any:
            pieces = inner(*args, **more)
            self.calls[what] += 1
            while True:
                started, self._inside = time.thread_time(), True
                try:
                    next(pieces)
                except StopIteration as end:
                    return end.value
                finally:
                    self._inside = False
                    self.seconds[what] += time.thread_time() - started
                yield

        setattr(place, name, timed)


def computing() -> Stopwatch:
    """Watch planning, offers, checks and the search for open ends."""
    watch = Stopwatch()
    watch.watch_pieces(synthesis.next_step, "plan_in_pieces", "plans")
    watch.watch_pieces(synthesis.offers.Planner, "offers_in_pieces", "offers")
    watch.watch(synthesis.offers.Planner, "standing", "checks")
    watch.watch(synthesis.run, "settle", "settling")
    return watch


class Busyness:
    """How many calls the model server has under way, in the mean, sampled while there is work."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._samples: list[tuple[float, int, int]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Busyness:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.25):
            told = asked(f"{self._model}/stats")
            self._samples.append((time.monotonic(), told["in_flight"], told["paid"]))

    def used(self, until: float, latency: float, places: int) -> float:
        """Return which part of the time of its places the server was answering, up to a moment."""
        found = [(moment, paid) for moment, _, paid in self._samples if moment <= until]
        if len(found) < 2:
            return 0.0
        (begun, before), (ended, after) = found[len(found) // 5], found[-1]
        return (after - before) * latency / (places * max(1e-9, ended - begun))

    def mean(self, until: float) -> float:
        """Return the mean up to a moment, of samples a quarter of a second apart."""
        found = [count for moment, count, _ in self._samples if moment <= until]
        return sum(found) / max(1, len(found))


SHORT = {"min_iterations": 3, "max_iterations": 8, "min_edges": 4, "min_hops": 3}
"""A loop with the same steps that is sooner at its end."""


def plan(names: list[str], web: str, model: str, parallel: int, **loop: Any) -> RunPlan:
    """Return a run with the settings that a builder has by default, but for what is given."""
    return RunPlan(
        loop=LoopSettings(**{"since": SINCE, "parallel": parallel, **loop}),
        web=WebSettings(
            provider="searxng",
            base_url=web,
            connect_to=asked(f"{web}/connect_to"),
            per_host_delay=0,
            per_host_concurrency=16,
            read_timeout=5,
            retry_wait=0.05,
        ),
        models={
            "default": ModelSettings(
                model="scripted",
                base_url=f"{model}/v1",
                api_key_env="BENCHMARK_MODEL_KEY",
                concurrency=parallel,
            )
        },
        seeds=tuple(Seed(entity_name=name) for name in names),
    )


def run(
    folder: Path,
    wanted: RunPlan,
    model: str,
    each: Callable[[RunProgress], None] | None = None,
    *,
    latency: float,
    places: int,
) -> dict[str, Any]:
    """Work through a run once; return what it took."""
    parallel, total = wanted.loop.parallel, len(wanted.seeds)
    thinned: list[float] = []

    def told(state: RunProgress) -> None:
        if each is not None:
            each(state)
        if state.done > total - parallel and not thinned:
            thinned.append(time.monotonic())  # from here on fewer seeds are left than places

    begun = RunFolder.create(folder, wanted, run="benchmark")
    before = asked(f"{model}/stats")
    watch = computing_once()
    own = Counter(watch.seconds)
    started, used = time.monotonic(), time.process_time()
    with Busyness(model) as busy:
        result = asyncio.run(run_seeds(begun, told=told))
    spent, used = time.monotonic() - started, time.process_time() - used
    after = asked(f"{model}/stats")
    calls = after["requests"] - before["requests"]
    seconds = {name: watch.seconds[name] - own[name] for name in watch.seconds}
    return {
        "seeds": total,
        "outcomes": dict(result.outcomes),
        "unfinished": len(result.unfinished),
        "seconds": spent,
        "model calls": calls,
        "calls a second": calls / spent,
        "places of the server in use": busy.used(
            thinned[0] if thinned else started + spent, latency, places
        ),
        "mean under way / seeds": busy.mean(thinned[0] if thinned else started) / parallel,
        "processor seconds": used,
        "processor seconds a seed": used / total,
        "processor ms a call": 1000 * used / max(1, calls),
        "own computing, seconds": sum(seconds.values()),
        **{f"of it {name}": value for name, value in seconds.items()},
        **memory(),
    }


@functools.cache
def computing_once() -> Stopwatch:
    """Watch once only."""
    return computing()


def names_of(count: int) -> list[str]:
    """Return so many entities of the static web: countries, then what they export or lie on."""
    everything = world()
    found: dict[str, None] = {}
    for relation in ("borders", "exports", "takes part in", "exports to", "natural resource"):
        found |= dict.fromkeys(sorted(everything.tails(relation)))
    if len(found) < count:
        raise SystemExit(f"the static web has {len(found)} entities, expected at least {count}")
    return list(found)[:count]


def show(title: str, row: dict[str, Any]) -> None:
    """Print one row of the table."""
    parts = (
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in row.items()
    )
    print(f"{title}, load {os.getloadavg()[0]:.1f}: " + ", ".join(parts), flush=True)


def main() -> int:
    """Measure; 3 when a claim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=128)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.2, help="of the model, in seconds")
    parser.add_argument("--places", type=int, help="of the server; by default as many as seeds")
    parser.add_argument("--short", action="store_true", help="fewer iterations a question")
    parser.add_argument("--twice", action="store_true", help="again, answered from its store")
    chosen = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors", flush=True)
    places = chosen.places or chosen.parallel
    options = ["--latency", str(chosen.latency), "--no-mistakes", "--places", str(places)]
    told = {"latency": chosen.latency, "places": places}
    marks: list[tuple[int, float]] = []

    def each(state: RunProgress) -> None:
        marks.append((state.calls, memory()["VmRSS"]))

    with (
        tempfile.TemporaryDirectory() as folder,
        served("static_web", "--slow-seconds", "0.5") as web,
        served("scripted_model", *options) as model,
    ):
        loop: dict[str, Any] = SHORT if chosen.short else {}
        wanted = plan(names_of(chosen.seeds), web, model, chosen.parallel, **loop)
        first = run(Path(folder) / "first", wanted, model, each, **told)
        show("the server thinks", first)
        last = first
        if chosen.twice:
            last = run(Path(folder) / "second", wanted, model, **told)
            show("the server answers from its store", last)
            same = [
                (Path(folder) / name / "questions.jsonl").read_bytes()
                for name in ("first", "second")
            ]
            print(f"the same set twice: {same[0] == same[1]}")
        replay = time.process_time()
        again = RunFolder.open(Path(folder) / "first")
        (again.path / "journal.jsonl").unlink()
        asyncio.run(run_seeds(again))
        replay = time.process_time() - replay
        print(f"all of it once more from the log: {replay / chosen.seeds:.3g} processor s a seed")
    for calls, resident in marks[:: max(1, len(marks) // 8)]:
        print(f"after {calls:,} calls: {resident:.0f} MB resident")
    busy = last["places of the server in use"] >= 0.9
    missed = [] if busy else [f"{places} places of the server at least 90 % busy"]
    for claim in missed:
        print(f"missed: {claim}")
    return 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
