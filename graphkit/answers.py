"""The answers of a question in names: why each is one, and where others were lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from graphkit.errors import GroundingError, Problem, did_you_mean
from graphkit.evaluate import Evaluation, evaluate
from graphkit.facts import Fact, FactStore
from graphkit.grounding import Grounding, ground, resolve
from graphkit.patterns import canonical_key
from graphkit.question import QuestionGraph
from graphkit.witness import Loss, Step, find_loss, find_witness

__all__ = ["AnswerReport", "NamedLoss", "NamedWitness", "answer_question"]
__all__ += ["require_entities"]


@dataclass(frozen=True)
class NamedWitness:
    """Why one entity is an answer, in names.

    Attributes:
        answer: The answer.
        steps: The reasons, sources before targets.
        facts: The fact store, for names.
    """

    answer: str
    steps: tuple[Step, ...]
    facts: FactStore

    def to_record(self) -> dict[str, Any]:
        """Return the witness as plain data: its facts, then every step."""
        used = dict.fromkeys(step.fact for step in self.steps if step.fact is not None)
        return {
            "answer": self.answer,
            "facts": [self._fact(fact) for fact in used],
            "steps": [
                {
                    "node_id": step.node_id,
                    "entity": self.facts.name(step.entity),
                    "kind": step.kind,
                    "edge_id": step.edge_id,
                }
                for step in self.steps
            ],
        }

    def _fact(self, fact: Fact) -> dict[str, Any]:
        head, relation, tail = self.facts.in_names(fact)
        return {
            "head": head,
            "relation": relation,
            "tail": tail,
            "evidence_ids": list(self.facts.evidence_ids(fact)),
        }


@dataclass(frozen=True)
class NamedLoss:
    """Why an entity is no answer: the first node that lost it; or that it is one.

    Attributes:
        name: The entity.
        loss: Where it was lost; None for an answer.
    """

    name: str
    loss: Loss | None

    def to_record(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "entity": self.name,
            "is_answer": self.loss is None,
            "node_id": None if self.loss is None else self.loss.node_id,
            "edge_id": None if self.loss is None else self.loss.edge_id,
            "reason": None if self.loss is None else self.loss.reason,
        }


@dataclass(frozen=True)
class AnswerReport:
    """The answers of one question.

    Attributes:
        question_id: The question's id, else its canonical key.
        answers: Their names, sorted.
        warnings: Names of the question that match several entities.
        witnesses: Why each is an answer; None when nobody asked.
        losses: Where others were lost; None when nobody asked.
    """

    question_id: str
    answers: tuple[str, ...]
    warnings: tuple[Problem, ...] = ()
    witnesses: tuple[NamedWitness, ...] | None = None
    losses: tuple[NamedLoss, ...] | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the report as plain data, in the published shape."""
        record: dict[str, Any] = {
            "question_id": self.question_id,
            "answers": list(self.answers),
            "count": len(self.answers),
            "warnings": [str(warning) for warning in self.warnings],
        }
        if self.witnesses is not None:
            record["witnesses"] = [witness.to_record() for witness in self.witnesses]
        if self.losses is not None:
            record["why_not"] = [loss.to_record() for loss in self.losses]
        return record


def answer_question(
    graph: QuestionGraph,
    facts: FactStore,
    *,
    explain: bool = False,
    why_not: Iterable[str] = (),
    found: Iterable[str] | None = None,
    grounding: Grounding | None = None,
    materialize_universe: bool = False,
) -> AnswerReport:
    """Answer a question exactly.

    Args:
        graph: The question graph.
        facts: The facts.
        explain: Give the facts behind every answer.
        why_not: Names of entities; for each the first node that lost it.
        found: The answers as another engine gave them; by default they are evaluated here.
        grounding: How the graph's names are read, if that is known already.
        materialize_universe: As for :func:`graphkit.evaluate.evaluate`.

    Raises:
        GroundingError: A name or a relation is not in the facts, one of ``why_not`` included.
        UnsafeGraphError: The root is a complement, and ``materialize_universe`` is not set.

    >>> from graphkit.question import Edge, Node
    >>> facts = FactStore.from_triples([("France", "borders", "Spain"), ("Chad", "in", "Africa")])
    >>> graph = QuestionGraph(id="q", root_node_id="n1", nodes=[
    ...     Node(node_id="n0", known_entities=["France"]), Node(node_id="n1")], edges=[
    ...     Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...          relation="borders", direction="forward")])
    >>> report = answer_question(graph, facts, why_not=["Chad"])
    >>> report.answers, report.losses[0].loss.reason
    (('Spain',), "no fact of relation 'borders' has Chad as its tail")
    """
    grounding = grounding or ground(graph, facts)
    evaluation = None
    asked = tuple(why_not)
    if found is None or explain or asked:
        evaluation = evaluate(
            graph, facts, grounding=grounding, materialize_universe=materialize_universe
        )
        found = evaluation.names if found is None else found
    return AnswerReport(
        question_id=graph.id or canonical_key(graph),
        answers=tuple(found),
        warnings=grounding.warnings,
        witnesses=_witnesses(evaluation) if explain and evaluation else None,
        losses=_losses(evaluation, asked) if asked and evaluation else None,
    )


def _witnesses(evaluation: Evaluation) -> tuple[NamedWitness, ...]:
    facts = evaluation.facts
    numbers = sorted(
        evaluation.answers.ids.tolist(), key=lambda number: (facts.name(number), number)
    )
    return tuple(
        NamedWitness(facts.name(number), find_witness(evaluation, number).steps, facts)
        for number in numbers
    )


def require_entities(names: Iterable[str], facts: FactStore) -> None:
    """Check that names are those of entities.

    Raises:
        GroundingError: Some are not, all of them at once.
    """
    unknown = [
        Problem(
            f"{name!r} is not an entity of the facts{did_you_mean(name, facts.index.exact)}",
            code="unresolved_name",
        )
        for name in names
        if resolve(name, facts) is None
    ]
    if unknown:
        raise GroundingError(unknown)


def _losses(evaluation: Evaluation, names: tuple[str, ...]) -> tuple[NamedLoss, ...]:
    facts = evaluation.facts
    require_entities(names, facts)
    matches = [match for name in names if (match := resolve(name, facts)) is not None]
    return tuple(
        NamedLoss(facts.name(number), find_loss(evaluation, number))
        for match in matches
        for number in match.entities
    )
