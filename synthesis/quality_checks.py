"""Checks of a finished question that are computed: length, hops, freshness; and their states.

Each check has a named state. What could not be judged is ``unscored``, and never a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from graphkit.checks.tokens import count_tokens, tokenizer_name
from graphkit.evidence import EvidenceRecord
from graphkit.patterns import shape
from graphkit.question import QuestionGraph
from synthesis.freshness import knowledge_order

__all__ = [
    "WORDING",
    "QualityCheck",
    "QualityLimits",
    "QualityReport",
    "QualityState",
    "check_freshness",
    "check_hops",
    "check_length",
    "hop_freshness",
    "state_of",
]


WORDING = frozenset({"quality_fluent", "quality_clear", "quality_unambiguous", "quality_length"})
"""What a question lacks that other words may mend; see :attr:`QualityReport.missing`."""


class QualityState(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class QualityCheck:
    """One check of a question.

    Attributes:
        name: What is checked.
        state: How it ended.
        value: What was found, as plain data.
        expected: What was expected, in words.
        reason: Why it ended like that, where the value does not say it.
    """

    name: str
    state: QualityState
    value: Any = None
    expected: str = ""
    reason: str = ""

    def to_record(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "name": self.name,
            "state": self.state.value,
            "value": self.value,
            "expected": self.expected,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class QualityLimits:
    """What a question is held to.

    Attributes:
        min_hops: The fewest hops (EvoBrowseComp, A.2).
        min_fresh_share: The least share of fresh evidence (A.2).
        last_hop_fresh: Whether the last hop must be fresh (A.2).
        min_tokens: The shortest question, in tokens; no bound by default. So the next.
        max_tokens: The longest question.
    """

    min_hops: int = 5
    min_fresh_share: float = 0.5
    last_hop_fresh: bool = True
    min_tokens: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class QualityReport:
    """All checks of one question."""

    checks: tuple[QualityCheck, ...]

    @property
    def passed(self) -> bool:
        """Whether there are checks and every one of them passed."""
        return bool(self.checks) and not (self.failed or self.unscored)

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return self._named(QualityState.FAILED)

    @property
    def unscored(self) -> tuple[str, ...]:
        """The names of the checks that could not be judged."""
        return self._named(QualityState.UNSCORED)

    @property
    def missing(self) -> tuple[str, ...]:
        """What the question lacks, as stable words: ``quality_`` and the name of the check."""
        return tuple(f"quality_{name}" for name in (*self.failed, *self.unscored))

    def _named(self, state: QualityState) -> tuple[str, ...]:
        return tuple(check.name for check in self.checks if check.state is state)

    def to_record(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "passed": self.passed,
            "failed": list(self.failed),
            "unscored": list(self.unscored),
            "checks": [check.to_record() for check in self.checks],
        }


def state_of(holds: bool | None) -> QualityState:
    """Return the state of a check: passed, failed, or unscored for None."""
    if holds is None:
        return QualityState.UNSCORED
    return QualityState.PASSED if holds else QualityState.FAILED


def check_length(question: str, limits: QualityLimits | None = None) -> QualityCheck:
    """Check the length of a question in tokens.

    >>> check_length("Which country borders France?").value
    {'tokens': 5, 'tokenizer': 'cl100k_base'}
    """
    limits = limits or QualityLimits()
    size = count_tokens(question)
    low, high = limits.min_tokens, limits.max_tokens
    bounds = [
        *([] if low is None else [f"at least {low}"]),
        *([] if high is None else [f"at most {high}"]),
    ]
    holds = size > 0 and (low is None or size >= low) and (high is None or size <= high)
    return QualityCheck(
        "length",
        state_of(holds),
        {"tokens": size, "tokenizer": tokenizer_name()},
        f"{' and '.join(bounds) or 'any number of'} tokens",
    )


def check_hops(
    graph: QuestionGraph | None,
    limits: QualityLimits | None = None,
    *,
    declared: int | None = None,
) -> QualityCheck:
    """Check the number of hops, counted on the normal form of the graph.

    Args:
        graph: The graph of the question; without one the check is unscored, whatever is declared.
        limits: What the question is held to.
        declared: What the agent says, for the record.
    """
    limits = limits or QualityLimits()
    hops = None if graph is None else shape(graph).hops
    return QualityCheck(
        "hops",
        state_of(None if hops is None else hops >= limits.min_hops),
        {"graph": hops, "declared": declared},
        f"at least {limits.min_hops}",
        "there is no graph to count on" if hops is None else "",
    )


def hop_freshness(
    chain: Iterable[Mapping[str, Any]], records: Mapping[str, EvidenceRecord]
) -> tuple[bool | None, ...]:
    """Return for every hop of a reasoning chain whether it is fresh; None where nothing tells.

    The evidence decides, not what the chain says of it.

    Args:
        chain: The hops, each with its ``evidence_id``.
        records: Evidence by id.
    """
    found: list[bool | None] = []
    for hop in chain:
        record = records.get(str(hop.get("evidence_id")))
        found.append(None if record is None else record.is_fresh_knowledge)
    return tuple(found)


def check_freshness(
    fresh: Sequence[bool | None],
    evidence: Sequence[EvidenceRecord],
    limits: QualityLimits | None = None,
    *,
    declared: str | None = None,
) -> tuple[QualityCheck, ...]:
    """Check the share of fresh evidence, the knowledge order, and that the last hop is fresh.

    Args:
        fresh: For every hop in order whether it is fresh; see :func:`hop_freshness`.
        evidence: The evidence of the question.
        limits: What the question is held to.
        declared: The knowledge order that the agent declared.

    >>> [check.state.value for check in check_freshness([False, True], [])]
    ['unscored', 'passed', 'passed']
    """
    limits = limits or QualityLimits()
    flags = [record.is_fresh_knowledge for record in evidence]
    share = sum(flags) / len(flags) if flags else None
    known = bool(fresh) and None not in fresh
    order = knowledge_order(fresh) if known else None
    unknown = "there is no chain" if not fresh else "a hop names no evidence that is known"
    last = fresh[-1] if fresh else None
    return (
        QualityCheck(
            "fresh_share",
            state_of(None if share is None else share >= limits.min_fresh_share),
            share,
            f"at least {limits.min_fresh_share:g}",
            "" if flags else "there is no evidence",
        ),
        QualityCheck(
            "knowledge_order",
            state_of(None if order is None else declared in (None, "", order)),
            {"evidence": order, "declared": declared},
            "the order that is declared, if one is",
            "" if known else unknown,
        ),
        QualityCheck(
            "last_hop_fresh",
            state_of(last if limits.last_hop_fresh or last is None else True),
            last,
            "the last hop is fresh" if limits.last_hop_fresh else "known, fresh or not",
            "" if last is not None else unknown,
        ),
    )
