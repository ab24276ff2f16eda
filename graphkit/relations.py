"""The relation sheet: what is known about relations and types beside the facts themselves."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphkit.errors import Problem, SheetError, did_you_mean

__all__ = ["EntityType", "Phrases", "Relation", "RelationSheet", "negate", "pluralize_verb"]

_IRREGULAR_VERBS = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}


def pluralize_verb(phrase: str) -> str:
    """Turn a verb phrase in the third person singular into the plural.

    >>> pluralize_verb("borders {}"), pluralize_verb("is a member of {}")
    ('border {}', 'are a member of {}')
    >>> pluralize_verb("carries {}"), pluralize_verb("reaches {}"), pluralize_verb("uses {}")
    ('carry {}', 'reach {}', 'use {}')
    """
    verb, space, rest = phrase.partition(" ")
    if verb in _IRREGULAR_VERBS:
        verb = _IRREGULAR_VERBS[verb]
    elif verb.endswith("ies") and len(verb) > 4:
        verb = verb[:-3] + "y"
    elif re.search(r"(?:ss|x|zz|ch|sh|o)es$", verb):
        verb = verb[:-2]
    elif verb.endswith("s") and not verb.endswith("ss"):
        verb = verb[:-1]
    return verb + space + rest


def negate(phrase: str) -> str:
    """Turn a verb phrase in the third person singular into its negation.

    >>> negate("borders {}"), negate("is a member of {}"), negate("has {} as its capital")
    ('does not border {}', 'is not a member of {}', 'does not have {} as its capital')
    """
    verb, space, rest = phrase.partition(" ")
    if verb in ("is", "was"):
        return f"{verb} not{space}{rest}"
    return "does not " + pluralize_verb(phrase)


class Phrases(BaseModel):
    """English verb phrases of one relation; ``{}`` stands for the other end.

    ``backward`` is true of the head ("borders {}"), ``forward`` of the tail ("is bordered by
    {}"). What is not given is derived: see :func:`negate` and :func:`pluralize_verb`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    forward: str
    backward: str
    forward_not: str | None = None
    backward_not: str | None = None
    forward_plural: str | None = None
    backward_plural: str | None = None

    def phrase(self, direction: str, *, negated: bool = False, plural: bool = False) -> str:
        """Return the phrase for one direction, singular or plural, plain or negated."""
        plain: str = getattr(self, direction)
        singular_not: str | None = getattr(self, f"{direction}_not")
        plural_plain: str | None = getattr(self, f"{direction}_plural")
        if negated:
            text = singular_not or negate(plain)
            return pluralize_verb(text) if plural else text
        if plural:
            return plural_plain or pluralize_verb(plain)
        return plain


class Relation(BaseModel):
    """What the sheet says about one relation; everything is optional.

    Attributes:
        complete: True when every fact of the relation is known; or the names of the heads for
            which all of them are.
        functional: A head has at most one tail.
        symmetric: A fact holds in both directions.
        inverse: The name of the relation read the other way.
        tail_unit: The unit of tails that are numbers, for instance ``metre``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    aliases: tuple[str, ...] = ()
    inverse: str | None = None
    inverse_aliases: tuple[str, ...] = ()
    symmetric: bool = False
    functional: bool = False
    head_type: str | None = None
    tail_type: str | None = None
    tail_unit: str | None = None
    complete: bool | tuple[str, ...] = False
    note: str = ""
    phrases: Phrases | None = None


class EntityType(BaseModel):
    """How a type is spoken of in English."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    singular: str | None = None
    plural: str | None = None
    article: str | None = None
    ask: str | None = None


class RelationSheet(BaseModel):
    """The relation sheet of a body of evidence (``relations.toml`` beside the facts).

    >>> sheet = RelationSheet.parse('''
    ... [relations.borders]
    ... symmetric = true
    ... complete = true
    ... [relations.borders.phrases]
    ... backward = "borders {}"
    ... forward = "is bordered by {}"
    ... ''')
    >>> sheet.relation("borders").symmetric, sheet.relation("unknown").complete
    (True, False)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    meta: dict[str, Any] = Field(default_factory=dict)
    types: dict[str, EntityType] = Field(default_factory=dict)
    relations: dict[str, Relation] = Field(default_factory=dict)
    articles: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @classmethod
    def parse(cls, text: str, file: str | None = None) -> RelationSheet:
        """Read a sheet from TOML.

        Args:
            text: The TOML document.
            file: Its name, for errors.

        Raises:
            SheetError: It is not TOML, or says what no sheet can say; all problems at once.
        """
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise SheetError(Problem(f"not a TOML document: {error}", file=file)) from error
        return cls.from_dict(data, file)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], file: str | None = None) -> RelationSheet:
        """Build a sheet from plain data and check it; see :meth:`parse`."""
        try:
            sheet = cls.model_validate(data)
        except ValidationError as error:
            raise SheetError(
                Problem(_message(item), file=file, subject=".".join(map(str, item["loc"])))
                for item in error.errors()
            ) from error
        problems = [problem.at(file) for problem in sheet.problems()]
        if problems:
            raise SheetError(problems)
        return sheet

    def problems(self) -> list[Problem]:
        """Return what contradicts itself in the sheet: unknown inverses, phrases said twice."""
        found: list[Problem] = []
        spoken: dict[str, str] = {}
        for name, relation in self.relations.items():
            subject = f"relation {name}"
            if relation.symmetric and relation.head_type != relation.tail_type:
                found.append(
                    Problem(
                        "a symmetric relation has one type at both ends",
                        code="symmetric_types",
                        subject=subject,
                    )
                )
            other = self.relations.get(relation.inverse or "")
            if other is not None and other.inverse not in (None, name):
                found.append(
                    Problem(
                        f"inverse {relation.inverse} names {other.inverse} as its own",
                        code="inverse_mismatch",
                        subject=subject,
                    )
                )
            if relation.phrases is None:
                continue
            for direction in ("forward", "backward"):
                if relation.symmetric and direction == "forward":
                    continue
                text = relation.phrases.phrase(direction)
                if text.count("{}") != 1:
                    found.append(
                        Problem(
                            f"phrase {text!r} needs exactly one {{}}",
                            code="phrase_slot",
                            subject=subject,
                        )
                    )
                if text in spoken:
                    found.append(
                        Problem(
                            f"phrase {text!r} is also that of {spoken[text]}",
                            code="phrase_twice",
                            subject=subject,
                        )
                    )
                spoken[text] = subject
        return found

    def relation(self, name: str) -> Relation:
        """Return the entry of a relation, or an empty one."""
        return self.relations.get(name, _UNKNOWN)

    def restricted(self, names: Iterable[str]) -> RelationSheet:
        """Return the sheet with only the relations named."""
        keep = set(names)
        unknown = sorted(keep - set(self.relations))
        if unknown:
            raise SheetError(
                f"no relation {unknown[0]!r} in the sheet{did_you_mean(unknown[0], self.relations)}"
            )
        kept = {name: entry for name, entry in self.relations.items() if name in keep}
        # Not a copy: that would keep the aliases which are computed of all relations.
        return RelationSheet(
            meta=self.meta, types=self.types, relations=kept, articles=self.articles
        )

    @functools.cached_property
    def aliases(self) -> dict[str, tuple[tuple[str, bool], ...]]:
        """Every other name of a relation -> (relation, inverted?) pairs."""
        table: dict[str, list[tuple[str, bool]]] = {}
        for name, entry in self.relations.items():
            forward = [*entry.aliases]
            backward = [*entry.inverse_aliases, *([entry.inverse] if entry.inverse else [])]
            for alias in forward:
                table.setdefault(alias, []).append((name, False))
            for alias in backward:
                table.setdefault(alias, []).append((name, True))
        return {alias: tuple(dict.fromkeys(pairs)) for alias, pairs in table.items()}


_UNKNOWN = Relation()


def _message(item: Any) -> str:
    if item["type"] == "extra_forbidden":
        return "no such key in a relation sheet"
    return str(item["msg"]).lower()
