"""The options of grow: one for every knob, the same defaults, files that are whole."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest

from cli.commands.grow import RELAXED, RULES, SETTINGS
from cli.main import cli
from graphkit.mutate import Rules
from synthesis.grow_settings import GrowSettings, Mix
from tests.cli.conftest import Run, errors


def test_every_setting_has_an_option() -> None:
    """Each field of the settings and the rules can be set, and its default is the same."""
    elsewhere = {"mix", "answer_types", "rules", "require_closed"}
    assert {name for name, _, _ in SETTINGS} | elsewhere == {f.name for f in fields(GrowSettings)}
    settings, rules = GrowSettings(), Rules()
    for name, default, _ in SETTINGS:
        assert getattr(settings, name) == default, name
    listed = {name for name, _, _ in RULES}
    assert listed | set(RELAXED) | {"allow", "deny"} == {f.name for f in fields(Rules)}
    for name, default, _ in RULES:
        assert getattr(rules, name) == default, name
    for name in RELAXED:
        assert getattr(rules, name) is (name in ("exclusion_complete", "complete_only")), name
    command = cli.get_command(click.Context(cli), "grow")
    assert command is not None
    mix = next(p for p in command.params if p.name == "mix")
    assert isinstance(mix, click.Option)
    told = ",".join(f"{f.name}={getattr(Mix(), f.name):g}" for f in fields(Mix))
    assert told in (mix.help or "")


def test_same_seed_same_bytes(run: Run, little: str) -> None:
    """The same seed gives the same file; another one gives another."""
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        assert (
            run("grow", "--facts", little, "--count", 2, "--seed", seed, "-o", name).exit_code == 0
        )
    assert Path("a").read_bytes() == Path("b").read_bytes()
    assert Path("a").read_bytes() != Path("c").read_bytes()
    assert not Path("a.part").exists()
    shown = run("grow", "--facts", little, "--count", 2, "--seed", 5, "--json")
    assert shown.stdout_bytes == Path("a").read_bytes()


def test_table(run: Run, little: str) -> None:
    """Without --json the question, its answer and its signature are printed."""
    result = run("grow", "--facts", little, "--count", 2, "-o", "q.jsonl")
    lines = result.stdout.splitlines()
    assert len(lines) == 4
    for number, text in enumerate(Path("q.jsonl").read_text().splitlines()):
        record = json.loads(text)
        assert lines[2 * number] == f"{number + 1}. {record['question']}"
        assert lines[2 * number + 1].split() == [
            *record["answer"].split(),
            record["checks"]["profile"]["signature"],
        ]


def test_too_few(run: Run, little: str) -> None:
    """Fewer questions than wanted: exit 1, what was missing is said, what there is is kept."""
    result = run(
        "grow", "--facts", little, "--count", 50, "--attempts", 1, "--seed", 1, "-o", "q.jsonl"
    )
    assert result.exit_code == 1
    assert " of 50 questions could be grown in 50 attempts; mostly missing: " in errors(result)[0]
    assert "note: 50 attempts, " in result.stderr
    grown = len(Path("q.jsonl").read_text().splitlines())
    assert 0 < grown < 50
    assert errors(result)[0].startswith(f"error: {grown} of 50")


def test_knobs_reach_the_growth(run: Run, little: str) -> None:
    """Flags for relations, types and the mix change what is grown."""
    for flags, holds in (
        (
            ["--mix", "complement=0", "--answer-type", "country"],
            lambda r: "complement" not in _ops(r) and r["domain"] == "country",
        ),
        (["--deny-relation", "borders"], lambda r: "borders" not in _relations(r)),
        (["--min-edges", 9], lambda r: r["checks"]["profile"]["edges"] >= 9),
        (["--min-depth", 3], lambda r: r["checks"]["profile"]["depth"] >= 3),
        (
            ["--allow-relation", "borders", "--allow-relation", "takes part in"],
            lambda r: _relations(r) <= {"borders", "takes part in"},
        ),
    ):
        result = run("grow", "--facts", little, "--count", 2, *flags, "--json")
        assert result.exit_code == 0, result.stderr
        assert all(holds(json.loads(line)) for line in result.stdout.splitlines()), flags


def _ops(record: dict[str, Any]) -> set[str]:
    return {edge["op"] for edge in record["edges"]}


def _relations(record: dict[str, Any]) -> set[str]:
    return {edge["relation"] for edge in record["edges"]} - {None}


@pytest.mark.parametrize("rule", [name.replace("_", "-") for name in RELAXED])
def test_rules_can_be_relaxed(run: Run, little: str, rule: str) -> None:
    """Each rule can be relaxed by its name."""
    result = run("grow", "--facts", little, "--count", 1, "--relax", rule, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["checks"]["unique"] is True


def test_unwritable_output_is_told_before_the_work(run: Run, little: str) -> None:
    """A place that cannot be written is a mistake at once."""
    Path("folder").mkdir()
    for place in ("none/q.jsonl", "folder"):
        result = run("grow", "--facts", little, "--count", 1, "-o", place)
        assert (result.exit_code, result.stdout) == (2, "")
        assert len(errors(result)) == 1
