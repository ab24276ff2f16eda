"""What the statistics read beside verdicts: trajectories, human labels, calibration lines."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    field_validator,
    model_validator,
)

from rubric.literals import Exact

__all__ = ["CalibrationLine", "Event", "EventKind", "HumanLabel", "Trajectory"]

EventKind = Literal["search", "open", "write", "tool", "message"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Text = Annotated[str, Field(strict=True, min_length=1)]
Whole = Annotated[int, Field(strict=True, ge=0)]


def _no_text(value: Any) -> Any:
    if isinstance(value, str):
        raise ValueError(f"{value!r} is a text; expected a number")
    return value


Number = Annotated[Exact, BeforeValidator(_no_text)]
Amount = Annotated[Number, Field(ge=0)]


class Event(BaseModel):
    """One logged step of an agent.

    Attributes:
        index: Its place in the trace; only the order matters, the first may be 0 or 1.
        kind: ``search``, ``open``, ``write`` (to the report), ``tool`` (any other call) or
            ``message``.
        tool: The name of the tool.
        error: True or the message of a failed call; false, empty or null for a good one.
        started: Seconds since any origin, or an ISO 8601 time with its offset.
        seconds: How long it took.
        tokens: Tokens used, as the runner reports them.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    index: Whole
    kind: EventKind
    tool: str | None = None
    error: StrictBool | str | None = None
    started: Number | str | None = None
    seconds: Amount | None = None
    tokens: Whole | None = None

    @field_validator("started")
    @classmethod
    def _has_offset(cls, value: Fraction | str | None) -> Fraction | str | None:
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value)
            except ValueError as error:
                raise ValueError(
                    f"{value!r} is no time; expected seconds or for instance "
                    "2026-01-31T12:00:00+00:00"
                ) from error
            if moment.tzinfo is None:
                raise ValueError(
                    f"{value!r} has no offset; expected for instance 2026-01-31T12:00:00+00:00"
                )
        return value

    @property
    def failed(self) -> bool:
        """Whether the call failed."""
        return bool(self.error)

    @property
    def clock(self) -> Fraction | None:
        """When it started, in seconds, exact; None when that was not logged."""
        if isinstance(self.started, str):
            since = datetime.fromisoformat(self.started) - _EPOCH
            return Fraction(since // timedelta(microseconds=1), 1_000_000)
        return self.started


class Trajectory(BaseModel):
    """The trace of one report attempt: a task, a configuration, its events.

    >>> Trajectory(task_id="t1", system="A", events=[{"index": 0, "kind": "search"}]).ordered
    (Event(index=0, kind='search', ...),)
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    task_id: Text
    system: Text
    model: str | None = None
    harness: str | None = None
    events: tuple[Event, ...]

    @field_validator("events")
    @classmethod
    def _indices_differ(cls, events: tuple[Event, ...]) -> tuple[Event, ...]:
        counts = Counter(event.index for event in events)
        repeated = [str(index) for index in sorted(counts) if counts[index] > 1]
        if repeated:
            raise ValueError(
                f"index {', '.join(repeated)} is used more than once; expected each once"
            )
        return events

    @property
    def ordered(self) -> tuple[Event, ...]:
        """The events by index."""
        return tuple(sorted(self.events, key=lambda event: event.index))


class HumanLabel(BaseModel):
    """What one rater said about one item.

    Attributes:
        item_id: A fact, an atom, a decision (the atom judged) or a report.
        kind: ``fact`` and ``atom`` are artifact checks (is it correct?), ``decision`` is an atom
            judged on a report, ``holistic`` a rating of a whole report.
        task_id: The task.
        rater: Who.
        round: The validation round, from 1.
        label: ``correct`` or ``incorrect`` of a fact or an atom (``yes`` and ``no`` mean the
            same); ``yes``, ``no``, ``na`` or ``skipped`` of a decision.
        rating: A number, of a holistic item.
        system: Whose report was judged; needed where one item was judged on several.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    item_id: Text
    kind: Literal["fact", "atom", "decision", "holistic"]
    task_id: Text
    rater: Text
    round: Annotated[int, Field(strict=True, ge=1)] = 1
    label: Literal["correct", "incorrect", "yes", "no", "na", "skipped"] | None = None
    rating: Number | None = None
    system: str | None = None

    @model_validator(mode="after")
    def _label_fits(self) -> HumanLabel:
        if self.kind == "holistic":
            if self.rating is None or self.label is not None:
                raise ValueError("holistic needs a rating and no label")
            return self
        allowed = (
            ("yes", "no", "na", "skipped")
            if self.kind == "decision"
            else ("correct", "incorrect", "yes", "no")
        )
        if self.rating is not None or self.label not in allowed:
            raise ValueError(
                f"{self.kind} needs a label and no rating; expected one of {', '.join(allowed)}"
            )
        return self

    @property
    def item(self) -> tuple[str, str, str, str, int]:
        """What was judged: kind, task, system (or an empty string), item and round."""
        return (self.kind, self.task_id, self.system or "", self.item_id, self.round)

    @property
    def key(self) -> tuple[Any, ...]:
        """The item and the rater: once a file."""
        return (*self.item, self.rater)


class CalibrationLine(BaseModel):
    """One score, or one verdict, of a calibration report (appendix E.4 of the paper).

    Attributes:
        task_id: The task.
        report: ``R1`` (video only), ``R2`` (full tools) or ``R3`` (with the fact library).
        run: Which scoring of that report, from 1.
        score: The score of the report, on a line of scores.
        atom_id: The atom, on a line of verdicts.
        verdict: ``yes``, ``no``, ``na`` or ``skipped``.
        votes: Several such words; they beat the verdict (rubric-scoring.md, section 1).
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    task_id: Text
    report: Literal["R1", "R2", "R3"]
    run: Annotated[int, Field(strict=True, ge=1)] = 1
    score: Number | None = None
    atom_id: Text | None = None
    verdict: str | None = None
    votes: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _score_or_verdict(self) -> CalibrationLine:
        judged = self.verdict is not None or self.votes is not None
        if (self.score is None) == (self.atom_id is None) or judged != (self.atom_id is not None):
            raise ValueError("expected either a score, or an atom_id with a verdict or votes")
        return self

    @property
    def key(self) -> tuple[Any, ...]:
        """Task, report, run and, on a line of verdicts, the atom: once a file."""
        return (self.task_id, self.report, self.run, self.atom_id or "")
