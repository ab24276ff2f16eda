"""The load: a generated graph of named entities and facts, as a file of tab-separated triples."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

SEED = 20_240_817
RELATIONS = 50

Triple = tuple[str, str, str]


def triples(nodes: int, edges: int, seed: int = SEED) -> list[Triple]:
    """Return facts that differ, about entities each of which is named at least once.

    Heads are drawn unevenly, so that a few entities have many facts, and so are relations.
    """
    dice = random.Random(seed)
    found: dict[Triple, None] = {}
    for number in range(nodes):
        found[_name(number), _relation(dice), _name(dice.randrange(nodes))] = None
    while len(found) < edges:
        head = int(nodes * dice.random() ** 2)
        found[_name(head), _relation(dice), _name(dice.randrange(nodes))] = None
    return list(found)


def _name(number: int) -> str:
    return f"entity {number}"


def _relation(dice: random.Random) -> str:
    return f"relation {int(RELATIONS * dice.random() ** 2)}"


def write(path: Path, facts: list[Triple]) -> None:
    """Write triples as a file that ``graphkit load`` takes."""
    with path.open("w", encoding="utf-8") as file:
        for triple in facts:
            file.write("\t".join(triple) + "\n")


def read(path: Path) -> Iterator[Triple]:
    """Yield the triples of a file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            head, relation, tail = line.rstrip("\n").split("\t")
            yield head, relation, tail


def names(facts: list[Triple]) -> list[str]:
    """Return all entities in the order in which they come."""
    return list(dict.fromkeys(name for head, _, tail in facts for name in (head, tail)))
