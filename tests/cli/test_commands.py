"""What commands do beside JSON: tables, files, both engines, verdicts kept, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, errors, graph, write_lines


def test_check_table(run: Run, question: str, facts: str) -> None:
    """check prints a table, what it found, and the counts."""
    lines = run("check", question, "--facts", facts).stdout.splitlines()
    assert lines[0].split()[:4] == ["question", "verdict", "answers", "unique"]
    assert lines[2].split()[0] == "q1"
    assert "q1: redundant: n0: without it alone the answers are the same" in lines
    assert lines[-2].startswith("1 question, 1 valid, 0 sound, 0 proven")


@pytest.mark.parametrize(
    ("relation", "strict", "code"),
    [("borders", False, 0), ("borders", True, 3), ("bordrs", False, 3)],
)
def test_check_exit_codes(run: Run, facts: str, relation: str, strict: bool, code: int) -> None:
    """A lint error gives 3; an unsound question does so with --strict only."""
    data = graph()
    data["edges"][0]["relation"] = relation
    file = write_lines(Path("q.jsonl"), data)
    assert run("check", file, "--facts", facts, *(["--strict"] if strict else [])).exit_code == code


def test_grown_questions_are_sound(run: Run, little: str) -> None:
    """What grow writes passes a strict check, and its answers are those declared."""
    assert run("grow", "--facts", little, "--count", 3, "-o", "q.jsonl").exit_code == 0
    checked = run("check", "q.jsonl", "--facts", little, "--strict", "--summary")
    assert checked.exit_code == 0
    assert "3 questions, 3 valid, 3 sound, 3 proven" in checked.stdout
    answered = run("answer", "q.jsonl", "--facts", little, "--json")
    declared = [json.loads(line)["answer"] for line in Path("q.jsonl").read_text().splitlines()]
    found = [json.loads(line)["answers"] for line in answered.stdout.splitlines()]
    assert found == [[answer] for answer in declared]


def test_store_round(run: Run, little: str) -> None:
    """Grown questions go into the store with verdicts and history; both engines agree there."""
    run("grow", "--facts", little, "--count", 3, "-o", "q.jsonl")
    loaded = run("load", "q.jsonl", little)
    assert loaded.exit_code == 0, loaded.stderr
    again = run("load", "q.jsonl", little, "--json")
    assert [item["changed"] for item in json.loads(again.stdout)["files"]] == [0, 0]
    counted = run(
        "query",
        "MATCH (q:Question)-[:CHECKED]->(c:Check) WHERE c.unique AND c.basis = 'closed' "
        "MATCH (q)-[:MUTATED]->(m:Mutation) RETURN count(DISTINCT q.id) AS n, count(m.id) AS steps",
        "--json",
    )
    row = json.loads(counted.stdout)["rows"][0]
    assert row["n"] == 3
    assert row["steps"] >= 15
    memory = run("answer", "--all", "--json")
    stored = run("answer", "--all", "--json", "--engine", "store")
    assert memory.stdout == stored.stdout
    assert len(memory.stdout.splitlines()) == 3
    assert run("check", "--all", "--save", "--strict").exit_code == 0


def test_export_is_exact(run: Run, little: str) -> None:
    """An export that is imported into a new store exports as the same bytes."""
    run("grow", "--facts", little, "--count", 2, "-o", "q.jsonl")
    run("load", "q.jsonl", little)
    for folder, store in (("a", "graphkit.db"), ("b", "new.db")):
        if folder == "b":
            assert run("import", "a", "--store", store).exit_code == 0
        assert run("export", folder, "--store", store).exit_code == 0
    files = sorted(path.name for path in Path("a").iterdir())
    assert len(files) == 7
    for name in files:
        assert (Path("a") / name).read_bytes() == (Path("b") / name).read_bytes(), name


def test_convert_round(run: Run, little: str) -> None:
    """JSON lines through GraphML and back are the same bytes, also through pipes and gzip."""
    run("grow", "--facts", little, "--count", 3, "-o", "q.jsonl")
    for target in ("q.graphml", "q.graphml.gz", "q.json"):
        assert run("convert", "q.jsonl", target).exit_code == 0
        assert run("convert", target, "back.jsonl").exit_code == 0
        assert Path("back.jsonl").read_bytes() == Path("q.jsonl").read_bytes()
    out = run("convert", "-", "-", "--to", "graphml", stdin=Path("q.jsonl").read_bytes())
    back = run("convert", "-", "-", "--from", "graphml", stdin=out.stdout_bytes)
    assert back.stdout_bytes == Path("q.jsonl").read_bytes()


def test_graphml_grows_with_the_questions(run: Run) -> None:
    """A GraphML file of many questions is as large as its parts, not larger with each one."""
    sizes = []
    for count in (50, 100):
        file = write_lines(Path("q.jsonl"), *(graph(id=f"q{n}") for n in range(count)))
        run("convert", file, "q.graphml")
        sizes.append(Path("q.graphml").stat().st_size)
    assert sizes[1] < 2.1 * sizes[0]


@pytest.mark.parametrize("suffix", ["png", "svg", "html"])
def test_draw(run: Run, question: str, facts: str, suffix: str) -> None:
    """draw writes a picture of the kind that the suffix says; the same input, the same bytes."""
    marks = {"png": b"\x89PNG", "svg": b"<", "html": b"<!"}
    for name in ("a", "b"):
        result = run("draw", question, "--facts", facts, "-o", f"{name}.{suffix}")
        assert result.exit_code == 0, result.stderr
    data = Path(f"a.{suffix}").read_bytes()
    assert data.startswith(marks[suffix])
    if suffix != "png":
        assert b"France" in data
        assert data == Path(f"b.{suffix}").read_bytes()


def test_draw_one_of_many(run: Run) -> None:
    """A picture shows one question: which one is chosen by id or number; a page shows all."""
    file = write_lines(Path("q.jsonl"), graph(), graph(id="q2"))
    refused = run("draw", file, "-o", "x.svg")
    assert refused.exit_code == 2
    assert "--question" in errors(refused)[0]
    for wanted in ("q2", "1"):
        assert run("draw", file, "-o", "x.svg", "--question", wanted).exit_code == 0
    assert run("draw", file, "-o", "x.html").exit_code == 0


def test_draw_what_does_not_fit_the_facts(run: Run, facts: str) -> None:
    """A question with names that the facts do not have is drawn all the same."""
    data = graph()
    data["nodes"][0]["known_entities"] = ["Atlantis"]
    file = write_lines(Path("q.jsonl"), data)
    assert run("draw", file, "--facts", facts, "-o", "x.svg").exit_code == 0


def test_standard_input(run: Run, question: str, facts: str) -> None:
    """Questions, facts and queries are read from standard input where "-" stands."""
    text = Path(question).read_bytes()
    assert run("answer", "-", "--facts", facts, stdin=text).stdout.split() == ["Italy", "Spain"]
    triples = Path(facts).read_bytes()
    assert run("answer", question, "--facts", "-", stdin=triples).stdout.split() == [
        "Italy",
        "Spain",
    ]
    run("load", "-", stdin=triples)
    found = run("query", "-", "--csv", stdin=b"MATCH (e:Entity) RETURN count(e) AS n")
    assert found.stdout.splitlines() == ["n", "4"]
    broken = run("answer", "-", "--facts", facts, stdin=text[:-9])
    assert errors(broken)[0].startswith("error: <stdin>:1: ")


def test_several_fact_files(run: Run, question: str, facts: str) -> None:
    """--facts may be given again; facts of all files count."""
    Path("more.tsv").write_text("France\tborders\tMonaco\n")
    found = run("answer", question, "--facts", facts, "--facts", "more.tsv")
    assert found.stdout.split() == ["Italy", "Monaco", "Spain"]


def test_relations_file(run: Run, question: str) -> None:
    """--relations names the sheet, for facts from files and from the store."""
    Path("f.tsv").write_text("Spain\tborders\tFrance\n")
    Path("sheet.toml").write_text("[relations.borders]\nsymmetric = true\n")
    assert run("answer", question, "--facts", "f.tsv").stdout == ""
    found = run("answer", question, "--facts", "f.tsv", "--relations", "sheet.toml")
    assert found.stdout.split() == ["Spain"]
    run("load", "f.tsv")
    assert run("answer", question, "--relations", "sheet.toml").stdout.split() == ["Spain"]


def test_query_writes_only_when_allowed(run: Run, facts: str) -> None:
    """A query that would change the store is refused without --write."""
    run("load", facts)
    change = "MATCH (e:Entity {name: 'Italy'}) DETACH DELETE e"
    refused = run("query", change)
    assert (refused.exit_code, len(errors(refused))) == (2, 1)
    count = "MATCH (e:Entity) RETURN count(e) AS n"
    assert json.loads(run("query", count, "--json").stdout)["rows"] == [{"n": 4}]
    assert run("query", change, "--write").exit_code == 0
    assert json.loads(run("query", count, "--json").stdout)["rows"] == [{"n": 3}]


def test_query_csv(run: Run, tmp_path: Path) -> None:
    """CSV quotes what needs it; lists are JSON, truth values true and false."""
    run("load", "-", stdin=b'a "b", c\tr\td\n')
    query = "MATCH (e:Entity)-[:FACT]->() RETURN e.name AS name, [1, 2] AS list, true AS flag"
    found = run("query", query, "--csv")
    assert found.stdout_bytes == b'name,list,flag\r\n"a ""b"", c","[1, 2]",true\r\n'


def test_long_tables_are_cut(run: Run, facts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table shows so many rows and says how many more there are; JSON has all."""
    monkeypatch.setenv("GRAPHKIT_OUTPUT_ROWS", "2")
    run("load", facts)
    found = run("query", "MATCH (e:Entity) RETURN e.name AS name")
    assert len(found.stdout.splitlines()) == 4
    assert "note: 2 more rows; --json prints all" in found.stderr
    assert (
        len(
            json.loads(run("query", "MATCH (e:Entity) RETURN e.name AS n", "--json").stdout)["rows"]
        )
        == 4
    )


def test_why_not_an_answer(run: Run, question: str, facts: str) -> None:
    """--why-not of an answer says that it is one."""
    found = run("answer", question, "--facts", facts, "--why-not", "Spain", "--why-not", "Europe")
    assert "Spain is an answer" in found.stdout
    assert "Europe: lost at node n1: no fact of relation 'borders'" in found.stdout


def test_compile_text(run: Run, question: str, facts: str) -> None:
    """Cypher comes with its parameters as comments, English as a question, Mermaid as a chart."""
    cypher = run("compile", question, "--facts", facts, "--to", "cypher").stdout
    assert cypher.startswith('// $keys1 = [":France"]\n// $relation1 = "borders"\nUNWIND $keys1')
    english = run("compile", question, "--facts", facts, "--to", "english").stdout
    assert english.endswith("?\n")
    run("compile", question, "--to", "mermaid", "-o", "q.mmd")
    assert Path("q.mmd").read_text().startswith("flowchart")


def test_evidence_beside_the_question_names_sources(run: Run, little: str) -> None:
    """stats looks up the root domains of the evidence that questions name."""
    run("grow", "--facts", little, "--count", 2, "-o", "q.jsonl")
    record = json.loads(run("stats", "q.jsonl", "--facts", little, "--json").stdout)
    assert record["root_domains"]["domains"] == {"cia.gov": 2}
    assert "root domain" in run("stats", "q.jsonl", "--facts", little).stdout


def test_query_rows_come_one_by_one(run: Run, facts: str) -> None:
    """CSV, JSON and tables keep to --limit and say so; a slow query ends at --timeout."""
    run("load", facts)
    query = "UNWIND range(1, 3000) AS i RETURN i AS i"
    found = run("query", query, "--csv", "--limit", 2000)
    assert found.stdout.split() == ["i", *map(str, range(1, 2001))]
    assert "--limit left rows out: 2,000 are shown" in found.stderr
    document = json.loads(run("query", query, "--json").stdout)
    assert [row["i"] for row in document["rows"]] == list(range(1, 3001))
    assert document["truncated"] is False
    empty = json.loads(run("query", "MATCH (t:Task) RETURN t.id AS id", "--json").stdout)
    assert (empty["columns"], empty["rows"]) == (["id"], [])
    slow = "UNWIND range(1, 20000) AS a UNWIND range(1, 20000) AS b RETURN sum(a % 7 * b) AS n"
    late = run("query", slow, "--timeout", 0.1)
    assert (late.exit_code, "longer than" in late.stderr) == (2, True)
