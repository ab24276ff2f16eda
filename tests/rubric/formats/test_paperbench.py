"""PaperBench trees: recorded scores to the last bit, duplicate ids with places, real files."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.errors import FormatError
from rubric.formats import Options, import_file, import_text, replay


def node(name, *below, weight=1, **more):
    data = {
        "id": name,
        "requirements": f"do {name}",
        "weight": weight,
        "sub_tasks": list(below),
        "task_category": None if below else "Code Development",
    }
    return {**data, **more}


def load(document, **options):
    return import_text(json.dumps(document), "paperbench", "p.json", Options(**options))


def builtin_grade(data):
    """PaperBench's own rule in this Python: whatever its built-in sum does."""
    below = data["sub_tasks"]
    if below:
        for child in below:
            builtin_grade(child)
        total = sum(child["weight"] for child in below)
        data["score"] = (
            sum(child["score"] * child["weight"] for child in below) / total if total else 0.0
        )
    return data


@st.composite
def graded(draw, depth=0, name="r"):
    size = draw(st.integers(1, 4)) if depth < 2 else 0
    below = [draw(graded(depth=depth + 1, name=f"{name}.{place}")) for place in range(size)]
    weight = draw(st.integers(0, 5))
    score = draw(st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 0.7, 1.0]))
    return node(name, *below, weight=weight, score=score)


@given(graded())
@settings(max_examples=60, deadline=None)
def test_recorded_scores_are_recomputed_to_the_last_bit(document):
    """Fractional leaves, zero weights, any depth: what PaperBench recorded comes out again."""
    (tree,) = load(builtin_grade(document)).trees
    found = replay(tree)
    assert found.matches, found.differing
    assert found.root == found.recorded == document["score"]
    assert abs(float(found.exact) - found.root) < 1e-12


@pytest.mark.parametrize(
    ("recorded", "summation"), [(0.09999999999999999, "plain"), (0.1, "compensated")]
)
def test_both_summations_of_python(recorded, summation):
    """Ten leaves of 0.1: Python up to 3.11 records 0.09999999999999999, since 3.12 it is 0.1."""
    leaves = [node(f"l{place}", score=0.1) for place in range(10)]
    (tree,) = load(node("r", *leaves, score=recorded)).trees
    assert replay(tree).summation == summation
    assert replay(tree).matches
    assert replay(tree).exact == Fraction(1, 10)


def test_a_wrong_recorded_score_is_named():
    """An inner score that its children do not give is reported by id, the root not blamed."""
    document = node(
        "r",
        node("g", node("a", score=1.0), node("b", score=0.0), score=0.75),
        node("c", score=0.25),
        score=0.375,
    )
    found = load(document)
    (note,) = found.notes
    assert str(note) == "p.json: node g: recorded score 0.75 is not that of its children: 0.5"


def test_an_ungraded_tree_cannot_be_replayed():
    """No recorded score, no recomputation."""
    (tree,) = load(node("r", node("a"))).trees
    assert not tree.graded
    with pytest.raises(FormatError):
        replay(tree)


def test_duplicate_ids_are_named_with_their_places():
    """Never merged, never overwritten; renaming is an explicit wish and is noted."""
    document = node("r", node("a"), node("g", node("a", weight=3), node("b")))
    found = load(document)
    assert not found.trees
    assert [str(problem) for problem in found.problems] == [
        "p.json: node a: the id is used 2 times, at /0, /1/0; expected once"
    ]
    renamed = load(document, rename_duplicates=True)
    (tree,) = renamed.trees
    assert [leaf.id for leaf in tree.leaves] == ["a", "a#2", "b"]
    assert tree.by_id["a#2"].weight == 3
    assert len(renamed.notes) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"weight": -1}, "weight"),
        ({"weight": float("nan")}, "weight"),
        ({"weight": float("inf")}, "weight"),
        ({"weight": "3"}, "weight"),
        ({"weight": True}, "weight"),
        ({"weight": None}, "no_weight"),
        ({"sub_tasks": None}, "no_sub_tasks"),
        ({"task_category": None}, "empty_children"),
        ({"requirements": ""}, "no_requirements"),
        ({"id": ""}, "no_id"),
        ({"id": 7}, "no_id"),
        ({"score": 1.5}, "score"),
        ({"score": float("nan")}, "score"),
        ({"score": None}, "no_score"),
        ({"score": -0.5}, "score"),
        ({"valid_score": "yes"}, "valid_score"),
    ],
)
def test_every_bad_field_is_named(change, code):
    """A tree with one bad node is refused whole, with the node and the reason."""
    document = node("r", node("ok", score=1.0), {**node("x", score=1.0), **change}, score=1.0)
    found = load(document)
    assert not found.trees
    assert code in {problem.code for problem in found.problems}
    assert all("ok" not in str(problem.subject) for problem in found.problems)


def test_all_problems_at_once():
    """Three bad nodes are three problems."""
    found = load(node("r", node("a", weight=-1), node("b", weight=None), {"id": "c"}, 5))
    assert len({problem.subject for problem in found.problems}) == 4


def test_judge_failures_are_noted():
    """valid_score false: the recorded 0 is kept and named, and the bounds are open."""
    document = node(
        "r",
        node("a", score=0.0, valid_score=False),
        node("b", score=1.0),
        score=0.5,
        valid_score=False,
    )
    found = load(document)
    assert [note.code for note in found.notes] == ["judge_failed"]
    assert found.trees[0].aggregate().high == 1


def test_a_score_missing_somewhere_is_an_error():
    """All nodes are graded or none."""
    assert load(node("r", node("a"), score=1.0)).problems[0].code == "no_score"
    assert load(node("r", node("a", score=1.0))).problems[0].code == "no_score"


def test_the_output_of_a_grader():
    """The tree inside is read; a root score that disagrees with it is noted."""
    tree = node("r", node("a", score=1.0), score=1.0)
    found = import_text(
        json.dumps({"judge_type": "simple", "score": 0.5, "graded_task_tree": tree})
    )
    assert found.format == "paperbench"
    assert [note.code for note in found.notes] == ["recorded"]


@pytest.mark.shared_data
def test_real_graded_tree(shared_rubrics):
    """The recorded root of the graded file, exactly; without rounding it is 91/100."""
    (tree,) = import_file(shared_rubrics / "paperbench-graded-semantic-self-consistency.json").trees
    found = replay(tree)
    assert found.root == found.recorded == 0.9099999999999999
    assert found.matches
    assert found.exact == Fraction(91, 100)


@pytest.mark.shared_data
def test_real_files(shared_rubrics, tmp_path):
    """Every public tree is read, gzip too; the two with duplicate ids name three each."""
    duplicates = {}
    for path in sorted(shared_rubrics.glob("paperbench-*.json")):
        packed = tmp_path / f"{path.name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        found = import_file(packed, keep_going=True)
        if found.problems:
            duplicates[path.stem] = {problem.subject for problem in found.problems}
            with pytest.raises(FormatError):
                import_file(path)
        (tree,) = import_file(path, options=Options(rename_duplicates=True)).trees
        assert sum(tree.effective_weights.values()) == 1
        assert tree.aggregate(dict.fromkeys(tree.effective_weights, 1)).score == 1
        assert import_text(json.dumps(tree.to_record())).trees == (tree,)
    assert {name: len(ids) for name, ids in duplicates.items()} == {
        "paperbench-bbox": 3,
        "paperbench-bridging-data-gaps": 3,
    }
    assert "node gt-acc-gsm8k" in duplicates["paperbench-bbox"]
