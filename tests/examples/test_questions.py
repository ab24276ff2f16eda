"""The example questions that ship: as many graphs as said, answered on the Factbook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import import_questions, read_facts
from graphkit.formats.bundled import bundled_evidence

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "questions"
TABLE = re.findall(
    r"^\| `(\S+)` \| (\d+) [^|]*\| (\d+) \|$", (FOLDER / "README.md").read_text(), re.MULTILINE
)


@pytest.fixture(scope="module")
def facts() -> FactStore:
    return read_facts([bundled_evidence()])


@pytest.mark.parametrize(("name", "rows", "graphs"), TABLE)
def test_each_set_has_the_rows_and_graphs_that_its_readme_says(
    name: str, rows: str, graphs: str
) -> None:
    """The format is told by the content, every row is a graph or named."""
    report = import_questions(FOLDER / name)
    assert (report.rows, len(report.graphs)) == (int(rows), int(graphs))


def test_every_set_is_in_the_readme() -> None:
    """No file of the folder is forgotten."""
    assert {name for name, _, _ in TABLE} == {path.name for path in FOLDER.glob("countries.*")}


@pytest.mark.parametrize("name", ["countries.webshaper.jsonl", "countries.2wiki.jsonl"])
def test_declared_answers_are_the_only_ones(facts: FactStore, name: str) -> None:
    """On the Factbook each of these questions has exactly its declared answer."""
    for graph in import_questions(FOLDER / name).graphs:
        assert evaluate(graph, facts).names == [graph.answer], graph.question


def test_notations_agree_where_they_ask_the_same(facts: FactStore) -> None:
    """The neighbours of Germany outside the European Union, in three notations."""
    found = [
        evaluate(import_questions(FOLDER / name).graphs[place], facts).names
        for name, place in (
            ("countries.sparql.jsonl", 0), ("countries.efo", 0), ("countries.betae", 2),
        )
    ]  # fmt: skip
    assert found == [["Switzerland"]] * 3
    union, any_of = (import_questions(FOLDER / "countries.efo").graphs[place] for place in (3, 2))
    assert evaluate(union, facts).names == evaluate(any_of, facts).names


def test_every_question_over_the_factbook_has_answers(facts: FactStore) -> None:
    """Names and relations of the sets are those of the Factbook."""
    for name in ("countries.sparql.jsonl", "countries.efo", "countries.betae"):
        for graph in import_questions(FOLDER / name).graphs:
            assert evaluate(graph, facts).count > 0
