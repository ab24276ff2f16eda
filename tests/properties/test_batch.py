"""Laws of evaluation in batches: it equals evaluation one by one, whatever is mixed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.adjacency import Table
from graphkit.batch import Plan, Run, evaluate_many
from graphkit.batch.ragged import Room
from graphkit.batch.rows import RowTable
from graphkit.errors import UnsafeGraphError
from graphkit.evaluate import evaluate, node_values
from graphkit.facts import FactStore
from graphkit.grounding import ground
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import is_unsafe, oracle_answers, same_entities
from graphkit.testing.strategies import fact_stores, question_graphs, stores_with_graphs


@st.composite
def stores_with_many_graphs(draw, safe=True):
    """A store and up to six graphs over it."""
    facts = draw(fact_stores())
    count = draw(st.integers(0, 6))
    return facts, [draw(question_graphs(facts, safe=safe)) for _ in range(count)]


@given(stores_with_many_graphs())
def test_a_batch_has_the_answers_of_single_evaluations(pair):
    """Whatever graphs are mixed, each has the answers, as the same form, that it has alone."""
    facts, graphs = pair
    found = evaluate_many(graphs, facts)
    assert len(found) == len(graphs)
    for graph, answers in zip(graphs, found, strict=True):
        assert answers.same_form(evaluate(graph, facts).answers)


@given(stores_with_many_graphs(safe=None))
def test_unsafe_roots_are_refused_or_written_out(pair):
    """A complement as an answer names its question; written out it is the same set."""
    facts, graphs = pair
    if any(is_unsafe(graph) for graph in graphs):
        with pytest.raises(UnsafeGraphError, match=r"question .*complement"):
            evaluate_many(graphs, facts)
    found = evaluate_many(graphs, facts, materialize_universe=True)
    for graph, answers in zip(graphs, found, strict=True):
        alone = evaluate(graph, facts, materialize_universe=True).answers
        assert answers.same_form(alone)


@given(stores_with_graphs(safe=None))
def test_every_node_has_the_value_of_single_evaluation(pair):
    """Not only roots: complements of inner nodes keep their form too."""
    facts, graph = pair
    plan = Plan(facts)
    signed = plan.add(graph)
    run = Run(plan)
    for node_id, value in node_values(graph, facts, ground(graph, facts)).items():
        assert run.value(signed[node_id]).same_form(value)


def test_thousands_of_seeded_graphs_in_batches_have_the_answers_of_the_oracle():
    """2,000 graphs from a seed, those of one store together."""
    checked = 0
    pairs = seeded_pairs(77, 2000)
    for _, group in itertools.groupby(pairs, key=lambda pair: id(pair[0])):
        members = list(group)
        facts = members[0][0]
        found = evaluate_many([graph for _, graph in members], facts)
        for (_, graph), answers in zip(members, found, strict=True):
            want = oracle_answers(graph, facts)
            assert want is not None
            assert len(answers.ids) == len(want)
            assert same_entities(facts, answers.ids, want)
            checked += 1
    assert checked == 2000


@given(
    st.integers(2, 40),
    st.lists(st.lists(st.lists(st.integers(0, 39), max_size=30), max_size=4), max_size=12),
    st.integers(2, 60),
)
def test_unions_of_slices_are_unions(entities, groups, least):
    """Sorted or marked, in one chunk or many, each set is the union of its slices."""
    room = Room(entities)
    room._least = least
    room.rows = min(room.rows, 3)
    slices = [sorted({n % entities for n in one}) for group in groups for one in group]
    owners = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    sizes = np.array([len(one) for one in slices], dtype=np.int64)
    values = np.array([n for one in slices for n in one], dtype=np.int32)
    found = room.unfold(values, np.cumsum(sizes) - sizes, sizes, owners, len(groups))
    ends = np.cumsum(found.sizes)
    assert len(found.sizes) == len(groups)
    for group, end, size in zip(groups, ends.tolist(), found.sizes.tolist(), strict=True):
        want = sorted({n % entities for one in group for n in one})
        assert found.values[end - size : end].tolist() == want
    assert not room._marks.any()


@given(
    st.integers(2, 300),
    st.lists(
        st.tuples(
            st.sets(st.integers(0, 299), max_size=4),
            st.sets(st.integers(0, 299), max_size=120),
            st.booleans(),
        ),
        max_size=9,
    ),
)
def test_members_are_kept_or_taken_away(entities, triples):
    """Each set keeps what its other set has, or has not, whichever of the two is larger."""
    room = Room(entities)
    room.rows = min(room.rows, 2)
    mine = [sorted({n % entities for n in one}) for one, _, _ in triples]
    other = [sorted({n % entities for n in two}) for _, two, _ in triples]
    keep = np.array([three for _, _, three in triples], dtype=np.bool_)
    source = np.array([n for part in (*mine, *other) for n in part], dtype=np.int32)
    sizes = np.array([len(part) for part in (*mine, *other)], dtype=np.int64)
    begins, count = np.cumsum(sizes) - sizes, len(triples)
    found = room.common(source, begins[:count], sizes[:count], begins[count:], sizes[count:], keep)
    ends = np.cumsum(found.sizes)
    assert len(found.sizes) == count
    for left, right, kept, end, size in zip(
        mine, other, keep.tolist(), ends.tolist(), found.sizes.tolist(), strict=True
    ):
        want = [n for n in left if (n in right) == kept]
        assert found.values[end - size : end].tolist() == want
    assert not room._marks.any()


@given(fact_stores())
def test_rows_are_found_directly_and_by_their_keys(facts: FactStore):
    """The direct table and the search by key name the same rows, those of the store."""
    bits = Room(len(facts.entities)).bits
    table = RowTable.build(facts, bits)
    codes = np.repeat(np.arange(2 * len(facts.adjacency)), len(facts.entities))
    entities = np.tile(np.arange(len(facts.entities)), 2 * len(facts.adjacency))
    keys = codes << bits | entities
    searched = RowTable(table.keys, table.begins, table.sizes, table.values, bits, None).rows(keys)
    assert table.direct is not None
    assert table.rows(keys).tolist() == searched.tolist()
    for code, entity, row in zip(codes.tolist(), entities.tolist(), searched.tolist(), strict=True):
        adjacency = facts.adjacency[code >> 1]
        want: Table = adjacency.backward if code & 1 else adjacency.forward
        found = []
        if row >= 0:
            begin = int(table.begins[row])
            found = table.values[begin : begin + int(table.sizes[row])].tolist()
        assert found == want.row(entity).tolist()
