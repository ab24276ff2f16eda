"""The pool of one seed: what is a fact, what questions are made of, and what counts for nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.entities import fold
from graphkit.evidence import EvidenceRecord
from synthesis.evidence_pool import (
    EvidencePool,
    Popularity,
    Reliability,
    same_names,
    same_types,
    wants_popularity,
    wants_reliability,
)

LABELS = [
    *((True, label) for label in (None, *Reliability)),
    *((False, label) for label in (None, *Popularity)),
]
POOLS = st.lists(st.sampled_from(LABELS), max_size=10)
TYPES = st.sampled_from([None, "city", "river"])


def record(number: int, fresh: bool = True, **more: object) -> EvidenceRecord:
    given = {"head_entity": f"h{number}", "tail_entity": f"t{number}", "relation": "r"}
    return EvidenceRecord.model_validate(
        {"evidence_id": f"e{number}", "is_fresh_knowledge": fresh, **given, **more}
    )


def pool_of(labels: list[tuple[bool, Reliability | Popularity | None]]) -> EvidencePool:
    records = [record(n, fresh) for n, (fresh, _) in enumerate(labels)]
    named = {f"e{n}": label for n, (_, label) in enumerate(labels) if label is not None}
    return (
        EvidencePool()
        .with_records(records)
        .labelled(
            reliability={k: v for k, v in named.items() if isinstance(v, Reliability)},
            popularity={k: v for k, v in named.items() if isinstance(v, Popularity)},
        )
    )


@given(labels=POOLS)
def test_what_holds_and_what_is_retained(labels):
    """Retained: credible fresh, non-popular other. A fact: all but fresh that is not credible."""
    pool = pool_of(labels)
    kept = {item.evidence_id for item in pool.retained}
    held = {item.evidence_id for item in pool.held}
    facts = {str(f"h{item[1:]}") for item in held}
    for number, (fresh, label) in enumerate(labels):
        assert (f"e{number}" in kept) is (label in (Reliability.CREDIBLE, Popularity.NON_POPULAR))
        assert (f"e{number}" in held) is (not fresh or label is Reliability.CREDIBLE)
    assert kept <= held
    assert {pool.facts.in_names(fact).head for fact in pool.facts.facts()} == facts
    assert len(pool.unjudged) == sum(label is None for _, label in labels)
    assert sum(pool.counts().values()) == len(labels)


def test_popular_evidence_is_a_fact_but_makes_no_question() -> None:
    """A question is not unique because its rival is well known."""
    pool = pool_of([(False, Popularity.POPULAR)])
    assert (len(pool.facts), pool.retained) == (1, ())


@pytest.mark.parametrize("label", [None, Reliability.NOT_CREDIBLE, Reliability.UNCLEAR])
def test_fresh_evidence_that_nobody_confirms_is_neither(label: Reliability | None) -> None:
    """A rumour is no fact for anybody."""
    pool = pool_of([(True, label)])
    assert (len(pool.facts), pool.retained) == (0, ())


@given(labels=POOLS)
def test_evidence_that_comes_again_keeps_its_label(labels):
    """The same id a second time, unjudged, changes nothing."""
    pool = pool_of(labels)
    again = pool.with_records(record(n, fresh) for n, (fresh, _) in enumerate(labels))
    assert dict(again.records) == dict(pool.records)


def test_a_pool_does_not_change_when_something_is_added() -> None:
    """Adding gives a new pool, with facts of its own."""
    pool = pool_of([(True, Reliability.CREDIBLE)])
    assert len(pool.facts) == 1
    grown = pool.with_records([record(7, False)])
    assert (len(pool.facts), len(grown.facts)) == (1, 2)


@given(
    st.lists(st.tuples(st.sampled_from("abAB"), TYPES, st.sampled_from("cdCD"), TYPES), max_size=8)
)
def test_a_name_without_a_type_takes_the_only_one(rows):
    """Types that are there stay; a name with two types gives none away; doing it twice is once."""
    records = [
        record(n, head_entity=head, head_type=one, tail_entity=tail, tail_type=two)
        for n, (head, one, tail, two) in enumerate(rows)
    ]
    typed = same_types(records)
    assert same_types(typed) == typed
    known: dict[str, set[str]] = {}
    for head, one, tail, two in rows:
        for name, kind in ((head, one), (tail, two)):
            known.setdefault(name.lower(), set()).update({kind} - {None})
    for before, after in zip(records, typed, strict=True):
        for name, old, new in (
            (before.head_entity, before.head_type, after.head_type),
            (before.tail_entity, before.tail_type, after.tail_type),
        ):
            kinds = known[name.lower()]
            assert new == (old or (next(iter(kinds)) if len(kinds) == 1 else None))


NAMES = st.sampled_from(["Ulm", "ULM", "ulm", "Bonn", "\uff22onn"])


@given(st.lists(st.tuples(NAMES, TYPES, NAMES, TYPES), max_size=8))
def test_names_of_one_type_are_spelled_alike(rows):
    """As they came first; other types and other names stay apart; doing it twice is once."""
    records = [
        record(n, head_entity=head, head_type=one, tail_entity=tail, tail_type=two)
        for n, (head, one, tail, two) in enumerate(rows)
    ]
    alike = same_names(records)
    assert same_names(alike) == alike
    ends = [
        (name, kind) for head, one, tail, two in rows for name, kind in ((head, one), (tail, two))
    ]
    first: dict[tuple[str, str | None], str] = {}
    for name, kind in ends:
        first.setdefault((fold(name), kind), name)
    assert [
        (name, kind)
        for item in alike
        for name, kind in (
            (item.head_entity, item.head_type),
            (item.tail_entity, item.tail_type),
        )
    ] == [(first[fold(name), kind], kind) for name, kind in ends]


def test_a_page_in_capitals_speaks_of_the_same_thing() -> None:
    """Or a rival would hide behind its spelling."""
    pool = EvidencePool().with_records(
        [
            record(1, False, head_entity="Ada", tail_entity="Ulm"),
            record(2, False, head_entity="BO", tail_entity="ULM"),
            record(3, False, head_entity="Bo", tail_entity="Kiel"),
        ]
    )
    assert sorted(entity.name for entity in pool.facts.entities) == ["Ada", "BO", "Kiel", "Ulm"]


def test_a_recent_page_that_tells_old_knowledge_is_cross_checked_and_asked_about():
    """It is a fact once it is credible, and of use for questions once it is not too well known."""
    record = EvidenceRecord(
        evidence_id="e1", head_entity="Ulm", relation="on", tail_entity="Danube", recent_page=True
    )
    pool = EvidencePool().with_records([record])
    assert (wants_reliability(record), wants_popularity(record)) == (True, True)
    pool = pool.labelled(popularity={"e1": Popularity.NON_POPULAR})
    assert (pool.held, pool.retained, len(pool.unjudged)) == ((), (), 1)
    doubtful = pool.labelled(reliability={"e1": Reliability.UNCLEAR})
    assert (doubtful.held, doubtful.retained, doubtful.unjudged) == ((), (), ())
    sure = pool.labelled(reliability={"e1": Reliability.CREDIBLE})
    assert len(sure.held) == len(sure.retained) == 1
