"""The record of a finished question: graph, checks, history, and what it all rests on."""

from __future__ import annotations

from typing import Any

from graphkit.checks import CheckReport
from graphkit.evaluate import evaluate
from graphkit.facts import Fact, FactStore
from graphkit.grounding import resolve
from graphkit.question import QuestionGraph
from graphkit.witness import find_witness
from synthesis.agents.construction import Hop, QaRecord
from synthesis.freshness import knowledge_order
from synthesis.lineage import Lineage
from synthesis.seeds import Seed

__all__ = ["finished_record", "proof_record", "proved_chain", "witness_facts"]


def witness_facts(graph: QuestionGraph, facts: FactStore) -> tuple[Fact, ...]:
    """Return the facts behind the declared answer, sources before targets."""
    return tuple(_led_to(graph, facts))


def _led_to(graph: QuestionGraph, facts: FactStore) -> dict[Fact, int]:
    """Return the facts behind the declared answer, and what each of them leads to."""
    evaluation = evaluate(graph, facts)
    match = resolve(graph.answer or "", facts)
    numbers = [n for n in (match.entities if match else ()) if n in evaluation.answers]
    found: dict[Fact, int] = {}
    for step in find_witness(evaluation, numbers[0]).steps if numbers else ():
        if step.fact is not None:
            found.setdefault(step.fact, step.entity)
    return found


def proved_chain(graph: QuestionGraph, facts: FactStore) -> tuple[Hop, ...]:
    """Return the reasoning chain that the evidence proves: the witness of the answer, in order.

    Unlike the chain that an author declares it cannot be wrong: it is read off the facts. The
    entity of a hop is what the hop leads to: the head of its fact, where the question follows the
    relation backward.

    Args:
        graph: A question whose declared answer is an answer.
        facts: The evidence.
    """
    hops = []
    for place, (fact, entity) in enumerate(_led_to(graph, facts).items(), 1):
        ids = facts.evidence_ids(fact)
        hops.append(
            Hop(
                hop=place,
                evidence_id=ids[0] if ids else "",
                entity=facts.name(entity),
                relation=facts.in_names(fact).relation,
                is_fresh_knowledge=bool(facts.is_fresh(fact)),
            )
        )
    return tuple(hops)


def finished_record(
    seed: Seed,
    qa: QaRecord,
    lineage: Lineage,
    report: CheckReport,
    facts: FactStore,
    *,
    language: str,
    iteration: int,
    more: dict[str, Any],
) -> dict[str, Any]:
    """Return a finished question as one record.

    Args:
        seed: The seed.
        qa: The question as the author gave it.
        lineage: Its graph and its history.
        report: The last checks.
        facts: The evidence that they were made on.
        language: ``en`` or ``zh``.
        iteration: How many questions it took.
        more: What else the loop tells: rival search, quality, agreement.
    """
    proof = proof_record(lineage.graph, facts)
    graph = lineage.graph.replace(
        id=seed.id.replace("s", "q", 1),
        language=language,
        domain=seed.primary or None,
        subdomain=seed.secondary or None,
        iteration=iteration,
        evidence_ids=tuple(proof["evidence_ids"]),
    )
    return {
        **graph.to_record(),
        **proof,
        "checks": report.to_record(),
        "history": [mutation.to_record() for mutation in lineage.history],
        "synthesis": {
            "seed": seed.model_dump(mode="json", exclude_none=True),
            "rewritten": lineage.rewritten,
            "declared_chain": qa.chain(),
            **more,
        },
    }


def proof_record(graph: QuestionGraph, facts: FactStore) -> dict[str, Any]:
    """Return what of a record is read off the facts behind the answer.

    Args:
        graph: A question whose declared answer is an answer.
        facts: The evidence.

    Returns:
        ``evidence_ids``, ``hop_count``, ``knowledge_order`` and ``reasoning_chain``.
    """
    chain = proved_chain(graph, facts)
    behind = witness_facts(graph, facts)
    ids = dict.fromkeys(item for fact in behind for item in facts.evidence_ids(fact))
    return {
        "evidence_ids": list(ids),
        "hop_count": len(chain),
        "knowledge_order": knowledge_order([hop.is_fresh_knowledge for hop in chain]),
        "reasoning_chain": [hop.model_dump() for hop in chain],
    }
