"""Bytes a fact and load time of generated graphs of growing size, each in a process of its own."""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from graphkit.facts import FactStore
from graphkit.mapped import open_mapped, save_mapped
from graphkit.operations import Direction

FACTS_AN_ENTITY = 8
RELATIONS = 200


def triples(count: int) -> Iterator[tuple[str, str, str]]:
    """Facts with few large and many small entities and relations."""
    dice = random.Random(count)
    entities = count // FACTS_AN_ENTITY
    for _ in range(count):
        yield (
            f"entity {int(entities * dice.random() ** 2)}",
            f"relation {int(RELATIONS * dice.random() ** 3)}",
            f"entity {int(entities * dice.random() ** 2)}",
        )


def resident() -> int:
    """Return the bytes of memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def one(count: int) -> dict[str, float]:
    """Measure one size in this process."""
    before = resident()
    start = time.process_time()
    for _ in triples(count):
        pass
    generating = time.process_time() - start
    start = time.process_time()
    facts = FactStore.from_triples(triples(count))
    loading = time.process_time() - start - generating
    gc.collect()
    stored = resident() - before
    found: dict[str, float] = {"facts": len(facts), "entities": len(facts.entities)}
    tables = [t for a in facts.adjacency for t in (a.forward, a.backward)]
    arrays = sum(t.keys.nbytes + t.starts.nbytes + t.values.nbytes for t in tables)
    found |= {"load_s": loading, "resident": stored, "arrays": arrays}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.graphkit"
        start = time.process_time()
        save_mapped(facts, path)
        found["save_s"] = time.process_time() - start
        found["file"] = path.stat().st_size
        found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        start = time.perf_counter()
        open_mapped(path)
        found["open_ms"] = (time.perf_counter() - start) * 1e3
        start = time.perf_counter()
        mapped = open_mapped(path, verify=False)
        found["open_unread_ms"] = (time.perf_counter() - start) * 1e3
        start = time.perf_counter()
        mapped.project("relation 3", Direction.FORWARD, mapped.named("entity 5"))
        found["first_answer_ms"] = (time.perf_counter() - start) * 1e3
    return found


def main() -> None:
    """Measure all sizes and print a line of JSON each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=[300_000, 1_000_000, 3_000_000])
    parser.add_argument("--here", action="store_true", help="one size, in this process")
    options = parser.parse_args()
    for count in options.counts:
        if options.here:
            print(json.dumps(one(count)))
        else:
            subprocess.run([sys.executable, __file__, "--here", str(count)], check=True)


if __name__ == "__main__":
    main()
