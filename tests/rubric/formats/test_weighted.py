"""Weighted trees: exact means, no silent score, and laws that any aggregation must keep."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.errors import FormatError
from rubric.errors import RubricError
from rubric.formats import WeightedNode, WeightedTree, import_text

F = Fraction


def leaf(name, weight=1, score=None, **more):
    return WeightedNode(name, "?", F(weight), score=None if score is None else F(score), **more)


def group(name, *children, weight=1):
    return WeightedNode(name, "", F(weight), children)


@st.composite
def trees(draw, graded: bool = True):
    """Any tree of up to about 25 nodes with positive sums of weights."""
    nodes: list[WeightedNode] = []

    def grow(name: str, depth: int) -> None:
        size = draw(st.integers(1, 3)) if depth < 3 and (depth == 0 or draw(st.booleans())) else 0
        weight = draw(st.fractions(0, 5, max_denominator=6)) if not name.endswith("0") else F(1)
        children = tuple(f"{name}.{place}" for place in range(size))
        score = draw(st.sampled_from([F(0), F(1), F(1, 3)])) if graded and not size else None
        nodes.append(WeightedNode(name, "?", weight, children, score))
        for child in children:
            grow(child, depth + 1)

    grow("0", 0)
    return WeightedTree("t", "0", tuple(nodes))


def plain(tree: WeightedTree, name: str) -> Fraction:
    """The aggregation once more, by recursion from its formula."""
    node = tree.by_id[name]
    if not node.children:
        return node.score
    below = [tree.by_id[child] for child in node.children]
    return sum(child.weight * plain(tree, child.id) for child in below) / sum(
        child.weight for child in below
    )


@given(trees())
@settings(max_examples=80, deadline=None)
def test_equals_the_plain_formula(tree):
    """Every node, exactly; and the effective weights explain the root."""
    found = tree.aggregate()
    assert all(found.nodes[node.id] == plain(tree, node.id) for node in tree.nodes)
    weights = tree.effective_weights
    assert sum(weights.values()) == 1
    assert found.score == sum(weights[item.id] * item.score for item in tree.leaves)
    assert 0 <= found.low <= found.score <= found.high <= 1


@given(trees(), st.randoms(), st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_laws(tree, random, factor):
    """Order of siblings and a common factor of weights change nothing; a pass never lowers."""
    base = tree.aggregate().score

    def turned(node):
        children = list(node.children)
        random.shuffle(children)
        return replace(node, children=tuple(children), weight=node.weight * factor)

    assert replace(tree, nodes=tuple(map(turned, tree.nodes))).aggregate().score == base
    scores = {item.id: item.score for item in tree.leaves}
    picked = random.choice(tree.leaves)
    assert tree.aggregate({**scores, picked.id: F(1)}).score >= base


@given(trees())
@settings(max_examples=40, deadline=None)
def test_round_trip(tree):
    """Written as JSON and read back it is the same tree, thirds included."""
    text = json.dumps(tree.to_record())
    assert import_text(text).trees == (tree,)


@pytest.mark.parametrize(
    ("nodes", "code"),
    [
        ((group("r", "a", "a"), leaf("a")), "two_parents"),
        ((group("r", "a", "b"), leaf("a"), leaf("b"), leaf("b")), "duplicate_id"),
        ((group("r", "a"),), "dangling"),
        ((group("r", "a"), leaf("a"), leaf("z")), "unreachable"),
        ((group("r", "a"), leaf("a", -1)), "weight"),
        ((group("r", "a", "b"), leaf("a", 0), leaf("b", 0)), "no_weight"),
        ((group("r", "a"), leaf("a", 1, 2)), "score"),
        ((leaf("a"),), "no_root"),
        ((group("r", "a"), group("a", "r")), "two_parents"),
    ],
)
def test_what_is_no_tree_is_refused_by_name(nodes, code):
    """Structure, weights and scores are checked before anything is scored."""
    with pytest.raises(RubricError) as caught:
        WeightedTree("t", "r", nodes)
    assert code in {problem.code for problem in caught.value.problems}


def test_a_missing_score_never_inflates():
    """A criterion without a score is an error, not a smaller denominator; so is an unknown id."""
    tree = WeightedTree("t", "r", (group("r", "a", "b"), leaf("a"), leaf("b")))
    with pytest.raises(RubricError, match="node b: has no score"):
        tree.aggregate({"a": 1})
    with pytest.raises(RubricError, match="node c: is scored but is no criterion"):
        tree.aggregate({"a": 1, "b": 1, "c": 1})
    with pytest.raises(RubricError, match="node r: is scored but is no criterion"):
        tree.aggregate({"a": 1, "b": 1, "r": 1})
    for wrong in (float("nan"), float("inf"), -1, 1.5):
        with pytest.raises(RubricError, match="node a: score"):
            tree.aggregate({"a": wrong, "b": 1})


def test_an_invalid_child_is_never_hidden():
    """A judge failure deep in the tree shows in the result and in the bounds."""
    nodes = (
        group("r", "g", "a"),
        group("g", "b", "c"),
        leaf("b", 1, 0, valid=False),
        leaf("c", 1, 1),
        leaf("a", 1, 1),
    )
    found = WeightedTree("t", "r", nodes).aggregate()
    assert found.judge_failed == ("b",)
    assert (found.low, found.score, found.high) == (F(3, 4), F(3, 4), F(1))


def test_groups_without_weight_are_zero_only_where_the_set_says_so():
    """PaperBench defines 0; the result names the group."""
    nodes = (group("r", "g", "a"), group("g", "b"), leaf("b", 0, 1), leaf("a", 1, 1))
    found = WeightedTree("t", "r", nodes, zero_total_is_zero=True).aggregate()
    assert (found.score, found.weightless) == (F(1, 2), ("g",))


def test_a_deep_chain_is_scored():
    """5,000 levels: no recursion anywhere."""
    names = [f"n{place}" for place in range(5000)]
    nodes = [group(name, below) for name, below in itertools.pairwise(names)]
    tree = WeightedTree("t", "n0", (*nodes, leaf(names[-1], 1, F(1, 3))))
    assert tree.aggregate().score == F(1, 3)
    assert tree.effective_weights == {names[-1]: 1}


def test_bad_records_of_our_own_form():
    """The reader of our JSON is as strict as the others."""
    for nodes in (
        [{"id": "r", "weight": "x"}],
        [{"weight": 1}],
        ["r"],
        [{"id": "r"}],
        [{"id": "r", "weight": 1, "score": "1/0"}],
        [{"id": "r", "weight": float("nan")}],
    ):
        text = json.dumps({"weighted_tree": "t", "root": "r", "nodes": nodes})
        assert import_text(text).problems
    with pytest.raises(FormatError):
        import_text("{}", "nothing")
