"""Importing the core is quick, and loads nothing heavy; a large store is small in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "neo4j", "openai", "matplotlib", "hypothesis", "kglite", "rdflib", "networkx", "pytest",
)  # fmt: skip


def fresh(code: str, *arguments: str) -> dict:
    """Run code in a new interpreter; it prints one JSON object."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


IMPORT = """
import json, sys, time
started = time.perf_counter()
import importlib
for name in sys.argv[1].split(","):
    importlib.import_module(name)
seconds = time.perf_counter() - started
print(json.dumps({"seconds": seconds, "modules": sorted({m.split(".")[0] for m in sys.modules})}))
"""


@pytest.mark.parametrize(
    "names",
    [
        "graphkit",
        "graphkit.evaluate,graphkit.facts,graphkit.question",
        "graphkit.patterns,graphkit.witness,graphkit.lint,graphkit.checks",
        "graphkit.testing,graphkit.testing.generation,graphkit.testing.oracle",
    ],
)
def test_the_core_loads_no_heavy_module(names):
    """A fresh interpreter: none of the servers, models, pictures, notations or test tools."""
    loaded = fresh(IMPORT, names)["modules"]
    assert "graphkit" in loaded
    assert sorted(set(HEAVY) & set(loaded)) == []


def test_the_core_is_imported_in_under_two_seconds():
    """The best of five fresh interpreters; the claim of half a second is for benchmarks."""
    names = "graphkit,graphkit.evaluate,graphkit.facts,graphkit.question"
    best = min(fresh(IMPORT, names)["seconds"] for _ in range(5))
    print(f"import of the core: {best:.3f} s")
    assert best < 2.0


LOAD = """
import gzip, json, sys
from graphkit.facts import FactStore

def triples():
    for path in sys.argv[1:]:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield tuple(line.rstrip("\\n").split("\\t"))

store = FactStore.from_triples(triples())
# Not ru_maxrss: it begins with the size of the process that started this one.
with open("/proc/self/status", encoding="utf8") as status:
    kilobytes = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({"facts": len(store), "entities": store.size, "megabytes": kilobytes / 1024}))
"""


@pytest.mark.shared_data
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_graph_of_272_000_facts_loads_in_under_400_megabytes(shared_data: Path):
    """FB15k-237, train and the further facts, in an interpreter of its own."""
    folder = shared_data / "kg" / "fb15k237"
    done = fresh(LOAD, *(str(folder / f"{name}.tsv.gz") for name in ("train", "valid-extra")))
    print(done)
    assert done["facts"] > 270_000
    assert done["entities"] > 14_000
    assert done["megabytes"] < 400
