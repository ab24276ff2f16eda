"""The words of a body of evidence: nouns of its types, phrases of its relations, names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from graphkit.compile.english_phrases import PhraseBook
from graphkit.compile.english_words import (
    PLAIN_NAME,
    article,
    is_writable,
    literal_text,
    plural,
    quote,
    written_units,
)
from graphkit.evidence import nfc
from graphkit.facts import FactStore
from graphkit.operations import Direction
from graphkit.relations import RelationSheet

__all__ = ["EnglishLexicon", "Names", "Noun"]

_PLAIN_NOUN = re.compile(r"[^\W\d_](?:[\w'\u2019\- ]*\w)?")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NOT_A_NAME = re.compile(
    r"(?:an?|any|one|the|that|these|both|either|at once|something|anything|every|group|in|or|and)\b"
)
_CLOSED_WORDS = frozenset(
    {"thing", "something", "anything", "group", "that", "these", "any", "one", "some"}
)


@dataclass(frozen=True, slots=True)
class Noun:
    """How a type is spoken of.

    Attributes:
        type: The type; None for sets of anything.
        singular: ``country``.
        plural: ``countries``.
        article: ``a`` or ``an``.
        asks: How a question opens: (with anchors of their types, with anchors of any type).
    """

    type: str | None
    singular: str
    plural: str
    article: str
    asks: tuple[str, str]


THING = Noun(None, "thing", "things", "a", ("What", "What"))


class Names:
    """Names that can be recognised in a sentence, by their first word."""

    def __init__(self) -> None:
        self.surfaces: dict[str, str] = {}
        self._lengths: dict[str, set[int]] = {}

    def add(self, surface: str, name: str) -> None:
        """Take in one way to write a name; the first name that claims it keeps it."""
        if self.surfaces.setdefault(surface, name) == name:
            self._lengths.setdefault(_first_word(surface, 0), set()).add(len(surface))

    def at(self, text: str, start: int) -> Iterable[tuple[int, str]]:
        """Yield (end, name) for every name that stands in the text at a place."""
        for length in self._lengths.get(_first_word(text, start), ()):
            name = self.surfaces.get(text[start : start + length])
            if name is not None and is_boundary(text, start + length):
                yield start + length, name

    def __contains__(self, surface: str) -> bool:
        return surface in self.surfaces

    def __len__(self) -> int:
        return len(self.surfaces)


_WORD = re.compile(r"\w+|.", re.S)


def _first_word(text: str, start: int) -> str:
    match = _WORD.match(text, start)
    return match[0] if match else ""


def is_boundary(text: str, place: int) -> bool:
    """Whether no word goes on at a place."""
    return place >= len(text) or not (text[place].isalnum() or text[place] == "_")


@dataclass(frozen=True, eq=False)
class EnglishLexicon:
    """All words that questions over a body of evidence use; build it once, use it often.

    Attributes:
        sheet: The relation sheet.
        nouns: Type -> its noun.
        nouns_by_word: Singular or plural -> the noun.
        phrases: The phrases of relations.
        names: The names known; when there are none, capitalised words are taken for names.
        units: Written unit -> unit.
        the: The names that take the article.
    """

    sheet: RelationSheet
    nouns: dict[str, Noun]
    nouns_by_word: dict[str, Noun]
    phrases: PhraseBook
    names: Names
    units: dict[str, str]
    the: frozenset[str]
    asks: tuple[tuple[str, Noun, bool], ...] = field(default=())

    @classmethod
    def build(
        cls,
        sheet: RelationSheet,
        facts: FactStore | None = None,
        names: Iterable[str] = (),
    ) -> EnglishLexicon:
        """Collect the words of a sheet and of the entities of a fact store.

        Args:
            sheet: Phrases, types, articles.
            facts: Where the names of entities, their types and units come from.
            names: Names known beside those of the facts.
        """
        kinds: dict[str, None] = dict.fromkeys(sheet.types)
        for entry in sheet.relations.values():
            kinds.update((kind, None) for kind in (entry.head_type, entry.tail_type) if kind)
        units: dict[str, None] = {}
        known = {nfc(name): None for name in names}
        if facts is not None:
            for number, entity in enumerate(facts.entities):
                if entity.type:
                    kinds[entity.type] = None
                if entity.unit:
                    units[entity.unit] = None
                known[entity.text] = None
                known.update((nfc(alias), None) for alias in facts.aliases.get(number, ()))
        nouns = _nouns(sheet, kinds)
        by_word: dict[str, Noun] = {}
        for noun in nouns.values():
            by_word[noun.singular] = by_word[noun.plural] = noun
        lexicon = cls(
            sheet,
            nouns,
            by_word,
            PhraseBook(sheet),
            Names(),
            written_units(units),
            frozenset(sheet.articles.get("the", ())),
            _asks(nouns),
        )
        for name in known:
            lexicon._learn(name)
        return lexicon

    def _learn(self, name: str) -> None:
        if not is_writable(name) or _NOT_A_NAME.match(name):
            return
        self.names.add(name, name)
        if name in self.the:
            self.names.add(f"the {name}", name)

    def __repr__(self) -> str:
        return f"EnglishLexicon({len(self.nouns)} nouns, {len(self.names)} names)"

    def with_names(self, names: Iterable[str]) -> EnglishLexicon:
        """Return the lexicon with more names known."""
        more = Names()
        more.surfaces.update(self.names.surfaces)
        more._lengths.update({key: set(found) for key, found in self.names._lengths.items()})
        made = EnglishLexicon(
            self.sheet,
            self.nouns,
            self.nouns_by_word,
            self.phrases,
            more,
            self.units,
            self.the,
            self.asks,
        )
        for name in names:
            made._learn(nfc(name))
        return made

    def noun(self, kind: str | None) -> Noun:
        """Return the noun of a type; of an unknown one, its name in quotes."""
        if kind is None:
            return THING
        return self.nouns.get(kind) or quoted_noun(kind)

    def end_type(self, relation: str, direction: Direction) -> str | None:
        """Return the type that the sheet gives to what a projection leads to."""
        entry = self.sheet.relation(relation)
        return entry.tail_type if direction is Direction.FORWARD else entry.head_type

    def surface(self, name: str) -> str | None:
        """Return how a name is written without quotes, or None when it needs them."""
        literal = literal_text(name, self.units)
        if literal is not None and literal not in self.names:
            return literal
        if self.names.surfaces.get(name) == name:
            with_article = f"the {name}"
            if name in self.the and self.names.surfaces.get(with_article) == name:
                return with_article
            return name
        if _NUMBER.fullmatch(name):
            return name
        if not len(self.names) and PLAIN_NAME.fullmatch(name):
            return f"the {name}" if name in self.the else name
        return None


def quoted_noun(kind: str) -> Noun:
    """Return a noun for a type that has none of its own."""
    word = f"{quote(kind)} item"
    asks = (f"Which {word}", f"What {word}")
    return Noun(kind, word, f"{quote(kind)} items", "a", asks)


def _nouns(sheet: RelationSheet, kinds: Iterable[str]) -> dict[str, Noun]:
    made: dict[str, Noun] = {}
    taken = set(_CLOSED_WORDS)
    for kind in kinds:
        entry = sheet.types.get(kind)
        singular = " ".join(((entry and entry.singular) or kind).split())
        many = " ".join(((entry and entry.plural) or plural(singular)).split())
        if not all(_PLAIN_NOUN.fullmatch(word) for word in (singular, many)) or taken & {
            singular,
            many,
        }:
            made[kind] = quoted_noun(kind)
            continue
        taken |= {singular, many}
        which, what = f"Which {singular}", f"What {singular}"
        ask = entry.ask if entry else None
        if ask and re.fullmatch(r"[A-Z][^?.,\"]*", ask.strip()):
            which = " ".join(ask.split())
            turned = re.sub(r"\bWhich\b", "What", which, count=1)
            turned = re.sub(r"\bwhich\b", "what", turned, count=1)
            what = turned if turned != which and turned != "What" else what
        given = entry.article if entry else None
        made[kind] = Noun(
            kind,
            singular,
            many,
            given if given in ("a", "an") else article(singular),
            (which, what),
        )
    return made


def _asks(nouns: dict[str, Noun]) -> tuple[tuple[str, Noun, bool], ...]:
    """Every way to open a question -> its noun, and whether anchors are typed; longest first."""
    found: dict[tuple[str, str], tuple[str, Noun, bool]] = {}
    for noun in nouns.values():
        singular = noun.singular
        for opener, typed in (
            (noun.asks[0], True),
            (noun.asks[1], False),
            (f"Which {singular}", True),
            (f"What {singular}", False),
        ):
            found.setdefault((opener, singular), (opener, noun, typed))
    return tuple(sorted(found.values(), key=lambda item: -len(item[0])))
