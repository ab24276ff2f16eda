"""WebShaper's formalisation: what is well-formed, what becomes a graph, what is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphkit.errors import FormatError, UnsupportedError
from graphkit.formats import import_questions
from graphkit.formats.lines import TextSource
from graphkit.formats.webshaper import formalised, triples_of
from graphkit.patterns import canonical_text


def codes(data: Any) -> list[str]:
    with pytest.raises(FormatError) as caught:
        triples_of(data)
    return [problem.code for problem in caught.value.problems]


def test_triples_become_a_graph_rooted_at_the_question_mark() -> None:
    """Variables are sets, constants anchors, ? the answer node."""
    graph = formalised(
        [["V@X", "is a", "C@lake"], ["V@X", "lies in", "V@Y"], ["V@Y", "borders", "C@Chad"],
         ["V@X", "has depth", "?"]]
    )  # fmt: skip
    assert canonical_text(graph) == (
        'p[has depth>](i(p[is a<]("lake"),p[lies in<](p[borders<]("Chad"))))'
    )
    assert {node.label for node in graph.nodes} == {"X", "Y", "?", "lake", "Chad"}


def test_a_triple_with_several_terms_stands_for_one_each() -> None:
    """Relations and terms joined by & are zipped, or one relation leads to all terms."""
    assert triples_of([["V@X", "led & founded", "V@A & C@b"], ["?", "met", "V@X & V@Y"]]) == [
        ("V@X", "led", "V@A"),
        ("V@X", "founded", "C@b"),
        ("?", "met", "V@X"),
        ("?", "met", "V@Y"),
    ]
    assert triples_of([["V@X", "sells", "C@salt & pepper"], ["V@X", "has name", "?"]])[0] == (
        "V@X", "sells", "C@salt & pepper",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (None, ["no_formalization"]),
        ([], ["no_formalization"]),
        ([["V@X", "is", "?"], "V@X"], ["triple_length"]),
        ([["V@X", "is", "?"], ["V@X", "a", "C@b", "and"], ["V@X", "c"]], ["triple_length"] * 2),
        ([["X", "is", "?"], ["V@X", "in", ""]], ["untagged_term"] * 2),
        ([["V@X's son", "is", "?"]], ["unclear_term"]),
        ([["V@X", "is", "C@fan of V@Y"]], ["unclear_term"]),
        ([["V@X", "is", "C@ "]], ["unclear_term"]),
        ([["V@X", "met V@Y in", "?"]], ["term_in_relation"]),
        ([["V@X", "", "?"]], ["blank_relation"]),
        ([["V@X V@Y", "in", "?"], ["V@X", "in"]], ["triple_length", "unclear_term"]),
    ],
)
def test_what_is_wrong_is_named_all_at_once(data: Any, expected: list[str]) -> None:
    """Every triple that is wrong is named; what breaks the notation comes first."""
    assert codes(data) == expected


def test_no_answer_and_cycles_are_named() -> None:
    """A formalisation without ? asks nothing; one with a cycle is no set."""
    with pytest.raises(FormatError, match=r"no triple holds \?"):
        formalised([["V@X", "in", "C@a"]])
    with pytest.raises(UnsupportedError, match=r"\?Y and \?X are joined in two ways"):
        formalised([["V@X", "led", "V@Y"], ["V@Y", "named", "V@X"], ["V@X", "born", "?"]])


def test_rows_are_graphs_or_named_with_id_and_line() -> None:
    """A report has the id, the line, the reason and the triple of every refused row."""
    rows = [
        {"id": "a", "question": "Which?", "answer": "b",
         "formalization": [["V@X", "in", "C@a"], ["V@X", "named", "?"]]},
        {"id": "c", "formalization": [["V@X", "in"]]},
        {"id": "a", "formalization": [["V@X", "named", "?"]]},
    ]  # fmt: skip
    text = "\n".join(json.dumps(row) for row in rows)
    report = import_questions(TextSource.of(text, "rows.jsonl"))
    assert report.notation == "webshaper"
    assert [(graph.id, graph.question, graph.answer) for graph in report.graphs] == [
        ("a", "Which?", "b")
    ]
    assert [item.to_record() for item in report.diagnostics] == [
        {
            "row": "c",
            "file": "rows.jsonl",
            "line": 2,
            "reason": "triple_length",
            "messages": ["found 2 parts, expected subject, relation and object"],
            "places": ["triple 1"],
        },
        {
            "row": "a",
            "file": "rows.jsonl",
            "line": 3,
            "reason": "duplicate_question",
            "messages": [
                "the id is that of row number 1 of this file already, expected each id once"
            ],
            "places": [None],
        },
    ]
