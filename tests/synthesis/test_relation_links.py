"""Relation names across seeds: joined on proof, dropped where something speaks against it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.operations import Direction
from graphkit.relations import RelationSheet
from synthesis.relation_links import JoinedRelations, join_relations
from synthesis.relation_names import RelationBook, Spelling

SHEET = RelationSheet.parse(
    """
[relations."capital"]
functional = true
aliases = ["seat of government"]
inverse_aliases = ["capital of"]
[relations."largest city"]
"""
)


def record(text: str, **more: Any) -> EvidenceRecord:
    """A record of ``head|relation|tail``."""
    head, relation, tail = text.split("|")
    return EvidenceRecord(
        evidence_id=text, head_entity=head, relation=relation, tail_entity=tail, **more
    )


def seed(*texts: str) -> list[EvidenceRecord]:
    return [record(text) for text in texts]


def read(text: str, found: str, *, turned: bool = False) -> EvidenceRecord:
    """A record that was found under another name."""
    return record(text, relation_as_found=found, relation_turned=turned)


def joined(*seeds: list[EvidenceRecord], sheet: RelationSheet | None = None) -> JoinedRelations:
    return join_relations(seeds, sheet or RelationSheet())


def test_a_spelling_that_one_seed_read_as_a_name_and_another_kept_is_that_relation() -> None:
    """Straight, or inverted where the seed turned the ends."""
    for turned in (False, True):
        found = joined([read("a|borders|b", "touches", turned=turned)], seed("c|touches|d"))
        assert found.classes == {"borders": (("touches", turned),)}
        (link,) = found.links
        assert (link.ground, link.seeds, link.inverted) == ("replayed", 1, turned)


def test_two_names_that_one_spelling_was_read_as_are_one() -> None:
    """Nobody kept the spelling; it links them all the same, orientation and all."""
    found = joined(
        [read("a|capital|b", "has capital")], [read("c|capital of|d", "has_capital", turned=True)]
    )
    assert found.classes == {"capital": (("capital of", True),)}


def test_what_is_not_said_to_be_turned_or_not_links_nothing() -> None:
    """Evidence of an older run, or that somebody wrote by hand."""
    old = [record("a|borders|b", relation_as_found="touches")]
    assert joined(old, seed("c|touches|d")).classes == {}


def test_names_that_differ_in_form_only_are_one() -> None:
    """The first stays."""
    found = joined(seed("a|shares border|b"), seed("c|Shares_Border|d"))
    assert found.classes == {"shares border": (("Shares_Border", False),)}
    assert [link.ground for link in found.links] == ["form"]


def test_an_alias_in_another_form_is_what_the_sheet_says() -> None:
    """Even where nobody kept the name of the sheet."""
    found = joined(seed("a|Seat_of_government|b"), seed("c|Capital-Of|d"), sheet=SHEET)
    assert found.classes == {"capital": (("Seat_of_government", False), ("Capital-Of", True))}
    assert joined(seed("a|capital of|b"), sheet=SHEET).classes == {}


def test_a_name_that_seeds_hold_apart_is_joined_only_by_more_seeds() -> None:
    """A seed that keeps both with a fact in common could have joined them and did not."""
    says = [read("x|exports to|y", "trades with")]
    apart = seed("a|exports to|b", "a|trades with|b", "a|trades with|c")
    assert joined(says, apart).classes == {"exports to": (("trades with", False),)}
    found = joined(says, apart, apart)
    assert found.classes == {}
    assert [link.dropped for link in found.dropped] == [
        "held side by side, with a fact in common, by seeds: 2"
    ]


def test_a_spelling_with_two_meanings_does_not_join_them() -> None:
    """'Leader' was read as the one here and as the other there; many seeds know both."""
    here, there = [read("a|premier|b", "leader")], [read("c|president|d", "leader")]
    both = seed("e|premier|f", "e|president|f")
    found = joined(here, there, both, both)
    assert found.classes == {}
    assert len(found.dropped) == 1


def test_a_contradiction_drops_what_was_read() -> None:
    """A capital is one city."""
    says = [read("f|capital|p", "main town")]
    assert joined(says, seed("g|main town|q"), sheet=SHEET).classes
    found = joined(says, seed("f|main town|m"), sheet=SHEET)
    assert found.classes == {}
    assert [link.dropped for link in found.dropped] == [
        "the sheet calls it functional, and 1 have other tails"
    ]


PAIRS = [("a", "k"), ("b", "l"), ("c", "m"), ("d", "n"), ("e", "k"), ("e", "l")]


def facts(name: str, pairs: list[tuple[str, str]], *, turned: bool = False) -> list[EvidenceRecord]:
    return seed(
        *(f"{tail}|{name}|{head}" if turned else f"{head}|{name}|{tail}" for head, tail in pairs)
    )


@pytest.mark.parametrize("turned", [False, True])
def test_facts_that_coincide_join_names_that_nobody_linked(turned: bool) -> None:
    """Several of them, with several heads and tails."""
    found = joined(facts("r", [*PAIRS, ("z", "y")]), facts("s", [*PAIRS], turned=turned))
    assert found.classes == {"r": (("s", turned),)}
    (link,) = found.links
    assert (link.ground, link.shared, link.inverted) == ("facts", 6, turned)


@pytest.mark.parametrize(
    "other",
    [
        PAIRS[:4],
        [*PAIRS, ("f", "k")],
        [*PAIRS, *((head, "o") for head in "fgh")],
    ],
    ids=["too few", "one head is another", "others between known ends"],
)
def test_facts_that_coincide_by_chance_join_nothing(other: list[tuple[str, str]]) -> None:
    """Too few, or too much that only one of the two has."""
    mine = [*PAIRS, ("f", "l"), ("g", "k"), ("h", "k"), ("x", "o")]
    assert joined(facts("r", mine), facts("s", other)).classes == {}


def test_names_that_a_seed_holds_side_by_side_are_not_joined_by_facts() -> None:
    """It had the facts, and nobody proposed that they are one relation."""
    both = [*facts("r", PAIRS), *facts("s", PAIRS)]
    found = joined(both)
    assert found.classes == {}
    assert {link.dropped for link in found.dropped} == {
        "held side by side, with a fact in common, by seeds: 1"
    }


def test_one_tail_of_many_heads_shows_nothing() -> None:
    """All are born in and live in one town."""
    hub = [(head, "town") for head in "abcdefgh"]
    assert joined(facts("born in", hub), facts("lives in", hub)).classes == {}


def test_facts_are_found_under_every_name_with_the_sheet_of_what_is_joined() -> None:
    """A question under any name, in either direction, sees the facts of all."""
    records = [
        read("a|capital|b", "capital of", turned=True),
        *seed("d|capital of|c", "e|Capital|f"),
    ]
    found = joined([records[0]], records[1:])
    store = FactStore.from_evidence(records, found.sheet(RelationSheet()))
    assert store.relations == ("capital",)
    leads = store.project("capital", Direction.FORWARD, store.named("c"))
    assert [store.name(n) for n in leads.ids.tolist()] == ["d"]
    wider = joined(seed("a|Capital|b"), sheet=SHEET).sheet(SHEET)
    assert wider.relation("capital").functional
    assert wider.relation("capital").aliases == ("seat of government", "Capital")
    assert SHEET.relation("capital").aliases == ("seat of government",)


NAMES = st.sampled_from(["r", "s", "t"])
SEEDS = st.lists(
    st.lists(st.tuples(st.sampled_from("abc"), NAMES, st.sampled_from("abc")), max_size=6),
    max_size=3,
)


@given(triples=SEEDS, inverted=st.booleans())
def test_a_name_that_a_seed_has_otherwise_throughout_is_found_again(
    triples: list[list[tuple[str, str, str]]], inverted: bool
):
    """What the book of a seed turned into a name of its own is joined to it, straight or inverted.

    The seed read the others' name as its own; no seed holds both, nothing contradicts.
    """
    plain = [seed(*dict.fromkeys("|".join(t) for t in group)) for group in triples]
    book = RelationBook().named("own").joined("r", Spelling("own", inverted, "replayed"))
    for name in ("s", "t"):
        book = book.named(name)
    mine = [book.rewrite(item) for item in seed("x|r|y", "a|s|b")]
    found = joined(*plain, mine)
    kept = {item.relation for group in plain for item in group}
    links = [
        (name, other, turned) for name, others in found.classes.items() for other, turned in others
    ]
    if "r" in kept:
        assert ("r", "own", inverted) in links
    assert not any("s" in link or "t" in link for link in links if "own" in link)


@given(triples=SEEDS)
def test_what_was_joined_is_told_as_plain_data(triples: list[list[tuple[str, str, str]]]):
    """Each name once, and nothing is joined without a link."""
    found = joined(*(seed(*dict.fromkeys("|".join(t) for t in group)) for group in triples))
    told = found.to_record()
    names = [
        name
        for item in told["joined"]
        for name in (item["relation"], *item["aliases"], *item["inverse_aliases"])
    ]
    assert len(set(names)) == len(names)
    assert bool(told["links"]) == bool(told["joined"])
