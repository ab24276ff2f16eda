"""The facts read so far, with their names, aliases and gaps, and the profiles they come from."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from names import SKIPPED_CODES, Countries, nfc
from sheet import RELATIONS

Profile = dict[str, object]


@dataclass
class Fact:
    """One fact before it gets its id and sentence."""

    code: str
    head: str
    relation: str
    tail: str
    valid_from: str = ""


@dataclass
class Factbook:
    """The profiles, their names, and the facts that were read from them so far."""

    profiles: dict[str, Profile]
    countries: Countries
    facts: dict[tuple[str, str, str], Fact] = field(default_factory=dict)
    aliases: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    articles: set[str] = field(default_factory=set)
    partial: set[tuple[str, str]] = field(default_factory=set)
    dropped: Counter[str] = field(default_factory=Counter)

    def text(self, code: str, *path: str) -> str:
        """The text at a path of a profile, or "" when there is none."""
        node: object = self.profiles[code]
        for key in path:
            if not isinstance(node, dict):
                return ""
            node = node.get(key)
        if isinstance(node, dict):
            node = node.get("text")
        return node if isinstance(node, str) else ""

    def add(self, code: str, relation: str, tail: str, *, since: str = "", head: str = "") -> None:
        """Record a fact of a country (or of `head`); a repeated one is the same fact."""
        fact = Fact(code, head or self.countries.names[code], relation, nfc(tail), since)
        self.facts.setdefault((fact.head, relation, fact.tail), fact)

    def add_country(self, code: str, relation: str, text: str) -> None:
        """Record a fact whose tail is the country that a text names, if it names one."""
        other = self.countries.code(text)
        if other and other != code:
            self.add(code, relation, self.countries.names[other])
        elif not other:
            self.drop(code, relation)

    def drop(self, code: str, relation: str) -> None:
        """Note that an entry was left out, so that the head is not complete."""
        self.partial.add((self.countries.names[code], relation))
        self.dropped[relation] += 1

    def alias(self, name: str, kind: str, *others: str) -> None:
        """Remember other names of an entity."""
        wanted = {nfc(other) for other in others if other and nfc(other) != name}
        if wanted:
            self.aliases.setdefault((name, kind), set()).update(wanted)


def read_profiles(package: Path) -> dict[str, Profile]:
    """The profile of every country and territory, by its code in the file name."""
    profiles: dict[str, Profile] = {}
    for path in sorted(package.glob("*/*.json")):
        if path.parent.name != "meta" and path.stem not in SKIPPED_CODES:
            profiles[path.stem] = json.loads(path.read_text(encoding="utf-8"))
    return profiles


# A place that two territories share.
ONE_PLACE = frozenset({"Episkopi Cantonment"})


def part_names(book: Factbook) -> None:
    """Give places of different countries that share a name the country's name as well."""
    for kind, relations in (
        ("city", {"capital", "major city"}),
        ("port", {"major seaport"}),
    ):
        owners: dict[str, set[str]] = {}
        for fact in book.facts.values():
            if fact.relation in relations:
                owners.setdefault(fact.tail, set()).add(fact.head)
        shared = {name for name, heads in owners.items() if len(heads) > 1} - ONE_PLACE
        for key, fact in list(book.facts.items()):
            if fact.relation in relations and fact.tail in shared:
                del book.facts[key]
                plain = fact.tail
                fact.tail = f"{plain}, {fact.head}"
                book.facts[fact.head, fact.relation, fact.tail] = fact
                book.alias(fact.tail, kind, plain)
        for name in shared:
            book.aliases.pop((name, kind), None)


def drop_contradictions(book: Factbook) -> None:
    """Leave out facts of a functional relation where one head got two tails."""
    tails: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for key, fact in book.facts.items():
        if RELATIONS[fact.relation].functional:
            tails.setdefault((fact.head, fact.relation), []).append(key)
    for keys in tails.values():
        if len(keys) > 1:
            for key in keys:
                del book.facts[key]
