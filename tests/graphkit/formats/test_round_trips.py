"""Round trips: what a notation can carry comes back, and is written the same again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphkit.errors import FormatError, GraphError, UnsupportedError
from graphkit.formats import NOTATIONS, Feature, Notation, parse_questions, write_questions
from graphkit.formats.graphml import from_networkx, to_networkx
from graphkit.formats.notation import check_carries, features
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.testing.strategies import stores_with_graphs

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
KEYS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4).map(lambda key: f"x-{key}")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT | st.floats(allow_nan=False,
                                                                 allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
NAMES = TEXT.filter(lambda text: bool(text.strip()))


@st.composite
def dressed_graphs(draw: st.DrawFn) -> QuestionGraph:
    """Draw a graph with any text in every field and with further keys everywhere."""
    _, graph = draw(stores_with_graphs())
    extra = st.dictionaries(KEYS, VALUES, max_size=2)
    nodes = [
        Node(
            **{
                **draw(extra),
                **{name: getattr(node, name) for name in Node.model_fields},
                "label": draw(TEXT),
                "reference_entities": tuple(draw(st.lists(NAMES, max_size=2))),
            }
        )
        for node in graph.nodes
    ]
    edges = [
        Edge(**{**draw(extra), **{name: getattr(edge, name) for name in Edge.model_fields}})
        for edge in graph.edges
    ]
    return graph.replace(
        nodes=nodes,
        edges=edges,
        question=draw(TEXT),
        answer=draw(st.none() | TEXT),
        id=draw(st.none() | TEXT),
        language=draw(st.none() | TEXT),
        domain=draw(st.none() | TEXT),
        iteration=draw(st.none() | st.integers()),
        aliases=tuple(draw(st.lists(NAMES, max_size=2))),
        **draw(extra),
    )


COMPLETE = {name: item for name, item in NOTATIONS.items() if item.carries == frozenset(Feature)}
"""The notations that carry everything; the others have tests of their own."""


def text_of(notation: Notation, graphs: list[QuestionGraph], suffix: str) -> str:
    assert notation.write is not None
    return "".join(notation.write(graphs, suffix))


@pytest.mark.parametrize(
    ("name", "suffix"),
    [(name, suffix) for name, item in COMPLETE.items() for suffix in item.suffixes],
)
@given(graphs=st.lists(dressed_graphs(), min_size=1, max_size=2, unique_by=lambda graph: graph.id))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_was_written_is_read_and_written_again(
    name: str, suffix: str, graphs: list[QuestionGraph]
) -> None:
    """parse(print(g)) = g, and print(parse(print(g))) = print(g), in every notation."""
    notation = NOTATIONS[name]
    assert not (set().union(*map(features, graphs)) - notation.carries)
    text = text_of(notation, graphs, suffix)
    again = list(parse_questions(text, name))
    assert again == graphs
    assert text_of(notation, again, suffix) == text


@given(dressed_graphs())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_networkx_carries_everything(graph: QuestionGraph) -> None:
    """A question graph goes to networkx and back unchanged; its direction is kept."""
    found = to_networkx(graph)
    assert networkx.is_directed_acyclic_graph(found)
    assert found.number_of_nodes() == len(graph.nodes) + len(graph.edges)
    assert from_networkx(found) == graph


GRAPH = QuestionGraph(
    id="q1",
    root_node_id="n1",
    nodes=[Node(node_id="n0", known_entities=["a"]), Node(node_id="n1", is_root=True)],
    edges=[Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection", relation="r")],
)


def test_a_foreign_graphml_file_is_refused() -> None:
    """GraphML that stands for something else is told from ours, node by node."""
    text = "".join(networkx.generate_graphml(networkx.DiGraph([("a", "b")])))
    with pytest.raises(FormatError) as caught:
        parse_questions(text, "graphml", name="x.graphml")
    assert [str(problem) for problem in caught.value.problems] == [
        "x.graphml: node a: no kind, expected entity_set or operation",
        "x.graphml: node b: no kind, expected entity_set or operation",
    ]


def spoilt(change: Any) -> networkx.DiGraph:  # type: ignore[type-arg]
    found = to_networkx(GRAPH)
    change(found)
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found.remove_edge("e0", "n1"), "node e0: 0 arcs lead out of it"),
        (lambda found: found.add_edge("e0", "n0"), "node e0: 2 arcs lead out of it"),
        (lambda found: found.add_edge("e0", "e0"), "node e0: an arc joins it to e0"),
        (
            lambda found: found.nodes["n0"].update({"known_entities.json": "["}),
            "known_entities.json is not JSON",
        ),
        pytest.param(
            lambda found: found.nodes["n0"].update({"known_entities.json": "[" * 200_000}),
            "known_entities.json is not JSON",
            id="nested without end",
        ),
    ],
)
def test_broken_encodings_are_named(change: Any, message: str) -> None:
    """Arcs that make no hyperedge and attributes that are no JSON are errors."""
    with pytest.raises(FormatError, match=message):
        from_networkx(spoilt(change))


def test_the_rules_of_questions_hold_in_graphml_too() -> None:
    """A graph that breaks a structural rule is refused with the problem of the rule."""
    with pytest.raises(GraphError, match='op "join" is not one of'):
        from_networkx(spoilt(lambda found: found.nodes["e0"].update(op="join")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<graphml", r"x\.graphml:1: not XML"),
        ("<graphml>\n<graph", r"x\.graphml:2: not XML"),
        ("<html></html>", r"x\.graphml: no graph in it"),
        ("", r"x\.graphml: is empty"),
    ],
)
def test_what_is_no_graphml_is_refused(text: str, message: str) -> None:
    """Broken XML has its line; other XML is told."""
    with pytest.raises(FormatError, match=message):
        parse_questions(text, name="x.graphml")


def test_an_id_twice_in_a_graphml_file_is_an_error() -> None:
    """Two questions with one id in a file are refused, as in JSON."""
    text = text_of(NOTATIONS["graphml"], [GRAPH, GRAPH], ".graphml")
    with pytest.raises(FormatError, match="question q1: the id is that of question number 1"):
        parse_questions(text, "graphml")


def test_a_notation_refuses_what_would_change_the_question(tmp_path: Path) -> None:
    """A feature that is lacking stops the writer if it carries meaning, and is told if not."""
    poor = Notation("poor", "", (".poor",), frozenset(), lambda head: False,
                    write=lambda graphs, suffix: ["x"])  # fmt: skip
    negative = GRAPH.replace(
        nodes=[*GRAPH.nodes, Node(node_id="n2")],
        edges=[Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="complement")],
    )
    with pytest.raises(UnsupportedError) as caught:
        check_carries(poor, [negative, GRAPH])
    assert [str(problem) for problem in caught.value.problems] == [
        "format poor: cannot carry complement",
        "format poor: cannot carry nodes without any condition",
        "format poor: cannot carry several questions in one file",
    ]
    left = check_carries(poor, [GRAPH.replace(question="Which?")])
    assert [str(problem) for problem in left] == [
        "format poor: does not keep question, answer and labels"
    ]
    assert Feature.WORDS in features(GRAPH.replace(answer="b"))
    assert write_questions([GRAPH], tmp_path / "q.graphml.gz") == ()
