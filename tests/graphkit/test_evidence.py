"""Evidence records: cleaned names, literals, root domains."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from graphkit.evidence import EvidenceRecord, canonical_literal, nfc, root_domain, split_literal


def record(**changes: object) -> EvidenceRecord:
    """A record with some fields replaced."""
    data = {"evidence_id": "e1", "head_entity": "A", "relation": "r", "tail_entity": "B"}
    return EvidenceRecord(**{**data, **changes})


def test_names_are_nfc_and_trimmed():
    """Two ways to write é are one name."""
    made = record(head_entity=" Cafe\u0301 ", tail_entity="Caf\u00e9")
    assert made.head_entity == made.tail_entity == "Caf\u00e9"
    assert nfc("e\u0301") == "\u00e9"


@pytest.mark.parametrize("field", ["head_entity", "tail_entity", "relation", "evidence_id"])
def test_blank_ends_are_refused(field):
    """An entity, a relation and an id need a name."""
    with pytest.raises(ValidationError, match=field):
        record(**{field: " " if field != "evidence_id" else ""})


def test_blank_ids_types_and_units_count_as_none():
    """An empty cell of a table is no identity that entities could share."""
    made = record(head_id="", tail_id=" ", head_type="", tail_type=" ", tail_unit="")
    assert (made.head_id, made.tail_id) == (None, None)
    assert (made.head_type, made.tail_type, made.tail_unit) == (None, None, None)


def test_unknown_keys_are_kept():
    """A record gives back what it was given."""
    assert record(source_title="Page").model_extra == {"source_title": "Page"}


@pytest.mark.parametrize(
    ("datatype", "text", "canonical"),
    [
        ("number", "8,848", "8848"),
        ("number", "8848.0", "8848"),
        ("number", "1 000", "1000"),
        ("number", "\u22123.50", "-3.5"),
        ("number", "-0", "0"),
        ("number", "1e3", "1000"),
        ("number", "NaN", "NaN"),
        ("number", "many", "many"),
        ("date", "1871-1-8", "1871-01-08"),
        ("date", "1871", "1871"),
        ("date", "-0044-3-15", "-0044-03-15"),
        ("date", "spring 1871", "spring 1871"),
        ("year", " 1871 ", "1871"),
    ],
)
def test_literals_have_one_spelling(datatype, text, canonical):
    """Numbers lose separators and trailing zeros, dates get two digits, the rest stays."""
    assert canonical_literal(datatype, text) == canonical
    assert canonical_literal(datatype, canonical) == canonical


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("8,848 m", "8848", "m"),
        ("8,848.0\u00a0square kilometres", "8848", "square kilometres"),
        ("12 000 km", "12000", "km"),
        ("3.5%", "3.5", "%"),
        ("\u221240 \u00b0C", "-40", "\u00b0C"),
        ("3rd", "3rd", None),
        ("12", "12", None),
        ("about 5 m", "about 5 m", None),
    ],
)
def test_a_number_brings_its_unit_along(text, value, unit):
    """What follows a number is its unit; what does not begin with a number is no quantity."""
    assert split_literal("number", text) == (value, unit)


def test_dates_have_no_unit():
    """Only numbers are split."""
    assert split_literal("date", "1871-1-18 m") == ("1871-1-18 m", None)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.Example.org/a?b", "example.org"),
        ("https://news.bbc.co.uk:443/x", "bbc.co.uk"),
        ("https://a.b.gov.br/", "b.gov.br"),
        ("http://192.168.0.1/x", "192.168.0.1"),
        ("http://[::1]/x", "::1"),
        ("http://[broken", ""),
        ("no url", ""),
        ("", ""),
        ("https://localhost/x", "localhost"),
        ("https://example.org./x", "example.org"),
    ],
)
def test_the_root_domain_of_a_source(url, domain):
    """The registrable domain, lower case; what has no host has none."""
    assert root_domain(url) == domain
    assert record(source_url=url).root_domain == domain
