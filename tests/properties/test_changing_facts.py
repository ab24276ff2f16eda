"""Laws: a fact store that grew step by step equals one that was built at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import InputError
from graphkit.facts import FactStore
from graphkit.testing.generation import RELATIONS, Choices, make_name
from graphkit.testing.strategies import choices, evidence, relation_sheets


def description(store: FactStore) -> dict[str, object]:
    """Everything that can be seen of a store, without numbers and without what is dead."""
    alive = [n for n in range(len(store.entities)) if store.alive(n)]
    facts = {
        (
            store.entity(f.head).key,
            store.relations[f.relation],
            store.entity(f.tail).key,
        ): frozenset(store.evidence_ids(f))
        for f in store.facts()
    }
    return {
        "facts": facts,
        "fresh": {(store.in_names(f), store.is_fresh(f)) for f in store.facts()},
        "size": (len(store), store.size, store.universe.tolist() == alive),
        "relations": set(store.living_relations),
        "records": dict(store.records),
        "names": {
            store.entity(n).key: frozenset(
                {store.name(n), store.entity(n).name, *store.aliases.get(n, ())}
            )
            for n in alive
        },
        "types": {
            kind: frozenset(store.entity(int(n)).key for n in found.ids)
            for kind, found in store.types.items()
        },
        "found": {
            tier: {
                (name, store.entity(n).key)
                for name, numbers in getattr(store.index, tier).items()
                for n in numbers
                if store.alive(n)
            }
            for tier in ("ids", "exact", "folded", "alias")
        },
    }


def _without_main_names(seen: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in seen.items() if key != "records"}


@st.composite
def record_chains(draw: st.DrawFn):
    """A sheet, records, and steps that put them in, take them out, or take a fact out."""
    sheet = draw(relation_sheets())
    records = draw(evidence(sheet, high=8))
    steps = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), max_size=10))
    return sheet, records, steps


@given(record_chains(), st.integers(0, 8))
def test_a_store_built_by_steps_equals_one_built_from_the_records_that_are_left(chain, start):
    """Records put in and taken out one by one leave what a fresh load of the rest gives."""
    sheet, records, steps = chain
    store = FactStore.from_evidence(records[:start], sheet)
    waiting = list(records[start:])
    for kind, number in steps:
        if kind == 0 and waiting:
            store = store.with_record(waiting.pop(number % len(waiting)))
        elif kind == 1 and store.records:
            gone = list(store.records)[number % len(store.records)]
            waiting.append(store.records[gone])
            store = store.without_record(gone)
        elif kind == 2 and len(store):
            fact = list(store.facts())[number % len(store)]
            waiting += store.evidence(fact)
            store = store.without_fact(fact)
        assert description(store) == description(
            FactStore.from_evidence(list(store.records.values()), sheet)
        )


@st.composite
def triples(draw: st.DrawFn):
    """Lists of facts in names."""
    stream: Choices = draw(choices())
    names = [make_name(stream, odd=True) for _ in range(stream.number(2, 5))]
    return [
        (stream.pick(names), stream.pick(RELATIONS[:3]), stream.pick(names))
        for _ in range(stream.number(1, 10))
    ]


@given(triples(), relation_sheets(), st.lists(st.integers(0, 30), max_size=6))
def test_facts_put_in_one_by_one_equal_facts_loaded_at_once(facts, sheet, gone):
    """with_fact and without_fact reach what from_triples builds of the facts that are left."""
    store = FactStore.from_triples([], sheet)
    for fact in facts:
        store = store.with_fact(*fact)
    assert description(store) == description(FactStore.from_triples(facts, sheet))
    for number in gone:
        if not len(store):
            break
        fact = list(store.facts())[number % len(store)]
        before = len(store)
        smaller = store.without_fact(fact)
        mirror = fact._replace(head=fact.tail, tail=fact.head)
        both = sheet.relation(store.relations[fact.relation]).symmetric and mirror != fact
        assert len(smaller) == before - 1 - both
        assert description(smaller) == description(store.without_facts([fact]))
        back = smaller.with_fact(fact.head, store.relations[fact.relation], fact.tail)
        assert description(back) == description(store)
        store = smaller


@given(record_chains(), triples(), st.randoms(use_true_random=False))
def test_facts_with_and_without_evidence_do_not_disturb_each_other(chain, plain, random):
    """Records and plain facts in any order make one store; without the records it is the plain."""
    sheet, records, _ = chain
    bare = FactStore.from_triples(plain, sheet)
    both = bare
    for record in records:
        both = both.with_record(record)
    mixed = FactStore.from_triples([], sheet)
    steps = [("fact", fact) for fact in plain] + [("record", record) for record in records]
    random.shuffle(steps)
    for kind, item in steps:
        mixed = mixed.with_fact(*item) if kind == "fact" else mixed.with_record(item)
    if not any(record.head_id or record.aliases for record in records):
        assert description(mixed)["facts"] == description(both)["facts"]
        for record in random.sample(records, len(records)):
            both = both.without_record(record.evidence_id)
        assert description(both) == description(bare)
    else:  # aliases merge the entities of plain facts for good, but no fact is lost
        count = sum(both.is_plain(fact) for fact in both.facts())
        for record in records:
            both = both.without_record(record.evidence_id)
        assert sum(both.is_plain(fact) for fact in both.facts()) == len(both) == count


@given(record_chains())
def test_the_order_of_records_does_not_matter_to_facts_and_names(chain):
    """Facts, names and types are those of the set of records; evidence is listed in their order."""
    sheet, records, _ = chain
    if any(record.head_id for record in records):
        return  # the first name of an id is its main one
    forward = _without_main_names(description(FactStore.from_evidence(records, sheet)))
    backward = _without_main_names(description(FactStore.from_evidence(records[::-1], sheet)))
    assert forward == backward


@given(record_chains())
def test_an_id_that_two_records_share_is_refused(chain):
    """Two different records with one id are an error, the same record twice is none."""
    sheet, records, _ = chain
    store = FactStore.from_evidence([*records, *records], sheet)
    other = records[0].model_copy(update={"relation": "something else"})
    assert len(store.records) == len(records)
    for act in (
        lambda: store.with_record(other),
        lambda: FactStore.from_evidence([*records, other], sheet),
    ):
        with pytest.raises(InputError, match="is used for"):
            act()
