"""Answers in names, with witnesses and losses."""

from __future__ import annotations

import pytest

from graphkit.answers import answer_question, require_entities
from graphkit.errors import GroundingError, UnsafeGraphError
from graphkit.facts import FactStore
from graphkit.question import Edge, Node, QuestionGraph

FACTS = FactStore.from_triples(
    [
        ("France", "borders", "Spain"),
        ("France", "borders", "Italy"),
        ("Italy", "in", "NATO"),
        ("Chad", "in", "Africa"),
    ]
)


def _graph(*, excluded: bool = False) -> QuestionGraph:
    """What borders France, and is in NATO, or not."""
    nodes = [
        Node(node_id="a", known_entities=["France"]),
        Node(node_id="b"),
        Node(node_id="c", known_entities=["NATO"]),
        Node(node_id="d"),
        Node(node_id="e"),
        Node(node_id="root", is_root=True),
    ]
    other = "e" if excluded else "d"
    edges = [
        Edge(edge_id="e0", source_ids=["a"], target_id="b", op="projection", relation="borders"),
        Edge(
            edge_id="e1",
            source_ids=["c"],
            target_id="d",
            op="projection",
            relation="in",
            direction="backward",
        ),
        Edge(edge_id="e2", source_ids=["d"], target_id="e", op="complement"),
        Edge(edge_id="e3", source_ids=["b", other], target_id="root", op="intersection"),
    ]
    return QuestionGraph(root_node_id="root", nodes=nodes, edges=edges)


def test_answers_and_id() -> None:
    """Answers are names; a question without an id is called by its canonical key."""
    report = answer_question(_graph(), FACTS)
    assert report.answers == ("Italy",)
    assert report.question_id
    assert report.to_record() == {
        "question_id": report.question_id,
        "answers": ["Italy"],
        "count": 1,
        "warnings": [],
    }


def test_witnesses_tell_facts_and_absence() -> None:
    """A witness has the facts that are used and says what an exclusion rests on."""
    record = answer_question(_graph(excluded=True), FACTS, explain=True).to_record()
    (witness,) = record["witnesses"]
    assert witness["answer"] == "Spain"
    assert [(f["head"], f["relation"], f["tail"]) for f in witness["facts"]] == [
        ("France", "borders", "Spain")
    ]
    assert [s["node_id"] for s in witness["steps"] if s["kind"] == "absent"] == ["e"]


def test_losses_name_the_first_node() -> None:
    """Each entity asked about is lost at the first node that lacks it; an answer is not lost."""
    report = answer_question(_graph(), FACTS, why_not=["Spain", "Chad", "Italy"])
    assert report.losses is not None
    found = [(item.name, item.loss.node_id if item.loss else None) for item in report.losses]
    assert found == [("Spain", "d"), ("Chad", "b"), ("Italy", None)]


def test_answers_of_another_engine_are_taken_over() -> None:
    """Given answers are reported as they are, explained or not."""
    assert answer_question(_graph(), FACTS, found=["x"]).answers == ("x",)


def test_unknown_names_all_at_once() -> None:
    """Names that are no entities are told together, with what may have been meant."""
    with pytest.raises(GroundingError) as caught:
        require_entities(["Frnce", "Spain", "Atlantis"], FACTS)
    assert [problem.message for problem in caught.value.problems] == [
        "'Frnce' is not an entity of the facts (did you mean France?)",
        "'Atlantis' is not an entity of the facts",
    ]


def test_unsafe_root() -> None:
    """A complemented root is refused, and listed when that is asked for."""
    graph = _graph().replace(root_node_id="e", edges=_graph().edges[:3], nodes=_unrooted())
    with pytest.raises(UnsafeGraphError):
        answer_question(graph, FACTS)
    listed = answer_question(graph, FACTS, materialize_universe=True)
    assert "Italy" not in listed.answers
    assert len(listed.answers) == FACTS.size - 1


def _unrooted() -> list[Node]:
    return [node.model_copy(update={"is_root": False}) for node in _graph().nodes]
