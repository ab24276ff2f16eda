"""The three-agent iteration for one seed: EvoBrowseComp, 2.1, with its stopping rule and caps."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphkit.entities import fold
from graphkit.errors import ModelReplyError, MutationError
from graphkit.mutate import Rules
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.advice import Advice, ExpansionAdvice, first_span
from synthesis.agents.construction import QaRecord, chain_faults, construct, revise
from synthesis.agents.gathering import Errand, gather
from synthesis.agents.guidance import advise, agreement, graph_told, told_offer
from synthesis.agents.naming import name_edges
from synthesis.agents.parsing import parse_question
from synthesis.asked import asked_on
from synthesis.evidence_desk import EvidenceDesk
from synthesis.finishing import finished_record, proved_chain
from synthesis.lineage import Lineage
from synthesis.loop_settings import LoopSettings
from synthesis.offers import Offer, Planner, Standing
from synthesis.planning import Plan, plan_question
from synthesis.quality import QualityLimits, assess_quality
from synthesis.rival_search import RivalSearch
from synthesis.rivals import OpenEnd
from synthesis.seeds import Seed

__all__ = ["Outcome", "Recorder", "SeedLoop"]

Recorder = Callable[[str, Mapping[str, Any]], None]
"""Takes each finished step: its kind, and what happened as plain data."""

ACCEPTED = "accepted"
GAVE_UP = "gave_up"
FAILED = "failed"

_TEXT_ONLY = frozenset({"text_leak", "lint_error"})
"""What other words can mend."""

_TO_GROW = frozenset(
    {"few_iterations", "few_edges", "few_hops", "stale_evidence", "final_hop_stale"}
)
"""What a sound question may still lack; its rivals are looked for before it grows further."""


@dataclass(frozen=True)
class Outcome:
    """How a seed ended.

    Attributes:
        status: ``accepted``, ``gave_up`` (a cap ended it, or there was nothing to go on) or
            ``failed`` (a model gave nothing usable).
        missing: What was missing, as stable words; empty for an accepted question.
        iterations: How many questions were made of it.
        question: The finished question as a record, if it was accepted.
    """

    status: str
    missing: tuple[str, ...]
    iterations: int
    question: dict[str, Any] | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        return {
            "status": self.status,
            "missing": list(self.missing),
            "iterations": self.iterations,
            "question": self.question,
        }


@dataclass(frozen=True)
class Reading:
    """A question text as it was understood: its graph on the evidence, and how it stands.

    Attributes:
        graph: The graph, grounded as far as possible; None where it could not be parsed.
        standing: How it stands; None without a graph.
        problems: What kept it from being understood, for the author.
    """

    graph: QuestionGraph | None
    standing: Standing | None
    problems: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether it can be built on: grounded, with its declared answer among the answers."""
        bad = {"ungrounded", "no_answers", "unsafe_complement", "ambiguous_name", "unfaithful"}
        return self.standing is not None and not bad & set(self.standing.missing)


@dataclass
class SeedLoop:
    """Runs one seed through the loop; everything that it decides follows from the replies.

    Attributes:
        seed: The seed.
        errand: Models, web, language and timestamp.
        settings: The parameters.
        record: Takes each finished step.
        sheet: The relation sheet, if there is one.
    """

    seed: Seed
    errand: Errand
    settings: LoopSettings
    record: Recorder
    sheet: RelationSheet = field(default_factory=RelationSheet)

    def __post_init__(self) -> None:
        """Set up what changes on the way."""
        self.desk = EvidenceDesk(self.errand, self.settings, self.sheet)
        self.lineage: Lineage | None = None
        self.line_qa: QaRecord | None = None
        self.wanting: tuple[str, ...] = ()
        self.plan: Plan | None = None
        self.explored = {fold(self.seed.entity_name)}
        self.iteration = 0
        self.seen: list[str] = []
        self.rewordings = 0
        self.asked: set[OpenEnd] = set()
        self.rival_record: dict[str, Any] = {}
        self.views: list[dict[str, Any]] = []

    async def run(self) -> Outcome:
        """Run the loop to its end.

        Raises:
            ModelAccessError, ModelServerError: The models cannot be reached; the seed is not
                finished and can be taken up again.
            BudgetError: A budget is spent; likewise.
        """
        try:
            outcome = await self._run()
        except ModelReplyError as error:
            word = error.problems[0].code if error.problems else "model_reply"
            self.record("gave_nothing", {"problems": [str(item) for item in error.problems]})
            outcome = Outcome(FAILED, (word,), self.iteration)
        return outcome

    async def _run(self) -> Outcome:
        if not await self._gather():
            return Outcome(GAVE_UP, ("too_little_evidence",), 0)
        qa = await self._construct()
        offer: Offer | None = None
        while True:
            self.iteration += 1
            reading = await self._read(qa)
            self._take(qa, offer, reading)
            missing = self._missing(reading)
            if set(missing) <= _TO_GROW:
                reading = await self._search_rivals(reading)
                missing = self._missing(reading)
            if not missing:
                finished = await self._finish(qa, reading)
                if finished is not None:
                    return finished
                missing = ("quality",)
            if self.iteration >= self.settings.max_iterations:
                return Outcome(GAVE_UP, missing, self.iteration)
            advice, offer = await self._advice(qa, offer, reading, missing)
            if advice.kind == "gather":
                return Outcome(GAVE_UP, missing, self.iteration)
            qa = await self._revise(self._told_about(qa, advice), advice)

    def _told_about(self, qa: QaRecord, advice: Advice) -> QaRecord:
        """Return the question that advice is about: the last good one, unless it rewords."""
        return qa if advice.kind == "reword" or self.line_qa is None else self.line_qa

    # ---- evidence ---------------------------------------------------------------------------

    async def _gather(self) -> bool:
        """Gather and filter until there is enough; whether there is."""
        wanted = ""
        for attempt in range(self.settings.gatherings):
            gathered = await gather(
                self.errand,
                seed=self.seed.entity_name,
                count=self.settings.evidence,
                known=tuple(self.desk.pool.records.values()),
                wanted=wanted,
                vote=attempt,
            )
            filtered = await self.desk.take(gathered.records)
            self.record("gathered", {**gathered.to_record(), **filtered})
            kept = len(self.desk.pool.retained)
            if kept >= self.settings.min_evidence:
                return True
            wanted = _shortage(kept, self.settings.min_evidence, self.settings.language)
        return False

    # ---- questions --------------------------------------------------------------------------

    async def _construct(self) -> QaRecord:
        answered = await construct(
            self.errand.door,
            self.desk.pool.retained,
            since=self.settings.since,
            min_hops=self.settings.min_hops,
            language=self.settings.language,
        )
        qa = answered.value.questions[0]
        self._wrote("constructed", qa, answered.repairs)
        return qa

    async def _revise(self, qa: QaRecord, advice: Advice) -> QaRecord:
        answered = await revise(
            self.errand.door,
            self.desk.pool.retained,
            qa,
            advice,
            language=self.settings.language,
            vote=self.iteration,
        )
        revised = answered.value.questions[0]
        self._wrote("revised", revised, answered.repairs)
        return revised

    def _wrote(self, step: str, qa: QaRecord, repairs: Sequence[str]) -> None:
        faults = chain_faults(qa, self.desk.pool.records)
        self.record(
            step,
            {"qa": qa.model_dump(mode="json"), "repairs": list(repairs), "chain_faults": faults},
        )

    async def _read(self, qa: QaRecord) -> Reading:
        """Parse a question and check it on the evidence."""
        parsed = await parse_question(
            self.errand.door,
            qa.question,
            qa.answer,
            qa.chain(),
            language=self.settings.language,
        )
        data: dict[str, Any] = {"status": parsed.status, "repairs": list(parsed.repairs)}
        if parsed.graph is None:
            problems = tuple(str(item) for item in parsed.problems) or (parsed.status,)
            if parsed.not_expressible:
                problems = (f"not_expressible: {parsed.not_expressible}",)
            self.record("parsed", {**data, "problems": list(problems)})
            return Reading(None, None, problems)
        graph = parsed.graph.replace(question=qa.question, answer=qa.answer)
        graph, naming = await name_edges(
            self.errand.door,
            graph,
            self.desk.pool.facts,
            self.desk.book,
            language=self.settings.language,
        )
        standing = self._planner().standing(graph)
        self.record(
            "parsed",
            {
                **data,
                "repairs": [*parsed.repairs, *naming.repairs],
                "refused": list(naming.refused),
                "graph": graph.to_record(),
                "checks": standing.report.to_record(),
                "missing": list(standing.missing),
            },
        )
        problems = tuple(
            finding.message
            for finding in standing.report.lint
            if finding.code in ("unresolved_name", "unresolved_relation", "answer_leaked")
        )
        return Reading(graph, standing, problems)

    def _planner(self) -> Planner:
        return Planner(
            self.desk.pool.facts,
            self.settings.goals,
            usable=frozenset(item.evidence_id for item in self.desk.pool.retained),
            rules=Rules(
                complete_only=False,
                exclusion_complete=False,
                min_set=self.settings.min_set,
                max_set=self.settings.max_set,
            ),
        )

    def _take(self, qa: QaRecord, offer: Offer | None, reading: Reading) -> None:
        """Go on with the new question; one that cannot be built on leaves the line as it was."""
        graph = reading.graph
        if graph is None or not reading.usable:
            return
        facts = self.desk.pool.facts
        asked = asked_on(graph, facts)
        if self.lineage is None:
            self.lineage = Lineage.begun(graph, seed=self.seed.entity_name)
        elif offer is not None and asked == asked_on(offer.graph, facts):
            self.lineage = self.lineage.followed(offer, graph)
        elif asked == asked_on(self.lineage.graph, facts):
            self.lineage = self.lineage.reworded(graph)
            self.line_qa = qa
            return
        else:
            reason = "The author wrote a question that asks something else than advised."
            self.lineage = self.lineage.rewritten_as(graph, reason=reason)
        self.line_qa = qa
        self.rewordings = 0
        self.seen.append(asked)

    def _missing(self, reading: Reading) -> tuple[str, ...]:
        if reading.standing is None:
            return ("unparsed",)
        missing = reading.standing.missing
        if self.iteration < self.settings.min_iterations:
            missing = (*missing, "few_iterations")
        return missing

    # ---- the end ----------------------------------------------------------------------------

    async def _search_rivals(self, reading: Reading) -> Reading:
        """Look for other answers on the web, and see how the question stands afterwards."""
        assert self.lineage is not None
        if not self.settings.rivals:
            return reading
        search = RivalSearch(self.desk, self.lineage.graph, self.asked)
        self.rival_record = await search.run()
        standing = self._planner().standing(self.lineage.graph)
        self.record(
            "rivals",
            {
                **self.rival_record,
                "missing": list(standing.missing),
                "checks": standing.report.to_record(),
            },
        )
        return Reading(self.lineage.graph, standing, ())

    async def _finish(self, qa: QaRecord, reading: Reading) -> Outcome | None:
        """Judge the wording; return the accepted question, or None where it is found wanting."""
        assert self.lineage is not None
        assert reading.standing is not None
        facts = self.desk.pool.facts
        chain = proved_chain(self.lineage.graph, facts)
        evidence = [self.desk.pool.records[hop.evidence_id] for hop in chain if hop.evidence_id]
        more: dict[str, Any] = {"rivals": self.rival_record, "agreement": self.views}
        if self.settings.quality:
            report = await assess_quality(
                self.errand.door,
                qa.question,
                qa.answer,
                graph=self.lineage.graph,
                evidence=evidence,
                chain=[hop.model_dump() for hop in chain],
                language=self.settings.language,
                limits=QualityLimits(
                    min_hops=self.settings.min_hops, min_fresh_share=self.settings.fresh_share
                ),
            )
            more["quality"] = report.to_record()
            self.record("judged", report.to_record())
            if not report.passed:
                self.wanting = tuple(
                    f"{check.name}: {check.reason or check.expected}"
                    for check in report.checks
                    if check.name in {*report.failed, *report.unscored}
                )
                return None
        record = finished_record(
            self.seed,
            qa,
            self.lineage,
            reading.standing.report,
            facts,
            language=self.settings.language,
            iteration=self.iteration,
            more=more,
        )
        return Outcome(ACCEPTED, (), self.iteration, record)

    # ---- advice -----------------------------------------------------------------------------

    async def _advice(
        self,
        qa: QaRecord,
        offer: Offer | None,
        reading: Reading,
        missing: tuple[str, ...],
    ) -> tuple[Advice, Offer | None]:
        text_only = reading.usable and set(missing) <= {*_TEXT_ONLY, "quality"}
        if (not reading.usable or text_only) and self.rewordings < self.settings.rewordings:
            self.rewordings += 1
            advice, picked = self._reword(qa, offer, reading)
        else:
            self.rewordings = 0
            advice, picked = await self._grow(qa, reading)
        view = None
        if advice.seen is not None:
            view = agreement(advice.seen, self._planner().standing(self._line())).to_record()
            self.views.append(view)
        self.record(
            "advised",
            {
                "missing": list(missing),
                "advice": advice.model_dump(mode="json", exclude={"offer"}),
                "mutation": picked.mutation.to_record() if picked is not None else None,
                "agreement": view,
            },
        )
        return advice, picked

    def _line(self) -> QuestionGraph:
        assert self.lineage is not None
        return self.lineage.graph

    def _reword(
        self, qa: QaRecord, offer: Offer | None, reading: Reading
    ) -> tuple[Advice, Offer | None]:
        """Ask for the same thing in other words; a change that was not understood still holds."""
        told: dict[str, Any] = {}
        if not reading.usable and offer is not None:
            told = {"graph": graph_told(offer.graph), "answer": offer.graph.answer}
        elif self.lineage is not None:
            told = {"graph": graph_told(self.lineage.graph), "answer": self.lineage.graph.answer}
        problems = (*reading.problems, *self.wanting) or ("it does not ask what it should ask",)
        self.wanting = ()
        advice = Advice(
            kind="reword",
            expansion_advice=ExpansionAdvice(
                target_text_span=first_span(qa.question, ()),
                reasoning="The question cannot be used as it is worded.",
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
        for more in range(self.settings.more_gatherings + 1):
            planner = self._planner()
            offers = self._from_line(planner)
            if offers:
                return await self._advised(qa, planner, offers)
            opening = self._opening(planner)
            if opening is not None:
                return self._start(qa, reading, opening), opening
            if more == self.settings.more_gatherings or not await self._gather_more():
                break
        planner = self._planner()
        offers = self._from_line(planner, loosen=True)
        if offers:
            return await self._advised(qa, planner, offers)
        return Advice(kind="gather", problems=reading.problems), None

    def _from_line(self, planner: Planner, *, loosen: bool = False) -> tuple[Offer, ...]:
        if self.lineage is None:
            return ()
        graph = self.lineage.graph
        planned = self.plan.after(graph, planner) if self.plan is not None else None
        if planned is not None and not loosen:
            return (planned,)
        try:
            return planner.offers(
                graph,
                count=self.settings.offers,
                seed=self._salt(),
                avoid=self.seen,
                steps_left=self.settings.min_iterations - self.iteration,
                loosen=loosen,
            )
        except MutationError:  # rivals have been found that push the answer out
            return ()

    async def _advised(
        self, qa: QaRecord, planner: Planner, offers: Sequence[Offer]
    ) -> tuple[Advice, Offer | None]:
        graph = self._line()
        return await advise(
            self.errand.door,
            self.line_qa or qa,
            graph,
            planner.standing(graph),
            offers,
            language=self.settings.language,
            vote=self.iteration,
        )

    def _opening(self, planner: Planner) -> Offer | None:
        """Plan a question from the beginning and return its first step."""
        left = self.settings.max_iterations - self.iteration
        self.plan = plan_question(
            planner,
            self.seed.entity_name,
            min_iterations=min(left, max(1, self.settings.min_iterations - self.iteration)),
            max_iterations=left,
            attempts=self.settings.plan_attempts,
            seed=self._salt(),
            avoid=self.seen,
        )
        return self.plan.opening(planner) if self.plan is not None else None

    def _start(self, qa: QaRecord, reading: Reading, opening: Offer) -> Advice:
        return Advice(
            kind="start",
            expansion_advice=ExpansionAdvice(
                target_text_span=first_span(qa.question, ()),
                reasoning="From the question as it is no sound one can be reached.",
                semantic_suggestion="Write a new question of the structure given.",
            ),
            offer=told_offer(opening, opening.graph, self.settings.language),
            problems=reading.problems,
        )

    async def _gather_more(self) -> bool:
        """Gather about an entity that the evidence names often; whether anything new came."""
        mentions = self.desk.mentions
        names = sorted(mentions, key=lambda name: (-mentions[name], name))
        fresh = [name for name in names if fold(name) not in self.explored]
        if not fresh:
            return False
        self.explored.add(fold(fresh[0]))
        gathered = await gather(
            self.errand,
            seed=fresh[0],
            count=self.settings.evidence,
            known=tuple(self.desk.pool.records.values()),
            wanted=_more_wanted(self.seed.entity_name, self.settings.language),
        )
        filtered = await self.desk.take(gathered.records)
        self.record("gathered", {"about": fresh[0], **gathered.to_record(), **filtered})
        return bool(filtered["new"])

    def _salt(self) -> int:
        text = f"{self.settings.seed}/{fold(self.seed.entity_name)}/{self.iteration}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _shortage(kept: int, wanted: int, language: str) -> str:
    if language == "zh":
        return f"目前只保留了{kept}条，至少需要{wanted}条；请换别的来源，取较少为人知的事实。"
    return (
        f"Only {kept} facts could be kept so far, at least {wanted} are needed: look at other "
        "sources, and for facts that are less well known."
    )


def _more_wanted(seed: str, language: str) -> str:
    if language == "zh":
        return f"与“{seed}”有关的事实，以及同类对象的同样事实（完整的成员名单最好）。"
    return (
        f"Facts that lead from here to {seed}, and the same facts about other things of the same "
        "kind; complete lists of members are best."
    )
