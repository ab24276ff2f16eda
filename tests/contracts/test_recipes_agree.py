"""The 500 grown questions and the rubric example: every recipe says the same on both engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from graphkit.stores import (
    GraphStore,
    counts,
    load_facts,
    load_questions,
    save_checks,
    save_history,
)
from rubric import Settings, load_trees, read_verdicts, score_reports
from rubric.settings import GuardMode
from rubric.stored import load_trees as load_into
from rubric.stored import load_verdicts, save_scores
from tests.docs.recipes import RECIPES, ROOT, RUBRIC_RECIPES, empty_store, run
from tests.synthesis import grown

pytestmark = [pytest.mark.neo4j, pytest.mark.slow, pytest.mark.timeout(1800)]

EXAMPLE = ROOT / "examples" / "rubric"
RUBRIC_PARAMS = {
    "guard": "published",
    "task": "peat-bog",
    "system": "cedar",
    "domain": "council-papers.example",
}


def _fill(store: GraphStore) -> None:
    load_facts(store, grown.factbook())
    questions = grown.run()[1]
    load_questions(store, [question.graph for question in questions])
    for question in questions:
        save_history(store, question.graph, question.history)
    save_checks(store, [(question.graph, question.checks) for question in questions])
    trees, table = load_trees(EXAMPLE / "trees"), read_verdicts(EXAMPLE / "verdicts.jsonl")
    load_into(store, trees)
    lines = (EXAMPLE / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    load_verdicts(store, map(json.loads, lines))
    for guard in GuardMode:
        reports = score_reports(trees, table, settings=Settings(guard=guard))
        save_scores(store, [report.to_dict() for report in reports])


@pytest.fixture(scope="module")
def stores(request: pytest.FixtureRequest) -> Iterator[tuple[GraphStore, GraphStore]]:
    with empty_store("embedded", request) as embedded, empty_store("neo4j", request) as server:
        for store in (embedded, server):
            _fill(store)
        yield embedded, server


def _params() -> dict[str, Any]:
    first = grown.run()[1][0].graph
    return {"name": "Germany", "question": first.id, "evidence": first.evidence_ids[0]}


def test_both_hold_the_same(stores: tuple[GraphStore, GraphStore]) -> None:
    """Facts, 500 questions, their histories and checks, trees, verdicts and scores: all are in."""
    embedded, server = (counts(store) for store in stores)
    assert embedded == server
    assert embedded["questions"] == embedded["checks"] == grown.COUNT
    assert min(embedded["evidence"], embedded["mutations"], embedded["scores"]) > 0


@pytest.mark.parametrize("title", RECIPES)
def test_recipes_over_questions(title: str, stores: tuple[GraphStore, GraphStore]) -> None:
    """A recipe of docs/cypher.md gives the same rows in the same order."""
    embedded, server = (run(store, RECIPES[title], _params()) for store in stores)
    assert embedded == server


@pytest.mark.parametrize("title", RUBRIC_RECIPES)
def test_recipes_over_scores(title: str, stores: tuple[GraphStore, GraphStore]) -> None:
    """A recipe of docs/cypher-rubric.md gives the same rows in the same order."""
    embedded, server = (run(store, RUBRIC_RECIPES[title], RUBRIC_PARAMS) for store in stores)
    assert embedded == server
    assert embedded
