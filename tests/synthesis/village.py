"""A small body of facts with everything that growth needs: a village, its clubs and its trades."""

from __future__ import annotations

import functools
import random

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.relations import RelationSheet

SHEET = """
[types.person]
plural = "people"
ask = "Who"
[types.club]
[types.trade]
[types.street]
[types.song]
[relations."member of"]
head_type = "person"
tail_type = "club"
complete = true
[relations."member of".phrases]
backward = "belongs to {}"
forward = "counts {} among its members"
[relations."practises"]
head_type = "person"
tail_type = "trade"
complete = true
[relations."practises".phrases]
backward = "practises {}"
forward = "is practised by {}"
[relations."befriends"]
symmetric = true
head_type = "person"
tail_type = "person"
complete = true
[relations."befriends".phrases]
backward = "befriends {}"
forward = "is befriended by {}"
[relations."works for"]
head_type = "person"
tail_type = "person"
complete = true
[relations."works for".phrases]
backward = "works for {}"
forward = "employs {}"
[relations."lives on"]
head_type = "person"
tail_type = "street"
functional = true
complete = true
[relations."lives on".phrases]
backward = "lives on {}"
forward = "is the home of {}"
[relations."owns"]
head_type = "person"
tail_type = "song"
complete = true
[relations."owns".phrases]
backward = "owns {}"
forward = "is owned by {}"
[relations."hums"]
head_type = "person"
tail_type = "song"
[relations."hums".phrases]
backward = "hums {}"
forward = "is hummed by {}"
"""

_FIRST = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo")
_LAST = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel")


@functools.cache
def records() -> tuple[EvidenceRecord, ...]:
    """The evidence: sixty people and what they do, from a fixed seed."""
    dice = random.Random(11)
    people = [f"{first} {last}" for first in _FIRST for last in _LAST]
    triples: dict[tuple[str, str, str], None] = {}
    for number, person in enumerate(people):
        for club in dice.sample(range(14), 4):
            triples[person, "member of", f"Club {club + 1}"] = None
        for trade in dice.sample(range(9), 2):
            triples[person, "practises", f"Trade {trade + 1}"] = None
        for friend in dice.sample(people, 3):
            if friend != person:
                triples[person, "befriends", friend] = None
        for master in dice.sample(people[:8], 2):
            if master != person:
                triples[person, "works for", master] = None
                triples[person, "befriends", master] = None
        for song in dice.sample(range(20), 3):
            triples[person, "hums", f"Song {song + 1}"] = None
        triples[person, "lives on", f"Street {number % 7 + 1}"] = None
        triples[person, "owns", f"Tune of {person}"] = None
    return tuple(
        EvidenceRecord(
            evidence_id=f"v{number}",
            head_entity=head,
            relation=relation,
            tail_entity=tail,
            source_url="https://village.example/book",
        )
        for number, (head, relation, tail) in enumerate(triples)
    )


@functools.cache
def village() -> FactStore:
    """The facts of the village."""
    return FactStore.from_evidence(records(), RelationSheet.parse(SHEET))
