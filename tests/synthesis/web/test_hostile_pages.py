"""Pages that are made to break or to hold up their reader end as pages, or as visits that fail."""

from __future__ import annotations

import codecs
import threading
import time
import unicodedata
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_faults import WebFaults, answer

from synthesis.web import WebTools, charset, extract, visiting
from synthesis.web.charset import decode_page
from synthesis.web.dates import iso_date
from synthesis.web.extract import extract_html
from synthesis.web.politeness import retry_after
from synthesis.web.tokens import terms
from synthesis.web.visible import cap_marks, clean_text
from tests.synthesis.web.reaching import using, visited

PLACE = "http://a.example/"


@pytest.mark.parametrize(
    "sign", ["\x0b", "\x0c", "\x1f", "\x08", "&#1;", "&#x1f;", "\ufffe", "\ud800"]
)
def test_control_characters_in_a_cell_are_left_out(sign: str) -> None:
    """A character that XML cannot hold neither ends the reading nor the text around it."""
    text = extract_html(f"<table><tr><td>Rome<br>{sign}Italy</td><td>x</td></table>", PLACE).text
    assert text.replace("?", "") == "Rome Italy | x"


def test_a_page_that_its_reader_fails_on_is_a_failed_visit(
    site: WebFaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the reader raises, the visit ends as failed and says why."""

    def broken(html: str, url: str) -> None:
        raise RuntimeError("no such\nthing")

    monkeypatch.setattr(visiting, "extract_html", broken)
    site.routes["a.example", "/"] = answer("<p>Some text.")
    page = visited(site, PLACE)
    assert (page.status, page.http_status) == ("failed", 200)
    assert page.reason == "the page cannot be read: RuntimeError: no such thing"


LONG = "<p>" + "The quick brown fox. " * 200 + "</p>"


@pytest.mark.parametrize("start", ["<tr><!--x--><svg>", "<table><!--a--><tr><td>", "<!--a--><p>"])
def test_comments_are_no_elements(start: str) -> None:
    """A comment anywhere leaves the text around it, and trafilatura never sees it."""
    text = extract_html(f"<p>be<!-- never -->fore</p>{LONG}{start}{LONG}", PLACE).text
    assert "before" in text
    assert text.count("quick brown fox") >= 200
    assert "never" not in text


def test_all_visible_text_counts_where_trafilatura_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside trafilatura costs its choice of the main text, not the page."""

    def broken(*_: object, **__: object) -> None:
        raise TypeError("Input object is not an XML element")

    monkeypatch.setattr(extract.trafilatura, "bare_extraction", broken)
    assert extract_html(LONG, PLACE).text.count("quick brown fox") == 200


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("Mon, 30 Nov 99999999999999999999 12:00:30 GMT", None),
        ("Mon, 30 Nov 2026 12:00:30 +99999999999999999999", "2026-11-30"),
        ("Mon, 30 Nov 2026 99999999999999999999:00:30 GMT", "2026-11-30"),
        ("Mon, 30 Nov", None),
    ],
)
def test_a_time_beyond_all_calendars_is_none(written: str, day: str | None) -> None:
    """Of a time that no calendar holds at most the day counts, in a page as in a header."""
    assert iso_date(written) == day
    assert retry_after(written) is None
    page = f"<meta name=date content='{written}'><p>Some text."
    assert extract_html(page, PLACE).published_at == day


def test_a_time_ago_before_all_calendars_is_none() -> None:
    """What was before the first year, or before pages were, is no date of a page."""
    assert iso_date("999 years ago", datetime(500, 1, 1)) is None
    assert iso_date("999 years ago", datetime(2026, 1, 1)) is None
    assert iso_date("2 years ago", datetime(2026, 1, 1)) == "2024-01-02"


@pytest.mark.parametrize("pair", ["\u0315\u0316", "\u0f73\u0315", "\uff9e\u0315"])
def test_runs_of_combining_marks_take_no_time(pair: str) -> None:
    """A page of marks only, in the worst order, is read as fast as any other."""
    size = 40_000
    text = "a" + pair[0] * size + pair[1] * size
    start = time.perf_counter()
    assert len(clean_text(text)) < 100
    assert sum(map(len, terms(text))) < 100
    assert len(extract_html(f"<p>{text}", PLACE).text) < 100
    assert time.perf_counter() - start < 2


@given(st.text(st.sampled_from("a é\u0301\u0315\u0316\uff9e\u0f73ガ"), max_size=40))
def test_marks_that_could_be_writing_stay(text: str) -> None:
    """Up to 30 marks in a row nothing changes; never are more than 30 left."""
    capped = cap_marks(text)
    runs = "".join(
        "m" if unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) else " "
        for sign in text
    )
    assert len(capped) == sum(len(run[:30]) for run in runs.split()) + runs.count(" ")
    assert capped == text or max(map(len, runs.split())) > 30


def test_no_more_than_thirty_marks_are_left() -> None:
    """Each run is cut by itself, the text between stays."""
    assert cap_marks("a" + "\u0301" * 31 + "b" + "\u0316" * 30) == (
        "a" + "\u0301" * 30 + "b" + "\u0316" * 30
    )


@pytest.mark.parametrize(
    "name", ["punycode", "utf-7", "unicode_escape", "raw_unicode_escape", "idna", "hz", "rot13"]
)
def test_a_page_does_not_choose_any_codec(name: str) -> None:
    """What is no encoding of the web is not declared: neither in a header nor in a page."""
    text = "+ADw-b+AD4- \\u0041 " + "a" * 100_000 + "-" + "a" * 100_000
    start = time.perf_counter()
    assert decode_page(text.encode(), f"text/html; charset={name}") == text
    page = f"<meta charset={name}>{text}"
    assert decode_page(page.encode()) == page
    assert time.perf_counter() - start < 2


def test_every_label_of_the_web_is_read() -> None:
    """Each label has a codec, and the common ones those that browsers take."""
    for label, codec in charset._CODECS.items():
        assert codecs.lookup(codec)
        assert decode_page("plain".encode(codec), f"text/html; charset={label.upper()}") == "plain"
    assert len(charset._CODECS) > 200
    for label, text, codec in (
        ("KOI8-R", "Москва", "koi8-r"),
        ("windows-1251", "Москва", "cp1251"),
        ("iso-8859-7", "Αθήνα", "iso8859-7"),
        ("x-sjis", "東京", "cp932"),
        ("euc-jp", "東京", "euc_jp"),
        ("ks_c_5601-1987", "서울", "cp949"),
        ("tis-620", "กรุงเทพ", "cp874"),
    ):
        assert decode_page(text.encode(codec), f"text/html; charset={label}") == text


def test_a_page_that_takes_too_long_to_read_ends_and_holds_no_other_up(
    site: WebFaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The visit ends as a timeout, and other pages are read while its thread still runs."""
    released = threading.Event()

    def slow(html: str, url: str) -> extract.Extracted:
        if "slow" in html:
            released.wait(20)
        return extract_html(html, url)

    monkeypatch.setattr(visiting, "extract_html", slow)
    monkeypatch.setattr(visiting, "_LONGEST_READING", 0.3)
    for number in range(3):
        site.routes["a.example", f"/{number}"] = answer("<p>slow")
    site.routes["a.example", "/quick"] = answer("<p>quick")

    async def work(tools: WebTools) -> list[str]:
        places = [f"{PLACE}{name}" for name in (0, 1, 2, "quick")]
        try:
            return [(await tools.visit(place)).status for place in places]
        finally:
            released.set()

    assert using(site, work) == ["timeout"] * 3 + ["ok"]
