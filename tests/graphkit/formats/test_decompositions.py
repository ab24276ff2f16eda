"""MuSiQue's decompositions: steps that refer to each other become a graph."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphkit.errors import FormatError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import import_questions
from graphkit.formats.decompositions import decomposed, step_evidence
from graphkit.formats.lines import TextSource
from graphkit.patterns import canonical_text, signature


def steps(*texts: str) -> list[dict[str, Any]]:
    return [{"question": text, "answer": f"A{place}"} for place, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Ireland >> capital"], 'p[capital>]("Ireland")'),
        (["who sang Moon River"], 'p[answer>]("who sang Moon River")'),
        (["Ireland >> capital", "#1 >> river"], 'p[river>](p[capital>]("Ireland"))'),
        (
            ["Ireland >> capital", "When was  #1 founded?"],
            'p[When was # founded?>](p[capital>]("Ireland"))',
        ),
        (
            ["A >> b", "Battle of #1 >> year"],
            'p[Battle of # >> year>](p[b>]("A"))',
        ),
        (
            ["A >> b", "C >> d", "When did #1 beat #2?"],
            'i(p[When did # beat #2?>](p[b>]("A")),p[When did #1 beat #?>](p[d>]("C")))',
        ),
        (
            ["A >> b", "#1 >> c", "What do #1 and #2 and #1 share?"],
            'i(p[What do # and #2 and # share?>](p[b>]("A")),'
            'p[What do #1 and # and #1 share?>](p[c>](p[b>]("A"))))',
        ),
        (["who had the #1 hit of 1962"], 'p[answer>]("who had the #1 hit of 1962")'),
        (["A >> b", "the #2 hit of #1"], 'p[the #2 hit of #>](p[b>]("A"))'),
    ],
)
def test_steps_become_nodes(texts: list[str], expected: str) -> None:
    """Arrows name a relation; references are sources; words without any hang on themselves."""
    graph = decomposed(steps(*texts))
    assert canonical_text(graph) == expected
    assert graph.node(graph.root_node_id).reference_entities == (f"A{len(texts)}",)


@pytest.mark.parametrize("texts", [["A >> b"], ["A >> b", "C >> d", "who led #1 in #2"],
                                   ["A >> b", "#1 >> c", "#2 >> d", "#1 and #3"]])  # fmt: skip
def test_decompositions_replay_on_their_own_answers(texts: list[str]) -> None:
    """The facts that the steps state give the answer of the last step."""
    found = steps(*texts)
    facts = FactStore.from_evidence(step_evidence(found, "row"))
    assert evaluate(decomposed(found), facts).names == [f"A{len(texts)}"]


def test_a_shared_step_is_one_node() -> None:
    """A step that two others refer to makes a DAG, not a tree."""
    graph = decomposed(steps("A >> b", "#1 >> c", "#1 >> d", "who met #2 and #3"))
    assert len(graph.outgoing["n1"]) == 2
    assert signature(graph) == "i(p(p(p(a))),p(p(p(a))))"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "no_decomposition"),
        ([], "no_decomposition"),
        ([{"question": " "}], "blank_step"),
        (["A >> b"], "blank_step"),
        (steps("#3 >> b", "#1 >> c"), "unknown_step"),
        (steps("#0 >> b"), "unknown_step"),
    ],
)
def test_what_is_no_decomposition_is_named(data: Any, code: str) -> None:
    """Missing, blank and dangling steps have a reason each."""
    with pytest.raises(FormatError) as caught:
        decomposed(data)
    assert {problem.code for problem in caught.value.problems} == {code}


def test_rows_are_graphs_or_named() -> None:
    """Id, words, answer and aliases are kept; steps that refer in a circle are named."""
    rows = [
        {"id": "a", "question": "Which?", "answer": "x", "answer_aliases": ["X", 3],
         "question_decomposition": steps("A >> b", "#1 >> c")},
        {"id": "b", "question_decomposition": steps("#2 >> b", "#1 >> c")},
    ]  # fmt: skip
    report = import_questions(TextSource.of("\n".join(map(json.dumps, rows)), "m.jsonl"))
    assert report.notation == "musique"
    assert [(g.id, g.question, g.answer, g.aliases) for g in report.graphs] == [
        ("a", "Which?", "x", ("X",))
    ]
    assert [(item.row, item.reason) for item in report.diagnostics] == [("b", "cycle")]
