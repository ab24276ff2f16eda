"""Bad input through the real commands: exit code, one message with its place, nothing left."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphkit.stores import open_store
from tests.cli.conftest import Run, errors, graph, write_lines


def _edge(**changes: Any) -> dict[str, Any]:
    data = graph()
    data["edges"][0].update(changes)
    return data


def _anchor(name: str) -> dict[str, Any]:
    data = graph()
    data["nodes"][0]["known_entities"] = [name]
    return data


def _cycle() -> dict[str, Any]:
    data = graph()
    back = {**data["edges"][0], "edge_id": "e1", "source_ids": ["n1"], "target_id": "n0"}
    return {**data, "edges": [*data["edges"], back]}


def _two_roots() -> dict[str, Any]:
    data = graph()
    data["nodes"][0]["is_root"] = True
    return data


def _twice() -> dict[str, Any]:
    data = graph()
    return {**data, "nodes": [*data["nodes"], data["nodes"][0]]}


def _json(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()


FILES: dict[str, tuple[bytes, str]] = {
    "empty file": (b"", "q.jsonl: is empty"),
    "blank file": (b"\n \n", "q.jsonl: holds only blank lines"),
    "truncated line": (_json(graph()) + _json(graph(id="q2"))[:90], "q.jsonl:2: the JSON value"),
    "latin-1": (
        json.dumps(graph(question="Où?"), ensure_ascii=False).encode("latin-1"),
        "q.jsonl:1: not UTF-8: byte 0xf9",
    ),
    "utf-16": (_json(graph()).decode().encode("utf-16"), "q.jsonl: is UTF-16, expected UTF-8"),
    "duplicate question ids": (_json(graph(), graph()), "q.jsonl:2: question q1: the id"),
    "duplicate node ids": (_json(_twice()), "q.jsonl:1: node n0: the id is used 2 times"),
    "cycle": (_json(_cycle()), "q.jsonl:1: node n0: the edges form a cycle: n0 <- n1 <- n0"),
    "dangling edge": (_json(_edge(source_ids=["n9"])), "q.jsonl:1: edge e0: source 'n9'"),
    "two roots": (_json(_two_roots()), "q.jsonl:1: node n1: is_root is true for n0, n1"),
    "unknown op": (
        _json(_edge(op="projecton")),
        'q.jsonl:1: edge e0: op "projecton" is not one of projection, intersection, complement, '
        "union (did you mean projection?)",
    ),
    "NUL byte": (_json(graph()).replace(b"France", b"Fra\x00nce", 1), "q.jsonl:1: a NUL byte"),
    "not JSON": (b"hello\n", "q.jsonl:1: "),
    "a list of numbers": (b"[1, 2]\n", "q.jsonl:1: found"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", ["check", "answer", "stats", "load", "convert"])
def test_broken_file(
    run: Run, facts: str, tmp_path: Path, command: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken file of questions is a mistake of the user, told with file and line, once."""
    content, expected = FILES[name]
    Path("q.jsonl").write_bytes(content)
    arguments: list[str] = {
        "check": ["check", "q.jsonl", "--facts", facts],
        "answer": ["answer", "q.jsonl", "--facts", facts, "--json"],
        "stats": ["stats", "q.jsonl"],
        "load": ["load", "q.jsonl", "--format", "questions"],
        "convert": ["convert", "q.jsonl", "out.graphml"],
    }[command]
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert all(line.startswith("error: q.jsonl") for line in errors(result))
    assert f"error: {expected}" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["facts.tsv", "q.jsonl"]


def test_line_of_fifty_megabytes(run: Run, facts: str) -> None:
    """A line that is too long is refused with its size, without a flood of text."""
    Path("q.jsonl").write_bytes(_json(graph(question="x" * 50 * 1024 * 1024)))
    result = run("check", "q.jsonl", "--facts", facts)
    assert (result.exit_code, errors(result)) == (
        2,
        ["error: q.jsonl:1: a line of 50 MiB, expected at most 32 MiB"],
    )


def test_all_problems_of_all_files_at_once(run: Run, facts: str) -> None:
    """Every problem of every file is told, not only the first."""
    write_lines(Path("a.jsonl"), _two_roots(), _edge(op="x"), graph(id="good"))
    write_lines(Path("b.jsonl"), _edge(source_ids=["n9"], op="y"))
    result = run("check", "a.jsonl", "b.jsonl", "none.jsonl", "--facts", facts)
    assert result.exit_code == 2
    places = dict.fromkeys(line.split(": ")[1] for line in errors(result))
    assert list(places) == ["a.jsonl:1", "a.jsonl:2", "b.jsonl:1", "none.jsonl"]
    assert sum("b.jsonl:1: edge e0: " in line for line in errors(result)) == 2


def test_many_problems_are_counted(run: Run, facts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file with very many problems some are printed and the rest is counted."""
    monkeypatch.setenv("GRAPHKIT_OUTPUT_PROBLEMS", "3")
    Path("q.jsonl").write_text("x\n" * 20)
    lines = errors(run("check", "q.jsonl", "--facts", facts))
    assert len(lines) == 4
    assert lines[-1] == "error: q.jsonl: 17 more problems"


@pytest.mark.parametrize(
    "name",
    ["a \"q\" and 's'", "two\nlines", "nul\x00", "العربية \u202eturned", "😀 café", "\x1b[31mred"],
)
def test_strange_names(run: Run, name: str) -> None:
    """Any name works, and nothing in it can break a line or move the cursor of a terminal."""
    data = _anchor(name)
    facts = write_lines(
        Path("e.jsonl"),
        {"evidence_id": "e1", "head_entity": name, "relation": "borders", "tail_entity": name * 2},
    )
    write_lines(Path("q.jsonl"), data)
    found = run("answer", "q.jsonl", "--facts", facts, "--json")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["answers"] == [name * 2]
    shown = run("answer", "q.jsonl", "--facts", facts, "--explain")
    assert len(shown.stdout.splitlines()) == 2
    assert not any(sign in shown.stdout for sign in "\x00\x1b\u202e")
    Path("f.tsv").write_text("France\tborders\tSpain\n")
    missing = run("answer", "q.jsonl", "--facts", "f.tsv")
    assert missing.exit_code == 2
    assert len(errors(missing)) == 1
    assert "q.jsonl:1: question q1: node n0: " in missing.stderr
    assert not any(sign in missing.stderr for sign in "\x00\x1b\u202e")


def test_ambiguous_name(run: Run, question: str) -> None:
    """A name of two entities is a warning; all are used and uniqueness is left open."""
    facts = write_lines(
        Path("e.jsonl"),
        *(
            {
                "evidence_id": kind,
                "head_entity": "France",
                "head_type": kind,
                "relation": "borders",
                "tail_entity": tail,
            }
            for kind, tail in (("country", "Spain"), ("ship", "Water"))
        ),
    )
    answered = run("answer", question, "--facts", facts, "--json")
    record = json.loads(answered.stdout)
    assert (answered.exit_code, record["answers"]) == (0, ["Spain", "Water"])
    assert record["warnings"] == [
        "node n0: 'France' matches 2 entities: France (country), France (ship); all are used"
    ]
    checked = json.loads(run("check", question, "--facts", facts, "--json").stdout)
    assert (checked["unique"], checked["reason"]) == (None, "ambiguous_name")
    told = run("answer", question, "--facts", facts)
    assert "warning: q1: node n0: 'France' matches 2" in told.stderr


def test_unresolved_names_of_all_questions(run: Run, facts: str) -> None:
    """Unresolved names and relations of all questions are told; nothing is answered."""
    write_lines(Path("q.jsonl"), _anchor("Frnce"), {**_edge(relation="bordrs"), "id": "q2"})
    result = run("answer", "q.jsonl", "--facts", facts, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert errors(result) == [
        "error: q.jsonl:1: question q1: node n0: 'Frnce' is not an entity of the facts "
        "(did you mean France?)",
        "error: q.jsonl:2: question q2: edge e0: relation 'bordrs' is not a relation of the facts "
        "(did you mean borders?)",
    ]
    kept = run("answer", "q.jsonl", "--facts", facts, "--keep-going")
    assert kept.exit_code == 1
    assert len(errors(kept)) == 2
    checked = run("check", "q.jsonl", "--facts", facts, "--json")
    codes = [json.loads(line)["lint"][0]["code"] for line in checked.stdout.splitlines()]
    assert (checked.exit_code, codes) == (3, ["unresolved_name", "unresolved_relation"])


def test_unsafe_complement_root(run: Run, facts: str) -> None:
    """A root that is a complement: an error to answer, a finding to check, a list if wanted."""
    write_lines(Path("q.jsonl"), _edge(op="complement", relation=None, direction=None))
    result = run("answer", "q.jsonl", "--facts", facts)
    assert result.exit_code == 2
    assert "error: q.jsonl:1: question q1: node n1: the answers are the complement" in result.stderr
    checked = run("check", "q.jsonl", "--facts", facts, "--json")
    record = json.loads(checked.stdout)
    assert (checked.exit_code, record["reason"]) == (3, "unsafe_complement")
    listed = run("answer", "q.jsonl", "--facts", facts, "--materialize-universe", "--json")
    assert json.loads(listed.stdout)["answers"] == ["Europe", "Italy", "Spain"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("f.jsonl", b"", "f.jsonl: is empty: an evidence file without facts"),
        ("f.tsv", b"head\trelation\ttail\n", "f.tsv: only a heading, expected facts below it"),
        ("f.tsv", b"a b c\n", "f.tsv:1: 1 column, expected 3: head, relation, tail"),
        ("f.jsonl", b"{}\n", "f.jsonl:1: evidence_id is missing"),
        ("f.tsv.gz", b"\x1f\x8b\x08broken", "f.tsv.gz: broken gzip"),
        ("f.ttl", b"<a> <b .\n", "f.ttl"),
        ("f.xyz", b"what", "f.xyz: cannot tell what facts these are"),
    ],
)
@pytest.mark.parametrize("command", ["check", "answer", "grow"])
def test_bad_facts(
    run: Run, question: str, command: str, name: str, content: bytes, expected: str
) -> None:
    """Facts that cannot be read, and files without any, are told with their place."""
    Path(name).write_bytes(content)
    files = [] if command == "grow" else [question]
    result = run(command, *files, "--facts", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert errors(result)[0].startswith(f"error: {expected}")


def test_broken_sheet(run: Run, question: str, facts: str) -> None:
    """A relation sheet that says what it cannot is told with its place."""
    Path("relations.toml").write_text("[relations.borders]\nsymetric = true\n")
    result = run("answer", question, "--facts", facts)
    assert result.exit_code == 2
    assert errors(result) == [
        f"error: {Path(facts).parent / 'relations.toml'}: relations.borders.symetric: "
        "no such key in a relation sheet"
    ]


def test_keep_going_counts(run: Run, facts: str) -> None:
    """With --keep-going broken records are skipped, counted, and the exit code is 1."""
    Path("q.jsonl").write_bytes(b"broken\n" + _json(graph()) + b"{}\n")
    result = run("answer", "q.jsonl", "--facts", facts, "--json", "--keep-going")
    assert result.exit_code == 1
    assert [json.loads(line)["question_id"] for line in result.stdout.splitlines()] == ["q1"]
    assert "note: 2 broken records were skipped" in result.stderr


def test_read_only_store(run: Run, facts: str) -> None:
    """A folder that cannot be written gives no store, and says so."""
    folder = Path("folder")
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        result = run("load", facts, "--store", "folder/s.db")
        assert result.exit_code == 1
        assert len(errors(result)) == 1
        assert errors(result)[0].startswith("error: folder/s.db: the folder folder is read-only")
        assert os.listdir(folder) == []
    finally:
        folder.chmod(stat.S_IRWXU)


def test_store_of_another_version(run: Run, facts: str) -> None:
    """A store of another schema version is refused and stays as it is."""
    assert run("load", facts).exit_code == 0
    changed = run("query", "MATCH (s:Store) SET s.schema_version = 99", "--write")
    assert changed.exit_code == 0
    for arguments in (["load", facts], ["answer", "--all"], ["export", "out"]):
        result = run(*arguments)
        assert result.exit_code == 1
        assert "graphkit.db: the store has schema version 99" in errors(result)[0]
    assert not Path("out").exists()


def test_store_that_is_open(
    run: Run, facts: str, question: str, spawn: Callable[..., subprocess.Popen[bytes]]
) -> None:
    """While another process writes a store, loading says who has it, and reading works."""
    assert run("load", facts).exit_code == 0
    with open_store("graphkit.db"):
        process = spawn("load", question)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (1, b"")
        assert err.decode().startswith(f"error: graphkit.db: process {os.getpid()} has the store")
        reading = spawn("answer", question)
        out, _ = reading.communicate(timeout=60)
        assert (reading.returncode, out.decode().split()) == (0, ["Italy", "Spain"])


def test_no_store(run: Run, question: str) -> None:
    """Without facts and without a store there is nothing to answer from; none is made."""
    result = run("answer", question)
    assert (result.exit_code, len(errors(result))) == (2, 1)
    assert "--facts" in result.stderr
    named = run("answer", question, "--store", "none.db")
    assert errors(named) == [
        "error: none.db: there is no store; graphkit load makes one, --store names another"
    ]
    assert not Path("none.db").exists()
    assert not Path("graphkit.db").exists()


def test_something_else_at_the_place_of_the_store(run: Run, facts: str) -> None:
    """A file that is no store is not overwritten."""
    Path("s.db").write_text("my notes")
    result = run("load", facts, "--store", "s.db")
    assert result.exit_code == 1
    assert errors(result)[0].startswith("error: s.db: ")
    assert Path("s.db").read_text() == "my notes"


def test_broken_import_makes_no_store(run: Run, facts: str) -> None:
    """An export with a broken line is refused before a store is made."""
    assert run("load", facts).exit_code == 0
    assert run("export", "out").exit_code == 0
    with (Path("out") / "triples.jsonl").open("a") as stream:
        stream.write("[1]\n")
    for folder in ("out", "nowhere"):
        result = run("import", folder, "--store", "new.db")
        assert (result.exit_code, len(errors(result))) == (2, 1)
        assert f"{folder}/" in errors(result)[0]
    assert not Path("new.db").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "q.jsonl", "--all"],
        ["check", "q.jsonl", "--save"],
        ["answer", "-", "--facts", "-"],
        ["answer", "q.jsonl", "--facts", "facts.tsv", "--engine", "store"],
        ["answer", "q.jsonl", "--facts", "facts.tsv", "--why-not", "Atlantis"],
        ["answer", "q.jsonl", "--facts", "facts.tsv", "--format", "jsn"],
        ["check", "q.jsonl", "--facts", "facts.tsv", "--max-length", "0"],
        ["query"],
        ["query", "x", "-p", "x"],
        ["query", "x", "-p", "a=1", "-p", "a=2"],
        ["query", "x", "--json", "--csv"],
        ["query", "x", "--limit", "-1"],
        ["compile", "q.jsonl", "--to", "prolog"],
        ["convert", "q.jsonl", "x.foo"],
        ["convert", "q.jsonl", "no/x.json"],
        ["draw", "q.jsonl", "-o", "x.gif"],
        ["draw", "q.jsonl", "-o", "x.svg", "--question", "q9"],
        ["grow", "--facts", "facts.tsv"],
        ["grow", "--facts", "facts.tsv", "--mix", "complemen=1"],
        ["grow", "--facts", "facts.tsv", "--mix", "complement=nan"],
        ["grow", "--facts", "facts.tsv", "--mix", "complement=1,complement=2"],
        ["grow", "--facts", "facts.tsv", "--count", "0"],
        ["grow", "--facts", "facts.tsv", "--relax", "everything"],
        ["grow", "--facts", "facts.tsv", "--allow-relation", "bordrs"],
        ["grow", "--facts", "facts.tsv", "--answer-type", "planet"],
        ["load", "none.jsonl"],
        ["load", "q.jsonl", "--format", "poems"],
        ["schema", "quest"],
        ["--settings", "none.toml", "doctor"],
    ],
    ids=" ".join,
)
def test_mistakes(run: Run, question: str, facts: str, arguments: list[str]) -> None:
    """A mistake in what was given ends with 2 and one clear line; nothing is written."""
    before = sorted(os.listdir())
    result = run(*arguments)
    assert result.exit_code == 2, result.stderr
    assert len(errors(result)) == 1
    assert result.stdout == ""
    assert sorted(os.listdir()) == before


def test_bad_settings(run: Run, facts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that are wrong are told with where they came from."""
    Path("graphkit.toml").write_text("stor = 'x'\n")
    monkeypatch.setenv("GRAPHKIT_SEED", "many")
    result = run("grow", "--facts", facts)
    assert result.exit_code == 2
    assert len(errors(result)) == 2
    assert "graphkit.toml" in errors(result)[0]
    assert "GRAPHKIT_SEED is 'many'" in errors(result)[1]
