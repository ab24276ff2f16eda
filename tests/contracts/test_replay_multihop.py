"""Imported multi-hop questions replay on the evidence of their sets: 2WikiMultihopQA, MuSiQue."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graphkit.evaluate import evaluate
from graphkit.evidence import nfc
from graphkit.facts import FactStore
from graphkit.formats import import_questions
from graphkit.formats.decompositions import step_evidence
from graphkit.formats.replay import replay_questions
from graphkit.formats.wikimultihop import evidence_of
from graphkit.patterns import signature

pytestmark = pytest.mark.shared_data


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_2wiki_answers_over_the_evidence_of_all_questions(shared_data: Path) -> None:
    """Compositional and inference questions give their gold answer, or say what interferes."""
    path = shared_data / "questions/2wikimultihopqa-300.jsonl"
    rows = rows_of(path)
    report = import_questions(path)
    kinds = Counter(row["type"] for row in rows)
    assert len(report.graphs) == kinds["compositional"] + kinds["inference"] == 148
    assert report.reasons == {"not_expressible": kinds["comparison"] + kinds["bridge_comparison"]}
    facts = FactStore.from_evidence([record for row in rows for record in evidence_of(row)])
    for replay in replay_questions(report.graphs, facts):
        assert replay.found, replay.to_record()
        assert replay.exact or all(item.evidence_ids for item in replay.interferences)


def test_musique_decompositions_become_dags_that_replay(shared_data: Path) -> None:
    """All 100 decompositions are graphs, and the answers of their steps give their answer."""
    path = shared_data / "questions/musique-100.jsonl"
    rows = {row["id"]: row["question_decomposition"] for row in rows_of(path)}
    report = import_questions(path)
    assert len(report.graphs) == len(rows) == 100
    assert not report.diagnostics
    assert {signature(graph) for graph in report.graphs} == {"2p"}
    for graph in report.graphs:
        steps = rows[graph.id or ""]
        facts = FactStore.from_evidence(step_evidence(steps, graph.id or ""))
        assert evaluate(graph, facts).names == [nfc(steps[-1]["answer"])]
