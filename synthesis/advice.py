"""Advice on how a question should grow: the paper's contract, checked before it is followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graphkit.mutate import Strategy

__all__ = ["OPERATION_OF", "Advice", "ExpansionAdvice", "Seen", "operations_of"]

OPERATION_OF: Mapping[Strategy, tuple[str, ...]] = {
    Strategy.COMPLEMENT: ("complement",),
    Strategy.INVERSE_PROJECTION: ("projection",),
    Strategy.INTERSECTION_EXPANSION: ("intersection",),
    Strategy.PROJECTION_EXTENSION: ("projection",),
    Strategy.DROP_CONSTRAINT: ("intersection",),
    Strategy.WIDEN_ANCHOR: ("projection",),
    Strategy.LOOSEN_THEN_TIGHTEN: ("complement", "intersection"),
}
"""Strategy -> the operations that it may use. The first three are those of EvoBrowseComp, A.4."""

_BY_WORDS = {
    "".join(sign for sign in name.casefold() if sign.isalnum()): strategy
    for strategy in OPERATION_OF
    for name in (strategy.value, strategy.name)
} | {
    "strategya": Strategy.COMPLEMENT,
    "strategyb": Strategy.INVERSE_PROJECTION,
    "strategyc": Strategy.INTERSECTION_EXPANSION,
    "a": Strategy.COMPLEMENT,
    "b": Strategy.INVERSE_PROJECTION,
    "c": Strategy.INTERSECTION_EXPANSION,
    "intersection": Strategy.INTERSECTION_EXPANSION,
    "inverse": Strategy.INVERSE_PROJECTION,
}


def operations_of(strategy: str) -> tuple[str, ...]:
    """Return the operations that a strategy may use; none for an unknown one.

    >>> operations_of("Inverse Projection"), operations_of("Guess")
    (('projection',), ())
    """
    found = _strategy(strategy)
    return OPERATION_OF[found] if found is not None else ()


def _strategy(text: str) -> Strategy | None:
    return _BY_WORDS.get("".join(sign for sign in text.casefold() if sign.isalnum()))


class ExpansionAdvice(BaseModel):
    """The advice itself: ``expansion_advice`` of EvoBrowseComp, A.4."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    target_text_span: str = ""
    suggested_operation: str = ""
    selected_strategy: str = ""
    reasoning: str = ""
    semantic_suggestion: str = ""

    def problems(self, question: str) -> list[str]:
        """Return what is wrong with the advice as advice on a question.

        The span must stand in the question, verbatim but for spaces; the operation must fit the
        strategy.

        >>> advice = ExpansionAdvice(target_text_span="the town", suggested_operation="complement",
        ...                          selected_strategy="Inverse Projection",
        ...                          semantic_suggestion="describe it")
        >>> for problem in advice.problems("Which river crosses the city?"):
        ...     print(problem)
        target_text_span 'the town' does not stand in the question
        suggested_operation 'complement' does not fit Inverse Projection, expected projection
        """
        found = []
        span = " ".join(self.target_text_span.split())
        if not span:
            found.append("target_text_span is empty")
        elif span not in " ".join(question.split()):
            found.append(f"target_text_span {span!r} does not stand in the question")
        strategy = _strategy(self.selected_strategy)
        if strategy is None:
            known = ", ".join(item.value for item in OPERATION_OF)
            found.append(f"selected_strategy {self.selected_strategy!r} is not one of {known}")
        elif self.suggested_operation.strip().casefold() not in OPERATION_OF[strategy]:
            expected = " or ".join(OPERATION_OF[strategy])
            found.append(
                f"suggested_operation {self.suggested_operation!r} does not fit {strategy.value}, "
                f"expected {expected}"
            )
        if not self.semantic_suggestion.strip():
            found.append("semantic_suggestion is empty")
        return found

    @property
    def strategy(self) -> Strategy | None:
        """The strategy, if there is one of that name."""
        return _strategy(self.selected_strategy)


class Seen(BaseModel):
    """What only a reader sees: the model's own view of a question, kept beside what is computed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    redundant: tuple[str, ...] = ()
    shortcuts: tuple[str, ...] = ()
    ambiguous: bool = False
    reason: str = ""


class Advice(BaseModel):
    """What the guidance agent tells the synthesis agent: the model's view and ours in one.

    Attributes:
        kind: ``grow`` (a mutation), ``repair`` (take out what asks nothing or gives too much
            away), ``reword`` (the same question in other words), ``start`` (a new question, the
            first step of a plan) or ``gather`` (there is too little evidence to go on).
        origin: ``model`` (its own pick of an offer), ``computed`` (ours, where the model gave none
            that holds) or ``model_free`` (the best offer of the strategy that the model
            had an idea of its own for).
        expansion_advice: The paper's contract.
        offer: The mutation in words and as the graph that is wanted: ``strategy``, ``drop``,
            ``conditions``, ``evidence_ids``, ``graph``, ``answer``.
        problems: What is wrong with the question as it stands.
        repairs: What was wrong with the model's own advice.
        seen: The model's own view of the question.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    origin: str = "computed"
    expansion_advice: ExpansionAdvice = ExpansionAdvice()
    offer: dict[str, Any] = Field(default_factory=dict)
    problems: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    seen: Seen | None = None

    def told(self) -> dict[str, Any]:
        """Return what the synthesis agent is told of it; what it does not say is left out."""
        advice = self.expansion_advice.model_dump()
        return {
            "kind": self.kind,
            "expansion_advice": {name: text for name, text in advice.items() if text},
            "offer": self.offer,
            "problems": list(self.problems),
        }


def first_span(question: str, names: Iterable[str]) -> str:
    """Return the first of some names that stands in a question, else its last sentence.

    >>> first_span("Where is it? Which river crosses Ulm?", ["Bonn", "Ulm"])
    'Ulm'
    """
    for name in names:
        if name and name in question:
            return name
    parts = [part.strip() for part in question.replace("\n", " ").split(". ") if part.strip()]
    return parts[-1] if parts else question
