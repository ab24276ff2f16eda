"""Which part of the evidence an author is shown: what is near the seed, what a change rests on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from graphkit.entities import fold
from graphkit.errors import GraphkitError
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from synthesis.finishing import witness_facts

__all__ = ["behind", "near"]


def near(records: Sequence[EvidenceRecord], seed: str, *, limit: int) -> list[EvidenceRecord]:
    """Return the evidence nearest to an entity: facts about it, about what these name, and so on.

    Args:
        records: The evidence.
        seed: The name of the entity.
        limit: At most how many; what no chain joins to the entity comes last.

    >>> a, b, c = (EvidenceRecord(evidence_id=i, head_entity=h, relation="r", tail_entity=t)
    ...            for i, h, t in (("e1", "C", "D"), ("e2", "B", "C"), ("e3", "A", "B")))
    >>> [record.evidence_id for record in near([a, b, c], "A", limit=2)]
    ['e3', 'e2']
    """
    about: dict[str, list[EvidenceRecord]] = {}
    for record in records:
        for name in (record.head_entity, record.tail_entity):
            about.setdefault(fold(name), []).append(record)
    found: dict[str, EvidenceRecord] = {}
    queue, seen = deque([fold(seed)]), {fold(seed)}
    while queue and len(found) < limit:
        for record in about.get(queue.popleft(), ()):
            found.setdefault(record.evidence_id, record)
            for name in (fold(record.head_entity), fold(record.tail_entity)):
                if name not in seen:
                    seen.add(name)
                    queue.append(name)
    for record in records:
        found.setdefault(record.evidence_id, record)
    return list(found.values())[:limit]


def behind(
    records: Sequence[EvidenceRecord],
    facts: FactStore,
    graphs: Iterable[QuestionGraph],
    ids: Iterable[str] = (),
    *,
    limit: int,
) -> list[EvidenceRecord]:
    """Return the evidence behind the answers of some questions, and that of some ids.

    Args:
        records: The evidence that may be shown.
        facts: All facts.
        graphs: Questions; one that does not have its declared answer adds nothing.
        ids: Further evidence, the most important first.
        limit: At most how many.
    """
    wanted: dict[str, None] = {}
    for graph in graphs:
        try:
            proof = witness_facts(graph, facts)
        except GraphkitError:  # not grounded on these facts, so that nothing is behind it
            continue
        wanted.update(dict.fromkeys(item for fact in proof for item in facts.evidence_ids(fact)))
    wanted.update(dict.fromkeys(ids))
    shown = {record.evidence_id: record for record in records}
    return [shown[item] for item in wanted if item in shown][:limit]
