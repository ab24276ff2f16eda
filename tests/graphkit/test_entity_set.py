"""Sets with a complement flag, against plain sets of a small universe."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphkit.entity_set import EMPTY, UNIVERSE, EntitySet

SIZE = 6
PLAIN = frozenset(range(SIZE))
sets = st.builds(
    lambda numbers, flag: EntitySet.of(numbers, complemented=flag),
    st.frozensets(st.integers(0, SIZE - 1)),
    st.booleans(),
)


def plain(value: EntitySet) -> frozenset[int]:
    """The members, written out."""
    members = frozenset(value.ids.tolist())
    return PLAIN - members if value.complemented else members


@given(sets, sets)
def test_operations_are_those_of_plain_sets(left, right):
    """And, or, not, size, membership and equality agree with frozenset."""
    assert plain(left & right) == plain(left) & plain(right)
    assert plain(left | right) == plain(left) | plain(right)
    assert plain(~left) == PLAIN - plain(left)
    assert left.size(SIZE) == len(plain(left))
    assert [n in left for n in range(SIZE)] == [n in plain(left) for n in range(SIZE)]
    assert left.equals(right, SIZE) == (plain(left) == plain(right))


@given(sets, sets)
def test_a_complement_is_symbolic_only_where_the_form_says_so(left, right):
    """An intersection is a complement only of two, a union of at least one."""
    assert (left & right).complemented == (left.complemented and right.complemented)
    assert (left | right).complemented == (left.complemented or right.complemented)


@given(sets, sets)
def test_sets_written_alike_have_one_digest(left, right):
    """same_form and digest say the same."""
    assert left.same_form(right) == (left.digest() == right.digest())
    assert not left.same_form(right) or left.equals(right, SIZE)


def test_the_universe_is_the_complement_of_nothing():
    """A free node: everything; and its complement is empty."""
    assert plain(UNIVERSE) == PLAIN
    assert (~UNIVERSE).same_form(EMPTY)
    assert EntitySet.of([3, 1, 3, 2]).ids.tolist() == [1, 2, 3]


@given(sets)
def test_a_and_not_empty_is_a(value):
    """The neutral elements are neutral, in form too."""
    assert (value & ~EMPTY).same_form(value)
    assert (value | EMPTY).same_form(value)
    assert (value & EMPTY).same_form(EMPTY)
