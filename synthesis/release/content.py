"""What goes into a release: finished questions with ids, and only the evidence that they use."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphkit.errors import FormatError, InputError, Problem
from graphkit.evidence import EvidenceRecord
from graphkit.formats.evidence import evidence_record, read_evidence
from graphkit.formats.reading import Broken, Record
from graphkit.formats.registry import read_questions
from graphkit.question import QuestionGraph

if TYPE_CHECKING:
    from graphkit.stores.base import GraphStore

__all__ = [
    "ReleaseContent",
    "content_of_run",
    "content_of_store",
    "gather_content",
    "named_evidence",
]


@dataclass(frozen=True, slots=True)
class ReleaseContent:
    """Questions and the evidence that they use.

    Attributes:
        questions: The questions in their order, each with an id of its own.
        evidence: The evidence that they name, in the order in which it is first named.
        missing: Evidence that they name and that was not given: (question id, evidence id).
        unsupported: The ids of questions that name no evidence at all.
    """

    questions: tuple[QuestionGraph, ...]
    evidence: tuple[EvidenceRecord, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    unsupported: tuple[str, ...] = ()

    @property
    def by_id(self) -> dict[str, EvidenceRecord]:
        """The evidence by id."""
        return {record.evidence_id: record for record in self.evidence}


def named_evidence(graph: QuestionGraph) -> tuple[str, ...]:
    """Return the ids of the evidence that a question names, in ``evidence_ids`` or its chain."""
    chain = (graph.model_extra or {}).get("reasoning_chain")
    hops = chain if isinstance(chain, list) else []
    named = [hop.get("evidence_id") for hop in hops if isinstance(hop, dict)]
    return tuple(
        dict.fromkeys((*graph.evidence_ids, *(i for i in named if isinstance(i, str) and i)))
    )


def gather_content(
    graphs: Iterable[QuestionGraph],
    records: Mapping[str, EvidenceRecord] | None = None,
    *,
    histories: Mapping[str, Any] | None = None,
    checks: Mapping[str, Any] | None = None,
) -> ReleaseContent:
    """Put together what is released.

    A question without an id is given one by its place. Evidence that a question brings along
    under ``evidence`` moves to the evidence.

    Args:
        graphs: The questions.
        records: Evidence by id; what no question names is left out.
        histories: Mutations by question id, for questions that do not bring their own.
        checks: Verdicts by question id, likewise.

    Raises:
        InputError: There is no question, or two have the same id.
        FormatError: Evidence that a question brings along is none.
    """
    known = dict(records or {})
    questions: list[QuestionGraph] = []
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    for place, graph in enumerate(graphs, 1):
        name = graph.id or f"q{place:05d}"
        first = seen.setdefault(name, place)
        if first != place:
            problems.append(
                Problem(
                    f"the id is that of question number {first} already, expected each id once",
                    code="duplicate_question",
                    subject=f"question {name}",
                )
            )
            continue
        changes: dict[str, Any] = {"id": name}
        extra = dict(graph.model_extra or {})
        for item in _brought(extra.get("evidence"), name, problems):
            known.setdefault(item.evidence_id, item)
        for key, values in (("history", histories), ("checks", checks)):
            if key not in extra and values and name in values:
                changes[key] = values[name]
        if "evidence" in extra or "canary" in extra:
            left = {k: v for k, v in extra.items() if k not in ("evidence", "canary")}
            fields = {field: getattr(graph, field) for field in QuestionGraph.model_fields}
            graph = QuestionGraph(**{**fields, **left})
        questions.append(graph.replace(**changes))
    if problems:
        raise InputError(problems)
    if not questions:
        raise InputError(Problem("there are no questions to release", code="empty"))
    used: dict[str, EvidenceRecord] = {}
    missing: list[tuple[str, str]] = []
    unsupported: list[str] = []
    for graph in questions:
        named = named_evidence(graph)
        if not named:
            unsupported.append(str(graph.id))
        for ident in named:
            if ident in known:
                used.setdefault(ident, _without_canary(known[ident]))
            else:
                missing.append((str(graph.id), ident))
    return ReleaseContent(
        tuple(questions), tuple(used.values()), tuple(missing), tuple(unsupported)
    )


def _brought(value: Any, question: str, problems: list[Problem]) -> Iterator[EvidenceRecord]:
    for place, data in enumerate(value if isinstance(value, list) else [], 1):
        found: EvidenceRecord | Broken = Broken((Problem("expected an evidence record"),))
        if isinstance(data, dict):
            found = evidence_record(Record(data, f"question {question}", 1, place))
        if isinstance(found, Broken):
            problems += [
                Problem(
                    item.message,
                    code=item.code,
                    subject=f"question {question}, evidence number {place}",
                )
                for item in found.problems
            ]
        else:
            yield found


def _without_canary(record: EvidenceRecord) -> EvidenceRecord:
    if "canary" not in (record.model_extra or {}):
        return record
    data = record.model_dump(mode="json", exclude_unset=True)
    data.pop("canary")
    return EvidenceRecord.model_validate(data)


def content_of_store(store: GraphStore) -> ReleaseContent:
    """Return the questions of a store with their histories, verdicts and evidence.

    Raises:
        InputError: There are no questions in it.
    """
    from graphkit import stores

    return gather_content(
        stores.read_questions(store),
        stores.read_evidence(store),
        histories=dict(stores.read_histories(store)),
        checks=dict(stores.read_checks(store)),
    )


def content_of_run(
    folder: str | os.PathLike[str],
    records: Mapping[str, EvidenceRecord] | None = None,
    graphs: Sequence[QuestionGraph] | None = None,
) -> ReleaseContent:
    """Return the finished questions of a run folder, with the evidence that is kept there.

    Args:
        folder: The run folder: ``questions.jsonl``, and ``evidence.jsonl`` where the questions do
            not bring their evidence along.
        records: Further evidence by id.
        graphs: The questions, where they were read already.

    Raises:
        FormatError: There is no ``questions.jsonl``, or a file is not what it should be.
    """
    place = Path(folder)
    questions = place / "questions.jsonl"
    if graphs is None:
        if not questions.is_file():
            raise FormatError(
                Problem(
                    "there is no questions.jsonl, expected the folder of a run that has ended",
                    code="missing",
                    file=str(place),
                )
            )
        graphs = list(read_questions(questions))
    found = dict(records or {})
    evidence = place / "evidence.jsonl"
    if evidence.is_file():
        for record in read_evidence(evidence):
            found.setdefault(record.evidence_id, record)
    return gather_content(graphs, found)
