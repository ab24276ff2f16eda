"""DeepResearch Bench criteria: all weights, both languages, every broken row named."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from graphkit.errors import FormatError
from rubric.formats import import_file, import_text


def criterion(name="c", weight=1.0, **more):
    return {"criterion": name, "explanation": "why", "weight": weight, **more}


def task(name=1, prompt="Compare the two", **groups):
    groups = groups or {
        "insight": [criterion("a", 0.25), criterion("b", 0.75)],
        "readability": [criterion()],
    }
    return {
        "id": name,
        "prompt": prompt,
        "criterions": groups,
        "dimension_weight": {"insight": 0.6, "readability": 0.4},
    }


def load(*tasks):
    return import_text(
        "\n".join(json.dumps(item, ensure_ascii=False) for item in tasks), None, "d.jsonl"
    )


def test_weights_are_exact():
    """0.6 x 0.25 is 3/20, not a double."""
    found = load(task())
    (tree,) = found.trees
    assert found.format == "drbench"
    assert tree.effective_weights["insight/1"] == Fraction(3, 20)
    assert tree.aggregate({"insight/1": 1, "insight/2": 0, "readability/1": 1}).score == (
        Fraction(11, 20)
    )
    assert tree.by_id["insight/2"].extra == {"explanation": "why"}
    assert not found.notes


def test_languages():
    """The language follows the prompt."""
    found = load(task(1, "收集整理目前中国9阶层实际收入和财务状况"), task(2))
    assert [tree.language for tree in found.trees] == ["zh", "en"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"criterions": {"insight": [criterion()]}}, "empty_children"),
        (
            {
                "criterions": {
                    "insight": [criterion()],
                    "readability": [],
                }
            },
            "empty_children",
        ),
        (
            {"criterions": {"insight": [criterion(weight=-0.1)], "readability": [criterion()]}},
            "weight",
        ),
        (
            {"criterions": {"insight": [criterion(weight="1")], "readability": [criterion()]}},
            "weight",
        ),
        (
            {"criterions": {"insight": [{"criterion": "x"}], "readability": [criterion()]}},
            "no_weight",
        ),
        ({"criterions": {"insight": ["x"], "readability": [criterion()]}}, "row"),
        (
            {"criterions": {"insight": [criterion("")], "readability": [criterion()]}},
            "no_criterion",
        ),
        (
            {
                "criterions": {
                    "insight": [criterion()],
                    "readability": [criterion()],
                    "depth": [criterion()],
                }
            },
            "no_weight",
        ),
        (
            {"criterions": {"insight": [criterion(weight=0)], "readability": [criterion()]}},
            "no_weight",
        ),
        ({"dimension_weight": {}}, "task"),
        ({"id": None}, "no_id"),
    ],
)
def test_a_broken_task_is_refused_whole(change, code):
    """Scored without its broken row a task would be inflated; the other task is read."""
    found = load({**task(1), **change}, task(2))
    assert [tree.id for tree in found.trees] == ["2"]
    assert code in {problem.code for problem in found.problems}
    assert {problem.line for problem in found.problems} == {1}


def test_nan_and_broken_lines_are_named():
    """NaN is not JSON; a line that is none is reported with its number."""
    text = json.dumps(task(1)).replace("0.75", "NaN") + "\n{broken\n" + json.dumps(task(3))
    found = import_text(text, "drbench", "d.jsonl")
    assert [tree.id for tree in found.trees] == ["3"]
    assert [(problem.line, problem.code) for problem in found.problems] == [
        (2, "json"),
        (1, "weight"),
    ]


def test_an_id_twice_is_an_error():
    """The second task of an id is refused, the first stays."""
    found = load(task(1), task("1"))
    assert len(found.trees) == 1
    assert "already on line 1" in str(found.problems[0])


def test_weights_that_do_not_sum_to_one_are_noted_and_normalised():
    """0.5 and 0.3: a note, and shares of 5/8 and 3/8."""
    found = load(
        task(insight=[criterion("a", 0.5), criterion("b", 0.3)], readability=[criterion()])
    )
    assert [note.code for note in found.notes] == ["weight_sum"]
    assert found.trees[0].effective_weights["insight/1"] == Fraction(3, 5) * Fraction(5, 8)


def test_a_list_is_read_like_lines():
    """One JSON array, pretty-printed or not."""
    assert len(import_text(json.dumps([task(1), task(2)], indent=1)).trees) == 2
    assert load(task(1)).trees[0].id == "1"


def test_what_is_nothing_is_refused():
    """A text of no known form is one error that lists the forms."""
    for text in ("", "hello", "{}", "[1, 2]", "{broken"):
        with pytest.raises(FormatError, match="expected one of paperbench, drbench"):
            import_text(text)


@pytest.mark.shared_data
def test_real_file(shared_rubrics):
    """40 tasks with all their weights; the prompts of these 40 are Chinese."""
    path = shared_rubrics / "drbench-criteria-40.jsonl"
    found = import_file(path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(found.trees) == len(rows) == 40
    assert {tree.language for tree in found.trees} == {"zh"}
    assert not found.problems
    for tree, row in zip(found.trees, rows, strict=True):
        weights = tree.effective_weights
        assert sum(weights.values()) == 1
        for dimension, items in row["criterions"].items():
            for place, item in enumerate(items, start=1):
                want = row["dimension_weight"][dimension] * item["weight"]
                assert float(weights[f"{dimension}/{place}"]) == pytest.approx(want)
