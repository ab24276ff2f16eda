"""docs/grown-questions.md shows what growth really makes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def _page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("page", ROOT / "benchmarks/growth/page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_page_is_current() -> None:
    """The twenty questions on the page are the first twenty of the run that it names."""
    page = _page()
    shown = page.PAGE.read_text("utf8").partition(page.MARK)[2].strip()
    assert shown == page.listing().strip()
    assert shown.count("**") == 2 * page.SHOWN
