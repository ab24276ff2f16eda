"""2WikiMultihopQA: evidences that form a path become a graph, comparisons are named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphkit.facts import FactStore
from graphkit.formats import import_questions
from graphkit.formats.lines import TextSource
from graphkit.formats.replay import replay_questions
from graphkit.formats.wikimultihop import evidence_of
from graphkit.patterns import canonical_text


def row(ident: str, kind: str, answer: str, *evidences: Any) -> dict[str, Any]:
    return {"_id": ident, "type": kind, "question": "?", "answer": answer,
            "evidences": list(evidences)}  # fmt: skip


def report_of(*rows: dict[str, Any]) -> Any:
    return import_questions(TextSource.of("\n".join(map(json.dumps, rows)), "w.jsonl"))


SONG = row("a", "compositional", "Atlanta", ["Dark", "performer", "Kanye West"],
           ["Kanye", "place of birth", "Atlanta"])  # fmt: skip


@pytest.mark.parametrize(
    ("evidences", "answer", "expected"),
    [
        ([["A", "r", "B"], ["B", "s", "C"]], "C", 'p[s>](p[r>]("A"))'),
        ([["B", "s", "C"], ["A", "r", "B"]], "C", 'p[s>](p[r>]("A"))'),
        ([["A", "r", "B"], ["C", "s", "b"]], "C", 'p[s<](p[r>]("A"))'),
        ([["A", "r", "B"], ["X", "s", "C"]], "C", 'p[s>](p[r>]("A"))'),
        ([["A", "r", "B"]], "B", 'p[r>]("A")'),
    ],
)
def test_a_path_of_evidences_becomes_a_graph(
    evidences: list[Any], answer: str, expected: str
) -> None:
    """Whatever their order and direction, the evidences are read towards the answer."""
    found = report_of(row("a", "inference", answer, *evidences))
    assert found.notation == "2wiki"
    assert canonical_text(found.graphs[0]) == expected


def test_two_spellings_on_a_path_are_one_entity() -> None:
    """The second spelling is an alias in the evidence, and both are reference entities."""
    graph = report_of(SONG).graphs[0]
    assert graph.node("n1").reference_entities == ("Kanye West", "Kanye")
    replays = replay_questions([graph], FactStore.from_evidence(evidence_of(SONG)))
    assert replays[0].exact
    assert replays[0].answers == ("Atlanta",)


def test_interfering_evidence_is_named() -> None:
    """An answer that another row's evidence brings is told with that evidence."""
    other = row("b", "compositional", "Rome", ["Dark", "performer", "Nero"],
                ["Nero", "place of birth", "Rome"])  # fmt: skip
    graphs = report_of(SONG, other).graphs
    facts = FactStore.from_evidence([*evidence_of(SONG), *evidence_of(other)])
    first = replay_questions(graphs, facts)[0]
    assert first.found
    assert not first.exact
    assert first.to_record()["interferences"] == [
        {"answer": "Rome", "evidence_ids": ["b:1", "b:2"]}
    ]


def test_a_question_without_its_facts_is_told() -> None:
    """Names that the facts lack are problems of the replay, not an error."""
    facts = FactStore.from_triples([("a", "b", "c")])
    replay = replay_questions(report_of(SONG).graphs, facts)[0]
    assert not replay.found
    assert [problem.code for problem in replay.problems] == [
        "unresolved_name", "unresolved_relation", "unresolved_relation",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "reason", "message"),
    [
        (row("a", "comparison", "no", ["A", "country", "X"], ["B", "country", "Y"]),
         "not_expressible", "compares two values of country: it asks for yes or no"),
        (row("a", "bridge_comparison", "A", ["A", "r", "X"], ["B", "r", "Y"],
             ["X", "date of birth", "1"], ["Y", "date of birth", "2"]),
         "not_expressible", "compares two values of date of birth: its answer is the one"),
        (row("a", "compositional", "C"), "no_evidence", "evidences is empty"),
        (row("a", "compositional", "C", ["A", "r"], ["A", "", "B"]),
         "triple_length", "expected head, relation and tail"),
        (row("a", "compositional", "C", ["A", "r", "B"], ["D", "r", "E"], ["F", "r", "G"]),
         "no_path", "the evidences form no path to the answer"),
    ],
)  # fmt: skip
def test_rows_that_are_no_graph_are_named(data: Any, reason: str, message: str) -> None:
    """Comparisons and broken evidences have a reason and a sentence."""
    found = report_of(data)
    assert found.reasons == {reason: 1}
    assert found.diagnostics[0].problems[0].message.startswith(message)
