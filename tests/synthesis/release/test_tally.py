"""Sheets for two experts: drawn by seed, filled in, and counted without losing anything."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from graphkit.errors import FormatError
from synthesis.release import (
    ReleaseContent,
    sample_questions,
    tally_sheets,
    validation_sheets,
    wilson_interval,
)
from synthesis.release.sheets import CHECKS, COLUMNS
from tests.synthesis.release.material import content

Rows = list[dict[str, str]]


def _sheet(found: ReleaseContent, size: int = 10) -> Rows:
    text = validation_sheets(found, size=size)["expert_1.csv"]
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def _write(path: Path, rows: Rows, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def _filled(rows: Rows, **verdicts: str) -> Rows:
    """Rows with a verdict each: by check, or by item id, else yes."""
    return [
        {**row, "verdict": verdicts.get(row["item_id"], verdicts.get(row["check"], "yes"))}
        for row in rows
    ]


def test_a_sheet_has_the_three_checks() -> None:
    """A row for each evidence record, and two for each question, in the language of it."""
    rows = _sheet(content(2))
    assert [row["check"] for row in rows] == (["evidence"] * 3 + ["question", "answer"]) * 2
    first, third = rows[0], rows[3]
    assert first["evidence"].startswith("Secret Head 0 | leads to | Secret Tail 0\n")
    assert first["source_url"] == "https://www.one.org/page/0"
    assert third["evidence"].count("\n") == 2
    assert "yes/no" in first["to_judge"]
    assert "是/否" in rows[5]["to_judge"]
    assert len({row["item_id"] for row in rows}) == len(rows)


def test_cells_are_no_formulas() -> None:
    """What a page says cannot be run by a spreadsheet."""
    found = content(1)
    evil = found.evidence[0].model_copy(update={"head_entity": '=HYPERLINK("http://x")'})
    rows = _sheet(ReleaseContent(found.questions, (evil,)))
    assert rows[0]["evidence"].startswith("'=HYPERLINK")


@given(st.integers(0, 8), st.integers(0, 99), st.randoms(use_true_random=False))
def test_as_many_of_each_language_are_drawn(size: int, seed: int, random: Any) -> None:
    """The draw hangs on ids and seed only, and takes the same number of each language."""
    questions = content(9).questions
    drawn = sample_questions(questions, size, seed)
    shuffled = random.sample(questions, len(questions))
    assert {q.id for q in sample_questions(shuffled, size, seed)} == {q.id for q in drawn}
    for language, there in (("en", 5), ("zh", 4)):
        assert sum(q.language == language for q in drawn) == min(size, there)


@given(st.integers(0, 400), st.integers(1, 400))
def test_wilson_is_that_of_scipy(passed: int, total: int) -> None:
    """The interval is that of another implementation, and holds the share."""
    passed = min(passed, total)
    low, high = wilson_interval(passed, total)
    other = binomtest(passed, total).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((other.low, other.high), abs=1e-9)
    assert 0 <= low <= passed / total <= high <= 1


def test_two_experts_of_one_mind(tmp_path: Path) -> None:
    """Everything passes, agreement is full, and kappa is not defined."""
    rows = _filled(_sheet(content(4)))
    found = tally_sheets(_write(tmp_path / "a.csv", rows), _write(tmp_path / "b.csv", rows))
    record = found.to_record()
    assert (found.questions, found.languages) == (4, {"en": 2, "zh": 2})
    assert record["shares"]["all"]["share"] == 1.0
    assert record["agreement"]["all"] == {"rows": 20, "same": 20, "share": 1.0, "kappa": None}
    assert (found.open, found.discussed) == ((), ())


def test_the_numbers_of_a_tally(tmp_path: Path) -> None:
    """Worked by hand: a wrong record, a dispute that is open and one that was discussed."""
    sheet = _sheet(content(4))
    items = {(r["question_id"], r["check"], n % 5): r["item_id"] for n, r in enumerate(sheet)}
    wrong = items["q0", "evidence", 1]
    dispute = items["q1", "question", 3]
    settled = items["q2", "answer", 4]
    one = _filled(sheet, **{wrong: "no", dispute: "yes", settled: "no"})
    two = _filled(sheet, **{wrong: "no", dispute: "no", settled: "yes"})
    talk = [{**row, "after_discussion": "yes"} for row in sheet if row["item_id"] == settled]
    found = tally_sheets(
        _write(tmp_path / "a.csv", one),
        _write(tmp_path / "b.csv", two),
        _write(tmp_path / "c.csv", talk),
    )
    shares = {name: (s.passed, s.failed, s.undecided) for name, s in found.shares.items()}
    assert shares == {
        "evidence": (3, 1, 0),
        "question": (3, 0, 1),
        "answer": (4, 0, 0),
        "all": (2, 1, 1),
    }
    assert found.to_record()["shares"]["all"]["share"] == pytest.approx(2 / 3)
    assert found.to_record()["shares"]["all"]["bounds"] == [0.5, 0.75]
    assert (found.evidence_rows.passed, found.evidence_rows.failed) == (11, 1)
    assert [row.item_id for row in found.open] == [dispute]
    assert [(row.item_id, row.final) for row in found.discussed] == [(settled, True)]
    # 20 rows, 18 alike; both say no 2 times, 0.9 * 0.9 + 0.1 * 0.1 = 0.82 by chance
    assert found.agreement["all"].kappa == pytest.approx((0.9 - 0.82) / (1 - 0.82))


def test_what_is_not_judged_is_never_a_pass(tmp_path: Path) -> None:
    """Empty cells leave a question open, whatever else is said of it; a no decides it."""
    sheet = _sheet(content(2))
    one = _filled(sheet, evidence="")
    one[3]["verdict"] = "no"
    two = _filled(sheet)
    two[3]["verdict"] = "no"
    found = tally_sheets(_write(tmp_path / "a.csv", one), _write(tmp_path / "b.csv", two))
    everything = found.shares["all"]
    assert (everything.passed, everything.failed, everything.undecided) == (0, 1, 1)
    assert len(found.open) == 6
    assert found.to_record()["shares"]["evidence"]["share"] is None


@pytest.mark.parametrize(
    ("yes", "no"), [("Yes", "NO"), ("是", "否"), ("1", "0"), (" TRUE. ", "false"), ("对", "错")]
)
def test_verdicts_in_many_words(tmp_path: Path, yes: str, no: str) -> None:
    """Case, width and language of a verdict do not matter."""
    sheet = _sheet(content(2))
    rows = _filled(sheet, evidence=yes, question=yes, answer=no)
    found = tally_sheets(_write(tmp_path / "a.csv", rows), _write(tmp_path / "b.csv", rows))
    assert (found.shares["question"].passed, found.shares["answer"].failed) == (2, 2)


@pytest.mark.parametrize(("delimiter", "encoding"), [(";", "utf-8-sig"), ("\t", "utf-8")])
def test_sheets_as_spreadsheets_save_them(tmp_path: Path, delimiter: str, encoding: str) -> None:
    """Semicolons, tabs and a byte order mark are read, and columns in any order."""
    rows = _filled(_sheet(content(2)))
    one = _write(tmp_path / "a.csv", rows, delimiter, encoding)
    found = tally_sheets(one, _write(tmp_path / "b.csv", rows[::-1]))
    assert found.shares["all"].passed == 2


def test_what_the_experts_agreed_on_in_their_sheets(tmp_path: Path) -> None:
    """The column in either sheet decides a dispute; two different entries are told."""
    sheet = _sheet(content(1))
    one, two = _filled(sheet, question="yes"), _filled(sheet, question="no")
    one[3]["after_discussion"] = "no"
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    found = tally_sheets(_write(paths[0], one), _write(paths[1], two))
    assert (found.shares["all"].failed, len(found.discussed)) == (1, 1)
    two[3]["after_discussion"] = "yes"
    _write(paths[1], two)
    with pytest.raises(FormatError, match="after_discussion differs from"):
        tally_sheets(*paths)


def test_sheets_that_do_not_fit_are_told_at_once(tmp_path: Path) -> None:
    """Rows missing, twice or strange, and verdicts that are none, each with file and line."""
    sheet = _filled(_sheet(content(1)))
    one = [*sheet, sheet[0]]
    one[1] = {**one[1], "verdict": "perhaps"}
    two = [{**row, "check": "taste"} if n == 2 else row for n, row in enumerate(sheet[:-1])]
    talk = [{**sheet[0], "item_id": "x-1"}]
    with pytest.raises(FormatError) as caught:
        tally_sheets(
            _write(tmp_path / "a.csv", one),
            _write(tmp_path / "b.csv", two),
            _write(tmp_path / "c.csv", talk),
        )
    told = {(Path(p.file or "").name, p.code) for p in caught.value.problems}
    assert told == {("a.csv", "rows"), ("a.csv", "verdict"), ("b.csv", "check"), ("c.csv", "rows")}
    assert all(p.line for p in caught.value.problems)
    assert '"perhaps" is neither yes nor no' in str(caught.value)


def test_a_sheet_without_its_columns_is_told(tmp_path: Path) -> None:
    """A file that is no sheet names the columns that it lacks."""
    path = tmp_path / "a.csv"
    path.write_text("item_id,question_id,chek,verdict\n1,2,3,4\n")
    with pytest.raises(FormatError, match=r"a\.csv:1: there is no column check.*mean chek"):
        tally_sheets(path, path)


@given(st.lists(st.tuples(*[st.sampled_from(["yes", "no", ""])] * 3), min_size=10, max_size=10))
def test_every_question_is_counted_exactly_once(
    tmp_path_factory: pytest.TempPathFactory, verdicts: list[tuple[str, str, str]]
) -> None:
    """Passed, failed and open add up, and all three checks pass no more often than one of them."""
    folder = tmp_path_factory.mktemp("tally")
    sheet = _sheet(content(2))
    one = [{**row, "verdict": v[0]} for row, v in zip(sheet, verdicts, strict=True)]
    two = [{**row, "verdict": v[1]} for row, v in zip(sheet, verdicts, strict=True)]
    talk = [{**row, "after_discussion": v[2]} for row, v in zip(sheet, verdicts, strict=True)]
    found = tally_sheets(
        *(_write(folder / f"{n}.csv", rows) for n, rows in enumerate((one, two, talk)))
    )
    for name in (*CHECKS, "all"):
        share = found.shares[name]
        assert share.passed + share.failed + share.undecided == 2
    passes = min(found.shares[name].passed for name in CHECKS)
    assert found.shares["all"].passed <= passes
    open_rows = sum(v[2] == "" and (v[0] != v[1] or v[0] == "") for v in verdicts)
    assert len(found.open) == open_rows
