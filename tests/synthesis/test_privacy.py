"""Patterns that find what may expose a person, and what only looks like it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.privacy import find_private


def _resident_id(first: str) -> str:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(weight * int(sign) for weight, sign in zip(weights, first, strict=True))
    return first + "10X98765432"[total % 11]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Write to jo.doe+x@mail.example.org today.", "e-mail"),
        ("请写信到 wang@example.cn。", "e-mail"),
        ("jo@example.org", "e-mail"),
        ("jo [at] example [dot] org", "e-mail"),
        ("Call +49 30 1234567 after six.", "phone"),
        ("(555) 123-4567", "phone"),
        ("手机13812345678", "phone"),
        ("电话：010-62345678", "phone"),
        ("tel. 0171 555 0199", "phone"),
        (f"身份证 {_resident_id('11010519491231002')}", "national id"),
        ("her SSN 219-09-9999", "national id"),
        ("NI number AB 12 34 56 C", "national id"),
        ("passport no. C01234567", "national id"),
        ("IBAN DE89 3704 0044 0532 0130 00", "bank account"),
        ("card 4111 1111 1111 1111", "payment card"),
        ("lives at 221B Baker Street", "street address"),
        ("wohnt Lindenstraße 12", "street address"),
        ("家住中山北路25号", "street address"),
    ],
)
def test_private_data_is_found(text: str, kind: str) -> None:
    """Each kind is found once, in scripts of both languages, and masked."""
    found = find_private({"question": text})
    assert [match.kind for match in found] == [kind]
    match = found[0]
    assert len(match.shown) <= 3
    assert text[match.start : match.end] not in str(match.to_record())


@pytest.mark.parametrize(
    "text",
    [
        "Who won 8,848 votes between 1998-2004?",
        "ISBN 978-0-306-40615-7",
        "The population was 1,412,600,000 in 2021.",
        "2026-03-01T10:00:00Z",
        "110105194912310021",
        "666-12-3456",
        "DE89 3704 0044 0532 0130 01",
        "4111 1111 1111 1112",
        "0000 0000 0000 0000",
        "48.8566, 2.3522",
        "In 2010 the Street was closed.",
        "第25号元素",
        "the years 1990 1994 1998 2002",
        "@handle and #tag",
    ],
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    """Numbers, dates, ISBNs, coordinates and broken checksums are no private data."""
    assert find_private({"question": text}) == ()


@given(st.text(max_size=200))
def test_places_are_those_of_the_text(text: str) -> None:
    """Any text can be searched, and what is found lies inside it without overlaps."""
    found = find_private({"a": text, "b": f"{text} jo@example.org"})
    assert any(match.field == "b" and match.kind == "e-mail" for match in found)
    for match in found:
        assert 0 <= match.start < match.end <= len(text) + 15
    own = [match for match in found if match.field == "b"]
    assert all(one.end <= two.start for one, two in itertools.pairwise(own))


@pytest.mark.parametrize("word", ["passport", "tel", "护照", "电话"])
def test_a_flood_of_spaces_is_read_in_a_moment(word: str) -> None:
    """Each space is looked at once, so that what follows them is found however many they are."""
    flood = " " * 200_000
    assert find_private({"text": f"{word}{flood}x"}) == ()
    assert len(find_private({"text": f"{word} number:{flood}02012345678"})) == 1
