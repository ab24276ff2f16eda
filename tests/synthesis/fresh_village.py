"""The village as evidence that was judged: fresh and other facts, retained and popular ones."""

from __future__ import annotations

import functools

from graphkit.evidence import EvidenceRecord
from graphkit.mutate import Rules
from graphkit.relations import RelationSheet
from synthesis.evidence_pool import EvidencePool, Popularity, Reliability
from synthesis.offers import Goals, Planner
from tests.synthesis.village import SHEET, records

OPEN_SHEET = RelationSheet.parse(SHEET.replace("complete = true\n", ""))
"""The sheet of the village, with nothing said to be complete."""

TYPES = {
    name: (relation.head_type, relation.tail_type)
    for name, relation in OPEN_SHEET.relations.items()
}


def judged(number: int, record: EvidenceRecord) -> EvidenceRecord:
    """A record with its types and a label: every seventh is well known, two of three are fresh."""
    head, tail = TYPES.get(record.relation, (None, None))
    fresh, known = number % 3 != 0, number % 7 == 0
    label = (
        {"reliability": Reliability.CREDIBLE}
        if fresh
        else {"popularity": Popularity.POPULAR if known else Popularity.NON_POPULAR}
    )
    return record.model_copy(
        update={
            "head_type": head,
            "tail_type": tail,
            "is_fresh_knowledge": fresh,
            **{name: value.value for name, value in label.items()},
        }
    )


@functools.cache
def pool() -> EvidencePool:
    """The pool of a seed in the village."""
    return EvidencePool(sheet=OPEN_SHEET).with_records(
        judged(number, record) for number, record in enumerate(records())
    )


@functools.cache
def planner(**changes: object) -> Planner:
    """A planner over the pool as the loop makes it; changes go into the goals."""
    return Planner(
        pool().facts,
        Goals(**changes),
        usable=frozenset(item.evidence_id for item in pool().retained),
        rules=Rules(complete_only=False, exclusion_complete=False),
    )
