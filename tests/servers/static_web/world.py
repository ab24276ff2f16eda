"""The sub-world behind the pages: a coherent part of the Factbook facts, complete in itself."""

from __future__ import annotations

import functools
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from static_web.chinese import CHINESE, in_chinese
from static_web.wording import RELATIONS, RELATIONS_BY_NAME

__all__ = ["COUNTRIES", "FACTBOOK", "SINCE", "Fact", "World", "world"]

FACTBOOK = Path(__file__).parents[3] / "examples" / "factbook"

SINCE = "2026-01-01"
"""The timestamp t: what is published from this day on is fresh."""

COUNTRIES = tuple(CHINESE)[:56]

_RESOURCES = frozenset(tuple(CHINESE)[tuple(CHINESE).index("antimony") :][:16])


class Fact(NamedTuple):
    """One fact: (head, relation, tail), English names."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True, eq=False)
class World:
    """All facts of the sub-world, and how they are found.

    Attributes:
        facts: Sorted.
        by_head: Head -> its facts.
        by_tail: Tail -> facts about it.
        articles: Names that take "the".
    """

    facts: tuple[Fact, ...]
    by_head: dict[str, tuple[Fact, ...]]
    by_tail: dict[str, tuple[Fact, ...]]
    articles: frozenset[str]

    def of(self, *, head: str | None = None, tail: str | None = None, only: str) -> list[Fact]:
        """Return the facts of one relation about one end."""
        pool = self.by_head.get(head or "", ()) if head else self.by_tail.get(tail or "", ())
        return [fact for fact in pool if fact.relation == only]

    def tails(self, relation: str) -> list[str]:
        """Return all tails of a relation, sorted."""
        return sorted({fact.tail for fact in self.facts if fact.relation == relation})

    def complete_facts(self) -> list[dict[str, Any]]:
        """Return every fact of the sub-world as an evidence record; a run never sees them.

        Each carries the Chinese names as aliases, so that Chinese questions are answered too.
        """
        records = []
        for number, fact in enumerate(self.facts):
            relation = RELATIONS_BY_NAME[fact.relation]
            aliases = {name: (CHINESE[name],) for name in (fact.head, fact.tail) if name in CHINESE}
            records.append(
                {
                    "evidence_id": f"w{number:05d}",
                    "head_entity": fact.head,
                    "relation": fact.relation,
                    "tail_entity": fact.tail,
                    "evidence_text": relation.english["gazette"].format(h=fact.head, t=fact.tail),
                    "is_fresh_knowledge": relation.fresh,
                    "head_type": relation.head_type,
                    "tail_type": relation.tail_type,
                    **({"aliases": aliases} if aliases else {}),
                }
            )
        return records

    def relation_sheet(self) -> str:
        """Return the relation sheet of the complete facts: types, aliases in both languages."""
        lines = []
        for relation in RELATIONS:
            name = json.dumps(relation.name)
            aliases = [*relation.spellings]
            aliases += [name.replace(" ", "_").upper() for name in (relation.name, *aliases)]
            if relation.chinese_name:
                aliases.append(relation.chinese_name)
            lines += [
                f"[relations.{name}]",
                f"aliases = {json.dumps(aliases, ensure_ascii=False)}",
                f"head_type = {json.dumps(relation.head_type)}",
                f"tail_type = {json.dumps(relation.tail_type)}",
                f"functional = {str(relation.functional).lower()}",
                "complete = true",
            ]
            if relation.name == "borders":
                lines.append("symmetric = true")
        return "\n".join(lines) + "\n"


def _kept(record: dict[str, Any], countries: frozenset[str]) -> Fact | None:
    """Return the fact of a record when it belongs to the sub-world."""
    fact = Fact(record["head_entity"], record["relation"], record["tail_entity"])
    relation = RELATIONS_BY_NAME.get(fact.relation)
    if relation is None or fact.head not in countries or ". " in f"{fact.tail} ":
        return None
    if relation.tail_type == "country":
        return fact if fact.tail in countries else None
    if fact.relation == "natural resource":
        return fact if fact.tail in _RESOURCES else None
    if fact.relation in ("exports", "member of", "takes part in"):
        return fact if fact.tail in CHINESE else None
    return fact


@functools.cache
def world() -> World:
    """Read the sub-world from the bundled evidence."""
    countries = frozenset(COUNTRIES)
    found = set()
    with (FACTBOOK / "evidence.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            fact = _kept(json.loads(line), countries)
            if fact is not None:
                found.add(fact)
    facts = tuple(sorted(found))
    by_head: dict[str, list[Fact]] = {}
    by_tail: dict[str, list[Fact]] = {}
    for fact in facts:
        by_head.setdefault(fact.head, []).append(fact)
        by_tail.setdefault(fact.tail, []).append(fact)
    sheet = tomllib.loads((FACTBOOK / "relations.toml").read_text(encoding="utf-8"))
    names = {*by_head, *by_tail}
    return World(
        facts,
        {name: tuple(items) for name, items in by_head.items()},
        {name: tuple(items) for name, items in by_tail.items()},
        frozenset(sheet["articles"]["the"]) & names,
    )


def chinese_fact(fact: Fact) -> Fact:
    """Return a fact with the names of Chinese pages."""
    return Fact(
        in_chinese(fact.head), RELATIONS_BY_NAME[fact.relation].chinese_name, in_chinese(fact.tail)
    )
