"""The JSON that other programs rely on, key by key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, graph, write_lines

CHECK_KEYS = {
    "question_id",
    "valid",
    "lint",
    "answers_count",
    "unique",
    "faithful",
    "basis",
    "reason",
    "redundant",
    "minimal_core",
    "core_exact",
    "shortcuts",
    "searched",
    "profile",
}
PROFILE_KEYS = {
    "nodes",
    "edges",
    "ops",
    "depth",
    "anchors",
    "candidates",
    "signature",
    "tree",
    "fresh_share",
    "root_domains",
}


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_answer(run: Run, question: str, facts: str) -> None:
    """answer: question_id, answers sorted, count, warnings; witnesses and losses when asked for."""
    plain = run("answer", question, "--facts", facts, "--json")
    assert (plain.exit_code, plain.stderr) == (0, "")
    assert json.loads(plain.stdout) == {
        "question_id": "q1",
        "answers": ["Italy", "Spain"],
        "count": 2,
        "warnings": [],
    }
    full = run("answer", question, "--facts", facts, "--json", "--explain", "--why-not", "Europe")
    record = json.loads(full.stdout)
    assert record["witnesses"][1] == {
        "answer": "Spain",
        "facts": [
            {"head": "France", "relation": "borders", "tail": "Spain", "evidence_ids": []},
        ],
        "steps": [
            {"node_id": "n0", "entity": "France", "kind": "anchor", "edge_id": None},
            {"node_id": "n1", "entity": "Spain", "kind": "fact", "edge_id": "e0"},
        ],
    }
    assert record["why_not"] == [
        {
            "entity": "Europe",
            "is_answer": False,
            "node_id": "n1",
            "edge_id": "e0",
            "reason": "no fact of relation 'borders' has Europe as its tail",
        }
    ]


def test_many_questions_are_lines(run: Run, facts: str) -> None:
    """Many questions give one object a line, in their order."""
    file = write_lines(Path("many.jsonl"), *(graph(id=f"q{n}") for n in range(5)))
    for command in ("answer", "check"):
        found = _lines(run(command, file, "--facts", facts, "--json").stdout)
        assert [record["question_id"] for record in found] == [f"q{n}" for n in range(5)]


def test_check(run: Run, question: str, facts: str) -> None:
    """check: every key that is promised, with the values of this question."""
    result = run("check", question, "--facts", facts, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    record = json.loads(result.stdout)
    assert set(record) == CHECK_KEYS
    assert record["question_id"] == "q1"
    assert (record["valid"], record["answers_count"], record["unique"]) == (True, 2, False)
    assert (record["faithful"], record["basis"], record["reason"]) == (True, "evidence", None)
    assert (record["redundant"], record["minimal_core"]) == (["n0"], ["e0"])
    assert record["core_exact"] is True
    for finding in record["lint"]:
        assert set(finding) == {"code", "severity", "ids", "message"}
    assert record["shortcuts"] == [{"kind": "pinning_subgraph", "constraints": ["e0"], "size": 1}]
    assert set(record["searched"]["direct_path"]) == {"max_length", "max_fan_out", "complete"}
    profile = record["profile"]
    assert set(profile) >= PROFILE_KEYS
    assert (profile["nodes"], profile["edges"], profile["depth"]) == (2, 1, 1)
    assert profile["ops"] == {"projection": 1, "intersection": 0, "complement": 0}
    assert profile["candidates"] == {"n0": 1, "n1": 2}
    assert profile["signature"] == "1p"


def test_check_without_facts(run: Run, question: str) -> None:
    """Without facts the same keys are there, grounded verdicts null."""
    result = run("check", question, "--json")
    record = json.loads(result.stdout)
    assert (result.exit_code, set(record)) == (0, CHECK_KEYS)
    assert (record["basis"], record["reason"]) == ("ungrounded", "no_facts")
    assert record["unique"] is record["redundant"] is record["shortcuts"] is None
    assert result.stderr == "note: no facts (--facts, or a store): only lint runs\n"


def test_check_summary(run: Run, question: str, facts: str) -> None:
    """--summary --json is one document with the counts."""
    record = json.loads(run("check", question, "--facts", facts, "--json", "--summary").stdout)
    assert (record["questions"], record["valid"], record["sound"]) == (1, 1, 0)
    assert record["shortcuts"] == {"pinning_subgraph": 1}


def test_grow(run: Run, little: str) -> None:
    """grow: one question graph a line, plus checks and history."""
    result = run("grow", "--facts", little, "--count", 2, "--seed", 3, "--json")
    assert result.exit_code == 0, result.stderr
    records = _lines(result.stdout)
    assert [record["id"] for record in records] == ["grown-3-0001", "grown-3-0002"]
    for record in records:
        assert set(graph()) <= set(record)
        assert set(record["checks"]) == CHECK_KEYS
        assert record["checks"]["basis"] == "closed"
        assert (record["checks"]["unique"], record["checks"]["shortcuts"]) == (True, [])
        assert record["checks"]["profile"]["edges"] >= 5
        assert record["history"][0]["strategy"] == "Seed"
        assert all(step["reason"] for step in record["history"])


def test_load_and_query(run: Run, question: str, facts: str) -> None:
    """load tells what it did and what the store holds; query gives columns and rows."""
    loaded = json.loads(run("load", facts, question, "--json").stdout)
    assert loaded["store"].endswith("graphkit.db")
    assert loaded["files"] == [
        {"file": facts, "kind": "triples", "records": 3, "changed": 3, "skipped": 0},
        {"file": question, "kind": "questions", "records": 1, "changed": 1, "skipped": 0},
    ]
    assert (loaded["holds"]["facts"], loaded["holds"]["questions"]) == (3, 1)
    query = "MATCH (:Entity {name: $who})-[f:FACT]->(e:Entity) RETURN e.name AS name ORDER BY name"
    result = run("query", query, "-p", "who=France", "--json")
    assert json.loads(result.stdout) == {
        "columns": ["name"],
        "rows": [{"name": "Italy"}, {"name": "Spain"}],
        "truncated": False,
        "counters": {},
        "notes": [],
    }
    cut = json.loads(run("query", query, "-p", 'who="France"', "--limit", 1, "--json").stdout)
    assert (len(cut["rows"]), cut["truncated"]) == (1, True)
    deep = run("query", "RETURN size($text) AS size", "-p", f"text={'[' * 100_000}", "--json")
    assert json.loads(deep.stdout)["rows"] == [{"size": 100_000}]


def test_stats(run: Run, question: str, facts: str) -> None:
    """stats: counts of the normal form, operations, languages, domains."""
    record = json.loads(run("stats", question, "--facts", facts, "--json").stdout)
    assert record["questions"] == 1
    assert record["nodes"] == {"mean": 2.0, "min": 2, "max": 2, "counts": {"2": 1}}
    assert record["length"]["mean"] == 5
    assert record["ops"]["projection"] == {"edges": 1, "questions": 1}
    assert record["languages"] == {"unknown": {"questions": 1, "length": 5.0, "nodes": 2.0}}
    assert record["root_domains"] is None
    assert record["answers"] == {"different": 1, "largest_share": 1.0}


@pytest.mark.parametrize("to", ["cypher", "english", "mermaid"])
def test_compile(run: Run, question: str, facts: str, to: str) -> None:
    """compile: question_id, to, text, params."""
    result = run("compile", question, "--facts", facts, "--to", to, "--json")
    record = json.loads(result.stdout)
    assert set(record) == {"question_id", "to", "text", "params"}
    assert (record["question_id"], record["to"]) == ("q1", to)
    assert record["params"] == (
        {"keys1": [":France"], "relation1": "borders"} if to == "cypher" else {}
    )
    assert record["text"]


def test_export(run: Run, facts: str) -> None:
    """export and import tell what there is."""
    run("load", facts)
    record = json.loads(run("export", "out", "--json").stdout)
    assert (record["place"], record["holds"]["triples"]) == ("out", 3)
    back = json.loads(run("import", "out", "--store", "b.db", "--json").stdout)
    assert (back["place"], back["holds"]) == ("b.db", record["holds"])


def test_schema(run: Run) -> None:
    """schema prints a JSON Schema by name, and the names without one."""
    names = run("schema").stdout.split()
    assert {"question", "evidence", "answer", "checks"} <= set(names)
    for name in names:
        assert json.loads(run("schema", name).stdout)["$schema"].startswith("https://")


def test_doctor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """doctor: findings with state and advice, settings with their origin, no secret."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("GRAPHKIT_SEED", "7")
    Path("graphkit.toml").write_text("language = 'zh'\n")
    result = run("doctor", "--json", "--store", "x.db")
    record = json.loads(result.stdout)
    assert result.exit_code == 0
    assert all(
        set(item) == {"group", "name", "state", "detail", "advice"} for item in record["findings"]
    )
    settings = {item["name"]: (item["value"], item["origin"]) for item in record["settings"]}
    assert settings["seed"] == (7, "GRAPHKIT_SEED")
    assert settings["store"] == ("x.db", "flag")
    assert settings["language"] == ("zh", "graphkit.toml")
    assert settings["limits.max_length"] == (4, "default")
    assert "secret" not in result.stdout
    assert not Path("x.db").exists()
