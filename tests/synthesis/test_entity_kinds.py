"""One name under several types: joined where it is sure, kept apart where that is, else open."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.evidence import EvidenceRecord
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet
from synthesis.entity_kinds import JoinedKinds, OpenKinds, one_kind

SHEET = RelationSheet.parse(
    '[relations.capital]\nfunctional = true\n[relations."born in"]\nhead_type = "person"\n'
)
BARE = RelationSheet()


def record(text: str, **more: Any) -> EvidenceRecord:
    """A record of ``head/type|relation|tail/type``; types may be missing."""
    head, relation, tail = text.split("|")
    (one, _, kind), (other, _, sort) = head.partition("/"), tail.partition("/")
    return EvidenceRecord(
        evidence_id=text,
        head_entity=one,
        head_type=kind or None,
        relation=relation,
        tail_entity=other,
        tail_type=sort or None,
        **more,
    )


def records(*texts: str) -> list[EvidenceRecord]:
    return [record(text) for text in texts]


def kinds_of(found: list[EvidenceRecord], name: str) -> set[str | None]:
    return {
        kind
        for item in found
        for end, kind in (
            (item.head_entity, item.head_type),
            (item.tail_entity, item.tail_type),
        )
        if end == name
    }


SEATS = [f"c{n}/country|has seat|t{n}/city" for n in range(5)]


def test_the_one_tail_of_a_head_is_one_entity() -> None:
    """By the sheet; its second type becomes the first, wherever it stands, and is told."""
    found = one_kind(
        records("f|capital|p/city", "f|capital|p/town", "P/town|lies on|s/river"), SHEET
    )
    assert {item.tail_type for item in found[:2]} == {"city"}
    assert found[2].head_type == "city"
    assert (found[2].model_extra or {})["head_type_as_found"] == "town"


def test_a_relation_that_shows_to_be_one_to_one_does_as_well_in_both_directions() -> None:
    """At least five heads, or tails, have one other end each, nine in ten of them."""
    for twice in (
        ["f/country|has seat|p/city", "f/country|has seat|p/town"],
        ["f/country|has seat|p/city", "f/state|has seat|p/city"],
    ):
        name = "p" if "town" in twice[1] else "f"
        assert len(kinds_of(one_kind(records(*SEATS, *twice), BARE), name)) == 1
        assert len(kinds_of(one_kind(records(*SEATS[:3], *twice), BARE), name)) == 2


def test_two_facts_in_common_are_enough_where_most_agrees() -> None:
    """Of what can be compared at all; lists that are there in part do not forbid it."""
    found = records(
        "a/x|borders|b", "a/x|borders|c", "a/y|borders|c", "a/y|borders|d", "a/x|exports|e",
        "a/y|exports|e", "a/x|led by|f", "a/y|led by|g",
    )  # fmt: skip
    assert kinds_of(one_kind(found, BARE), "a") == {"x"}
    assert len(kinds_of(one_kind(found[:5], BARE), "a")) == 2


def test_what_is_joined_has_the_type_of_most_names() -> None:
    """Whichever came first: so that one type stands for one kind of thing throughout."""
    found = records("f|capital|p/town", "f|capital|p/city", "q/city|lies on|s", "r/city|lies on|s")
    assert kinds_of(one_kind(found, SHEET), "p") == {"city"}
    assert JoinedKinds.of(found, SHEET).to_record() == [
        {"name": "p", "type": "town", "read_as": "city"}
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ["n/city|lies in|us", "n/state|lies in|us", "m/city|lies in|us"],
        ["f|capital|g/city", "f|capital|g/state", "g/city|lies in|g/state"],
        ["g/a|capital|t", "g/b|capital|u", "t|seat of|g/a", "t|seat of|g/b"],
        ["g/a|lies in|t", "g/b|lies in|t", "g/a|lies in|u", "g/b|lies in|v", "g/b|by|u"],
        ["g/a|in|t", "g/b|in|t", "g/a|in|u", "g/b|in|u", "g/a|by|u", "g/b|by|v"],
        ["f|born|1990/year", "f|born|1990/number"],
    ],
    ids=[
        "a common fact of many",
        "one in the other",
        "two capitals",
        "too little",
        "as much differs",
        "literals",
    ],
)
def test_what_is_not_surely_one_stays_as_it_is(texts: list[str]) -> None:
    """Common facts that many have say nothing, and what contradicts it forbids it."""
    assert one_kind(records(*texts), SHEET) == records(*texts)


def test_an_entity_with_an_id_is_who_its_id_says() -> None:
    """Types tell nothing of it."""
    found = [record("f|capital|p/city", tail_id="Q1"), record("f|capital|p/town")]
    assert one_kind(found, SHEET) == found
    assert not OpenKinds.of(found, SHEET).groups


def test_homonyms_are_apart_where_a_fact_shows_it() -> None:
    """One lies in the other, or they have two capitals; what nothing tells apart is open."""
    for apart in (
        ["g/country|capital|t", "g/state|capital|a"],
        ["g/country|named after|G/state"],
    ):
        kinds = OpenKinds.of(records(*apart), SHEET)
        assert kinds.groups == {"g": (("country",), ("state",))}
        assert kinds.to_record() == [{"name": "g", "one": [], "apart": ["country", "state"]}]
    kinds = OpenKinds.of(records("g/country|lies in|x", "g/state|lies in|y"), SHEET)
    assert kinds.to_record() == [{"name": "g", "one": [["country", "state"]]}]


def test_what_a_question_asks_for_may_be_of_any_type() -> None:
    """What it names has the type of the evidence; what it is about is what the facts lead to."""
    found = records("p/city|lies on|s", "p/town|lies in|f", "g/state|called after|g/country")
    kinds = OpenKinds.of(found, BARE)
    assert kinds_of(kinds.read(found), "p") == {"city"}
    asked = kinds.asked(question("town", name="P"))
    assert [node.entity_type for node in asked.nodes] == ["city", None]
    asked = kinds.asked(question("country", name="g"))
    assert [node.entity_type for node in asked.nodes] == ["country", None]


@pytest.mark.parametrize("bounded", [False, True])
def test_a_complement_keeps_its_type_where_nothing_else_bounds_it(bounded: bool) -> None:
    """All countries that do not border it are countries; all else would be everything."""
    nodes = [Node(node_id="n0", known_entities=["x"]), Node(node_id="n1", entity_type="country")]
    excluded = Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="complement")
    graph = QuestionGraph(question="?", root_node_id="n1", nodes=nodes, edges=[excluded])
    if bounded:
        both = Edge(edge_id="e1", source_ids=["n1", "n2"], target_id="n3", op="intersection")
        more = [Node(node_id="n2", known_entities=["y"]), Node(node_id="n3")]
        graph = graph.replace(root_node_id="n3", nodes=[*nodes, *more], edges=[excluded, both])
    asked = OpenKinds.of([], BARE).asked(graph)
    assert asked.node("n1").entity_type == (None if bounded else "country")


def test_a_name_without_a_type_may_be_any_of_several_things() -> None:
    """Its facts are there for each, under ids of their own."""
    found = records("g/country|capital|t", "g/state|capital|a", "g|lies on|s")
    read = OpenKinds.of(found, SHEET).read(found)
    assert {item.head_type for item in read if item.relation == "lies on"} == {"country", "state"}
    assert len({item.evidence_id for item in read}) == len(read) == 4


def test_the_type_that_the_sheet_has_counts_as_one() -> None:
    """A record without a type is read with it."""
    found = records("p|born in|x", "p/author|wrote|b")
    kinds = OpenKinds.of(found, SHEET)
    assert kinds.groups == {"p": (("person", "author"),)}
    assert kinds_of(kinds.read(found), "p") <= {None, "person"}


def question(kind: str, name: str = "x") -> QuestionGraph:
    return QuestionGraph(
        question="?",
        root_node_id="n1",
        nodes=[
            Node(node_id="n0", known_entities=[name], entity_type=kind),
            Node(node_id="n1", entity_type=kind),
        ],
        edges=[
            Edge(
                edge_id="e0",
                source_ids=["n0"],
                target_id="n1",
                op="projection",
                relation="lies in",
                direction="backward",
            )
        ],
    )


ENDS = st.tuples(st.sampled_from("abc"), st.sampled_from(["", "city", "town", "state"])).map(
    lambda end: "/".join(end).rstrip("/")
)
RECORDS = st.lists(
    st.tuples(ENDS, st.sampled_from(["capital", "lies in", "born in"]), ENDS).map("|".join),
    max_size=10,
    unique=True,
).map(lambda texts: records(*texts))


@given(found=RECORDS)
def test_what_is_surely_one_is_one_once_and_for_all(found: list[EvidenceRecord]):
    """Doing it twice is doing it once; only types change, to types that the name has."""
    once = one_kind(found, SHEET)
    assert one_kind(once, SHEET) == once
    for old, new in zip(found, once, strict=True):
        for side in ("head", "tail"):
            name = getattr(old, f"{side}_entity")
            assert getattr(new, f"{side}_entity") == name
            kind = getattr(new, f"{side}_type")
            assert kind == getattr(old, f"{side}_type") or kind in {
                *kinds_of(found, name),
                "person",
            }


@given(found=RECORDS)
def test_the_open_reading_leaves_nothing_open(found: list[EvidenceRecord]):
    """Every name is one entity in it, but for what is surely apart; no fact is lost."""
    kinds = OpenKinds.of(found, SHEET)
    read = kinds.read(found)
    assert {item.evidence_id.split("~")[0] for item in read} == {i.evidence_id for i in found}
    assert len({item.evidence_id for item in read}) == len(read)
    for name, groups in kinds.groups.items():
        firsts = {group[0] for group in groups}
        assert kinds_of(read, name) - {None} <= firsts
        if len(groups) > 1:
            assert OpenKinds.of(found, SHEET).groups[name] == groups


@given(found=RECORDS, split=st.sets(st.sampled_from("abc"), min_size=1))
def test_another_type_throughout_tells_nothing_apart(found: list[EvidenceRecord], split: set[str]):
    """What one hand calls a city and another a town is one in the open reading."""
    cities = [item.model_copy(update={"head_type": "city", "tail_type": "city"}) for item in found]
    towns = [
        item.model_copy(
            update={
                "evidence_id": f"{item.evidence_id}'",
                **{
                    f"{side}_type": "town"
                    for side in ("head", "tail")
                    if getattr(item, f"{side}_entity") in split
                },
            }
        )
        for item in cities
    ]
    both = [*cities, *towns]
    read = OpenKinds.of(both, BARE).read(both)
    assert all(len(kinds_of(read, name)) <= 1 for name in "abc")
