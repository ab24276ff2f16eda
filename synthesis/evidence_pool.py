"""The evidence of one seed: what was kept, what was set aside and why, and the facts it makes."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.relations import RelationSheet
from synthesis.entity_kinds import one_kind

__all__ = [
    "EvidencePool",
    "Popularity",
    "Reliability",
    "laid_out",
    "same_names",
    "same_types",
    "spelled_alike",
    "wants_popularity",
    "wants_reliability",
]


class Reliability(StrEnum):
    """How reliable fresh evidence is: EvoBrowseComp, A.3."""

    CREDIBLE = "credible"
    NOT_CREDIBLE = "not credible"
    UNCLEAR = "unclear"


class Popularity(StrEnum):
    """How well known other evidence is: EvoBrowseComp, A.3."""

    POPULAR = "popular"
    NON_POPULAR = "non-popular"


@dataclass(frozen=True)
class EvidencePool:
    """Judged evidence; adding some returns a new pool.

    Credible fresh and non-popular other evidence is *retained*: questions are made of it. Popular
    evidence makes no question, but what it says is true all the same, so that the checks see it:
    a question is not unique because its rival is well known. Evidence from a recent page that is
    not credible, unclear or not yet judged is no fact for anybody, whether or not it is fresh.

    Attributes:
        records: Every record, by its id, with its labels.
        sheet: The relation sheet, if there is one.
    """

    records: Mapping[str, EvidenceRecord] = field(default_factory=dict)
    sheet: RelationSheet = field(default_factory=RelationSheet)

    def with_records(self, records: Iterable[EvidenceRecord]) -> EvidencePool:
        """Return the pool with more records; one with an id that is there keeps its labels."""
        return replace(
            self, records={**{item.evidence_id: item for item in records}, **self.records}
        )

    def labelled(
        self,
        *,
        reliability: Mapping[str, Reliability] | None = None,
        popularity: Mapping[str, Popularity] | None = None,
    ) -> EvidencePool:
        """Return the pool with labels, by evidence id."""
        changed = dict(self.records)
        for key, reliable in (reliability or {}).items():
            changed[key] = changed[key].model_copy(update={"reliability": reliable.value})
        for key, popular in (popularity or {}).items():
            changed[key] = changed[key].model_copy(update={"popularity": popular.value})
        return replace(self, records=changed)

    @functools.cached_property
    def retained(self) -> tuple[EvidenceRecord, ...]:
        """What questions are made of: credible fresh and non-popular other evidence."""
        return tuple(item for item in self.records.values() if _retained(item))

    @functools.cached_property
    def unjudged(self) -> tuple[EvidenceRecord, ...]:
        """What has no label yet."""
        return tuple(
            item
            for item in self.records.values()
            if wants_reliability(item) or wants_popularity(item)
        )

    @functools.cached_property
    def held(self) -> tuple[EvidenceRecord, ...]:
        """What holds as far as the evidence goes: all but recent evidence that is not credible."""
        return tuple(
            item
            for item in self.records.values()
            if not _is_recent(item) or item.reliability == Reliability.CREDIBLE
        )

    @functools.cached_property
    def facts(self) -> FactStore:
        """The facts that hold."""
        return FactStore.from_evidence(laid_out(self.held, self.sheet), self.sheet)

    def counts(self) -> dict[str, int]:
        """Return how many records there are of each label, fresh and other ones apart."""
        found = Counter(
            f"fresh {item.reliability or 'unjudged'}"
            if item.is_fresh_knowledge
            else f"other {item.popularity or 'unjudged'}"
            for item in self.records.values()
        )
        return dict(sorted(found.items()))


def wants_reliability(record: EvidenceRecord) -> bool:
    """Whether a record is still to be cross-checked: it is fresh, or its page is recent."""
    return _is_recent(record) and record.reliability is None


def wants_popularity(record: EvidenceRecord) -> bool:
    """Whether it is still to be asked how well known a record is: it is not fresh."""
    return not record.is_fresh_knowledge and record.popularity is None


def _is_recent(record: EvidenceRecord) -> bool:
    return record.is_fresh_knowledge or bool((record.model_extra or {}).get("recent_page"))


def _retained(record: EvidenceRecord) -> bool:
    if _is_recent(record) and record.reliability != Reliability.CREDIBLE:
        return False
    return record.is_fresh_knowledge or record.popularity == Popularity.NON_POPULAR


def laid_out(records: Iterable[EvidenceRecord], sheet: RelationSheet) -> list[EvidenceRecord]:
    """Return the evidence of one seed with one spelling and one type for what is surely one entity.

    See :func:`synthesis.entity_kinds.one_kind` and :func:`spelled_alike`.
    """
    return spelled_alike(one_kind(list(records), sheet))


def spelled_alike(records: Iterable[EvidenceRecord]) -> list[EvidenceRecord]:
    """Return evidence with :func:`same_types` and :func:`same_names`; types stay apart."""
    return same_names(same_types(list(records)))


def same_types(records: list[EvidenceRecord]) -> list[EvidenceRecord]:
    """Return evidence in which a name without a type has the type that it has elsewhere.

    Only where there is one such type.

    An entity is its name and type, so that a page that leaves the type out would otherwise speak
    of somebody else.
    """
    types: dict[str, set[str]] = {}
    for item in records:
        for name, kind in ((item.head_entity, item.head_type), (item.tail_entity, item.tail_type)):
            if kind:
                types.setdefault(fold(name), set()).add(kind)
    only = {name: next(iter(kinds)) for name, kinds in types.items() if len(kinds) == 1}
    result = []
    for item in records:
        change = {
            side: only[fold(name)]
            for side, name, kind in (
                ("head_type", item.head_entity, item.head_type),
                ("tail_type", item.tail_entity, item.tail_type),
            )
            if not kind and fold(name) in only
        }
        result.append(item.model_copy(update=change) if change else item)
    return result


def same_names(records: list[EvidenceRecord]) -> list[EvidenceRecord]:
    """Return evidence in which names of one type are spelled alike, whatever their case and width.

    The first spelling stays. An entity is its name and type, letter for letter, so that a page
    that writes a name in capitals would otherwise speak of somebody else, and hide a rival.
    """
    first: dict[tuple[str, str | None], str] = {}
    result = []
    for item in records:
        change = {
            side: spelled
            for side, name, kind in (
                ("head_entity", item.head_entity, item.head_type),
                ("tail_entity", item.tail_entity, item.tail_type),
            )
            if (spelled := first.setdefault((fold(name), kind), name)) != name
        }
        result.append(item.model_copy(update=change) if change else item)
    return result
