"""Certified questions a second, against drawing at random and rejecting."""

from __future__ import annotations

import time
from collections.abc import Iterator

from measuring import Row
from plain_numpy import PlainNumpy
from rejecting import certified
from workload import QueryMaker, columns

from graphkit.facts import FactStore
from synthesis.sampling import Sampler

KGREASONING = {
    "2i": 161,
    "3i": 21,
    "pi": 25,
    "ip": 10,
    "2in": 30,
    "3in": 31,
    "pin": 9,
    "pni": 12,
    "inp": 6,
}
"""What KGReasoning's sampler reached by rejection, per second, on a machine of this kind."""


def measure(facts: FactStore, count: int, *, seconds: float = 2.0) -> Iterator[Row]:
    """Yield rate and yield of each pattern with two or more branches."""
    plain = PlainNumpy(columns(facts), len(facts.entities), len(facts.relations))
    maker = QueryMaker(facts)
    for pattern, rate in KGREASONING.items():
        list(Sampler(facts, 1).sample(pattern, 10))
        sampler = Sampler(facts, 2)
        start = time.process_time()
        found = len(list(sampler.sample(pattern, count)))
        ours = found / (time.process_time() - start)
        kept = tried = 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            (query,) = maker.many(pattern, 1)
            tried += 1
            kept += certified(query, plain.answers)
        theirs = kept / (time.process_time() - start)
        job, mine = f"{pattern}: certified a second", f"{ours:,.0f}/s"
        yield Row(job, mine, "KGReasoning", f"{rate}/s", ours / rate, ">= 20")
        share = sampler.certified / max(1, sampler.proposed) * 100
        other = f"{theirs:,.1f}/s, {kept / tried * 100:.2f} % of proposals"
        yield Row(job, mine, "random, rejected, numpy", other, ours / max(theirs, 1 / seconds))
        job = f"{pattern}: certified of 100 proposed"
        yield Row(job, f"{share:.0f}", "demanded", "10", share, ">= 10")
