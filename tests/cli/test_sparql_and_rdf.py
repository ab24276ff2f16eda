"""SPARQL and RDF on the command line: one engine and two notations more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, errors


@pytest.mark.parametrize("installed", [True, False])
def test_sparql_answers_as_memory_does(
    run: Run, question: str, facts: str, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    """--engine sparql prints the same report, with pyoxigraph or without it."""
    if not installed:
        monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    arguments = ("answer", question, "--facts", facts, "--json", "--explain")
    found = run(*arguments, "--engine", "sparql")
    assert found.exit_code == 0
    assert found.stdout == run(*arguments).stdout
    assert json.loads(found.stdout)["answers"] == ["Italy", "Spain"]


def test_sparql_is_compiled(run: Run, question: str, facts: str) -> None:
    """--to sparql prints a query that stands on its own."""
    found = run("compile", question, "--facts", facts, "--to", "sparql")
    assert found.stdout.splitlines()[2:] == [
        "SELECT DISTINCT ?x WHERE {",
        "  VALUES ?x1 { entity::France }",
        "  ?x1 relation:borders ?x .",
        "}",
    ]


@pytest.mark.parametrize("name", ["q.ttl", "q.trig", "q.trig.gz"])
def test_grown_questions_survive_rdf(run: Run, little: str, name: str) -> None:
    """Grown questions with checks and history go to RDF and back, and into a store."""
    assert run("grow", "--facts", little, "--count", 2, "-o", "q.jsonl").exit_code == 0
    assert run("convert", "q.jsonl", name).exit_code == 0
    assert run("convert", name, "back.jsonl").exit_code == 0
    assert Path("back.jsonl").read_bytes() == Path("q.jsonl").read_bytes()
    loaded = run("load", name, "--json")
    assert json.loads(loaded.stdout)["files"][0]["kind"] == "questions"
    steps = run("query", "MATCH (m:Mutation) RETURN count(m) AS n", "--json")
    assert json.loads(steps.stdout)["rows"][0]["n"] > 1


def test_facts_in_turtle_are_facts(run: Run, question: str) -> None:
    """A Turtle file of facts is read where facts are, and refused where questions are."""
    Path("f.ttl").write_text("<urn:x:France> <urn:x:borders> <urn:x:Spain> .\n", encoding="utf-8")
    assert run("answer", question, "--facts", "f.ttl").stdout == "Spain\n"
    assert "no question graph in it" in errors(run("answer", "f.ttl", "--facts", "f.ttl"))[0]


@pytest.mark.parametrize("name", ["t.ttl", "t.trig", "t.ttl.gz"])
def test_rubric_trees_survive_rdf(run: Run, name: str) -> None:
    """Trees go to RDF and back without loss, one in JSON or many in JSONL, by pipe too."""
    folder = Path(__file__).parents[2] / "examples" / "rubric" / "trees"
    trees = [json.loads(path.read_text("utf8")) for path in sorted(folder.glob("*.json"))]
    Path("trees.jsonl").write_text("".join(json.dumps(tree) + "\n" for tree in trees), "utf8")
    assert run("convert", "trees.jsonl", name).exit_code == 0
    assert run("convert", name, "back.jsonl").exit_code == 0
    back = Path("back.jsonl").read_text("utf8")
    assert [json.loads(line) for line in back.splitlines()] == trees
    one = str(sorted(folder.glob("*.json"))[0])
    turtle = run("convert", one, "-", "--to", "turtle").stdout_bytes
    found = run("convert", "-", "one.json", "--from", "trees", stdin=turtle)
    assert found.exit_code == 0
    assert json.loads(Path("one.json").read_text("utf8")) == trees[0]


def test_rubric_trees_that_cannot_be_written(run: Run) -> None:
    """A notation that is not for trees, several trees for one JSON file, a broken tree."""
    folder = Path(__file__).parents[2] / "examples" / "rubric" / "trees"
    one = str(sorted(folder.glob("*.json"))[0])
    assert "expected json, turtle or trig" in errors(run("convert", one, "t.graphml"))[0]
    text = Path(one).read_text("utf8")
    other = json.loads(text)
    other["task_id"] = "another"
    Path("two.jsonl").write_text(
        json.dumps(json.loads(text)) + "\n" + json.dumps(other) + "\n", "utf8"
    )
    assert "holds one tree, there are 2" in errors(run("convert", "two.jsonl", "t.json"))[0]
    Path("bad.json").write_text('{"task_id": "t", "atoms": [{"id": 1}]}', "utf8")
    found = run("convert", "bad.json", "t.ttl")
    assert (found.exit_code, Path("t.ttl").exists()) == (2, False)
