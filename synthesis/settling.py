"""What becomes of finished questions when all evidence of a run is laid together."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.evidence_pool import same_names, same_types
from synthesis.offers import Goals, Standing

__all__ = ["Settled", "settle"]


@dataclass(frozen=True)
class Settled:
    """The questions that still stand, and those that do not.

    Attributes:
        questions: Records of the questions that hold on all evidence together.
        set_aside: Records of those that no longer do, each with what it lacks under
            ``synthesis.lacks_on_all_evidence``.
        evidence: All evidence, each record once: that of the finished questions first, each in
            the order of the seeds.
    """

    questions: tuple[dict[str, Any], ...]
    set_aside: tuple[dict[str, Any], ...]
    evidence: tuple[EvidenceRecord, ...]


def settle(
    finished: Sequence[tuple[dict[str, Any], Iterable[EvidenceRecord]]],
    sheet: RelationSheet,
    goals: Goals,
    *,
    others: Iterable[EvidenceRecord] = (),
    told: Callable[[int, int], None] | None = None,
) -> Settled:
    """Check every finished question again, on the evidence of all seeds together.

    Each was checked on what was found for its own seed; what another seed brought in may hold a
    rival. The checks in the records are replaced by those on all evidence.

    Args:
        finished: Question records, each with the evidence that it was checked on.
        sheet: The relation sheet.
        goals: What a finished question must be.
        others: The evidence of seeds that gave no question.
        told: Called with how many are done, of how many.
    """
    own = (same_names(same_types(list(evidence))) for _, evidence in finished)
    records = _laid_together(itertools.chain(*own, others))
    laid = same_names(same_types(list(records.values())))
    facts = FactStore.from_evidence(laid, sheet)
    kept, aside = [], []
    for place, (record, _) in enumerate(finished):
        graph = QuestionGraph.model_validate(record)
        standing = Standing.of(graph, facts, goals)
        settled = {**record, "checks": standing.report.to_record()}
        if standing.missing:
            lacks = {**record["synthesis"], "lacks_on_all_evidence": list(standing.missing)}
            aside.append({**settled, "synthesis": lacks})
        else:
            kept.append(settled)
        if told is not None:
            told(place + 1, len(finished))
    return Settled(tuple(kept), tuple(aside), tuple(laid))


def _laid_together(evidence: Iterable[EvidenceRecord]) -> dict[str, EvidenceRecord]:
    """Return evidence by id, the same claim from the same page once.

    Two seeds may have read the relation of one claim as two names, or its ends as two kinds of
    thing, each on facts of its own. Then both are kept, the later one under an id of its own: a
    question is not to lose its facts.
    """
    records: dict[str, EvidenceRecord] = {}
    for item in evidence:
        if _claim(records.setdefault(item.evidence_id, item)) == _claim(item):
            continue
        digest = hashlib.sha256("\n".join(_claim(item)).encode()).hexdigest()[:6]
        own = f"{item.evidence_id}-{digest}"
        records.setdefault(own, item.model_copy(update={"evidence_id": own}))
    return records


def _claim(record: EvidenceRecord) -> tuple[str, ...]:
    kinds = record.head_type or "", record.tail_type or ""
    return record.head_entity, record.relation, record.tail_entity, *kinds
