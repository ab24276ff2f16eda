"""Evidence records: a claim as a triple, with where it comes from and when it was seen."""

from __future__ import annotations

import functools
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

__all__ = [
    "LITERAL_TYPES",
    "EvidenceRecord",
    "canonical_literal",
    "nfc",
    "root_domain",
    "split_literal",
]

LITERAL_TYPES = frozenset({"date", "year", "number"})
"""Types whose values are literals: (datatype, canonical form, unit) and no entity of their own."""

_DATE = re.compile(r"(-?\d{4,})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


def nfc(text: str) -> str:
    """Return ``text`` in Unicode normal form C, without space around it.

    >>> nfc(" Cote d\\u0027Ivoire ")
    "Cote d'Ivoire"
    """
    return unicodedata.normalize("NFC", text).strip()


def canonical_literal(datatype: str, text: str) -> str:
    """Return the one spelling of a literal; an unreadable one stays as it is.

    Args:
        datatype: ``date``, ``year`` or ``number``.
        text: The literal as found.

    >>> canonical_literal("number", "8,848.0")
    '8848'
    >>> canonical_literal("date", "1871-1-18")
    '1871-01-18'
    """
    text = nfc(text)
    if datatype == "number":
        try:
            number = Decimal(text.replace(",", "").replace(" ", "").replace("\u2212", "-"))
        except InvalidOperation:
            return text
        if not number.is_finite():
            return text
        plain = format(number.normalize(), "f")
        return "0" if plain == "-0" else plain
    match = _DATE.fullmatch(text)
    if match is None:
        return text
    year, month, day = match.groups()
    return "-".join([year, *(part.zfill(2) for part in (month, day) if part)])


_QUANTITY = re.compile(
    r"([-\u2212]?\d[\d,\s]*(?:\.\d+)?)(?:\s+(?=[^\W\d_])|\s*(?=[%\u00b0]))(.+)", re.S
)


def split_literal(datatype: str, text: str) -> tuple[str, str | None]:
    """Return the one spelling of a literal, and the unit that a number in words brings along.

    Args:
        datatype: ``date``, ``year`` or ``number``.
        text: The literal as found.

    >>> split_literal("number", "8,848 m"), split_literal("number", "8,848")
    (('8848', 'm'), ('8848', None))
    >>> split_literal("number", "many")
    ('many', None)
    """
    match = _QUANTITY.fullmatch(nfc(text)) if datatype == "number" else None
    if match is None:
        return canonical_literal(datatype, text), None
    return canonical_literal(datatype, match[1]), match[2].strip()


class EvidenceRecord(BaseModel):
    """One claim with its source: the evidence contract of EvoBrowseComp, A.2.

    Unknown keys are kept. ``head_id`` and ``tail_id`` name entities that have an identity of
    their own; without them an entity is its name and its type.

    >>> record = EvidenceRecord(evidence_id="e1", head_entity="France", relation="capital",
    ...                         tail_entity="Paris", source_url="https://www.example.org/fr")
    >>> record.root_domain
    'example.org'
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    evidence_id: str = Field(min_length=1)
    head_entity: str = Field(min_length=1)
    relation: str = Field(min_length=1)
    tail_entity: str = Field(min_length=1)
    evidence_text: str = ""
    source_url: str = ""
    is_fresh_knowledge: bool = False
    observed_at: str | None = None
    published_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    head_id: str | None = None
    tail_id: str | None = None
    head_type: str | None = None
    tail_type: str | None = None
    tail_unit: str | None = None
    aliases: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    sha256: str | None = None
    reliability: str | None = None
    popularity: str | None = None

    @field_validator("head_entity", "tail_entity", "relation")
    @classmethod
    def _clean(cls, value: str) -> str:
        value = nfc(value)
        if not value:
            raise ValueError("must not be blank")
        return value

    @field_validator("head_id", "tail_id", "head_type", "tail_type", "tail_unit")
    @classmethod
    def _blank_is_none(cls, value: str | None) -> str | None:
        return (nfc(value) or None) if value is not None else None

    @property
    def root_domain(self) -> str:
        """The registrable domain of the source, or an empty string."""
        return root_domain(self.source_url)


# Second-level labels under which registries sell names, for countries that have them. The web
# tools use the whole public suffix list; the core needs no network and no list to count sources.
_SECOND_LEVEL = frozenset(
    {"ac", "co", "com", "edu", "gob", "gov", "go", "gv", "ne", "net", "or", "org"}
)


@functools.lru_cache(maxsize=65536)
def root_domain(url: str) -> str:
    """Return the registrable domain of a URL, lower case, by the shape of its host name.

    Args:
        url: An absolute URL; anything without a host gives an empty string.

    >>> root_domain("https://news.bbc.co.uk/x"), root_domain("https://www.example.org/a")
    ('bbc.co.uk', 'example.org')
    >>> root_domain("no url")
    ''
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
    if not host or ":" in host or re.fullmatch(r"[\d.]+", host):
        return host
    labels = host.split(".")
    if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL:
        return ".".join(labels[-3:])
    return ".".join(labels[-2:])
