"""``graphkit load`` and ``convert`` on questions in other notations."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from cli.commands.load import load as load_command
from cli.main import cli
from graphkit.formats import NOTATIONS
from graphkit.formats.efo import parse_efo
from graphkit.patterns import canonical_text

ROWS = [
    {"id": "a", "formalization": [["V@X", "in", "C@Chad"], ["V@X", "named", "?"]]},
    {"id": "b", "formalization": [["V@X", "in"]]},
    {"id": "c", "formalization": [["V@X", "in", "?"], ["V@X", "near", "?"]]},
]


def rows(folder: Path) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    return path


def test_a_report_names_every_row_and_the_others_are_loaded(tmp_path: Path) -> None:
    """With --report refused rows are no failure: they are named there, and counted on stderr."""
    report = tmp_path / "report.json"
    arguments = ["load", str(rows(tmp_path)), "--format", "webshaper", "--report", str(report)]
    result = CliRunner().invoke(cli, [*arguments, "--store", str(tmp_path / "db"), "--json"])
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["holds"]["questions"] == 1
    assert "1 of 3 rows are question graphs; refused: cyclic 1, triple_length 1" in result.stderr
    document = json.loads(report.read_text())
    assert (document["rows"], document["graphs"], document["refused"]) == (3, 1, 2)
    assert document["reasons"] == {"cyclic": 1, "triple_length": 1}
    diagnostics = document["files"][0]["diagnostics"]
    assert [(item["row"], item["line"], item["reason"]) for item in diagnostics] == [
        ("b", 2, "triple_length"), ("c", 3, "cyclic"),
    ]  # fmt: skip


def test_without_a_report_a_refused_row_stops_the_load(tmp_path: Path) -> None:
    """As for all files: exit 2 with every problem, or --keep-going and exit 1."""
    arguments = ["load", str(rows(tmp_path)), "--store", str(tmp_path / "db")]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    result = CliRunner().invoke(cli, [*arguments, "--keep-going"])
    assert result.exit_code == 1
    assert "row b, triple 1: found 2 parts" in result.stderr


def test_the_help_names_every_notation(tmp_path: Path) -> None:
    """What --format may be is told as it is."""
    told = next(item for item in load_command.params if item.name == "kind").help or ""  # type: ignore[attr-defined]
    assert all(f"{name}," in told or f"{name})" in told for name in NOTATIONS)


def test_questions_are_converted_between_notations(tmp_path: Path) -> None:
    """A query goes from SPARQL over EFO to BetaE, and a type stops it there by name."""
    query = tmp_path / "q.rq"
    query.write_text("SELECT ?x { wd:Q1 wdt:P2 ?x MINUS { ?x wdt:P3 wd:Q4 } }")
    for source, target in (("q.rq", "q.efo"), ("q.efo", "q.betae"), ("q.betae", "r.rq")):
        result = CliRunner().invoke(
            cli, ["convert", str(tmp_path / source), str(tmp_path / target)]
        )
        assert result.exit_code == 0, result.stderr
    first = (tmp_path / "q.efo").read_text()
    CliRunner().invoke(cli, ["convert", str(tmp_path / "r.rq"), str(tmp_path / "r.efo")])
    assert canonical_text(parse_efo((tmp_path / "r.efo").read_text())) == canonical_text(
        parse_efo(first)
    )
