"""Fixtures and settings that all tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from small_model import SmallModel

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("quick", max_examples=60, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("ci", max_examples=300, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("hard", max_examples=3_000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "quick")
)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A script that starts the tests in the background leaves SIGINT ignored, and the commands that
    # tests interrupt would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public files beside the repository; the test is skipped without it."""
    if not _SHARED.is_dir():
        pytest.skip(f"no shared data at {_SHARED}")
    return _SHARED


class _Variables(dict[str, str]):
    """Variables of the environment that a failed test does not print."""

    def __repr__(self) -> str:
        return f"<{', '.join(self)}>"


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[Mapping[str, str]]:
    """The variables that lead to a Neo4j server: the one of the environment, else one started here.

    The one of the environment must be empty, since tests empty it. Skipped without NEO4J_URI and
    without Java and Maven; in CI that is a failure.
    """
    from neo4j_process import Neo4jServer, missing_tools

    from graphkit.stores.neo4j import probe

    if os.environ.get("NEO4J_URI"):
        found = probe(os.environ["NEO4J_URI"])
        if not found.empty:
            pytest.fail(f"{found.location} holds data, and the tests would delete it")
        yield _Variables((k, v) for k, v in os.environ.items() if k.startswith("NEO4J_"))
        return
    lacking = missing_tools()
    if lacking and os.environ.get("CI"):
        pytest.fail(f"no NEO4J_URI, and {lacking}")
    if lacking:
        pytest.skip(f"no NEO4J_URI, and {lacking}")
    with Neo4jServer() as server:
        yield _Variables(server.environment)


@pytest.fixture(scope="session")
def small_model() -> Iterator[SmallModel]:
    """A server with a small real model; without its packages skipped, in CI a failure."""
    from small_model import SmallModel, missing_model

    lacking = missing_model()
    if lacking and os.environ.get("CI"):
        pytest.fail(lacking)
    if lacking:
        pytest.skip(lacking)
    with SmallModel() as server:
        yield server
