"""The published schemas: what we write and ship is valid under them, what is broken is not."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given

from graphkit.formats.schema import schema
from rubric import dump_tree, load_trees, read_verdicts, score_reports
from rubric.schemas import SCHEMAS
from rubric.testing import judged_trees

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rubric"


def checker(name):
    made = schema(name)
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def records(name):
    text = (EXAMPLE / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(("name", "file"), [
    ("verdict", "verdicts.jsonl"), ("human-label", "labels.jsonl"),
    ("calibration", "calibration.jsonl"), ("trajectory", "trajectories.jsonl"),
])  # fmt: skip
def test_example_lines_are_valid(name, file):
    """Every line of the example is valid; one without its task is not."""
    check = checker(name)
    found = records(file)
    for record in found:
        check.validate(record)
    broken = {key: value for key, value in found[0].items() if key != "task_id"}
    assert not check.is_valid(broken)


def test_example_trees_and_scores_are_valid():
    """Trees and their facts, and the scores of all reports, are valid."""
    trees = load_trees(EXAMPLE / "trees")
    for tree in trees:
        data = dump_tree(tree)
        assert list(checker("rubric-tree").iter_errors(data)) == []
        for fact in data["facts"]:
            assert list(checker("rubric-fact").iter_errors(fact)) == []
    for report in score_reports(trees, read_verdicts(EXAMPLE / "verdicts.jsonl")):
        assert list(checker("score").iter_errors(report.to_dict())) == []


@given(judged_trees())
def test_any_tree_is_valid(judged):
    """Whatever the tree, what we write is valid; directions may be their ids alone."""
    check = checker("rubric-tree")
    data = dump_tree(judged.tree)
    check.validate(data)
    check.validate({**data, "directions": [item["id"] for item in data["directions"]]})
    assert not check.is_valid({**data, "atoms": [{"id": "a"}]})


def test_every_schema_is_known_by_name():
    """graphkit schema lists them all."""
    for name in SCHEMAS:
        assert schema(name)["$id"] == f"urn:graphkit:schema:{name}"
