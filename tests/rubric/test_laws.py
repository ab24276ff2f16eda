"""The laws of scores, on generated trees, under both guards."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from rubric.settings import GuardMode
from rubric.testing import judged_trees, laws

QUICK = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("law", [name for name in laws.__all__ if name != "check_intended_order"])
def test_law(law):
    """Each law holds whatever the tree, the verdicts and the settings."""

    @QUICK
    @given(judged_trees())
    def run(judged):
        getattr(laws, law)(judged)

    run()


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(judged_trees(guards=(GuardMode.EXACT,)))
def test_exact_guard_keeps_the_intended_order(judged):
    """Stated >= omitted and cited >= stated, for every fact of every report."""
    laws.check_intended_order(judged)
