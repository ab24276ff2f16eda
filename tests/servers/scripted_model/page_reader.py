"""Reads the text of pages: sentences in, claims as triples with their words out."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from static_web.wording import RELATIONS, Relation

__all__ = ["Claim", "canonical", "family", "read_page", "relation_of"]


class Claim(NamedTuple):
    """What a sentence says.

    Attributes:
        head: The first thing.
        relation: The relation, English name.
        tail: The second thing.
        words: The sentence, as it stands on the page.
    """

    head: str
    relation: str
    tail: str
    words: str

    @property
    def triple(self) -> tuple[str, str, str]:
        """The claim without its words."""
        return self.head, self.relation, self.tail


class _Form(NamedTuple):
    relation: str
    pattern: re.Pattern[str]
    mark: str


def _pattern(form: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[ht]\})", form)
    text = "".join(
        f"(?P<{part[1]}>.+?)" if part in ("{h}", "{t}") else re.escape(part) for part in parts
    )
    return re.compile(text)


def _forms(sentences: list[tuple[str, str]]) -> tuple[_Form, ...]:
    found = []
    for relation, form in sentences:
        pieces = [piece for piece in re.split(r"\{[ht]\}", form) if len(piece.strip(" .。")) > 0]
        found.append(_Form(relation, _pattern(form), max(pieces, key=len)))
    return tuple(sorted(found, key=lambda item: -len(item.mark)))


_ENGLISH = _forms([(item.name, form) for item in RELATIONS for form in item.english.values()])
_CHINESE = _forms([(item.name, form) for item in RELATIONS for form in item.chinese])
_ENDS = re.compile(r"(?<=\.)\s+|(?<=。)|\n+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_ARTICLE = re.compile(r"[Tt]he ")


@functools.lru_cache(maxsize=8192)
def read_page(text: str) -> tuple[Claim, ...]:
    """Return all claims of a page that the sentence forms cover, in order, each once."""
    found: dict[tuple[str, str, str], Claim] = {}
    for sentence in _ENDS.split(text):
        claim = _claim(sentence.strip().removeprefix("- "))
        if claim is not None:
            found.setdefault(claim.triple, claim)
    return tuple(found.values())


@functools.lru_cache(maxsize=65536)
def _claim(sentence: str) -> Claim | None:
    for form in _CHINESE if _HAN.search(sentence) else _ENGLISH:
        if form.mark in sentence or form.mark.strip() in sentence:
            match = form.pattern.fullmatch(sentence)
            if match:
                return Claim(_name(match["h"]), form.relation, _name(match["t"]), sentence)
    return None


def _name(text: str) -> str:
    match = _ARTICLE.match(text)
    return text[match.end() :] if match else text


_FAMILY: dict[str, Relation] = {}
for _item in RELATIONS:
    for _spelling in (_item.name, _item.chinese_name, *_item.spellings):
        if _spelling:
            _FAMILY.setdefault(_spelling.casefold(), _item)


def family(relation: str) -> Relation | None:
    """Return the relation that a spelling in any language stands for, or None."""
    return _FAMILY.get(" ".join(relation.casefold().replace("_", " ").split()))


def canonical(relation: str) -> str:
    """Return the usual name of a relation, or the spelling itself."""
    found = family(relation)
    return found.name if found is not None else relation


def relation_of(name: str) -> Relation:
    """Return the relation of a usual name."""
    return _FAMILY[name.casefold()]
