"""The writing half of the QA synthesis agent: evidence in, a question with its chain out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord, nfc
from synthesis.freshness import knowledge_order
from synthesis.prompting import load_prompt

if TYPE_CHECKING:
    from graphkit.models import Answered, ModelDoor
    from synthesis.advice import Advice

__all__ = ["Hop", "QaRecord", "chain_faults", "construct", "evidence_lines", "revise"]


class Hop(BaseModel):
    """One step of a reasoning chain: EvoBrowseComp, A.2."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    hop: int = 0
    evidence_id: str = ""
    entity: str = ""
    relation: str = ""
    is_fresh_knowledge: bool = False


class QaRecord(BaseModel):
    """A question with its answer and its chain: the QA contract of EvoBrowseComp, A.2."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: str = ""
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)
    hop_count: int = 0
    knowledge_order: str = ""
    reasoning_chain: tuple[Hop, ...] = ()

    @field_validator("question", "answer")
    @classmethod
    def _clean(cls, value: str) -> str:
        value = " ".join(nfc(value).split())
        if not value:
            raise ValueError("must not be blank")
        return value

    def chain(self) -> list[dict[str, Any]]:
        """Return the chain as plain data."""
        return [hop.model_dump() for hop in self.reasoning_chain]


class QaReply(BaseModel):
    """What the agent replies."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    questions: tuple[QaRecord, ...] = Field(min_length=1)


def evidence_lines(records: Iterable[EvidenceRecord]) -> list[dict[str, Any]]:
    """Return evidence as the agents see it: the fields of the contract, no labels."""
    return [
        {
            "evidence_id": item.evidence_id,
            "head_entity": item.head_entity,
            "relation": item.relation,
            "tail_entity": item.tail_entity,
            "evidence_text": item.evidence_text,
            "source_url": item.source_url,
            "is_fresh_knowledge": item.is_fresh_knowledge,
            **({"head_type": item.head_type} if item.head_type else {}),
            **({"tail_type": item.tail_type} if item.tail_type else {}),
        }
        for item in records
    ]


async def construct(
    door: ModelDoor,
    records: Sequence[EvidenceRecord],
    *,
    since: str,
    min_hops: int,
    language: str,
    vote: int = 0,
) -> Answered[QaReply]:
    """Ask for a first question about the evidence: EvoBrowseComp, 2.1 (2).

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    messages = load_prompt("construct", language).messages(
        evidence_list=evidence_lines(records), since=since, min_hops=str(min_hops)
    )
    return await door.ask("construct", messages, QaReply, vote=vote)


async def revise(
    door: ModelDoor,
    records: Sequence[EvidenceRecord],
    qa: QaRecord,
    advice: Advice,
    *,
    language: str,
    vote: int = 0,
) -> Answered[QaReply]:
    """Ask for the question as advised: one step of the iteration of EvoBrowseComp, 2.1.

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    messages = load_prompt("revise", language).messages(
        evidence_list=evidence_lines(records),
        question=qa.question,
        answer=qa.answer,
        reasoning_chain=qa.chain(),
        advice=advice.told(),
    )
    return await door.ask("revise", messages, QaReply, vote=vote)


def chain_faults(qa: QaRecord, records: Mapping[str, EvidenceRecord]) -> list[str]:
    """Return what a reasoning chain says that the evidence does not.

    Args:
        qa: The question.
        records: The evidence by id.

    >>> qa = QaRecord(question="Which?", answer="Paris", hop_count=2, reasoning_chain=[
    ...     Hop(hop=1, evidence_id="e9", entity="Paris", relation="capital")])
    >>> chain_faults(qa, {})
    ['hop_count is 2, the chain has 1', 'hop 1 rests on e9, which is no evidence']
    """
    found = []
    chain = qa.reasoning_chain
    if qa.hop_count != len(chain):
        found.append(f"hop_count is {qa.hop_count}, the chain has {len(chain)}")
    fresh: list[bool] = []
    for place, hop in enumerate(chain, 1):
        record = records.get(hop.evidence_id)
        if record is None:
            found.append(
                f"hop {place} rests on {hop.evidence_id or 'nothing'}, which is no evidence"
            )
            continue
        fresh.append(record.is_fresh_knowledge)
        if fold(hop.entity) not in (fold(record.head_entity), fold(record.tail_entity)):
            found.append(
                f"hop {place} leads to {hop.entity!r}, which {hop.evidence_id} is not about"
            )
        if hop.is_fresh_knowledge != record.is_fresh_knowledge:
            told = str(hop.is_fresh_knowledge).lower()
            found.append(f"hop {place} is_fresh_knowledge {told}, the evidence says otherwise")
    if qa.knowledge_order and len(fresh) == len(chain):
        order = knowledge_order(fresh)
        if qa.knowledge_order.replace(" ", "") != order:
            found.append(f"knowledge_order is {qa.knowledge_order!r}, the chain has {order!r}")
    return found
