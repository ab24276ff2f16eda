"""Tables of one relation: expansion, membership, change."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphkit.adjacency import NONE, PLAIN, Adjacency
from graphkit.entity_set import EntitySet
from graphkit.operations import Direction

pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


def build(facts: list[tuple[int, int]]) -> Adjacency:
    """A table of pairs."""
    heads = np.array([head for head, _ in facts], dtype=np.int32)
    tails = np.array([tail for _, tail in facts], dtype=np.int32)
    return Adjacency.build(heads, tails)


@given(pairs, st.frozensets(st.integers(0, 6)), st.booleans())
def test_projections_are_those_of_plain_sets(facts, numbers, complemented):
    """Forward and backward, of a set and of a complement; the result is an ordinary set."""
    table = build(facts)
    source = EntitySet.of(numbers, complemented=complemented)
    forward = table.project(source, Direction.FORWARD)
    backward = table.project(source, Direction.BACKWARD)
    assert not forward.complemented
    assert forward.ids.tolist() == sorted({t for h, t in facts if h in source})
    assert backward.ids.tolist() == sorted({h for h, t in facts if t in source})


@given(pairs, pairs, pairs)
def test_a_change_says_what_really_came_and_went(facts, add, remove):
    """Pairs that were there do not come, pairs that were not there do not go."""
    table, came, went = build(facts).changed(
        tuple(dict.fromkeys(add)), tuple(dict.fromkeys(remove))
    )
    assert set(went) == set(remove) & set(facts)
    assert set(came) == set(add) - set(facts)
    left = (set(facts) - set(went)) | set(came)
    assert set(zip(*(column.tolist() for column in table.pairs), strict=True)) == left
    assert len(table) == len(left)


def test_repeated_pairs_count_once_and_the_widest_row_is_known():
    """Facts are a set."""
    table = build([(1, 2), (1, 2), (1, 3), (2, 3)])
    assert len(table) == 3
    assert (table.forward.widest, table.backward.widest) == (2, 2)
    assert table.has(1, 3)
    assert not table.has(3, 1)
    assert Adjacency.build(NONE, NONE).forward.widest == 0


def test_a_pair_stays_while_a_record_or_a_plain_claim_is_behind_it():
    """Records come and go one by one; the last one takes the pair along."""
    table, came, _ = Adjacency.build(NONE, NONE).changed(((1, 2),), (), "r1")
    assert came == ((1, 2),)
    table, came, _ = table.changed(((1, 2),), (), "r2")
    assert came == ()
    assert table.evidence == {1 << 32 | 2: ("r1", "r2")}
    table, _, gone = table.changed((), ((1, 2),), "r1")
    assert (gone, table.evidence) == ((), {1 << 32 | 2: ("r2",)})
    plain, _, _ = table.changed(((1, 2),), ())
    assert plain.evidence == {1 << 32 | 2: (PLAIN, "r2")}
    plain, _, gone = plain.changed((), ((1, 2),), "r2")
    assert (gone, plain.evidence, plain.has(1, 2)) == ((), {}, True)
    table, _, gone = table.changed((), ((1, 2),), "r2")
    assert (gone, len(table)) == (((1, 2),), 0)
