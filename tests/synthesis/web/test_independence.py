"""Sources count as independent only if no owner, copy or quotation connects them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.web import Page, independent_sources, repeats
from synthesis.web.domains import root_domain

SUBJECTS = (
    "the mayor",
    "a courier",
    "the old bridge",
    "her sister",
    "the council",
    "a painter",
    "the river",
)
VERBS = (
    "opened",
    "described",
    "crossed",
    "remembered",
    "repaired",
    "sold",
    "mapped",
    "flooded",
    "praised",
)
THINGS = (
    "the harbour",
    "a narrow street",
    "the market",
    "an archive",
    "two houses",
    "the mill",
    "a garden",
)
TIMES = (
    "in May",
    "at dawn",
    "last winter",
    "before the war",
    "on a Sunday",
    "for years",
    "in silence",
)
Make = Callable[[int], str]
HAN = (
    "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
    "闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈"
)


def prose(seed: int, sentences: int = 30) -> str:
    """A page of sentences, different for every seed, five to a paragraph."""
    dice = random.Random(seed)
    lines = []
    for _ in range(sentences // 5):
        told = [
            f"{dice.choice(SUBJECTS)} {dice.choice(VERBS)} {dice.choice(THINGS)} "
            f"{dice.choice(TIMES)} and then {dice.choice(SUBJECTS)} {dice.choice(VERBS)} "
            f"{dice.choice(THINGS)} {dice.choice(TIMES)}.".capitalize()
            for _ in range(5)
        ]
        lines.append(" ".join(told))
    return "\n".join(lines)


def chinese(seed: int, sentences: int = 12) -> str:
    dice = random.Random(seed)
    return "\n".join("".join(dice.choices(HAN, k=40)) + "。" for _ in range(sentences))


def page(url: str, text: str, status: str = "ok") -> Page:
    return Page.model_validate(
        {
            "status": status,
            "url": url,
            "final_url": url,
            "text": text,
            "fetched_at": "2026-01-01",
            "root_domain": root_domain(url),
        }
    )


def sources(
    *pages: Page, origin: str = "http://origin.example/", origin_page: Page | None = None
) -> list[list[str]]:
    """The hosts of the independent sources."""
    groups = independent_sources(pages, origin_url=origin, origin=origin_page)
    return [[p.final_url.split("/")[2] for p in group] for group in groups]


@pytest.mark.parametrize("make", [prose, chinese])
def test_different_pages_of_different_owners_are_independent(make: Make) -> None:
    """Own words under own domains are own sources."""
    pages = [page(f"http://{name}.example/", make(n)) for n, name in enumerate("abc")]
    assert sources(*pages) == [["a.example"], ["b.example"], ["c.example"]]


def test_one_owner_is_one_source() -> None:
    """Pages of hosts with one root domain count together."""
    found = sources(
        page("http://news.a.example/", prose(1)),
        page("http://b.example/", prose(2)),
        page("http://blog.a.example/", prose(3)),
    )
    assert found == [["news.a.example", "blog.a.example"], ["b.example"]]


@pytest.mark.parametrize("make", [prose, chinese])
@pytest.mark.parametrize("change", ["none", "header", "part", "words", "order", "longer"])
def test_a_copy_is_no_second_source(make: Make, change: str) -> None:
    """A copy with another header, cut, reworded here and there, reordered or framed is a copy."""
    text: str = make(1)
    lines = text.split("\n")
    copies = {
        "none": text,
        "header": "Daily News – subscribe now – 30 November\n" + text + "\nAll rights reserved.",
        "part": "\n".join(lines[: len(lines) * 2 // 3]),
        "words": text.replace("mayor", "burgomaster").replace("天", "大"),
        "order": "\n".join(lines[::-1]),
        "longer": make(7) + "\n" + text + "\n" + make(8),
    }
    original, copy = page("http://a.example/", text), page("http://b.example/", copies[change])
    other = page("http://c.example/", make(5))
    assert sources(original, copy, other) == [["a.example", "b.example"], ["c.example"]]


def test_a_reworded_copy_of_short_lines_is_a_copy() -> None:
    """Most of the words in a row are enough, where no paragraph is long enough to compare."""
    lines = prose(1).replace(". ", ".\n")
    copy = lines.replace("mayor", "burgomaster").replace("harbour", "port")
    assert repeats(lines, copy)
    assert not repeats(lines, prose(2).replace(". ", ".\n"))


@pytest.mark.parametrize("make", [prose, chinese])
def test_a_quoted_paragraph_makes_a_page_depend(make: Make) -> None:
    """A page of its own words that takes over one whole paragraph is no second source."""
    first: str = make(1)
    second: str = make(2)
    taken = first.split("\n")[2]
    around = make(4).split("\n")
    quoting = f"{second}\n{around[0]} {taken} {around[1]}\n{make(3)}"
    assert repeats(first, quoting)
    assert repeats(quoting, first)
    assert not repeats(first, second)


def test_the_same_list_is_no_copy() -> None:
    """Two pages that name the same members of something need not know of one another."""
    members = ", ".join(f"Country{n} of{n} there{n}" for n in range(40)) + "."
    first = prose(1) + "\nMember states: " + members
    second = prose(2) + "\nThe members are: " + members
    assert not repeats(first, second)


def test_the_origin_and_its_copies_do_not_count() -> None:
    """Neither the origin's domain nor what repeats the origin is a source."""
    origin = page("http://www.origin.example/claim", prose(1))
    pages = (
        page("http://origin.example/again", prose(2)),
        page("http://copy.example/", "New header\n" + prose(1)),
        page("http://own.example/", prose(3)),
    )
    assert sources(*pages, origin="http://origin.example/claim", origin_page=origin) == [
        ["own.example"]
    ]
    assert sources(*pages, origin="http://origin.example/claim") == [
        ["copy.example"],
        ["own.example"],
    ]


def test_an_origin_that_redirects_bars_both_of_its_owners() -> None:
    """Neither where the claim was said to be nor where it was found is a second source."""
    origin = page("http://real.example/x", prose(1)).model_copy(
        update={"url": "http://short.example/1"}
    )
    pages = [
        page(f"http://{name}.example/", prose(n)) for n, name in enumerate(["short", "real"], 2)
    ]
    assert sources(*pages, origin="http://elsewhere.example/", origin_page=origin) == [
        ["short.example"]
    ]
    assert sources(*pages, origin="http://short.example/1", origin_page=origin) == []


def test_copies_of_copies_are_one_source() -> None:
    """What is connected over several steps is one source."""
    first, last = prose(1, 60), prose(2, 60)
    half = "\n".join(first.split("\n")[:8] + last.split("\n")[:8])
    found = sources(
        page("http://a.example/", first),
        page("http://b.example/", last),
        page("http://c.example/", half),
    )
    assert found == [["a.example", "b.example", "c.example"]]


def test_pages_without_text_are_no_sources() -> None:
    """A page that could not be read does not count, and two empty pages are not copies."""
    assert sources(
        page("http://a.example/", "", "timeout"),
        page("http://b.example/", prose(1)),
        page("http://c.example/", "", "robots"),
    ) == [["b.example"]]


def test_short_pages_are_copies_only_if_they_are_nearly_equal() -> None:
    """A few words are compared as a whole."""
    assert repeats("Vienna is the capital.", "Vienna is  the CAPITAL")
    assert not repeats("Vienna is the capital.", "Paris is the capital.")
    assert not repeats("Vienna is the capital of Austria today.", prose(1) + "\nVienna is big.")


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.data())
def test_the_groups_do_not_depend_on_the_order(kinds: list[int], data: st.DataObject) -> None:
    """Groups partition the pages, and every order of the pages gives the same ones."""
    pages = [
        page(f"http://h{place}.example/", f"Header {place}\n" + prose(kind, 10))
        for place, kind in enumerate(kinds)
    ]
    order = data.draw(st.permutations(pages))

    def as_sets(given_pages: list[Page]) -> set[frozenset[str]]:
        groups = independent_sources(given_pages, origin_url="http://origin.example/")
        return {frozenset(p.url for p in group) for group in groups}

    found = as_sets(pages)
    assert found == as_sets(order)
    assert sorted(itertools.chain(*found)) == sorted(p.url for p in pages)
    assert len(found) == len(set(kinds))
