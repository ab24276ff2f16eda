"""Sentences of a term: clauses, noun phrases and the groups that are spoken of first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphkit.compile.english_lexicon import EnglishLexicon, Noun
from graphkit.compile.english_phrases import Nominal
from graphkit.compile.english_terms import Term, with_type
from graphkit.compile.english_words import quote, series
from graphkit.operations import Op

__all__ = ["Group", "Style", "Writer", "conjuncts", "is_atom"]


class Phrase(NamedTuple):
    """A piece of a sentence.

    Attributes:
        text: The words.
        simple: Whether neither a relative clause nor a list of verb phrases is inside.
        negative: Whether it says what is not the case.
    """

    text: str
    simple: bool = True
    negative: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A set that a sentence of its own introduces.

    Attributes:
        noun: What its members are.
        letter: Its name; empty when "these countries" says enough.
    """

    noun: Noun
    letter: str = ""

    def member(self, negated: bool) -> str:
        """A noun phrase for some member, or with ``negated`` for any."""
        if self.letter:
            determiner = "any" if negated else self.noun.article
            return f"{determiner} {self.noun.singular} in group {self.letter}"
        return f"{'any' if negated else 'one'} of these {self.noun.plural}"

    def belongs(self, negated: bool) -> str:
        """A verb phrase for being a member, or not."""
        verb = "is not" if negated else "is"
        where = f"in group {self.letter}" if self.letter else f"one of these {self.noun.plural}"
        return f"{verb} {where}"


@dataclass(frozen=True, slots=True)
class Style:
    """How explicit the wording is.

    Attributes:
        typed_anchors: Whether bare names have the type of their place.
        nominals: Whether "the capital of France" may stand for "a city that is ...".
        quoted: Whether all names stand in quotes.
    """

    typed_anchors: bool = False
    nominals: bool = True
    quoted: bool = False


def conjuncts(term: Term) -> tuple[Term, ...]:
    """What is said of a set beside its type: the parts of an intersection, else the term."""
    return term.parts if term.op is Op.INTERSECTION else (with_type(term, None),)


def is_atom(term: Term) -> bool:
    """Whether a set needs no clause: names, or anything of a type."""
    return term.op is None


@dataclass(frozen=True)
class Writer:
    """Writes the sentences of one question."""

    lexicon: EnglishLexicon
    style: Style
    groups: Mapping[str, Group] = field(default_factory=dict)

    # ---- sentences ----------------------------------------------------------------------------

    def question(self, term: Term) -> str:
        """The question that asks for the members of a set."""
        noun = self.lexicon.noun(term.type)
        opener = noun.asks[0 if self.style.typed_anchors else 1]
        return f"{opener} {self._statement(term)}?"

    def introduction(self, term: Term, *, also: bool = False) -> str:
        """The sentence that introduces the group of a set."""
        group = self.groups[term.text]
        others = {text: item for text, item in self.groups.items() if text != term.text}
        statement = Writer(self.lexicon, self.style, others)._statement(term)
        every = f"every {group.noun.singular}"
        if group.letter:
            return f"Group {group.letter} consists of {every} that {statement}."
        return f"Consider {'also ' if also else ''}{every} that {statement}."

    def _statement(self, term: Term) -> str:
        """What is true of the members of a set, as the verb phrases of a main clause."""
        parts = self._ordered(conjuncts(term), term.type)
        if len(parts) == 2 and parts[0].simple and not parts[0].negative and parts[1].negative:
            return f"{parts[0].text} but {parts[1].text}"
        comma = any(not part.simple for part in parts[:-1])
        return series([part.text for part in parts], "and", comma=comma)

    def _ordered(self, terms: Sequence[Term], kind: str | None) -> list[Phrase]:
        """The verb phrases of some conjuncts: simple ones first, of these positive ones first."""
        made = [self.verb_phrase(term, kind) for term in terms]
        return sorted(made, key=lambda part: (not part.simple, part.negative, len(part.text)))

    # ---- clauses ------------------------------------------------------------------------------

    def clause(self, terms: Sequence[Term], kind: str | None) -> Phrase:
        """The verb phrases after "that"; they close themselves, so that nothing else joins in."""
        parts = self._ordered(terms, kind)
        if len(parts) == 1:
            return parts[0]
        if len(parts) == 2 and parts[0].simple and not parts[0].negative and parts[1].negative:
            return Phrase(f"{parts[0].text} but {parts[1].text}", False)
        return self._all_of(parts)

    def _all_of(self, parts: Sequence[Phrase]) -> Phrase:
        texts = [part.text for part in parts]
        opener = "both" if len(texts) == 2 else "at once"
        return Phrase(f"{opener} {series(texts, 'and')}", False)

    def verb_phrase(self, term: Term, kind: str | None) -> Phrase:
        """What is true of the members of a set, said of things of the type ``kind``."""
        group = self.groups.get(term.text)
        if group is not None:
            return Phrase(group.belongs(False))
        if term.type is not None or (term.op is None and term.names):
            member = self.is_phrase(term, kind)
            return Phrase(f"is {member.text}", member.simple)
        if term.op is None:
            return Phrase("exists")
        if term.op is Op.PROJECTION:
            return self._relation(term, negated=False)
        if term.op is Op.COMPLEMENT:
            return self._exclusion(term.parts[0], kind)
        if term.op is Op.INTERSECTION:
            return self._all_of(self._ordered(term.parts, kind))
        parts = self._ordered(term.parts, kind)
        return Phrase(f"either {series([part.text for part in parts], 'or')}", False)

    def _exclusion(self, term: Term, kind: str | None) -> Phrase:
        group = self.groups.get(term.text)
        if group is not None:
            return Phrase(group.belongs(True), negative=True)
        if term.op is Op.PROJECTION and term.type is None:
            return self._relation(term, negated=True)
        member = self.is_phrase(term, kind)
        return Phrase(f"is not {member.text}", member.simple, True)

    def _relation(self, term: Term, *, negated: bool) -> Phrase:
        forms = self.lexicon.phrases.of(term.relation, term.direction, negated)
        source = term.parts[0]
        other = self.noun_phrase(source, self._slot(term), negated=negated)
        short = other.simple and len(other.text) < 40
        form = forms[0] if short else next((item for item in forms if not item.after), forms[0])
        return Phrase(f"{form.before}{other.text}{form.after}", other.simple, negated)

    def _slot(self, term: Term) -> str | None:
        """The type that the sheet gives to the source of a projection."""
        return self.lexicon.end_type(term.relation, term.direction.reverse)

    # ---- noun phrases -------------------------------------------------------------------------

    def noun_phrase(self, term: Term, slot: str | None, *, negated: bool = False) -> Phrase:
        """Some member of a set, or with ``negated`` any member, as the other end of a relation."""
        group = self.groups.get(term.text)
        if group is not None:
            return Phrase(group.member(negated))
        if term.op is None and term.names:
            bare = slot if self.style.typed_anchors else None
            return Phrase(self.name_phrase(term, bare, negated=negated))
        noun = self.lexicon.noun(term.type)
        if term.op is None:
            return Phrase(_some(noun, negated))
        nominal = self._nominal(term, negated) if self.style.nominals else None
        if nominal is not None:
            return nominal
        clause = self.clause(conjuncts(term), term.type)
        return Phrase(f"{_some(noun, negated)} that {clause.text}", False)

    def _nominal(self, term: Term, negated: bool) -> Phrase | None:
        """The phrase "the capital of ...", where its type is that of the set."""
        parts = conjuncts(term)
        for part in parts:
            found = self._names_its_members(part, term.type)
            if found is None or (len(parts) > 1 and not self._is_plain(part.parts[0])):
                continue
            inner_negated = negated and found.article == "the"
            inner = self.noun_phrase(part.parts[0], self._slot(part), negated=inner_negated)
            determiner = "any" if negated and found.article != "the" else found.article
            text = f"{determiner} {found.before}{inner.text}"
            rest = [item for item in parts if item is not part]
            if not rest:
                return Phrase(text, inner.simple)
            return Phrase(f"{text} that {self.clause(rest, term.type).text}", False)
        return None

    def _names_its_members(self, part: Term, kind: str | None) -> Nominal | None:
        if part.op is not Op.PROJECTION or part.type is not None or part.text in self.groups:
            return None
        if self.lexicon.end_type(part.relation, part.direction) != kind:
            return None
        return self.lexicon.phrases.nominal(part.relation, part.direction)

    def _is_plain(self, term: Term) -> bool:
        return is_atom(term) or term.text in self.groups

    def is_phrase(self, term: Term, kind: str | None) -> Phrase:
        """What stands after "is": names, or "a country that ..."."""
        if term.op is None and term.names:
            return Phrase(self.name_phrase(term, None))
        noun = self.lexicon.noun(term.type or kind)
        if term.op is None:
            return Phrase(_some(noun, False))
        clause = self.clause(conjuncts(term), term.type or kind)
        return Phrase(f"{_some(noun, False)} that {clause.text}", False)

    def name_phrase(self, term: Term, bare: str | None, *, negated: bool = False) -> str:
        """The names of an anchor; its type too, where a bare name would not have it."""
        surfaces = [None if self.style.quoted else self.lexicon.surface(n) for n in term.names]
        written = [
            surface if surface is not None else quote(name)
            for surface, name in zip(surfaces, term.names, strict=True)
        ]
        if term.type is None and bare is not None:
            written = [quote(name) for name in term.names]
        elif term.type != bare or (term.type is not None and None in surfaces):
            noun = self.lexicon.noun(term.type)
            if len(written) == 1:
                return f"the {noun.singular} {written[0]}"
            lead = "any" if negated else "one"
            return f"{lead} of the {noun.plural} {series(written, 'and')}"
        if len(written) <= 2:
            return series(written, "or")
        return f"{'any' if negated else 'one'} of {series(written, 'and')}"


def _some(noun: Noun, negated: bool) -> str:
    if noun.type is None:
        return "anything" if negated else "something"
    return f"{'any' if negated else noun.article} {noun.singular}"
