"""Who an entity is, and the tables by which it is found."""

from __future__ import annotations

import pytest

from graphkit.entities import Entity, NameIndex, fold


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("\uff21\uff22", "ab"), ("Caf\u00e9", "CAFE\u0301"), ("ﬁn", "FIN")],
)
def test_folding_makes_spellings_equal(one, other):
    """Case, width, ligatures and composition do not matter."""
    assert fold(one) == fold(other)


def test_folding_keeps_what_makes_a_name():
    """Accents and signs stay."""
    assert fold("Café") != fold("Cafe")
    assert fold("100%") == "100%"


def test_text_and_key():
    """A number is printed before its unit; an id alone is an identity."""
    assert Entity("8848", "number", unit="m").text == "8848 m"
    assert Entity("Paris", "city").key == "city:Paris"
    assert Entity("Paris").key == ":Paris"
    assert Entity("Paris", "city", "Q90").key == Entity("Paname", None, "Q90").key == "#Q90"


def test_the_index_has_a_table_a_tier():
    """Ids, exact names, folded names, folded aliases; several entities may share a name."""
    index = NameIndex.build(
        (Entity("Paris", "city", "Q90"), Entity("Paris"), Entity("5", "number", unit="m")),
        {0: ("Paname", "City of Light")},
    )
    assert index.ids == {"Q90": (0,)}
    assert index.exact == {"Paris": (0, 1), "5": (2,), "5 m": (2,)}
    assert index.folded == {"paris": (0, 1), "5": (2,), "5 m": (2,)}
    assert index.alias == {"paname": (0,), "city of light": (0,)}
