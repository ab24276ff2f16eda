"""Reading what models write: laws of repairs, thoughts and repetition."""

from __future__ import annotations

import json

import pytest
from doors import LYON, Cities, City
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import BaseModel

from graphkit.models.emulation import union_schema, wished
from graphkit.models.reply_schema import schema_of
from graphkit.models.reply_text import repeated, without_thoughts
from graphkit.models.reply_value import read_value
from graphkit.models.retrying import asked_wait, backoff

CITIES = st.builds(
    City,
    name=st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    size=st.integers(-(10**9), 10**9),
    old=st.booleans(),
)
PROSE = st.text(st.sampled_from("abc .,:!\n\u4f60"), max_size=40)


@given(CITIES)
def test_what_fits_is_read_without_repairs(city: City) -> None:
    """Strict JSON of a value gives the value, and no repair."""
    read = read_value(city.model_dump_json(), City)
    assert (read.value, read.repairs, read.problems) == (city, (), ())


@given(CITIES, PROSE, PROSE)
def test_prose_and_fences_around_change_nothing(city: City, before: str, after: str) -> None:
    """The value is found whatever is said around it, in a fence or not."""
    assume("```" not in city.name)
    text = city.model_dump_json()
    for shown in (f"{before}{text}{after}", f"{before}\n```json\n{text}\n```\n{after}"):
        assert read_value(shown, City).value == city


@given(st.lists(CITIES, min_size=1, max_size=4), st.floats(0, 1))
def test_a_value_that_is_cut_off_is_never_completed(cities: list[City], part: float) -> None:
    """A text cut anywhere gives no value, but for a cut behind it."""
    text = Cities(cities=cities).model_dump_json()
    cut = text[: round(part * (len(text) - 1))]
    assert read_value(cut, Cities).value is None
    assert read_value(cut, Cities).problems
    bare = json.dumps([city.model_dump() for city in cities])
    assert read_value(bare[: round(part * (len(bare) - 1))], Cities).value in (
        None, *(Cities(cities=[city]) for city in cities),
    )  # fmt: skip


def test_a_cut_behind_an_inner_list_is_a_cut() -> None:
    """The last bracket of a text may close an inner list: what follows it is lost, so none is
    read."""

    class Group(BaseModel):
        names: list[str]

    class Groups(BaseModel):
        groups: list[Group]

    text = 'The groups: [{"names": ["a", "b"]}, {"names": ["c"'
    assert read_value(text + "]}]", Groups).value is not None
    assert read_value(text, Groups).value is None
    assert read_value(text + "]", Groups).value is None


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    """No text raises; there is a value or a problem, never both."""
    for model in (City, Cities):
        read = read_value(text, model)
        assert (read.value is None) == bool(read.problems)


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["name", "size", "old", "cities", "Name", "x"]), inner),
    max_leaves=12))  # fmt: skip
def test_any_json_is_read_or_refused_with_a_reason(data: object) -> None:
    """Data of the wrong shape never raises; what is accepted fits the schema."""
    for model in (City, Cities):
        read = read_value(json.dumps(data), model)
        assert (read.value is None) == bool(read.problems)
        if read.value is not None:
            assert model.model_validate(read.value.model_dump()) == read.value


def test_all_problems_of_a_reply_are_told_with_their_places() -> None:
    """Places inside lists are named; long lists of problems are cut."""
    text = json.dumps({"cities": [{"name": 1, "size": 2}, {"name": "a"}]})
    assert read_value(text, Cities).problems == (
        "cities[0].name is 1, expected a valid string",
        'cities[1]: the field "size" is missing',
    )
    many = read_value(json.dumps({"cities": [{}] * 30}), Cities).problems
    assert len(many) == 13
    assert many[-1] == "and 48 more problems of this kind"


@pytest.mark.parametrize("text", ["{}", '{"cities": 3}', "", "   ", '""', "null", "[]{}"])
def test_nothing_is_made_of_nothing(text: str) -> None:
    """Empty and foreign texts are refused; json_repair's empty string is no value."""
    read = read_value(text, Cities)
    assert read.value is None
    assert read.problems


def test_an_empty_array_is_an_empty_list() -> None:
    """A bare ``[]`` says that there is none."""
    assert read_value("[]", Cities).value == Cities(cities=[])


@given(st.text("abcdef ", min_size=1, max_size=30), st.text("ghijk", max_size=50))
def test_what_repeats_to_the_end_is_found(piece: str, before: str) -> None:
    """A short piece said over and over, broken off anywhere, is found as a turn of itself."""
    assume(piece.strip())
    text = before + piece * (400 // len(piece) + 4)
    found = repeated(text)
    assert found is not None
    assert len(piece) % len(found) == 0
    assert found in piece * 3
    assert repeated(text[:-1]) is not None


@given(st.lists(st.integers(0, 10**6), min_size=60, max_size=200, unique=True))
def test_varied_text_is_no_repetition(numbers: list[int]) -> None:
    """A list of different things is no repetition, however alike its items look."""
    text = ", ".join(f'{{"id": {number:07d}}}' for number in numbers)
    assert repeated(text) is None


@given(st.text(st.characters(exclude_characters="<>{}"), max_size=60), CITIES)
def test_thoughts_are_split_off_and_nothing_else(thought: str, city: City) -> None:
    """A block of thoughts before a reply goes; tags inside the JSON stay."""
    text = city.model_dump_json()
    assert without_thoughts(text).text == text
    spoken = without_thoughts(f"<think>{thought}</think>\n{text}")
    assert json.loads(spoken.text) == json.loads(text)
    assert spoken.thoughts == thought.strip()
    assert without_thoughts(f"{thought} <think>").unfinished == (not thought.strip())


def test_a_tag_inside_a_reply_stays() -> None:
    """``<think>`` in a value is data."""
    text = '{"name": "<think>x</think>", "size": 1}'
    assert without_thoughts(text).text == text
    assert read_value(text, City).value == City(name="<think>x</think>", size=1)


@given(st.text(max_size=100))
def test_any_text_is_searched_for_calls(text: str) -> None:
    """Looking for calls never raises, and finds none without a name."""
    calls, repairs = wished(text, ())
    assert all(call.name for call in calls)
    assert bool(repairs) <= bool(calls)


def test_the_schema_of_an_emulated_reply_is_whole() -> None:
    """Definitions of all parts are there under names that do not clash."""

    class Place(BaseModel):
        cities: list[City]

    from doors import Search

    union = union_schema([Search().tool], schema_of(Place))
    assert union["$defs"].keys() == {"Place_City"}
    assert union["anyOf"][1]["properties"]["answer"]["properties"]["cities"]["items"] == {
        "$ref": "#/$defs/Place_City"
    }
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(union)
    assert check.is_valid({"tool": "search", "arguments": {"query": "x"}})
    assert check.is_valid({"answer": {"cities": [LYON.model_dump()]}})
    assert not check.is_valid({"answer": {"cities": [{"name": 1}]}})
    assert not check.is_valid({"tool": "other", "arguments": {"query": "x"}})


@given(st.integers(1, 10_000))
def test_waits_grow_and_are_bounded(attempt: int) -> None:
    """Half a second at first, doubled, at most a minute; half of it is certain."""
    longest = min(60.0, 0.5 * 2.0 ** min(attempt - 1, 20))
    assert longest / 2 <= backoff(attempt) <= longest


@given(st.text(max_size=30))
def test_any_header_is_a_wait_or_none(text: str) -> None:
    """A Retry-After that makes no sense is as good as none."""
    found = asked_wait({"retry-after": text})
    assert found is None or found >= 0
