"""Fixtures and settings that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("quick", max_examples=60, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("ci", max_examples=300, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("hard", max_examples=3_000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "quick")
)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public files beside the repository; the test is skipped without it."""
    if not _SHARED.is_dir():
        pytest.skip(f"no shared data at {_SHARED}")
    return _SHARED
