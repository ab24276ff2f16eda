"""Reads names and nouns of controlled English: the smallest pieces of its sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from graphkit.compile.english_lexicon import EnglishLexicon, Noun, is_boundary
from graphkit.compile.english_terms import Term, anchor
from graphkit.compile.english_words import PLAIN_NAME, QUOTED, literal_name, unquote
from graphkit.errors import FormatError, Problem

__all__ = ["NameReader", "Read", "ambiguous"]

_QUOTED_NOUN = re.compile(rf"({QUOTED.pattern}) (items?)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[^ .,?]+ ?")
_MOST_WORDS = 8
_MOST_READINGS = 6


class Read(NamedTuple):
    """One way to read a piece: where it ends, what it means, and how it is built."""

    end: int
    term: Term
    simple: bool = True
    negative: bool = False


def ambiguous(text: str, readings: list[str]) -> FormatError:
    """Return the error for a text that means more than one thing; two meanings are named."""
    first, second = sorted(readings)[:2]
    return FormatError(
        Problem(f"{text!r} can be read as {first} and as {second}; expected one", "ambiguous")
    )


class NameReader:
    """Reads one sentence; every piece at every place is read once."""

    def __init__(self, text: str, lexicon: EnglishLexicon) -> None:
        self.text = text
        self.lexicon = lexicon
        self.memo: dict[tuple[str, int, bool], list[Read]] = {}
        self.furthest = 0
        self.expected = "a question"

    def error(self, expected: str) -> FormatError:
        """The error for a sentence that cannot be read, with the place that was reached."""
        rest = self.text[self.furthest : self.furthest + 40]
        wanted = self.expected if self.furthest else expected
        return FormatError(
            Problem(
                f"cannot read {rest!r} at character {self.furthest}; expected {wanted}",
                code="english",
            )
        )

    def miss(self, place: int, expected: str) -> None:
        """Note how far the reading came, and what should stand there."""
        if place > self.furthest:
            self.furthest, self.expected = place, expected

    def once(
        self, name: str, start: int, negated: bool, read: Callable[[], Iterator[Read]]
    ) -> list[Read]:
        """Read a piece unless it was read before; the same meaning counts once."""
        key = (name, start, negated)
        if key not in self.memo:
            distinct = {(item.end, item.term.text, item.simple): item for item in read()}
            if len(distinct) > _MOST_READINGS * 4:
                ends = [item.end for item in distinct.values()]
                crowded = max(ends, key=ends.count)
                if ends.count(crowded) > _MOST_READINGS:
                    texts = [i.term.text for i in distinct.values() if i.end == crowded]
                    raise ambiguous(self.text[start:crowded], texts)
            self.memo[key] = list(distinct.values())
        return self.memo[key]

    def everyone(self, start: int) -> Iterator[tuple[int, Noun]]:
        """Yield (end, noun) for what follows "every"."""
        if self.text.startswith("thing that ", start):
            yield start + 5, self.lexicon.noun(None)
        for end, noun, _ in self.nouns(start + 1, plural=False):
            yield end, noun

    def nouns(self, start: int, *, plural: bool) -> Iterator[tuple[int, Noun, bool]]:
        """Yield (end, noun, quoted?) for the nouns at a place."""
        match = _QUOTED_NOUN.match(self.text, start)
        if match and match[2] == ("items" if plural else "item"):
            kind = unquote(match[1])
            if kind is not None:
                yield match.end(), self.lexicon.noun(kind), True
            return
        thing = self.lexicon.noun(None)
        for end in self._word_ends(start):
            word = self.text[start:end]
            noun = thing if word in ("thing", "things") else self.lexicon.nouns_by_word.get(word)
            if noun is not None and word == (noun.plural if plural else noun.singular):
                yield end, noun, False

    def _word_ends(self, start: int) -> Iterator[int]:
        """The ends of the first words at a place, as many as a noun may have."""
        end = start
        for _ in range(_MOST_WORDS):
            match = _WORD.match(self.text, end)
            if match is None:
                return
            end = match.end()
            yield end - match[0].endswith(" ")

    def name_lists(self, start: int, negated: bool) -> list[Read]:
        """Read a name, "A or B", "one of A, B, and C", "the city A", "one of the cities A ..."."""
        return self.once("names", start, negated, lambda: self._name_lists(start, negated))

    def _name_lists(self, start: int, negated: bool) -> Iterator[Read]:
        text = self.text
        for end, name, bare in self.one_name(start):
            yield _anchored(end, (name,), bare)
            if text.startswith(" or ", end):
                for last, other, also in self.one_name(end + 4):
                    yield _anchored(last, (name, other), bare and also)
        lead = "any of " if negated else "one of "
        if text.startswith(lead, start):
            after = start + len(lead)
            for end, found, bare in self._enumerated(after):
                if len(found) > 2:
                    yield _anchored(end, found, bare)
            if text.startswith("the ", after):
                for end, noun, _ in self.nouns(after + 4, plural=True):
                    if text.startswith(" ", end):
                        for last, found, _ in self._enumerated(end + 1):
                            yield Read(last, anchor(found, noun.type))
        if text.startswith("the ", start):
            for end, noun, _ in self.nouns(start + 4, plural=False):
                if text.startswith(" ", end):
                    for last, name, _ in self.one_name(end + 1):
                        yield Read(last, anchor((name,), noun.type))

    def _enumerated(self, start: int) -> Iterator[tuple[int, tuple[str, ...], bool]]:
        """Read "A and B", "A, B, and C"."""
        for end, name, bare in self.one_name(start):
            for joint in (", and ", " and "):
                if self.text.startswith(joint, end):
                    for last, other, also in self.one_name(end + len(joint)):
                        yield last, (name, other), bare and also
                    break
            else:
                if self.text.startswith(", ", end):
                    for last, rest, also in self._enumerated(end + 2):
                        yield last, (name, *rest), bare and also

    def one_name(self, start: int) -> Iterator[tuple[int, str, bool]]:
        """Yield (end, name, bare?) for the names at a place; a quoted one is not bare."""
        text, lexicon = self.text, self.lexicon
        quoted = QUOTED.match(text, start)
        if quoted:
            name = unquote(quoted[0])
            if name:
                yield quoted.end(), name, False
            return
        seen = set()
        found: list[tuple[int, str]] = list(lexicon.names.at(text, start))
        literal = literal_name(text, start, lexicon.units)
        if literal:
            found.append(literal)
        number = _NUMBER.match(text, start)
        if number:
            found.append((number.end(), number[0]))
        if not len(lexicon.names):
            after = start + 4 if text.startswith("the ", start) else start
            plain = PLAIN_NAME.match(text, after)
            if plain and (after == start or plain[0] in lexicon.the):
                found.append((plain.end(), plain[0]))
        for end, name in found:
            if is_boundary(text, end) and (end, name) not in seen:
                seen.add((end, name))
                yield end, name, True


def _anchored(end: int, names: tuple[str, ...], bare: bool) -> Read:
    return Read(end, anchor(names, None, "" if bare else None))
