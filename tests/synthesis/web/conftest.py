"""A server of faults for the tests of web tools."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from web_faults import WebFaults


@pytest.fixture
def site() -> Iterator[WebFaults]:
    """A running server without pages."""
    with WebFaults().running() as running:
        yield running
