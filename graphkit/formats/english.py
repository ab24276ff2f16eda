"""Reads controlled English back: a question in sentences -> its question graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from graphkit.compile.english_lexicon import EnglishLexicon, Noun, is_boundary
from graphkit.compile.english_terms import (
    Term,
    anchor,
    combination,
    complement,
    free,
    graph_of,
    projection,
    term_of,
    with_type,
)
from graphkit.compile.english_words import PLAIN_NAME, QUOTED, literal_name, unquote
from graphkit.errors import FormatError, Problem
from graphkit.evidence import nfc
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet

__all__ = ["parse_english"]

_INTRODUCTION = re.compile(r"Consider (?:also )?every |Group ([A-Z]+) consists of every ")
_RELATION_HAS = re.compile(rf"(has|does not have) as an? ({QUOTED.pattern}) ")
_RELATION_AS = re.compile(rf" as an? ({QUOTED.pattern})")
_RELATION_OF = re.compile(rf"(is|is not) an? ({QUOTED.pattern}) of ")
_NOMINAL_OF = re.compile(rf"(?:an?|any) ({QUOTED.pattern}) of ")
_QUOTED_NOUN = re.compile(rf"({QUOTED.pattern}) (items?)")
_GROUP_REFERENCE = re.compile(r"(in group ([A-Z]+)|one of these )")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MANY = 6


class _Read(NamedTuple):
    """One way to read a piece: where it ends, what it means, and how it is built."""

    end: int
    term: Term
    simple: bool = True
    negative: bool = False


class _ReadList(NamedTuple):
    end: int
    terms: tuple[Term, ...]


@dataclass(eq=False)
class _Groups:
    """The sets introduced so far: by letter, and by noun for "these countries"."""

    by_letter: dict[str, Term] = field(default_factory=dict)
    by_noun: dict[str, Term] = field(default_factory=dict)


def parse_english(
    text: str, words: EnglishLexicon | RelationSheet, names: Iterable[str] = ()
) -> QuestionGraph:
    """Read a question in the controlled English that ``compile_english`` writes.

    Args:
        text: One question: any number of sentences that introduce groups, and a last one with a
            question mark.
        words: The lexicon; or a relation sheet, from which one is made.
        names: Names of entities known beside those of the lexicon.

    Raises:
        FormatError: It is not such a question, or it can be read in two ways.

    >>> sheet = RelationSheet.parse('''
    ... [types.city]
    ... [relations.capital]
    ... head_type = "country"
    ... tail_type = "city"
    ... [relations.capital.phrases]
    ... forward = "is the capital of {}"
    ... backward = "has {} as its capital"
    ... ''')
    >>> graph = parse_english("Which city is the capital of France?", sheet)
    >>> term_of(graph).text
    'city&p[capital>](country&"France")'
    """
    lexicon = words if isinstance(words, EnglishLexicon) else EnglishLexicon.build(words)
    known = list(names)
    if known:
        lexicon = lexicon.with_names(known)
    clean = _single_spaces(nfc(text))
    groups = _Groups()
    start = 0
    while True:
        match = _INTRODUCTION.match(clean, start)
        if match is None:
            break
        start = _introduce(clean, match, lexicon, groups)
    return _question(clean, start, lexicon, groups)


def _single_spaces(text: str) -> str:
    """Turn runs of white space into one space, except inside quotes."""
    parts = re.split(rf"({QUOTED.pattern})", text)
    return "".join(
        part if number % 2 else re.sub(r"\s+", " ", part) for number, part in enumerate(parts)
    )


def _introduce(text: str, match: re.Match[str], lexicon: EnglishLexicon, groups: _Groups) -> int:
    """Read a sentence that introduces a group; return where the next one starts."""
    reader = _Reader(text, lexicon, groups)
    found = [
        _Read(read.end + 1, _typed(read.term, noun.type))
        for after, noun, _ in reader.nouns(match.end(), plural=False)
        if text.startswith(" that ", after)
        for read in reader.statement(after + 6)
        if text.startswith(".", read.end) and text[read.end + 1 : read.end + 2] in ("", " ")
    ]
    read = reader.only(found, "every ... that ... .", typed_anchors=False)
    noun = lexicon.noun(read.term.type)
    if match[1]:
        groups.by_letter[match[1]] = read.term
    elif noun.plural in groups.by_noun:
        raise FormatError(f"two groups of {noun.plural} without letters; expected one")
    else:
        groups.by_noun[noun.plural] = read.term
    return read.end + 1 if text[read.end : read.end + 1] == " " else read.end


def _question(text: str, start: int, lexicon: EnglishLexicon, groups: _Groups) -> QuestionGraph:
    reader = _Reader(text, lexicon, groups)
    found: dict[bool, list[_Read]] = {True: [], False: []}
    for after, noun, typed in reader.openers(start):
        for read in reader.statement(after):
            if text[read.end :] == "?":
                found[typed].append(_Read(read.end, _typed(read.term, noun.type)))
    expected = "a question that ends in a question mark"
    graphs = {
        term_of(graph).text: graph
        for typed, reads in found.items()
        if reads
        for graph in reader.meanings(reads, typed_anchors=typed)
    }
    if len(graphs) > 1:
        raise _ambiguous(text, list(graphs))
    if not graphs:
        raise reader.error(expected)
    return next(iter(graphs.values()))


def _ambiguous(text: str, readings: list[str]) -> FormatError:
    first, second = sorted(readings)[:2]
    return FormatError(
        Problem(f"{text!r} can be read as {first} and as {second}; expected one", "ambiguous")
    )


def _typed(term: Term, kind: str | None) -> Term:
    """The members of a set that have a type."""
    if kind is None or term.type == kind:
        return term
    if term.type is None and not term.names and term.slot is None:
        return with_type(term, kind)
    if term.type is None and term.names:
        return anchor(term.names, kind)
    return combination(Op.INTERSECTION, (term, free()), kind)


class _Reader:
    """Reads one sentence; every piece at every place is read once."""

    def __init__(self, text: str, lexicon: EnglishLexicon, groups: _Groups) -> None:
        self.text = text
        self.lexicon = lexicon
        self.groups = groups
        self.memo: dict[tuple[str, int, bool], list[_Read]] = {}
        self.lists: dict[tuple[int, str], list[_ReadList]] = {}
        self.furthest = 0
        self.expected = "a question"

    # ---- results ------------------------------------------------------------------------------

    def meanings(self, reads: list[_Read], *, typed_anchors: bool) -> list[QuestionGraph]:
        """The different graphs of some readings."""
        terms = {read.term.text: read.term for read in reads}
        return [
            graph_of(term, question=self.text, typed_anchors=typed_anchors)
            for term in terms.values()
        ]

    def only(self, reads: list[_Read], expected: str, *, typed_anchors: bool) -> _Read:
        """The one reading of a sentence; an error when there is none or more than one."""
        distinct: dict[str, _Read] = {}
        for read in reads:
            graph = graph_of(read.term, typed_anchors=typed_anchors)
            distinct[term_of(graph).text] = read
        if len(distinct) > 1:
            raise _ambiguous(self.text, list(distinct))
        if not distinct:
            raise self.error(expected)
        return reads[0]

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

    def _miss(self, place: int, expected: str) -> None:
        if place > self.furthest:
            self.furthest, self.expected = place, expected

    def _memo(
        self, name: str, start: int, negated: bool, read: Callable[[], Iterator[_Read]]
    ) -> list[_Read]:
        key = (name, start, negated)
        if key not in self.memo:
            distinct = {(item.end, item.term.text, item.simple): item for item in read()}
            if len(distinct) > _MANY * 4:
                ends = [item.end for item in distinct.values()]
                crowded = max(ends, key=ends.count)
                if ends.count(crowded) > _MANY:
                    texts = [i.term.text for i in distinct.values() if i.end == crowded]
                    raise _ambiguous(self.text[start:crowded], texts)
            self.memo[key] = list(distinct.values())
        return self.memo[key]

    # ---- sentences ----------------------------------------------------------------------------

    def openers(self, start: int) -> Iterator[tuple[int, Noun, bool]]:
        """Yield (end, noun, whether anchors are typed) for every opening of a question."""
        for opener, noun, typed in self.lexicon.asks:
            if self.text.startswith(f"{opener} ", start):
                yield start + len(opener) + 1, noun, typed
        for word, typed in (("Which ", True), ("What ", False)):
            if self.text.startswith(word, start):
                after = start + len(word)
                for end, noun, quoted in self.nouns(after, plural=False):
                    if quoted and self.text.startswith(" ", end):
                        yield end + 1, noun, typed
                if not typed:
                    yield after, self.lexicon.noun(None), False

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
        for _ in range(8):
            match = re.compile(r"[^ .,?]+ ?").match(self.text, end)
            if match is None:
                return
            end = match.end()
            yield end - match[0].endswith(" ")

    def statement(self, start: int) -> Iterator[_Read]:
        """Read the verb phrases of a main clause."""
        yield from self.verb_phrases(start)
        yield from self._but(start)
        for found in self.series(start, "and"):
            yield _Read(found.end, combination(Op.INTERSECTION, found.terms), False)

    def _but(self, start: int) -> Iterator[_Read]:
        for first in self.verb_phrases(start):
            if first.simple and not first.negative and self.text.startswith(" but ", first.end):
                for second in self.verb_phrases(first.end + 5):
                    if second.negative:
                        both = combination(Op.INTERSECTION, (first.term, second.term))
                        yield _Read(second.end, both, False)

    def series(self, start: int, word: str) -> list[_ReadList]:
        """Read two or more verb phrases with commas and a last conjunction."""
        key = (start, word)
        if key not in self.lists:
            found: dict[tuple[int, tuple[str, ...]], _ReadList] = {}
            for first in self.verb_phrases(start):
                for after, last in self._joints(first.end, word):
                    rest = (
                        [_ReadList(read.end, (read.term,)) for read in self.verb_phrases(after)]
                        if last
                        else self.series(after, word)
                    )
                    for item in rest:
                        terms = (first.term, *item.terms)
                        made = _ReadList(item.end, terms)
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

    def clause(self, start: int) -> Iterator[_Read]:
        """Read the verb phrases after "that"."""
        yield from self.verb_phrases(start)
        yield from self._but(start)
        yield from self._all_of(start)

    def _all_of(self, start: int) -> Iterator[_Read]:
        text = self.text
        if text.startswith("both ", start):
            for first in self.verb_phrases(start + 5):
                if text.startswith(" and ", first.end):
                    for second in self.verb_phrases(first.end + 5):
                        both = combination(Op.INTERSECTION, (first.term, second.term))
                        yield _Read(second.end, both, False)
        elif text.startswith("at once ", start):
            for found in self.series(start + 8, "and"):
                yield _Read(found.end, combination(Op.INTERSECTION, found.terms), False)

    # ---- verb phrases -------------------------------------------------------------------------

    def verb_phrases(self, start: int) -> list[_Read]:
        """Read one verb phrase."""
        return self._memo("verb", start, False, lambda: self._verb_phrases(start))

    def _verb_phrases(self, start: int) -> Iterator[_Read]:
        self._miss(start, "a verb phrase of the relation sheet")
        text = self.text
        if text.startswith("either ", start):
            for found in self.series(start + 7, "or"):
                yield _Read(found.end, combination(Op.UNION, found.terms), False)
        yield from self._all_of(start)
        if text.startswith("exists", start) and is_boundary(text, start + 6):
            yield _Read(start + 6, free())
        for verb, negative in (("is not ", True), ("is ", False)):
            if text.startswith(verb, start):
                for read in self._members(start + len(verb)):
                    term = complement(read.term) if negative else read.term
                    yield _Read(read.end, term, read.simple, negative)
                break
        yield from self._relations(start)

    def _relations(self, start: int) -> Iterator[_Read]:
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

    def _has_as(self, start: int, negated: bool) -> Iterator[_Read]:
        """Read ``has Paris as a "capital"``, for a relation without phrases."""
        if _RELATION_AS.search(self.text, start) is None:
            return
        for other in self.noun_phrases(start, negated):
            match = _RELATION_AS.match(self.text, other.end)
            name = unquote(match[1]) if match else None
            if match and name:
                yield self._projected(match.end(), other, name, Direction.BACKWARD, negated)

    def _ends(
        self, start: int, relation: str, direction: Direction, negated: bool, after: str
    ) -> Iterator[_Read]:
        for other in self.noun_phrases(start, negated):
            end = other.end + len(after)
            if self.text.startswith(after, other.end) and is_boundary(self.text, end):
                yield self._projected(end, other, relation, direction, negated)

    def _projected(
        self, end: int, other: _Read, relation: str, direction: Direction, negated: bool
    ) -> _Read:
        term = projection(relation, direction, self._placed(other.term, relation, direction))
        if negated:
            term = complement(term)
        return _Read(end, term, other.simple, negated)

    def _placed(self, term: Term, relation: str, direction: Direction) -> Term:
        """A bare name, marked with the type of its place; anything else as it is."""
        if term.slot is None:
            return term
        slot = self.lexicon.end_type(relation, direction.reverse)
        return anchor(term.names, None, slot)

    # ---- noun phrases -------------------------------------------------------------------------

    def _members(self, start: int) -> Iterator[_Read]:
        """Read what stands after "is": names, a group, or "a country that ..."."""
        for read in self.name_lists(start, False):
            yield _Read(read.end, anchor(read.term.names, read.term.type))
        yield from self._groups(start, False, "in group ", "one of these ")
        yield from self._described(start, False)

    def noun_phrases(self, start: int, negated: bool) -> list[_Read]:
        """Read the other end of a relation: some member of a set, or any."""
        return self._memo("noun", start, negated, lambda: self._noun_phrases(start, negated))

    def _noun_phrases(self, start: int, negated: bool) -> Iterator[_Read]:
        self._miss(start, "a name, or a noun of the relation sheet")
        yield from self.name_lists(start, negated)
        yield from self._groups(
            start, negated, None, "any of these " if negated else "one of these "
        )
        yield from self._described(start, negated)
        yield from self._nominals(start, negated)

    def _groups(
        self, start: int, negated: bool, lettered: str | None, these: str
    ) -> Iterator[_Read]:
        text = self.text
        if text.startswith(these, start):
            for end, noun, _ in self.nouns(start + len(these), plural=True):
                term = self.groups.by_noun.get(noun.plural)
                if term is not None:
                    yield _Read(end, term)
        if lettered is not None and text.startswith(lettered, start):
            yield from self._letter(start + len(lettered), None)
        elif lettered is None:
            for after, noun in self._determined(start, negated):
                if text.startswith(" in group ", after):
                    yield from self._letter(after + 10, noun)

    def _letter(self, start: int, noun: Noun | None) -> Iterator[_Read]:
        match = re.compile(r"[A-Z]+").match(self.text, start)
        term = self.groups.by_letter.get(match[0]) if match else None
        if match and term is not None and (noun is None or noun.type == term.type):
            yield _Read(match.end(), term)

    def _determined(self, start: int, negated: bool) -> Iterator[tuple[int, Noun]]:
        """Read "a country", or "any country"."""
        for word in ("any ",) if negated else ("a ", "an "):
            if self.text.startswith(word, start):
                for end, noun, _ in self.nouns(start + len(word), plural=False):
                    yield end, noun

    def _described(self, start: int, negated: bool) -> Iterator[_Read]:
        """Read "a country", "something", or one of them with "that ..."."""
        heads = list(self._determined(start, negated))
        word = "anything" if negated else "something"
        if self.text.startswith(word, start):
            heads.append((start + len(word), self.lexicon.noun(None)))
        for end, noun in heads:
            if is_boundary(self.text, end):
                yield _Read(end, free(noun.type))
            if self.text.startswith(" that ", end):
                for read in self.clause(end + 6):
                    yield _Read(read.end, _typed(read.term, noun.type), False)

    def _nominals(self, start: int, negated: bool) -> Iterator[_Read]:
        """Read "the capital of ...", which has the type that the sheet says."""
        for after, relation, direction, inner_negated in self._nominal_heads(start, negated):
            kind = self.lexicon.end_type(relation, direction)
            for other in self.noun_phrases(after, inner_negated):
                placed = self._placed(other.term, relation, direction)
                term = projection(relation, direction, placed)
                yield _Read(other.end, _typed(term, kind), other.simple)
                if placed.op is None or self._is_group(placed):
                    if not self.text.startswith(" that ", other.end):
                        continue
                    for read in self.clause(other.end + 6):
                        parts: tuple[Term, ...] = (term, read.term)
                        if read.term.op is Op.INTERSECTION and read.term.type is None:
                            parts = (term, *read.term.parts)
                        both = combination(Op.INTERSECTION, parts, kind)
                        yield _Read(read.end, both, False)

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

    # ---- names --------------------------------------------------------------------------------

    def name_lists(self, start: int, negated: bool) -> list[_Read]:
        """Read a name, "A or B", "one of A, B, and C", "the city A", "one of the cities A ..."."""
        return self._memo("names", start, negated, lambda: self._name_lists(start, negated))

    def _name_lists(self, start: int, negated: bool) -> Iterator[_Read]:
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
                            yield _Read(last, anchor(found, noun.type))
        if text.startswith("the ", start):
            for end, noun, _ in self.nouns(start + 4, plural=False):
                if text.startswith(" ", end):
                    for last, name, _ in self.one_name(end + 1):
                        yield _Read(last, anchor((name,), noun.type))

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


def _anchored(end: int, names: tuple[str, ...], bare: bool) -> _Read:
    return _Read(end, anchor(names, None, "" if bare else None))
