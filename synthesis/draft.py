"""A question while it grows: graph, history, and the steps that add to both."""

from __future__ import annotations

from dataclasses import dataclass

from graphkit.entity_set import EMPTY, EntitySet
from graphkit.errors import MutationError
from graphkit.mutate import (
    Branch,
    BranchBook,
    Mutation,
    Proposal,
    Proposer,
    Strategy,
    apply_mutation,
    one_to_one_hops,
    replay_history,
    seed_question,
)
from graphkit.patterns import shape
from graphkit.question import QuestionGraph

__all__ = ["Draft"]


@dataclass(frozen=True)
class Draft:
    """A question on its way; every step returns a new one.

    Attributes:
        graph: The graph so far.
        history: The mutations that made it.
        proposer: What it is on the facts, and what could be done to it.
    """

    graph: QuestionGraph
    history: tuple[Mutation, ...]
    proposer: Proposer

    @property
    def target(self) -> int:
        """The number of the answer."""
        return self.proposer.target

    @classmethod
    def start(cls, book: BranchBook, branch: Branch, seed: int) -> Draft:
        """Return the first question about an entity: one branch that leads to it."""
        facts = book.facts
        anchor, entity = facts.entity(branch.anchor), facts.entity(seed)
        relation = facts.relations[branch.relation]
        mutation = seed_question(
            anchor=anchor.text,
            anchor_type=anchor.type,
            relation=relation,
            direction=branch.direction,
            answer=entity.text,
            answer_type=entity.type,
            reason=f"{entity.text} is one of {branch.size} entities that {relation!r} joins to "
            f"{anchor.text}.",
            evidence_ids=facts.evidence_ids(branch.fact_about(seed)),
        )
        graph = replay_history([mutation])[0]
        return cls(graph, (mutation,), Proposer(graph, facts, seed, book))

    def after(self, mutation: Mutation, target: int | None = None) -> Draft:
        """Return the draft after a mutation."""
        proposer = self.proposer
        graph = apply_mutation(self.graph, mutation)
        answer = proposer.target if target is None else target
        return Draft(
            graph,
            (*self.history, mutation),
            Proposer(graph, proposer.facts, answer, proposer.book),
        )

    def hidden_nodes(self) -> list[str]:
        """Return the inner nodes of the first chain, the nearest to the answer first."""
        found = []
        node_id = self.graph.root_node_id
        while self.graph.incoming[node_id]:
            node_id = self.graph.incoming[node_id][0].source_ids[0]
            found.append(node_id)
        return found

    def inverted(self, branch: Branch) -> Draft:
        """Return the draft in which the outermost anchor is described by a branch."""
        proposer = self.proposer
        node_id = self.hidden_nodes()[-1]
        value = proposer.relaxer.typed(node_id, branch.value(proposer.facts))
        answers = proposer.answers_with(node_id, value)
        proposal = Proposal(Strategy.INVERSE_PROJECTION, node_id, branch, 0, answers)
        return self.after(proposer.write(proposal))

    def tightened(self, node_id: str, branch: Branch, *, exclusion: bool) -> Draft:
        """Return the draft with one more condition at a node.

        Raises:
            MutationError: The condition would not make the answers fewer.
        """
        proposer = self.proposer
        before = proposer.relaxer.values[node_id]
        value = branch.value(proposer.facts)
        rest = before & (~value if exclusion else value)
        answers = proposer.answers_with(node_id, rest)
        size = proposer.facts.size
        if answers.size(size) >= proposer.answers.size(size) or proposer.target not in answers:
            raise MutationError("the condition would not make the answers fewer")
        strategy = Strategy.COMPLEMENT if exclusion else Strategy.INTERSECTION_EXPANSION
        removed = _removed(before, rest, size)
        return self.after(proposer.write(Proposal(strategy, node_id, branch, removed, answers)))

    def extended(self, proposal: Proposal, answer: int) -> Draft:
        """Return the draft that asks for what its answer leads to."""
        return self.after(self.proposer.write(proposal, answer), answer)

    def depth(self) -> int:
        """Return the most projections on a way from an anchor to the answer."""
        return shape(self.graph).depth

    def counted_edges(self) -> int:
        """Return the edges that count towards a finished question."""
        edges = len(self.proposer.graph.edges)
        if self.proposer.rules.one_to_one_counts:
            return edges
        return edges - len(one_to_one_hops(self.proposer.relaxer))

    def witnesses(self) -> EntitySet:
        """Return the answer and every hidden entity that it rests on."""
        anchors = self.proposer.relaxer.grounding.anchors
        found = EMPTY
        for node_id, members in self.proposer.supporters.items():
            if node_id not in anchors:
                found = found | members
        return found

    def anchors(self) -> EntitySet:
        """Return the entities that the question names."""
        grounding = self.proposer.relaxer.grounding
        found = EMPTY
        for node_id in grounding.anchors:
            found = found | grounding.anchor_set(node_id)
        return found


def _removed(before: EntitySet, after: EntitySet, universe: int) -> int:
    return before.size(universe) - after.size(universe)
