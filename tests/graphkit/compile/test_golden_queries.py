"""The compiled texts of the 14 patterns, as files to be read: a change of one is seen in review."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from graphkit.compile.cypher import to_cypher
from graphkit.compile.sparql import to_sparql
from graphkit.compile.sparql_answers import answer_by_sparql
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.patterns import PATTERNS, signature
from graphkit.question import Edge, Node, QuestionGraph

GOLDEN = Path(__file__).resolve().parents[2] / "golden"

FACTS = FactStore.from_triples(
    [
        ("France", "borders", "Spain"),
        ("France", "borders", "Italy"),
        ("France", "borders", "Germany"),
        ("Spain", "borders", "Portugal"),
        ("Italy", "borders", "Austria"),
        ("Germany", "borders", "Austria"),
        ("Germany", "borders", "Poland"),
        ("Austria", "borders", "Hungary"),
        ("Poland", "borders", "Ukraine"),
        ("France", "member of", "NATO"),
        ("Spain", "member of", "NATO"),
        ("Italy", "member of", "NATO"),
        ("Germany", "member of", "NATO"),
        ("Austria", "speaks", "German"),
        ("Germany", "speaks", "German"),
        ("Vienna", "capital of", "Austria"),
        ("Madrid", "capital of", "Spain"),
        ("Rome", "capital of", "Italy"),
        ("Berlin", "capital of", "Germany"),
        ("Budapest", "capital of", "Hungary"),
    ]
)

BORDERS_FRANCE = (">borders", "France")
MEMBERS = ("<member of", "NATO")
SPEAKERS = ("<speaks", "German")
NEXT_BUT_ONE = (">borders", BORDERS_FRANCE)
NEAR_NATO = (">borders", MEMBERS)

CASES: dict[str, tuple[Any, list[str]]] = {
    "1p": (BORDERS_FRANCE, ["Germany", "Italy", "Spain"]),
    "2p": (NEXT_BUT_ONE, ["Austria", "Poland", "Portugal"]),
    "3p": (("<capital of", NEXT_BUT_ONE), ["Vienna"]),
    "2i": (("and", BORDERS_FRANCE, SPEAKERS), ["Germany"]),
    "3i": (("and", BORDERS_FRANCE, MEMBERS, SPEAKERS), ["Germany"]),
    "ip": (("<capital of", ("and", BORDERS_FRANCE, MEMBERS)), ["Berlin", "Madrid", "Rome"]),
    "pi": (("and", NEXT_BUT_ONE, SPEAKERS), ["Austria"]),
    "2in": (("and", BORDERS_FRANCE, ("not", SPEAKERS)), ["Italy", "Spain"]),
    "3in": (("and", BORDERS_FRANCE, MEMBERS, ("not", SPEAKERS)), ["Italy", "Spain"]),
    "inp": (("<capital of", ("and", BORDERS_FRANCE, ("not", SPEAKERS))), ["Madrid", "Rome"]),
    "pin": (("and", NEXT_BUT_ONE, ("not", SPEAKERS)), ["Poland", "Portugal"]),
    "pni": (("and", SPEAKERS, ("not", NEAR_NATO)), []),
    "2u": (("or", BORDERS_FRANCE, SPEAKERS), ["Austria", "Germany", "Italy", "Spain"]),
    "up": (
        ("<capital of", ("or", BORDERS_FRANCE, SPEAKERS)),
        ["Berlin", "Madrid", "Rome", "Vienna"],
    ),
}


def graph_of(shape: Any) -> QuestionGraph:
    """Build a graph: ">r" and "<r" are hops, "and", "or", "not" are operations, a text a name."""
    nodes: list[Node] = []
    edges: list[Edge] = []

    def grow(part: Any) -> str:
        if isinstance(part, str):
            nodes.append(Node(node_id=f"n{len(nodes)}", known_entities=(part,)))
            return nodes[-1].node_id
        name, *parts = part
        sources = [grow(item) for item in parts]
        nodes.append(Node(node_id=f"n{len(nodes)}"))
        ops = {"and": Op.INTERSECTION, "or": Op.UNION, "not": Op.COMPLEMENT}
        op = ops.get(name, Op.PROJECTION)
        hop = op is Op.PROJECTION
        edges.append(
            Edge(
                edge_id=f"e{len(edges)}",
                source_ids=tuple(sources),
                target_id=nodes[-1].node_id,
                op=op,
                relation=name[1:] if hop else None,
                direction=Direction.BACKWARD if hop and name[0] == "<" else None,
            )
        )
        return nodes[-1].node_id

    root = grow(shape)
    return QuestionGraph(root_node_id=root, nodes=tuple(nodes), edges=tuple(edges))


def golden(path: Path, text: str) -> str:
    if os.environ.get("GRAPHKIT_WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


def test_there_is_one_for_each_pattern() -> None:
    """The cases are the 14 patterns of the literature, by their names."""
    assert list(CASES) == list(PATTERNS.values())
    for name, (shape, _) in CASES.items():
        assert signature(graph_of(shape)) == name


@pytest.mark.parametrize("name", CASES)
def test_sparql(name: str) -> None:
    """The SPARQL of a pattern is the text in golden/sparql, and has the right answers."""
    shape, expected = CASES[name]
    graph = graph_of(shape)
    text = to_sparql(graph, FACTS).text + "\n"
    assert text == golden(GOLDEN / "sparql" / f"{name}.rq", text)
    assert answer_by_sparql(graph, FACTS) == evaluate(graph, FACTS).names == expected


@pytest.mark.parametrize("name", CASES)
def test_cypher(name: str) -> None:
    """The Cypher of a pattern is the text in golden/cypher, its parameters first."""
    compiled = to_cypher(graph_of(CASES[name][0]), FACTS)
    heads = "".join(f"// ${key} = {value!r}\n" for key, value in compiled.params.items())
    text = heads + compiled.text + "\n"
    assert text == golden(GOLDEN / "cypher" / f"{name}.cypher", text)
