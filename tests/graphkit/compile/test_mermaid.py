"""Mermaid: every part of a graph is drawn, and no name can break the drawing."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from graphkit.compile.mermaid import compile_mermaid
from graphkit.question import Edge, Node, QuestionGraph


def _graph(name: str, relation: str = "r") -> QuestionGraph:
    return QuestionGraph(
        root_node_id="x",
        nodes=[
            Node(node_id="a", known_entities=[name]),
            Node(node_id="b", label=name),
            Node(node_id="c"),
            Node(node_id="d"),
            Node(node_id="x", entity_type=name),
        ],
        edges=[
            Edge(
                edge_id="e0",
                source_ids=["a"],
                target_id="b",
                op="projection",
                relation=relation,
                direction="backward",
            ),
            Edge(edge_id="e1", source_ids=["b"], target_id="c", op="complement"),
            Edge(edge_id="e2", source_ids=["a", "c"], target_id="d", op="union"),
            Edge(edge_id="e3", source_ids=["d", "c"], target_id="x", op="intersection"),
        ],
    )


LINE = re.compile(
    r'flowchart LR|    n\d+(?:\["[^"]*"\]|\(\["[^"]*"\]\)|\[\["[^"]*"\]\])'
    r'|    n\d+ (?:-->|-\.->)\|"[^"]*"\| n\d+|    classDef .*|    class [n\d,]+ \w+'
)


def test_operations_and_root_are_drawn() -> None:
    """Each source of each edge has an arrow with its operation; the root is highlighted."""
    lines = compile_mermaid(_graph("France")).text.splitlines()
    assert '    n0 -->|"\u2190 r"| n1' in lines
    assert '    n1 -.->|"not"| n2' in lines
    assert [line for line in lines if '"or"' in line] == [
        '    n0 -->|"or"| n3',
        '    n2 -->|"or"| n3',
    ]
    assert [line for line in lines if '"and"' in line] == [
        '    n3 -->|"and"| n4',
        '    n2 -->|"and"| n4',
    ]
    assert lines[-2:] == ["    class n0 anchor", "    class n4 answer"]


def test_odd_names_are_shown_not_obeyed() -> None:
    """Quotes, brackets, arrows, markup and directives become character codes."""
    text = compile_mermaid(_graph('"] --> end; %%{init}%% <b>`x`</b> #quot;')).text
    assert "end#59;" in text
    assert "<b>" not in text
    assert "%%" not in text
    assert "\u202e" not in compile_mermaid(_graph("\u202eabc")).text


@given(st.text(min_size=1), st.text(min_size=1).filter(str.strip))
def test_any_text_gives_well_formed_lines(name: str, relation: str) -> None:
    """Whatever the names, each line is a node, an arrow or a class."""
    for line in compile_mermaid(_graph(name, relation)).text.splitlines():
        assert LINE.fullmatch(line)
    assert len(compile_mermaid(_graph(name, relation)).text.split("\n")) == 17
