"""What a question should become next: reworded, grown, planned anew, or given more evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from graphkit.entities import fold
from graphkit.errors import MutationError
from synthesis.advice import Advice, ExpansionAdvice, first_span
from synthesis.agents.construction import QaRecord
from synthesis.agents.gathering import gather
from synthesis.agents.guidance import advise, agreement, begun_advice, graph_told, told_offer
from synthesis.offers import Offer, Planner
from synthesis.planning import Plan, plan_in_pieces
from synthesis.quality_checks import WORDING
from synthesis.seed_state import Reading, SeedState

__all__ = ["TO_GROW", "NextStep"]

TO_GROW = frozenset(
    {"few_iterations", "few_edges", "few_hops", "stale_evidence", "final_hop_stale"}
)
"""What a sound question may still lack; its rivals are looked for before it grows further."""

_PATIENCE = 3

_TEXT_ONLY = frozenset({"text_leak", "lint_error"})
"""What other words can mend."""

_REWORD = {
    "en": (
        "The question cannot be used as it is worded; only the words change, so that there is no "
        "operation and no strategy.",
        "it does not ask what it should ask",
    ),
    "zh": ("题目的措辞无法使用；只改措辞，因此没有操作，也没有策略。", "它没有问到应问的内容"),
}
"""Why a question is reworded, and what is told where nothing more exact is known."""


class NextStep:
    """Decides what becomes of each question of one seed.

    Args:
        state: The seed; what is decided is recorded there, evidence that is gathered on the way
            arrives there.
    """

    def __init__(self, state: SeedState) -> None:
        self.state = state
        self.plan: Plan | None = None
        self.wandering = 0
        self.sent_back: Counter[str] = Counter()
        self.explored = {fold(state.seed.entity_name)}

    async def decide(
        self,
        qa: QaRecord,
        offer: Offer | None,
        reading: Reading,
        missing: tuple[str, ...],
    ) -> tuple[Advice, Offer | None]:
        """Return advice on a question, and the change that it stands for; both are recorded.

        Args:
            qa: The last question as its author gave it.
            offer: The change that it was to follow, if there was one.
            reading: How it was understood.
            missing: What it lacks.

        Raises:
            ModelError: The model gives no usable reply.
            BudgetError: A budget is spent.
        """
        state = self.state
        if self._words_mend(reading, missing):
            state.rewordings += 1
            self.sent_back.update(missing)
            advice, picked = self._reword(qa, offer, reading)
        else:
            state.rewordings = 0
            advice, picked = await self._grow(qa, reading)
            # What words do not mend is told as what is wrong with the question.
            advice = advice.model_copy(update={"problems": (*advice.problems, *state.wanting)})
            state.wanting = ()
        view = None
        if advice.seen is not None:
            view = agreement(advice.seen, state.planner().standing(state.line)).to_record()
            state.views.append(view)
        state.record(
            "advised",
            {
                "missing": list(missing),
                "advice": advice.model_dump(mode="json", exclude={"offer"}),
                "mutation": picked.mutation.to_record() if picked is not None else None,
                "agreement": view,
            },
        )
        return advice, picked

    def _words_mend(self, reading: Reading, missing: tuple[str, ...]) -> bool:
        """Whether other words may help: not for ever, and not against what lies in the graph.

        A check of the wording that fails again and again, however it is put, fails for what is
        asked: after ``rewordings`` tries in all the seed's question is changed instead.
        """
        most = self.state.settings.rewordings
        if self.state.rewordings >= most:
            return False
        if not reading.usable:
            return True
        mendable = {*_TEXT_ONLY, *(name for name in WORDING if self.sent_back[name] < most)}
        return set(missing) <= mendable

    def _reword(
        self, qa: QaRecord, offer: Offer | None, reading: Reading
    ) -> tuple[Advice, Offer | None]:
        """Ask for the same thing in other words; a change that was not understood still holds."""
        told: dict[str, Any] = {}
        if not reading.usable and offer is not None:
            told = {"graph": graph_told(offer.graph), "answer": offer.graph.answer}
        elif self.state.lineage is not None:
            told = {"graph": graph_told(self.state.line), "answer": self.state.line.answer}
        wanting = (*reading.problems, *self.state.wanting)
        why, otherwise = _REWORD[self.state.settings.language]
        problems = wanting or (otherwise,)
        self.state.wanting = ()
        advice = Advice(
            kind="reword",
            expansion_advice=ExpansionAdvice(
                target_text_span=first_span(qa.question, ()),
                reasoning=why,
                semantic_suggestion="; ".join(problems),
            ),
            offer=told,
            problems=problems,
        )
        return advice, offer if not reading.usable else None

    async def _grow(self, qa: QaRecord, reading: Reading) -> tuple[Advice, Offer | None]:
        """Return advice on how to go on: from the line, by a plan, with more evidence, or looser.

        Without evidence for any of these the advice is to gather, which ends the seed.
        """
        for more in range(self.state.settings.more_gatherings + 1):
            planner = self.state.planner()
            offers = await self._from_line(planner)
            if offers and self._leads_on(offers):
                return await self._advised(qa, planner, offers)
            opening = await self._opening(planner)
            if opening is not None:
                self.wandering = 0
                return self._start(qa, reading, opening), opening
            if offers:
                return await self._advised(qa, planner, offers)
            if more == self.state.settings.more_gatherings or not await self._gather_more():
                break
        planner = self.state.planner()
        offers = await self._from_line(planner, loosen=True)
        if offers:
            return await self._advised(qa, planner, offers)
        return Advice(kind="gather", problems=reading.problems), None

    async def _from_line(self, planner: Planner, *, loosen: bool = False) -> tuple[Offer, ...]:
        if self.state.lineage is None:
            return ()
        graph = self.state.lineage.graph
        if self.plan is not None and not self.plan.holds(planner):
            self.plan = None  # rivals have been found
        planned = self.plan.after(graph, planner) if self.plan is not None else None
        if planned is not None and not loosen:
            return (planned,)
        try:
            return await self.state.errand.lane.run(
                planner.offers_in_pieces(
                    graph,
                    count=self.state.settings.offers,
                    seed=self.state.salt(),
                    avoid=self.state.seen,
                    steps_left=self.state.settings.min_iterations - self.state.iteration,
                    loosen=loosen,
                )
            )
        except MutationError:  # rivals have been found that push the answer out
            return ()

    def _leads_on(self, offers: Sequence[Offer]) -> bool:
        """Whether changes of the line are worth following, or a planned question is better.

        A planned step is, and one that makes the question sound; others a few times in a row.
        """
        planned = self.plan is not None and offers[0].mutation in self.plan.history
        if planned or set(offers[0].standing.missing) <= TO_GROW:
            self.wandering = 0
            return True
        self.wandering += 1
        return self.wandering <= _PATIENCE

    async def _advised(
        self, qa: QaRecord, planner: Planner, offers: Sequence[Offer]
    ) -> tuple[Advice, Offer | None]:
        graph = self.state.line
        return await advise(
            self.state.errand.door,
            self.state.line_qa or qa,
            graph,
            planner.standing(graph),
            offers,
            language=self.state.settings.language,
            vote=self.state.iteration,
        )

    async def _opening(self, planner: Planner) -> Offer | None:
        """Plan a question from the beginning and return its first step."""
        left = self.state.settings.max_iterations - self.state.iteration
        self.plan = await self.state.errand.lane.run(
            plan_in_pieces(
                planner,
                self.state.seed.entity_name,
                min_iterations=min(
                    left, max(1, self.state.settings.min_iterations - self.state.iteration)
                ),
                max_iterations=left,
                attempts=self.state.settings.plan_attempts,
                seed=self.state.salt(),
                avoid=self.state.seen,
            )
        )
        return self.plan.opening(planner) if self.plan is not None else None

    def _start(self, qa: QaRecord, reading: Reading, opening: Offer) -> Advice:
        return Advice(
            kind="start",
            expansion_advice=begun_advice(qa.question, opening.graph, self.state.settings.language),
            offer=told_offer(opening, opening.graph, self.state.settings.language),
            problems=reading.problems,
        )

    async def _gather_more(self) -> bool:
        """Gather about an entity that the evidence names often; whether anything new came."""
        mentions = self.state.desk.mentions
        names = sorted(mentions, key=lambda name: (-mentions[name], name))
        fresh = [name for name in names if fold(name) not in self.explored]
        if not fresh:
            return False
        self.explored.add(fold(fresh[0]))
        gathered = await gather(
            self.state.errand,
            seed=fresh[0],
            count=self.state.settings.evidence,
            known=self.state.desk.pool.held,
            wanted=_more_wanted(self.state.seed.entity_name, self.state.settings.language),
        )
        filtered = await self.state.desk.take(gathered.records)
        self.state.record("gathered", {"about": fresh[0], **gathered.to_record(), **filtered})
        return bool(filtered["new"])


def _more_wanted(seed: str, language: str) -> str:
    if language == "zh":
        return f"与“{seed}”有关的事实，以及同类对象的同样事实（完整的成员名单最好）。"
    return (
        f"Facts that lead from here to {seed}, and the same facts about other things of the same "
        "kind; complete lists of members are best."
    )
