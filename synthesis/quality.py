"""Judges a finished question: its wording and privacy by a model, and all computed checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from graphkit.errors import ModelReplyError
from graphkit.evidence import EvidenceRecord
from graphkit.question import QuestionGraph
from synthesis.privacy import STRONG, find_private
from synthesis.prompting import Prompt, load_prompt
from synthesis.quality_checks import (
    QualityCheck,
    QualityLimits,
    QualityReport,
    QualityState,
    check_freshness,
    check_hops,
    check_length,
    hop_freshness,
    state_of,
)

if TYPE_CHECKING:
    from graphkit.models import ModelDoor

__all__ = [
    "PrivacyReply",
    "QualityCheck",
    "QualityLimits",
    "QualityReport",
    "QualityState",
    "TextReply",
    "assess_quality",
    "judge_privacy",
    "judge_text",
]


class TextReply(BaseModel):
    """The verdicts on the wording of a question (EvoBrowseComp, 2.2)."""

    model_config = ConfigDict(frozen=True)

    fluent: bool
    clear: bool
    unambiguous: bool
    reason: str = ""


class PrivacyReply(BaseModel):
    """Whether a question, its answer or its evidence would expose a person."""

    model_config = ConfigDict(frozen=True)

    private: bool
    reason: str = ""


_TEXT = (
    ("fluent", "grammatical, well-written sentences"),
    ("clear", "it is clear what is asked for"),
    ("unambiguous", "one reading, and an answer that fits it"),
)


async def judge_text(
    door: ModelDoor,
    question: str,
    answer: str,
    *,
    language: str = "en",
    vote: int = 0,
    agent: str = "quality",
) -> tuple[QualityCheck, ...]:
    """Ask a model whether a question is fluent, clear and unambiguous; three checks.

    Args:
        door: The door to the model.
        question: The question.
        answer: Its answer.
        language: The language of the prompt.
        vote: Which of several independent judgements this is.
        agent: Whose model settings are used.

    Raises:
        ModelError: The model cannot be asked. Replies of no use leave the checks unscored.
        BudgetError: There is no budget left.
    """
    messages = _prompt("quality", language).messages(question=question, answer=answer)
    try:
        reply = (await door.ask(agent, messages, TextReply, vote=vote)).value
    except ModelReplyError as error:
        return tuple(
            QualityCheck(name, QualityState.UNSCORED, None, expected, _words(error))
            for name, expected in _TEXT
        )
    return tuple(
        QualityCheck(
            name, state_of(getattr(reply, name)), getattr(reply, name), expected, reply.reason
        )
        for name, expected in _TEXT
    )


async def judge_privacy(
    door: ModelDoor,
    question: str,
    answer: str,
    evidence: Sequence[EvidenceRecord] = (),
    *,
    language: str = "en",
    vote: int = 0,
    agent: str = "privacy",
) -> QualityCheck:
    """Check that nothing would expose a person: by patterns and by a model, both recorded.

    It fails when the model says so, or when a pattern finds a number or an e-mail address. A
    street address alone may be that of an institution: there the model decides. Without a
    usable reply the check is unscored, unless a pattern has failed it already.

    Args:
        door: The door to the model.
        question: The question.
        answer: Its answer.
        evidence: The evidence that would be released with it.
        language: The language of the prompt.
        vote: Which of several independent judgements this is.
        agent: Whose model settings are used.

    Raises:
        ModelError: The model cannot be asked.
        BudgetError: There is no budget left.
    """
    texts = {"question": question, "answer": answer}
    for record in evidence:
        place = f"evidence {record.evidence_id}"
        texts[place] = record.evidence_text
        texts[f"{place}, names"] = f"{record.head_entity}\n{record.tail_entity}"
    matches = find_private(texts)
    messages = _prompt("privacy", language).messages(
        question=question,
        answer=answer,
        evidence_list=[_shown(record) for record in evidence],
    )
    said: bool | None = None
    try:
        reply = (await door.ask(agent, messages, PrivacyReply, vote=vote)).value
    except ModelReplyError as error:
        reason = _words(error)
    else:
        said, reason = reply.private, reply.reason
    strong = any(match.kind in STRONG for match in matches)
    return QualityCheck(
        "privacy",
        state_of(False if strong or said else None if said is None else True),
        {"patterns": [match.to_record() for match in matches], "model": said},
        "nothing that would expose a person",
        reason,
    )


def _prompt(role: str, language: str) -> Prompt:
    return load_prompt(role, "zh" if language.casefold().startswith("zh") else "en")


def _shown(record: EvidenceRecord) -> dict[str, str]:
    return {
        "evidence_id": record.evidence_id,
        "head_entity": record.head_entity,
        "relation": record.relation,
        "tail_entity": record.tail_entity,
        "evidence_text": record.evidence_text,
    }


def _words(error: ModelReplyError) -> str:
    return "; ".join(problem.message for problem in error.problems)


async def assess_quality(
    door: ModelDoor,
    question: str,
    answer: str,
    *,
    graph: QuestionGraph | None = None,
    evidence: Sequence[EvidenceRecord] = (),
    chain: Sequence[Mapping[str, Any]] = (),
    declared_hops: int | None = None,
    declared_order: str | None = None,
    language: str = "en",
    limits: QualityLimits | None = None,
    vote: int = 0,
    agent: str | None = None,
) -> QualityReport:
    """Run every check of a finished question.

    Args:
        door: The door to the model.
        question: The question.
        answer: Its answer.
        graph: Its graph.
        evidence: Its evidence.
        chain: Its reasoning chain, as plain data.
        declared_hops: The ``hop_count`` that the agent declared.
        declared_order: The ``knowledge_order`` that it declared.
        language: The language of the question.
        limits: What it is held to.
        vote: Which of several independent judgements this is.
        agent: Whose model settings are used; by default those of ``quality`` and ``privacy``.

    Raises:
        ModelError: The model cannot be asked.
        BudgetError: There is no budget left.
    """
    records = {record.evidence_id: record for record in evidence}
    text = await judge_text(
        door, question, answer, language=language, vote=vote, agent=agent or "quality"
    )
    privacy = await judge_privacy(
        door, question, answer, evidence, language=language, vote=vote, agent=agent or "privacy"
    )
    return QualityReport(
        (
            *text,
            privacy,
            check_length(question, limits),
            check_hops(graph, limits, declared=declared_hops),
            *check_freshness(
                hop_freshness(chain, records), evidence, limits, declared=declared_order
            ),
        )
    )
