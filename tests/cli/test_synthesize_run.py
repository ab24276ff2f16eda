"""``graphkit synthesize``: wrong settings are told at once; one small run on real endpoints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_faults import FaultServer, failed

from tests.cli.conftest import Run, errors
from tests.synthesis.loopback import Servers, servers

LOCAL = "[web]\nprovider = 'searxng'\nbase_url = 'http://127.0.0.1:9'\n"
MODEL = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
SEEDS = ("Bulgaria", "Austria")


def settings(folder: Path, text: str) -> None:
    (folder / "graphkit.toml").write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def _no_models_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "TAVILY_API_KEY", "SERPER_API_KEY", "BRAVE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*MODEL, "--entity", "Ulm"), "--run DIR is missing"),
        (
            (*MODEL, "--run", "r"),
            "no seeds: expected --seeds FILE, --entity NAME or --find-seeds N",
        ),
        ((*MODEL, "--run", "r", "--find-seeds", "0"), "--find-seeds"),
        (("--resume", "r", "--run", "r"), "--run: a run that is resumed keeps"),
        (
            ("--resume", "r", "--model", "m", "--min-edges", "6"),
            "--min-edges: a run that is resumed",
        ),
        (("--resume", "r", "--seeds", "s", "--entity", "Ulm"), "--entity, --seeds"),
        (("--resume", "r", "--no-rivals"), "--rivals"),
        (("--resume", "r", "--since", "2026-01-01"), "--since"),
        (("--resume", "r", "--language", "zh"), "--language"),
        (("--entity", "Ulm", "--run", "r", "--language", "de"), "'de' is not one of"),
    ],
)
def test_a_wrong_use_is_told(run: Run, arguments: tuple[str, ...], said: str) -> None:
    """With exit code 2, before anything is written."""
    done = run("synthesize", *arguments)
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    words = " ".join(done.stderr.split())
    assert all(part in words for part in said.split(", --"))
    assert not Path("r").exists()


def test_a_run_without_a_model_says_what_is_expected(run: Run) -> None:
    """A flag or a table of the settings file."""
    done = run("synthesize", "--entity", "Ulm", "--run", "r")
    assert done.exit_code == 2
    (line,) = errors(done)
    assert "--model NAME" in line
    assert "[models.default]" in line
    assert not Path("r").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.txt", "", "empty"),
        ("s.txt", '{"entity_name": 7}\nUlm\n{"name": 1}\n', "s.txt:3"),
        ("gone.txt", None, "gone.txt"),
    ],
)
def test_a_seed_file_of_no_use_is_told_by_line(
    run: Run, name: str, text: str | None, said: str
) -> None:
    """All lines at once; no folder is made."""
    if text is not None:
        Path(name).write_text(text)
    done = run("synthesize", *MODEL, "--run", "r", "--seeds", name)
    assert done.exit_code == 2
    assert any(said in line for line in errors(done))
    assert not Path("r").exists()


def test_a_folder_that_is_not_empty_is_left_alone(run: Run, tmp_path: Path) -> None:
    """It is said how to go on with a run."""
    settings(tmp_path, LOCAL)
    Path("r").mkdir()
    Path("r", "mine.txt").write_text("x")
    done = run("synthesize", *MODEL, "--run", "r", "--entity", "Ulm")
    assert done.exit_code == 2
    (line,) = errors(done)
    assert line.startswith("error: r: is not an empty folder")
    assert "--resume" in line
    assert [item.name for item in Path("r").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("made", [False, True])
def test_there_is_nothing_to_resume(run: Run, made: bool) -> None:
    """A folder without a run, or none at all."""
    if made:
        Path("r").mkdir()
    done = run("synthesize", "--resume", "r")
    assert done.exit_code == 2
    assert errors(done) == ["error: r/run.json: there is no run in this folder"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[synthesis]\nmin_edgs = 5\n", ["synthesis.min_edgs", "did you mean min_edges"]),
        ("[synthesis]\noffers = 0\nlanguage = 'de'\n", ["offers is 0", "language is 'de'"]),
        ("[synthesis]\nmin_iterations = 9\nmax_iterations = 8\n", ["max_iterations is below"]),
        ("synthesis = 7\n", ["synthesis is no table"]),
        ("[web]\nprovider = 'alta'\nresluts = 1\n", ["web.provider", "web.resluts"]),
        ("[models]\nparse = 'm'\n", ["models.parse is no table"]),
        ("[models.parse]\ntemprature = 1\n", ["models.parse.temprature"]),
        ("[models.parser]\nretries = 1\n", ["no agent parser", "did you mean parse?"]),
        ("[models.parse]\nretries = -1\n", ["models.parse.retries is -1"]),
        ("[models]\ndefault = 'm'\n", ["models.default is no table"]),
    ],
)
def test_settings_that_do_not_fit_are_told_all_at_once(
    run: Run, tmp_path: Path, text: str, said: list[str]
) -> None:
    """With the file that they stand in."""
    settings(tmp_path, text)
    done = run("synthesize", *MODEL, "--run", "r", "--entity", "Ulm")
    assert done.exit_code == 2
    lines = errors(done)
    assert all(any(part in line for line in lines) for part in said)
    assert all("graphkit.toml" in line for line in lines)
    assert not Path("r").exists()


def test_flags_are_taken_over_the_settings_file(run: Run, tmp_path: Path) -> None:
    """What is wrong with a flag is told like what is wrong in the file."""
    settings(tmp_path, "[synthesis]\nsince = 'soon'\n")
    done = run("synthesize", *MODEL, "--run", "r", "--entity", "Ulm", "--since", "later")
    assert done.exit_code == 2
    (line,) = errors(done)
    assert "'later'" in line


def test_a_search_provider_without_its_key_is_told(run: Run) -> None:
    """By the name of the variable, and the run can be taken up."""
    done = run("synthesize", *MODEL, "--run", "r", "--entity", "Ulm")
    assert done.exit_code != 0
    assert any("API_KEY" in line for line in errors(done))


def test_a_model_that_refuses_the_key_ends_the_run_at_once(run: Run, tmp_path: Path) -> None:
    """One request for twenty seeds, exit code 1, and how to go on."""
    settings(tmp_path, LOCAL)
    Path("s.txt").write_text("".join(f"Entity {n}\n" for n in range(20)))
    with FaultServer([failed(401, "no such key")]) as server:
        given = ("--model", "m", "--base-url", server.base_url, "--parallel", "1")
        done = run("synthesize", *given, "--run", "r", "--seeds", "s.txt")
        assert done.exit_code == 1
        assert len(server.received) == 1
    assert any("--resume r goes on" in line for line in done.stderr.splitlines())
    assert json.loads(Path("r", "summary.json").read_text())["stopped"]


@pytest.fixture(scope="module")
def outside() -> Iterator[Servers]:
    with servers() as running:
        yield running


def test_two_seeds_become_questions_that_can_be_exported(
    run: Run, tmp_path: Path, outside: Servers
) -> None:
    """A limit stops the run; it is taken up; its folder is checked and exported."""
    settings(tmp_path, outside.settings_text())
    Path("s.txt").write_text("".join(f"{name}\n" for name in SEEDS))
    first = run("synthesize", "--seeds", "s.txt", "--run", "r", "--max-calls", "12", "--json")
    assert first.exit_code == 1, first.stderr
    early = json.loads(first.stdout)
    assert early["stopped"]
    assert early["unfinished"]
    assert "--resume r goes on" in first.stderr
    paid = outside.model.stats["paid"]

    done = run("synthesize", "--resume", "r", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert sum(told["outcomes"].values()) == len(SEEDS)
    assert told["questions"] >= 1
    assert told["unfinished"] == {}
    assert outside.model.stats["paid"] == sum(row["calls"] for row in told["costs"])
    assert outside.model.stats["paid"] > paid

    again = run("synthesize", "--resume", "r", "--json")
    assert again.exit_code == 0
    assert outside.model.stats["paid"] == sum(row["calls"] for row in told["costs"])
    assert json.loads(again.stdout)["questions"] == told["questions"]

    shown = run("synthesize", "--resume", "r")
    assert shown.exit_code == 0
    assert "scripted" in shown.stdout
    assert "unique on the evidence" in shown.stdout

    checked = run("check", "r/questions.jsonl", "--facts", "r/evidence.jsonl", "--json")
    assert checked.exit_code in (0, 3), checked.stderr
    exported = run("export", "release", "r/questions.jsonl", "--facts", "r/evidence.jsonl")
    assert exported.exit_code == 0, exported.stderr
    assert any(Path("release").iterdir())


def test_what_was_begun_with_one_budget_says_what_it_cost(run: Run, tmp_path: Path) -> None:
    """Costs are those of all sessions."""
    settings(tmp_path, LOCAL)
    with FaultServer([failed(500, "broken")]) as server:
        given: tuple[Any, ...] = ("--model", "m", "--base-url", server.base_url)
        Path("graphkit.toml").write_text(
            Path("graphkit.toml").read_text() + "[models.default]\nretries = 0\n"
        )
        done = run("synthesize", *given, "--run", "r", "--entity", "Ulm")
    assert done.exit_code == 1
    assert json.loads(Path("r", "summary.json").read_text())["unfinished"]
    assert json.loads(Path("r", "costs.json").read_text()) == []


def test_seeds_are_found_in_domains_of_the_user_and_kept(
    run: Run, tmp_path: Path, outside: Servers
) -> None:
    """They are in the folder as a file that can be given again; going on finds no others."""
    settings(tmp_path, outside.settings_text())
    Path("d.toml").write_text(
        '[[domain]]\nname = "Geography"\nsubdomains = [{name = "Countries"}, {name = "Rivers"}]\n'
    )
    given = ("--find-seeds", "2", "--domains", "d.toml", "--entity", "Austria")
    first = run("synthesize", *given, "--run", "r", "--max-calls", "14", "--json")
    assert first.exit_code == 1, first.stderr
    assert errors(first)
    found = [json.loads(line) for line in Path("r", "seeds.jsonl").read_text().splitlines()]
    names = [seed["entity_name"] for record in found for seed in record["seeds"]]
    assert names[0] == "Austria"
    assert len(names) > 1
    again = run("synthesize", "--resume", "r", "--max-calls", "20", "--json")
    assert again.exit_code == 1
    assert [json.loads(line) for line in Path("r", "seeds.jsonl").read_text().splitlines()] == found
    assert Path("r", "seed_rounds.jsonl").read_text()


def test_a_search_for_seeds_that_a_limit_stops_can_be_taken_up(
    run: Run, tmp_path: Path, outside: Servers
) -> None:
    """The error says how to go on; what was asked is not asked again."""
    settings(tmp_path, outside.settings_text())
    Path("d.toml").write_text('[[domain]]\nname = "a"\nsubdomains = [{name = "Countries"}]\n')
    given = ("--find-seeds", "2", "--domains", "d.toml", "--run", "r")
    paid = outside.model.stats["paid"]
    first = run("synthesize", *given, "--max-calls", "1", "--json")
    assert first.exit_code == 1
    assert errors(first)
    assert "--resume r goes on" in first.stderr
    assert outside.model.stats["paid"] == paid + 1
    run("synthesize", "--resume", "r", "--max-calls", "3")
    assert outside.model.stats["paid"] == paid + 3
