"""The information filtering agent: is fresh evidence reliable, is other evidence too well known."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, field_validator

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord
from synthesis.admission import address_key
from synthesis.agents.construction import evidence_lines
from synthesis.agents.gathering import Errand
from synthesis.evidence_pool import Popularity, Reliability
from synthesis.mentions import mentions
from synthesis.prompting import load_prompt

if TYPE_CHECKING:
    from graphkit.models import ModelDoor
    from synthesis.web import Page

__all__ = ["PopularityVerdict", "ReliabilityVerdict", "judge_popularity", "judge_reliability"]

INDEPENDENT_SOURCES = 2
"""How many independent sources make fresh evidence credible: EvoBrowseComp, A.3."""


def _word(value: object) -> object:
    if not isinstance(value, str):
        return value
    return " ".join(value.strip().casefold().replace("_", " ").split())


class ReliabilityReply(BaseModel):
    """What the agent replies on fresh evidence: EvoBrowseComp, A.3, with the sources."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reliability: Reliability
    sources: tuple[str, ...] = ()
    contradicting: tuple[str, ...] = ()

    _plain = field_validator("reliability", mode="before")(_word)


class PopularityReply(BaseModel):
    """What the agent replies on other evidence: EvoBrowseComp, A.3."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    popularity: Popularity

    @field_validator("popularity", mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        word = _word(value)
        return "non-popular" if word in ("non popular", "nonpopular", "not popular") else word


@dataclass(frozen=True)
class ReliabilityVerdict:
    """What was found out about one fresh claim.

    The label is the model's, held against what was really read: *credible* needs two pages that
    the model names as sources (of all that it visited, if it names none) and that name both
    things, of different root domains, neither copies of each other nor of the page that the claim
    came from. Otherwise it is *unclear*.

    Attributes:
        evidence_id: The claim.
        label: The label.
        model: What the model said.
        supporting: Addresses of one page for each independent source that states the claim.
        set_aside: Pages that state it but do not count: the origin, copies, the same site.
        repairs: What was read as something else.
        work: What was searched for and visited.
    """

    evidence_id: str
    label: Reliability
    model: Reliability
    supporting: tuple[str, ...]
    set_aside: tuple[str, ...]
    repairs: tuple[str, ...]
    work: dict[str, Any]

    def to_record(self) -> dict[str, Any]:
        """Return the verdict as plain data, for the journal."""
        return {
            "evidence_id": self.evidence_id,
            "label": self.label.value,
            "model": self.model.value,
            "supporting": list(self.supporting),
            "set_aside": list(self.set_aside),
            "repairs": list(self.repairs),
            **self.work,
        }


@dataclass(frozen=True)
class PopularityVerdict:
    """What the model said of some evidence that is not fresh."""

    label: Popularity
    repairs: tuple[str, ...]


async def judge_reliability(
    errand: Errand, records: Sequence[EvidenceRecord]
) -> list[ReliabilityVerdict]:
    """Cross-check fresh claims on the web: EvoBrowseComp, 2.1 (1) of the filtering agent.

    The agent gives one label to a list. Where that is not *credible*, the list is halved and
    asked again, so that one false claim does not take the true ones with it.

    Args:
        errand: Models, web, language and timestamp.
        records: The claims; one alone is judged as in the paper.

    Returns:
        A verdict for each claim, in their order.

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    if not records:
        return []
    verdicts, told = await _one_list(errand, records)
    if told is Reliability.CREDIBLE or len(records) == 1:
        return verdicts
    half = len(records) // 2
    return [
        *await judge_reliability(errand, records[:half]),
        *await judge_reliability(errand, records[half:]),
    ]


async def _one_list(
    errand: Errand, records: Sequence[EvidenceRecord]
) -> tuple[list[ReliabilityVerdict], Reliability]:
    access = errand.access()
    prompt = load_prompt("reliability", errand.language)
    reply = await errand.door.converse(
        "reliability",
        prompt.messages(evidence_list=evidence_lines(records), since=errand.since),
        access.tools(),
        ReliabilityReply,
        max_calls=errand.check_calls,
    )
    told = reply.value.reliability
    visited = {
        address_key(url) for page in access.pages.values() for url in (page.url, page.final_url)
    }
    repairs = [
        *reply.repairs,
        *(
            f"source {url} was not visited"
            for url in reply.value.sources
            if address_key(url) not in visited
        ),
    ]
    work = access.record()
    denying = {address_key(url) for url in reply.value.contradicting}
    naming = {address_key(url) for url in reply.value.sources} & visited
    pages = {
        page.url: _folded(page.text)
        for page in access.pages.values()
        if not (own := {address_key(page.url), address_key(page.final_url)}) & denying
        and (not naming or own & naming)
    }
    verdicts = []
    for record in records:
        stating = [access.pages[url] for url, text in pages.items() if _names(text, record)]
        origin = await errand.web.visit(record.source_url)
        # Long pages take their time; other seeds need not wait for them.
        supporting = await asyncio.to_thread(independent, stating, origin)
        counted = {page.url for page in supporting}
        label, notes = told, list(repairs)
        if told is Reliability.CREDIBLE and len(supporting) < INDEPENDENT_SOURCES:
            label = Reliability.UNCLEAR
            notes.append(
                f"credible read as unclear: {len(supporting)} independent "
                f"source{'' if len(supporting) == 1 else 's'} of those visited state it"
            )
        verdicts.append(
            ReliabilityVerdict(
                record.evidence_id,
                label,
                told,
                tuple(page.final_url or page.url for page in supporting),
                tuple(page.final_url or page.url for page in stating if page.url not in counted),
                tuple(notes),
                work,
            )
        )
    return verdicts, told


def independent(pages: Sequence[Page], origin: Page) -> list[Page]:
    """Return one page for each independent source among some pages.

    Args:
        pages: Pages that state a claim.
        origin: Where the claim came from; it and whatever copies it do not count.
    """
    from synthesis.web import independent_sources

    url = origin.final_url or origin.url
    return [group[0] for group in independent_sources(pages, origin_url=url, origin=origin)]


def states(text: str, record: EvidenceRecord) -> bool:
    """Whether a page speaks of a claim: both names stand on it.

    That the page says the same of them is the model's part; this only keeps a page from counting
    that does not even name them.

    >>> record = EvidenceRecord(evidence_id="e", head_entity="Ulm", relation="lies on",
    ...                         tail_entity="Danube")
    >>> states("Ulm lies on the Danube.", record), states("Ulm is old.", record)
    (True, False)
    """
    return _names(_folded(text), record)


def _folded(text: str) -> str:
    return fold(" ".join(text.split()))


def _names(folded: str, record: EvidenceRecord) -> bool:
    names = (record.head_entity, record.tail_entity)
    return all(mentions(folded, fold(name)) for name in names)


async def judge_popularity(
    door: ModelDoor, records: Iterable[EvidenceRecord], *, language: str
) -> PopularityVerdict:
    """Ask whether evidence is too well known to be worth a question: EvoBrowseComp, 2.1 (2).

    Args:
        door: The models.
        records: Evidence that is not fresh; one record gives a verdict on it alone.
        language: ``en`` or ``zh``.

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    messages = load_prompt("popularity", language).messages(evidence_list=evidence_lines(records))
    reply = await door.ask("popularity", messages, PopularityReply)
    return PopularityVerdict(reply.value.popularity, reply.repairs)
