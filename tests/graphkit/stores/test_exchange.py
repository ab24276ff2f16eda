"""What is wrong with an export that should be imported is said with file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphkit.errors import FormatError, StoreVersionError
from graphkit.stores import (
    GraphStore,
    counts,
    export_store,
    import_store,
    load_evidence,
    load_triples,
    open_store,
)
from graphkit.testing.store_contract import RECORDS, SHEET


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_store(tmp_path / "full.db") as store:
        load_evidence(store, RECORDS, SHEET)
        load_triples(store, [("a", "r", "b")])
        export_store(store, tmp_path / "export")
    return tmp_path / "export"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    with open_store(tmp_path / "new.db") as opened:
        yield opened


def test_an_export_says_what_it_is(folder: Path) -> None:
    """The export names its versions and counts."""
    about = json.loads((folder / "store.json").read_text())
    assert about["format"] == "graphkit store"
    assert about["schema_version"] == 1
    assert about["counts"]["evidence"] == 4


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("evidence.jsonl", '{"evidence_id": "e1"}\n', r"evidence\.jsonl:1: head_entity"),
        ("evidence.jsonl", '{"evidence_id": "e1"', r"evidence\.jsonl:1: not JSON"),
        pytest.param("evidence.jsonl", "[" * 200_000, "1: not JSON", id="nested line"),
        pytest.param("store.json", "[" * 200_000, "cannot be read", id="nested document"),
        ("triples.jsonl", '["a", "b", "c"]\n["a", "b"]\n', r"triples\.jsonl:2: expected \[head"),
        ("questions.jsonl", '{"root_node_id": "x"}\n', r"questions\.jsonl:1: nodes"),
        ("questions.jsonl", None, r"questions\.jsonl: there is no such file"),
        ("store.json", '{"format": "other"}', "not the export of a store"),
        ("store.json", "[]", "expected a JSON object"),
        (
            "questions.jsonl",
            '{"root_node_id": "x", "nodes": [{"node_id": "y"}]}\n',
            r"questions\.jsonl:1: .*root",
        ),
        ("histories.jsonl", '{"question_id": "q"}\n', r"histories\.jsonl:1: expected"),
        ("checks.jsonl", "7\n", r"checks\.jsonl:1: expected"),
    ],
)
def test_a_broken_export_is_an_error(
    folder: Path, store: GraphStore, name: str, content: str | None, message: str
) -> None:
    """Every broken file is named with its line, and nothing is loaded."""
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(content)
    with pytest.raises(FormatError, match=message):
        import_store(store, folder)
    assert counts(store)["evidence"] == 0


def test_text_that_is_not_utf8_is_an_error(folder: Path, store: GraphStore) -> None:
    """A file in another encoding is named."""
    (folder / "triples.jsonl").write_bytes('["a", "\u00e9", "b"]'.encode("latin-1"))
    with pytest.raises(FormatError, match=r"triples\.jsonl.*not UTF-8"):
        import_store(store, folder)


def test_an_export_of_another_version_is_refused(folder: Path, store: GraphStore) -> None:
    """The schema version of an export must be that of the store."""
    about = json.loads((folder / "store.json").read_text())
    (folder / "store.json").write_text(json.dumps({**about, "schema_version": 2}))
    with pytest.raises(StoreVersionError, match="schema version 2"):
        import_store(store, folder)
