"""What stores take and give: properties, rows, labels, queries that stay inside the store."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import InputError, QueryError
from graphkit.stores.base import Rows, checked_properties, checked_query
from graphkit.stores.schema import (
    EDGES,
    LABELS,
    RESERVED_LABELS,
    edge_rows,
    edge_statement,
    node_rows,
    node_statement,
)

SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)


@given(value=st.one_of(st.none(), SCALARS, st.lists(st.text(st.characters(codec="utf-8")))))
def test_plain_properties_pass_unchanged(value: Any) -> None:
    """Text, numbers, truth values and lists of text are kept as they are."""
    assert checked_properties({"p": value}, "node n") == {"p": value}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": 1}, "a dict"),
        ([[1]], "a list"),
        ([1, "a"], "mixed kinds"),
        ([True, 1], "mixed kinds"),
        (["a", None], "mixed kinds"),
        (2**63, "64 bits"),
        (float("inf"), "inf"),
        ("a\ud800", "surrogate"),
        (dt.datetime(2024, 1, 1), "without a zone"),
        (b"x", "a bytes"),
    ],
)
def test_other_properties_are_refused(value: Any, found: str) -> None:
    """What only some engines would store is an error that names node, property and value."""
    with pytest.raises(InputError, match=rf"node n: property .*p is .*{found}"):
        checked_properties({"p": value}, "node n")


def test_times_become_utc_text() -> None:
    """A time with a zone is kept as the same instant in UTC, a date as ISO text."""
    zone = dt.timezone(dt.timedelta(hours=2))
    given_time = dt.datetime(2024, 5, 1, 1, 30, tzinfo=zone)
    assert checked_properties({"t": given_time, "d": dt.date(2024, 5, 1)}, "node n") == {
        "t": "2024-04-30T23:30:00Z",
        "d": "2024-05-01",
    }


def test_rows_give_plain_values() -> None:
    """Rows turn the times of an engine into text and can be read twice."""
    rows = Rows(("a", "b"), [{"a": dt.date(2024, 1, 2), "b": ({"x": dt.time(1, 2)},)}])
    expected = {"a": "2024-01-02", "b": [{"x": "01:02:00"}]}
    assert list(rows) == list(rows) == [expected]
    assert rows.value() == "2024-01-02"
    assert rows.column("b") == [[{"x": "01:02:00"}]]


@pytest.mark.parametrize(
    "query",
    [
        "LOAD CSV FROM 'x' AS l RETURN l",
        "load\ncsv with headers from $x as l return l",
        "LOAD /* ' */ CSV FROM 'x' AS l RETURN l",
        "RETURN 'a' AS a // '\nUNION LOAD CSV FROM 'x' AS a RETURN a",
        "RETURN 'it\\'s' AS a UNION LOAD CSV FROM 'x' AS a RETURN a",
    ],
)
def test_queries_cannot_read_files(query: str) -> None:
    """LOAD CSV is refused however it is written."""
    with pytest.raises(QueryError, match="LOAD CSV"):
        checked_query(query)


@pytest.mark.parametrize("query", ["RETURN 'load csv' AS x", "RETURN 1 AS `LOAD CSV` // load csv"])
def test_the_words_may_stand_in_text(query: str) -> None:
    """The same words in a string, a name or a comment are fine."""
    assert checked_query(query) == query


def test_statements_take_names_of_the_schema_only() -> None:
    """Labels and types come from the schema and never from a caller's text."""
    for label in (*LABELS, *RESERVED_LABELS):
        assert f"(n:{label} {{id: row.id}})" in node_statement(label)
    for kind in EDGES:
        assert f"[e:{kind}" in edge_statement(kind, "Entity", "Node")
    with pytest.raises(InputError, match=r"Entitty.*did you mean Entity"):
        node_statement("Entitty")
    with pytest.raises(InputError, match="no relationship type"):
        edge_statement("FACT]->() DETACH DELETE a //", "Entity", "Entity")
    with pytest.raises(InputError, match="no label"):
        edge_statement("FACT", "Entity) DELETE (n", "Entity")


def test_rows_are_checked_before_they_are_sent() -> None:
    """Ids and keys must be text; everything else becomes properties to set."""
    assert node_rows("Entity", [{"id": "a", "name": "A", "unit": None}]) == [
        {"id": "a", "set": {"name": "A", "unit": None}}
    ]
    assert edge_rows("FACT", [{"source": "a", "target": "b", "relation": "r", "x": 1}]) == [
        {"source": "a", "target": "b", "key": "r", "set": {"x": 1}}
    ]
    for bad in ({"name": "A"}, {"id": ""}, {"id": 7}):
        with pytest.raises(InputError, match="id is"):
            node_rows("Entity", [bad])
    with pytest.raises(InputError, match="relation is None"):
        edge_rows("FACT", [{"source": "a", "target": "b"}])
