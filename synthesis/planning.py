"""Plans for whole questions: searched on the evidence first, then followed one step at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from graphkit.grounding import resolve
from graphkit.mutate import Mutation, replay_history
from graphkit.question import QuestionGraph
from synthesis.asked import asked_on
from synthesis.attempt import Attempt, Usage
from synthesis.dice import Dice
from synthesis.grow_settings import GrowSettings
from synthesis.lane import Pieces, in_one_go
from synthesis.offers import Offer, Planner, without_text

__all__ = ["Plan", "plan_in_pieces", "plan_question"]

_LEAST_BRANCHES = 3


@dataclass(frozen=True)
class Plan:
    """A way to a question that is sound on the evidence, step by step.

    Attributes:
        history: The mutations, from a seed on.
        graphs: The question after each of them.
    """

    history: tuple[Mutation, ...]
    graphs: tuple[QuestionGraph, ...]

    def holds(self, planner: Planner) -> bool:
        """Whether the last question of the plan still lacks nothing, on the evidence as it is."""
        return not planner.standing(without_text(self.graphs[-1])).missing

    def opening(self, planner: Planner) -> Offer:
        """Return the first question as something that can be advised."""
        return self._offer(planner, 0)

    def after(self, graph: QuestionGraph, planner: Planner) -> Offer | None:
        """Return the step that follows a question; None where the plan has none.

        Args:
            graph: A question in the ids of the plan.
            planner: The evidence as it is now.
        """
        for place, known in enumerate(self.graphs[:-1]):
            if (known.nodes, known.edges) == (graph.nodes, graph.edges):
                return self._offer(planner, place + 1)
        return None

    def _offer(self, planner: Planner, place: int) -> Offer:
        graph = self.graphs[place]
        standing = planner.standing(without_text(graph))
        return Offer("o1", self.history[place], graph, standing)


def plan_in_pieces(
    planner: Planner,
    seed_entity: str,
    *,
    min_iterations: int,
    max_iterations: int,
    attempts: int,
    seed: int = 0,
    avoid: Collection[str] = (),
) -> Pieces[Plan | None]:
    """Look for a question that would be sound on the evidence, and for a way to it.

    The search is that of growth without a model (:mod:`synthesis.attempt`): candidates are bits of
    a number, so that hundreds of combinations of conditions are tried in the time of one full
    check. Entities near the seed are asked about first. It pauses after every attempt.

    Args:
        planner: The evidence, what is sensible on it, and what a finished question must be.
        seed_entity: The name of the seed.
        min_iterations: The plan has at least so many steps.
        max_iterations: And at most so many.
        attempts: How many entities and chains are tried.
        seed: Where choices start from.
        avoid: Questions that the plan must not lead to, as :func:`synthesis.asked.asked_on` tells
            them.
    """
    if max_iterations < min_iterations:
        return None
    facts, goals, dice = planner.facts, planner.goals, Dice(seed)
    settings = GrowSettings(
        min_edges=goals.min_edges,
        min_iterations=min_iterations,
        max_iterations=max_iterations,
        require_closed=False,
        rules=planner.book.rules,
    )
    targets = _targets(planner, seed_entity, dice)
    for number, target in enumerate(_again(targets)):
        if number >= attempts:
            return None
        yield
        draft = Attempt(planner.book, settings, Usage(), dice).run(target)
        if draft is None or not planner.made_of_usable(*draft.history):
            continue
        graph = draft.graph
        if planner.standing(without_text(graph)).missing or asked_on(graph, facts) in avoid:
            continue
        return Plan(tuple(draft.history), tuple(replay_history(draft.history)))
    return None


plan_question = in_one_go(plan_in_pieces)


def _targets(planner: Planner, seed_entity: str, dice: Dice) -> list[int]:
    """Return the entities that can be asked about: the seed, its neighbours, the rest."""
    facts, book = planner.facts, planner.book
    match = resolve(seed_entity, facts)
    first = list(match.entities) if match is not None else []
    near = {int(n) for entity in first for n in book.near(entity)} - set(first)
    rest = set(facts.universe.tolist()) - near - set(first)
    return [
        number
        for group in (first, dice.shuffled(sorted(near)), dice.shuffled(sorted(rest)))
        for number in group
        if len(book.numbers_about(number)) >= _LEAST_BRANCHES and book.has_own_name(number)
    ]


def _again(targets: list[int]) -> Iterator[int]:
    while targets:
        yield from targets
