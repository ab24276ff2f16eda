"""``graphkit export``: copies, releases, sheets, tallies and sealed answers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, errors, graph, write_lines

EVIDENCE = [
    {
        "evidence_id": f"e{n}",
        "head_entity": "France",
        "relation": "borders",
        "tail_entity": name,
        "evidence_text": f"France borders {name}.",
        "source_url": f"https://{host}/",
        "is_fresh_knowledge": n == 0,
    }
    for n, (name, host) in enumerate((("Spain", "a.org"), ("Italy", "b.org"), ("Malta", "c.org")))
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two questions that use two of three evidence records."""
    questions = write_lines(
        tmp_path / "q.jsonl",
        graph(evidence_ids=["e0", "e1"], language="en", domain="geography"),
        graph(id="q2", question="法国与哪国接壤？", evidence_ids=["e1"], language="zh"),
    )
    return questions, write_lines(tmp_path / "e.jsonl", *EVIDENCE)


def _release(run: Run, files: tuple[str, str], *more: str) -> Any:
    return run("export", "out", files[0], "--facts", files[1], *more)


def test_a_release_of_files(run: Run, files: tuple[str, str]) -> None:
    """The folder holds all files, only evidence that is used, and Table 2 is printed."""
    done = _release(run, files, "--title", "My set", "--licence", "cc-by-4.0", "--sheets", "1")
    assert done.exit_code == 0, done.stderr
    assert "cl100k_base" in done.stdout
    names = {str(path.relative_to("out")) for path in Path("out").rglob("*") if path.is_file()}
    assert names == {
        *("questions.jsonl", "evidence.jsonl", "questions.trig", "evidence.ttl", "README.md"),
        *("statistics.json", "licences.csv", "domains.png", "root_domains.png", "release.json"),
        *(f"validation/{name}.csv" for name in ("expert_1", "expert_2", "discussion")),
    }
    assert len(Path("out", "evidence.jsonl").read_text().splitlines()) == 2
    assert "# My set" in Path("out", "README.md").read_text()
    assert "the licence of 2 of 2 sources is unknown (a.org, b.org)" in done.stderr


@pytest.mark.parametrize("canary", ["", "two words", "a\nb", "<x>"])
def test_a_canary_is_one_word(run: Run, files: tuple[str, str], canary: str) -> None:
    """Another one could not be found again in the sentence that carries it."""
    done = _release(run, files, "--canary", canary)
    assert done.exit_code == 2
    assert "--canary is one word" in done.stderr
    assert not Path("out").exists()


def test_the_store_is_released_like_files(run: Run, files: tuple[str, str]) -> None:
    """--release takes the questions of the store; without it the store is copied as ever."""
    for name in (files[1], files[0]):
        assert run("load", name).exit_code == 0
    assert run("export", "copy").exit_code == 0
    assert (Path("copy") / "store.json").is_file()
    assert not (Path("copy") / "README.md").exists()
    done = run("export", "out", "--release", "--json")
    record = json.loads(done.stdout)
    assert record["place"] == "out"
    assert record["statistics"]["evidence"]["records"] == 2
    assert run("import", "copy", "--store", "again.db").exit_code == 0


def test_a_run_folder_is_released(run: Run, files: tuple[str, str]) -> None:
    """The folder of a run holds its questions and evidence; a folder without is told."""
    Path("run").mkdir()
    told = run("export", "out", "run")
    assert told.exit_code == 2
    assert "run: there is no questions.jsonl" in errors(told)[0]
    Path("run", "questions.jsonl").write_text(Path(files[0]).read_text())
    Path("run", "evidence.jsonl").write_text(Path(files[1]).read_text())
    assert run("export", "out", "run").exit_code == 0
    assert len(Path("out", "evidence.jsonl").read_text().splitlines()) == 2


def test_sealed_and_opened(run: Run, files: tuple[str, str]) -> None:
    """--encrypt hides answers and evidence; decrypt gives the plain release, byte for byte."""
    assert _release(run, files, "--encrypt").exit_code == 0
    assert "Spain" not in Path("out", "questions.jsonl").read_text()
    assert "Italy" not in Path("out", "evidence.jsonl").read_text()
    assert run("export", "decrypt", "out", "-o", "plain").exit_code == 0
    assert run("export", "direct", files[0], "--facts", files[1]).exit_code == 0
    for path in Path("direct").rglob("*"):
        assert (Path("plain") / path.name).read_bytes() == path.read_bytes()
    opened = run("export", "decrypt", "out/questions.jsonl", "-o", "-")
    assert [json.loads(line)["answer"] for line in opened.stdout.splitlines()] == ["Spain"] * 2
    wrong = run("export", "decrypt", "out/questions.jsonl", "-o", "-", "--canary", "x")
    assert wrong.exit_code == 2
    assert "out/questions.jsonl:1: q1/sealed: cannot be opened" in errors(wrong)[0]


def test_experts_fill_in_their_sheets(run: Run, files: tuple[str, str]) -> None:
    """Sheets of a sealed release are drawn, filled in, and counted; a dispute gives exit 3."""
    assert _release(run, files, "--encrypt").exit_code == 0
    assert run("export", "sheets", "out", "-o", "sheets", "--size", "5").exit_code == 0
    sheet = Path("sheets", "expert_1.csv")
    with sheet.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 7
    for name, last in (("a.csv", "yes"), ("b.csv", "no")):
        with Path(name).open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            for n, row in enumerate(rows):
                writer.writerow({**row, "verdict": last if n == len(rows) - 1 else "yes"})
    done = run("export", "tally", "a.csv", "b.csv")
    assert done.exit_code == 3
    assert "1 rows are open" in done.stderr
    assert "Cohen's kappa" in done.stdout
    talk = Path("c.csv")
    talk.write_text(f"item_id,after_discussion\n{rows[-1]['item_id']},yes\n")
    final = run("export", "tally", "a.csv", "b.csv", talk, "--json")
    assert final.exit_code == 0
    assert json.loads(final.stdout)["shares"]["all"]["share"] == 1.0


def test_nothing_is_replaced_unasked(run: Run, files: tuple[str, str]) -> None:
    """A folder that is not empty stays as it is; --replace puts the release in its place."""
    Path("out").mkdir()
    Path("out", "mine.txt").write_text("x")
    told = _release(run, files)
    assert told.exit_code == 2
    assert "out: is not empty" in errors(told)[0]
    assert Path("out", "mine.txt").read_text() == "x"
    assert _release(run, files, "--replace").exit_code == 0
    assert not Path("out", "mine.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["export"], "missing argument 'DIR'"),
        (["export", "out", "--encrypt"], "--encrypt belongs to a release"),
        (["export", "out", "--licence", "x"], "--licence belongs to a release"),
        (["export", "out", "q.jsonl", "--release"], "either QUESTIONS or --release"),
        (["export", "out", "gone.jsonl"], "no such file"),
        (["export", "out", "q.jsonl", "--encrypt", "--sheets", "1"], "no part of a sealed release"),
        (["export", "out", "q.jsonl", "--licences", "gone.toml"], "no such file"),
        (["export", "decrypt", "q.jsonl"], "missing option '-o'"),
        (["export", "decrypt", ".", "-o", "x"], "release.json: no such file"),
        (["export", "tally", "q.jsonl", "q.jsonl"], "there is no column item_id"),
    ],
)
def test_mistakes_are_told(
    run: Run, files: tuple[str, str], arguments: list[str], told: str
) -> None:
    """Each is a line with what was expected, and nothing is written."""
    done = run(*arguments)
    assert done.exit_code == 2
    assert any(told in line for line in errors(done)), done.stderr
    assert not Path("out").exists()


def test_a_folder_may_be_called_like_a_command(run: Run, files: tuple[str, str]) -> None:
    """./tally is a folder; so is the name of the first command behind itself."""
    assert run("export", "./tally", files[0]).exit_code == 0
    assert run("export", "to", "to", files[0]).exit_code == 0
    assert Path("tally", "README.md").is_file()
    assert Path("to", "README.md").is_file()
