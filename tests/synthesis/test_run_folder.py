"""The folder of a run: begun once, opened again as it was, and nothing mixed into it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphkit.errors import FormatError, InputError, OperationError, SettingsError
from graphkit.models import ModelSettings
from synthesis import run_folder
from synthesis.domains import read_domains
from synthesis.loop_settings import LoopSettings
from synthesis.run_folder import RunFolder, RunPlan, web_settings
from synthesis.seeds import Seed
from synthesis.web import WebSettings
from tests.synthesis.fresh_village import pool

PLAN = RunPlan(
    loop=LoopSettings(seed=3, language="zh"),
    web=WebSettings(provider="searxng", base_url="http://127.0.0.1:1"),
    models={"default": ModelSettings(model="m"), "parse": ModelSettings(model="n")},
    seeds=(Seed(entity_name="Ulm", primary="places"), Seed(entity_name="乌尔姆")),
    find_seeds=2,
    domains=read_domains(),
    sheet='[relations."capital"]\naliases = ["seat"]\n',
)


def test_a_run_is_opened_as_it_was_begun(tmp_path: Path) -> None:
    """Its name and its whole plan come back; no key is written down."""
    begun = RunFolder.create(tmp_path / "a" / "run", PLAN)
    opened = RunFolder.open(tmp_path / "a" / "run")
    assert (opened.run, opened.plan) == (begun.run, PLAN)
    assert opened.plan.relations.aliases["seat"] == (("capital", False),)
    record = json.loads((begun.path / "run.json").read_text())
    assert set(record["prompts"]) >= {"gather.en", "gather.zh", "parse.en"}


def test_runs_have_names_of_their_own(tmp_path: Path) -> None:
    """So that the log of one is not taken for that of another."""
    names = {RunFolder.create(tmp_path / str(n), PLAN).run for n in range(20)}
    assert len(names) == 20


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    """A file, another run, anything; an empty folder is taken."""
    RunFolder.create(tmp_path / "run", PLAN)
    (tmp_path / "file").write_text("x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".hidden").write_text("x")
    (tmp_path / "empty").mkdir()
    for name in ("run", "file", "other"):
        with pytest.raises(InputError, match=f"{name}: is not an empty folder.*--resume"):
            RunFolder.create(tmp_path / name, PLAN)
    assert RunFolder.create(tmp_path / "empty", PLAN).path == tmp_path / "empty"


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(tmp_path: Path) -> None:
    """Not a traceback."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(OperationError, match=r"run: cannot be made"):
        RunFolder.create(tmp_path / "file" / "run", PLAN)


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    """There is nothing to resume."""
    with pytest.raises(FormatError, match="there is no run in this folder"):
        RunFolder.open(tmp_path)
    with pytest.raises(FormatError, match="there is no run in this folder"):
        RunFolder.open(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", '"x"', "{}", '{"run": "r", "prompts": 7, "plan": {}}',
     '{"run": "r", "prompts": {}, "plan": {}}', '{"run": "r", "prompts": {}, "plan": 7}',
     '{"run": "r", "prompts": {}, "plan": {"models": {"default": {"model": ""}}, "x": 1}}', "\xff"],
)  # fmt: skip
def test_a_broken_plan_is_told_with_its_file(tmp_path: Path, text: str) -> None:
    """On one line a problem."""
    (tmp_path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(FormatError, match=r"run\.json: ") as caught:
        RunFolder.open(tmp_path)
    assert all("\n" not in str(problem) for problem in caught.value.problems)


def test_changed_prompts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replies to other prompts would be mixed into the run; new prompts do not matter."""
    RunFolder.create(tmp_path / "run", PLAN)
    digests = run_folder.prompt_digests()
    monkeypatch.setattr(run_folder, "prompt_digests", lambda: {**digests, "sing.en": "0"})
    assert RunFolder.open(tmp_path / "run").plan == PLAN
    monkeypatch.setattr(run_folder, "prompt_digests", lambda: {**digests, "parse.en": "0"})
    with pytest.raises(SettingsError, match=r"parse\.en have changed"):
        RunFolder.open(tmp_path / "run")
    monkeypatch.setattr(
        run_folder, "prompt_digests", lambda: {k: v for k, v in digests.items() if k != "gather.zh"}
    )
    with pytest.raises(SettingsError, match=r"gather\.zh"):
        RunFolder.open(tmp_path / "run")


def test_evidence_that_is_kept_reads_back(tmp_path: Path) -> None:
    """With its labels; the digest is that of the file."""
    folder = RunFolder.create(tmp_path / "run", PLAN)
    records = list(pool().held)[:30]
    first = folder.keep_evidence("s1", records)
    assert folder.keep_evidence("s1", records) == first
    assert folder.keep_evidence("s2", records[:29]) != first
    assert folder.kept_evidence("s1") == records


def test_found_seeds_come_after_those_given(tmp_path: Path) -> None:
    """Each entity once; they are in a file that can be used again."""
    folder = RunFolder.create(tmp_path / "run", PLAN)
    found = folder.with_seeds([Seed(entity_name="ULM"), Seed(entity_name="Bonn")])
    assert [seed.entity_name for seed in found.plan.seeds] == ["Ulm", "乌尔姆", "Bonn"]
    lines = (folder.path / "seeds.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(json.loads(line)["total_count"] for line in lines) == 3


def test_web_settings_are_told_all_at_once() -> None:
    """With the file that they come from."""
    assert web_settings({"provider": "brave"}).provider == "brave"
    with pytest.raises(SettingsError) as caught:
        web_settings({"provider": "alta", "resluts": 3, "timeout": "long"}, origin="graphkit.toml")
    said = [str(problem) for problem in caught.value.problems]
    assert len(said) == 3
    assert all(line.startswith("graphkit.toml: web.") for line in said)
    assert "web.resluts is not a setting (did you mean results?)" in "".join(said)


@pytest.mark.parametrize(
    "url",
    ["http://host/?api_key=hunter2", "http://me:hunter2@host", "http://[hunter2", "hunter2://x"],
)
def test_an_address_of_the_web_holds_no_secret(url: str) -> None:
    """It would stand in run.json; the error names the way to give a key, and not the value."""
    with pytest.raises(SettingsError, match="base_url") as caught:
        web_settings({"provider": "searxng", "base_url": url})
    assert "hunter2" not in str(caught.value)


def test_a_plan_nested_without_end_is_no_run(tmp_path: Path) -> None:
    """A damaged file is told as one, however it is damaged."""
    folder = RunFolder.create(tmp_path / "run", PLAN)
    folder.file("run.json").write_text("[" * 200_000)
    with pytest.raises(FormatError, match=r"run\.json: not a run"):
        RunFolder.open(folder.path)
