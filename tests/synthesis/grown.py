"""The Factbook, and the 500 questions that are grown from it once for all tests of them."""

from __future__ import annotations

import functools
from pathlib import Path

from graphkit.facts import FactStore
from graphkit.formats.facts import read_facts
from synthesis.grow import GrownQuestion, Growth
from synthesis.grow_settings import GrowSettings

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = ROOT / "examples" / "factbook" / "evidence.jsonl"
COUNT, SEED = 500, 20


@functools.cache
def factbook() -> FactStore:
    """The facts of the Factbook with their relation sheet."""
    return read_facts(EVIDENCE)


@functools.cache
def run() -> tuple[Growth, tuple[GrownQuestion, ...]]:
    """The run with the fixed seed, and its questions."""
    growth = Growth(factbook(), GrowSettings(count=COUNT, seed=SEED))
    return growth, tuple(growth)
