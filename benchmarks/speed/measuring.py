"""Times in processor seconds, in turn, as rows of a table; shared by the scripts beside it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
FROZEN = ("plain_numpy.py", "plain_sets.py", "rejecting.py")


@dataclass(frozen=True)
class Row:
    """One measured number against another.

    Attributes:
        job: What is done.
        ours: What graphkit takes, or reaches.
        other: Who or what it is compared with.
        theirs: What that takes, or reaches.
        ratio: How they compare.
        bound: What is demanded of the ratio: ``>= 1.5`` or ``<= 2``; empty for a report only.
    """

    job: str
    ours: str
    other: str
    theirs: str
    ratio: float
    bound: str = ""

    @property
    def holds(self) -> bool:
        """Whether the ratio is as demanded."""
        if not self.bound:
            return True
        sign, number = self.bound.split()
        return self.ratio >= float(number) if sign == ">=" else self.ratio <= float(number)


def best(*jobs: Callable[[], object], rounds: int = 3) -> list[float]:
    """Run jobs in turn; return the least processor time of each in seconds.

    Processor time, as the machine is shared; all jobs run in one thread.
    """
    found = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for place, job in enumerate(jobs):
            start = time.process_time()
            job()
            found[place] = min(found[place], time.process_time() - start)
    return found


def milliseconds(seconds: float) -> str:
    """Return a time as it is printed."""
    return f"{seconds * 1e3:,.1f} ms"


def faster(job: str, ours: float, other: str, theirs: float, bound: str = "") -> Row:
    """A row about how many times less time ours takes."""
    return Row(job, milliseconds(ours), other, milliseconds(theirs), theirs / ours, bound)


def share(job: str, ours: float, other: str, theirs: float, bound: str = "") -> Row:
    """A row about how much time ours takes in times of the other."""
    return Row(job, milliseconds(ours), other, milliseconds(theirs), ours / theirs, bound)


def frozen() -> str:
    """Return the hash of the baselines, so that a changed baseline is seen."""
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in FROZEN))
    return digest.hexdigest()[:16]


def show(rows: Iterable[Row]) -> bool:
    """Print rows as a table; return whether all bounds hold."""
    found = list(rows)
    print(f"baselines {frozen()}")
    print("| job | graphkit | compared with | theirs | ratio | demanded |")
    print("| --- | ---: | --- | ---: | ---: | --- |")
    for row in found:
        mark = row.bound if row.holds else f"{row.bound} (missed)"
        print(f"| {row.job} | {row.ours} | {row.other} | {row.theirs} | {row.ratio:.2f} | {mark} |")
    return all(row.holds for row in found)
