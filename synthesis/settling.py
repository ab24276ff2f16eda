"""What becomes of finished questions when all evidence of a run is laid together."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.mutate import rewrite
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.entity_kinds import JoinedKinds, OpenKinds
from synthesis.evidence_pool import spelled_alike
from synthesis.finishing import proof_record
from synthesis.offers import Goals
from synthesis.readings import EvidenceReading, open_readings
from synthesis.relation_links import join_relations

__all__ = ["Settled", "settle"]

AS_WRITTEN = "as written"


@dataclass(frozen=True)
class Settled:
    """The questions that still stand, and those that do not.

    Attributes:
        questions: Records of the questions that hold on all evidence together.
        set_aside: Records of those that no longer do, each with what it lacks under
            ``synthesis.lacks_on_all_evidence``, and ``synthesis.lacks_read`` says in which reading.
        evidence: All evidence, each record once: that of the finished questions first, each in
            the order of the seeds.
        identity: What was taken for one and the same thing: ``readings``, ``relations``,
            ``types_joined``, ``types_open``.
    """

    questions: tuple[dict[str, Any], ...]
    set_aside: tuple[dict[str, Any], ...]
    evidence: tuple[EvidenceRecord, ...]
    identity: dict[str, Any] = field(default_factory=dict)


def settle(
    finished: Sequence[tuple[dict[str, Any], Iterable[EvidenceRecord]]],
    sheet: RelationSheet,
    goals: Goals,
    *,
    others: Iterable[Iterable[EvidenceRecord]] = (),
    told: Callable[[int, int], None] | None = None,
) -> Settled:
    """Check every finished question again, on the evidence of all seeds together.

    Each was checked on what was found for its own seed; what another seed brought in may hold a
    rival, perhaps under another name of the relation or another type of the entity. So evidence is
    read in several ways, as far as they differ: as it is written, where a name that is borne out
    to be one entity has one type; with nothing joined; with relations joined that are shown to be
    one; with types that choose nothing unless they surely tell things apart; and with both. A
    question stands only if it stands in every one of them: joining what is two may bring in a false
    answer, and not joining what is one may hide a rival.

    The checks in the records are replaced by those on all evidence as it is written, in which the
    evidence is published (of a question that fails, by those of the first reading in which it
    does), and what is read off the facts behind the answer with them.

    Args:
        finished: Question records, each with the evidence that it was checked on.
        sheet: The relation sheet.
        goals: What a finished question must be.
        others: The evidence of each seed that gave no question.
        told: Called with how many are done, of how many.
    """
    own = [spelled_alike(evidence) for _, evidence in finished]
    rest = [list(evidence) for evidence in others]
    apart = spelled_alike(_laid_together(itertools.chain(*own, *rest)).values())
    relations = join_relations((*own, *rest), sheet)
    wider = relations.sheet(sheet) if relations.classes else sheet
    joined = JoinedKinds.of(apart, wider)
    laid = spelled_alike(joined.read(apart)) if joined.change else apart
    kinds = OpenKinds.of(laid, wider)
    readings = [
        EvidenceReading(AS_WRITTEN, FactStore.from_evidence(laid, sheet)),
        *open_readings(laid, sheet, wider, kinds, apart=apart, joined=joined),
    ]
    identity = {
        "readings": [reading.name for reading in readings],
        "relations": relations.to_record(),
        "types_joined": joined.to_record(),
        "types_open": kinds.to_record(),
    }
    kept: list[dict[str, Any]] = []
    aside: list[dict[str, Any]] = []
    for place, (record, _) in enumerate(finished):
        settled, stands = _settled(_retyped(record, joined), readings, goals)
        (kept if stands else aside).append(settled)
        if told is not None:
            told(place + 1, len(finished))
    return Settled(tuple(kept), tuple(aside), tuple(laid), identity)


def _retyped(record: dict[str, Any], joined: JoinedKinds) -> dict[str, Any]:
    """Return a question with the types of the evidence as it is published, and how it came to."""
    graph = QuestionGraph.model_validate(record)
    after = joined.asked(graph)
    if after.nodes == graph.nodes:
        return record
    step = rewrite(graph, after, reason="The same question with the types of all evidence.")
    history = [*record.get("history", ()), step.to_record()]
    return {**record, "nodes": after.to_record()["nodes"], "history": history}


def _settled(
    record: dict[str, Any], readings: Sequence[EvidenceReading], goals: Goals
) -> tuple[dict[str, Any], bool]:
    """Return the record of a question after the last check, and whether it stands."""
    graph = QuestionGraph.model_validate(record)
    for reading in readings:
        standing = reading.standing(graph, goals)
        if standing.missing:
            lacks = {
                **record["synthesis"],
                "lacks_on_all_evidence": list(standing.missing),
                "lacks_read": reading.name,
            }
            return {**record, "checks": standing.report.to_record(), "synthesis": lacks}, False
        if reading is readings[0]:
            checks = standing.report.to_record()
    return {**record, **proof_record(graph, readings[0].facts), "checks": checks}, True


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
