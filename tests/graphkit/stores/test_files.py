"""Files of any kind into the store."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from graphkit.errors import FormatError
from graphkit.formats.lines import TextSource
from graphkit.stores import open_store, read_checks, read_facts, read_histories, read_questions
from graphkit.stores.files import file_kind, load_files, read_file

EVIDENCE = {"evidence_id": "e1", "head_entity": "a", "relation": "r", "tail_entity": "b"}
QUESTION: dict[str, Any] = {
    "id": "q1",
    "question": "?",
    "answer": "b",
    "root_node_id": "n1",
    "nodes": [{"node_id": "n0", "known_entities": ["a"]}, {"node_id": "n1", "is_root": True}],
    "edges": [
        {
            "edge_id": "e0",
            "source_ids": ["n0"],
            "target_id": "n1",
            "op": "projection",
            "relation": "r",
            "direction": "forward",
        }
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("x.jsonl", json.dumps(EVIDENCE), "evidence"),
        ("x.jsonl", json.dumps(QUESTION), "questions"),
        ("x.json", json.dumps([QUESTION], indent=1), "questions"),
        ("-", json.dumps(EVIDENCE), "evidence"),
        ("-", json.dumps(QUESTION), "questions"),
        ("x.tsv", "a\tr\tb\n", "triples"),
        ("-", "a\tr\tb\n", "triples"),
        ("x.nt", "<http://a> <http://r> <http://b> .", "rdf"),
        ("x.ttl.gz", "@prefix a: <http://a> .", "rdf"),
    ],
)
def test_kind(name: str, text: str, kind: str) -> None:
    """The kind of a file is told by suffix and content."""
    assert file_kind(TextSource.of(text, name)) == kind


def test_facts_before_questions_in_any_order(tmp_path: Path) -> None:
    """Files load in whatever order they are given; results come in that order."""
    (tmp_path / "q.jsonl").write_text(json.dumps(QUESTION))
    (tmp_path / "e.jsonl").write_text(json.dumps(EVIDENCE))
    with gzip.open(tmp_path / "t.tsv.gz", "wt") as stream:
        stream.write("b\tr\tc\n")
    files = [read_file(tmp_path / name) for name in ("q.jsonl", "t.tsv.gz", "e.jsonl")]
    with open_store(tmp_path / "s.db") as store:
        first = load_files(store, files)
        second = load_files(store, files)
        assert len(read_facts(store)) == 2
    assert [(item.kind, item.records, item.changed) for item in first] == [
        ("questions", 1, 1),
        ("triples", 1, 1),
        ("evidence", 1, 1),
    ]
    assert [item.changed for item in second] == [0, 0, 0]


def test_sheet_beside_the_file(tmp_path: Path) -> None:
    """The relation sheet beside a file of facts is loaded with it."""
    (tmp_path / "t.tsv").write_text("a\tr\tb\n")
    (tmp_path / "relations.toml").write_text("[relations.r]\nsymmetric = true\n")
    with open_store(tmp_path / "s.db") as store:
        load_files(store, [read_file(tmp_path / "t.tsv")])
        assert len(read_facts(store)) == 2


def test_checks_and_history_have_their_own_place(tmp_path: Path) -> None:
    """What grown questions carry beside the graph goes to its own place; strange things stay."""
    check = {"valid": True, "basis": "closed", "unique": True, "redundant": [], "profile": {}}
    history = [{"strategy": "Seed", "node_id": "n1", "reason": "because"}]
    lines = [
        {**QUESTION, "checks": check, "history": history, "mine": 1},
        {**QUESTION, "id": "q2", "checks": "all fine", "history": [1, 2]},
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with open_store(tmp_path / "s.db") as store:
        load_files(store, [read_file(tmp_path / "q.jsonl")])
        kept = [graph.model_extra for graph in read_questions(store)]
        assert kept == [{"mine": 1}, {"checks": "all fine", "history": [1, 2]}]
        assert read_checks(store) == {"q1": check}
        assert read_histories(store) == {"q1": history}


def test_unknown_kind(tmp_path: Path) -> None:
    """A kind that does not exist is told with those that do."""
    with pytest.raises(FormatError, match=r"no kind 'evidnce'.*did you mean evidence"):
        read_file(tmp_path / "x", "evidnce")


def test_skipped_records_are_counted(tmp_path: Path) -> None:
    """With keep_going broken records are skipped, told and counted."""
    (tmp_path / "e.jsonl").write_text(json.dumps(EVIDENCE) + "\n{}\n")
    told: list[str] = []
    found = read_file(
        tmp_path / "e.jsonl", keep_going=True, on_error=lambda p: told.append(p.message)
    )
    with open_store(tmp_path / "s.db") as store:
        (loaded,) = load_files(store, [found])
    assert (loaded.records, loaded.skipped) == (1, 1)
    assert "evidence_id is missing" in told
