"""What the model door costs: overhead over the bare client, concurrency, memory over many calls."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from openai import AsyncOpenAI
from pydantic import BaseModel

from graphkit.models import ExchangeLog, Message, ModelDoor, ModelSettings

SERVER = Path(__file__).resolve().parents[2] / "tests" / "servers" / "model_faults.py"


class City(BaseModel):
    name: str
    size: int


def messages(number: int) -> list[Message]:
    """A prompt of four thousand characters that no other call has."""
    system = "graphkit task: parse/1 (en)\n" + "Read the question and its answer. " * 60
    return [
        Message(role="system", content=system),
        Message(role="user", content=f"question {number}: " + "which country is it? " * 95),
    ]


@contextlib.contextmanager
def server(delay: float) -> Iterator[str]:
    """A server in a process of its own that answers everything after a delay."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), "--delay", str(delay)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def load(url: str) -> dict[str, float]:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/load") as answer:
        return json.load(answer)


async def timed(call: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await call()
    return (time.perf_counter() - started) * 1000


async def client_asks(bare: AsyncOpenAI, plain: list[dict[str, str]]) -> City:
    """Ask the bare client for the same."""
    schema = {"name": "City", "schema": City.model_json_schema(), "strict": False}
    done = await bare.chat.completions.create(
        model="m",
        messages=plain,
        response_format={"type": "json_schema", "json_schema": schema},
    )
    return City.model_validate_json(done.choices[0].message.content)


async def overhead(calls: int) -> dict[str, float]:
    """The same requests by turns: the bare client, and the door with a log on disk."""
    with server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        settings = ModelSettings(model="m", base_url=url, api_key_env="BENCHMARK_MODEL_KEY")
        bare = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        of_bare: list[float] = []
        of_door: list[float] = []
        with ExchangeLog.open(Path(folder) / "exchanges.jsonl", run="r") as log:
            async with ModelDoor(settings, log=log) as door:
                for number in range(-20, calls):
                    asked = messages(number)
                    plain = [{"role": item.role, "content": item.content} for item in asked]

                    by_client = functools.partial(client_asks, bare, plain)
                    by_door = functools.partial(door.ask, "parse", asked, City)
                    turns = [(of_bare, by_client), (of_door, by_door)]
                    for kept, call in turns if number % 2 else reversed(turns):
                        spent = await timed(call)
                        if number >= 0:
                            kept.append(spent)
                started = time.perf_counter()
                for number in range(calls):
                    await door.ask("parse", messages(number), City)
                from_log = (time.perf_counter() - started) * 1000 / calls
        await bare.close()
    pairs = [door - bare for bare, door in zip(of_bare, of_door)]
    return {
        "bare client, median ms": statistics.median(of_bare),
        "door, median ms": statistics.median(of_door),
        "difference of pairs, median ms": statistics.median(pairs),
        "from the log, mean ms": from_log,
    }


async def busy(calls: int, parallel: int, delay: float, way: str) -> dict[str, float]:
    """So many tasks share the calls; how many requests the server has under way, in the mean."""
    with server(delay) as url, tempfile.TemporaryDirectory() as folder:
        settings = ModelSettings(
            model="m", base_url=url, api_key_env="BENCHMARK_MODEL_KEY", concurrency=parallel
        )
        bare = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        with ExchangeLog.open(Path(folder) / "exchanges.jsonl", run="r") as log:
            async with ModelDoor(settings, log=log) as door:

                async def one(number: int) -> None:
                    asked = messages(number)
                    if way == "door":
                        await door.ask("parse", asked, City)
                    else:
                        plain = [{"role": item.role, "content": item.content} for item in asked]
                        await bare.chat.completions.create(model="m", messages=plain)

                numbers = iter(range(calls))
                told: list[dict[str, float]] = []

                async def worker() -> None:
                    for number in numbers:
                        await one(number)
                    if not told:  # no work remains: what is still under way does not count
                        told.append({})
                        told[0].update(await asyncio.to_thread(load, url))

                await asyncio.gather(*(one(-number) for number in range(1, parallel + 1)))
                await asyncio.to_thread(load, url)
                started, used = time.perf_counter(), time.process_time()
                await asyncio.gather(*(worker() for _ in range(parallel)))
                spent, used = time.perf_counter() - started, time.process_time() - used
        await bare.close()
    return {
        "seconds": spent,
        "calls a second": calls / spent,
        "mean under way": told[0]["mean"],
        "busy": told[0]["mean"] / parallel,
        "processor ms a call": used * 1000 / calls,
    }


def memory() -> dict[str, float]:
    """Megabytes of this process now, and at most."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return {name: int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")}


async def steady(calls: int, parallel: int) -> dict[str, float]:
    """Memory after a tenth of the calls and after all."""
    found: dict[str, float] = {}
    with server(0.0) as url, tempfile.TemporaryDirectory() as folder:
        settings = ModelSettings(model="m", base_url=url, api_key_env="BENCHMARK_MODEL_KEY")
        with ExchangeLog.open(Path(folder) / "exchanges.jsonl", run="r") as log:
            async with ModelDoor(settings, log=log) as door:
                for part, (first, last) in enumerate(((0, calls // 10), (calls // 10, calls))):
                    numbers = iter(range(first, last))

                    async def worker() -> None:
                        for number in numbers:  # noqa: B023 - shared by the workers on purpose
                            await door.ask("parse", messages(number), City)

                    await asyncio.gather(*(worker() for _ in range(parallel)))
                    for name, megabytes in memory().items():
                        found[f"{name} MB after {last if part else calls // 10}"] = megabytes
            found["log, MB"] = (Path(folder) / "exchanges.jsonl").stat().st_size / 1e6
    return found


def told(title: str, row: dict[str, float]) -> None:
    print(
        f"{title}: " + ", ".join(f"{name} {value:.3g}" for name, value in row.items()), flush=True
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=300, help="calls of the overhead")
    parser.add_argument("--rounds", type=int, default=20, help="calls of each of the 64 tasks")
    parser.add_argument("--tries", type=int, default=3, help="how often the 64 tasks are run")
    parser.add_argument("--many", type=int, default=10_000, help="calls of the memory")
    chosen = parser.parse_args()
    print(f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    missed: list[str] = []
    spent = asyncio.run(overhead(chosen.calls))
    told("overhead", spent)
    if spent["difference of pairs, median ms"] >= 5:
        missed.append("overhead below 5 ms")
    best = 0.0
    for _ in range(chosen.tries):
        for way in ("door", "bare"):
            row = asyncio.run(busy(64 * chosen.rounds, 64, 0.2, way))
            told(f"64 tasks, 200 ms, {way}, load {os.getloadavg()[0]:.1f}", row)
            best = max(best, row["busy"] if way == "door" else 0.0)
    if best < 0.9:
        missed.append("server at least 90 % busy")
    kept = asyncio.run(steady(chosen.many, 16))
    told("memory", kept)
    first, last = (value for name, value in kept.items() if name.startswith("VmHWM"))
    if last - first > 4:
        missed.append("memory flat: at most 4 MB more")
    for claim in missed:
        print(f"missed: {claim}")
    return 3 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
