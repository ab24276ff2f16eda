"""Settling: questions are judged again on the evidence of all seeds together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.mutate import Mutation, first_question, replay_history
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.testing.strategies import evidence
from synthesis.offers import Goals, Standing
from synthesis.relation_names import RelationBook, Spelling
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


def under(name: str, records: list[EvidenceRecord], *, turned: bool) -> list[EvidenceRecord]:
    """The records of a seed that keeps another name for ``owns``, found here and there as that."""
    book = RelationBook().named(name).joined("owns", Spelling(name, turned, "replayed"))
    return [book.rewrite(item) if item.relation == "owns" else item for item in records]


@pytest.mark.parametrize("turned", [False, True])
def test_a_rival_under_another_name_of_the_relation_sets_a_question_aside(turned: bool) -> None:
    """Straight or inverted; the record says in which reading, the summary what was joined."""
    theirs = under("has" if not turned else "belongs to", [RIVAL], turned=turned)
    settled = settle([(question(), CATS)], RelationSheet(), EASY, others=[theirs])
    (aside,) = settled.set_aside
    assert aside["synthesis"]["lacks_on_all_evidence"] == ["several_answers"]
    assert aside["synthesis"]["lacks_read"] == "relations joined"
    assert settled.identity["readings"] == ["as written", "relations joined"]
    (told,) = settled.identity["relations"]["joined"]
    assert told["relation"] == "owns"
    assert settled.evidence == (*CATS, *theirs)


def typed(kind: str, records: list[EvidenceRecord], names: Iterable[str]) -> list[EvidenceRecord]:
    """Records in which some names are of a kind, and all others are things."""
    chosen = set(names)
    return [
        item.model_copy(
            update={
                "head_type": kind if item.head_entity in chosen else "thing",
                "tail_type": kind if item.tail_entity in chosen else "thing",
            }
        )
        for item in records
    ]


def of_things(record_: dict[str, Any]) -> dict[str, Any]:
    """A question all of whose nodes are things."""
    nodes = [{**node, "entity_type": "thing"} for node in record_["nodes"]]
    return {**record_, "nodes": nodes}


@pytest.mark.parametrize("names", [["cat"], ["c"], ["cat", "c"]])
def test_a_rival_of_another_type_sets_a_question_aside(names: list[str]) -> None:
    """Whether what is asked about has it, or the rival itself, as long as nothing tells two."""
    mine = typed("", [*CATS, record(6, "c", "feeds", "dog")], [])
    asked = (of_things(question()), mine)
    settled = settle([asked], RelationSheet(), EASY, others=[typed("pet", [RIVAL], names)])
    (aside,) = settled.set_aside
    assert aside["synthesis"]["lacks_on_all_evidence"] == ["several_answers"]
    assert aside["synthesis"]["lacks_read"] == "types open"


def test_surely_another_of_the_same_name_is_no_rival() -> None:
    """The one cat is called after the other; so the question stands."""
    theirs = typed("pet", [RIVAL], ["cat"])
    theirs.append(
        record(9, "cat", "called after", "cat").model_copy(
            update={"head_type": "pet", "tail_type": "thing"}
        )
    )
    asked = (of_things(question()), typed("", CATS, []))
    settled = settle([asked], RelationSheet(), EASY, others=[theirs])
    assert (len(settled.questions), settled.set_aside) == (1, ())
    assert settled.identity["types_open"] == [{"name": "cat", "one": [], "apart": ["thing", "pet"]}]


def test_an_answer_that_only_joining_gives_is_none() -> None:
    """What two cats have between them no cat has."""
    mine = typed("", [record(2, "b", "owns", "dog"), record(3, "c", "owns", "cat")], [])
    mine.append(
        record(1, "a1", "owns", "cat").model_copy(update={"head_type": "thing", "tail_type": "pet"})
    )
    chain = _chain("a1", "c", ("owns", "forward"), ("owns", "backward")).replace(id="q")
    asked = {**chain.to_record(), "checks": {}, "synthesis": {"agreement": []}}
    settled = settle([(asked, mine)], RelationSheet(), EASY)
    (aside,) = settled.set_aside
    assert aside["synthesis"]["lacks_read"] == "as written"


def two_kinds(*triples: tuple[str, str, str]) -> list[EvidenceRecord]:
    """Records in which what ends in ' 2' is a pet, and all else, of the same names, a thing."""
    return [
        record(
            n,
            head.removesuffix(" 2"),
            relation,
            tail.removesuffix(" 2"),
            head_type="pet" if head.endswith(" 2") else "thing",
            tail_type="pet" if tail.endswith(" 2") else "thing",
        )
        for n, (head, relation, tail) in enumerate(triples)
    ]


ALIKE = (
    ("cat", "eats", "fish"),
    ("cat 2", "eats", "fish"),
    ("cat", "likes", "milk"),
    ("cat 2", "likes", "milk"),
)


def test_what_is_borne_out_to_be_one_is_published_as_one() -> None:
    """The question has the types of the evidence then, and its history says how it came to."""
    mine = two_kinds(*ALIKE, ("a1", "owns", "cat 2"), ("b", "owns", "dog"), ("a1", "feeds", "cat"))
    graph = QuestionGraph.model_validate(question())
    nodes = [
        node.model_copy(update={"entity_type": "pet", "is_root": node.node_id == "n1"})
        for node in graph.nodes
    ]
    graph = graph.replace(nodes=tuple(nodes))
    begun = [first_question(graph, reason="It begins.").to_record()]
    asked = {**question(), **graph.to_record(), "history": begun}
    settled = settle([(asked, mine)], RelationSheet(), EASY)
    (kept,) = settled.questions
    assert [node.get("entity_type") for node in kept["nodes"]] == ["thing", None]
    last = replay_history([Mutation.model_validate(step) for step in kept["history"]])[-1]
    published = QuestionGraph.model_validate(kept)
    assert (last.nodes, last.edges) == (published.nodes, published.edges)
    facts = FactStore.from_evidence(settled.evidence)
    assert Standing.of(published, facts, EASY).missing == ()
    assert {item.evidence_id for item in settled.evidence} == {item.evidence_id for item in mine}
    (told,) = settled.identity["types_joined"]
    assert told == {"name": "cat", "type": "pet", "read_as": "thing"}


def test_an_answer_is_no_rival_of_itself_under_another_type() -> None:
    """Another seed calls a person an owner; two facts show that it is the same."""
    more = [record(7, "a1", "feeds", "dog")]
    theirs = typed(
        "owner", [record(8, "a1", "owns", "cat"), record(9, "a1", "feeds", "dog")], ["a1"]
    )
    asked = (of_things(question()), typed("", [*CATS, *more], []))
    settled = settle([asked], RelationSheet(), EASY, others=[theirs])
    assert (len(settled.questions), settled.set_aside) == (1, ())
    assert settled.identity["types_joined"] == [{"name": "a1", "type": "owner", "read_as": "thing"}]


def test_an_answer_that_only_what_was_joined_gives_is_none() -> None:
    """If the two cats are two after all, nobody is in what that one owns."""
    one = two_kinds(
        *ALIKE, ("e", "owns", "cat"), ("c", "in", "cat 2"), ("b", "owns", "dog"), ("x", "in", "dog")
    )
    chain = _chain("e", "c", ("owns", "forward"), ("in", "backward")).replace(
        id="q", question="Who is in it?"
    )
    asked = {**chain.to_record(), "checks": {}, "synthesis": {"agreement": []}}
    (aside,) = settle([(asked, one)], RelationSheet(), EASY).set_aside
    assert aside["synthesis"]["lacks_on_all_evidence"] == ["no_answers"]
    assert aside["synthesis"]["lacks_read"] == "types apart"


def test_what_is_read_off_the_facts_is_that_of_all_evidence() -> None:
    """Ids that mean another claim elsewhere are new ones, and facts may be no longer fresh."""
    other = [record(1, "x", "owns", "y")]
    mine = [item.model_copy(update={"is_fresh_knowledge": True}) for item in CATS]
    stale = {"evidence_ids": ["e1"], "reasoning_chain": [], "knowledge_order": "?", "hop_count": 9}
    asked = {**question(), **stale}
    beside = ({**question("hums"), **stale}, [*other, record(4, "a1", "hums", "cat")])
    known = [record(7, "a1", "owns", "cat")]
    settled = settle([beside, (asked, mine)], RelationSheet(), EASY, others=[known])
    kept = next(item for item in settled.questions if item["edges"][0]["relation"] == "owns")
    behind = {item.evidence_id: item for item in settled.evidence}
    assert {behind[ident].head_entity for ident in kept["evidence_ids"]} == {"a1"}
    assert len(kept["evidence_ids"]) == 2
    assert kept["hop_count"] == len(kept["reasoning_chain"]) == 1
    assert kept["knowledge_order"] == "nonfresh" == kept["checks"]["profile"]["knowledge_order"]


TRIPLES = st.lists(
    st.tuples(
        st.sampled_from(["a1", "b", "c"]),
        st.sampled_from(["owns", "owns", "feeds"]),
        st.sampled_from(["cat", "dog", "b"]),
    ),
    max_size=8,
    unique=True,
)
QUESTIONS = st.sampled_from(
    [
        question(),
        {
            **_chain("b", "a1", ("owns", "forward"), ("owns", "backward"))
            .replace(question="Who?", id="q")
            .to_record(),
            "checks": {},
            "synthesis": {"agreement": []},
        },
    ]
)


def records_of(triples: Iterable[tuple[str, str, str]], mark: str) -> list[EvidenceRecord]:
    return [record(f"{mark}{number}", *triple) for number, triple in enumerate(triples)]


@given(mine=TRIPLES, theirs=TRIPLES, asked=QUESTIONS, turned=st.booleans())
def test_another_name_of_a_relation_in_one_seed_publishes_nothing(mine, theirs, asked, turned):
    """What is set aside stays so, as long as the facts do not contradict that it is one relation.

    And a question of one hop that stood on its own evidence and on all of it still stands.
    """
    own, other = records_of(mine, "m"), records_of(theirs, "t")
    plain = settle([(asked, own)], RelationSheet(), EASY, others=[other])
    renamed = under("belongs to" if turned else "has", other, turned=turned)
    after = settle([(asked, own)], RelationSheet(), EASY, others=[renamed])
    assume(not after.identity["relations"]["dropped"])
    assert len(after.questions) <= len(plain.questions)
    alone = settle([(asked, own)], RelationSheet(), EASY)
    if len(asked["edges"]) == 1 and plain.questions and alone.questions:
        assert after.questions


@given(
    mine=TRIPLES,
    theirs=TRIPLES,
    asked=QUESTIONS,
    names=st.sets(st.sampled_from(["a1", "b", "c", "cat", "dog"])),
)
def test_another_type_of_some_names_in_one_seed_publishes_nothing(mine, theirs, asked, names):
    """What is set aside stays so: nothing tells that these are others of the same name."""
    own, other = typed("", records_of(mine, "m"), []), records_of(theirs, "t")
    asked = of_things(asked)
    plain = settle([(asked, own)], RelationSheet(), EASY, others=[typed("", other, [])])
    after = settle([(asked, own)], RelationSheet(), EASY, others=[typed("pet", other, names)])
    assert len(after.questions) <= len(plain.questions)


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
