"""Mutations that the facts support: what can be done to a question, and what it would do."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphkit.adjacency import Table
from graphkit.checks.relax import Relaxer
from graphkit.entity_set import EntitySet, Ids, is_in
from graphkit.errors import MutationError
from graphkit.facts import FactStore
from graphkit.mutate import strategies
from graphkit.mutate.branches import Branch, BranchBook, all_rows, branch_table, one_in
from graphkit.mutate.model import Mutation, Strategy, apply_mutation, compound
from graphkit.mutate.rules import Rules
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph

__all__ = ["Proposal", "Proposer"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A mutation that could be made, and its effect, before it is written out.

    Attributes:
        strategy: The strategy.
        node_id: The node it concerns.
        branch: The branch that it adds, or the hop.
        removed: How many candidates of the node it removes.
        answers: The answers afterwards.
    """

    strategy: Strategy
    node_id: str
    branch: Branch
    removed: int
    answers: EntitySet


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
        found = {self.graph.root_node_id: EntitySet.of([self.target])}
        values, grounding = self.relaxer.values, self.relaxer.grounding
        for node_id in reversed(self.graph.order):
            here = found.get(node_id)
            for edge in self.graph.incoming[node_id] if here is not None else ():
                assert here is not None
                if edge.op is Op.COMPLEMENT:
                    continue
                for source in edge.source_ids:
                    part = here
                    if edge.op is Op.PROJECTION:
                        relation = grounding.relations[edge.edge_id]
                        adjacency = self.facts.adjacency[relation.number]
                        part = adjacency.project(here, relation.direction.reverse)
                    part = part & values[source]
                    found[source] = (found[source] | part) if source in found else part
        return found

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
                for anchor, met in self._anchors(candidates.ids, member, back, exclusion=excluding):
                    branch = Branch(relation, direction, anchor, 0)
                    proposal = self._tightening(
                        node_id, candidates, excluding, branch, met, deep=deep
                    )
                    if proposal is not None:
                        yield proposal

    def _anchors(
        self, candidates: Ids, member: int, back: Table, *, exclusion: bool
    ) -> Iterator[tuple[int, int]]:
        """Yield (anchor, members of the candidates in its set) for the anchors worth a look."""
        rows = candidates[is_in(candidates, back.keys)]
        if not len(rows):
            return
        parts = [back.row(int(row)) for row in rows] if len(rows) < 64 else None
        merged = np.concatenate(parts) if parts is not None else all_rows(back, rows)
        anchors, counts = np.unique(merged, return_counts=True)
        own = is_in(anchors, back.row(member))
        keep = ~own if exclusion else own
        keep &= ~is_in(anchors, self.used)
        if exclusion:
            keep &= ~is_in(anchors, candidates)
            keep &= counts >= self.rules.min_removed
        else:
            keep &= counts < len(candidates)
        yield from zip(anchors[keep].tolist(), counts[keep].tolist(), strict=True)

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
        if exclusion and met < rules.exclusion_share * size:
            return None
        if deep and not exclusion and not rules.adjacent_anchors and self._near(branch.anchor):
            return None
        rest = candidates & (~value if exclusion else value)
        removed = len(candidates.ids) - len(rest.ids)
        at_root = node_id == self.graph.root_node_id
        answers = rest if at_root else self.answers_with(node_id, rest)
        left = answers.size(self.facts.size)
        if self.target not in answers or left >= self.answers.size(self.facts.size):
            return None
        if removed < rules.min_removed and left > 1:
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
        found = {self.graph.root_node_id: 0}
        for node_id in reversed(self.graph.order):
            for edge in self.graph.incoming[node_id]:
                for source in edge.source_ids:
                    length = found[node_id] + (edge.op is Op.PROJECTION)
                    found[source] = min(found.get(source, length), length)
        return found

    def _distance(self, node_id: str) -> int:
        return self.distances[node_id]

    def inversions(self, node_id: str) -> Iterator[Proposal]:
        """Yield ways to describe an anchor instead of naming it.

        While the question is unique, only those that leave it so.

        Args:
            node_id: An anchor with one entity that counts positively.
        """
        anchor_set = self.relaxer.grounding.anchor_set(node_id)
        if len(anchor_set.ids) != 1 or node_id not in self.supporters:
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
            left = answers.size(self.facts.size)
            if left > self.rules.max_candidates or (self.unique and left > 1):
                continue
            yield Proposal(Strategy.INVERSE_PROJECTION, node_id, branch, 0, answers)

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
        if self.rules.adjacent_anchors:
            return True
        anchors = [
            self.relaxer.grounding.anchor_set(node.node_id)
            for node in self.graph.anchors
            if node.node_id in self.supporters
        ]
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
        """Yield ways to drop one condition so that more answers remain, with what then results."""
        for constraint in self.relaxer.constraints:
            if constraint.source_id is None or constraint.node_id not in self.supporters:
                continue
            relaxed = self.relaxer.without([constraint])
            count = relaxed.size(self.facts.size)
            if not self.answers.size(self.facts.size) < count <= self.rules.max_candidates:
                continue
            mutation = strategies.drop_constraint(
                self.graph,
                constraint.id,
                reason=f"Dropping condition {constraint.id} leaves {count} answers.",
                answers_before=self.answers.size(self.facts.size),
                answers_after=count,
            )
            after = apply_mutation(self.graph, mutation)
            yield mutation, Proposer(after, self.facts, self.target, self.book)

    def write(self, proposal: Proposal, answer: int | None = None) -> Mutation:
        """Write a proposal out as a mutation, with its one-sentence reason.

        Args:
            proposal: A proposal of this proposer.
            answer: The new answer, for a projection extension.
        """
        facts, branch = self.facts, proposal.branch
        before = self.answers.size(facts.size)
        after = proposal.answers.size(facts.size)
        common: dict[str, Any] = {
            "relation": facts.relations[branch.relation],
            "direction": branch.direction,
            "reason": self._reason(proposal, before, after),
            "answers_before": before,
            "answers_after": after,
            "evidence_ids": self._evidence(proposal, answer),
        }
        if proposal.strategy is Strategy.PROJECTION_EXTENSION:
            assert answer is not None
            return strategies.projection_extension(
                self.graph,
                answer=facts.name(answer),
                answer_type=facts.entity(answer).type,
                **common,
            )
        entity = facts.entity(branch.anchor)
        build = {
            Strategy.COMPLEMENT: strategies.complement,
            Strategy.INTERSECTION_EXPANSION: strategies.intersection_expansion,
            Strategy.INVERSE_PROJECTION: strategies.inverse_projection,
        }[proposal.strategy]
        return build(
            self.graph, proposal.node_id, anchor=entity.text, anchor_type=entity.type, **common
        )

    def _reason(self, proposal: Proposal, before: int, after: int) -> str:
        facts, branch = self.facts, proposal.branch
        relation, anchor = facts.relations[branch.relation], facts.name(branch.anchor)
        effect = (
            f"{before} answers become {after}"
            if before != after
            else f"{_answers(after)} unchanged"
        )
        if proposal.strategy is Strategy.COMPLEMENT:
            return (
                f"Excluding what {relation!r} joins to {anchor} removes {proposal.removed} "
                f"candidates of node {proposal.node_id}: {effect}."
            )
        if proposal.strategy is Strategy.INTERSECTION_EXPANSION:
            return (
                f"Asking also that {relation!r} joins it to {anchor} removes "
                f"{proposal.removed} candidates of node {proposal.node_id}: {effect}."
            )
        if proposal.strategy is Strategy.INVERSE_PROJECTION:
            return (
                f"Node {proposal.node_id} is no longer named but described by {relation!r} and "
                f"{anchor}, so that it must be found first: {effect}."
            )
        return (
            f"Asking for what {relation!r} leads to makes the old answer a hidden step: {effect}."
        )

    def _evidence(self, proposal: Proposal, answer: int | None) -> tuple[str, ...]:
        branch, facts = proposal.branch, self.facts
        if proposal.strategy is Strategy.PROJECTION_EXTENSION and answer is not None:
            return facts.evidence_ids(branch.fact_about(answer))
        if proposal.strategy is Strategy.COMPLEMENT:
            met = self.relaxer.values[proposal.node_id] & branch.value(facts)
            members = met.ids.tolist()
        else:
            members = (self.supporters[proposal.node_id] & branch.value(facts)).ids.tolist()
        return tuple(
            dict.fromkeys(
                item for member in members for item in facts.evidence_ids(branch.fact_about(member))
            )
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
                yield compound(self.graph, loosen, loosened.write(proposal)), proposal.answers


def _answers(count: int) -> str:
    return "the answer is" if count == 1 else f"the {count} answers are"
