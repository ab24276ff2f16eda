"""The public sample files, which are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def shared_rubrics() -> Path:
    """The folder of public rubric files; the test is skipped where it is missing."""
    root = Path(__file__).resolve().parents[3]
    folder = Path(os.environ.get("GRAPHKIT_SHARED_DATA", root.parent / "shared" / "data"))
    if not (folder / "rubrics").is_dir():
        pytest.skip(f"no public files in {folder}")
    return folder / "rubrics"
