"""Who an entity is, and by which names it can be found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

__all__ = ["Entity", "NameIndex", "fold", "iri_name", "is_iri"]


def fold(name: str) -> str:
    """Return a name as it is compared when spelling does not matter: NFKC, case-folded.

    >>> fold("Straße"), fold("\uff21\uff22")
    ('strasse', 'ab')
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).strip()


def is_iri(name: str) -> bool:
    """Whether a name is an IRI: a web address or a URN.

    >>> is_iri("http://www.wikidata.org/prop/direct/P36"), is_iri("at: noon")
    (True, False)
    """
    return _IRI.fullmatch(name) is not None


def iri_name(iri: str) -> str:
    """Return the last part of an IRI, readable: what it is called without a label.

    >>> iri_name("http://example.org/capital_of")
    'capital of'
    """
    part = re.split(r"[/#:]", iri.rstrip("/#"))[-1]
    return unicodedata.normalize("NFC", unquote(part).replace("_", " ")).strip() or iri


_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"{}|\\^`]+|urn:[^\s<>\"{}|\\^`]+")


class Entity(NamedTuple):
    """Who an entity is: its id, else its name and its type; a literal also has a unit."""

    name: str
    type: str | None = None
    id: str | None = None
    unit: str | None = None

    @property
    def text(self) -> str:
        """The name as it is printed: a number stands before its unit."""
        return f"{self.name} {self.unit}" if self.unit else self.name

    @property
    def key(self) -> str:
        """One string that is equal for equal entities only; stores use it as identity.

        >>> Entity("Paris", "city").key, Entity("8848", "number", unit="m").key
        ('city:Paris', 'number[m]:8848')
        """
        if self.id is not None:
            return f"#{self.id}"
        kind = (self.type or "").replace("%", "%25").replace(":", "%3A").replace("#", "%23")
        kind = kind.replace("[", "%5B")
        if self.unit:
            unit = self.unit.replace("%", "%25").replace("]", "%5D")
            kind = f"{kind}[{unit}]"
        return f"{kind}:{self.name}"


@dataclass(frozen=True, slots=True)
class NameIndex:
    """Ways to find an entity by what it is called, one mapping a tier."""

    ids: Mapping[str, tuple[int, ...]]
    exact: Mapping[str, tuple[int, ...]]
    folded: Mapping[str, tuple[int, ...]]
    alias: Mapping[str, tuple[int, ...]]

    @classmethod
    def build(
        cls, entities: tuple[Entity, ...], aliases: Mapping[int, tuple[str, ...]]
    ) -> NameIndex:
        """Index all entities."""
        tables: tuple[dict[str, dict[int, None]], ...] = ({}, {}, {}, {})
        ids, exact, folded, alias = tables
        for number, entity in enumerate(entities):
            if entity.id is not None:
                ids.setdefault(entity.id, {})[number] = None
            for text in {entity.name, entity.text}:
                exact.setdefault(text, {})[number] = None
                folded.setdefault(fold(text), {})[number] = None
            for other in aliases.get(number, ()):
                alias.setdefault(fold(other), {})[number] = None
        frozen = ({name: tuple(found) for name, found in table.items()} for table in tables)
        return cls(*frozen)
