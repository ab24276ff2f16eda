"""Sets of questions in any file, with fields of any name."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError, InputError
from synthesis.field_paths import MISSING, FieldPath
from synthesis.foreign_sets import ForeignQuestion, SetFields, language_of, read_set, sample_set


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _encrypted(text: str, canary: str) -> str:
    key = itertools.cycle(hashlib.sha256(canary.encode()).digest())
    return base64.b64encode(bytes(a ^ b for a, b in zip(text.encode(), key, strict=False))).decode()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"question": "Who?", "answer": "A"}\n{"question": "谁？", "answer": "B"}\n'),
        ("a.json", '[{"question": "Who?", "answer": "A"}, {"question": "谁？", "answer": "B"}]'),
        (
            "b.json",
            '{"about": {}, "data": [{"problem": "Who?", "answer": "A"},\n'
            '{"problem": "谁？", "answer": ["B"]}]}',
        ),
        ("a.csv", '\ufeffquestion,answer\r\n"Who?",A\r\n谁？,B\r\n'),
        ("b.csv", "query;answer\nWho?;A\n谁？;B\n"),
        ("a.tsv", "Question\tAnswer\nWho?\tA\n谁？\tB\n"),
    ],
)
def test_every_kind_of_file(tmp_path: Path, name: str, text: str) -> None:
    """JSONL, JSON, CSV and TSV give the same questions, numbered, with their language."""
    found = read_set(_write(tmp_path / name, text))
    assert [(q.id, q.question, q.answer, q.language) for q in found.questions] == [
        ("1", "Who?", "A", "en"),
        ("2", "谁？", "B", "zh"),
    ]
    assert found.skipped == 0


def test_fields_deep_in_a_document(tmp_path: Path) -> None:
    """Records, question and answer are found where the options say."""
    data = {
        "x": {
            "rows": [
                {
                    "q": [{"lang": "zh", "s": "谁？"}, {"lang": "en", "s": "Who?"}],
                    "a": [{"v": 3}],
                    "n": 7,
                    "c": [["h", "r", "t"]],
                }
            ]
        },
        "other": [{}],
    }
    fields = SetFields(
        question="q[lang=en].s", answer="a[0].v", id="n", chain="c", records="x.rows"
    )
    path = _write(tmp_path / "a.json", json.dumps(data))
    found = read_set(path, fields, language="de").questions
    assert found == (ForeignQuestion("7", "Who?", "3", (["h", "r", "t"],), "de", None, None),)


def test_a_set_encrypted_with_its_canary(tmp_path: Path) -> None:
    """Question and answer are decrypted with the canary of the record; a wrong one is told."""
    row = {"problem": _encrypted("Who?", "c1"), "answer": _encrypted("Ada", "c1"), "canary": "c1"}
    path = _write(tmp_path / "a.jsonl", json.dumps(row) + "\n")
    found = read_set(path, SetFields(canary="canary")).questions[0]
    assert (found.question, found.answer) == ("Who?", "Ada")
    path = _write(tmp_path / "b.jsonl", json.dumps({**row, "problem": "no base64!"}) + "\n")
    with pytest.raises(FormatError, match="cannot be decrypted"):
        read_set(path, SetFields(canary="canary"))


def test_chains_in_cells(tmp_path: Path) -> None:
    """A cell that holds JSON is a chain of its items, any other text is one item."""
    rows = 'question,reasoning_chain\nWho?,"[{""hop"": 1}, {""hop"": 2}]"\nWhat?,"[1] see there"\n'
    found = read_set(_write(tmp_path / "a.csv", rows)).questions
    assert found[0].chain == ({"hop": 1}, {"hop": 2})
    assert found[1].chain == ("[1] see there",)


def test_all_that_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    """Missing questions, odd answers and ids used twice are told together; the rest is kept."""
    lines = [
        {"id": "a", "question": "Who?"},
        {"id": "b", "text": "?"},
        {"id": "a", "question": "What?"},
        {"id": "c", "question": "Where?", "answer": {"x": 1}},
    ]
    path = _write(tmp_path / "a.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(FormatError) as caught:
        read_set(path)
    told = [(problem.line, problem.code) for problem in caught.value.problems]
    assert told == [(2, "question"), (3, "duplicate_question"), (4, "answer")]
    assert "the record has id, text" in str(caught.value)
    problems: list[Any] = []
    found = read_set(path, keep_going=True, on_error=problems.append)
    assert [question.id for question in found.questions] == ["a"]
    assert (found.skipped, len(problems)) == (3, 3)


@pytest.mark.parametrize("text", ["", ".", "a..b", "a[", "a[x", "[]", "a[]b"])
def test_what_is_no_path_is_told(text: str) -> None:
    """A field that cannot be read is the user's mistake."""
    with pytest.raises(InputError):
        FieldPath(text)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from(["a", "a.b", "a[0]", "[0].b", "a[b=1].c"]),
)
def test_a_path_finds_or_misses(data: Any, text: str) -> None:
    """Any path in any data gives a value or says that there is none."""
    found = FieldPath(text).find(data)
    assert found is MISSING or found is None or isinstance(found, int | str | list | dict)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who wrote 三体?", "en"),
        ("谁写了 The Three-Body Problem 的续集并获奖？", "zh"),
        ("誰が書きましたか", "ja"),
        ("누가 썼습니까", "ko"),
        ("", "en"),
    ],
)
def test_languages_by_script(text: str, language: str) -> None:
    """Foreign names in a sentence do not change its language."""
    assert language_of(text) == language


@given(st.integers(0, 20), st.integers(0, 5), st.randoms(use_true_random=False))
def test_a_sample_hangs_on_its_seed_only(size: int, seed: int, random: Any) -> None:
    """The same questions are drawn whatever their order, and they keep the order of the set."""
    questions = [ForeignQuestion(str(n), "?") for n in range(12)]
    drawn = sample_set(questions, size, seed)
    shuffled = random.sample(questions, len(questions))
    assert len(drawn) == min(size, 12)
    assert {item.id for item in sample_set(shuffled, size, seed)} == {item.id for item in drawn}
    assert drawn == [item for item in questions if item in drawn]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "fields", "count"),
    [
        ("webshaper.500.jsonl", {}, 500),
        ("2wikimultihopqa-300.jsonl", {}, 300),
        ("musique-100.jsonl", {}, 100),
        (
            "qald_10.json",
            {
                "question": "question[language=en].string",
                "answer": "answers[0].results.bindings[0].result.value",
            },
            394,
        ),
    ],
)
def test_public_sets_are_read(
    shared_data: Path, name: str, fields: dict[str, str], count: int
) -> None:
    """Four public sets of four shapes are read whole."""
    found = read_set(shared_data / "questions" / name, SetFields(**fields))
    assert len(found.questions) == count
