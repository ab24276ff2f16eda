"""The fact library of a task, and the evidence level that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphkit.evidence import root_domain
from rubric.logic import Level

__all__ = ["Fact", "FactRelation", "FactSource", "FactStatus", "Origin", "evidence_level"]


class Origin(StrEnum):
    """Where a fact was observed."""

    VIDEO = "video"
    WEB = "web"


class FactStatus(StrEnum):
    """What the evidence structure says of a fact; OmniDR-Bench, E.2."""

    VERIFIED = "verified"
    SINGLE_SOURCE = "single-source"
    DISPUTED = "disputed"
    UNAVAILABLE = "unavailable"


class RelationKind(StrEnum):
    """How two facts are connected; OmniDR-Bench, 3.2."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UPDATES = "updates"
    EXPLAINS = "explains"
    COMPARES = "compares"
    APPLIES = "applies"


class FactSource(BaseModel):
    """A source of a fact: its URL, tier, date and the words quoted."""

    model_config = ConfigDict(frozen=True, extra="allow")

    url: str = ""
    tier: str | int | None = None
    published: str | None = None
    quote: str | None = None


class FactRelation(BaseModel):
    """A typed relation from the fact that carries it to another one."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: RelationKind
    target: str = Field(min_length=1)


class Fact(BaseModel):
    """One fact: the evidence-record contract of OmniDR-Bench, table 14, as far as it survived.

    >>> fact = Fact(fact_id="f1", origin="web", sources=[{"url": "https://a.example.org/1"},
    ...                                                  {"url": "https://other.example.com"}])
    >>> sorted(fact.domains)
    ['example.com', 'example.org']
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    fact_id: str = Field(min_length=1)
    claim: str = ""
    type: str | None = None
    origin: Origin | None = None
    video_ref: Any = None
    sources: tuple[FactSource, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    status: FactStatus | None = None
    relevance: Any = None
    relations: tuple[FactRelation, ...] = ()

    @field_validator("sources", "conflicts_with", "relations", mode="before")
    @classmethod
    def _null_is_empty(cls, value: Any) -> Any:
        return () if value is None else value

    @property
    def domains(self) -> frozenset[str]:
        """The registrable domains of its sources."""
        return frozenset(filter(None, (root_domain(source.url) for source in self.sources)))

    @property
    def in_conflict(self) -> bool:
        """Whether it conflicts with another fact, by whichever field says so."""
        return (
            bool(self.conflicts_with)
            or self.status is FactStatus.DISPUTED
            or any(item.type is RelationKind.CONTRADICTS for item in self.relations)
        )


def evidence_level(fact_ids: Iterable[str], facts: Mapping[str, Fact]) -> Level | None:
    """Return the level of an atom from the evidence bound to it.

    Args:
        fact_ids: The facts of the atom.
        facts: The fact library.

    Returns:
        L3 for two or more distinct facts; else L2 for a fact with two independent domains or a
        conflict; else L1 for web origin; else L0. Nothing if its one fact is not in the library,
        because then the evidence does not say.

    Source: OmniDR-Bench, E.3 (difficulty is computed from evidence structure).

    >>> evidence_level(["f1", "f2"], {}), evidence_level([], {}), evidence_level(["f1"], {})
    (<Level.L3: 'L3'>, <Level.L0: 'L0'>, None)
    """
    distinct = frozenset(fact_ids)
    if len(distinct) >= 2:
        return Level.L3
    if not distinct:
        return Level.L0
    fact = facts.get(next(iter(distinct)))
    if fact is None:
        return None
    if len(fact.domains) >= 2 or fact.in_conflict:
        return Level.L2
    return Level.L1 if fact.origin is Origin.WEB else Level.L0
