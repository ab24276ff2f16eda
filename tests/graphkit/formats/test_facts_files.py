"""Files of facts: triples, evidence and several of them merged, with the relation sheet."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from graphkit.errors import FormatError, InputError, SheetError
from graphkit.formats import read_facts, read_triples
from graphkit.formats.lines import TextSource
from graphkit.operations import Direction

DATA = Path(__file__).parents[4] / "shared" / "data"


def problems(text: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_triples(TextSource.of(text, "f.tsv"))
    return [str(problem) for problem in caught.value.problems]


def evidence(ident: str, head: str, relation: str, tail: str) -> str:
    return json.dumps(
        {"evidence_id": ident, "head_entity": head, "relation": relation, "tail_entity": tail}
    )


def test_triples_are_read_line_by_line() -> None:
    """Three columns are a fact; a heading and blank lines are passed over."""
    found = read_triples(TextSource.of("Head\trelation\ttail\n\na\tr\tb\r\n#c\tr\td \n"))
    assert list(found) == [("a", "r", "b"), ("#c", "r", "d")]


def test_every_wrong_line_is_named() -> None:
    """Too few or too many columns, spaces for tabs and blank columns each have their line."""
    assert problems("a\tr\tb\na\tr\na r b\na\tr\tb\tc\na\t \tb\n") == [
        "f.tsv:2: 2 columns, expected 3: head, relation, tail",
        "f.tsv:3: 1 column, expected 3: head, relation, tail; columns are separated by tabs, "
        "not spaces",
        "f.tsv:4: 4 columns, expected 3: head, relation, tail",
        "f.tsv:5: the relation is blank, expected a name",
    ]


def test_wrong_lines_are_skipped_on_demand() -> None:
    """With keep_going the other facts are read and the wrong lines counted."""
    found = read_triples(TextSource.of("a\tr\tb\nx\n"), keep_going=True)
    assert (len(found), found.skipped) == (1, 1)


@pytest.mark.parametrize("text", ["", "head\trelation\ttail\n"])
def test_no_facts_are_an_error(text: str) -> None:
    """An empty file and one with only a heading are refused."""
    assert len(problems(text)) == 1


def test_triples_alone_have_no_evidence(tmp_path: Path) -> None:
    """Facts of a tab-separated file are facts without records."""
    (tmp_path / "f.txt").write_text("a\tr\tb\n")
    store = read_facts(tmp_path / "f.txt")
    assert (len(store), dict(store.records)) == (1, {})


def test_files_of_several_kinds_become_one_store(tmp_path: Path) -> None:
    """Triples beside evidence get a record with their file and line; equal facts are one."""
    (tmp_path / "e.jsonl").write_text(evidence("e1", "a", "r", "b"))
    (tmp_path / "f.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    store = read_facts([tmp_path / "e.jsonl", str(tmp_path / "f.tsv")])
    by_name = {store.in_names(fact): store.evidence_ids(fact) for fact in store.facts()}
    assert by_name == {
        ("a", "r", "b"): ("e1", f"{tmp_path}/f.tsv:1"),
        ("b", "r", "c"): (f"{tmp_path}/f.tsv:2",),
    }


def test_problems_of_all_files_come_at_once(tmp_path: Path) -> None:
    """What is wrong in one file does not hide what is wrong in the next."""
    (tmp_path / "a.tsv").write_text("x\n")
    (tmp_path / "b.tsv").write_text("a\tr\tb\ny\n")
    with pytest.raises(FormatError) as caught:
        read_facts([tmp_path / "a.tsv", tmp_path / "no.tsv", tmp_path / "b.tsv"])
    assert [(Path(p.file or "").name, p.line) for p in caught.value.problems] == [
        ("no.tsv", None),
        ("a.tsv", 1),
        ("b.tsv", 2),
    ]


def test_one_id_in_two_files_is_an_error(tmp_path: Path) -> None:
    """Different records with one id in two files are refused."""
    for name, tail in (("a", "b"), ("b", "c")):
        (tmp_path / f"{name}.jsonl").write_text(evidence("e1", "a", "r", tail))
    with pytest.raises(InputError, match="evidence e1"):
        read_facts([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])


def test_no_files_are_an_error() -> None:
    """Facts without a file make no store."""
    with pytest.raises(InputError, match="no file of facts"):
        read_facts([])


def test_the_sheet_beside_the_facts_is_found(tmp_path: Path) -> None:
    """relations.toml in the folder of the facts is read; another can be given instead."""
    (tmp_path / "f.tsv").write_text("a\tr\tb\n")
    (tmp_path / "relations.toml").write_text("[relations.r]\nsymmetric = true\n")
    store = read_facts(tmp_path / "f.tsv")
    assert store.names(store.project("r", Direction.FORWARD, store.named("b"))) == ["a"]
    (tmp_path / "other.toml").write_text("[relations.r]\nfunctional = true\n")
    assert read_facts(tmp_path / "f.tsv", tmp_path / "other.toml").sheet.relation("r").functional


def test_two_sheets_are_merged_or_contradict_each_other(tmp_path: Path) -> None:
    """Sheets of two folders add up; where they say different things both are named."""
    for name, text in (("a", "symmetric = true"), ("b", "functional = true")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f.tsv").write_text("a\tr\tb\n")
        (tmp_path / name / "relations.toml").write_text(f"[relations.{name}]\n{text}\n")
    paths = [tmp_path / "a" / "f.tsv", tmp_path / "b" / "f.tsv"]
    sheet = read_facts(paths).sheet
    assert sheet.relation("a").symmetric
    assert sheet.relation("b").functional
    (tmp_path / "b" / "relations.toml").write_text("[relations.a]\nfunctional = true\n")
    with pytest.raises(SheetError, match=r"b/relations.toml: relation a: .*a/relations.toml says"):
        read_facts(paths)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("a\tr\tb\n", 1),
        (evidence("e", "a", "r", "b"), 1),
        ("<http://x/a> <http://x/r> <http://x/b> .", 1),
    ],
)
def test_facts_without_a_suffix_are_recognised(tmp_path: Path, text: str, facts: int) -> None:
    """A file without a telling suffix is read as what it looks like."""
    (tmp_path / "facts").write_text(text)
    assert len(read_facts(tmp_path / "facts")) == facts


@pytest.mark.parametrize(("text", "message"), [("hello", "cannot tell"), ("", "is empty: no")])
def test_facts_of_no_kind_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """Content that is no kind of facts is refused with the list of kinds."""
    (tmp_path / "facts").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_facts(tmp_path / "facts")


def test_reading_facts_loads_no_heavy_module() -> None:
    """Importing the formats room loads no optional engine, library of RDF or of drawing."""
    code = (
        "import sys, graphkit.formats, graphkit.formats.facts\n"
        "heavy = {'rdflib', 'networkx', 'matplotlib', 'hypothesis', 'kglite', 'neo4j', 'openai',"
        " 'json_repair'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.shared_data
@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_published_triples_are_read_in_full() -> None:
    """CoDEx-S has 32,888 distinct facts."""
    assert len(read_facts(DATA / "kg" / "codex-s" / "train.txt")) == 32_888
