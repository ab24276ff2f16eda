"""The check of recorded ratios: what it lets pass and what it names."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

SPEED = Path(__file__).resolve().parents[2] / "benchmarks" / "speed"


@pytest.fixture
def regression(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, imported from its folder as Python does when it is run."""
    monkeypatch.setattr(sys, "path", [str(SPEED), *sys.path])
    known = set(sys.modules)
    module = importlib.import_module("regression")
    for name in set(sys.modules) - known:
        if str(SPEED) in (getattr(sys.modules[name], "__file__", None) or ""):
            monkeypatch.delitem(sys.modules, name)
    return module


def test_half_of_a_recorded_ratio_is_enough(regression: ModuleType) -> None:
    """At half it holds, below it is missed, and only what is missed is marked."""
    found = dict(regression.compared({"a": 1.0, "b": 0.99}, {"a": 2.0, "b": 2.0}))
    assert list(found.values()) == [True, False]
    assert ["(missed)" in line for line in found] == [False, True]


def test_what_is_not_on_both_sides_is_told(regression: ModuleType) -> None:
    """A job that is measured and not recorded, or the other way round, fails the check."""
    lines = list(regression.compared({"new": 1.0}, {"old": 1.0}))
    assert [(line, holds) for line, holds in lines] == [
        ("| old | not measured | | |", False),
        ("| new | not recorded | | |", False),
    ]


def test_the_record_is_of_the_frozen_baselines(regression: ModuleType) -> None:
    """The baselines are those that the record was made with."""
    known = json.loads((SPEED / "recorded.json").read_text(encoding="utf-8"))
    assert known["baselines"] == regression.frozen()
    assert all(ratio > 0 for ratio in known["ratios"].values())


def test_speeds_are_turned_so_that_larger_is_better(regression: ModuleType) -> None:
    """A share of 4 with an upper bound is a speed of a quarter; rows without a bound are left."""
    rows = [
        regression.Row("a", "", "", "", 4.0, "<= 5"),
        regression.Row("b", "", "", "", 4.0, ">= 5"),
        regression.Row("c", "", "", "", 4.0),
    ]
    assert regression.speeds(rows) == [0.25, 4.0]
    assert regression.mean([0.25, 4.0]) == pytest.approx(1.0)
