"""Reads the clauses of controlled English: verb phrases and noun phrases, any number deep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from graphkit.compile.english_lexicon import EnglishLexicon, Noun, is_boundary
from graphkit.compile.english_terms import (
    Term,
    anchor,
    combination,
    complement,
    free,
    projection,
    with_type,
)
from graphkit.compile.english_words import QUOTED, unquote
from graphkit.formats.english_names import NameReader, Read
from graphkit.operations import Direction, Op

__all__ = ["ClauseReader", "Groups", "narrowed"]

_RELATION_HAS = re.compile(rf"(has|does not have) as an? ({QUOTED.pattern}) ")
_RELATION_AS = re.compile(rf" as an? ({QUOTED.pattern})")
_RELATION_OF = re.compile(rf"(is|is not) an? ({QUOTED.pattern}) of ")
_NOMINAL_OF = re.compile(rf"(?:an?|any) ({QUOTED.pattern}) of ")
_LETTERS = re.compile(r"[A-Z]+")


class ReadList(NamedTuple):
    end: int
    terms: tuple[Term, ...]


@dataclass(eq=False)
class Groups:
    """The sets introduced so far: by letter, and by noun for "these countries"."""

    by_letter: dict[str, Term] = field(default_factory=dict)
    by_noun: dict[str, Term] = field(default_factory=dict)


def narrowed(term: Term, kind: str | None) -> Term:
    """The members of a set that have a type."""
    if kind is None or term.type == kind:
        return term
    if term.type is None and not term.names and term.slot is None:
        return with_type(term, kind)
    if term.type is None and term.names:
        return anchor(term.names, kind)
    return combination(Op.INTERSECTION, (term, free()), kind)


class ClauseReader(NameReader):
    """Reads the clauses of one sentence, with the groups that earlier ones introduced."""

    def __init__(self, text: str, lexicon: EnglishLexicon, groups: Groups) -> None:
        super().__init__(text, lexicon)
        self.groups = groups
        self.lists: dict[tuple[int, str], list[ReadList]] = {}

    def statement(self, start: int) -> Iterator[Read]:
        """Read the verb phrases of a main clause."""
        yield from self.verb_phrases(start)
        yield from self._but(start)
        for found in self.series(start, "and"):
            yield Read(found.end, combination(Op.INTERSECTION, found.terms), False)

    def _but(self, start: int) -> Iterator[Read]:
        for first in self.verb_phrases(start):
            if first.simple and self.text.startswith(" but ", first.end):
                for second in self.verb_phrases(first.end + 5):
                    if second.negative != first.negative:
                        both = combination(Op.INTERSECTION, (first.term, second.term))
                        yield Read(second.end, both, False)

    def series(self, start: int, word: str) -> list[ReadList]:
        """Read two or more verb phrases with commas and a last conjunction."""
        key = (start, word)
        if key not in self.lists:
            found: dict[tuple[int, tuple[str, ...]], ReadList] = {}
            for first in self.verb_phrases(start):
                for after, last in self._joints(first.end, word):
                    rest = (
                        [ReadList(read.end, (read.term,)) for read in self.verb_phrases(after)]
                        if last
                        else self.series(after, word)
                    )
                    for item in rest:
                        terms = (first.term, *item.terms)
                        made = ReadList(item.end, terms)
                        found[item.end, tuple(term.text for term in terms)] = made
            self.lists[key] = list(found.values())
        return self.lists[key]

    def _joints(self, end: int, word: str) -> Iterator[tuple[int, bool]]:
        for joint in (f", {word} ", f" {word} "):
            if self.text.startswith(joint, end):
                yield end + len(joint), True
                return
        if self.text.startswith(", ", end):
            yield end + 2, False

    def clause(self, start: int) -> Iterator[Read]:
        """Read the verb phrases after "that"."""
        yield from self.verb_phrases(start)
        yield from self._but(start)
        yield from self._all_of(start)

    def _all_of(self, start: int) -> Iterator[Read]:
        text = self.text
        if text.startswith("both ", start):
            for first in self.verb_phrases(start + 5):
                if text.startswith(" and ", first.end):
                    for second in self.verb_phrases(first.end + 5):
                        both = combination(Op.INTERSECTION, (first.term, second.term))
                        yield Read(second.end, both, False)
        elif text.startswith("at once ", start):
            for found in self.series(start + 8, "and"):
                yield Read(found.end, combination(Op.INTERSECTION, found.terms), False)

    # ---- verb phrases -------------------------------------------------------------------------

    def verb_phrases(self, start: int) -> list[Read]:
        """Read one verb phrase."""
        return self.once("verb", start, False, lambda: self._verb_phrases(start))

    def _verb_phrases(self, start: int) -> Iterator[Read]:
        self.miss(start, "a verb phrase of the relation sheet")
        text = self.text
        if text.startswith("either ", start):
            for found in self.series(start + 7, "or"):
                yield Read(found.end, combination(Op.UNION, found.terms), False)
        yield from self._all_of(start)
        if text.startswith("exists", start) and is_boundary(text, start + 6):
            yield Read(start + 6, free())
        for verb, negative in (("is not ", True), ("is ", False)):
            if text.startswith(verb, start):
                for read in self._members(start + len(verb)):
                    term = complement(read.term) if negative else read.term
                    yield Read(read.end, term, read.simple, negative)
                break
        yield from self._relations(start)

    def _relations(self, start: int) -> Iterator[Read]:
        word = self.text[start : self.text.find(" ", start)]
        for form in self.lexicon.phrases.forms_by_word.get(word, ()):
            if self.text.startswith(form.before, start):
                yield from self._ends(
                    start + len(form.before),
                    form.relation,
                    form.direction,
                    form.negated,
                    form.after,
                )
        for pattern, direction in (
            (_RELATION_HAS, Direction.BACKWARD),
            (_RELATION_OF, Direction.FORWARD),
        ):
            match = pattern.match(self.text, start)
            name = unquote(match[2]) if match else None
            if match and name:
                yield from self._ends(match.end(), name, direction, " not" in match[1], "")
        for verb, negated in (("has ", False), ("does not have ", True)):
            if self.text.startswith(verb, start):
                yield from self._has_as(start + len(verb), negated)

    def _has_as(self, start: int, negated: bool) -> Iterator[Read]:
        """Read ``has Paris as a "capital"``, for a relation without phrases."""
        if _RELATION_AS.search(self.text, start) is None:
            return
        for end, others, simple in self._others(start, negated):
            match = _RELATION_AS.match(self.text, end)
            name = unquote(match[1]) if match else None
            if match and name:
                term = self._projected(others, name, Direction.BACKWARD, negated)
                yield Read(match.end(), term, simple, negated)

    def _ends(
        self, start: int, relation: str, direction: Direction, negated: bool, after: str
    ) -> Iterator[Read]:
        for place, others, simple in self._others(start, negated):
            end = place + len(after)
            if self.text.startswith(after, place) and is_boundary(self.text, end):
                term = self._projected(others, relation, direction, negated)
                yield Read(end, term, simple, negated)

    def _others(self, start: int, negated: bool) -> Iterator[tuple[int, tuple[Term, ...], bool]]:
        """Read the other ends of a relation: a member of a set, or all of some names."""
        for read in self.noun_phrases(start, negated):
            yield read.end, (read.term,), read.simple
        if negated:
            return
        if self.text.startswith("both ", start):
            for end, terms in self._all_names(start + 5, ()):
                if len(terms) == 2:
                    yield end, terms, True
        elif self.text.startswith("all of ", start):
            for end, terms in self._all_names(start + 7, ()):
                if len(terms) > 2:
                    yield end, terms, True

    def _all_names(
        self, start: int, before: tuple[Term, ...]
    ) -> Iterator[tuple[int, tuple[Term, ...]]]:
        """Read "A and B", "A, B, and the city C", each a set of its own."""
        for read in self._single_names(start):
            found = (*before, read.term)
            for joint in (", and ", " and "):
                if self.text.startswith(joint, read.end):
                    for last in self._single_names(read.end + len(joint)):
                        yield last.end, (*found, last.term)
                    break
            else:
                if self.text.startswith(", ", read.end):
                    yield from self._all_names(read.end + 2, found)

    def _single_names(self, start: int) -> Iterator[Read]:
        for read in self.name_lists(start, False):
            if len(read.term.names) == 1:
                yield read

    def _projected(
        self, others: tuple[Term, ...], relation: str, direction: Direction, negated: bool
    ) -> Term:
        made = [
            projection(relation, direction, self._placed(term, relation, direction))
            for term in others
        ]
        term = made[0] if len(made) == 1 else combination(Op.INTERSECTION, made)
        return complement(term) if negated else term

    def _placed(self, term: Term, relation: str, direction: Direction) -> Term:
        """A bare name, marked with the type of its place; anything else as it is."""
        if term.slot is None:
            return term
        slot = self.lexicon.end_type(relation, direction.reverse)
        return anchor(term.names, None, slot)

    # ---- noun phrases -------------------------------------------------------------------------

    def _members(self, start: int) -> Iterator[Read]:
        """Read what stands after "is": names, a group, or "a country that ..."."""
        for read in self.name_lists(start, False):
            yield Read(read.end, anchor(read.term.names, read.term.type))
        yield from self._members_of_groups(start, False, "in group ", "one of these ")
        yield from self._described(start, False)

    def noun_phrases(self, start: int, negated: bool) -> list[Read]:
        """Read the other end of a relation: some member of a set, or any."""
        return self.once("noun", start, negated, lambda: self._noun_phrases(start, negated))

    def _noun_phrases(self, start: int, negated: bool) -> Iterator[Read]:
        self.miss(start, "a name, or a noun of the relation sheet")
        yield from self.name_lists(start, negated)
        yield from self._members_of_groups(
            start, negated, None, "any of these " if negated else "one of these "
        )
        yield from self._described(start, negated)
        yield from self._nominals(start, negated)

    def _members_of_groups(
        self, start: int, negated: bool, lettered: str | None, these: str
    ) -> Iterator[Read]:
        text = self.text
        if text.startswith(these, start):
            for end, noun, _ in self.nouns(start + len(these), plural=True):
                term = self.groups.by_noun.get(noun.plural)
                if term is not None:
                    yield Read(end, term)
        if lettered is not None and text.startswith(lettered, start):
            yield from self._letter(start + len(lettered), None)
        elif lettered is None:
            for after, noun in self._determined(start, negated):
                if text.startswith(" in group ", after):
                    yield from self._letter(after + 10, noun)

    def _letter(self, start: int, noun: Noun | None) -> Iterator[Read]:
        match = _LETTERS.match(self.text, start)
        term = self.groups.by_letter.get(match[0]) if match else None
        if match and term is not None and (noun is None or noun.type == term.type):
            yield Read(match.end(), term)

    def _determined(self, start: int, negated: bool) -> Iterator[tuple[int, Noun]]:
        """Read "a country", or "any country"."""
        for word in ("any ",) if negated else ("a ", "an "):
            if self.text.startswith(word, start):
                for end, noun, _ in self.nouns(start + len(word), plural=False):
                    yield end, noun

    def _described(self, start: int, negated: bool) -> Iterator[Read]:
        """Read "a country", "something", or one of them with "that ..."."""
        heads = list(self._determined(start, negated))
        word = "anything" if negated else "something"
        if self.text.startswith(word, start):
            heads.append((start + len(word), self.lexicon.noun(None)))
        for end, noun in heads:
            if is_boundary(self.text, end):
                yield Read(end, free(noun.type))
            if self.text.startswith(" that ", end):
                for read in self.clause(end + 6):
                    yield Read(read.end, narrowed(read.term, noun.type), False)

    def _nominals(self, start: int, negated: bool) -> Iterator[Read]:
        """Read "the capital of ...", which has the type that the sheet says."""
        for after, relation, direction, inner_negated in self._nominal_heads(start, negated):
            kind = self.lexicon.end_type(relation, direction)
            for end, others, simple in self._others(after, inner_negated):
                term = self._projected(others, relation, direction, False)
                yield Read(end, narrowed(term, kind), simple)
                if (others[0].names or self._is_group(others[0])) and self.text.startswith(
                    " that ", end
                ):
                    for read in self.clause(end + 6):
                        both = combination(Op.INTERSECTION, (term, read.term), kind)
                        yield Read(read.end, both, False)

    def _is_group(self, term: Term) -> bool:
        known = (*self.groups.by_letter.values(), *self.groups.by_noun.values())
        return any(term is item for item in known)

    def _nominal_heads(
        self, start: int, negated: bool
    ) -> Iterator[tuple[int, str, Direction, bool]]:
        text = self.text
        for determiner in ("the ", "any ", "a ", "an "):
            if not text.startswith(determiner, start):
                continue
            after = start + len(determiner)
            word = text[after : text.find(" ", after)]
            for nominal in self.lexicon.phrases.nominals_by_word.get(word, ()):
                fits = determiner == "any " if negated else determiner in ("a ", "an ")
                definite = nominal.article == "the"
                if text.startswith(nominal.before, after) and (
                    determiner == "the " if definite else fits
                ):
                    yield (
                        after + len(nominal.before),
                        nominal.relation,
                        nominal.direction,
                        negated and definite,
                    )
        match = _NOMINAL_OF.match(text, start)
        name = unquote(match[1]) if match else None
        if match and name and match[0].startswith("any ") == negated:
            yield match.end(), name, Direction.FORWARD, False
