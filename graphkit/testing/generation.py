"""Random fact stores and question graphs from a stream of choices: hypothesis's or a seed's."""

from __future__ import annotations

import abc
import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from graphkit.relations import Phrases, Relation, RelationSheet
from graphkit.testing.growing import GraphGrower

__all__ = [
    "ODD_NAMES",
    "PLAIN_NAMES",
    "Choices",
    "SeededChoices",
    "make_graph",
    "make_records",
    "make_sheet",
    "make_store",
    "seeded_pairs",
]

T = TypeVar("T")

PLAIN_NAMES = ("Aral", "Bern", "Cork", "Dijon", "Elba", "Fez", "Graz", "Hamm", "Ica", "Jena")
"""Names without anything odd about them."""

ODD_NAMES = (
    'say "hi"',
    "O'Neil",
    "two\nlines",
    "tab\there",
    "nul\x00byte",
    "back\\slash",
    "\u05e2\u05d1\u05e8\u05d9\u05ea",
    "\u202eturned",
    "\U0001f1eb\U0001f1f7 flag \U0001f9d1\u200d\U0001f680",
    "Cafe\u0301",
    "CAFÉ",
    "bern",
    "\uff22ern",
    "Straße",
    "STRASSE",
    "#1",
    "city:Bern",
    "100%",
    "$x {y} `z`",
    "; DROP",
    "日本",
    "",
)
"""Names that break careless quoting, folding and keys; the empty one stands for a long one."""

TYPES = ("city", "person", "Ort & Stadt", "")
UNITS = ("m", "km", "")
RELATIONS = ("near", "part of", "made", 'has "x"', "größer als")


class Choices(abc.ABC):
    """A stream of choices; smaller numbers mean simpler things, so that examples shrink."""

    @abc.abstractmethod
    def number(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``, both included."""

    def chance(self, percent: int) -> bool:
        """Return True in about so many cases of a hundred."""
        return self.number(0, 99) >= 100 - percent

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[self.number(0, len(items) - 1)]

    def some(self, items: Sequence[T], low: int, high: int) -> list[T]:
        """Return some different items, in a random order."""
        left = list(items)
        count = min(self.number(low, high), len(left))
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(count)]


class SeededChoices(Choices):
    """Choices from a seed: the same seed gives the same choices on every machine.

    >>> SeededChoices(1).number(0, 9) == SeededChoices(1).number(0, 9)
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``, both included."""
        return self._random.randint(low, high)


def make_name(choices: Choices, *, odd: bool) -> str:
    """Return a name of an entity."""
    if odd and choices.chance(25):
        return choices.pick(ODD_NAMES) or "long " * 60 + "name"
    return choices.pick(PLAIN_NAMES)


def make_sheet(choices: Choices) -> RelationSheet:
    """Return a relation sheet for some of the relations that facts have."""
    relations: dict[str, Relation] = {}
    for number, name in enumerate(RELATIONS):
        if not choices.chance(60):
            continue
        symmetric = choices.chance(20)
        head = choices.pick(TYPES[:2]) if choices.chance(25) else None
        tail = head if symmetric else choices.pick(TYPES[:2]) if choices.chance(25) else None
        complete: bool | tuple[str, ...] = choices.chance(40)
        if choices.chance(15):
            complete = PLAIN_NAMES[:2]
        relations[name] = Relation(
            aliases=(f"{name} too",) if choices.chance(40) else (),
            inverse=f"{name} turned" if choices.chance(30) else None,
            inverse_aliases=(f"{name} backwards",) if choices.chance(30) else (),
            symmetric=symmetric,
            functional=choices.chance(10),
            head_type=head,
            tail_type=tail,
            complete=complete,
            phrases=(
                Phrases(backward=f"likes{number} {{}}", forward=f"is liked{number} by {{}}")
                if choices.chance(30)
                else None
            ),
        )
    return RelationSheet(relations=relations)


def relation_names(sheet: RelationSheet, name: str) -> list[str]:
    """Return the names by which facts and graphs may call a relation of a sheet."""
    entry = sheet.relation(name)
    inverse = [entry.inverse] if entry.inverse else []
    return [name, *entry.aliases, *entry.inverse_aliases, *inverse]


def make_records(
    choices: Choices, sheet: RelationSheet, *, low: int = 1, high: int = 16, odd: bool = True
) -> list[EvidenceRecord]:
    """Return evidence records: with types, ids, literals and aliases, and facts said twice."""
    names = [make_name(choices, odd=odd) for _ in range(choices.number(2, 7))]
    relations = choices.some(RELATIONS, 1, 3)
    records = []
    for number in range(choices.number(low, high)):
        head, tail = choices.pick(names), choices.pick(names)
        relation = choices.pick(relation_names(sheet, choices.pick(relations)))
        tail_type = choices.pick(TYPES) if choices.chance(25) else None
        unit = None
        if choices.chance(10):
            tail_type, tail = "number", choices.pick(["8,848", "8848.0", "-3", "many"])
            unit = choices.pick(UNITS)
        elif choices.chance(5):
            tail_type, tail = "date", choices.pick(["1871-1-18", "1871-01-18", "1900"])
        ids = choices.chance(10)
        aliases = {}
        if choices.chance(15):
            aliases[choices.pick([head, tail])] = tuple(
                choices.some([*names, "Old Name", "OLD name"], 1, 2)
            )
        records.append(
            EvidenceRecord(
                evidence_id=f"r{number}",
                head_entity=head,
                relation=relation,
                tail_entity=tail,
                head_type=choices.pick(TYPES) if choices.chance(20) else None,
                tail_type=tail_type,
                tail_unit=unit,
                head_id=f"Q{choices.number(1, 4)}" if ids else None,
                aliases=aliases,
                is_fresh_knowledge=choices.chance(30),
                source_url=f"https://www.site{choices.number(1, 3)}.example/page",
            )
        )
    return records


def make_store(choices: Choices, *, low: int = 1, high: int = 16, odd: bool = True) -> FactStore:
    """Return a fact store, from plain triples or from evidence records.

    Args:
        choices: Where the choices come from.
        low: The fewest facts, counted before repeated ones fall together.
        high: The most facts.
        odd: Whether names may hold quotes, line breaks, NUL and the like.
    """
    sheet = make_sheet(choices) if choices.chance(60) else RelationSheet()
    if choices.chance(40):
        return FactStore.from_evidence(
            make_records(choices, sheet, low=low, high=high, odd=odd), sheet
        )
    names = [make_name(choices, odd=odd) for _ in range(choices.number(2, 7))]
    relations = choices.some(RELATIONS, 1, 3)
    return FactStore.from_triples(
        [
            (choices.pick(names), choices.pick(relations), choices.pick(names))
            for _ in range(choices.number(low, high))
        ],
        sheet,
    )


def make_graph(
    choices: Choices,
    facts: FactStore,
    *,
    safe: bool | None = True,
    planted: bool = False,
    union: bool = True,
    steps: int = 6,
) -> QuestionGraph:
    """Return a question graph that grounds on the facts.

    Args:
        choices: Where the choices come from.
        facts: The facts; at least one.
        safe: Whether the root is an ordinary set (True), a complement (False), or either (None).
        planted: Whether to build backwards from an answer; its name is the graph's ``answer``.
        union: Whether the extension op ``union`` may occur.
        steps: The most operations, before what the other wishes need.

    Raises:
        ValueError: The store is empty, or an unsafe planted graph is wanted.
    """
    if not len(facts):
        raise ValueError("a question graph needs at least one fact")
    if planted and safe is False:
        raise ValueError("a planted graph is safe")
    grower = GraphGrower(choices, facts, union=union)
    if planted:
        return grower.planted(steps)
    return grower.free(steps, safe)


def seeded_pairs(
    seed: int,
    number: int,
    *,
    safe: bool | None = True,
    planted: bool | None = None,
    union: bool = True,
    odd: bool = True,
    steps: int = 6,
) -> Iterator[tuple[FactStore, QuestionGraph]]:
    """Yield pairs of a store and a graph over it, the same ones for the same seed.

    Four graphs share a store. Needs no hypothesis.

    Args:
        seed: The seed.
        number: How many pairs.
        safe: As for :func:`make_graph`.
        planted: Whether answers are planted; None for every second graph.
        union: Whether the extension op ``union`` may occur.
        odd: Whether names may be odd.
        steps: The most operations of a graph.

    >>> pairs = list(seeded_pairs(7, 3))
    >>> len(pairs), pairs[0][0] is pairs[1][0]
    (3, True)
    """
    choices = SeededChoices(seed)
    facts = make_store(choices, odd=odd)
    for count in range(number):
        if count and count % 4 == 0:
            facts = make_store(choices, odd=odd)
        plant = count % 2 == 0 if planted is None else planted
        yield (
            facts,
            make_graph(
                choices,
                facts,
                safe=safe if safe is not False or not plant else None,
                planted=plant and safe is not False,
                union=union,
                steps=steps,
            ),
        )
