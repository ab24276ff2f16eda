"""Sheets for the human validation of a release: the three checks of EvoBrowseComp, C.1.

Experts judge (1) each evidence record of a question, (2) whether the question is consistent with
its evidence and unambiguous, (3) whether the answer can be inferred from the evidence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from graphkit.evidence import EvidenceRecord
from graphkit.question import QuestionGraph
from synthesis.release.content import ReleaseContent, named_evidence
from synthesis.spreadsheets import csv_text

__all__ = ["CHECKS", "COLUMNS", "sample_questions", "validation_sheets"]

CHECKS = ("evidence", "question", "answer")
"""The names of the three checks, as in the column ``check``."""

COLUMNS = (
    "item_id",
    "question_id",
    "language",
    "check",
    "to_judge",
    "question",
    "answer",
    "evidence",
    "source_url",
    "verdict",
    "comment",
    "after_discussion",
    "canary",
)
"""The columns of a sheet. Experts fill in ``verdict`` and ``comment``, then the one after."""

_TO_JUDGE = {
    "en": {
        "evidence": "Does the source page say this, or does it follow from the page? (yes/no)",
        "question": "Does the question agree with all its evidence, and does it have only one "
        "reading? (yes/no)",
        "answer": "Does the answer follow from the evidence? (yes/no)",
    },
    "zh": {
        "evidence": "来源网页是否说明了这一点，或能由网页推出？（是/否）",
        "question": "题目是否与全部证据一致，且只有一种读法？（是/否）",
        "answer": "答案能否由证据推出？（是/否）",
    },
}


def sample_questions(
    questions: Sequence[QuestionGraph], size: int, seed: int
) -> tuple[QuestionGraph, ...]:
    """Draw questions for validation: as many of each language, the same for the same seed.

    Whether a question is drawn hangs on its id, the seed and the other ids of its language only,
    so the order of the file makes no difference.

    Args:
        questions: All questions, each with an id.
        size: How many of each language; fewer where there are fewer.
        seed: Another seed draws others.

    Returns:
        Those drawn, in the order of the file.
    """
    drawn: set[str] = set()
    languages = sorted({graph.language or "unknown" for graph in questions})
    for language in languages:
        own = [str(g.id) for g in questions if (g.language or "unknown") == language]
        drawn.update(sorted(own, key=lambda ident: (_lot(seed, ident), ident))[:size])
    return tuple(graph for graph in questions if graph.id in drawn)


def _lot(seed: int, ident: str) -> str:
    return hashlib.sha256(f"validation:{seed}:{ident}".encode()).hexdigest()


def validation_sheets(
    content: ReleaseContent, *, size: int, seed: int = 0, canary: str = ""
) -> dict[str, str]:
    """Return the sheets of two experts, and one for their discussion, as CSV by file name.

    The sheets of both experts have the same rows. ``after_discussion`` holds what they agree on
    where their verdicts differ; it may be filled in in either sheet or in ``discussion.csv``.

    Args:
        content: What is released.
        size: How many questions of each language.
        seed: Which ones; see :func:`sample_questions`.
        canary: The sentence of the release.
    """
    records = content.by_id
    rows: list[dict[str, Any]] = []
    for graph in sample_questions(content.questions, size, seed):
        found = [records[ident] for ident in named_evidence(graph) if ident in records]
        rows += _rows(graph, found, canary)
    sheet = csv_text(COLUMNS, rows)
    return {"expert_1.csv": sheet, "expert_2.csv": sheet, "discussion.csv": sheet}


def _rows(
    graph: QuestionGraph, evidence: Sequence[EvidenceRecord], canary: str
) -> list[dict[str, Any]]:
    words = _TO_JUDGE["zh" if (graph.language or "").casefold().startswith("zh") else "en"]
    shared: Mapping[str, Any] = {
        "question_id": graph.id,
        "language": graph.language,
        "question": graph.question,
        "answer": graph.answer,
        "canary": canary,
    }
    every = "\n".join(f"{n}. {_claim(record)}" for n, record in enumerate(evidence, 1))
    sources = "\n".join(dict.fromkeys(r.source_url for r in evidence if r.source_url))
    rows = [
        {
            **shared,
            "item_id": _item_id(str(graph.id), "evidence", record.evidence_id),
            "check": "evidence",
            "to_judge": words["evidence"],
            "evidence": _claim(record, quote=True),
            "source_url": record.source_url,
        }
        for record in evidence
    ]
    rows += [
        {
            **shared,
            "item_id": _item_id(str(graph.id), check, ""),
            "check": check,
            "to_judge": words[check],
            "evidence": every,
            "source_url": sources,
        }
        for check in CHECKS[1:]
    ]
    return rows


def _claim(record: EvidenceRecord, *, quote: bool = False) -> str:
    claim = f"{record.head_entity} | {record.relation} | {record.tail_entity}"
    return (
        f"{claim}\n\u201c{record.evidence_text}\u201d" if quote and record.evidence_text else claim
    )


def _item_id(question: str, check: str, evidence: str) -> str:
    text = "\x1f".join((question, check, evidence))
    return f"{check[0]}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
