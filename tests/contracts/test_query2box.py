"""Published query2box answer sets, an outside oracle: reproduced in memory and by Cypher."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.stores import (
    GraphStore,
    answer_in_store,
    counts,
    load_triples,
    open_store,
    read_facts,
)

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]

SHAPES = ("1c", "2c", "3c", "2i", "3i", "ci", "2u", "uc")


def _triples(folder: Path) -> Iterator[tuple[str, str, str]]:
    for name in ("train.tsv.gz", "valid-extra.tsv.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                head, relation, tail = line.rstrip("\n").split("\t")
                yield head, relation, tail


@pytest.fixture(scope="module")
def queries(shared_data: Path) -> list[dict[str, Any]]:
    path = shared_data / "kg" / "fb15k237" / "query2box-valid-sample.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def facts(shared_data: Path) -> FactStore:
    return FactStore.from_triples(_triples(shared_data / "kg" / "fb15k237"))


@pytest.fixture(scope="module")
def store(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    place = tmp_path_factory.mktemp("query2box") / "store.db"
    with open_store(place) as writer:
        load_triples(writer, _triples(shared_data / "kg" / "fb15k237"))
    with open_store(place, read_only=True) as reader:
        yield reader


class _Builder:
    """Builds the graph of one query, unions as the extension or by De Morgan."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []

    def node(self, *names: str) -> str:
        self.nodes.append(Node(node_id=f"n{len(self.nodes)}", known_entities=names))
        return self.nodes[-1].node_id

    def edge(self, op: Op, *sources: str, **of_projection: Any) -> str:
        target = self.node()
        self.edges.append(
            Edge(
                edge_id=f"e{len(self.edges)}",
                source_ids=sources,
                target_id=target,
                op=op,
                **of_projection,
            )
        )
        return target

    def path(self, start: str, steps: list[dict[str, str]]) -> str:
        for step in steps:
            direction = Direction(step["direction"])
            start = self.edge(Op.PROJECTION, start, relation=step["relation"], direction=direction)
        return start


def _graph(query: dict[str, Any], *, de_morgan: bool) -> QuestionGraph:
    made = _Builder()
    ends = [made.path(made.node(b["anchor"]), b["path"]) for b in query["branches"]]
    op = query.get("op")
    if len(ends) == 1:
        root = ends[0]
    elif op == "union" and de_morgan:
        outside = [made.edge(Op.COMPLEMENT, end) for end in ends]
        root = made.edge(Op.COMPLEMENT, made.edge(Op.INTERSECTION, *outside))
    else:
        root = made.edge(Op(op), *ends)
    root = made.path(root, query.get("then", []))
    return QuestionGraph(root_node_id=root, nodes=tuple(made.nodes), edges=tuple(made.edges))


def test_all_published_queries_are_there(queries: list[dict[str, Any]]) -> None:
    """The sample holds 150 queries of each of the eight shapes."""
    assert Counter(query["shape"] for query in queries) == dict.fromkeys(SHAPES, 150)


def test_the_store_holds_all_facts(facts: FactStore, store: GraphStore) -> None:
    """All facts are in the store, and come back from it with the same numbers."""
    assert counts(store)["facts"] == len(facts) == 289_641
    back = read_facts(store)
    assert back.entities == facts.entities
    assert back.relations == facts.relations
    assert len(back) == len(facts)


@pytest.mark.parametrize(
    ("shape", "de_morgan"),
    [*((shape, False) for shape in SHAPES), ("2u", True), ("uc", True)],
)
def test_published_answers_are_reproduced_in_full(
    queries: list[dict[str, Any]],
    facts: FactStore,
    store: GraphStore,
    shape: str,
    de_morgan: bool,
) -> None:
    """Both engines give exactly the published answer set of every query of a shape."""
    checked = 0
    for query in queries:
        if query["shape"] != shape:
            continue
        graph = _graph(query, de_morgan=de_morgan)
        in_memory = evaluate(graph, facts)
        published = sorted(query["answers"])
        assert in_memory.names == published
        found = answer_in_store(store, graph, facts, grounding=in_memory.grounding)
        assert found == published
        checked += 1
    assert checked == 150
