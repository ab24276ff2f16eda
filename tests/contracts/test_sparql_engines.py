"""Compiled SPARQL against memory: thousands of generated pairs, and published answer sets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from graphkit.compile.sparql import to_sparql
from graphkit.compile.sparql_answers import Engine, answer_by_sparql
from graphkit.errors import UnsafeGraphError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import is_unsafe

NEGATIVE = (Op.COMPLEMENT,)


def compare(engine: Engine, seed: int, number: int) -> dict[str, int]:
    """Compare full answer sets; count what occurred, so that the fuzz cannot be hollow."""
    seen = dict.fromkeys(("filled", "empty", "unsafe", "negation", "shared", "odd"), 0)
    for facts, graph in seeded_pairs(seed, number, safe=None):
        if is_unsafe(graph):
            seen["unsafe"] += 1
            with pytest.raises(UnsafeGraphError):
                to_sparql(graph, facts)
        expected = evaluate(graph, facts, materialize_universe=True).names
        found = answer_by_sparql(graph, facts, engine, materialize_universe=True)
        assert found == expected, (
            f"{graph.to_record()}\n{to_sparql(graph, facts, materialize_universe=True).text}"
        )
        seen["filled" if expected else "empty"] += 1
        seen["negation"] += any(edge.op in NEGATIVE for edge in graph.edges)
        seen["shared"] += any(len(edges) > 1 for edges in graph.outgoing.values())
        seen["odd"] += any(not name.isalnum() for name in expected)
    return seen


def test_pyoxigraph_answers_as_memory_does() -> None:
    """2,400 generated pairs have the same full answer set in pyoxigraph as in memory."""
    pytest.importorskip("pyoxigraph")
    seen = compare("pyoxigraph", 2024, 2400)
    assert min(seen.values()) > 150, seen


@pytest.mark.slow
def test_rdflib_answers_as_memory_does() -> None:
    """300 generated pairs have the same full answer set in rdflib as in memory."""
    seen = compare("rdflib", 77, 300)
    assert min(seen.values()) > 15, seen


SHAPES = ("1c", "2c", "3c", "2i", "3i", "ci", "2u", "uc")


def triples(folder: Path) -> list[tuple[str, ...]]:
    found = []
    for name in ("train.tsv.gz", "valid-extra.tsv.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            found += [tuple(line.rstrip("\n").split("\t")) for line in lines]
    return found


def published(query: dict[str, Any]) -> QuestionGraph:
    """Build the graph of a published query: branches, what joins them, and a path after that."""
    nodes: list[Node] = []
    edges: list[Edge] = []

    def node(*names: str) -> str:
        nodes.append(Node(node_id=f"n{len(nodes)}", known_entities=names))
        return nodes[-1].node_id

    def edge(op: Op, sources: list[str], step: dict[str, str]) -> str:
        target = node()
        way = Direction(step["direction"]) if step else None
        edges.append(
            Edge(
                edge_id=f"e{len(edges)}",
                source_ids=tuple(sources),
                target_id=target,
                op=op,
                relation=step.get("relation"),
                direction=way,
            )
        )
        return target

    ends = []
    for branch in query["branches"]:
        end = node(branch["anchor"])
        for step in branch["path"]:
            end = edge(Op.PROJECTION, [end], step)
        ends.append(end)
    root = ends[0] if len(ends) == 1 else edge(Op(query["op"]), ends, {})
    for step in query.get("then", []):
        root = edge(Op.PROJECTION, [root], step)
    return QuestionGraph(root_node_id=root, nodes=tuple(nodes), edges=tuple(edges))


@pytest.mark.shared_data
@pytest.mark.slow
def test_published_answers_are_reproduced_in_full(shared_data: Path) -> None:
    """pyoxigraph gives exactly the published answers of 1,200 query2box queries."""
    pytest.importorskip("pyoxigraph")
    folder = shared_data / "kg" / "fb15k237"
    facts = FactStore.from_triples((h, r, t) for h, r, t in triples(folder))
    with gzip.open(folder / "query2box-valid-sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        queries = [json.loads(line) for line in lines]
    counts = dict.fromkeys(SHAPES, 0)
    for query in queries:
        found = answer_by_sparql(published(query), facts, "pyoxigraph")
        assert found == sorted(query["answers"])
        counts[query["shape"]] += 1
    assert counts == dict.fromkeys(SHAPES, 150)
