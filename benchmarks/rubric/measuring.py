"""Timing, the peers' environment, and a table of ratios; shared by the scripts beside it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import workload

HERE = Path(__file__).resolve().parent
PEERS = ("autorubric", "rubric", "scipy", "numpy")
ROUNDS = 15


@dataclass(frozen=True)
class Claim:
    """One measured ratio against what is claimed.

    Attributes:
        job: What is done.
        ours: Seconds of this package.
        peer: The name of the other.
        theirs: Its seconds.
        least: The ratio that is claimed, or None where it is only reported.
    """

    job: str
    ours: float
    peer: str
    theirs: float
    least: float | None = None

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours

    @property
    def holds(self) -> bool:
        """Whether the claim holds."""
        return self.least is None or self.ratio >= self.least


def best(*jobs: Callable[[], float | None], rounds: int = ROUNDS) -> list[float]:
    """Run jobs in turn, round after round, and return the shortest time of each in seconds.

    In turn, so that a busy machine is as busy for one as for the other; in each turn a job is
    repeated for :data:`workload.BURST` seconds, so that a short one is timed warm, like a long one.

    Args:
        jobs: What to run; a job that returns a number has timed its own turn.
        rounds: How many turns each has.
    """
    found = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for place, job in enumerate(jobs):
            ends = time.perf_counter() + workload.BURST
            while True:
                start = time.perf_counter()
                timed = job()
                taken = time.perf_counter() - start
                found[place] = min(found[place], taken if timed is None else timed)
                if timed is not None or time.perf_counter() >= ends:
                    break
    return found


def environment(folder: Path) -> Path:
    """Return the interpreter of the peers' environment, made there if it is not yet."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    ready = folder / "ready"
    if not ready.exists():
        print(f"installing {', '.join(PEERS)} into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS], check=True)
        ready.touch()
    return python


class Peers:
    """The peers' process: it stays, so that its jobs can be run in turn with ours."""

    def __init__(self, python: Path) -> None:
        self._process = subprocess.Popen(
            [python, str(HERE / "peers.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=HERE,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        )  # no look-up at import
        self.versions: dict[str, str] = json.loads(self._answer())

    def _answer(self) -> str:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise RuntimeError("the peers' process ended; its error stands above")
        return line

    def job(self, name: str) -> Callable[[], float]:
        """Return a job that gives a peer one turn and returns its shortest time in it."""

        def timed() -> float:
            if self._process.stdin is None:
                raise RuntimeError("the peers' process has no input")
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
            return float(self._answer())

        return timed

    def __enter__(self) -> Peers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def quietly(job: Callable[[], object]) -> Callable[[], None]:
    """Return a job without its result, to be timed from outside."""

    def run() -> None:
        job()

    return run


def show(claims: Iterable[Claim]) -> bool:
    """Print the claims as a Markdown table; return whether all of them hold."""
    found = list(claims)
    print("| job | ours | peer | theirs | ratio | claimed |")
    print("| --- | ---: | --- | ---: | ---: | --- |")
    for claim in found:
        mark = (
            "" if claim.least is None else f"{claim.least:g}" + ("" if claim.holds else " (missed)")
        )
        print(
            f"| {claim.job} | {claim.ours * 1e3:.1f} ms | {claim.peer} "
            f"| {claim.theirs * 1e3:.1f} ms | {claim.ratio:.1f} | {mark} |"
        )
    return all(claim.holds for claim in found)


def run(measure: Callable[[Peers], list[Claim]], title: str) -> None:
    """Run one script: parse its arguments, measure, print, exit 3 if a claim is missed."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument(
        "--peers",
        type=Path,
        default=Path.home() / ".cache/graphkit-rubric-peers",
        help="folder of the peers' environment, made if it is not there",
    )
    folder = parser.parse_args().peers
    with Peers(environment(folder)) as peers:
        found = measure(peers)
    sys.exit(0 if show(found) else 3)
