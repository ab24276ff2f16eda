"""Reads controlled English back: a question in sentences -> its question graph.

::

    text       = introduction* question
    introduction = "Consider" ["also"] "every" noun "that" statement "."
               | "Group A consists of every" noun "that" statement "."
    question   = opener statement "?"      opener: "Which country", "Who"; "What country", "What"
    statement  = verb | verb "but" verb | verb ("," verb)* [","] "and" verb
    clause     = verb | verb "but" verb | list
    list       = "both" verb "and" verb | "at once" verb ("," verb)+ ", and" verb
    verb       = phrase of the sheet around other | "either" verb ("," verb)* "or" verb | list
               | "is" ["not"] member | "exists"
    other      = names | "a" noun ["that" clause] | "something" ["that" clause] | group
               | "the capital of" other | "a member of" names ["that" clause]
               | "both" name "and" name | "all of" names
    member     = names | "a" noun ["that" clause] | "in group A" | "one of these" nouns
    group      = "one of these" nouns | "a" noun "in group A"
    names      = name | name "or" name | "one of" name ("," name)+ ", and" name | "the" noun name

After a negated phrase "any" stands for "a", "one of" and "something". "But" joins two verbs of
which one is negated and the first has no clause inside. A relation or a type without words is
its name in quotes. Bare names have the type of their place when the opener is "Which" or the
like, and no type when it is "What"; quoted ones have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from graphkit.compile.english_lexicon import EnglishLexicon, Noun
from graphkit.compile.english_terms import graph_of, term_of
from graphkit.compile.english_words import QUOTED
from graphkit.errors import FormatError
from graphkit.evidence import nfc
from graphkit.formats.english_clauses import ClauseReader, Groups, narrowed
from graphkit.formats.english_names import Read, ambiguous
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet

__all__ = ["parse_english"]

_INTRODUCTION = re.compile(r"(?:Consider (?:also )?|Group ([A-Z]+) consists of )every(?=thing | )")


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
    try:
        return _read(_single_spaces(nfc(text)), lexicon)
    except RecursionError as error:
        raise FormatError(
            "a sentence is nested too deeply to be read; expected at most a few hundred clauses "
            "inside one another (introduce groups in sentences of their own)"
        ) from error


def _read(text: str, lexicon: EnglishLexicon) -> QuestionGraph:
    groups = Groups()
    start = 0
    while True:
        match = _INTRODUCTION.match(text, start)
        if match is None:
            return _question(text, start, lexicon, groups)
        start = _introduce(text, match, lexicon, groups)


def _single_spaces(text: str) -> str:
    """Turn runs of white space into one space, except inside quotes."""
    parts = re.split(rf"({QUOTED.pattern})", text)
    return "".join(
        part if number % 2 else re.sub(r"\s+", " ", part) for number, part in enumerate(parts)
    )


def _introduce(text: str, match: re.Match[str], lexicon: EnglishLexicon, groups: Groups) -> int:
    """Read a sentence that introduces a group; return where the next one starts."""
    reader = _SentenceReader(text, lexicon, groups)
    found = [
        Read(read.end + 1, narrowed(read.term, noun.type))
        for after, noun in reader.everyone(match.end())
        if text.startswith(" that ", after)
        for read in reader.statement(after + 6)
        if text.startswith(".", read.end) and text[read.end + 1 : read.end + 2] in ("", " ")
    ]
    read = reader.only(found, "every ... that ... .")
    noun = lexicon.noun(read.term.type)
    if match[1]:
        groups.by_letter[match[1]] = read.term
    elif noun.plural in groups.by_noun:
        raise FormatError(f"two groups of {noun.plural} without letters; expected one")
    else:
        groups.by_noun[noun.plural] = read.term
    return read.end + 1 if text[read.end : read.end + 1] == " " else read.end


def _question(text: str, start: int, lexicon: EnglishLexicon, groups: Groups) -> QuestionGraph:
    reader = _SentenceReader(text, lexicon, groups)
    found: dict[bool, list[Read]] = {True: [], False: []}
    for after, noun, typed in reader.openers(start):
        for read in reader.statement(after):
            if text[read.end :] == "?":
                found[typed].append(Read(read.end, narrowed(read.term, noun.type)))
    expected = "a question that ends in a question mark"
    graphs = [
        graph
        for typed, reads in found.items()
        for graph in reader.meanings(reads, typed_anchors=typed)
    ]
    if not graphs:
        raise reader.error(expected)
    if len(graphs) > 1:
        meanings = {term_of(graph).text for graph in graphs}
        if len(meanings) > 1:
            raise ambiguous(text, list(meanings))
    return graphs[0]


class _SentenceReader(ClauseReader):
    """Reads whole sentences."""

    def meanings(self, reads: list[Read], *, typed_anchors: bool) -> list[QuestionGraph]:
        """The different graphs of some readings."""
        terms = {read.term.text: read.term for read in reads}
        return [
            graph_of(term, question=self.text, typed_anchors=typed_anchors)
            for term in terms.values()
        ]

    def only(self, reads: list[Read], expected: str) -> Read:
        """The one reading of a sentence; an error when there is none or more than one."""
        distinct = {read.term.text: read for read in reads}
        if len(distinct) > 1:
            distinct = {term_of(graph_of(read.term)).text: read for read in distinct.values()}
        if len(distinct) > 1:
            raise ambiguous(self.text, list(distinct))
        if not distinct:
            raise self.error(expected)
        return next(iter(distinct.values()))

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
