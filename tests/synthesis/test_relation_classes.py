"""Classes of relation names: orientation is kept, and what contradicts itself is not joined."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.relations import RelationSheet
from synthesis.relation_classes import RelationClasses, looks_symmetric

NAMES = ["a", "b", "c", "d", "e"]
FUNCTIONAL = RelationSheet.parse("[relations.capital]\nfunctional = true\n[relations.seat]\n")


def classes(sheet: RelationSheet | None = None, **facts: list[str]) -> RelationClasses:
    """Classes of names with facts given as ``head-tail``."""
    pairs = {name: {(text[0], text[-1]): None for text in given_} for name, given_ in facts.items()}
    return RelationClasses(pairs, sheet or RelationSheet())


@given(
    turned=st.lists(st.booleans(), min_size=5, max_size=5),
    links=st.lists(st.tuples(st.sampled_from(range(5)), st.sampled_from(range(5))), max_size=12),
)
def test_orientations_that_fit_together_are_all_joined(
    turned: list[bool], links: list[tuple[int, int]]
):
    """Whatever the order: a class is what the links reach, and orientations are as they were."""
    found = RelationClasses({name: {} for name in NAMES}, RelationSheet())
    reached = {n: {n} for n in range(5)}
    for one, other in links:
        assert found.join(NAMES[one], NAMES[other], turned[one] ^ turned[other]) in (None, "")
        both = reached[one] | reached[other]
        for n in both:
            reached[n] = both
    for n in range(5):
        expected = {(NAMES[m], turned[m] ^ turned[n]) for m in reached[n]}
        assert set(found.members(NAMES[n])) == expected
    assert len(found.roots()) == len({frozenset(group) for group in reached.values()})


@given(links=st.lists(st.tuples(*[st.sampled_from(NAMES)] * 2, st.booleans()), max_size=12))
def test_no_name_is_ever_its_own_inverse(links: list[tuple[str, str, bool]]):
    """A link that would make it so is refused with a reason; the classes stay as they were."""
    found = RelationClasses({name: {} for name in NAMES}, RelationSheet())
    for one, other, inverted in links:
        before = {name: set(found.members(name)) for name in NAMES}
        why = found.join(one, other, inverted)
        if why:
            assert why == "the relation would be its own inverse"
            assert (other, not inverted) in before[one]
            assert {name: set(found.members(name)) for name in NAMES} == before
        for name in NAMES:
            members = found.members(name)
            assert (name, False) in members
            assert len({member for member, _ in members}) == len(members)


def test_a_symmetric_relation_may_be_linked_both_ways() -> None:
    """The sheet says that it is, or its facts are there in both directions."""
    said = RelationSheet.parse("[relations.a]\nsymmetric = true\n")
    ring = [f"{x}-{y}" for x, y in itertools.permutations("xyz", 2)]
    for found in (classes(said, a=[], b=[]), classes(a=ring, b=[])):
        assert found.join("a", "b", False) is None
        assert found.join("b", "a", True) == ""
    one_way = classes(a=["x-y", "y-z", "z-x"], b=[])
    assert one_way.join("a", "b", False) is None
    assert one_way.join("b", "a", True) == "the relation would be its own inverse"


def test_few_facts_show_no_symmetry() -> None:
    """Two of them may be there both ways by chance."""
    assert not looks_symmetric({("x", "y"), ("y", "x")})
    assert not looks_symmetric(set())


@pytest.mark.parametrize("inverted", [False, True])
def test_what_the_sheet_calls_functional_is_joined_to_nothing_with_other_tails(
    inverted: bool,
) -> None:
    """One head is enough; with the same tails, or heads of its own, it is joined."""

    def joined(*facts: str) -> str | None:
        turned = [text[::-1] if inverted else text for text in facts]
        found = classes(FUNCTIONAL, capital=["f-p", "d-b"], other=turned)
        return found.join("capital", "other", inverted)

    assert joined("f-p", "e-m") is None
    assert joined("f-p", "d-n") == "the sheet calls it functional, and 1 have other tails"


def test_two_names_of_the_sheet_are_two_relations() -> None:
    """Whoever wrote it knows."""
    found = classes(FUNCTIONAL, capital=[], seat=[], x=[])
    assert found.join("capital", "seat", False) == "the sheet has both names"
    assert found.join("capital", "x", False) is None
    assert found.join("x", "seat", False) == "the sheet has both names"


def test_what_mostly_has_one_tail_is_not_joined_where_most_tails_are_others() -> None:
    """Head of government and chief of state are one person here and there."""
    mostly = {"hog": ["a-1", "b-2", "c-3", "d-4"], "cos": ["a-1", "b-6", "c-7", "d-8"]}
    assert classes(**mostly).join("hog", "cos", False) == (
        "mostly one fact each, and 3 of 4 have other tails"
    )
    agree = {**mostly, "cos": ["a-1", "b-2", "c-3", "d-8"]}
    assert classes(**agree).join("hog", "cos", False) is None


@pytest.mark.parametrize("certain", [False, True])
def test_what_is_certain_is_joined_whatever_speaks_against_it(certain: bool) -> None:
    """All but an inverse of itself."""
    found = classes(a=[], b=[])
    told: dict[str, Any] = {"against": "seeds hold them apart", "certain": certain}
    assert found.join("a", "b", False, **told) == (None if certain else "seeds hold them apart")
