"""The parts of a page that are shown are those nearest to the goal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.web import Page, passages
from synthesis.web.passages import chunks_of, nearest
from synthesis.web.tokens import signs_and_words, terms

GAP = "[…]"
words = st.text(st.sampled_from("abc de. 法国首都\n"), max_size=400)


@given(words, st.integers(1, 60))
def test_chunks_are_the_text(text: str, size: int) -> None:
    """Nothing is lost but white space, and no chunk is longer than the size."""
    chunks = chunks_of(text, size)
    assert "".join("".join(chunks).split()) == "".join(text.split())
    assert all(0 < len(chunk) <= size for chunk in chunks)


@given(words, words, st.integers(1, 300))
def test_passages_are_parts_of_the_page_within_the_limit(text: str, goal: str, limit: int) -> None:
    """What is shown is no longer than allowed, and every line of it is in the page, in order."""
    shown = nearest(text, goal, max_chars=limit)
    assert len(shown) <= limit
    place = 0
    for line in shown.split("\n"):
        if line.strip() and line != GAP:
            place = text.find(line.strip(), place)
            assert place >= 0
            place += len(line.strip())


FILLER = "\n".join(
    f"Paragraph {n} is about the weather in the hills and about how people there dress for it. " * 3
    for n in range(80)
)


@pytest.mark.parametrize(
    ("needle", "goal"),
    [
        ("The treaty of Maastricht was signed in 1992 by twelve states.", "Who signed treaties?"),
        ("埃菲尔铁塔建成于1889年，高三百米。", "铁塔是哪一年建成的"),
        ("Its neighbours: Germany | Italy | Hungary", "neighbours of Austria"),
    ],
)
@pytest.mark.parametrize("place", [0, 40, 79])
def test_the_needle_is_shown(needle: str, goal: str, place: int) -> None:
    """A sentence that shares words with the goal is shown, wherever it stands in a long page."""
    lines = FILLER.split("\n")
    lines.insert(place, needle)
    page = Page(
        status="ok",
        url="http://a.example/",
        final_url="http://a.example/",
        title="Austria",
        text="\n".join(lines),
        fetched_at="2026-01-01",
    )
    shown = passages(page, goal, max_chars=1_500)
    assert needle in shown
    assert len(shown) <= 1_500


def test_what_is_shown_keeps_the_order_of_the_page() -> None:
    """The best part comes where it stands, and gaps are marked."""
    lines = FILLER.split("\n")
    lines.insert(10, "Vienna is old.")
    lines.insert(60, "Vienna, Vienna: the city of Vienna is the capital city.")
    shown = nearest("\n".join(lines), "capital city Vienna", max_chars=1_200)
    assert 0 < shown.index("Vienna is old") < shown.index("the city of Vienna")
    assert GAP in shown


def test_a_short_page_is_shown_whole_and_a_page_without_match_from_its_beginning() -> None:
    """Nothing is cut where all fits, and nothing is invented where nothing matches."""
    assert nearest("short\n\npage", "x", max_chars=11) == "short\n\npage"
    shown = nearest(FILLER, "zebra", max_chars=1_000)
    assert FILLER.startswith(shown[:200])
    assert GAP not in shown


def test_words_and_pairs() -> None:
    """Plural and case do not matter; Chinese is compared by pairs."""
    assert set(terms("Treaties and CITIES, boxes")) == set(terms("treaty and city, box"))
    assert terms("法国") == ["法国"]
    assert terms("法") == ["法"]
    assert terms("Ｆｒａｎｃｅ’s") == ["france"]
    assert signs_and_words("Don't 停") == ["dont", "停"]
