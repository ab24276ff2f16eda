"""A mutation that could be made: its effect, and how it is written out with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphkit.checks.relax import Relaxer
from graphkit.entity_set import EntitySet
from graphkit.errors import MutationError
from graphkit.facts import FactStore
from graphkit.mutate import loosening, strategies
from graphkit.mutate.branches import Branch
from graphkit.mutate.model import Mutation, Strategy
from graphkit.question import QuestionGraph

__all__ = ["Proposal", "write_out"]


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


_BUILD: dict[Strategy, Callable[..., Mutation]] = {
    Strategy.COMPLEMENT: strategies.complement,
    Strategy.INTERSECTION_EXPANSION: strategies.intersection_expansion,
    Strategy.INVERSE_PROJECTION: strategies.inverse_projection,
    Strategy.WIDEN_ANCHOR: loosening.widen_anchor,
}


def write_out(
    graph: QuestionGraph,
    relaxer: Relaxer,
    proposal: Proposal,
    *,
    supporters: EntitySet,
    answer: int | None = None,
) -> Mutation:
    """Write a proposal out as a mutation, with its one-sentence reason and its evidence.

    Args:
        graph: The graph in normal form that it was made for.
        relaxer: The same graph on its facts.
        proposal: The proposal.
        supporters: The members of the proposal's node that the answer rests on.
        answer: The new answer, for a projection extension.

    Raises:
        MutationError: A projection extension is to be written without its answer.
    """
    facts, branch = relaxer.facts, proposal.branch
    before = relaxer.answers.size(facts.size)
    after = proposal.answers.size(facts.size)
    common: dict[str, Any] = {
        "relation": facts.relations[branch.relation],
        "direction": branch.direction,
        "reason": _reason(facts, proposal, before, after),
        "answers_before": before,
        "answers_after": after,
    }
    if proposal.strategy is Strategy.PROJECTION_EXTENSION:
        if answer is None:
            raise MutationError("a projection extension needs the answer that it leads to")
        return strategies.projection_extension(
            graph,
            answer=facts.entity(answer).text,
            answer_type=facts.entity(answer).type,
            evidence_ids=facts.evidence_ids(branch.fact_about(answer)),
            **common,
        )
    entity = facts.entity(branch.anchor)
    value = relaxer.values[proposal.node_id]
    met = (value if proposal.strategy is Strategy.COMPLEMENT else supporters) & branch.value(facts)
    return _BUILD[proposal.strategy](
        graph,
        proposal.node_id,
        anchor=entity.text,
        anchor_type=entity.type,
        evidence_ids=_evidence(facts, branch, met),
        **common,
    )


def _evidence(facts: FactStore, branch: Branch, members: EntitySet) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            item
            for member in members.ids.tolist()
            for item in facts.evidence_ids(branch.fact_about(member))
        )
    )


def _candidates(number: int) -> str:
    return f"{number} candidate{'' if number == 1 else 's'}"


def _reason(facts: FactStore, proposal: Proposal, before: int, after: int) -> str:
    branch = proposal.branch
    relation, anchor = facts.relations[branch.relation], facts.name(branch.anchor)
    effect = (
        f"{before} answers become {after}" if before != after else f"{_answers(after)} unchanged"
    )
    if proposal.strategy is Strategy.COMPLEMENT:
        return (
            f"Excluding what {relation!r} joins to {anchor} removes "
            f"{_candidates(proposal.removed)} of node {proposal.node_id}: {effect}."
        )
    if proposal.strategy is Strategy.INTERSECTION_EXPANSION:
        return (
            f"Asking also that {relation!r} joins it to {anchor} removes "
            f"{_candidates(proposal.removed)} of node {proposal.node_id}: {effect}."
        )
    if proposal.strategy is Strategy.INVERSE_PROJECTION:
        return (
            f"Node {proposal.node_id} is no longer named but described by {relation!r} and "
            f"{anchor}, so that it must be found first: {effect}."
        )
    if proposal.strategy is Strategy.WIDEN_ANCHOR:
        return (
            f"Node {proposal.node_id} is widened to all that {relation!r} joins to {anchor}: "
            f"{effect}."
        )
    return f"Asking for what {relation!r} leads to makes the old answer a hidden step: {effect}."


def _answers(count: int) -> str:
    return "the answer is" if count == 1 else f"the {count} answers are"
