"""Verb phrases of relations as the writer and the parser need them: parts around the slot."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphkit.compile.english_words import article, quote
from graphkit.evidence import nfc
from graphkit.operations import Direction
from graphkit.relations import Phrases, RelationSheet

__all__ = ["Form", "Nominal", "PhraseBook", "as_forms", "mechanical"]

_VERB = r"(?:does not \S+|\S+)"
_AS_LAST = re.compile(rf"({_VERB}) as ((?:its|a|an|the|one) .+) \{{\}}")
_AS_FIRST = re.compile(rf"({_VERB}) \{{\}} as ((?:its|a|an|the|one) .+)")
_NOUN = re.compile(r"is (a|an|the) (.+ )\{\}")
_RESERVED = frozenset(
    {"is", "is not", "both", "either", "at once", "exists", "does not exist", "that", "and", "or"}
)


@dataclass(frozen=True, slots=True)
class Form:
    """A verb phrase: what stands before and after the other end.

    Attributes:
        before: With the space before the slot.
        after: With the space after it, or nothing.
        relation: The relation.
        direction: Which ends the phrase is true of: forward of tails, backward of heads.
        negated: Whether it says that there is no such fact.
    """

    before: str
    after: str
    relation: str
    direction: Direction
    negated: bool


@dataclass(frozen=True, slots=True)
class Nominal:
    """A phrase that names what it is true of: ``the`` + ``capital of`` + a name."""

    article: str
    before: str
    relation: str
    direction: Direction


def as_forms(phrase: str) -> list[str]:
    """Return a phrase with the slot in the middle and at the end, where English allows both.

    >>> as_forms("has as its capital {}")
    ['has {} as its capital', 'has as its capital {}']
    >>> as_forms("borders {}")
    ['borders {}']
    """
    last = _AS_LAST.fullmatch(phrase)
    if last:
        return [f"{last[1]} {{}} as {last[2]}", phrase]
    first = _AS_FIRST.fullmatch(phrase)
    if first:
        return [phrase, f"{first[1]} as {first[2]} {{}}"]
    return [phrase]


def mechanical(relation: str, direction: Direction, negated: bool) -> tuple[Form, ...]:
    """Return phrases for a relation of which the sheet says nothing: its name in quotes.

    >>> [form.before for form in mechanical("capital", Direction.FORWARD, False)]
    ['is a "capital" of ']
    """
    name = f"{article(relation)} {quote(relation)}"
    if direction is Direction.FORWARD:
        return (Form(f"is {'not ' * negated}{name} of ", "", relation, direction, negated),)
    verb = "does not have" if negated else "has"
    return (
        Form(f"{verb} ", f" as {name}", relation, direction, negated),
        Form(f"{verb} as {name} ", "", relation, direction, negated),
    )


class PhraseBook:
    """All phrases of a sheet, by relation for the writer and by first word for the parser.

    A phrase that cannot be told from an earlier one is left out; its relation is then written
    mechanically.
    """

    def __init__(self, sheet: RelationSheet) -> None:
        self.forms: dict[tuple[str, Direction, bool], tuple[Form, ...]] = {}
        self.nominals: dict[tuple[str, Direction], Nominal] = {}
        self.forms_by_word: dict[str, list[Form]] = {}
        self.nominals_by_word: dict[str, list[Nominal]] = {}
        taken: set[tuple[str, str]] = set()
        for name, entry in sheet.relations.items():
            if entry.phrases is None or name != nfc(name):
                continue
            for direction in (Direction.BACKWARD, Direction.FORWARD):
                self._add(name, direction, entry.phrases, taken)

    def of(self, relation: str, direction: Direction, negated: bool) -> tuple[Form, ...]:
        """Return the phrases of a relation, those fit for a short name first."""
        known = self.forms.get((relation, direction, negated))
        return known or mechanical(relation, direction, negated)

    def nominal(self, relation: str, direction: Direction) -> Nominal | None:
        """Return the phrase that names what a relation leads to, if there is one."""
        if direction is Direction.FORWARD and (relation, direction, False) not in self.forms:
            return Nominal(article(relation), f"{quote(relation)} of ", relation, direction)
        return self.nominals.get((relation, direction))

    def _add(
        self, name: str, direction: Direction, phrases: Phrases, taken: set[tuple[str, str]]
    ) -> None:
        found: dict[bool, list[Form]] = {False: [], True: []}
        for negated, forms in found.items():
            for text in as_forms(
                " ".join(phrases.phrase(direction.value, negated=negated).split())
            ):
                before, slot, after = text.partition("{}")
                place = (before, after)
                if slot and _usable(before, after) and place not in taken:
                    forms.append(Form(before, after, name, direction, negated))
        if not all(found.values()):
            return
        for negated, forms in found.items():
            self.forms[name, direction, negated] = tuple(forms)
            for form in forms:
                taken.add((form.before, form.after))
                self.forms_by_word.setdefault(form.before.split(" ", 1)[0], []).append(form)
        noun = _NOUN.fullmatch(phrases.phrase(direction.value))
        if noun:
            nominal = Nominal(noun[1], noun[2], name, direction)
            self.nominals[name, direction] = nominal
            self.nominals_by_word.setdefault(noun[2].split(" ", 1)[0], []).append(nominal)


def _usable(before: str, after: str) -> bool:
    return (
        before.endswith(" ")
        and before.strip() not in _RESERVED
        and (not after or after.startswith(" "))
        and '"' not in before + after
        and not re.search(r"[,?]", before + after)
        and not before.startswith(("both ", "either ", "at once ", "that "))
    )
