"""What a lint rule sees of a question, and what it reports."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from graphkit.entity_set import EntitySet
from graphkit.errors import Problem
from graphkit.evaluate import Evaluation, node_values
from graphkit.facts import Fact, FactStore
from graphkit.grounding import Grounding, ground
from graphkit.normalize import normalize
from graphkit.patterns import Shape, shape
from graphkit.question import QuestionGraph
from graphkit.witness import find_witness

__all__ = ["Finding", "LintContext", "Rule", "Severity", "problem_id"]


class Severity(StrEnum):
    """How much a finding matters; only an error makes a question invalid."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found.

    Attributes:
        code: The rule's code; it never changes.
        severity: See :class:`Severity`.
        ids: The nodes and edges concerned.
        message: One sentence.
    """

    code: str
    severity: Severity
    ids: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class LintContext:
    """One question as the rules see it: the graph as written, its normal form, its facts.

    Attributes:
        graph: The graph as it was given.
        facts: The fact store, or None when there is none.
    """

    graph: QuestionGraph
    facts: FactStore | None = None

    @functools.cached_property
    def normal(self) -> QuestionGraph:
        """The normal form."""
        return normalize(self.graph)

    @functools.cached_property
    def shape(self) -> Shape:
        """Counts over the normal form."""
        return shape(self.normal)

    @functools.cached_property
    def grounding(self) -> Grounding | None:
        """How the names of the graph are read; None without facts."""
        return None if self.facts is None else ground(self.graph, self.facts, strict=False)

    @functools.cached_property
    def values(self) -> dict[str, EntitySet] | None:
        """The value of every node of the graph as given; None when it is not grounded."""
        if self.facts is None or self.grounding is None or self.grounding.unresolved:
            return None
        return node_values(self.graph, self.facts, self.grounding)

    @functools.cached_property
    def evidence_facts(self) -> tuple[Fact, ...]:
        """The facts behind the first answer by name, sources before targets; none without one."""
        if self.values is None or self.facts is None or self.grounding is None:
            return ()
        answers = self.values[self.graph.root_node_id]
        if answers.complemented or not len(answers.ids):
            return ()
        evaluation = Evaluation(
            self.graph, self.facts, self.grounding, self.values, frozenset(self.values)
        )
        first = min(
            answers.ids.tolist(), key=lambda number: (evaluation.facts.name(number), number)
        )
        return find_witness(evaluation, first).facts


Check = Callable[[LintContext], Iterable[tuple[tuple[str, ...], str]]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: a code, a severity, what it is about, and the function that looks.

    The function yields pairs (ids, message).
    """

    code: str
    severity: Severity
    about: str
    check: Check


def problem_id(problem: Problem) -> str:
    """Return the id of the node or edge that a grounding problem is about."""
    return (problem.subject or "").partition(" ")[2]
