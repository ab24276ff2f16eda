"""Mutations that the facts support: what can be done to a question, and what it would do."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from graphkit.checks.relax import Relaxer
from graphkit.entity_set import EMPTY, EntitySet, Ids
from graphkit.errors import MutationError
from graphkit.facts import FactStore
from graphkit.mutate.branches import Branch, BranchBook, anchors_about, branch_table, one_in
from graphkit.mutate.loosening import drop_constraint
from graphkit.mutate.model import Mutation, Strategy, apply_mutation, compound
from graphkit.mutate.proposal import Proposal, write_out
from graphkit.mutate.rules import Rules
from graphkit.mutate.support import distances_of, supporters_of
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["Proposal", "Proposer"]


class Proposer:
    """What can be done to one question, given the facts and the answer that must stay.

    Attributes:
        graph: The question in normal form.
        facts: The facts.
        target: The entity that must stay an answer.
        book: The branches that the facts offer, and the rules.
    """

    def __init__(
        self, graph: QuestionGraph, facts: FactStore, target: int, book: BranchBook | None = None
    ) -> None:
        self.graph = normalize(graph)
        self.facts = facts
        self.target = target
        self.book = book or BranchBook(facts, Rules())
        self.rules = self.book.rules
        self.relaxer = Relaxer(self.graph, facts)
        if target not in self.answers:
            raise MutationError(f"{facts.name(target)!r} is not an answer of the question")

    @property
    def answers(self) -> EntitySet:
        """The answers of the question."""
        return self.relaxer.answers

    @property
    def unique(self) -> bool:
        """Whether there is one answer only."""
        return self.answers.size(self.facts.size) == 1

    @functools.cached_property
    def supporters(self) -> dict[str, EntitySet]:
        """For every node that counts positively the members that the target rests on."""
        return supporters_of(self.relaxer, self.target)

    @functools.cached_property
    def used(self) -> Ids:
        """Entities that are anchors already, and those that must not become one."""
        taken = [
            number
            for node_id in self.relaxer.grounding.anchors
            for number in self.relaxer.grounding.anchor_set(node_id).ids.tolist()
        ]
        if self.rules.entity_twice:
            taken = []
        if not self.rules.witness_anchors:
            for value in self.supporters.values():
                taken += value.ids.tolist()
        return EntitySet.of(taken).ids

    def answers_with(self, node_id: str, value: EntitySet) -> EntitySet:
        """Return the answers if the set of a node were ``value``."""
        changed = {node_id: value}
        for other in self.graph.order:
            sources = [source for edge in self.graph.incoming[other] for source in edge.source_ids]
            if other != node_id and any(source in changed for source in sources):
                changed[other] = self.relaxer.node_value(other, changed, frozenset())
        return changed.get(self.graph.root_node_id, self.answers)

    def tightenings(
        self,
        node_id: str,
        member: int,
        *,
        exclusion: bool | None = None,
        codes: Iterable[tuple[int, Direction]] | None = None,
    ) -> Iterator[Proposal]:
        """Yield every branch or exclusion at a node that leaves fewer answers and the target.

        Args:
            node_id: A node that counts positively.
            member: The member of its set, one of its supporters, that must stay.
            exclusion: Only exclusions, or only branches; by default both.
            codes: The relations and directions to try, in this order; by default all allowed.

        Raises:
            MutationError: There is only one answer, so any further condition would be redundant.
        """
        if self.unique:
            raise MutationError(
                "the question has one answer already: a further condition would be "
                "redundant, expected several answers"
            )
        candidates = self.relaxer.values[node_id]
        if candidates.complemented:
            return
        deep = self._distance(node_id) >= 1
        wanted = None if codes is None else list(codes)
        for excluding in (False, True) if exclusion is None else (exclusion,):
            allowed = self.book.codes(exclusion=excluding)
            if wanted is not None:
                allowed = tuple(code for code in wanted if code in allowed)
            for relation, direction in allowed:
                back = branch_table(self.facts, relation, direction.reverse)
                anchors = anchors_about(
                    back, candidates.ids, member, self.used, self.rules, exclusion=excluding
                )
                for anchor, met in anchors:
                    branch = Branch(relation, direction, anchor, 0)
                    proposal = self._tightening(
                        node_id, candidates, excluding, branch, met, deep=deep
                    )
                    if proposal is not None:
                        yield proposal

    def _tightening(
        self,
        node_id: str,
        candidates: EntitySet,
        exclusion: bool,
        branch: Branch,
        met: int,
        *,
        deep: bool,
    ) -> Proposal | None:
        rules = self.rules
        value = branch.value(self.facts)
        size = len(value.ids)
        if not rules.min_set <= size <= rules.max_set:
            return None
        if not self.book.has_own_name(branch.anchor):
            return None
        if exclusion and met < rules.exclusion_share * size:
            return None
        if deep and not rules.adjacent_anchors and self._near(branch.anchor):
            return None
        rest = candidates & (~value if exclusion else value)
        removed = len(candidates.ids) - len(rest.ids)
        at_root = node_id == self.graph.root_node_id
        answers = rest if at_root else self.answers_with(node_id, rest)
        left = answers.size(self.facts.size)
        if self.target not in answers or left >= self.answers.size(self.facts.size):
            return None
        if removed < rules.min_removed and (exclusion or left > 1):
            return None
        strategy = Strategy.COMPLEMENT if exclusion else Strategy.INTERSECTION_EXPANSION
        return Proposal(
            strategy,
            node_id,
            Branch(branch.relation, branch.direction, branch.anchor, size),
            removed,
            answers,
        )

    def _near(self, entity: int) -> bool:
        return one_in(entity, self.book.near(self.target))

    @functools.cached_property
    def distances(self) -> dict[str, int]:
        """For every node the fewest projections between it and the root."""
        return distances_of(self.graph)

    def _distance(self, node_id: str) -> int:
        return self.distances[node_id]

    def inversions(self, node_id: str) -> Iterator[Proposal]:
        """Yield ways to describe an anchor instead of naming it.

        While the question is unique, only those that leave it so.

        Args:
            node_id: An anchor with one entity that counts positively.
        """
        for proposal in self._descriptions(node_id, Strategy.INVERSE_PROJECTION):
            if not self.unique or proposal.answers.size(self.facts.size) == 1:
                yield proposal

    def widenings(self, node_id: str) -> Iterator[Proposal]:
        """Yield ways to put a whole class in the place of an anchor, so that more answers remain.

        Args:
            node_id: An anchor with one entity that counts positively.
        """
        before = self.answers.size(self.facts.size)
        for proposal in self._descriptions(node_id, Strategy.WIDEN_ANCHOR):
            if proposal.answers.size(self.facts.size) > before:
                yield proposal

    def _descriptions(self, node_id: str, strategy: Strategy) -> Iterator[Proposal]:
        if node_id not in self.relaxer.grounding.anchors or node_id not in self.supporters:
            return
        anchor_set = self.relaxer.grounding.anchor_set(node_id)
        if len(anchor_set.ids) != 1:
            return
        hidden = int(anchor_set.ids[0])
        outgoing = {
            (relation.number, relation.direction)
            for edge in self.graph.outgoing[node_id]
            if edge.op is Op.PROJECTION
            for relation in (self.relaxer.grounding.relations[edge.edge_id],)
        }
        for branch in self.book.about(hidden):
            if branch.anchor == hidden or one_in(branch.anchor, self.used):
                continue
            if not self.rules.adjacent_anchors and self._near(branch.anchor):
                continue
            if not self.rules.back_and_forth and self._turns_back(branch, outgoing):
                continue
            value = self.relaxer.typed(node_id, branch.value(self.facts))
            answers = self.answers_with(node_id, value)
            if self.target in answers and answers.size(self.facts.size) <= (
                self.rules.max_candidates
            ):
                yield Proposal(strategy, node_id, branch, 0, answers)

    def _turns_back(self, branch: Branch, outgoing: set[tuple[int, Direction]]) -> bool:
        symmetric = self.facts.sheet.relation(self.facts.relations[branch.relation]).symmetric
        return (branch.relation, branch.direction.reverse) in outgoing or (
            symmetric and any(relation == branch.relation for relation, _ in outgoing)
        )

    def extensions(self) -> Iterator[tuple[Proposal, int]]:
        """Yield one more hop from the one answer, with each new answer that it could have."""
        if not self.unique:
            return
        incoming = {
            (relation.number, relation.direction)
            for edge_id, relation in self.relaxer.grounding.relations.items()
            if self._distance(self.graph.edge(edge_id).target_id) == 0
        }
        for relation, direction in self.book.branch_codes:
            back = {(relation, direction.reverse)}
            if self.facts.sheet.relation(self.facts.relations[relation]).symmetric:
                back |= {(relation, direction)}
            if not self.rules.back_and_forth and back & incoming:
                continue
            value = self.facts.adjacency[relation].project(self.answers, direction)
            if not 1 <= len(value.ids) <= self.rules.max_candidates:
                continue
            branch = Branch(relation, direction, self.target, len(value.ids))
            for answer in value.ids.tolist():
                if self._may_be_answer(answer):
                    yield (
                        Proposal(
                            Strategy.PROJECTION_EXTENSION, self.graph.root_node_id, branch, 0, value
                        ),
                        answer,
                    )

    def _may_be_answer(self, entity: int) -> bool:
        """Whether an entity may be the answer one hop further: no anchor, and none next to one."""
        if entity == self.target or one_in(entity, self.used):
            return False
        if not self.book.has_own_name(entity):
            return False
        if self.rules.adjacent_anchors:
            return True
        anchors = [self.relaxer.grounding.anchor_set(node.node_id) for node in self.graph.anchors]
        near = EntitySet(self.book.near(entity))
        return not any(len((near & anchor).ids) for anchor in anchors)

    @functools.cached_property
    def relaxed(self) -> tuple[EntitySet, ...]:
        """The answers without each constraint in turn."""
        return tuple(self.relaxer.without([item]) for item in self.relaxer.constraints)

    @property
    def irredundant(self) -> bool:
        """Whether no single constraint can go without changing the answers."""
        size = self.facts.size
        return not any(answers.equals(self.answers, size) for answers in self.relaxed)

    def stays_irredundant(self, proposal: Proposal) -> bool:
        """Whether a tightening at the answer node leaves every single constraint necessary.

        A condition at the root is met by the answers of each relaxed question too, so nothing
        needs to be built: this equals applying the proposal and asking for ``irredundant``.
        """
        branch, answers = proposal.branch, proposal.answers
        value = branch.value(self.facts)
        reach = self.book.reach(branch.relation, branch.direction)
        if proposal.strategy is Strategy.COMPLEMENT:
            value, reach = ~value, ~reach
        value, reach = self._typed_branch(value, proposal), self._typed_branch(reach, proposal)
        size = self.facts.size
        if (self.answers & reach).equals(answers, size) or self.answers.equals(answers, size):
            return False
        return not any((relaxed & value).equals(answers, size) for relaxed in self.relaxed)

    def _typed_branch(self, value: EntitySet, proposal: Proposal) -> EntitySet:
        kind = self.graph.nodes_by_id[proposal.node_id].entity_type
        if kind is None:
            return value
        typed = self.facts.of_type(kind)
        return ~(~value & typed) if proposal.strategy is Strategy.COMPLEMENT else value & typed

    def loosenings(self) -> Iterator[tuple[Mutation, Proposer]]:
        """Yield ways to drop or to widen a condition so that more answers remain.

        Each comes with what the question then is.
        """
        for mutation in (*self._drops(), *self._widened()):
            after = apply_mutation(self.graph, mutation)
            yield mutation, Proposer(after, self.facts, self.target, self.book)

    def _drops(self) -> Iterator[Mutation]:
        before = self.answers.size(self.facts.size)
        for constraint in self.relaxer.constraints:
            if constraint.edge_id is None or constraint.node_id not in self.supporters:
                continue
            edge = self.graph.edge(constraint.edge_id)
            if edge.op is not Op.INTERSECTION or self._types_differ(constraint.node_id, edge):
                continue
            relaxed = self.relaxer.without([constraint])
            count = relaxed.size(self.facts.size)
            if relaxed.complemented or self.target not in relaxed:
                continue
            if before < count <= self.rules.max_candidates:
                yield drop_constraint(
                    self.graph,
                    constraint.id,
                    reason=f"Dropping condition {constraint.id} leaves {count} answers.",
                    answers_before=before,
                    answers_after=count,
                )

    def _types_differ(self, node_id: str, edge: Edge) -> bool:
        kinds = {self.graph.node(item).entity_type for item in (node_id, *edge.source_ids)}
        return len(kinds - {None}) > 1

    def _widened(self) -> Iterator[Mutation]:
        for node in self.graph.anchors:
            for proposal in self.widenings(node.node_id):
                yield self.write(proposal)

    def write(self, proposal: Proposal, answer: int | None = None) -> Mutation:
        """Write a proposal out as a mutation, with its one-sentence reason.

        Args:
            proposal: A proposal of this proposer.
            answer: The new answer, for a projection extension.
        """
        return write_out(
            self.graph,
            self.relaxer,
            proposal,
            supporters=self.supporters.get(proposal.node_id, EMPTY),
            answer=answer,
        )

    @functools.cached_property
    def _branches(self) -> frozenset[tuple[int, Direction, int]]:
        """The branches that the question has: relation, direction, anchor."""
        grounding = self.relaxer.grounding
        return frozenset(
            (relation.number, relation.direction, anchor)
            for edge in self.graph.edges
            if edge.op is Op.PROJECTION and edge.source_ids[0] in grounding.anchors
            for relation in (grounding.relations[edge.edge_id],)
            for anchor in grounding.anchor_set(edge.source_ids[0]).ids.tolist()
        )

    def compounds(self, node_id: str, member: int) -> Iterator[tuple[Mutation, EntitySet]]:
        """Yield recorded steps that drop a condition and put another in its place.

        Args:
            node_id: The node that gets the new condition.
            member: The member of its set that must stay.
        """
        for loosen, loosened in self.loosenings():
            if node_id not in loosened.graph.nodes_by_id:
                continue
            for proposal in loosened.tightenings(node_id, member):
                if proposal.branch.code in self._branches:  # it would undo the loosening
                    continue
                yield compound(self.graph, loosen, loosened.write(proposal)), proposal.answers
