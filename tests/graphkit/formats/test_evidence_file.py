"""Evidence files: contract, places of problems, files without facts, round trip."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphkit.errors import FormatError
from graphkit.formats import read_evidence, write_evidence
from graphkit.formats.lines import TextSource

RECORD: dict[str, Any] = {
    "evidence_id": "e1",
    "head_entity": "France",
    "relation": "capital",
    "tail_entity": "Paris",
    "evidence_text": "Paris is the capital of France.",
    "source_url": "https://www.example.org/fr",
    "is_fresh_knowledge": False,
    "aliases": {"France": ["French Republic"]},
    "hop": 3,
}


def problems(*records: Any) -> list[str]:
    text = "\n".join(json.dumps(record) for record in records)
    with pytest.raises(FormatError) as caught:
        read_evidence(TextSource.of(text, "e.jsonl"))
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evidence_id": 5}, "e.jsonl:1: evidence_id is the number 5, expected a string"),
        ({"head_entity": "  "}, "e.jsonl:1: evidence e1: head_entity is blank, expected a name"),
        ({"tail_entity": None}, "e.jsonl:1: evidence e1: tail_entity is null, expected a string"),
        (
            {"is_fresh_knowledge": "yes"},
            "e.jsonl:1: evidence e1: is_fresh_knowledge is 'yes', expected true or false",
        ),
        ({"source_url": []}, "e.jsonl:1: evidence e1: source_url is a list, expected a string"),
        (
            {"tail_type": 1},
            "e.jsonl:1: evidence e1: tail_type is the number 1, expected a string or null",
        ),
        (
            {"aliases": []},
            "e.jsonl:1: evidence e1: aliases is a list, expected an object from names to lists "
            "of names",
        ),
        (
            {"aliases": {"France": "FR"}},
            "e.jsonl:1: evidence e1: aliases of 'France': 'FR', expected a list of strings",
        ),
    ],
)
def test_each_fault_is_named(changes: dict[str, Any], message: str) -> None:
    """A fault is told with line, record, what is there and what was expected."""
    assert problems({**RECORD, **changes}) == [message]


def test_a_misspelt_key_is_recognised() -> None:
    """A missing key that stands there misspelt is pointed at."""
    record = {("head_entty" if key == "head_entity" else key): RECORD[key] for key in RECORD}
    assert problems(record) == [
        "e.jsonl:1: evidence e1: head_entity is missing (is head_entty meant?)"
    ]


def test_one_id_for_two_records_is_an_error_and_a_repetition_is_not() -> None:
    """The same record twice counts once; another record under its id names both lines."""
    assert len(read_evidence(TextSource.of("\n".join([json.dumps(RECORD)] * 2)))) == 1
    assert problems(RECORD, {**RECORD, "tail_entity": "Lyon"}) == [
        "e.jsonl:2: evidence e1: the id is used for another record in line 1 already, "
        "expected each id once"
    ]


@pytest.mark.parametrize(("name", "text"), [("e.jsonl", ""), ("e", "\n\n"), ("e.json", "[]")])
def test_a_file_without_facts_is_an_error(name: str, text: str) -> None:
    """An evidence file without facts is refused, and the error says what was expected."""
    with pytest.raises(FormatError, match=f"^{name}: .*: an evidence file without facts; expected"):
        read_evidence(TextSource.of(text, name))


def test_a_question_graph_is_told_from_evidence() -> None:
    """A question file given as evidence is named as what it is."""
    assert problems({"nodes": [], "edges": []}) == [
        "e.jsonl:1: this is a question graph, expected an evidence record"
    ]


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Records come back with unknown keys, and the file has the same bytes again."""
    records = read_evidence(TextSource.of(json.dumps(RECORD)))
    path = tmp_path / "e.jsonl.gz"
    write_evidence(records, path)
    first = path.read_bytes()
    again = read_evidence(path)
    assert again == records
    assert json.loads(json.dumps(again[0].model_dump(exclude_unset=True))) == RECORD
    write_evidence(again, path)
    assert path.read_bytes() == first
