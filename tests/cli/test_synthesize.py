"""``graphkit synthesize``: what it refuses before a run begins, and what it says when one stops."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_faults import FaultServer, failed

from tests.cli.conftest import Run, errors

LOCAL = '[web]\nprovider = "searxng"\nbase_url = "http://127.0.0.1:9"\n'


@pytest.fixture(autouse=True)
def _settings(tmp_path: Path) -> None:
    """Settings whose search provider needs no key."""
    (tmp_path / "graphkit.toml").write_text(LOCAL)


def test_a_run_needs_a_folder_and_seeds(run: Run) -> None:
    """Both are asked for by their options, and nothing is written."""
    assert "--run DIR" in errors(run("synthesize"))[0]
    assert "--seeds FILE" in errors(run("synthesize", "--run", "r"))[0]
    assert not Path("r").exists()


def test_a_date_that_is_none_is_said_once(run: Run) -> None:
    """The message names what is there and what is expected."""
    done = run("synthesize", "--entity", "Ulm", "--run", "r", "--since", "soon", "--model", "m")
    assert done.exit_code == 2
    [message] = errors(done)
    assert message.endswith("since is 'soon', expected an ISO date such as 2026-01-01")


def test_all_that_is_wrong_with_seeds_is_told_with_its_line(run: Run, tmp_path: Path) -> None:
    """A broken file of seeds ends in its errors, and no folder is made."""
    (tmp_path / "seeds.jsonl").write_text('{"entity_name": 3}\n{broken\n')
    done = run("synthesize", "--seeds", "seeds.jsonl", "--run", "r", "--model", "m")
    assert done.exit_code == 2
    assert [text.split(": ")[1] for text in errors(done)] == ["seeds.jsonl:1", "seeds.jsonl:2"]
    assert not Path("r").exists()


def test_a_refused_key_stops_the_run_and_says_how_many_seeds_are_left(run: Run) -> None:
    """One reason for all seeds, how to go on, and no word about questions that are not there."""
    seeds = [part for name in ("Ulm", "Bonn", "Trier") for part in ("--entity", name)]
    with FaultServer([failed(401, "Incorrect API key provided")]) as server:
        given = ("--model", "m", "--base-url", server.base_url)
        done = run("synthesize", *seeds, "--run", "r", *given)
        assert done.exit_code == 1
        stopped, left = errors(done)
        assert "is refused, HTTP 401" in stopped
        assert left == "error: 3 of 3 seeds are not finished; --resume r goes on"
        assert "questions.jsonl" not in done.stderr
        again = run("synthesize", "--resume", "r", "--json")
    assert again.exit_code == 1
    told = json.loads(again.stdout)
    assert (told["seeds"], told["questions"], told["outcomes"]) == (3, 0, {})


def test_a_resumed_run_keeps_what_it_was_begun_with(run: Run) -> None:
    """Options that would change the run are refused by name."""
    done = run("synthesize", "--resume", "r", "--min-edges", "6", "--entity", "Ulm")
    assert done.exit_code == 2
    assert "--entity, --min-edges" in errors(done)[0]


def test_all_that_is_wrong_with_settings_is_told_at_once(run: Run, tmp_path: Path) -> None:
    """Each table has its errors; none hides those of another."""
    (tmp_path / "graphkit.toml").write_text(
        '[synthesis]\nsinc = "2026"\n[web]\nprovider = "gogle"\n'
        '[models.default]\nmodel = "m"\ntemprature = 1\n'
    )
    done = run("synthesize", "--entity", "Ulm", "--run", "r")
    assert done.exit_code == 2
    told = "\n".join(errors(done))
    assert all(word in told for word in ("synthesis.sinc", "web.provider", "temprature"))
    assert not Path("r").exists()


@pytest.mark.parametrize("command", [("synthesize", "--entity", "Ulm"), ("parse", "set.jsonl")])
@pytest.mark.parametrize(
    "line",
    [
        'api_key = "hunter2-swordfish"',
        'api-key = "hunter2-swordfish"',
        'base_url = "http://me:hunter2-swordfish@127.0.0.1:9/v1"',
        'base_url = "http://127.0.0.1:9/v1?api_key=hunter2-swordfish"',
        'extra = { api_key = "hunter2-swordfish" }',
    ],
)
def test_a_key_in_the_settings_is_never_shown(
    run: Run, tmp_path: Path, command: tuple[str, ...], line: str
) -> None:
    """It is refused before a run is made, and the message says where keys come from."""
    (tmp_path / "set.jsonl").write_text('{"id": "a", "question": "Which?"}\n')
    (tmp_path / "graphkit.toml").write_text(f'[models.default]\nmodel = "m"\n{line}\n')
    done = run(*command, "--run", "r")
    assert done.exit_code == 2
    assert "api_key_env" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr
    assert not Path("r").exists()


def test_a_key_in_other_tables_is_never_shown(run: Run, tmp_path: Path) -> None:
    """The tables of the web and of the loop keep it to themselves too."""
    (tmp_path / "graphkit.toml").write_text(
        '[synthesis]\napi_key = "hunter2-swordfish"\nlanguage = "sk-live-0123456789ABCDEF"\n'
        '[web]\napi_key = "hunter2-swordfish"\n[models.default]\nmodel = "m"\n'
    )
    done = run("synthesize", "--entity", "Ulm", "--run", "r")
    assert done.exit_code == 2
    assert "web.api_key is not a setting; keys come from" in done.stderr
    assert "hunter2" not in done.stderr
    assert "0123456789" not in done.stderr


@pytest.mark.parametrize("command", [("synthesize", "--entity", "Ulm"), ("parse", "set.jsonl")])
def test_a_limit_of_money_needs_prices(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Without them the limit could not be kept: that is said before a run is made."""
    (tmp_path / "set.jsonl").write_text('{"id": "a", "question": "Which?"}\n')
    given = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--max-cost", "1")
    done = run(*command, "--run", "r", *given)
    assert done.exit_code == 2
    [message] = errors(done)
    assert "input_price and output_price in [models.default]" in message
    assert not Path("r").exists()


@pytest.mark.parametrize(
    "given",
    [("--max-calls", "-5"), ("--max-cost", "-1"), ("--max-minutes", "-1"), ("--max-tokens", "-1")],
)
def test_a_limit_below_nothing_is_refused(run: Run, given: tuple[str, str]) -> None:
    """By its option, before a run is made."""
    done = run("synthesize", "--entity", "Ulm", "--run", "r", "--model", "m", *given)
    assert done.exit_code == 2
    assert given[0] in errors(done)[0]
    assert not Path("r").exists()


@pytest.mark.parametrize("name", ["", "  ", "x" * 5_000])
def test_an_entity_without_a_name_is_refused(run: Run, name: str) -> None:
    """It is said which option, and why."""
    done = run("synthesize", "--entity", name, "--run", "r", "--model", "m")
    assert done.exit_code == 2
    assert "--entity" in errors(done)[0]
