"""What the judges of a question find: words are mended, else the graph is changed, or given up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_model.conversation import Task
from scripted_model.roles import ROLES

from synthesis.run import RunResult
from tests.synthesis.loopback import journal_of, servers

WHY = "Two things fit, and no wording can tell them apart: it is the graph."


def _run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, role: str, judge: Callable[[Task], Any]
) -> RunResult:
    monkeypatch.setitem(ROLES, role, judge)
    with servers() as outside:
        return outside.run(folder, ("Bulgaria",), rewordings=2, max_iterations=14)


def _advice(folder: Path) -> list[dict[str, Any]]:
    return journal_of(folder, "advised")


def test_what_no_wording_mends_is_sent_back_twice_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the question is changed, with the reason told; the outcome names the check."""
    told = {"fluent": True, "clear": True, "unambiguous": False, "reason": WHY}
    result = _run(tmp_path / "run", monkeypatch, "quality", lambda task: told)
    assert result.outcomes == {"gave_up": 1}
    steps = _advice(tmp_path / "run")
    kinds = [step["advice"]["kind"] for step in steps if step["missing"] == ["quality_unambiguous"]]
    assert kinds[:2] == ["reword", "reword"]
    assert kinds.count("reword") == 2
    assert len(kinds) > 2
    changed = [step for step in steps if step["missing"] == ["quality_unambiguous"]][2:]
    for step in changed:
        assert any(WHY in problem for problem in step["advice"]["problems"])
    assert result.missing == {"quality_unambiguous": 1}
    judged = journal_of(tmp_path / "run", "judged")
    assert len(judged) >= 3
    assert all(step["failed"] == ["unambiguous"] for step in judged)


def test_what_is_private_is_never_sent_back_for_other_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lies in what is asked: another question is made at once."""
    told = {"private": True, "reason": "It names a person's home."}
    result = _run(tmp_path / "run", monkeypatch, "privacy", lambda task: told)
    assert result.outcomes == {"gave_up": 1}
    steps = [step for step in _advice(tmp_path / "run") if "quality_privacy" in step["missing"]]
    assert steps
    assert "reword" not in {step["advice"]["kind"] for step in steps}
    assert all(
        any("a person's home" in problem for problem in step["advice"]["problems"])
        for step in steps
    )


def test_words_that_were_wrong_once_are_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One verdict against the wording costs one rewording, and the question is accepted."""
    seen: list[str] = []

    def judge(task: Task) -> dict[str, Any]:
        seen.append(task.text("question"))
        good = len(set(seen)) > 1 or len(seen) > 1
        return {"fluent": good, "clear": True, "unambiguous": True, "reason": "A comma."}

    result = _run(tmp_path / "run", monkeypatch, "quality", judge)
    assert result.outcomes == {"accepted": 1}
    kinds = [
        step["advice"]["kind"]
        for step in _advice(tmp_path / "run")
        if step["missing"] == ["quality_fluent"]
    ]
    assert kinds == ["reword"]
