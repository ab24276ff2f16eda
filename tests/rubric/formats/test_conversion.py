"""Foreign rubrics as task trees of ours: exact where carried, a reason per row where not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.errors import InputError
from rubric.formats import (
    PointItem,
    PointList,
    WeightedNode,
    WeightedTree,
    import_file,
    to_task_tree,
    to_verdicts,
)
from rubric.score import score_report
from rubric.tree_reader import parse_tree

F = Fraction


def tree_of(groups):
    """Group to (weight, leaf weights)."""
    nodes = [WeightedNode("r", "", F(1), tuple(groups))]
    for name, (weight, leaves) in groups.items():
        ids = tuple(f"{name}{place}" for place in range(len(leaves)))
        nodes.append(WeightedNode(name, name, F(weight), ids))
        nodes += [
            WeightedNode(item, f"Is {item} so?", F(w)) for item, w in zip(ids, leaves, strict=True)
        ]
    return WeightedTree("t", "r", tuple(nodes))


WHERE = {"x": "C-FC", "y": "R-CS", "z": "P-ST"}


@given(st.lists(st.booleans(), min_size=9, max_size=9))
@settings(max_examples=40, deadline=None)
def test_a_carried_tree_scores_the_same(passed):
    """Equal weights within each dimension: every binary grading gives the foreign score."""
    tree = tree_of({"x": (6, [2] * 4), "y": ("1/2", [1] * 3), "z": (3, [5, 5])})
    found = to_task_tree(tree, WHERE)
    assert (found.exact, found.rows) == (True, ())
    verdicts = dict(zip(tree.effective_weights, passed, strict=True))
    ours = score_report(
        parse_tree(found.record), {name: "yes" if flag else "no" for name, flag in verdicts.items()}
    )
    assert ours.score == 100 * tree.aggregate(verdicts).score


def test_rows_that_cannot_be_carried_have_a_reason():
    """Another weight, no direction, weight 0: by id, and the rest is carried."""
    tree = tree_of({"x": (1, [2, 2, 3, 0]), "w": (1, [1])})
    found = to_task_tree(tree, {"x": "C-FC"})
    assert {row.subject: row.code for row in found.rows} == {
        "row x2": "weight",
        "row x3": "weight",
        "row w0": "no_direction",
    }
    assert set(found.carried) == {"x0", "x1"}
    assert not found.exact
    parse_tree(found.record)


def test_weights_may_be_given_up_but_never_silently():
    """All criteria carried; those whose weight is lost are still reported."""
    found = to_task_tree(tree_of({"x": (1, [2, 2, 3])}), {"*": "C-FC"}, weights="ignore")
    assert len(found.carried) == 3
    assert [row.subject for row in found.rows] == ["row x2"]
    assert not found.exact


def test_penalties_cannot_be_carried():
    """Negative points take away what others earned; ours cannot."""
    items = (
        PointItem("1", "a?", F(5), True),
        PointItem("2", "b?", F(5), False),
        PointItem("3", "c?", F(-3), True),
    )
    found = to_task_tree(PointList("e", items), {"*": "C-AP"})
    assert [(row.subject, row.code) for row in found.rows] == [("row 3", "points")]
    assert len(found.carried) == 2


def test_nothing_to_carry_gives_no_tree():
    """No empty tree that would score nothing."""
    assert to_task_tree(tree_of({"x": (1, [1])}), {}).record is None


def test_unknown_names_are_errors():
    """A misspelt direction and an id that is not there."""
    with pytest.raises(InputError) as caught:
        to_task_tree(tree_of({"x": (1, [1])}), {"x": "C-FD", "zz": "C-FC"})
    assert len(caught.value.problems) == 2


def test_gradings_become_verdicts():
    """1 is yes, 0 is no, a judge failure skipped, a fraction and a gap have a reason."""
    leaves = [
        ("a", 1, True),
        ("b", 0, True),
        ("c", 0, False),
        ("d", F(1, 2), True),
        ("e", None, True),
    ]
    tree = WeightedTree(
        "t",
        "r",
        (
            WeightedNode("r", "", F(1), tuple(name for name, _, _ in leaves)),
            *(
                WeightedNode(
                    name, "?", F(1), score=None if score is None else F(score), valid=valid
                )
                for name, score, valid in leaves
            ),
        ),
    )
    lines, lost = to_verdicts(tree, "A")
    assert {line["atom_id"]: line["verdict"] for line in lines} == {
        "a": "yes",
        "b": "no",
        "c": "skipped",
    }
    assert {row.subject: row.code for row in lost} == {"row d": "graded", "row e": "no_score"}


@pytest.mark.shared_data
def test_real_criteria(shared_rubrics):
    """Every criterion of the public file is carried or has a reason."""
    for tree in import_file(shared_rubrics / "drbench-criteria-40.jsonl").trees:
        found = to_task_tree(
            tree,
            {
                "comprehensiveness": "C-FC",
                "insight": "C-CA",
                "instruction_following": "C-AP",
                "readability": "P-RD",
            },
        )
        named = {row.subject.removeprefix("row ") for row in found.rows}
        assert named | set(found.carried) == set(tree.effective_weights)
        parse_tree(found.record)
