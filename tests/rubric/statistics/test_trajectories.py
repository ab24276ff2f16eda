"""Traces: positions, searches after the first write, blocks, the interleaving rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rubric.statistics.measure import Status
from rubric.statistics.records import Event, Trajectory
from rubric.statistics.trajectories import configuration_profiles, trace_profile, write_blocks

KINDS = {"s": "search", "o": "open", "w": "write", "t": "tool", "m": "message"}


def trace(signs, system="A", task="t1", **more):
    return Trajectory(
        task_id=task,
        system=system,
        events=[Event(index=n, kind=KINDS[sign], **more) for n, sign in enumerate(signs)],
    )


def test_positions_are_normalised_by_the_last_event():
    """Five events: the second stands at 1/4, the last at 1."""
    figures = trace_profile(trace("swosw")).figures
    assert float(figures["first_write"]) == 0.25
    assert float(figures["last_search"]) == 0.75
    assert float(figures["search_after_write"]) == 0.5
    assert figures["write_blocks"] == 2


@pytest.mark.parametrize(
    ("signs", "figure", "status"),
    [
        ("sss", "first_write", Status.NO_WRITE),
        ("sss", "search_after_write", Status.NO_WRITE),
        ("www", "last_search", Status.NO_SEARCH),
        ("wt", "search_after_write", Status.NO_SEARCH),
        ("w", "first_write", Status.ONE_EVENT),
        ("", "first_write", Status.EMPTY),
        ("", "write_blocks", Status.EMPTY),
        ("ws", "tokens", Status.EMPTY),
    ],
)
def test_figures_that_do_not_exist_are_named(signs, figure, status):
    """No 0/0, and no 0 for what was never there."""
    assert trace_profile(trace(signs)).figures[figure] is status


def test_no_write_is_no_block():
    """Zero blocks is a count, not a missing figure."""
    assert trace_profile(trace("ss")).figures["write_blocks"] == 0


def test_messages_interrupt_a_block_unless_told_otherwise():
    """Contiguous means next to each other; a reader may let messages pass."""
    events = trace("wmwtw").events
    assert write_blocks(events) == 3
    assert write_blocks(events, frozenset({"message"})) == 2


def test_order_is_by_index_not_by_line():
    """Events may stand in any order and start at 1."""
    events = [
        Event(index=9, kind="search"),
        Event(index=1, kind="write"),
        Event(index=4, kind="tool"),
    ]
    figures = trace_profile(Trajectory(task_id="t", system="A", events=events)).figures
    assert (figures["first_write"], figures["last_search"]) == (0, 1)


def test_an_index_used_twice_is_refused():
    """Two events cannot stand at one place."""
    with pytest.raises(ValidationError, match="index 3 is used more than once"):
        Trajectory(task_id="t", system="A", events=[Event(index=3, kind="write")] * 2)


def test_costs():
    """Steps count entries, calls leave messages out, hours span from first start to last end."""
    events = [
        Event(index=0, kind="search", started=0, seconds=1800, tokens=10),
        Event(index=1, kind="message", started=1800, seconds=0, tokens=5),
        Event(index=2, kind="tool", started=3600, seconds=3600, error="exit 1"),
    ]
    figures = trace_profile(Trajectory(task_id="t", system="A", events=events)).figures
    assert (figures["steps"], figures["tool_calls"], figures["tool_errors"]) == (3, 2, 1)
    assert (figures["hours"], figures["tokens"]) == (2, 15)
    timed = trace_profile(trace("ss", seconds=1800)).figures["hours"]
    assert timed == 1


def test_times_with_an_offset():
    """ISO 8601 is read across offsets; without one it is refused."""
    events = [
        Event(index=0, kind="tool", started="2026-01-31T12:00:00+00:00"),
        Event(index=1, kind="tool", started="2026-01-31T15:30:00+02:00", seconds=1800),
    ]
    assert trace_profile(Trajectory(task_id="t", system="A", events=events)).figures["hours"] == 2
    with pytest.raises(ValidationError, match="no offset"):
        Event(index=0, kind="tool", started="2026-01-31T12:00:00")


def test_interleaved_at_the_very_threshold():
    """A share of exactly 30 % and exactly four blocks count; below either they do not."""
    exactly = trace("sssssss" + "wswswsw")
    (profile,) = configuration_profiles([exactly])
    assert (profile.medians["search_after_write"].value, profile.interleaved) == (0.3, True)
    assert configuration_profiles([trace("ssssssss" + "wswswsw")])[0].interleaved is False
    assert configuration_profiles([trace("s" + "wswsw")])[0].interleaved is False


def test_medians_over_available_traces():
    """A trace without a write is counted and left out of the median."""
    (profile,) = configuration_profiles([trace("swsw"), trace("ss", task="t2")])
    assert profile.medians["search_after_write"].count == 1
    assert profile.missing["search_after_write"] == {"no_write": 1}
    assert profile.medians["write_blocks"].value == 1.0
    assert profile.traces == 2


def test_a_configuration_without_any_write_is_named():
    """No median to apply the rule to: neither interleaved nor not."""
    (profile,) = configuration_profiles([trace("sss")])
    assert profile.interleaved is None
    assert profile.medians["first_write"].status is Status.NO_WRITE
    assert configuration_profiles([]) == ()


@given(st.text("sowtm", min_size=2, max_size=30))
def test_laws(signs):
    """Shares and positions lie in 0 to 1; blocks never outnumber writes."""
    figures = trace_profile(trace(signs)).figures
    for name in ("first_write", "last_search", "search_after_write"):
        assert isinstance(figures[name], Status) or 0 <= figures[name] <= 1
    assert figures["write_blocks"] <= signs.count("w")
    assert figures["write_blocks"] == len(
        [
            part
            for part in "".join(sign if sign == "w" else " " for sign in signs).split(" ")
            if part
        ]
    )
