"""What one seed has come to so far: its evidence, its line of questions, and how each is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphkit.entities import fold
from graphkit.mutate import Rules
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.agents.construction import QaRecord
from synthesis.agents.gathering import Errand
from synthesis.asked import asked_on
from synthesis.entity_kinds import JoinedKinds, OpenKinds
from synthesis.evidence_desk import EvidenceDesk
from synthesis.evidence_pool import spelled_alike
from synthesis.lineage import Lineage
from synthesis.loop_settings import LoopSettings
from synthesis.offers import Offer, Planner, Standing
from synthesis.readings import open_readings
from synthesis.seeds import Seed

__all__ = ["Reading", "Recorder", "SeedState"]

Recorder = Callable[[str, Mapping[str, Any]], None]
"""Takes each finished step: its kind, and what happened as plain data."""


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
class SeedState:
    """The state of one seed; the loop and what decides on its next step share it.

    Attributes:
        seed: The seed.
        errand: Models, web, language and timestamp.
        settings: The parameters.
        record: Takes each finished step.
        sheet: The relation sheet, if there is one.
        desk: The evidence.
        lineage: The line of questions; None before the first that can be built on.
        line_qa: The text of its last question.
        iteration: How many questions were made.
        seen: What was asked already, as :func:`synthesis.asked.asked_on` tells it.
        rewordings: How often in a row a wording was sent back.
        wanting: What the judges of the wording found wanting in the last question.
        views: Where the guidance agent and the computed checks agreed.
    """

    seed: Seed
    errand: Errand
    settings: LoopSettings
    record: Recorder
    sheet: RelationSheet = field(default_factory=RelationSheet)
    lineage: Lineage | None = None
    line_qa: QaRecord | None = None
    iteration: int = 0
    rewordings: int = 0
    wanting: tuple[str, ...] = ()
    seen: list[str] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Set up the desk."""
        self.desk = EvidenceDesk(self.errand, self.settings, self.sheet)

    @property
    def line(self) -> QuestionGraph:
        """The graph of the last question of the line."""
        assert self.lineage is not None
        return self.lineage.graph

    def planner(self) -> Planner:
        """Return what plans on the evidence as it is now."""
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

    def otherwise(self) -> tuple[str, ...]:
        """Return what the question of the line lacks where its evidence is read otherwise.

        A name with several types may be one entity or several; a finished question stands both
        ways, see :mod:`synthesis.readings`.
        """
        pool = self.desk.pool
        joined = JoinedKinds.of(pool.held, pool.sheet)
        laid = spelled_alike(joined.read(pool.held))
        kinds = OpenKinds.of(laid, pool.sheet)
        apart = spelled_alike(pool.held)
        for reading in open_readings(
            laid, pool.sheet, pool.sheet, kinds, apart=apart, joined=joined
        ):
            standing = reading.standing(self.line, self.settings.goals)
            if standing.missing:
                lacks = {"reading": reading.name, "types": kinds.to_record()}
                self.record("read_otherwise", {**lacks, "missing": list(standing.missing)})
                return standing.missing
        return ()

    def take(self, qa: QaRecord, offer: Offer | None, reading: Reading) -> None:
        """Go on with the new question; one that cannot be built on leaves the line as it was.

        Args:
            qa: The question as its author gave it.
            offer: The change that it was to follow, if there was one.
            reading: How it was understood.
        """
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

    def salt(self) -> int:
        """Return where choices between equally good changes start from in this iteration."""
        text = f"{self.settings.seed}/{fold(self.seed.entity_name)}/{self.iteration}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")
