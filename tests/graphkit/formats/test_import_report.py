"""Reports of imports: every row is counted once, as a graph or with its reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError
from graphkit.formats import NOTATIONS, Notation, import_questions
from graphkit.formats.import_report import report_text
from graphkit.formats.lines import TextSource

ROWS = "\n".join(
    json.dumps({"id": ident, "formula": text})
    for ident, text in [
        ("a", "r1(s1,f)"), ("b", "r1(s1,e1)&r2(e1,f)&r3(e1,f)"), ("c", "r1(s1"),
        ("d", "r1(s1,e1)&r2(e1,f)&r3(e1,f)"),
    ]
)  # fmt: skip


def test_a_report_counts_rows_by_reason() -> None:
    """Rows are graphs plus refusals; reasons are sorted by how often they occur."""
    report = import_questions(TextSource.of(ROWS, "rows.jsonl"))
    assert (report.rows, len(report.graphs), len(report.diagnostics)) == (4, 1, 3)
    assert list(report.reasons.items()) == [("cyclic", 2), ("efo_syntax", 1)]
    assert report.summary == (
        "rows.jsonl: 1 of 4 rows are question graphs; refused: cyclic 2, efo_syntax 1"
    )
    assert report.reading.skipped == 3
    document = json.loads(report_text([report, report]))
    assert document["rows"] == 8
    assert document["reasons"] == {"cyclic": 4, "efo_syntax": 2}
    assert [item["row"] for item in document["files"][0]["diagnostics"]] == ["b", "c", "d"]


def test_rows_of_our_own_notation_are_named_too() -> None:
    """Without an id of its own a broken row is called by its number, or its question."""
    text = '{"nodes": [], "edges": []}\n{"id": "q", "nodes": 3, "edges": []}\nno json\n'
    report = import_questions(TextSource.of(text, "rows.jsonl"), "json")
    assert [item.row for item in report.diagnostics] == ["1", "2", "3"]
    assert [item.problems[0].line for item in report.diagnostics] == [1, 2, 3]


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """No file, an empty one, and a notation that is only written are errors, not reports."""
    with pytest.raises(FormatError, match="no such file"):
        import_questions(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(FormatError, match="is empty"):
        import_questions(tmp_path / "empty.jsonl", "webshaper")


def test_a_notation_that_is_only_written_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading what can only be written is told."""
    silent = Notation("silent", "", (".silent",), frozenset(), lambda head: False)
    monkeypatch.setitem(NOTATIONS, "silent", silent)
    with pytest.raises(FormatError, match="can only be written"):
        import_questions(TextSource.of("x", "x.silent"))


WORDS = st.sampled_from(
    ["", "?", "V@X", "C@a", "C@a & C@b", "#1", "#1 >> a", "a >> b", "e", "r", "n", "u", "A", "yes",
     "comparison", "inference", "(p,(e))", "r1(s1,f)", "(((", "SELECT ?x { ?x <a:b> ?y }", "\x00"]
)  # fmt: skip
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
)
KEYS = {
    "webshaper": ["id", "formalization", "answer"],
    "2wiki": ["_id", "evidences", "type", "answer"],
    "musique": ["id", "question_decomposition", "answer_aliases"],
    "sparql": ["id", "sparql", "question", "answers", "questions"],
    "efo": ["id", "formula", "grounding", "o", "a"],
    "betae": ["id", "query", "structure"],
}


@pytest.mark.parametrize("name", list(KEYS))
@given(data=st.data())
def test_whatever_a_row_holds_it_is_a_graph_or_named(name: str, data: st.DataObject) -> None:
    """Rows of any JSON values never end an import; each is counted at least once."""
    row = st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS[name], JUNK))
    rows = data.draw(st.lists(row, min_size=1, max_size=3))
    text = "\n".join(map(json.dumps, rows))
    report = import_questions(TextSource.of(text, "rows.jsonl"), name)
    assert report.rows >= len(rows)
    assert all(item.problems[0].code for item in report.diagnostics)
