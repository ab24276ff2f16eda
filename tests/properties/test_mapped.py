"""Laws of saved fact stores: opened again they are the same, and a damaged file is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.mapped import open_mapped, save_mapped
from graphkit.testing.strategies import fact_stores, stores_with_graphs


def reopened(facts: FactStore, *, verify: bool = True) -> FactStore:
    """Save and open again; the mapping outlives the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.graphkit"
        save_mapped(facts, path)
        return open_mapped(path, verify=verify)


def seen(store: FactStore) -> dict[str, object]:
    """Everything that can be seen of a store."""
    return {
        "entities": list(store.entities),
        "relations": store.relations,
        "facts": [(fact, store.evidence(fact), store.is_plain(fact)) for fact in store.facts()],
        "records": dict(store.records),
        "aliases": dict(store.aliases),
        "sheet": store.sheet,
        "universe": (store.universe.tolist(), store.size, len(store)),
        "types": {kind: found.ids.tolist() for kind, found in store.types.items()},
        **{tier: dict(getattr(store.index, tier)) for tier in ("ids", "exact", "folded", "alias")},
    }


@given(fact_stores())
def test_a_reopened_store_shows_the_same(facts):
    """Facts, evidence, names, types and sheet; names are found one by one too."""
    again = reopened(facts)
    assert seen(again) == seen(facts)
    for tier in ("ids", "exact", "folded", "alias"):
        names = getattr(facts.index, tier)
        found = getattr(again.index, tier)
        assert {name: found.get(name) for name in names} == dict(names)
        assert found.get("a name that no entity has") is None
    assert again.entities[-1] == facts.entities[-1]
    assert again.entities[1:] == facts.entities[1:]


@given(stores_with_graphs())
def test_a_reopened_store_answers_the_same(pair):
    """Every graph, without the checksum read too."""
    facts, graph = pair
    found = evaluate(graph, reopened(facts, verify=False)).answers
    assert found.same_form(evaluate(graph, facts).answers)


@given(fact_stores(high=8), st.data())
def test_a_reopened_store_changes_the_same(facts, data):
    """Facts and records put in and taken out leave what they leave of the store itself."""
    again = reopened(facts)
    fact = data.draw(st.sampled_from(list(facts.facts())))
    assert seen(again.without_fact(fact)) == seen(facts.without_fact(fact))
    added = ("somebody new", facts.relations[0], facts.entity(0).name)
    assert seen(again.with_fact(*added)) == seen(facts.with_fact(*added))
    for ident in list(facts.records)[:2]:
        assert seen(again.without_record(ident)) == seen(facts.without_record(ident))
        back = again.without_record(ident).with_record(facts.records[ident])
        assert seen(back) == seen(facts.without_record(ident).with_record(facts.records[ident]))


@given(fact_stores(high=6), st.data())
def test_a_damaged_file_is_refused(facts, data):
    """One byte changed anywhere, or an end that is missing, is noticed and said."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "facts.graphkit"
        save_mapped(facts, path)
        good = path.read_bytes()
        place = data.draw(st.integers(0, len(good) - 1))
        bad = bytearray(good)
        bad[place] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(bad)
        with pytest.raises(FormatError, match=r"facts\.graphkit: "):
            open_mapped(path)
        path.write_bytes(good[: data.draw(st.integers(0, len(good) - 1))])
        with pytest.raises(FormatError, match=r"cut off|empty"):
            open_mapped(path, verify=False)
