"""Words: articles, plurals, names in quotes, and sheets whose words collide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.compile.english_phrases import as_forms
from graphkit.compile.english_words import QUOTED, article, plural, quote, series, unquote
from graphkit.relations import RelationSheet


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("country", "a"),
        ("official language", "an"),
        ("European country", "a"),
        ("unit", "a"),
        ("umbrella", "an"),
        ("used car", "a"),
        ("honest man", "an"),
        ("NGO", "an"),
        ("one-way street", "a"),
        ("/people", "a"),
    ],
)
def test_article_follows_the_sound(word: str, expected: str) -> None:
    """The article is chosen by sound, not by letter."""
    assert article(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("day of the year", "days of the year"),
        ("country code top-level domain", "country code top-level domains"),
        ("religion", "religions"),
        ("bus", "buses"),
        ("key", "keys"),
        ("ethnic group", "ethnic groups"),
    ],
)
def test_plural_of_the_head_noun(word: str, expected: str) -> None:
    """The noun before the preposition takes the plural."""
    assert plural(word) == expected


@given(st.text(min_size=1))
def test_quoted_names_come_back(name: str) -> None:
    """A quoted name is one token, and unquoting gives the name."""
    text = quote(name)
    match = QUOTED.match(text)
    assert match is not None
    assert match[0] == text
    assert unquote(text) == name


def test_series_uses_the_last_comma() -> None:
    """Three parts have commas; two have one only on demand."""
    assert series(["a", "b", "c"], "or") == "a, b, or c"
    assert series(["a", "b"], "and", comma=True) == "a, and b"


def test_phrases_with_as_have_two_forms() -> None:
    """A short name stands before "as", a long description after it."""
    assert as_forms("does not have {} as its capital") == [
        "does not have {} as its capital",
        "does not have as its capital {}",
    ]
    assert as_forms("serves as {}") == ["serves as {}"]


def test_types_with_one_noun_are_told_apart() -> None:
    """Of two types with the same noun the second is written with its name in quotes."""
    sheet = RelationSheet.parse("""
    [types.country]
    [types.state]
    singular = "country"
    plural = "countries"
    [types.something]
    [types."a/b"]
    """)
    lexicon = EnglishLexicon.build(sheet)
    assert lexicon.noun("country").singular == "country"
    assert lexicon.noun("state").singular == '"state" item'
    assert lexicon.noun("something").singular == '"something" item'
    assert lexicon.noun("a/b").plural == '"a/b" items'
    assert lexicon.noun("never heard of").asks[0] == 'Which "never heard of" item'


def test_questions_open_as_the_sheet_says() -> None:
    """The question words of a type are used; for untyped anchors "which" becomes "what"."""
    sheet = RelationSheet.parse("""
    [types.year]
    ask = "In which year"
    [types.person]
    ask = "Who"
    [types.odd]
    ask = "Which, if any,"
    """)
    lexicon = EnglishLexicon.build(sheet)
    assert lexicon.noun("year").asks == ("In which year", "In what year")
    assert lexicon.noun("person").asks == ("Who", "What person")
    assert lexicon.noun("odd").asks == ("Which odd", "What odd")
