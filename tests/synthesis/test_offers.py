"""Offers: each keeps the answer and every condition needed, on evidence that may be used."""

from __future__ import annotations

import functools

import pytest

from graphkit.checks.relax import Relaxer
from graphkit.errors import MutationError
from graphkit.facts import FactStore
from graphkit.mutate import Strategy, apply_mutation
from graphkit.normalize import normalize
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.testing.oracle import oracle_answers, oracle_redundant
from synthesis.asked import asked_on
from synthesis.offers import Goals, Offer, Planner, Standing, without_text
from tests.synthesis.fresh_village import planner, pool
from tests.synthesis.test_planning import planned

PLACES = [(seed, place) for seed in range(3) for place in (0, 2, -1)]


@functools.cache
def offered(
    seed: int, place: int, *, loosen: bool = False
) -> tuple[QuestionGraph, tuple[Offer, ...]]:
    graph = planned(seed).graphs[place]
    offers = planner().offers(graph, count=8, seed=seed, steps_left=3, loosen=loosen)
    return graph, offers


def keys(facts: FactStore, name: str) -> set[str]:
    return {entity.key for entity in facts.entities if entity.name == name}


def test_there_are_offers_to_be_tested() -> None:
    """Of several strategies, for open questions and for those with one answer."""
    found = [offer for place in PLACES for offer in offered(*place)[1]]
    assert len(found) > 10
    assert len({offer.strategy for offer in found}) >= 3
    assert any("several_answers" not in offer.standing.missing for offer in found)


@pytest.mark.parametrize(("seed", "place"), PLACES)
def test_an_offer_keeps_the_target_and_every_condition_needed(seed: int, place: int) -> None:
    """By plain sets: the declared answer is an answer, and no condition asks nothing."""
    graph, offers = offered(seed, place)
    facts = planner().facts
    for offer in offers:
        assert offer.graph.answer is not None
        answers = oracle_answers(offer.graph, facts)
        assert answers is not None
        assert answers & keys(facts, offer.graph.answer)
        if offer.strategy is not Strategy.PROJECTION_EXTENSION:
            assert offer.graph.answer == graph.answer
        assert oracle_redundant(without_text(offer.graph), facts) == []
        relaxer = Relaxer(normalize(offer.graph), facts)
        assert not any(relaxer.keeps_answers([item]) for item in relaxer.constraints)


@pytest.mark.parametrize(("seed", "place"), PLACES)
def test_an_offer_is_a_mutation_that_replays(seed: int, place: int) -> None:
    """The graph is what the mutation makes of the question in normal form."""
    graph, offers = offered(seed, place)
    assert [offer.name for offer in offers] == [f"o{n}" for n in range(1, len(offers) + 1)]
    for offer in offers:
        assert apply_mutation(normalize(graph), offer.mutation) == offer.graph
        assert offer.standing == planner().standing(without_text(offer.graph))


def test_an_offer_is_made_of_usable_evidence() -> None:
    """What is popular is a fact, but no condition is made of it alone."""
    retained = {item.evidence_id for item in pool().retained}
    mutations = [offer.mutation for place in PLACES for offer in offered(*place)[1]]
    named = [set(mutation.evidence_ids) for mutation in mutations if mutation.evidence_ids]
    assert named
    assert all(retained & ids for ids in named)


@pytest.mark.parametrize(("seed", "place"), PLACES)
def test_offers_ask_different_things_and_never_what_is_avoided(seed: int, place: int) -> None:
    """Neither the question itself, nor each other, nor what was asked before."""
    graph, offers = offered(seed, place)
    facts = planner().facts
    asked = [asked_on(offer.graph, facts) for offer in offers]
    assert len({*asked, asked_on(graph, facts)}) == len(asked) + 1
    avoid = asked[:2]
    again = planner().offers(graph, count=8, seed=seed, steps_left=3, avoid=avoid)
    assert not {asked_on(offer.graph, facts) for offer in again} & set(avoid)


def test_the_same_seed_gives_the_same_offers_and_another_others() -> None:
    """Equal ones are ordered by the seed and by nothing else."""
    graph = planned(0).graphs[2]

    def steps(seed: int) -> list[object]:
        offers = planner().offers(graph, count=8, seed=seed, steps_left=3)
        return [offer.mutation for offer in offers]

    assert steps(4) == steps(4)
    assert len({str(steps(seed)) for seed in range(5)}) > 1


def test_fewer_offers_are_the_best_of_more() -> None:
    """The count cuts the list off and changes nothing else."""
    graph = planned(0).graphs[2]
    more = planner().offers(graph, count=8, seed=1, steps_left=3)
    fewer = planner().offers(graph, count=2, seed=1, steps_left=3)
    assert [offer.mutation for offer in fewer] == [offer.mutation for offer in more[:2]]


@pytest.mark.parametrize("seed", range(3))
def test_loosening_drops_or_widens(seed: int) -> None:
    """And what stays is needed: there are no fewer answers than before."""
    graph, offers = offered(seed, -1, loosen=True)
    facts = planner().facts
    before = oracle_answers(graph, facts) or set()
    for offer in offers:
        assert offer.strategy in (
            Strategy.DROP_CONSTRAINT,
            Strategy.WIDEN_ANCHOR,
            Strategy.INVERSE_PROJECTION,
        )
        assert before <= (oracle_answers(offer.graph, facts) or set())
        assert oracle_redundant(without_text(offer.graph), facts) == []


def _chain(anchor: str, answer: str | None, *hops: tuple[str, str]) -> QuestionGraph:
    return QuestionGraph(
        question="?",
        answer=answer,
        root_node_id=f"n{len(hops)}",
        nodes=[
            Node(node_id=f"n{n}", known_entities=[anchor] if n == 0 else None)
            for n in range(len(hops) + 1)
        ],
        edges=[
            Edge(
                edge_id=f"e{n}",
                source_ids=[f"n{n}"],
                target_id=f"n{n + 1}",
                op="projection",
                relation=relation,
                direction=way,
            )
            for n, (relation, way) in enumerate(hops)
        ],
    )


TRIPLES = [
    ("a1", "in", "club"),
    ("a2", "in", "club"),
    ("a1", "likes", "tea"),
    ("a2", "likes", "tea"),
    ("a1", "owns", "cat"),
    ("b", "in", "other"),
    ("b", "owns", "dog"),
]


def small(**goals: object) -> Planner:
    return Planner(FactStore.from_triples(TRIPLES), Goals(**goals))


def redundant() -> QuestionGraph:
    """Who is in the club and likes tea? The second asks nothing."""
    return QuestionGraph(
        answer="a1",
        root_node_id="r",
        nodes=[
            Node(node_id="c", known_entities=["club"]),
            Node(node_id="t", known_entities=["tea"]),
            Node(node_id="x"),
            Node(node_id="y"),
            Node(node_id="r"),
        ],
        edges=[
            Edge(
                edge_id="e0",
                source_ids=["c"],
                target_id="x",
                op="projection",
                relation="in",
                direction="backward",
            ),
            Edge(
                edge_id="e1",
                source_ids=["t"],
                target_id="y",
                op="projection",
                relation="likes",
                direction="backward",
            ),
            Edge(edge_id="e2", source_ids=["x", "y"], target_id="r", op="intersection"),
        ],
    )


def test_what_asks_nothing_is_taken_out_first() -> None:
    """Only repairs are offered while there is something redundant; the answers stay the same."""
    offers = small().offers(redundant(), count=9)
    assert offers
    for offer in offers:
        assert offer.repairs
        assert offer.mutation.answers_before == offer.mutation.answers_after == 2
        assert oracle_answers(offer.graph, small().facts) == {":a1", ":a2"}


@pytest.mark.parametrize(
    ("graph", "word"),
    [
        (_chain("club", "a1", ("in", "backward")), "several_answers"),
        (_chain("club", "b", ("in", "backward")), "unfaithful"),
        (_chain("club", None, ("in", "backward")), "unfaithful"),
        (_chain("club", "a1", ("eats", "backward")), "ungrounded"),
        (_chain("nobody", "a1", ("in", "backward")), "ungrounded"),
        (_chain("club", "a1", ("in", "forward")), "no_answers"),
        (redundant(), "redundant"),
        (_chain("cat", "a1", ("owns", "backward")), "few_edges"),
        (_chain("cat", "a1", ("owns", "backward")), "few_hops"),
        (_chain("cat", "a1", ("owns", "backward")), "final_hop_stale"),
        (_chain("cat", "a1", ("owns", "backward")).replace(question="Who is a1?"), "text_leak"),
    ],
)
def test_what_is_missing_is_named(graph: QuestionGraph, word: str) -> None:
    """In stable words; a question that lacks something is at some distance."""
    standing = small().standing(graph)
    assert word in standing.missing
    assert standing.distance > 0


def test_a_question_that_lacks_nothing_is_at_no_distance() -> None:
    """With goals that a small question meets."""
    goals = Goals(min_edges=1, min_hops=1, fresh_share=0.0, fresh_last_hop=False)
    facts = FactStore.from_triples(TRIPLES)
    graph = _chain("cat", "a1", ("owns", "backward")).replace(question="Who owns the cat?")
    standing = Standing.of(graph, facts, goals)
    assert (standing.missing, standing.distance) == ((), 0)


@pytest.mark.parametrize("answer", [None, "nobody", "b"])
def test_an_answer_that_is_none_cannot_be_grown_from(answer: str | None) -> None:
    """It is said, not guessed."""
    with pytest.raises(MutationError):
        small().offers(_chain("club", answer, ("in", "backward")))


def test_evidence_that_may_not_be_used_gives_no_offers() -> None:
    """With nothing usable there is nothing to offer."""
    barred = Planner(planner().facts, usable=frozenset(), rules=planner().book.rules)
    assert barred.offers(planned(0).graphs[1], count=5) == ()
