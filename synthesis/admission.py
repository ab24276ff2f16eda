"""Which gathered items become evidence: only what a visited page really says."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord
from synthesis.freshness import date_key, freshness
from synthesis.mentions import mentions
from synthesis.visible_names import LONGEST_NAME, visible_name

__all__ = [
    "Admission",
    "GatheredItem",
    "Refusal",
    "SourcePage",
    "address_key",
    "admit",
    "evidence_id",
]


_LONGEST_DETAIL = 500

LONGEST_QUOTE = 1_200
"""A quotation of more characters proves nothing in particular."""


class SourcePage(Protocol):
    """What admission needs to know of a visited page; :class:`synthesis.web.Page` has it."""

    @property
    def url(self) -> str:
        """The address that was asked for."""

    @property
    def final_url(self) -> str:
        """The address after redirects."""

    @property
    def text(self) -> str:
        """The text of the page."""

    @property
    def published_at(self) -> str | None:
        """When it was published, if it says so."""

    @property
    def fetched_at(self) -> str:
        """When it was fetched."""

    @property
    def sha256(self) -> str | None:
        """The hash of its snapshot."""


class GatheredItem(BaseModel):
    """One item as an agent reports it: the evidence contract of EvoBrowseComp, A.2."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    evidence_id: str = ""
    head_entity: str = Field(min_length=1)
    relation: str = Field(min_length=1)
    tail_entity: str = Field(min_length=1)
    evidence_text: str = ""
    source_url: str = ""
    is_fresh_knowledge: bool = False
    published_at: str | None = None
    head_type: str | None = None
    tail_type: str | None = None

    @field_validator("head_entity", "relation", "tail_entity")
    @classmethod
    def _clean(cls, value: str) -> str:
        value = visible_name(value)
        if not value:
            raise ValueError("must not be blank")
        return value

    @field_validator("head_type", "tail_type")
    @classmethod
    def _folded_type(cls, value: str | None) -> str | None:
        return (visible_name(value).lower()[:LONGEST_NAME] or None) if value else None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An item that did not become evidence.

    Attributes:
        code: ``page_not_visited``, ``self_loop``, ``name_too_long``, ``quote_absent``,
            ``quote_too_long`` or ``name_absent``.
        item: The item.
        detail: One sentence for people.
    """

    code: str
    item: GatheredItem
    detail: str

    def told(self) -> str:
        """Return the refusal in a line, for the journal.

        >>> item = GatheredItem(head_entity="A", relation="r", tail_entity="B")
        >>> Refusal("page_not_visited", item, "no address was not visited").told()
        'page_not_visited: A | r | B: no address was not visited'
        """
        names = (self.item.head_entity, self.item.relation, self.item.tail_entity)
        said = " | ".join(name[:LONGEST_NAME] for name in names)
        return f"{self.code}: {said}: {self.detail[:_LONGEST_DETAIL]}"

    def to_record(self) -> dict[str, Any]:
        """Return the refusal as plain data."""
        return {"code": self.code, "detail": self.detail, "item": self.item.model_dump()}


@dataclass(frozen=True, slots=True)
class Admission:
    """What became of the items of one conversation.

    Attributes:
        records: The evidence, each record once, in the order of the items.
        refused: What was refused, and why.
        repairs: What was read as something else: quotes, freshness, addresses.
        renamed: The agent's ids -> ours.
    """

    records: tuple[EvidenceRecord, ...] = ()
    refused: tuple[Refusal, ...] = ()
    repairs: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


def evidence_id(head: str, relation: str, tail: str, url: str) -> str:
    """Return the id of a claim from a page: the same claim from the same page has the same id.

    The id has 60 bits, so that a few million claims can be told apart.

    >>> evidence_id("France", "capital", "Paris", "https://a.example/fr")
    'ed91de019e1598ab'
    """
    text = json.dumps((head, relation, tail, url))
    return "e" + hashlib.sha256(text.encode()).hexdigest()[:15]


def admit(
    items: Iterable[GatheredItem],
    pages: Sequence[SourcePage],
    *,
    since: str,
    listed: Iterable[tuple[str, str]] = (),
) -> Admission:
    """Take the items that a visited page bears out.

    An item needs a page that was visited in this conversation, words that stand on that page, and
    at least one of its two names there. Where the words are not verbatim but one sentence of the
    page has both names, that sentence takes their place. Whether it can be fresh follows from the
    date of the page, else from the date that the agent read there if its year stands on the page,
    else from a year in the words. It is fresh if the agent says so too: a new page also tells what
    has long been known.

    An item carries ``recent_page``, and is cross-checked, if anything at all speaks for its being
    recent: that date or year, the agent, a date that it names, or the date that a search gave for
    the page. A page that writes an early date over a rumour does not get past the check by it.

    Args:
        items: What the agent reports.
        pages: The pages that it visited.
        since: The timestamp t, as an ISO date.
        listed: Addresses with the date that a search gave for them.
    """
    new = {address_key(url) for url, told in listed if _recent(told, since)}
    book = {address_key(url): page for page in pages for url in (page.url, page.final_url)}
    readings: dict[str, _Reading] = {}
    records: dict[str, EvidenceRecord] = {}
    refused: list[Refusal] = []
    repairs: list[str] = []
    renamed: dict[str, str] = {}
    for item in items:
        page = book.get(address_key(item.source_url))
        if page is None:
            detail = f"{item.source_url or 'no address'} was not visited"
            refused.append(Refusal("page_not_visited", item, detail))
            continue
        if fold(item.head_entity) == fold(item.tail_entity):
            refused.append(Refusal("self_loop", item, "head and tail are the same"))
            continue
        names = (item.head_entity, item.relation, item.tail_entity)
        if max(map(len, names)) > LONGEST_NAME:
            detail = f"a name of more than {LONGEST_NAME} characters"
            refused.append(Refusal("name_too_long", item, detail))
            continue
        reading = readings.get(page.url) or readings.setdefault(page.url, _Reading(page.text))
        quote = reading.find(item.evidence_text)
        if quote is None or len(quote) > LONGEST_QUOTE:
            code = "quote_absent" if quote is None else "quote_too_long"
            quote = reading.sentence_with(item.head_entity, item.tail_entity)
            if quote is None:
                detail = (
                    "the words quoted are not on the page"
                    if code == "quote_absent"
                    else "the words quoted are most of a page"
                )
                refused.append(Refusal(code, item, detail))
                continue
            repairs.append(f"{item.head_entity}: quote replaced by the sentence of the page")
        if not (reading.has(item.head_entity) or reading.has(item.tail_entity)):
            refused.append(Refusal("name_absent", item, "neither name stands on the page"))
            continue
        published = page.published_at or reading.dated(item.published_at)
        if published is None and item.published_at:
            repairs.append(f"{item.head_entity}: published_at is not borne out by the page")
        verdict = freshness(since=since, published=published, quote=quote)
        if item.is_fresh_knowledge and not verdict.fresh:
            repairs.append(
                f"{item.head_entity}: is_fresh_knowledge true read as false ({verdict.ground})"
            )
        url = page.final_url or page.url
        number = evidence_id(item.head_entity, item.relation, item.tail_entity, url)
        if item.evidence_id:
            renamed[item.evidence_id] = number
        record = EvidenceRecord(
            evidence_id=number,
            head_entity=item.head_entity,
            relation=item.relation,
            tail_entity=item.tail_entity,
            evidence_text=quote,
            source_url=url,
            is_fresh_knowledge=verdict.fresh and item.is_fresh_knowledge,
            observed_at=page.fetched_at,
            published_at=published,
            head_type=item.head_type,
            tail_type=item.tail_type,
            sha256=page.sha256,
        )
        recent = verdict.fresh or item.is_fresh_knowledge or _recent(item.published_at, since)
        record = records.setdefault(number, record)
        if recent or not new.isdisjoint((address_key(page.url), address_key(url))):
            records[number] = record.model_copy(update={"recent_page": True})
    return Admission(tuple(records.values()), tuple(refused), tuple(repairs), renamed)


def _recent(published: str | None, since: str) -> bool:
    return freshness(since=since, published=published).fresh


def address_key(url: str) -> str:
    """Return an address as it is compared: without fragment, trailing slash, case of the host.

    >>> address_key("HTTPS://A.Example/x/#top")
    'https://a.example/x'
    """
    url = url.strip().partition("#")[0]
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme.lower()}{mark}{host.lower()}{slash}{path}".rstrip("/")


_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")


class _Reading:
    """The text of a page, folded once, in which quotes and names are looked for."""

    def __init__(self, text: str) -> None:
        self._source = text
        self.text = " ".join(text.split())
        self.folded = _loose(self.text)

    @functools.cached_property
    def sentences(self) -> list[tuple[str, str]]:
        """Every sentence that is not too long to be quoted, as it stands and folded."""
        parts = (" ".join(part.split()) for part in _ENDS.split(self._source))
        return [(part, _loose(part)) for part in parts if 0 < len(part) <= LONGEST_QUOTE]

    def find(self, quote: str) -> str | None:
        """Return a quote, with single spaces, if it stands on the page."""
        quote = " ".join(quote.split())
        return quote if quote and _loose(quote) in self.folded else None

    def sentence_with(self, *names: str) -> str | None:
        """Return the first sentence that has all names."""
        wanted = [_loose(name) for name in names]
        if not all(name in self.folded for name in wanted):
            return None
        for sentence, folded in self.sentences:
            if all(mentions(folded, name) for name in wanted):
                return sentence
        return None

    def dated(self, published: str | None) -> str | None:
        """Return a date that somebody read on the page, if its year stands there."""
        key = date_key(published)
        return published if key is not None and str(key[0]) in self.text else None

    def has(self, name: str) -> bool:
        """Whether a name stands on the page."""
        return mentions(self.folded, _loose(name))


def _loose(text: str) -> str:
    """Fold a text for comparison: case, width, quotation marks and dashes do not matter."""
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"[\u2018\u2019\u02bc]", "'", text)
    text = re.sub(r"[\u201c\u201d]", '"', text)
    return re.sub(r"[\u2010-\u2015\u2212]", "-", text)
