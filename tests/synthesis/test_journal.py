"""The journal: each step once, the same step again or an error, and nothing of another run."""

from __future__ import annotations

import json
from io import FileIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import JournalError
from synthesis.journal import Journal

PLAIN = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.floats(-9, 9)),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=5,
)
STEPS = st.lists(
    st.tuples(st.sampled_from("ab"), st.dictionaries(st.sampled_from("xyz"), PLAIN)), max_size=8
)


def told(path: Path | None, steps: list[tuple[str, dict[str, Any]]], run: str = "r1") -> Journal:
    """Write steps, each numbered within its seed."""
    counts: dict[str, int] = {}
    with Journal.open(path, run=run) as journal:
        for seed, data in steps:
            journal.write(seed, counts.get(seed, 0), "step", data)
            counts[seed] = counts.get(seed, 0) + 1
        return journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


@given(steps=STEPS)
def test_writing_the_same_steps_again_changes_nothing(tmp_path_factory, steps):
    """In the same session or in a later one; the steps read back as they were written."""
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    told(path, steps)
    before = path.read_bytes()
    told(path, steps)
    told(path, steps)
    assert path.read_bytes() == before
    with Journal.open(path, run="r1") as journal:
        for seed in "ab":
            data = [
                {key: step[key] for key in step if key in "xyz"} for step in journal.steps(seed)
            ]
            assert data == [data for name, data in steps if name == seed]
        assert len(list(journal.steps())) == len(steps)


@given(steps=STEPS.filter(bool), cut=st.integers(1, 10**6))
def test_a_torn_last_line_is_cut_off_and_written_again(tmp_path_factory, steps, cut: int):
    """However much of it is left, the steps before it stay and the run goes on as it was."""
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    told(path, steps)
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    torn = 1 + cut % last
    path.write_bytes(whole[:-torn])
    journal = told(path, steps)
    assert journal.torn == last - torn
    assert path.read_bytes() == whole


def test_a_step_that_comes_out_otherwise_ends_the_run(path: Path) -> None:
    """Two runs are never mixed; what is there stays as it is."""
    told(path, [("a", {"x": 1}), ("a", {"x": 2})])
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"seed a: step 1 .*otherwise"):
        told(path, [("a", {"x": 1}), ("a", {"x": 3})])
    assert path.read_bytes() == before


def test_a_journal_of_another_run_is_refused(path: Path) -> None:
    """With the line and both names."""
    told(path, [("a", {})])
    with pytest.raises(JournalError, match=r"jsonl:1: .*'r1'.*'r2'"):
        told(path, [], run="r2")


@pytest.mark.parametrize(
    "line",
    [
        b"no json",
        pytest.param(b"[" * 200_000, id="nested without end"),
        b"{}",
        b"7",
        b"[]",
        b'{"run": "r1", "seed": "a", "number": "x", "step": "s"}',
        b'{"run": "r1", "seed": "a", "number": 5, "step": "s"}',
        b'{"run": "r1", "seed": "a", "number": 0, "step": "s"}',
        b"\xff\xfe",
        b"",
        b'{"run": "r1", "seed": "a", "num',
    ],
)
def test_a_damaged_line_is_an_error_with_its_number(path: Path, line: bytes) -> None:
    """Only the last line may be unfinished; a step that is missing or there twice is damage."""
    told(path, [("a", {"x": 1})])
    path.write_bytes(path.read_bytes() + line + b"\n" + b'{"more": 1}\n')
    with pytest.raises(JournalError, match="jsonl:2: "):
        Journal.open(path, run="r1")


def test_outcomes_are_known_when_the_journal_is_opened(path: Path) -> None:
    """Those of earlier sessions and those written now, as they were written."""
    with Journal.open(path, run="r1") as journal:
        journal.write("a", 0, "gathered", {})
        journal.write("a", 1, "outcome", {"status": "accepted", "missing": [], "question": "é?"})
        assert set(journal.ended) == {"a"}
    with Journal.open(path, run="r1") as journal:
        assert journal.ended["a"] == {"status": "accepted", "missing": []}
        journal.write("b", 0, "outcome", {"status": "gave_up", "missing": ["x"], "question": 2})
        assert [journal.outcome(seed)["question"] for seed in "ab"] == ["é?", 2]
        with pytest.raises(KeyError):
            journal.outcome("c")


def test_a_finished_seed_takes_no_more_steps(path: Path) -> None:
    """Neither now nor when it is opened again."""
    with Journal.open(path, run="r1") as journal:
        journal.write("a", 0, "outcome", {"status": "gave_up", "missing": []})
        with pytest.raises(JournalError):
            journal.write("a", 1, "step", {})
    with Journal.open(path, run="r1") as journal, pytest.raises(JournalError):
        journal.write("a", 0, "step", {})


@pytest.mark.parametrize("odd", ["\ud800", "a\u2028b", "\x00", "\n", "\U0001f9d1"])
def test_any_text_that_a_reply_can_hold_is_written(path: Path, odd: str) -> None:
    """Half a surrogate pair or a line separator breaks no line."""
    told(path, [("a", {"x": odd, odd: 1})])
    journal = told(path, [("a", {"x": odd, odd: 1}), ("a", {})])
    (first, _) = journal.steps("a")
    assert first["x"] == odd
    assert len(path.read_bytes().splitlines()) == 2


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_has_not_are_written_as_none(path: Path, number: float) -> None:
    """A reply with NaN does not end a run."""
    told(path, [("a", {"x": [number, {"y": number}], "z": 1.5})])
    (step,) = told(path, [("a", {"x": [number, {"y": number}], "z": 1.5})]).steps()
    assert (step["x"], step["z"]) == ([None, {"y": None}], 1.5)


def test_a_journal_in_memory_compares_as_well() -> None:
    """Without a file nothing is kept, and a difference is told all the same."""
    with Journal.open(None, run="r1") as journal:
        journal.write("a", 0, "step", {"x": 1})
        journal.write("a", 0, "step", {"x": 1})
        assert list(journal.steps()) == []
        with pytest.raises(JournalError):
            journal.write("a", 0, "step", {"x": 2})


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A folder in its place, or no folder at all."""
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal.open(tmp_path, run="r1")
    with pytest.raises(JournalError, match="nowhere"):
        Journal.open(tmp_path / "nowhere" / "j.jsonl", run="r1")


class _Full(FileIO):
    """A file on a disk that takes so many bytes more, and then no more."""

    room = 0

    def write(self, data: Any) -> int:
        if not self.room:
            raise OSError(28, "No space left on device")
        taken = min(self.room, len(data))
        self.room -= taken
        return super().write(data[:taken])


@pytest.mark.parametrize("room", [0, 10])
def test_a_full_disk_is_an_error_of_the_journal(path: Path, room: int) -> None:
    """What cannot be written down ends the run: no seed is done by it, no line is left in half."""
    told(path, [("a", {"x": 1})])
    before = path.read_bytes()
    with Journal.open(path, run="r1") as journal:
        journal._stream.close()
        journal._stream = _Full(path, "ab")
        journal._stream.room = room
        with pytest.raises(JournalError, match="No space left"):
            journal.write("a", 1, "outcome", {"status": "accepted", "missing": []})
        assert journal.ended == {}
        assert path.read_bytes() == before
        journal._stream.room = 1_000
        journal.write("a", 1, "outcome", {"status": "accepted", "missing": []})
    with Journal.open(path, run="r1") as journal:
        assert journal.outcome("a")["status"] == "accepted"


def test_steps_are_lines_of_json_with_run_and_seed(path: Path) -> None:
    """So that other programs can read them."""
    told(path, [("a", {"x": "é"})])
    (line,) = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {"run": "r1", "seed": "a", "number": 0, "step": "step", "x": "é"}
