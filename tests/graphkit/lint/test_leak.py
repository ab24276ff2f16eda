"""Names in running text: where they are found, where they are not, and the exact place."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphkit.lint import find_leaks


def spots(text: str, *names: str) -> list[str]:
    return [leak.text for leak in find_leaks(text, names)]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Is it Oman or Romania?", "Oman", ["Oman"]),
        ("Romania, Omani, oman-like", "Oman", ["oman"]),
        ("(Oman's)", "Oman", ["Oman"]),
        ("Oman1 and 1Oman", "Oman", []),
        ("area of 180 and 1805", "180", ["180"]),
        ("in the UNITED KINGDOM", "United Kingdom", ["UNITED KINGDOM"]),
        ("New\n  York", "New York", ["New\n  York"]),
        ("New\u00a0York", "New York", ["New\u00a0York"]),
        ("a newyorker", "New York", []),
        ("\uff2f\uff4d\uff41\uff4e", "Oman", ["\uff2f\uff4d\uff41\uff4e"]),
        ("the ﬁrst", "first", ["ﬁrst"]),
        ("Straße", "STRASSE", ["Straße"]),
        ("Strasse", "Straße", ["Strasse"]),
        ("ΟΔΥΣΣΕΥΣ", "Οδυσσευς", ["ΟΔΥΣΣΕΥΣ"]),
        ("İstanbul", "istanbul", []),
        ("İSTANBUL", "İstanbul", ["İSTANBUL"]),
        ("İ", "i", []),
        ("Café", "Cafe", []),
        ("Cafe\u0301", "Café", ["Cafe\u0301"]),
        ("Café", "Cafe\u0301", ["Café"]),
        ("Cafe\u0301s", "Café", []),
        ("a\u0323\u0301", "\u1ea1\u0301", ["a\u0323\u0301"]),
        ("他在北京大学读书", "北京", ["北京"]),
        ("東京タワー", "タワー", ["タワー"]),
        ("\uff80\uff9c\uff70", "タワー", ["\uff80\uff9c\uff70"]),
        ("저는 서울에 살아요", "서울", ["서울"]),
        ("กรุงเทพมหานคร", "กรุงเทพ", ["กรุงเทพ"]),
        ("Москва", "москв", []),
        ("في مصر", "مصر", ["مصر"]),
        ("a\u200fOman", "Oman", ["Oman"]),
        ("Say \U0001f1eb\U0001f1f7!", "\U0001f1eb\U0001f1f7", ["\U0001f1eb\U0001f1f7"]),
        ("", "Oman", []),
        ("Oman", "", []),
        ("Oman", "  ", []),
    ],
)
def test_where_a_name_stands_and_where_it_does_not(text: str, name: str, found: list[str]):
    """Words have boundaries in spaced scripts only; case, width and composition do not matter."""
    assert spots(text, name) == found


def test_names_that_overlap_are_all_found():
    """A name inside another name, and a name that begins before another ends."""
    leaks = find_leaks("New York City Hall", ["New York City", "York", "City Hall", "York"])
    assert [(leak.name, leak.start, leak.end) for leak in leaks] == [
        ("New York City", 0, 13),
        ("York", 4, 8),
        ("City Hall", 9, 18),
    ]
    assert [leak.start for leak in find_leaks("京京京", ["京京"])] == [0, 1]


def test_every_place_of_a_name_is_found():
    """Three times there, three leaks."""
    assert [leak.start for leak in find_leaks("Oman oman OMAN", ["Oman"])] == [0, 5, 10]


WORDS = st.text(
    st.sampled_from(
        "aeßﬁİıéÅΣς e\u0301\u0323\u0327\u00a0 \n1北京한국가\u1112\u1161\u11abカ\u3099!'-"
    ),
    max_size=12,
)


@given(WORDS, WORDS, WORDS)
@example("e\u0301", "\u0301x", "")
@example("\u1112", "\u1161\u11ab", "")
def test_places_are_those_of_the_text_as_given(before: str, name: str, after: str):
    """The span of a leak cuts exactly its text out of the original, and that text is the name."""
    text = f"{before} {name} {after}"

    def plain(words: str) -> str:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", words).casefold())
        return " ".join(folded.split())

    for leak in find_leaks(text, [name]):
        assert text[leak.start : leak.end] == leak.text
        assert plain(name) in plain(leak.text)


@given(WORDS)
def test_a_name_between_spaces_is_found(name: str):
    """Whatever a name is made of, it is found where it stands alone, in any composition."""
    words = name.strip()
    if not words or unicodedata.combining(words[0]) or words[0] in "\u1161\u11ab":
        return
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        text = f"x {unicodedata.normalize(form, words)} y"
        assert find_leaks(text, [words]), (text, words)


def test_a_long_text_is_searched_in_reasonable_time():
    """A hundred thousand characters with marks take well under the limit of a test."""
    text = "Cafe\u0301 " * 20_000 + "Oman"
    assert [leak.start for leak in find_leaks(text, ["Oman"])] == [len(text) - 4]
    assert spots("e" + "\u0301" * 3_000, "Oman") == []
