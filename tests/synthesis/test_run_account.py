"""What a run tells of itself: its own seeds only, and calls that may have been paid for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synthesis.run_folder import RunFolder
from synthesis.seeds import Seed
from synthesis.web import WebSettings
from tests.synthesis.loopback import RUN, journal_of, servers


def _begun(folder: Path, *kinds: str) -> None:
    """Write calls into the log of a run that were begun and have no end."""
    with (folder / "exchanges.jsonl").open("a", encoding="utf-8") as log:
        for number, kind in enumerate(kinds):
            record = {"key": f"cut{number}", "kind": "begun", "run": RUN, "at": "x", "of": kind}
            log.write(json.dumps(record, separators=(",", ":")) + "\n")


def test_steps_of_seeds_that_are_not_in_the_plan_do_not_count(tmp_path: Path) -> None:
    """Neither their steps nor what was repaired and refused in them."""
    folder = tmp_path / "run"
    with servers() as outside:
        both = outside.run(folder, ("Bulgaria", "Austria"))
        told = json.loads((folder / "run.json").read_text())
        told["plan"]["seeds"] = told["plan"]["seeds"][:1]
        (folder / "run.json").write_text(json.dumps(told))
        one = outside.run(folder)
    assert one.seeds == 1
    kept = Seed(entity_name="Bulgaria").id
    steps = journal_of(folder)
    own = [step for step in steps if step["seed"] == kept]
    assert sum(both.account["steps"].values()) == len(steps)
    assert 0 < sum(one.account["steps"].values()) == len(own) < len(steps)
    assert json.loads((folder / "summary.json").read_text())["account"] == one.account


@pytest.mark.parametrize("paid_search", [False, True])
def test_only_what_costs_something_is_told_as_perhaps_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paid_search: bool
) -> None:
    """Visits cost nothing, and a search only where the provider wants a key."""
    monkeypatch.setenv("SEARCH_KEY", "k")
    folder = tmp_path / "run"
    with servers() as outside:
        web: WebSettings = outside.web_settings(api_key_env="SEARCH_KEY" if paid_search else None)
        RunFolder.create(folder, outside.plan(("Bulgaria",), web=web), run=RUN)
        _begun(folder, "visit", "model", "visit", "search", "search", "model", "visit")
        result = outside.run(folder)
        again = outside.run(folder)
    expected = {"model": 2, "search": 2} if paid_search else {"model": 2}
    assert result.cut_off == expected
    assert result.perhaps_paid == sum(expected.values())
    told = json.loads((folder / "summary.json").read_text())
    assert (told["perhaps_paid"], told["cut_off"]) == (sum(expected.values()), expected)
    assert again.cut_off == expected  # they were never made again
