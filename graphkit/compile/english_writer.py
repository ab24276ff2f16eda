"""Sentences of a term: clauses, noun phrases and the groups that are spoken of first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from graphkit.compile.english_lexicon import EnglishLexicon, Noun
from graphkit.compile.english_phrases import Nominal, mechanical
from graphkit.compile.english_terms import Term, with_type
from graphkit.compile.english_words import quote, series
from graphkit.operations import Op

__all__ = ["Group", "Style", "Writer", "bundles", "conjuncts", "is_atom"]

_SHORT = 40  # characters that may stand between a verb and its particle


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
        mechanical: Whether relations are written with their names in quotes.
    """

    typed_anchors: bool = False
    nominals: bool = True
    quoted: bool = False
    mechanical: bool = False


def conjuncts(term: Term) -> tuple[Term, ...]:
    """What is said of a set beside its type: the parts of an intersection, else the term."""
    return term.parts if term.op is Op.INTERSECTION else (with_type(term, None),)


def bundles(terms: Sequence[Term]) -> list[tuple[Term, ...]]:
    """Put together what is one relation to several names: "borders both France and Spain"."""
    found: dict[str, list[Term]] = {}
    for number, term in enumerate(terms):
        key = str(number)
        if term.op is Op.PROJECTION and term.type is None and len(term.parts[0].names) == 1:
            key = f"{term.direction} {term.relation}"
        found.setdefault(key, []).append(term)
    return [tuple(items) for items in found.values()]


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
        every = f"every {group.noun.singular}" if group.noun.type else "everything"
        if group.letter:
            return f"Group {group.letter} consists of {every} that {statement}."
        return f"Consider {'also ' if also else ''}{every} that {statement}."

    def _statement(self, term: Term) -> str:
        """What is true of the members of a set, as the verb phrases of a main clause."""
        parts = self._ordered(bundles(conjuncts(term)), term.type)
        if _contrast(parts):
            return f"{parts[0].text} but {parts[1].text}"
        comma = any(not part.simple for part in parts[:-1])
        return series([part.text for part in parts], "and", comma=comma)

    def _ordered(self, items: Sequence[tuple[Term, ...]], kind: str | None) -> list[Phrase]:
        """The verb phrases of some bundles: simple ones first, of these positive ones first."""
        made = [
            self.verb_phrase(item[0], kind) if len(item) == 1 else self._relation(item)
            for item in items
        ]
        return sorted(made, key=lambda part: (not part.simple, part.negative, len(part.text)))

    # ---- clauses ------------------------------------------------------------------------------

    def clause(self, terms: Sequence[Term], kind: str | None) -> Phrase:
        """The verb phrases after "that"; they close themselves, so that nothing else joins in."""
        parts = self._ordered(bundles(terms), kind)
        if len(parts) == 1:
            return parts[0]
        if _contrast(parts):
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
            return self._relation((term,))
        if term.op is Op.COMPLEMENT:
            return self._exclusion(term.parts[0], kind)
        if term.op is Op.INTERSECTION:
            parts = self._ordered(bundles(term.parts), kind)
            return parts[0] if len(parts) == 1 else self._all_of(parts)
        parts = self._ordered([(part,) for part in term.parts], kind)
        return Phrase(f"either {series([part.text for part in parts], 'or')}", False)

    def _exclusion(self, term: Term, kind: str | None) -> Phrase:
        group = self.groups.get(term.text)
        if group is not None:
            return Phrase(group.belongs(True), negative=True)
        if term.op is Op.PROJECTION and term.type is None:
            return self._relation((term,), negated=True)
        member = self.is_phrase(term, kind)
        return Phrase(f"is not {member.text}", member.simple, True)

    def _relation(self, terms: tuple[Term, ...], *, negated: bool = False) -> Phrase:
        first = terms[0]
        phrases = mechanical if self.style.mechanical else self.lexicon.phrases.of
        forms = phrases(first.relation, first.direction, negated)
        other = self._others(terms, negated)
        short = other.simple and len(other.text) < _SHORT
        form = forms[0] if short else next((item for item in forms if not item.after), forms[0])
        return Phrase(f"{form.before}{other.text}{form.after}", other.simple, negated)

    def _others(self, terms: tuple[Term, ...], negated: bool) -> Phrase:
        """The other ends of one relation: a member of a set, or all of some names."""
        made = [
            self.noun_phrase(term.parts[0], self._slot(term), negated=negated) for term in terms
        ]
        if len(made) == 1:
            return made[0]
        names = series([item.text for item in made], "and")
        return Phrase(f"both {names}" if len(made) == 2 else f"all of {names}")

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
        items = bundles(conjuncts(term))
        for item in items:
            found = self._names_its_members(item[0], term.type)
            if found is None or (len(items) > 1 and not self._is_plain(item[0].parts[0])):
                continue
            other = self._others(item, negated and found.article == "the")
            determiner = "any" if negated and found.article != "the" else found.article
            text = f"{determiner} {found.before}{other.text}"
            rest = [part for another in items if another is not item for part in another]
            if not rest:
                return Phrase(text, other.simple)
            return Phrase(f"{text} that {self.clause(rest, term.type).text}", False)
        return None

    def _names_its_members(self, part: Term, kind: str | None) -> Nominal | None:
        if part.op is not Op.PROJECTION or part.type is not None or part.text in self.groups:
            return None
        if self.lexicon.end_type(part.relation, part.direction) != kind:
            return None
        return self.lexicon.phrases.nominal(part.relation, part.direction)

    def _is_plain(self, term: Term) -> bool:
        return bool(term.names) or term.text in self.groups

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


def _contrast(parts: Sequence[Phrase]) -> bool:
    """Whether two verb phrases can be joined by "but": one denies, the first is simple."""
    return (
        len(parts) == 2
        and parts[0].simple
        and parts[0].negative != parts[1].negative
        and " but " not in parts[1].text
    )


def _some(noun: Noun, negated: bool) -> str:
    if noun.type is None:
        return "anything" if negated else "something"
    return f"{'any' if negated else noun.article} {noun.singular}"
