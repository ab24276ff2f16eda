"""Growing into a file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from graphkit.errors import InputError, OperationError
from graphkit.facts import FactStore
from graphkit.formats import read_evidence, read_questions, read_sheet
from synthesis.grow import GrownQuestion, Growth
from synthesis.grow_file import grow_to_file, part_of
from synthesis.grow_settings import GrowSettings

FACTBOOK = Path(__file__).resolve().parents[2] / "examples" / "factbook"
RELATIONS = {"borders", "takes part in", "national color", "observer of", "official language"}


@pytest.fixture(scope="module")
def facts() -> FactStore:
    """A part of the bundled evidence."""
    records = [r for r in read_evidence(FACTBOOK / "evidence.jsonl") if r.relation in RELATIONS]
    return FactStore.from_evidence(records, read_sheet(FACTBOOK / "relations.toml"))


@pytest.mark.parametrize("name", ["q.jsonl", "q.jsonl.gz"])
def test_whole_file(facts: FactStore, tmp_path: Path, name: str) -> None:
    """At the end the file has every question, and nothing else is left."""
    path = tmp_path / name
    questions = grow_to_file(Growth(facts, GrowSettings(count=3, seed=1)), path)
    assert [graph.id for graph in read_questions(path)] == [q.graph.id for q in questions]
    assert [item.name for item in tmp_path.iterdir()] == [name]
    data = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    assert [json.loads(line) for line in data.splitlines()] == [q.to_record() for q in questions]


def test_interrupt_leaves_whole_lines(facts: FactStore, tmp_path: Path) -> None:
    """An interrupt leaves the questions so far beside the file, and an older file as it was."""
    path = tmp_path / "q.jsonl"
    path.write_text("old")
    seen: list[GrownQuestion] = []

    def stop(question: GrownQuestion) -> None:
        seen.append(question)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow_to_file(Growth(facts, GrowSettings(count=9, seed=1)), path, each=stop)
    assert path.read_text() == "old"
    lines = part_of(path).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [question.to_record() for question in seen]


def test_bad_places_are_told_before_anything_is_grown(facts: FactStore, tmp_path: Path) -> None:
    """A folder that is missing, or a folder in the place of the file, is told at once."""
    growth = Growth(facts, GrowSettings(count=1))
    for place in (tmp_path / "none" / "q.jsonl", tmp_path):
        with pytest.raises((InputError, OperationError)):
            grow_to_file(growth, place)
        assert growth.attempts == 0
