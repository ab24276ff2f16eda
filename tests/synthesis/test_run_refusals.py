"""Requests that an endpoint refuses: one seed's are its own, everybody's end the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loopback_http import Response

from tests.synthesis.loopback import Servers, records_of, servers

pytestmark = pytest.mark.slow


def _refusing(outside: Servers, *words: str) -> list[str]:
    """Let the model server refuse what holds one of some words; return what was refused."""
    seen: list[str] = []

    def refused(body: dict[str, Any]) -> Response | None:
        told = str(body["messages"])
        word = next((word for word in words if f"<seed>\\n{word}\\n" in told), None)
        if word is None:
            return None
        seen.append(word)
        text = b'{"error": {"message": "maximum context length is 65536 tokens"}}'
        return Response(400, text, "application/json")

    setattr(outside.model, "_refused", refused)  # noqa: B010
    return seen


def test_a_refused_request_of_one_seed_does_not_stop_the_others(tmp_path: Path) -> None:
    """A conversation too long for the model costs its own seed; a resumed run tries it again."""
    folder = tmp_path / "run"
    with servers() as outside:
        _refusing(outside, "Czech Republic")
        result = outside.run(folder, ("Bulgaria", "Czech Republic", "Belgium"), parallel=1)
        assert result.stopped is None
        assert sum(result.outcomes.values()) == 2
        [reason] = result.unfinished.values()
        assert "context length" in reason
        _refusing(outside)
        again = outside.run(folder)
    assert again.unfinished == {}
    assert sum(again.outcomes.values()) == 3
    assert all("is_fresh_knowledge" in item for item in records_of(folder / "evidence.jsonl"))


def test_where_nothing_was_ever_answered_a_refusal_stops_the_run(tmp_path: Path) -> None:
    """A setting that the endpoint does not take is found at the first request, not at each seed."""
    with servers() as outside:
        seen = _refusing(outside, "Bulgaria", "Belgium")
        result = outside.run(tmp_path / "run", ("Bulgaria", "Belgium"), parallel=1)
    assert result.stopped is not None
    assert "context length" in result.stopped
    assert set(seen) == {"Bulgaria"}


def test_three_refused_seeds_in_a_row_stop_the_run(tmp_path: Path) -> None:
    """Refusals of one seed after the other are no matter of single seeds any more."""
    names = ("Bulgaria", "Belgium", "Austria", "Hungary", "Poland")
    with servers() as outside:
        seen = _refusing(outside, *names[1:])
        result = outside.run(tmp_path / "run", names, parallel=1)
    assert result.stopped is not None
    assert sum(result.outcomes.values()) == 1
    assert set(seen) == set(names[1:4])
