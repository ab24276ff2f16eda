"""What counts as fresh: by the date of the page, else by a year in the words quoted."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesis.freshness import date_key, freshness, knowledge_order

DATES = st.dates(date(1950, 1, 1), date(2080, 1, 1))


@given(since=DATES, published=DATES, quote=st.sampled_from(["", "in 1950", "in 2079"]))
def test_a_dated_page_is_fresh_from_the_timestamp_on(since: date, published: date, quote: str):
    """The date decides, whatever year the words name."""
    verdict = freshness(since=str(since), published=str(published), quote=quote)
    assert verdict.fresh is (published >= since)
    assert verdict.ground == "published"


@given(since=DATES, days=st.integers(0, 3000))
def test_a_later_page_is_never_less_fresh(since: date, days: int):
    """Freshness grows with the date of the page."""
    verdicts = [
        freshness(since=str(since), published=str(since + timedelta(days=shift))).fresh
        for shift in (-days - 1, 0, days)
    ]
    assert verdicts == [False, True, True]


@given(since=DATES, years=st.lists(st.integers(1950, 2079), max_size=4))
def test_without_a_date_the_latest_year_of_the_words_decides(since: date, years: list[int]):
    """A year counts as a whole; words without a year are undated and not fresh."""
    quote = " and ".join(f"in {year}" for year in years)
    verdict = freshness(since=str(since), published=None, quote=quote)
    assert verdict.fresh is any(year >= since.year for year in years)
    assert verdict.ground == ("stated" if years else "undated")


@pytest.mark.parametrize("quote", ["12026 things", "room 20261", "5,2026x1"])
def test_a_longer_number_is_no_year(quote: str) -> None:
    """Only four digits on their own are a year."""
    assert freshness(since="2026-01-01", published=None, quote=quote).fresh is (quote[0] == "5")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2026-03-01", (2026, 3, 1)),
        ("2026-03-01T23:59:59+02:00", (2026, 3, 1)),
        (" 2026-3 ", (2026, 3, 1)),
        ("2026", (2026, 1, 1)),
        ("2026/03/05", (2026, 3, 5)),
        ("2026.3.5", (2026, 3, 5)),
        ("2026年3月5日", (2026, 3, 5)),
        ("2026年", (2026, 1, 1)),
        ("20260305", (2026, 3, 5)),
        ("2026-13-01", None),
        ("2026-02-30", None),
        ("2026-00-00", None),
        ("20261", None),
        ("1234567", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("3 March 2026", None),
    ],
)
def test_dates_are_read_with_the_year_first(text: str | None, key: tuple[int, ...] | None) -> None:
    """Dates that put the year first are read; what is no day of the calendar is none."""
    assert date_key(text) == key


def test_a_timestamp_that_is_no_date_is_an_error() -> None:
    """Nothing is fresh or not since a day that does not exist."""
    with pytest.raises(ValueError, match="soon"):
        freshness(since="soon", published="2026-01-01")


def test_the_order_of_knowledge_counts_the_unknown_as_not_fresh() -> None:
    """One word a hop; no hops, no words."""
    assert knowledge_order([True, None, False]) == "fresh-nonfresh-nonfresh"
    assert knowledge_order([]) == ""
