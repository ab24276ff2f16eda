"""First questions that the evidence supports: one hop with several candidates, the answer fresh."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from graphkit.grounding import resolve
from graphkit.mutate import Branch, seed_question
from graphkit.mutate.model import replay_history
from graphkit.question import QuestionGraph
from synthesis.dice import Dice
from synthesis.asked import asked_on
from synthesis.offers import Offer, Planner

__all__ = ["opening_offers"]

_LOOKED_AT = 40


def opening_offers(
    planner: Planner, seed_entity: str, *, seed: int = 0, avoid: Collection[str] = ()
) -> tuple[Offer, ...]:
    """Return first questions about a seed and what it is joined to, the most promising first.

    Args:
        planner: The evidence, and what is sensible on it.
        seed_entity: The name of the seed; first questions about it come first.
        seed: What equal ones are ordered by.
        avoid: What must not come back, as :func:`synthesis.asked.asked_on` tells it.
    """
    facts, found = planner.facts, []
    taken = set(avoid)
    for answer, branch in _branches(planner, seed_entity, Dice(seed)):
        graph, offer = _opening(planner, answer, branch)
        asked = asked_on(graph, facts)
        if asked not in taken:
            taken.add(asked)
            found.append(offer)
        if len(found) >= _LOOKED_AT:
            break
    found.sort(key=lambda offer: offer.standing.distance)
    return tuple(
        Offer(f"o{place}", offer.mutation, offer.graph, offer.standing)
        for place, offer in enumerate(found, 1)
    )


def _branches(planner: Planner, seed_entity: str, dice: Dice) -> Iterator[tuple[int, Branch]]:
    facts = planner.facts
    match = resolve(seed_entity, facts)
    first = list(match.entities) if match is not None else []
    near = sorted({int(n) for entity in first for n in planner.book.near(entity)} - set(first))
    rest = [int(n) for n in facts.universe if n not in near and n not in first]
    for group in (first, near, rest):
        for answer in dice.shuffled(group):
            if not planner.book.has_own_name(answer):
                continue
            for branch in dice.shuffled(list(planner.book.about(answer))):
                if _supported(planner, answer, branch):
                    yield answer, branch


def _supported(planner: Planner, answer: int, branch: Branch) -> bool:
    fact = branch.fact_about(answer)
    if planner.goals.fresh_last_hop and not planner.facts.is_fresh(fact):
        return False
    ids = planner.facts.evidence_ids(fact)
    return planner.usable is None or any(item in planner.usable for item in ids)


def _opening(planner: Planner, answer: int, branch: Branch) -> tuple[QuestionGraph, Offer]:
    facts = planner.facts
    anchor, target = facts.entity(branch.anchor), facts.entity(answer)
    mutation = seed_question(
        anchor=anchor.text,
        anchor_type=anchor.type,
        relation=facts.relations[branch.relation],
        direction=branch.direction,
        answer=target.text,
        answer_type=target.type,
        reason=f"{branch.size} things share this fact, so that there is something to narrow.",
        evidence_ids=facts.evidence_ids(branch.fact_about(answer)),
    )
    graph = replay_history([mutation])[0]
    return graph, Offer("", mutation, graph, planner.standing(graph))
