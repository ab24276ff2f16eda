"""Imported WebShaper questions replay: facts made from a formalisation give its answer."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import ImportReport, import_questions
from graphkit.formats.webshaper import ILL_FORMED

pytestmark = pytest.mark.shared_data

TAGS = ("V@", "C@")


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> dict[str, dict[str, Any]]:
    text = (shared_data / "questions/webshaper.500.jsonl").read_text()
    return {row["id"]: row for row in map(json.loads, text.splitlines())}


@pytest.fixture(scope="module")
def report(shared_data: Path) -> ImportReport:
    return import_questions(shared_data / "questions/webshaper.500.jsonl")


def is_ill_formed(triples: list[Any]) -> bool:
    """Whether some triple has not three parts, or an end that is no term: counted on its own."""
    return any(
        len(item) != 3 or not all(end == "?" or end.startswith(TAGS) for end in (item[0], item[2]))
        for item in triples
    )


def test_the_ill_formed_rows_are_named(
    report: ImportReport, rows: dict[str, dict[str, Any]]
) -> None:
    """The 74 rows that break the notation are named for it, and no others."""
    broken = {ident for ident, row in rows.items() if is_ill_formed(row["formalization"])}
    named = {item.row for item in report.diagnostics if item.reason in ILL_FORMED}
    assert len(broken) == 74
    assert named == broken


def test_all_other_rows_are_graphs_or_named(
    report: ImportReport, rows: dict[str, dict[str, Any]]
) -> None:
    """Of the 426 others every row is a graph or has its reason; most are graphs."""
    seen = [graph.id for graph in report.graphs] + [item.row for item in report.diagnostics]
    assert sorted(map(str, seen)) == sorted(rows)
    assert len(report.graphs) >= 260
    assert set(report.reasons) - ILL_FORMED == {
        "cyclic", "unclear_term", "term_in_relation", "disconnected",
    }  # fmt: skip


def test_graphs_replay_on_facts_made_from_their_triples(
    report: ImportReport, rows: dict[str, dict[str, Any]]
) -> None:
    """One individual for each variable gives the answer; with any triple missing it is lost."""
    choices = random.Random(5)
    for graph in report.graphs:
        triples = [tuple(item) for item in rows[str(graph.id)]["formalization"]]
        if any(" & V@" in part or " & C@" in part for item in triples for part in item):
            continue
        answer = rows[str(graph.id)]["answer"]
        facts = [(named(a, answer), r.strip(), named(b, answer)) for a, r, b in triples]
        facts = list(dict.fromkeys(facts))
        decoys = [
            (f"decoy of {head}" if choices.random() < 0.5 else head, relation, f"decoy of {tail}")
            for head, relation, tail in facts
        ]
        store = FactStore.from_triples([*facts, *decoys])
        assert answer.strip() in evaluate(graph, store).names
        lost = choices.choice(facts)
        store = FactStore.from_triples(
            [*(fact for fact in facts if fact != lost), *decoys, ("x", lost[1], "y"),
             (lost[0], "other", lost[2])]
        )  # fmt: skip
        assert answer.strip() not in evaluate(graph, store).names


def named(term: str, answer: str) -> str:
    if term == "?":
        return answer
    return f"the {term[2:]}" if term.startswith("V@") else term[2:].strip()
