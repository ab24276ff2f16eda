"""The same generated facts in memory, in kglite and in Neo4j: load, memory, and 14 patterns."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from scale import triples
from workload import SHAPES, QueryMaker, as_graph

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docker"))

from neo4j_process import Neo4jServer

from graphkit.compile.cypher import to_cypher
from graphkit.errors import QueryError, StoreError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from graphkit.stores import GraphStore, load_triples, open_store

Answer = Callable[[QuestionGraph], list[str] | None]
"""Answers a question; None where the engine gives it up."""


def processor(pid: int | None = None) -> float:
    """Return the processor seconds of this process, and of another one with it."""
    mine = time.process_time()
    if pid is None:
        return mine
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return mine + sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int | str = "self") -> int:
    """Return the bytes of memory that a process has now."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found.group(1)) * 1024


def disk(place: Path) -> int:
    """Return the bytes of a file, or of all files of a folder."""
    files = place.rglob("*") if place.is_dir() else place.parent.glob(f"{place.name}*")
    return sum(file.stat().st_size for file in files if file.is_file())


def in_store(store: GraphStore, facts: FactStore, seconds: float) -> Answer:
    """Return what answers by Cypher."""

    def answer(graph: QuestionGraph) -> list[str] | None:
        compiled = to_cypher(graph, facts)
        try:
            return sorted(
                store.read(compiled.text, compiled.params, timeout=seconds).column("name")
            )
        except (QueryError, StoreError):
            return None

    return answer


def told(job: str, work: float, clock: float, memory: int, place: int) -> None:
    """Print what loading took."""
    print(
        f"| {job} | {work:,.1f} s | {clock:,.1f} s | {memory / 2**20:,.0f} MB "
        f"| {place / 2**20:,.0f} MB |",
        flush=True,
    )


def measured(
    answer: Answer, graphs: list[QuestionGraph], expected: list[list[str]], pid: int | None
) -> tuple[float, float, int]:
    """Return mean processor and clock seconds a question, and how many were given up.

    All questions were asked once before, so that plans are made and pages read.
    """
    for graph in graphs:
        answer(graph)
    work, clock, given_up = processor(pid), time.perf_counter(), 0
    for graph, right in zip(graphs, expected, strict=True):
        found = answer(graph)
        if found is None:
            given_up += 1
        elif found != right:
            raise AssertionError(f"another answer to {graph.to_record()}")
    work, clock = processor(pid) - work, time.perf_counter() - clock
    return work / len(graphs), clock / len(graphs), given_up


def rows(
    engines: dict[str, tuple[Answer, int | None]], facts: FactStore, count: int
) -> Iterator[str]:
    """Yield a row for each pattern: milliseconds of the processor, of the clock in brackets."""
    for pattern in SHAPES:
        graphs = [as_graph(query, facts) for query in QueryMaker(facts).many(pattern, count)]
        expected = [evaluate(graph, facts).names for graph in graphs]
        cells = []
        for answer, pid in engines.values():
            work, clock, given_up = measured(answer, graphs, expected, pid)
            lost = f", {given_up} given up" if given_up else ""
            cells.append(f"{work * 1e3:,.2f} ({clock * 1e3:,.2f}{lost})")
        yield f"| {pattern} | {' | '.join(cells)} |"


def main() -> None:
    """Load and ask; all answers must be the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=10, help="queries a pattern")
    parser.add_argument("--seconds", type=float, default=30, help="the most for one query")
    options = parser.parse_args()
    print("| loaded into | processor | clock | memory | on disk |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        given = list(triples(options.facts))
        before, work, clock = resident(), processor(), time.perf_counter()
        facts = FactStore.from_triples(given)
        took = processor() - work, time.perf_counter() - clock
        told("memory", *took, resident() - before, 0)

        before, work, clock = resident(), processor(), time.perf_counter()
        embedded = stack.enter_context(open_store(folder / "s.db"))
        load_triples(embedded, given)
        took = processor() - work, time.perf_counter() - clock
        told("kglite", *took, resident() - before, disk(folder / "s.db"))

        home = folder / "neo4j"
        home.mkdir()
        server = stack.enter_context(Neo4jServer(home))
        assert server.process is not None
        pid = server.process.pid
        os.environ.update(server.environment)
        work, clock = processor(pid), time.perf_counter()
        remote = stack.enter_context(open_store(server.uri))
        load_triples(remote, given)
        took = processor(pid) - work, time.perf_counter() - clock
        told("Neo4j", *took, resident(pid), disk(home / "data"))
        del given

        print("\n| pattern | memory | kglite | Neo4j |")
        print("| --- | ---: | ---: | ---: |")
        engines: dict[str, tuple[Answer, int | None]] = {
            "memory": (lambda graph: evaluate(graph, facts).names, None),
            "kglite": (in_store(embedded, facts, options.seconds), None),
            "Neo4j": (in_store(remote, facts, options.seconds), pid),
        }
        for row in rows(engines, facts, options.queries):
            print(row, flush=True)


if __name__ == "__main__":
    main()
