"""Sealing: it opens where it belongs, and nowhere and in no other way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError
from synthesis.release.canary import PREFIX, Sealer, canary_guid, canary_of, canary_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
GUID = canary_guid(b"content")


@given(VALUES, st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_sealed_opens_as_it_was(value: Any, place: str) -> None:
    """Any plain data at any place comes back, and the same always gives the same text."""
    try:
        place.encode()
    except UnicodeEncodeError:
        return
    sealed = Sealer(GUID).seal(value, place)
    assert Sealer(GUID).open(sealed, place) == value
    assert sealed == Sealer(GUID).seal(value, place)
    assert sealed.startswith(PREFIX)
    assert sealed.isascii()


@given(st.data(), st.text(min_size=1, max_size=40))
def test_a_changed_text_does_not_open(data: st.DataObject, text: str) -> None:
    """One character changed anywhere is an error and never another value."""
    sealed = Sealer(GUID).seal(["x", text.encode("utf-8", "replace").decode()], "p")
    at = data.draw(st.integers(len(PREFIX), len(sealed) - 2))
    other = data.draw(st.sampled_from([sign for sign in "AbZ019_-" if sign != sealed[at]]))
    with pytest.raises(FormatError, match="cannot be opened"):
        Sealer(GUID).open(sealed[:at] + other + sealed[at + 1 :], "p")


@pytest.mark.parametrize(
    "sealed", ["", PREFIX, PREFIX + "A", PREFIX + "AAAA", "Paris", PREFIX + "é", PREFIX + "=" * 40]
)
def test_what_was_never_sealed_does_not_open(sealed: str) -> None:
    """Plain text, cut off text and nothing are told."""
    with pytest.raises(FormatError, match="q1/answer: cannot be opened"):
        Sealer(GUID).open(sealed, "q1/answer")


def test_a_text_opens_only_at_its_place_and_with_its_canary() -> None:
    """Answers cannot be exchanged between questions, nor opened with another canary."""
    sealed = Sealer(GUID).seal("Paris", "q1/answer")
    for sealer, place in ((Sealer(GUID), "q2/answer"), (Sealer("other"), "q1/answer")):
        with pytest.raises(FormatError):
            sealer.open(sealed, place)


def test_equal_answers_look_different_and_lengths_are_hidden() -> None:
    """Neither equality nor the exact length of answers shows."""
    sealer = Sealer(GUID)
    assert sealer.seal("Paris", "q1/answer") != sealer.seal("Paris", "q2/answer")
    assert len(sealer.seal("Rome", "a")) == len(sealer.seal("Constantinople", "a"))


def test_the_canary_is_found_in_text() -> None:
    """The sentence of a release gives its GUID back."""
    assert canary_of(f"x {canary_text(GUID)} y") == GUID
    assert canary_of("graphkit canary GUID ") is None
