"""Replays imported questions on the evidence that came with them, and says what interferes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from graphkit.errors import GroundingError, Problem
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.grounding import resolve
from graphkit.question import QuestionGraph
from graphkit.witness import find_witness

__all__ = ["Interference", "Replay", "replay_questions"]


@dataclass(frozen=True, slots=True)
class Interference:
    """An answer beside the declared one, and the evidence of other questions that makes it one.

    Attributes:
        answer: Its name.
        evidence_ids: The records that support it and are not the question's own.
    """

    answer: str
    evidence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """What a question gives on a fact store.

    Attributes:
        question_id: The question.
        expected: Its declared answer.
        answers: The names of the answers found, sorted.
        found: Whether the declared answer is among them.
        interferences: The other answers.
        problems: Names that the store does not have.
    """

    question_id: str
    expected: str | None
    answers: tuple[str, ...]
    found: bool
    interferences: tuple[Interference, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the declared answer is the only one."""
        return self.found and not self.interferences

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "question_id": self.question_id,
            "expected": self.expected,
            "answers": list(self.answers),
            "found": self.found,
            "interferences": [
                {"answer": item.answer, "evidence_ids": list(item.evidence_ids)}
                for item in self.interferences
            ],
            "problems": [str(problem) for problem in self.problems],
        }


def replay_questions(graphs: Iterable[QuestionGraph], facts: FactStore) -> list[Replay]:
    """Answer questions and compare with their declared answers.

    Args:
        graphs: The questions; ``evidence_ids`` names the records that are a question's own.
        facts: The facts, for instance the evidence of all the questions together.

    Returns:
        One replay a question, in their order.
    """
    return [_replay(graph, facts) for graph in graphs]


def _replay(graph: QuestionGraph, facts: FactStore) -> Replay:
    name = graph.id or ""
    try:
        evaluation = evaluate(graph, facts)
    except GroundingError as error:
        return Replay(name, graph.answer, (), found=False, problems=error.problems)
    match = None if graph.answer is None else resolve(graph.answer, facts)
    expected = frozenset(match.entities) if match is not None else frozenset()
    others = []
    found = False
    for number in evaluation.answers.ids.tolist():
        if number in expected:
            found = True
            continue
        witness = find_witness(evaluation, number)
        ids = {
            evidence_id: None
            for fact in (witness.facts if witness is not None else ())
            for evidence_id in facts.evidence_ids(fact)
            if evidence_id not in graph.evidence_ids
        }
        others.append(Interference(facts.name(number), tuple(ids)))
    others.sort(key=lambda item: item.answer)
    return Replay(name, graph.answer, tuple(evaluation.names), found, tuple(others))
