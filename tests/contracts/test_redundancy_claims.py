"""How many published query2box queries have a branch that can go: checked and counted by hand."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from graphkit.checks import check
from graphkit.formats import read_facts
from graphkit.question import QuestionGraph

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
SHAPES = ("2i", "3i", "ci")
Rows = dict[str, dict[str, set[str]]]


def benchmark() -> ModuleType:
    """The script of the benchmark, which builds the graphs."""
    spec = importlib.util.spec_from_file_location("growth_run", ROOT / "benchmarks/growth/run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "kg" / "fb15k237"


@pytest.fixture(scope="module")
def queries(folder: Path) -> list[dict[str, Any]]:
    path = folder / "query2box-valid-sample.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["shape"] in SHAPES]


@pytest.fixture(scope="module")
def tables(folder: Path) -> dict[str, Rows]:
    """The facts as plain dictionaries: direction -> relation -> entity -> entities."""
    found: dict[str, Rows] = {"forward": {}, "backward": {}}
    for name in ("train.tsv.gz", "valid-extra.tsv.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                head, relation, tail = line.rstrip("\n").split("\t")
                found["forward"].setdefault(relation, {}).setdefault(head, set()).add(tail)
                found["backward"].setdefault(relation, {}).setdefault(tail, set()).add(head)
    return found


def branch(tables: dict[str, Rows], row: dict[str, Any]) -> set[str]:
    reached = {row["anchor"]}
    for step in row["path"]:
        table = tables[step["direction"]][step["relation"]]
        reached = set[str]().union(*(table.get(entity, set()) for entity in reached))
    return reached


def test_redundant_branches_are_those_that_plain_sets_find(
    folder: Path, queries: list[dict[str, Any]], tables: dict[str, Rows]
):
    """A branch is called redundant just when the other branches meet in the same answers."""
    facts = read_facts([folder / "train.tsv.gz", folder / "valid-extra.tsv.gz"])
    published = benchmark().published
    found: dict[str, Counter[str]] = {shape: Counter() for shape in SHAPES}
    for row in queries:
        graph: QuestionGraph = published(row)
        sets = [branch(tables, item) for item in row["branches"]]
        answers = set.intersection(*sets)
        assert answers == set(row["answers"])
        (meet,) = (edge for edge in graph.edges if edge.op == "intersection")
        report = check(graph, facts)
        want = {
            f"{meet.edge_id}/{source}"
            for place, source in enumerate(meet.source_ids)
            if set.intersection(*(one for n, one in enumerate(sets) if n != place)) == answers
        }
        assert {item for item in report.redundant or () if "/" in item} == want
        assert report.unique == (len(answers) == 1)
        counts = found[row["shape"]]
        counts["queries"] += 1
        counts["redundant"] += bool(want)
    assert {shape: counts["queries"] for shape, counts in found.items()} == dict.fromkeys(
        SHAPES, 150
    )
    readme = (ROOT / "benchmarks" / "growth" / "README.md").read_text("utf8")
    for shape, counts in found.items():
        told = re.search(rf"\| {shape} \| (\d+) % \|", readme)
        assert told is not None
        assert round(100 * counts["redundant"] / 150) == int(told[1])
