"""A run begun with wrong settings: what can be mended on the way, and what is refused, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from model_faults import FaultServer, failed

from tests.cli.conftest import Run, errors
from tests.synthesis.loopback import Servers, records_of, servers

SEEDS = ("Bulgaria", "Austria")


@pytest.fixture(scope="module")
def outside() -> Iterator[Servers]:
    with servers() as running:
        yield running


@pytest.fixture(autouse=True)
def _no_keys_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "SERPER_API_KEY", "WRONG_KEY"):
        monkeypatch.delenv(name, raising=False)


def begin(run: Run, text: str, *more: str) -> Result:
    """Begin a run of two seeds in the folder ``r``, with a text as its settings file."""
    Path("graphkit.toml").write_text(text, encoding="utf-8")
    Path("s.txt").write_text("".join(f"{name}\n" for name in SEEDS), encoding="utf-8")
    return run("synthesize", "--seeds", "s.txt", "--run", "r", "--json", *more)


def resume(run: Run, text: str | None, *more: str) -> Result:
    """Go on with it, with a settings file that is named where there is a text."""
    if text is not None:
        Path("mended.toml").write_text(text, encoding="utf-8")
    named = () if text is None else ("--settings", "mended.toml")
    return run(*named, "synthesize", "--resume", "r", "--json", *more)


def asked_of_models() -> list[dict[str, Any]]:
    """The requests to models in the log of the run."""
    return [r["request"] for r in records_of(Path("r", "exchanges.jsonl")) if r["kind"] == "model"]


def test_a_run_that_never_got_an_answer_is_mended_whole(run: Run, outside: Servers) -> None:
    """Model, address, key variable, sampling and prices: nothing was answered, all may change."""
    with FaultServer([failed(404, "there is no model scrpted")]) as nowhere:
        wrong = outside.settings_text(
            model="scrpted", base_url=nowhere.base_url, api_key_env="WRONG_KEY", temperature=1.5
        )
        first = begin(run, wrong)
    assert first.exit_code == 1
    assert "can be mended: graphkit --settings FILE synthesize --resume r" in first.stderr
    done = resume(run, outside.settings_text(input_price=5.0))
    assert done.exit_code == 0, done.stderr
    assert "note: models.default.model is 'scripted' from now on, it was 'scrpted'" in done.stderr
    assert {row["model"] for row in json.loads(done.stdout)["costs"]} == {"scripted"}
    assert {request["endpoint"] for request in asked_of_models()} == {outside.model.base_url}
    told = json.loads(Path("r", "run.json").read_text(encoding="utf-8"))
    (mended,) = told["mended"]
    assert {change["setting"] for change in mended["changes"]} == {
        f"models.default.{name}"
        for name in ("model", "base_url", "api_key_env", "temperature", "input_price")
    }


def test_a_server_that_moved_goes_on_where_the_old_one_was(run: Run, outside: Servers) -> None:
    """Nothing is asked twice, the questions are the same, all costs are at the new prices."""
    whole = begin(run, outside.settings_text())
    assert whole.exit_code == 0, whole.stderr
    calls = sum(row["calls"] for row in json.loads(whole.stdout)["costs"])
    questions = records_of(Path("r", "questions.jsonl"))
    Path("r").rename("whole")

    first = begin(run, outside.settings_text(input_price=900.0), "--max-calls", "60")
    assert first.exit_code == 1
    with servers() as other:
        moved = outside.settings_text(
            base_url=other.model.base_url, timeout=60.0, concurrency=3, output_price=0.0
        ).replace("[synthesis]", "[synthesis]\nparallel = 1")
        done = resume(run, moved)
        assert done.exit_code == 0, done.stderr
        told = json.loads(done.stdout)
        assert other.model.stats["paid"] == calls - 60
    assert sum(row["calls"] for row in told["costs"]) == calls
    for row in told["costs"]:
        assert row["money"] == pytest.approx(row["input_tokens"] / 1e6)
    # The name of a run is in no question; its links and texts are all the same.
    assert records_of(Path("r", "questions.jsonl")) == questions
    requests = asked_of_models()
    assert {request["endpoint"] for request in requests} == {outside.model.base_url}
    assert sum("asked_at" in request for request in requests) == calls - 60
    plan = json.loads(Path("r", "run.json").read_text(encoding="utf-8"))["plan"]
    assert plan["loop"]["parallel"] == 1
    again = resume(run, None)  # what was mended stays so
    assert again.exit_code == 0
    assert json.loads(again.stdout)["questions"] == told["questions"]


def test_a_model_that_has_answered_is_never_exchanged(run: Run, outside: Servers) -> None:
    """The error names the agents and both models; those that answered can be held to theirs."""
    first = begin(run, outside.settings_text(), "--max-calls", "6")
    assert first.exit_code == 1
    before = Path("r", "run.json").read_text(encoding="utf-8")
    refused = resume(run, outside.settings_text(model="better", top_p=0.5))
    assert refused.exit_code == 2
    lines = errors(refused)
    assert len(lines) == 2
    assert "a run never mixes what it asks of a model: expected model = 'scripted' in" in lines[0]
    assert "model is 'better', and 6 calls of gather" in lines[0]
    assert "top_p is 0.5" in lines[1]
    assert Path("r", "run.json").read_text(encoding="utf-8") == before

    answered = {row["agent"] for row in json.loads(first.stdout)["costs"] if row["calls"]}
    held = "".join(f'[models.{agent}]\nmodel = "scripted"\n' for agent in sorted(answered))
    done = resume(run, outside.settings_text(model="better") + held)
    assert done.exit_code == 0, done.stderr
    models = {row["agent"]: row["model"] for row in json.loads(done.stdout)["costs"]}
    assert set(models.values()) == {"better", "scripted"}
    assert all(models[agent] == "scripted" for agent in answered)


def test_options_mend_what_no_file_tells(run: Run, outside: Servers) -> None:
    """`--base-url`, `--model` and `--parallel`; agents of their own address keep it."""
    with FaultServer([failed(401, "no")]) as nowhere:
        own = f'[models.parse]\nbase_url = "{outside.model.base_url}"\n'
        first = begin(run, outside.settings_text(base_url=nowhere.base_url, model="x") + own)
    assert first.exit_code == 1
    bad = resume(run, None, "--base-url", "nowhere")
    assert bad.exit_code == 2
    assert "base_url is 'nowhere'" in errors(bad)[0]
    given = ("--base-url", outside.model.base_url, "--model", "scripted", "--parallel", "2")
    done = resume(run, None, *given, "--max-calls", "5")
    assert done.exit_code == 1
    plan = json.loads(Path("r", "run.json").read_text(encoding="utf-8"))["plan"]
    assert plan["loop"]["parallel"] == 2
    assert {model["base_url"] for model in plan["models"].values()} == {outside.model.base_url}
    assert {model["model"] for model in plan["models"].values()} == {"scripted"}


def test_searches_are_mended_as_long_as_none_was_answered(run: Run, outside: Servers) -> None:
    """A wrong provider and its key variable can be replaced; later only the way to it."""
    text = outside.settings_text()
    wrong = text.replace('"searxng"', '"serper"').replace("[web]", '[web]\napi_key_env = "WRONG"')
    refused = begin(run, wrong)
    assert refused.exit_code == 2  # found before anything is written
    shut = text.replace(f'"{outside.web.search_url}"', '"http://127.0.0.1:9"')
    first = begin(run, shut + "", "--max-calls", "8")
    assert first.exit_code == 1
    second = resume(run, text, "--max-calls", "12")
    assert second.exit_code == 1
    assert "web.base_url" in second.stderr
    other = text.replace('"searxng"', '"tavily"').replace("[web]", "[web]\nresults = 3")
    mixed = resume(run, other)
    assert mixed.exit_code == 2
    lines = errors(mixed)
    assert [line.split(" is ")[0].split()[-1] for line in lines] == ["web.provider", "web.results"]
    assert all("searches and visits were answered with" in line for line in lines)


def test_what_the_loop_was_begun_with_stays_and_is_said(run: Run, outside: Servers) -> None:
    """A file with other goals is no error: its tables of models and web are what is wanted."""
    begin(run, outside.settings_text(), "--max-calls", "2")
    other = outside.settings_text().replace('"min_edges" = 4', '"min_edges" = 9')
    assert '"min_edges" = 9' in other
    done = resume(run, other, "--max-calls", "3")
    assert "note: synthesis.min_edges stays 4: a run keeps what it was begun with" in done.stderr
    assert "mended" not in json.loads(Path("r", "run.json").read_text(encoding="utf-8"))


def test_another_version_is_a_note_and_no_error(run: Run, outside: Servers) -> None:
    """The version stands in `run.json`; only a step that comes out otherwise ends the run."""
    begin(run, outside.settings_text(), "--max-calls", "2")
    file = Path("r", "run.json")
    told = json.loads(file.read_text(encoding="utf-8"))
    assert told["graphkit"]
    same = resume(run, None, "--max-calls", "2")
    assert "begun with graphkit" not in same.stderr
    file.write_text(json.dumps({**told, "graphkit": "0.0.7"}), encoding="utf-8")
    other = resume(run, None, "--max-calls", "2")
    assert "note: the run was begun with graphkit 0.0.7, this is" in other.stderr
    assert json.loads(other.stdout)["seeds"] == len(SEEDS)
    del told["graphkit"]
    file.write_text(json.dumps(told), encoding="utf-8")
    assert "a version that did not write" in resume(run, None, "--max-calls", "2").stderr


def test_how_many_calls_may_be_paid_is_said_of_each_kind(
    run: Run, outside: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models and a search provider with a key; not a word where only visits were cut off."""
    monkeypatch.setenv("SEARCH_KEY", "k")
    text = outside.settings_text().replace("[web]", '[web]\napi_key_env = "SEARCH_KEY"')
    begin(run, text, "--max-calls", "2")
    name = json.loads(Path("r", "run.json").read_text(encoding="utf-8"))["run"]

    def cut_off(*kinds: str) -> str:
        with Path("r", "exchanges.jsonl").open("a", encoding="utf-8") as log:
            for number, kind in enumerate(kinds):
                record = {"key": f"{kind}{number}", "kind": "begun", "run": name, "of": kind}
                log.write(json.dumps(record, separators=(",", ":")) + "\n")
        return run("synthesize", "--resume", "r", "--max-calls", "2").stderr

    assert "cut off" not in cut_off("visit")
    assert "may be paid: 1 of models, 2 of the search provider" in cut_off(
        "visit", "model", "search", "search"
    )
