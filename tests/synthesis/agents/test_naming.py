"""Naming: a model proposes what a relation stands for; it is taken only when facts replay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from parse_model import with_door

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from synthesis.agents.naming import Naming, name_edges, name_evidence, turn_round
from synthesis.relation_names import RelationBook, Spelling
from tests.synthesis.agents.small_web import blocks_of, turns
from tests.synthesis.test_offers import _chain


def record(number: int, head: str, relation: str, tail: str) -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=f"e{number}", head_entity=head, relation=relation, tail_entity=tail
    )


KNOWN = [record(1, "Ulm", "mayor", "Ada"), record(2, "Bonn", "mayor", "Bo")]
BOOK = RelationBook().named("mayor")


def named(reply: Any, new: list[EvidenceRecord], book: RelationBook = BOOK) -> tuple[Any, Any]:
    async def work(door: Any) -> Any:
        return await name_evidence(door, book, new, KNOWN if book is BOOK else [], language="en")

    return with_door(turns(relations=reply), work)


def mapping(relation: str | None, direction: str = "forward", edge: str = "r1") -> dict[str, Any]:
    return {"mapping": [{"edge_id": edge, "relation": relation, "direction": direction}]}


def test_a_spelling_is_joined_when_a_known_fact_has_the_same_ends() -> None:
    """All its records stand under the kept name then."""
    new = [record(3, "Ulm", "is led by", "Ada"), record(4, "Kiel", "is_led_by", "Cy")]
    (records, book, naming), _ = named(mapping("mayor"), new)
    assert [item.relation for item in records] == ["mayor", "mayor"]
    assert book.read("IS LED BY") == Spelling("mayor", False, "replayed")
    assert len(naming.repairs) == 1


def test_a_spelling_that_no_fact_bears_out_is_a_name_of_its_own() -> None:
    """Whatever the model says of it."""
    new = [record(3, "Kiel", "is led by", "Cy")]
    (records, book, naming), _ = named(mapping("mayor"), new)
    assert [item.relation for item in records] == ["is led by"]
    assert book.names() == ("mayor", "is led by")
    assert len(naming.refused) == 1


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_an_inverse_is_joined_backwards_only(direction: str) -> None:
    """That Ada leads Ulm says that Ulm has Ada as its mayor; the other direction says nothing."""
    new = [record(3, "Ada", "leads", "Ulm")]
    (records, _, naming), _ = named(mapping("mayor", direction), new)
    turned = direction == "backward"
    (item,) = records
    assert (item.head_entity, item.relation) == (("Ulm", "mayor") if turned else ("Ada", "leads"))
    assert bool(naming.repairs) is turned
    assert bool(naming.refused) is not turned


def test_known_spellings_are_not_asked_about() -> None:
    """Case, underscores and what was joined before are read without a model."""
    new = [record(3, "Ulm", "Mayor", "Ada"), record(4, "Kiel", "MAYOR", "Cy")]
    (records, _, _), server = named(mapping(None), new)
    assert [item.relation for item in records] == ["mayor", "mayor"]
    assert server.received == []


def test_a_single_first_name_is_not_asked_about() -> None:
    """There is nothing that it could stand for."""
    (_, book, _), server = named(mapping(None), [record(3, "a", "r", "b")], RelationBook())
    assert (book.names(), server.received) == (("r",), [])


def test_rare_spellings_lean_on_common_ones_of_the_same_evidence() -> None:
    """The commonest becomes the name, whatever the order in which they came."""
    new = [record(3, "Ulm", "led by", "Ada")] + [
        record(n, head, "is led by", tail)
        for n, head, tail in ((4, "Ulm", "Ada"), (5, "Kiel", "Cy"))
    ]
    reply = {"mapping": [{"edge_id": "r2", "relation": "is led by", "direction": "forward"}]}
    for order in (new, new[::-1]):
        (records, book, _), server = named(reply, order, RelationBook())
        assert {item.relation for item in records} == {"is led by"}
        assert book.names() == ("is led by",)
        asked = json.loads(blocks_of(server.received[0])["unresolved"])
        assert [item["relation"] for item in asked] == ["is led by", "led by"]


@pytest.mark.parametrize(
    "reply",
    [
        {"mapping": []},
        {},
        mapping("nothing known"),
        mapping("mayor", edge="r9"),
        mapping("is led by"),
        mapping(None),
    ],
)
def test_a_reply_that_says_nothing_of_use_leaves_the_name(reply: Any) -> None:
    """Unknown edges and relations are passed over."""
    (records, _, naming), _ = named(reply, [record(3, "Ulm", "is led by", "Ada")])
    assert [item.relation for item in records] == ["is led by"]
    assert naming.repairs == ()


FACTS = FactStore.from_triples(
    [("Ulm", "mayor", "Ada"), ("Bonn", "mayor", "Bo"), ("Ada", "born in", "Kiel"),
     ("Bo", "born in", "Ulm")]
)  # fmt: skip


def edges_named(graph: QuestionGraph, reply: Any) -> tuple[QuestionGraph, Naming, Any]:
    async def work(door: Any) -> Any:
        book = RelationBook().named("mayor").joined("leads", Spelling("mayor", True, "replayed"))
        return await name_edges(door, graph, FACTS, book, language="en")

    (found, naming), server = with_door(turns(relations=reply), work)
    return found, naming, server


def relations_of(graph: QuestionGraph) -> list[tuple[str | None, str]]:
    return [(edge.relation, edge.reads.value) for edge in graph.edges]


def test_names_of_a_question_are_accepted_when_its_answer_follows() -> None:
    """Together, and said to be replayed."""
    graph = _chain("Ulm", "Kiel", ("head", "forward"), ("birthplace", "forward"))
    reply = {
        "mapping": [
            *mapping("mayor", edge="e0")["mapping"],
            *mapping("born in", edge="e1")["mapping"],
        ]
    }
    found, naming, _ = edges_named(graph, reply)
    assert relations_of(found) == [("mayor", "forward"), ("born in", "forward")]
    assert all("replayed" in text for text in naming.repairs)


@pytest.mark.parametrize(
    "reply",
    [
        mapping("born in", edge="e0"),
        mapping("nothing", edge="e0"),
        mapping(None, edge="e0"),
        {"mapping": []},
        mapping("mayor", edge="e7"),
    ],
)
def test_names_from_which_the_answer_does_not_follow_are_refused(reply: Any) -> None:
    """The question keeps its own words, so that grounding tells them."""
    graph = _chain("Ulm", "Ada", ("head", "forward"))
    found, naming, _ = edges_named(graph, reply)
    assert relations_of(found) == [("head", "forward")]
    assert naming.refused
    assert naming.repairs == ()


def test_half_a_proposal_is_none() -> None:
    """One of two names that fits does not stand alone."""
    graph = _chain("Ulm", "Kiel", ("head", "forward"), ("birthplace", "forward"))
    found, naming, _ = edges_named(graph, mapping("mayor", edge="e0"))
    assert relations_of(found) == relations_of(graph)
    assert naming.refused


def test_spellings_that_the_book_knows_are_read_as_it_says() -> None:
    """Inverted ones in the other direction; no model is asked."""
    found, naming, server = edges_named(_chain("Ulm", "Ada", ("leads", "backward")), {})
    assert relations_of(found) == [("mayor", "forward")]
    assert len(naming.repairs) == 1
    assert server.received == []


def test_directions_are_turned_only_together_and_only_on_replay() -> None:
    """Two hops that lead nowhere are both turned when the answer follows then."""
    graph = _chain("Ulm", "Kiel", ("mayor", "backward"), ("born in", "backward"))
    found, told = turn_round(graph, FACTS)
    assert relations_of(found) == [("mayor", "forward"), ("born in", "forward")]
    assert len(told) == 2
    for answer in ("Ulm", "Nobody", None):
        same, told = turn_round(graph.replace(answer=answer), FACTS)
        assert relations_of(same) == relations_of(graph)
        assert told == ()


def test_a_question_that_replays_is_not_turned() -> None:
    """Nor one whose relations are unknown."""
    for graph in (
        _chain("Ulm", "Ada", ("mayor", "forward")),
        _chain("Ulm", "Ada", ("head", "backward")),
    ):
        assert turn_round(graph, FACTS) == (graph, ())
