"""Phase order and cost of agent traces: positions, searches after writing, write blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rubric.settings import Settings
from rubric.statistics.measure import Measure, Status, median
from rubric.statistics.records import Event, Trajectory

__all__ = [
    "MIN_BLOCKS",
    "MIN_SHARE",
    "ConfigurationProfile",
    "TraceProfile",
    "configuration_profiles",
    "trace_profile",
    "write_blocks",
]

_DEFAULTS = Settings()
MIN_SHARE = _DEFAULTS.interleaved_share
"""Median share of searches after the first write that makes a configuration interleaved (F.7)."""
MIN_BLOCKS = _DEFAULTS.interleaved_blocks
"""Median number of write blocks that makes a configuration interleaved (F.7)."""

_ORDER = ("first_write", "last_search", "search_after_write", "write_blocks")
_COST = ("steps", "tool_calls", "tool_errors", "hours", "tokens")


@dataclass(frozen=True, slots=True)
class TraceProfile:
    """The figures of one trace; a figure that does not exist has its status instead.

    Attributes:
        task_id: The task.
        system: The configuration.
        figures: Name to exact value, or to the status that says why there is none. Positions
            and shares are fractions of 1; ``hours`` are hours, the rest are counts.
    """

    task_id: str
    system: str
    figures: Mapping[str, Fraction | Status]

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "task_id": self.task_id,
            "system": self.system,
            **{
                name: value.value if isinstance(value, Status) else _plain(value)
                for name, value in self.figures.items()
            },
        }


@dataclass(frozen=True, slots=True)
class ConfigurationProfile:
    """Medians over the traces of one configuration (tables 23 and 24 of the paper).

    Attributes:
        system: The configuration.
        traces: How many traces there are.
        medians: Figure to its median; the count says over how many traces that have the figure,
            and the status names why there is none.
        interleaved: The rule of appendix F.7; None when a median that it needs does not exist.
        missing: Figure to status to the number of traces without it for that reason.
    """

    system: str
    traces: int
    medians: Mapping[str, Measure]
    interleaved: bool | None
    missing: Mapping[str, Mapping[str, int]]

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "system": self.system,
            "traces": self.traces,
            "medians": {name: value.to_record() for name, value in self.medians.items()},
            "interleaved": self.interleaved,
            "missing": {name: dict(counts) for name, counts in self.missing.items() if counts},
        }


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


def write_blocks(events: Iterable[Event], ignore: frozenset[str] = frozenset()) -> int:
    """Count the maximal runs of consecutive write events.

    Args:
        events: The events in order.
        ignore: Kinds that do not interrupt a run. The paper says that blocks are "separated by
            other actions"; by default every other event is one, a message included.
    """
    blocks, inside = 0, False
    for event in events:
        if event.kind in ignore:
            continue
        blocks += event.kind == "write" and not inside
        inside = event.kind == "write"
    return blocks


def trace_profile(trajectory: Trajectory, ignore: frozenset[str] = frozenset()) -> TraceProfile:
    """Return the order and cost figures of one trace (appendix F.7).

    The i-th of N events stands at i / (N - 1), 0 for the first and 1 for the last. A search that
    stands after the first write event counts as a search after writing.

    Args:
        trajectory: The trace.
        ignore: Kinds that do not interrupt a write block, see :func:`write_blocks`.

    >>> kinds = ["search", "write", "search", "search", "write"]
    >>> trace = Trajectory(task_id="t", system="A",
    ...                    events=[Event(index=i, kind=kind) for i, kind in enumerate(kinds)])
    >>> {name: str(value) for name, value in trace_profile(trace).figures.items()}
    {'first_write': '1/4', 'last_search': '3/4', 'search_after_write': '2/3', 'write_blocks': '2',
     'steps': '5', 'tool_calls': '5', 'tool_errors': '0', 'hours': 'empty', 'tokens': 'empty'}
    """
    events = trajectory.ordered
    writes = [place for place, event in enumerate(events) if event.kind == "write"]
    searches = [place for place, event in enumerate(events) if event.kind == "search"]
    last = len(events) - 1

    def position(places: list[int], which: int, absent: Status) -> Fraction | Status:
        if not events:
            return Status.EMPTY
        if not places:
            return absent
        return Fraction(places[which], last) if last else Status.ONE_EVENT

    after: Fraction | Status
    if not events:
        after = Status.EMPTY
    elif not searches:
        after = Status.NO_SEARCH
    elif not writes:
        after = Status.NO_WRITE
    else:
        after = Fraction(sum(place > writes[0] for place in searches), len(searches))
    calls = [event for event in events if event.kind != "message"]
    return TraceProfile(
        trajectory.task_id,
        trajectory.system,
        {
            "first_write": position(writes, 0, Status.NO_WRITE),
            "last_search": position(searches, -1, Status.NO_SEARCH),
            "search_after_write": after,
            "write_blocks": Fraction(write_blocks(events, ignore)) if events else Status.EMPTY,
            "steps": Fraction(len(events)),
            "tool_calls": Fraction(len(calls)),
            "tool_errors": Fraction(sum(event.failed for event in calls)),
            "hours": _hours(events),
            "tokens": _tokens(events),
        },
    )


def _tokens(events: tuple[Event, ...]) -> Fraction | Status:
    known = [event.tokens for event in events if event.tokens is not None]
    return Fraction(sum(known)) if known else Status.EMPTY


def _hours(events: tuple[Event, ...]) -> Fraction | Status:
    """Return the span from the first start to the last end; without starts, the seconds added."""
    lengths = [event.seconds for event in events if event.seconds is not None]
    ends = [
        (clock, clock + (event.seconds or 0))
        for event in events
        if (clock := event.clock) is not None
    ]
    if ends and len(ends) == len(events):
        return (max(end for _, end in ends) - min(start for start, _ in ends)) / 3600
    return sum(lengths, Fraction(0)) / 3600 if lengths else Status.EMPTY


def configuration_profiles(
    trajectories: Iterable[Trajectory],
    *,
    min_share: Fraction = MIN_SHARE,
    min_blocks: Fraction | int = MIN_BLOCKS,
    ignore: frozenset[str] = frozenset(),
) -> tuple[ConfigurationProfile, ...]:
    """Return medians for every configuration, and whether it interleaves (appendix F.7).

    A configuration is interleaved when its median share of searches after the first write is at
    least ``min_share`` and its median number of write blocks at least ``min_blocks``. A trace
    without a figure (no write, no search) is left out of that median and counted.

    Args:
        trajectories: The traces, in any order.
        min_share: A fraction of 1.
        min_blocks: A count.
        ignore: Kinds that do not interrupt a write block.
    """
    groups: dict[str, list[TraceProfile]] = {}
    for trajectory in trajectories:
        groups.setdefault(trajectory.system, []).append(trace_profile(trajectory, ignore))
    made = []
    for system in sorted(groups):
        profiles = groups[system]
        exact: dict[str, Fraction | None] = {}
        medians: dict[str, Measure] = {}
        missing: dict[str, dict[str, int]] = {}
        for name in (*_ORDER, *_COST):
            found = [profile.figures[name] for profile in profiles]
            known = [value for value in found if isinstance(value, Fraction)]
            absent = [value.value for value in found if isinstance(value, Status)]
            exact[name] = middle = median(known)
            missing[name] = {reason: absent.count(reason) for reason in sorted(set(absent))}
            if middle is not None:
                medians[name] = Measure(float(middle), len(known))
            else:
                medians[name] = Measure(None, 0, Status(max(sorted(set(absent)), key=absent.count)))
        part, blocks = exact["search_after_write"], exact["write_blocks"]
        interleaved = (
            None if part is None or blocks is None else (part >= min_share and blocks >= min_blocks)
        )
        made.append(ConfigurationProfile(system, len(profiles), medians, interleaved, missing))
    return tuple(made)
