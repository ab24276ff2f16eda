"""The line from the first question to the last: graphs, the mutations between them, their proof."""

from __future__ import annotations

from dataclasses import dataclass, replace

from graphkit.mutate import Mutation, first_question, rewrite
from graphkit.normalize import normalize
from graphkit.question import QuestionGraph
from synthesis.offers import Offer

__all__ = ["Lineage"]


@dataclass(frozen=True)
class Lineage:
    """The questions of one seed so far, as the last graph and the mutations that led to it.

    Attributes:
        graph: The last graph.
        history: The mutations; they replay to it.
        rewritten: How many of them are rewrites: the author did something else than advised.
    """

    graph: QuestionGraph
    history: tuple[Mutation, ...]
    rewritten: int = 0

    @classmethod
    def begun(cls, graph: QuestionGraph, *, seed: str) -> Lineage:
        """Begin with the first question of a seed."""
        reason = f"A first question from the evidence about {seed}."
        normal = normalize(graph)
        return cls(normal, (first_question(normal, reason=reason),))

    def followed(self, offer: Offer, parsed: QuestionGraph) -> Lineage:
        """Return the line one advised step further; ids stay those of the offer.

        A mutation continues the line. A new beginning replaces the question, as a rewrite.

        Args:
            offer: The mutation that was advised and followed.
            parsed: The graph of the new text, whose question is taken over, and its answer: of
                several answers the author may declare another, or spell it otherwise.
        """
        after = offer.graph.replace(question=parsed.question, answer=parsed.answer)
        if not offer.grows:
            step = rewrite(self.graph, after, reason=offer.mutation.reason)
            return Lineage(after, (*self.history, step), self.rewritten + 1)
        history = self.history
        normal = normalize(self.graph)
        if (normal.nodes, normal.edges) != (self.graph.nodes, self.graph.edges):
            step = rewrite(self.graph, normal, reason="The same question in normal form.")
            history = (*history, step)
        step = offer.mutation
        if after.answer != (_answer_after(step) or self.graph.answer):
            step = _answered(step, after.answer)
        return replace(self, graph=after, history=(*history, step))

    def rewritten_as(self, parsed: QuestionGraph, *, reason: str) -> Lineage:
        """Return the line with a question that the author wrote otherwise than advised."""
        normal = normalize(parsed)
        step = rewrite(self.graph, normal, reason=reason)
        return Lineage(normal, (*self.history, step), self.rewritten + 1)

    def reworded(self, parsed: QuestionGraph) -> Lineage:
        """Return the line with the same graph under another text."""
        return replace(self, graph=self.graph.replace(question=parsed.question))


def _answer_after(mutation: Mutation) -> str | None:
    """Return the answer that a mutation declares; None where the old one stays."""
    parts = mutation.parts or (mutation,)
    return next((part.answer for part in reversed(parts) if part.answer is not None), None)


def _answered(mutation: Mutation, answer: str | None) -> Mutation:
    """Return a mutation after which another answer is declared."""
    if not mutation.parts:
        return mutation.model_copy(update={"answer": answer})
    *first, last = mutation.parts
    return mutation.model_copy(update={"parts": (*first, _answered(last, answer))})
