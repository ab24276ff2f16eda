"""The ways in which evidence may be read: what counts as one relation and one entity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graphkit.entities import fold
from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.grounding import ground, resolve
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.entity_kinds import JoinedKinds, OpenKinds
from synthesis.evidence_pool import same_names
from synthesis.offers import Goals, Standing

__all__ = ["ApartReading", "EvidenceReading", "open_readings"]


@dataclass(frozen=True)
class EvidenceReading:
    """One way to read evidence.

    Attributes:
        name: What it is called in records.
        facts: The facts.
        kinds: What became of types; None where they are those of the evidence.
    """

    name: str
    facts: FactStore
    kinds: OpenKinds | None = None

    def standing(self, graph: QuestionGraph, goals: Goals) -> Standing:
        """Check a question in this reading."""
        asked = graph if self.kinds is None else self.kinds.asked(graph)
        return Standing.of(asked, self.facts, goals)


@dataclass(frozen=True)
class ApartReading(EvidenceReading):
    """The reading in which nothing was joined: who has another type is somebody else.

    It protects from answers that only joining gives, and from rivals that only joining hides. So
    all that it asks is that the declared answer is an answer, and nothing of another name is one.
    A name that the question gives means all that was joined under it.

    Attributes:
        joined: What was joined in the reading as it is written.
    """

    joined: JoinedKinds | None = None

    def standing(self, graph: QuestionGraph, goals: Goals) -> Standing:
        """Check a question in this reading."""
        asked = OpenKinds(self.facts.sheet).asked(graph)
        if self.joined is not None:
            asked = self.joined.named_openly(asked)
        grounded = not ground(asked, self.facts, strict=False).unresolved
        found = evaluate(asked, self.facts).answers if grounded else None
        match = resolve(graph.answer or "", self.facts)
        if found is None or found.complemented or match is None:
            missing: tuple[str, ...] = ("no_answers",)
        else:
            answers = {fold(self.facts.name(number)) for number in found.ids.tolist()}
            declared = {fold(self.facts.name(number)) for number in match.entities}
            missing = () if answers & declared else ("no_answers",)
            missing += ("several_answers",) if answers - declared else ()
        return replace(Standing.of(asked, self.facts, goals), missing=missing)


def open_readings(
    records: Sequence[EvidenceRecord],
    sheet: RelationSheet,
    wider: RelationSheet,
    kinds: OpenKinds,
    *,
    apart: Sequence[EvidenceRecord] = (),
    joined: JoinedKinds | None = None,
) -> Iterator[EvidenceReading]:
    """Yield the readings of evidence beside that as it is written, as far as they may be others.

    Args:
        records: The evidence.
        sheet: The relation sheet.
        wider: The sheet that joins further relations; ``sheet`` itself where none are.
        kinds: Which types of one name are perhaps one.
        apart: The evidence before types were joined.
        joined: Which types were joined in ``records``.
    """
    if joined is not None and joined.change:
        yield ApartReading("types apart", FactStore.from_evidence(apart, sheet), joined=joined)
    if wider is not sheet:
        yield EvidenceReading("relations joined", FactStore.from_evidence(records, wider))
    said = (entry.head_type or entry.tail_type for entry in wider.relations.values())
    if not any(said) and not any(item.head_type or item.tail_type for item in records):
        return
    typed = same_names(kinds.read(records))
    yield EvidenceReading("types open", FactStore.from_evidence(typed, sheet), kinds)
    if wider is not sheet:
        both = FactStore.from_evidence(typed, wider)
        yield EvidenceReading("relations joined, types open", both, kinds)
