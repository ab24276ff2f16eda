"""Writing: questions as the paper's contract has them, and what their chains get wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parse_model import with_door

from graphkit.errors import ModelReplyError
from graphkit.evidence import EvidenceRecord
from synthesis.advice import Advice
from synthesis.agents.construction import Hop, QaRecord, chain_faults, construct, revise
from synthesis.freshness import knowledge_order
from tests.synthesis.agents.small_web import blocks_of, turns

RECORDS = {
    f"e{n}": EvidenceRecord(
        evidence_id=f"e{n}",
        head_entity=f"h{n}",
        relation="r",
        tail_entity=f"t{n}",
        is_fresh_knowledge=n % 2 == 0,
        reliability="credible",
    )
    for n in range(4)
}
QA = {
    "id": "q1",
    "question": "Which\n river? ",
    "answer": " t1",
    "hop_count": 1,
    "knowledge_order": "nonfresh",
    "reasoning_chain": [
        {
            "hop": 1,
            "evidence_id": "e1",
            "entity": "t1",
            "relation": "r",
            "is_fresh_knowledge": False,
        }
    ],
}


def test_a_question_is_written_from_evidence_without_labels() -> None:
    """The author sees the fields of the contract and no verdicts of the filter."""

    async def work(door: Any) -> Any:
        records = list(RECORDS.values())
        return await construct(door, records, since="2026-01-01", min_hops=5, language="en")

    answered, server = with_door(turns(construct={"questions": [QA]}), work)
    (qa,) = answered.value.questions
    assert (qa.question, qa.answer) == ("Which river?", "t1")
    blocks = blocks_of(server.received[0])
    assert (blocks["min_hops"], blocks["since"]) == ("5", "2026-01-01")
    shown = json.loads(blocks["evidence_list"])
    assert [item["evidence_id"] for item in shown] == list(RECORDS)
    assert not {"reliability", "popularity"} & set(shown[0])


def test_a_revision_is_told_the_question_and_the_advice() -> None:
    """In the language of the run."""

    async def work(door: Any) -> Any:
        advice = Advice(kind="grow", problems=("few_edges",))
        qa = QaRecord.model_validate(QA)
        return await revise(door, [], qa, advice, language="zh", vote=3)

    answered, server = with_door(turns(revise={"questions": [QA, QA]}), work)
    assert len(answered.value.questions) == 2
    blocks = blocks_of(server.received[0])
    assert json.loads(blocks["advice"])["problems"] == ["few_edges"]
    assert json.loads(blocks["reasoning_chain"])[0]["evidence_id"] == "e1"


@pytest.mark.parametrize(
    "questions",
    [[], [{**QA, "question": " "}], [{**QA, "answer": ""}], [{**QA, "answer": None}], "Which?"],
)
def test_a_reply_without_a_question_is_asked_for_again_and_then_an_error(questions: Any) -> None:
    """Blank questions and answers are none."""

    async def work(door: Any) -> Any:
        return await construct(door, [], since="2026", min_hops=5, language="en")

    with pytest.raises(ModelReplyError):
        with_door(turns(construct={"questions": questions}), work)
    answered, _ = with_door(turns(construct=[{"questions": questions}, {"questions": [QA]}]), work)
    assert any("asked again" in repair for repair in answered.repairs)


@pytest.mark.parametrize("missing", ["id", "hop_count", "knowledge_order", "reasoning_chain"])
def test_fields_that_only_repeat_the_chain_may_be_missing(missing: str) -> None:
    """They are compared, not trusted."""
    qa = QaRecord.model_validate({key: value for key, value in QA.items() if key != missing})
    assert bool(chain_faults(qa, RECORDS)) is (missing in ("hop_count", "reasoning_chain"))


HOPS = st.lists(
    st.builds(
        Hop,
        hop=st.just(1),
        evidence_id=st.sampled_from([*RECORDS, "e9", ""]),
        entity=st.sampled_from(["h0", "t0", "T1", "h2", "x"]),
        is_fresh_knowledge=st.booleans(),
    ),
    max_size=4,
)


@given(hops=HOPS, count=st.integers(0, 4), order=st.sampled_from(["", "fresh", "fresh-nonfresh"]))
def test_every_fault_of_a_chain_is_told(hops: list[Hop], count: int, order: str):
    """Wrong counts, unknown evidence, entities it is not about, freshness and its order."""
    qa = QaRecord(
        question="Q?", answer="A", hop_count=count, knowledge_order=order, reasoning_chain=hops
    )
    expected = int(count != len(hops))
    for hop in hops:
        record = RECORDS.get(hop.evidence_id)
        if record is None:
            expected += 1
            continue
        expected += hop.entity.lower() not in (record.head_entity, record.tail_entity)
        expected += hop.is_fresh_knowledge != record.is_fresh_knowledge
    if order and all(hop.evidence_id in RECORDS for hop in hops):
        told = knowledge_order(RECORDS[hop.evidence_id].is_fresh_knowledge for hop in hops)
        expected += order != told
    assert len(chain_faults(qa, RECORDS)) == expected
