"""Loads one graph into each store by graphkit and by the engine's own bulk routes; prints a table.

Ends with 3 where an interrupted load, completed by the same command, gives another store than one
that was left alone, or a bulk route another number of nodes or edges.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docker")]

import graph  # noqa: E402

from graphkit.stores import GraphStore, open_store  # noqa: E402
from graphkit.stores.reading import counts  # noqa: E402

COUNTS = (
    "MATCH (n:Entity) RETURN count(n) AS n",
    "MATCH (:Entity)-[f:FACT]->(:Entity) RETURN count(f) AS n",
)


@dataclass
class Row:
    """One load.

    Attributes:
        store: The engine.
        route: By what it was loaded.
        seconds: By the clock.
        work: Processor seconds of the loading process and its children.
        server_work: Processor seconds of the server meanwhile; 0 without one.
        memory: The most bytes that the loading process, and its children, had.
        server: The most bytes that the server had; 0 without one.
        remark: What else was seen.
    """

    store: str
    route: str
    seconds: float
    work: float
    memory: int
    server: int = 0
    server_work: float = 0.0
    remark: str = ""


def ended(command: Sequence[str], env: Mapping[str, str], signals: Sequence[int] = ()) -> Row:
    """Run a load; send it a signal at each of some progress lines of its own.

    A process that got one is followed by the same command again.
    """
    start, work, told = time.perf_counter(), 0.0, []
    peaks = [0]
    waiting = list(signals)
    while True:
        child = subprocess.Popen(
            command, env={**os.environ, **env}, stderr=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL, cwd=ROOT,
        )  # fmt: skip
        assert child.stderr is not None
        watch = threading.Thread(target=_watch, args=(child.pid, peaks))
        watch.start()
        cut = False
        for line in child.stderr:
            found = re.search(r"loading: ([\d,]+) of ([\d,]+) records", line)
            sys.stderr.write(f"    {line}")
            if found and waiting and not cut:
                done, total = (int(part.replace(",", "")) for part in found.groups())
                if 0 < done < total:
                    number = waiting.pop(0)
                    told.append(f"{signal.Signals(number).name} at {done:,} of {total:,}")
                    child.send_signal(number)
                    cut = True
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        watch.join()
        work += used.ru_utime + used.ru_stime
        if cut:
            continue
        if child.returncode:
            raise SystemExit(f"{' '.join(command[:4])} ended with {child.returncode}")
        if waiting:
            told.append("too quick to be interrupted again")
        return Row("", "", time.perf_counter() - start, work, max(peaks), remark="; ".join(told))


def high_water(pid: int) -> int:
    """Return the most bytes of memory that a process has had; 0 once it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) * 1024 if found else 0


def _watch(pid: int, peaks: list[int]) -> None:
    """Note how much a process and its children have had, until it ends.

    What the kernel says at its end counts the pages of the process that started it.
    """
    children = Path(f"/proc/{pid}/task/{pid}/children")
    while peak := high_water(pid):
        try:
            below = [int(one) for one in children.read_text(encoding="utf-8").split()]
        except (FileNotFoundError, ProcessLookupError):
            below = []
        peaks.append(max(peak, *map(high_water, below)) if below else peak)
        time.sleep(0.05)


def digest(store: GraphStore) -> str:
    """Return a hash of all entities, facts and triples of a store."""
    found = hashlib.sha256(repr(sorted(counts(store).items())).encode())
    for query in (
        "MATCH (e:Entity) RETURN e.id AS a, e.name AS b, e.entity_type AS c",
        "MATCH (h:Entity)-[f:FACT]->(t:Entity) RETURN h.id AS a, f.relation AS b, t.id AS c",
        "MATCH (t:Triples) RETURN t.id AS a, t.json AS b, t.place AS c",
    ):
        rows = sorted((row["a"], row["b"], row["c"] or "") for row in store.read(query, timeout=0))
        for row in rows:
            found.update(repr(row).encode())
    return found.hexdigest()[:16]


def loaded(
    name: str,
    source: Path,
    fresh: Callable[[], AbstractContextManager[Place]],
) -> Iterator[tuple[Row, str]]:
    """Yield the load by graphkit, whole and interrupted, with the hash of what is there then."""
    for route, signals in (
        ("graphkit load", ()),
        ("graphkit load, interrupted, killed, run again", (signal.SIGINT, signal.SIGKILL)),
    ):
        with fresh() as place:
            command = [sys.executable, "-m", "cli.main", "load", str(source)]
            command += ["--store", place.name]
            print(f"{name}: {route}", file=sys.stderr)
            before = place.work()
            row = ended(command, place.env, signals)
            row.store, row.route, row.server = name, route, place.memory()
            row.server_work = place.work() - before
            with place.opened() as store:
                yield row, digest(store)


@dataclass
class Place:
    """An empty store: its name, its variables, and how much memory its server has had."""

    name: str
    env: dict[str, str]
    pid: int = 0

    def memory(self) -> int:
        """Return the most bytes of the server so far."""
        return high_water(self.pid) if self.pid else 0

    def work(self) -> float:
        """Return the processor seconds of the server so far."""
        if not self.pid:
            return 0.0
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
        return sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def opened(self) -> GraphStore:
        """Open the store for reading."""
        os.environ.update(self.env)
        return open_store(self.name, read_only=True)


@contextmanager
def embedded() -> Iterator[Place]:
    """Give a place for a new file."""
    with tempfile.TemporaryDirectory() as folder:
        yield Place(f"{folder}/store.db", {})


@contextmanager
def server(before: Callable[[Path], None] = lambda home: None) -> Iterator[Place]:
    """Start a server in a new folder, after something was done to the folder."""
    from neo4j_process import Neo4jServer

    home = Path(tempfile.mkdtemp(prefix="graphkit-bench-"))
    try:
        for name in ("conf", "logs", "data"):
            (home / name).mkdir()
        before(home)
        with Neo4jServer(home) as running:
            assert running.process is not None
            yield Place(running.uri, running.environment, running.process.pid)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def bulk(route: str, source: Path, place: str, env: Mapping[str, str]) -> Row:
    """Run one of the engine's own routes."""
    print(route, file=sys.stderr)
    path = os.pathsep.join([str(HERE), str(ROOT / "docker"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(HERE / "bulk.py"), route, str(source), place]
    row = ended(command, {**env, "PYTHONPATH": path})
    row.route = route
    return row


def kglite_rows(source: Path, sizes: tuple[int, int]) -> Iterator[Row]:
    """Yield the rows of kglite."""
    import kglite

    yield from same(loaded("kglite", source, embedded))
    for route in ("CREATE in transactions", "data frames"):
        if route == "data frames" and importlib.util.find_spec("pandas") is None:
            print("no pandas here: the data frames of kglite are left out", file=sys.stderr)
            continue
        with embedded() as place:
            row = bulk(route, source, place.name, {})
            row.store = "kglite"
            held = kglite.open(place.name)
            agree([next(iter(held.cypher(query)))["n"] for query in COUNTS], sizes, route)
            held.close()
            yield row


def neo4j_rows(source: Path, sizes: tuple[int, int]) -> Iterator[Row]:
    """Yield the rows of Neo4j."""
    import neo4j

    def numbers(place: Place) -> list[int]:
        login = (place.env["NEO4J_USERNAME"], place.env["NEO4J_PASSWORD"])
        with neo4j.GraphDatabase.driver(place.name, auth=login) as driver:
            return [driver.execute_query(query).records[0]["n"] for query in COUNTS]

    yield from same(loaded("Neo4j", source, server))
    route = "CREATE by the bare driver"
    with server() as place:
        before = place.work()
        row = bulk(route, source, place.name, place.env)
        row.store, row.server, row.server_work = "Neo4j", place.memory(), place.work() - before
        agree(numbers(place), sizes, route)
        yield row
    route, rows = "neo4j-admin import, server down", []
    with server(lambda home: rows.append(bulk(route, source, str(home), {}))) as place:
        agree(numbers(place), sizes, route)
        rows[0].store = "Neo4j"
        yield rows[0]


def agree(found: Sequence[int], expected: Sequence[int], route: str) -> None:
    """End the run where a route left another number of nodes or edges."""
    if list(found) != list(expected):
        print(f"{route}: {found} nodes and edges, expected {expected}", file=sys.stderr)
        raise SystemExit(3)


def same(rows: Iterator[tuple[Row, str]]) -> Iterator[Row]:
    """Pass rows on; end the run where the two stores differ."""
    (whole, first), (cut, second) = rows
    if first != second:
        print(f"{whole.store}: an interrupted load differs from a whole one", file=sys.stderr)
        raise SystemExit(3)
    cut.remark += "; the same store"
    yield whole
    yield cut


def show(rows: Sequence[Row]) -> None:
    """Print the table: times by the clock and of the processor, also in times of graphkit's."""
    print("| store | loaded by | seconds | ratio | processor | ratio | memory | remark |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    ours = {row.store: row for row in reversed(rows) if row.route == "graphkit load"}
    for row in rows:
        base = ours[row.store]
        clock = row.seconds / base.seconds
        work = (row.work + row.server_work) / (base.work + base.server_work)
        seconds = f"{row.work:,.1f}" + (f" + {row.server_work:,.1f}" if row.server else "")
        memory = f"{row.memory / 2**20:,.0f}" + (
            f" + {row.server / 2**20:,.0f}" if row.server else ""
        )
        print(
            f"| {row.store} | {row.route} | {row.seconds:,.1f} | {clock:.2f} "
            f"| {seconds} | {work:.2f} | {memory} MB | {row.remark} |"
        )


def main() -> None:
    """Load everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="*", choices=["kglite", "neo4j", []], default=[])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=500_000)
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "facts.tsv"
        graph.write(source, graph.triples(options.nodes, options.edges))
        sizes = (options.nodes, options.edges)
        for name, made in (("kglite", kglite_rows), ("neo4j", neo4j_rows)):
            if name in (options.stores or ("kglite", "neo4j")):
                rows += made(source, sizes)
    show(rows)


if __name__ == "__main__":
    main()
