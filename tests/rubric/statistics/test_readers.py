"""Strict readers: file and line of every problem, all at once; gzip; nothing lenient."""

from __future__ import annotations

import gzip
import json

import pytest

from graphkit.errors import FormatError
from rubric.statistics.readers import read_calibration, read_human_labels, read_trajectories
from rubric.statistics.records import CalibrationLine, HumanLabel, Trajectory

GOOD = {
    "task_id": "t1",
    "system": "A",
    "model": "m",
    "harness": "h",
    "events": [
        {
            "index": 0,
            "kind": "search",
            "tool": "web",
            "error": None,
            "started": 0.5,
            "seconds": 2,
            "tokens": 10,
            "note": "kept",
        }
    ],
}


def write(path, *lines):
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_trajectories(tmp_path, name):
    """Plain or gzip, unknown keys kept."""
    (found,) = read_trajectories(write(tmp_path / name, GOOD, ""))
    assert found.events[0].model_extra == {"note": "kept"}
    assert found.model == "m"


def test_every_problem_at_once(tmp_path):
    """One error for the file, with place, what is there and what was expected."""
    path = write(
        tmp_path / "t.jsonl",
        GOOD,
        "{broken",
        {
            **GOOD,
            "system": "B",
            "events": [
                {"index": 0, "kind": "serach"},
                {"index": -1, "kind": "write"},
                {"kind": "write"},
            ],
        },
        GOOD,
        '{"task_id": "t3", "system": "A", "events": [], "x": NaN}',
        '{"task_id": "t4", "task_id": "t5", "system": "A", "events": []}',
    )
    with pytest.raises(FormatError) as caught:
        read_trajectories(path)
    text = str(caught.value)
    assert f"{path}:2: not JSON" in text
    assert f"{path}:3: events.0.kind: 'serach' is not one of search" in text
    assert "(did you mean search?)" in text
    assert f"{path}:3: events.1.index: -1 is too small; expected 0 or more" in text
    assert f"{path}:3: events.2.index: is missing" in text
    assert f"{path}:4: t1 A is already on line 1; expected it once" in text
    assert f"{path}:5: holds NaN" in text
    assert f"{path}:6: key 'task_id' appears twice" in text


def test_keep_going(tmp_path):
    """Good lines are returned, what is wrong with the others is told."""
    problems = []
    found = read_trajectories(write(tmp_path / "t.jsonl", "[]", GOOD), problems)
    assert len(found) == len(problems) == 1
    assert problems[0].line == 1


def test_types_are_strict(tmp_path):
    """Text is no count and true is no number."""
    event = {"index": "0", "kind": "tool", "tokens": True, "seconds": -1}
    with pytest.raises(FormatError) as caught:
        read_trajectories(write(tmp_path / "t.jsonl", {**GOOD, "events": [event]}))
    assert {problem.subject for problem in caught.value.problems} == {
        "events.0.index",
        "events.0.tokens",
        "events.0.seconds",
    }


def test_human_labels(tmp_path):
    """A label fits its kind; a rater labels an item once a round."""
    base = {"item_id": "f1", "kind": "fact", "task_id": "t1", "rater": "r1"}
    good = [
        {**base, "label": "correct"},
        {**base, "label": "correct", "round": 2},
        {**base, "kind": "holistic", "rating": 4.5},
        {**base, "kind": "decision", "label": "na"},
    ]
    assert len(read_human_labels(write(tmp_path / "h.jsonl", *good))) == 4
    bad = [
        {**base, "label": "na"},
        {**base, "kind": "holistic", "label": "yes"},
        {**base, "kind": "decision", "label": "correct"},
        {**base, "label": "correct"},
        {**base, "label": "incorrect"},
        {**base, "kind": "holistic", "rating": "4"},
        {**base, "rater": "", "label": "yes"},
    ]
    with pytest.raises(FormatError) as caught:
        read_human_labels(write(tmp_path / "h.jsonl", *bad))
    assert sorted({problem.line for problem in caught.value.problems}) == [1, 2, 3, 5, 6, 7]


def test_calibration(tmp_path):
    """A line is a score or a verdict, never both, never neither."""
    base = {"task_id": "t1", "report": "R1"}
    good = [
        {**base, "score": 12.5},
        {**base, "report": "R2", "run": 2, "atom_id": "a", "verdict": "yes"},
        {**base, "report": "R2", "atom_id": "a", "votes": ["yes", "no", "yes"]},
    ]
    assert len(read_calibration(write(tmp_path / "c.jsonl", *good))) == 3
    bad = [
        base,
        {**base, "score": 1, "atom_id": "a", "verdict": "yes"},
        {**base, "atom_id": "a"},
        {**base, "report": "R4", "score": 1},
        {**base, "verdict": "yes"},
    ]
    with pytest.raises(FormatError) as caught:
        read_calibration(write(tmp_path / "c.jsonl", *bad))
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3, 4, 5]


def test_round_trip(tmp_path):
    """Written again, a record is what it was: unknown keys, times and exact decimals kept."""
    event = {"index": 1, "kind": "tool", "started": "2026-01-31T12:00:00+08:00", "seconds": 0.1}
    other = {**GOOD, "system": "B", "more": [1], "events": [event]}
    path = write(tmp_path / "t.jsonl", other, GOOD)
    found = read_trajectories(path)
    again = write(
        tmp_path / "u.jsonl", *(item.model_dump(mode="json", exclude_unset=True) for item in found)
    )
    assert read_trajectories(again) == found
    assert json.loads(again.read_text().splitlines()[0]) == json.loads(
        path.read_text().splitlines()[0]
    )


@pytest.mark.parametrize("model", [Trajectory, HumanLabel, CalibrationLine])
def test_each_record_has_a_schema(model):
    """One JSON Schema a file, with its required keys."""
    assert "task_id" in model.model_json_schema()["required"]


def test_unreadable_files(tmp_path):
    """Missing, truncated and false gzip are errors that name the file."""
    whole = gzip.compress(json.dumps(GOOD).encode() * 50)
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-12])
    (tmp_path / "bent.jsonl.gz").write_bytes(whole[:20] + b"\xff\xff\xff\xff" + whole[24:])
    (tmp_path / "false.jsonl.gz").write_text("{}")
    (tmp_path / "latin.jsonl").write_bytes(b'{"task_id": "\xe9"}\n')
    for name in ("none.jsonl", "cut.jsonl.gz", "bent.jsonl.gz", "false.jsonl.gz", "latin.jsonl"):
        with pytest.raises(FormatError, match=name):
            read_trajectories(tmp_path / name)
