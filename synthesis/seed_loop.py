"""The three-agent iteration for one seed: EvoBrowseComp, 2.1, with its stopping rule and caps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from graphkit.errors import ModelReplyError
from graphkit.relations import RelationSheet
from synthesis.advice import Advice
from synthesis.agents.construction import QaRecord, chain_faults, construct, revise
from synthesis.agents.gathering import Errand, gather
from synthesis.agents.naming import name_edges
from synthesis.agents.parsing import parse_question
from synthesis.evidence_desk import EvidenceDesk
from synthesis.finishing import finished_record, proved_chain
from synthesis.loop_settings import LoopSettings
from synthesis.next_step import TO_GROW, NextStep
from synthesis.offers import Offer
from synthesis.quality import QualityLimits, assess_quality
from synthesis.rival_search import RivalSearch, told_in_question
from synthesis.rivals import OpenEnd
from synthesis.seed_state import Reading, Recorder, SeedState
from synthesis.seeds import Seed
from synthesis.shown_evidence import behind, near

__all__ = ["Outcome", "Recorder", "SeedLoop"]

ACCEPTED = "accepted"
GAVE_UP = "gave_up"
FAILED = "failed"


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
        self.state = SeedState(self.seed, self.errand, self.settings, self.record, self.sheet)
        self.next = NextStep(self.state)
        self.asked: set[OpenEnd] = set()
        self.rival_record: dict[str, Any] = {}

    @property
    def desk(self) -> EvidenceDesk:
        """The evidence so far."""
        return self.state.desk

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
            outcome = Outcome(FAILED, (word,), self.state.iteration)
        return outcome

    async def _run(self) -> Outcome:
        lacks = await self._gather()
        if lacks:
            return Outcome(GAVE_UP, lacks, 0)
        qa = await self._construct()
        offer: Offer | None = None
        while True:
            self.state.iteration += 1
            reading = await self._read(qa)
            self.state.take(qa, offer, reading)
            missing = self._missing(reading)
            if set(missing) <= TO_GROW:
                reading = await self._search_rivals(reading)
                missing = self._missing(reading) or self.state.otherwise()
            if not missing:
                finished = await self._finish(qa, reading)
                if isinstance(finished, Outcome):
                    return finished
                missing = finished
            if self.state.iteration >= self.settings.max_iterations:
                return Outcome(GAVE_UP, missing, self.state.iteration)
            advice, offer = await self.next.decide(qa, offer, reading, missing)
            if advice.kind == "gather":
                return Outcome(GAVE_UP, missing, self.state.iteration)
            qa = await self._revise(self._told_about(qa, advice), advice, offer)

    def _told_about(self, qa: QaRecord, advice: Advice) -> QaRecord:
        """Return the question that advice is about: the last good one, unless it rewords."""
        return qa if advice.kind == "reword" or self.state.line_qa is None else self.state.line_qa

    # ---- evidence ---------------------------------------------------------------------------

    async def _gather(self) -> tuple[str, ...]:
        """Gather and filter until there is enough; return what is missing in the end.

        Where the search provider did not answer, that is said beside it: the web may have more.
        """
        wanted = ""
        unanswered: set[str] = set()
        for attempt in range(self.settings.gatherings):
            gathered = await gather(
                self.errand,
                seed=self.seed.entity_name,
                count=self.settings.evidence,
                known=self.desk.pool.held,
                wanted=wanted,
                vote=attempt,
            )
            filtered = await self.desk.take(gathered.records)
            self.record("gathered", {**gathered.to_record(), **filtered})
            kept = len(self.desk.pool.retained)
            if kept >= self.settings.min_evidence:
                return ()
            unanswered.update(
                f"search_{item.status}"
                for item in gathered.access.searches
                if item.status in ("rate_limited", "failed")
            )
            wanted = _shortage(kept, self.settings.min_evidence, self.settings.language)
        return ("too_little_evidence", *sorted(unanswered))

    # ---- questions --------------------------------------------------------------------------

    async def _construct(self) -> QaRecord:
        retained, limit = self.desk.pool.retained, self.settings.evidence_shown
        answered = await construct(
            self.errand.door,
            near(retained, self.seed.entity_name, limit=limit),
            since=self.settings.since,
            min_hops=self.settings.min_hops,
            language=self.settings.language,
        )
        qa = answered.value.questions[0]
        self._wrote("constructed", qa, answered.repairs)
        return qa

    async def _revise(self, qa: QaRecord, advice: Advice, offer: Offer | None) -> QaRecord:
        limit = self.settings.evidence_shown
        graphs = [] if offer is None else [offer.graph]
        if self.state.lineage is not None:
            graphs.append(self.state.line)
        ids = [] if offer is None else list(offer.mutation.evidence_ids)
        ids += [hop.evidence_id for hop in qa.reasoning_chain]
        retained = self.desk.pool.retained
        shown = behind(retained, self.desk.pool.facts, graphs, ids, limit=limit)
        answered = await revise(
            self.errand.door,
            shown or near(retained, self.seed.entity_name, limit=limit),
            qa,
            advice,
            language=self.settings.language,
            vote=self.state.iteration,
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
        standing = self.state.planner().standing(graph)
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

    def _missing(self, reading: Reading) -> tuple[str, ...]:
        if reading.standing is None:
            return ("unparsed",)
        missing = reading.standing.missing
        if self.state.iteration < self.settings.min_iterations:
            missing = (*missing, "few_iterations")
        return missing

    # ---- the end ----------------------------------------------------------------------------

    async def _search_rivals(self, reading: Reading) -> Reading:
        """Look for other answers on the web, and see how the question stands afterwards."""
        if not self.settings.rivals:
            return reading
        search = RivalSearch(self.desk, self.state.line, self.asked)
        self.rival_record = await search.run()
        standing = self.state.planner().standing(self.state.line)
        self.record(
            "rivals",
            {
                **self.rival_record,
                "missing": list(standing.missing),
                "checks": standing.report.to_record(),
            },
        )
        return Reading(self.state.line, standing, ())

    async def _finish(self, qa: QaRecord, reading: Reading) -> Outcome | tuple[str, ...]:
        """Judge the wording; return the accepted question, or what it lacks."""
        assert self.state.lineage is not None
        assert reading.standing is not None
        facts = self.desk.pool.facts
        chain = proved_chain(self.state.line, facts)
        evidence = [self.desk.pool.records[hop.evidence_id] for hop in chain if hop.evidence_id]
        more: dict[str, Any] = {
            "rivals": told_in_question(self.rival_record),
            "agreement": self.state.views,
        }
        if self.settings.quality:
            report = await assess_quality(
                self.errand.door,
                qa.question,
                qa.answer,
                graph=self.state.line,
                evidence=evidence,
                chain=[hop.model_dump() for hop in chain],
                language=self.settings.language,
                limits=QualityLimits(
                    min_hops=self.settings.min_hops,
                    min_fresh_share=self.settings.fresh_share,
                    last_hop_fresh=self.settings.fresh_last_hop,
                ),
            )
            more["quality"] = report.to_record()
            self.record("judged", report.to_record())
            if not report.passed:
                self.state.wanting = tuple(
                    f"{check.name}: {check.reason or check.expected}"
                    for check in report.checks
                    if check.name in {*report.failed, *report.unscored}
                )
                return report.missing
        record = finished_record(
            self.seed,
            qa,
            self.state.lineage,
            reading.standing.report,
            facts,
            language=self.settings.language,
            iteration=self.state.iteration,
            more=more,
        )
        return Outcome(ACCEPTED, (), self.state.iteration, record)


def _shortage(kept: int, wanted: int, language: str) -> str:
    if language == "zh":
        return f"目前只保留了{kept}条，至少需要{wanted}条；请换别的来源，取较少为人知的事实。"
    return (
        f"Only {kept} facts could be kept so far, at least {wanted} are needed: look at other "
        "sources, and for facts that are less well known."
    )
