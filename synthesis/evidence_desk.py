"""Where gathered evidence arrives: relations get their names, every item its label."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from graphkit.evidence import EvidenceRecord
from graphkit.relations import RelationSheet
from synthesis.agents.filtering import judge_popularity, judge_reliability
from synthesis.agents.gathering import Errand
from synthesis.agents.naming import name_evidence
from synthesis.evidence_pool import EvidencePool, wants_popularity, wants_reliability
from synthesis.loop_settings import LoopSettings
from synthesis.relation_names import RelationBook

__all__ = ["EvidenceDesk", "batches"]

T = TypeVar("T")


class EvidenceDesk:
    """The evidence of one seed, and what is done to what comes in.

    Attributes:
        pool: The judged evidence.
        book: The spellings of relations met so far.
    """

    def __init__(self, errand: Errand, settings: LoopSettings, sheet: RelationSheet) -> None:
        self.errand = errand
        self.settings = settings
        self.pool = EvidencePool(sheet=sheet)
        self.book = RelationBook(sheet)

    @property
    def mentions(self) -> Counter[str]:
        """How often each entity is named by what is retained."""
        return Counter(
            name for item in self.pool.retained for name in (item.head_entity, item.tail_entity)
        )

    async def take(
        self, records: Sequence[EvidenceRecord], *, popularity: bool = True
    ) -> dict[str, Any]:
        """Name, judge and keep new evidence; return what was done, for the journal.

        Args:
            records: Evidence that a page bears out.
            popularity: Whether evidence that is not fresh is asked about. Without it it counts as
                a fact, but no question is made of it.

        Raises:
            ModelError: The model gives no usable reply.
            BudgetError: A budget is spent.
        """
        new = [item for item in records if item.evidence_id not in self.pool.records]
        known = tuple(self.pool.records.values())
        named, self.book, naming = await name_evidence(
            self.errand.door, self.book, new, known, language=self.settings.language
        )
        self.pool = self.pool.with_records(named)
        recent = [item for item in self.pool.unjudged if wants_reliability(item)]
        reliability = await self._reliability(recent)
        others = [item for item in self.pool.unjudged if wants_popularity(item)]
        popular = await self._popularity(others) if popularity else []
        return {
            "new": len(new),
            "relations": {"repairs": list(naming.repairs), "refused": list(naming.refused)},
            "reliability": reliability,
            "popularity": popular,
            "pool": self.pool.counts(),
            "retained": len(self.pool.retained),
        }

    async def _reliability(self, records: list[EvidenceRecord]) -> list[dict[str, Any]]:
        groups = batches(records, self.settings.filter_batch)
        found = await _all(groups, lambda group: judge_reliability(self.errand, group))
        verdicts = [verdict for group in found for verdict in group]
        self.pool = self.pool.labelled(
            reliability={verdict.evidence_id: verdict.label for verdict in verdicts}
        )
        return [verdict.to_record() for verdict in verdicts]

    async def _popularity(self, records: list[EvidenceRecord]) -> list[dict[str, Any]]:
        groups = batches(records, self.settings.filter_batch)
        found = await _all(
            groups,
            lambda group: judge_popularity(
                self.errand.door, group, language=self.settings.language
            ),
        )
        self.pool = self.pool.labelled(
            popularity={
                item.evidence_id: verdict.label
                for group, verdict in zip(groups, found, strict=True)
                for item in group
            }
        )
        return [
            {
                "evidence_ids": [item.evidence_id for item in group],
                "label": verdict.label.value,
                "repairs": list(verdict.repairs),
            }
            for group, verdict in zip(groups, found, strict=True)
        ]


def batches(records: Iterable[EvidenceRecord], size: int) -> list[list[EvidenceRecord]]:
    """Return evidence in lists of one page and one relation, none longer than ``size``.

    >>> a, b = (EvidenceRecord(evidence_id=f"e{n}", head_entity=f"h{n}", relation="r",
    ...                        tail_entity="t", source_url="https://a.example") for n in (1, 2))
    >>> [len(group) for group in batches([a, b], 20)], [len(group) for group in batches([a, b], 1)]
    ([2], [1, 1])
    """
    groups: dict[tuple[str, str], list[EvidenceRecord]] = {}
    for item in records:
        groups.setdefault((item.source_url, item.relation), []).append(item)
    return [
        group[start : start + size]
        for group in groups.values()
        for start in range(0, len(group), size)
    ]


async def _all(
    groups: Sequence[list[EvidenceRecord]],
    work: Callable[[list[EvidenceRecord]], Awaitable[T]],
) -> list[T]:
    """Do the same for every group, side by side; results in the order of the groups.

    Where some fail the others still come to their end, since their calls are paid for; then the
    error of the first group that has one is raised, whichever came first in time.
    """
    found = await asyncio.gather(*(work(group) for group in groups), return_exceptions=True)
    results: list[T] = []
    for item in found:
        if isinstance(item, BaseException):
            raise item
        results.append(item)
    return results
