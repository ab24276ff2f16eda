"""Strict JSON: what a lax reader lets pass is an error with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError
from graphkit.formats import strict_json

TEXT = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


def refusal(text: str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        strict_json.parse(text, "x.json", 10)
    return [str(problem) for problem in caught.value.problems]


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_what_was_written_is_read(value: object, indent: int | None, ascii_only: bool) -> None:
    """Every JSON value comes back, however it is laid out or escaped."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert strict_json.parse(text) == value
    assert strict_json.parse(strict_json.dumps(value, indent=indent)) == value


@given(VALUES)
def test_every_part_is_located_in_its_line(value: object) -> None:
    """The located line of a part is the line in which an indented layout has it."""
    text = json.dumps(value, indent=1)
    found = strict_json.locate(text, 1, depth=50)
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())
    lines = text.split("\n")
    for path, line in found.items():
        if path and isinstance(path[-1], str):
            assert lines[line - 1].strip().startswith(json.dumps(path[-1]) + ":")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            '{"a": 1,\n"b": {"c": 1, "c": 2},\n"a": 3}',
            [
                'x.json:11: b: key "c" stands twice in one object',
                'x.json:12: key "a" stands twice in one object',
            ],
        ),
        ('{"a": [1,\nNaN]}', ["x.json:11: a[1]: NaN is not a finite number, expected one"]),
        ('{"a": -Infinity}', ["x.json:10: a: -Infinity is not a finite number, expected one"]),
        ('{"a": 1e999}', ["x.json:10: a: 1e999 is not a finite number, expected one"]),
        (
            '{"a": ["ok",\n"\\ud83d"]}',
            ["x.json:11: a[1]: holds half of a surrogate pair, expected whole characters"],
        ),
        (
            '{"a": [1, 2',
            ["x.json:10: the JSON value is cut off: the text ends before it does (truncated?)"],
        ),
        (
            '{"a": "x',
            ["x.json:10: the JSON value is cut off: the text ends before it does (truncated?)"],
        ),
        ("", ["x.json:10: expected JSON, found nothing"]),
        (
            "{} {}",
            ["x.json:10: more text after the JSON value, at column 4: '{}'"],
        ),
        (
            "{'a': 1}",
            [
                "x.json:10: not JSON: expecting property name enclosed in double quotes at "
                "column 2, found \"'a': 1}\""
            ],
        ),
        ("[" * 100_000, ["x.json:10: nested too deeply to be read"]),
    ],
)
def test_refusals(text: str, messages: list[str]) -> None:
    """Each fault is named with its line and its place in the value."""
    assert refusal(text) == messages


def test_a_number_of_too_many_digits_is_refused() -> None:
    """An integer that Python would not convert is an error of ours."""
    assert "not JSON: Exceeds the limit" in refusal("9" * 5000)[0]


def test_an_escaped_nul_is_a_character() -> None:
    """JSON can carry NUL inside a string, and so do we."""
    assert strict_json.parse(r'"a\u0000b"') == "a\x00b"


def test_an_emoji_written_as_a_surrogate_pair_is_whole() -> None:
    """A pair of escapes is one character, and an escaped backslash begins no escape."""
    assert strict_json.parse(r'["\ud83d\ude00", "\\ud800"]') == ["\U0001f600", "\\ud800"]
