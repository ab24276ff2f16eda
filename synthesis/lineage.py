"""The line from the first question to the last: graphs, the mutations between them, their proof."""

from __future__ import annotations

from dataclasses import dataclass, replace

from graphkit.facts import FactStore
from graphkit.grounding import Grounding, ground
from graphkit.mutate import Mutation, first_question, rewrite
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.patterns import canonical_text
from graphkit.question import Edge, Node, QuestionGraph
from synthesis.offers import Offer

__all__ = ["Lineage", "asked_on"]


def asked_on(graph: QuestionGraph, facts: FactStore) -> str:
    """Return what a question asks on some facts: equal for questions that differ in names only.

    Anchors stand under the names of the facts, relations under theirs and in their direction; a
    symmetric relation has one direction. Types and labels do not show.

    Args:
        graph: A question.
        facts: The facts; what they do not know keeps the name that the question gives it.
    """
    normal = normalize(graph)
    grounding = ground(normal, facts, strict=False)
    return canonical_text(
        normal.replace(
            nodes=tuple(_named(node, grounding, facts) for node in normal.nodes),
            edges=tuple(_read(edge, grounding, facts) for edge in normal.edges),
        )
    )


def _named(node: Node, grounding: Grounding, facts: FactStore) -> Node:
    change: dict[str, object] = {"entity_type": None}
    if node.node_id in grounding.anchors and node.known_entities:
        numbers = sorted(grounding.anchor_set(node.node_id).ids.tolist())
        if numbers:
            change["known_entities"] = tuple(f"#{number}" for number in numbers)
    return node.model_copy(update=change)


def _read(edge: Edge, grounding: Grounding, facts: FactStore) -> Edge:
    found = grounding.relations.get(edge.edge_id)
    if edge.op is not Op.PROJECTION or found is None:
        return edge
    name = facts.relations[found.number]
    symmetric = facts.sheet.relation(name).symmetric
    way = Direction.BACKWARD if symmetric else found.direction
    return edge.model_copy(update={"relation": name, "direction": way})


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
        """Return the line one advised mutation further; ids stay those of the line.

        Args:
            offer: The mutation that was advised and followed.
            parsed: The graph of the new text, whose question is taken over.
        """
        history = self.history
        normal = normalize(self.graph)
        if (normal.nodes, normal.edges) != (self.graph.nodes, self.graph.edges):
            step = rewrite(self.graph, normal, reason="The same question in normal form.")
            history = (*history, step)
        after = offer.graph.replace(question=parsed.question, answer=parsed.answer)
        return replace(self, graph=after, history=(*history, offer.mutation))

    def rewritten_as(self, parsed: QuestionGraph, *, reason: str) -> Lineage:
        """Return the line with a question that the author wrote otherwise than advised."""
        normal = normalize(parsed)
        step = rewrite(self.graph, normal, reason=reason)
        return Lineage(normal, (*self.history, step), self.rewritten + 1)

    def reworded(self, parsed: QuestionGraph) -> Lineage:
        """Return the line with the same graph under another text."""
        return replace(self, graph=self.graph.replace(question=parsed.question))
