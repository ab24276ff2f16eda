"""Settling: questions are judged again on the evidence of all seeds together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.testing.strategies import evidence
from synthesis.offers import Goals, Standing
from synthesis.settling import settle
from tests.synthesis.test_offers import _chain

EASY = Goals(min_edges=1, min_hops=1, fresh_share=0.0, fresh_last_hop=False)


def record(number: int | str, head: str, relation: str, tail: str, **more: Any) -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=f"e{number}", head_entity=head, relation=relation, tail_entity=tail, **more
    )


CATS = [record(1, "a1", "owns", "cat"), record(2, "b", "owns", "dog")]
RIVAL = record(3, "c", "owns", "cat")


def question(relation: str = "owns") -> dict[str, Any]:
    graph = _chain("cat", "a1", (relation, "backward")).replace(question="Who has the cat?", id="q")
    return {**graph.to_record(), "checks": {}, "synthesis": {"agreement": []}}


def test_a_question_that_still_holds_is_kept_with_new_checks() -> None:
    """Checks are those on all evidence."""
    settled = settle([(question(), CATS)], RelationSheet(), EASY)
    assert (len(settled.questions), settled.set_aside) == (1, ())
    assert settled.questions[0]["checks"]["unique"] is True
    assert settled.evidence == tuple(CATS)


def test_a_rival_that_another_seed_found_sets_a_question_aside() -> None:
    """Of a seed with a question, or of one without."""
    other = (question("hums"), [RIVAL, record(4, "a1", "hums", "cat"), record(5, "b", "hums", "x")])
    for settled in (
        settle([(question(), CATS), other], RelationSheet(), EASY),
        settle([(question(), CATS)], RelationSheet(), EASY, others=[[RIVAL]]),
    ):
        (aside, *_) = settled.set_aside
        assert aside["synthesis"]["lacks_on_all_evidence"] == ["several_answers"]
        assert aside["synthesis"]["agreement"] == []
        assert aside["checks"]["answers_count"] == 2


def test_a_claim_that_two_seeds_name_otherwise_is_lost_to_neither() -> None:
    """Both questions keep the facts that they were checked on."""
    under = [record(1, "a1", "is owner of", "cat"), record(2, "b", "is owner of", "dog")]
    settled = settle([(question(), CATS), (question("is owner of"), under)], RelationSheet(), EASY)
    assert len(settled.questions) == 2
    ids = [item.evidence_id for item in settled.evidence]
    assert len(set(ids)) == len(ids) == 4
    again = FactStore.from_evidence(settled.evidence)
    for kept in settled.questions:
        assert Standing.of(QuestionGraph.model_validate(kept), again, EASY).missing == ()


def test_a_name_that_is_two_things_in_two_seeds_is_one_in_each() -> None:
    """A page that leaves the type out speaks of what its own seed is about."""
    mine = [
        record(1, "a1", "owns", "cat", head_type="person", tail_type="pet"),
        record(2, "a1", "feeds", "cat"),
        record(3, "b", "owns", "dog", head_type="person", tail_type="pet"),
    ]
    other = [record(4, "tool", "is called", "cat", head_type="thing", tail_type="program")]
    graph = _chain("a1", "cat", ("feeds", "forward")).replace(question="What is fed?", id="q")
    nodes = [
        node.model_copy(update={"entity_type": kind})
        for node, kind in zip(graph.nodes, ("person", "pet"), strict=True)
    ]
    asked = {
        **graph.replace(nodes=tuple(nodes)).to_record(),
        "checks": {},
        "synthesis": {"agreement": []},
    }
    before = settle([(asked, mine)], RelationSheet(), EASY)
    after = settle([(asked, mine)], RelationSheet(), EASY, others=[other])
    answers = [
        (item["checks"]["answers_count"], item["checks"]["faithful"])
        for settled in (before, after)
        for item in (*settled.questions, *settled.set_aside)
    ]
    assert answers == [(1, True), (1, True)]


@given(parts=st.lists(evidence(low=0, high=6), max_size=4))
def test_all_evidence_is_there_once_in_the_order_of_the_seeds(parts: list[list[EvidenceRecord]]):
    """Ids that mean something else in another seed are told apart; nothing is lost."""
    settled = settle([], RelationSheet(), EASY, others=parts)
    ids = [item.evidence_id for item in settled.evidence]
    assert len(set(ids)) == len(ids)

    def claims(records: Iterable[EvidenceRecord]) -> set[tuple[str, str, str]]:
        return {(fold(i.head_entity), i.relation, fold(i.tail_entity)) for i in records}

    assert claims(settled.evidence) == claims(item for part in parts for item in part)
    FactStore.from_evidence(settled.evidence)


def test_progress_is_told() -> None:
    """After each question."""
    told: list[tuple[int, int]] = []
    settle(
        [(question(), CATS)] * 2,
        RelationSheet(),
        EASY,
        told=lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 2), (2, 2)]
