"""Statistics of a set of questions."""

from __future__ import annotations

import pytest

from graphkit.checks.statistics import statistics, token_count
from graphkit.evidence import EvidenceRecord
from graphkit.question import Edge, Node, QuestionGraph


def _chain(length: int, **more: object) -> QuestionGraph:
    nodes = [Node(node_id="n0", known_entities=["x"])]
    nodes += [Node(node_id=f"n{n}") for n in range(1, length + 1)]
    edges = [
        Edge(
            edge_id=f"e{n}",
            source_ids=[f"n{n}"],
            target_id=f"n{n + 1}",
            op="projection",
            relation="r",
        )
        for n in range(length)
    ]
    return QuestionGraph(root_node_id=f"n{length}", nodes=nodes, edges=edges, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Which country borders France?", 5),
        ("It's 3.5 km, isn't it?", 9),
        ("哪个国家与法国接壤？", 10),
        ("どの国？", 4),
        ("Wer grenzt an Österreich", 4),
        ("BBC新闻", 3),
    ],
)
def test_tokens(text: str, count: int) -> None:
    """Words and signs count one each; of scripts without spaces every character does."""
    assert token_count(text) == count


def test_counts_are_exact() -> None:
    """Means, extremes and counts are those of the questions."""
    found = statistics([_chain(1, answer="a"), _chain(3, answer="a"), _chain(3, answer="b")])
    assert found["questions"] == 3
    assert found["depth"] == {"mean": 7 / 3, "min": 1, "max": 3, "counts": {"1": 1, "3": 2}}
    assert found["ops"]["projection"] == {"edges": 7, "questions": 3}
    assert found["signatures"] == {"3p": 2, "1p": 1}
    assert found["answers"] == {"different": 2, "largest_share": 2 / 3}
    assert found["root_domains"] is None


def test_languages_and_domains() -> None:
    """Length and nodes are also given by language; domains are counted, the largest first."""
    graphs = [
        _chain(1, language="en", question="A b c?", domain="art"),
        _chain(2, language="zh", question="哪里？", domain="law"),
        _chain(2, language="en", question="A b?", domain="law"),
    ]
    found = statistics(graphs)
    assert found["languages"] == {
        "en": {"questions": 2, "length": 3.5, "nodes": 2.5},
        "zh": {"questions": 1, "length": 3.0, "nodes": 3.0},
    }
    assert list(found["domains"].items()) == [("law", 2), ("art", 1)]


def test_sources_of_a_question() -> None:
    """Distinct root domains per question, of the evidence that it names and that is known."""
    records = {
        name: EvidenceRecord(
            evidence_id=name,
            head_entity="h",
            relation="r",
            tail_entity="t",
            source_url=f"https://{host}/x",
        )
        for name, host in (("a", "www.one.org"), ("b", "two.org"), ("c", "three.org"))
    }
    graphs = [
        _chain(1, evidence_ids=("a", "b", "c")),
        _chain(1, evidence_ids=("a", "a", "gone")),
        _chain(1),
    ]
    found = statistics(graphs, records)["root_domains"]
    assert (found["mean"], found["min"], found["max"]) == (2.0, 1, 3)
    assert found["at_least_three"] == 0.5
    assert found["domains"] == {"one.org": 2, "three.org": 1, "two.org": 1}


def test_no_questions() -> None:
    """Statistics of nothing are defined."""
    found = statistics([])
    assert (found["questions"], found["nodes"]["mean"]) == (0, None)
    assert found["answers"] == {"different": 0, "largest_share": None}
