"""Guidance: what is computed and what a model sees become one advice that holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parse_model import with_door

from graphkit.mutate import Strategy
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from graphkit.testing.strategies import stores_with_graphs
from synthesis.advice import OPERATION_OF, Advice, Seen
from synthesis.agents.construction import QaRecord
from synthesis.agents.guidance import (
    Agreement,
    advise,
    agreement,
    begun_advice,
    computed_advice,
    findings_told,
    told_offer,
)
from synthesis.offers import Offer, without_text
from tests.synthesis.agents.small_web import blocks_of, turns
from tests.synthesis.fresh_village import planner
from tests.synthesis.test_offers import offered

GRAPH, OFFERS = offered(0, 2)
STANDING = planner().standing(without_text(GRAPH))
ANCHORS = [name for node in GRAPH.anchors for name in node.known_entities]
QA = QaRecord(question=f"Who knows {' and '.join(ANCHORS)}? Say.", answer=GRAPH.answer or "")


def holds(offer: Offer, **changes: str) -> dict[str, Any]:
    """Advice that holds for an offer."""
    strategy = offer.strategy
    return {
        "target_text_span": ANCHORS[0],
        "suggested_operation": OPERATION_OF[strategy][0],
        "selected_strategy": strategy.value,
        "reasoning": "because",
        "semantic_suggestion": "my own words",
        **changes,
    }


def advised(reply: Any, offers: tuple[Offer, ...] = OFFERS) -> tuple[Advice, Offer | None, Any]:
    async def work(door: Any) -> Any:
        return await advise(door, QA, GRAPH, STANDING, offers, language="en", vote=2)

    (advice, picked), server = with_door(turns(direction=reply), work)
    assert advice.kind == "gather" or advice.expansion_advice.problems(QA.question) == []
    return advice, picked, server


def test_there_is_something_to_choose_from() -> None:
    """Or these tests would say nothing."""
    assert len(OFFERS) >= 2
    assert ANCHORS


@pytest.mark.parametrize("place", range(len(OFFERS)))
def test_an_offer_that_the_model_picks_is_followed_in_its_own_words(place: int) -> None:
    """If its advice holds."""
    offer = OFFERS[place]
    advice, picked, _ = advised({"offer": offer.name, "expansion_advice": holds(offer)})
    assert picked is offer
    assert (advice.origin, advice.kind, advice.repairs) == ("model", "grow", ())
    assert advice.expansion_advice.semantic_suggestion == "my own words"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"target_text_span": "nowhere to be found"}, "target_text_span"),
        ({"target_text_span": ""}, "target_text_span"),
        ({"suggested_operation": "union"}, "suggested_operation"),
        ({"selected_strategy": "Guess"}, "selected_strategy"),
        ({"semantic_suggestion": " "}, "semantic_suggestion"),
    ],
)
def test_advice_that_does_not_hold_is_replaced_and_recorded(
    changes: dict[str, str], said: str
) -> None:
    """The offer stays the model's; span, operation and words are ours, its reasoning is kept."""
    offer = OFFERS[1]
    reply = {"offer": offer.name, "expansion_advice": holds(offer, **changes)}
    advice, picked, _ = advised(reply)
    assert picked is offer
    assert any(said in repair for repair in advice.repairs)
    assert advice.expansion_advice.reasoning == "because"
    assert advice.expansion_advice.strategy is offer.strategy
    assert advice.expansion_advice.semantic_suggestion != "my own words"


def test_an_offer_that_is_none_is_told_and_the_idea_is_used() -> None:
    """Advice of a strategy that is offered takes the best offer of it."""
    advice, picked, _ = advised({"offer": "o99", "expansion_advice": holds(OFFERS[1])})
    first = next(offer for offer in OFFERS if offer.strategy is OFFERS[1].strategy)
    assert picked is first
    assert advice.origin == "model_free"
    assert any("'o99'" in repair for repair in advice.repairs)


def test_an_idea_without_an_offer_is_used() -> None:
    """Offer null, advice that holds."""
    advice, picked, _ = advised({"offer": None, "expansion_advice": holds(OFFERS[0])})
    assert (picked, advice.origin) == (OFFERS[0], "model_free")


def test_an_idea_of_its_own_is_not_told_beside_the_graph_of_another_change() -> None:
    """The author is told the offer in the words of the offer; the idea is in the record."""
    advice, picked, _ = advised({"offer": None, "expansion_advice": holds(OFFERS[0])})
    assert picked is not None
    computed = computed_advice(QA.question, GRAPH, picked, "en")
    assert advice.expansion_advice.semantic_suggestion == computed.semantic_suggestion
    assert advice.expansion_advice.reasoning == "because"
    assert any("'my own words', read as" in repair for repair in advice.repairs)


def test_an_idea_that_nothing_offered_has_takes_the_best() -> None:
    """It is ours then, and the record says why."""
    other = next(
        strategy
        for strategy in (Strategy.WIDEN_ANCHOR, Strategy.DROP_CONSTRAINT)
        if strategy not in {offer.strategy for offer in OFFERS}
    )
    own = holds(
        OFFERS[0], selected_strategy=other.value, suggested_operation=OPERATION_OF[other][0]
    )
    advice, picked, _ = advised({"offer": None, "expansion_advice": own})
    assert (picked, advice.origin) == (OFFERS[0], "computed")
    assert any("selected_strategy" in repair for repair in advice.repairs)


def test_a_strategy_that_is_not_that_of_the_offer_is_repaired() -> None:
    """The offer counts."""
    offer = OFFERS[0]
    other = next(item for item in OPERATION_OF if item is not offer.strategy)
    own = holds(offer, selected_strategy=other.value, suggested_operation=OPERATION_OF[other][0])
    advice, picked, _ = advised({"offer": offer.name, "expansion_advice": own})
    assert picked is offer
    assert advice.expansion_advice.strategy is offer.strategy
    assert any("is not that of" in repair for repair in advice.repairs)


@pytest.mark.parametrize("reply", [{}, {"offer": None}, {"expansion_advice": {}}, {"seen": {}}])
def test_a_model_without_advice_gets_the_computed_one(reply: dict[str, Any]) -> None:
    """The first offer is the best."""
    advice, picked, _ = advised(reply)
    assert (picked, advice.origin) == (OFFERS[0], "computed")


def test_without_offers_the_advice_is_to_gather() -> None:
    """Whatever the model wishes."""
    advice, picked, _ = advised({"offer": "o1", "expansion_advice": holds(OFFERS[0])}, ())
    assert (picked, advice.kind) == (None, "gather")


def test_what_the_model_sees_is_kept_beside_what_is_computed() -> None:
    """Its view is in the advice, and does not change it."""
    seen = {"redundant": ["e1"], "shortcuts": ["too easy"], "ambiguous": True, "reason": "r"}
    advice, _, _ = advised({"seen": seen, "offer": "o1", "expansion_advice": holds(OFFERS[0])})
    assert advice.seen == Seen.model_validate(seen)
    assert json.loads(advice.model_dump_json())["seen"]["ambiguous"] is True


@pytest.mark.parametrize("redundant", [(), ("e1",)])
@pytest.mark.parametrize("shortcuts", [(), ("x",)])
def test_agreement_compares_each_view(redundant: Any, shortcuts: Any) -> None:
    """Agreement is that both find something, or both nothing; unknown without a verdict."""
    report = STANDING.report
    seen = Seen(redundant=redundant, shortcuts=shortcuts, ambiguous=True)
    found = agreement(seen, STANDING)
    assert found.redundancy is (bool(report.redundant) == bool(redundant))
    assert found.shortcuts is (bool(report.shortcuts) == bool(shortcuts))
    assert agreement(seen, None) == Agreement(None, None, True)


@pytest.mark.parametrize("place", range(len(OFFERS)))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_computed_advice_holds_in_both_languages(place: int, language: str) -> None:
    """Its span stands in the question, its operation is what the mutation puts in."""
    offer = OFFERS[place]
    advice = computed_advice(QA.question, GRAPH, offer, language)
    assert advice.problems(QA.question) == []
    if offer.strategy is Strategy.COMPLEMENT:
        parts = offer.mutation.parts or (offer.mutation,)
        assert any(edge.op is Op.COMPLEMENT for edge in parts[-1].edges)
        assert advice.suggested_operation == "complement"


@pytest.mark.parametrize("place", range(len(OFFERS)))
def test_the_author_is_told_the_graph_that_is_wanted(place: int) -> None:
    """And each step of it in words, with the evidence that it rests on."""
    offer = OFFERS[place]
    told = told_offer(offer, GRAPH, "en")
    assert told["graph"]["root_node_id"] == offer.graph.root_node_id
    assert "question" not in told["graph"]
    assert told["answer"] == offer.graph.answer
    assert told["evidence_ids"] == list(offer.mutation.evidence_ids)
    assert len(told["conditions"]) == len(offer.mutation.parts or (1,))
    assert all(told["conditions"])


def test_the_model_is_shown_findings_and_offers() -> None:
    """As computed, in the blocks of its prompt."""
    _, _, server = advised({})
    blocks = blocks_of(server.received[0])
    listed = json.loads(blocks["offers"])
    assert [item["offer"] for item in listed] == [offer.name for offer in OFFERS]
    assert json.loads(blocks["findings"]) == json.loads(json.dumps(findings_told(STANDING)))
    assert json.loads(blocks["graph_json"])["root_node_id"] == GRAPH.root_node_id


@given(graph=stores_with_graphs().map(lambda pair: pair[1]), language=st.sampled_from(["en", "zh"]))
def test_advice_on_a_new_beginning_is_whole_and_valid(graph: QuestionGraph, language: str) -> None:
    """Operation and strategy are in the contract and are those that the new graph is built with."""
    advice = begun_advice(QA.question, graph, language)
    assert advice.problems(QA.question) == []
    assert advice.reasoning
    assert advice.suggested_operation in {edge.op.value for edge in graph.edges} | {"projection"}
    excludes = any(edge.op is Op.COMPLEMENT for edge in graph.edges)
    assert (advice.strategy is Strategy.COMPLEMENT) is excludes
