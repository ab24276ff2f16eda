"""Verdict hygiene: votes, words, duplicates, conflicts, broken lines; two readers, one result."""

from __future__ import annotations

import gzip
import json
import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphkit.errors import FormatError, GraphkitError
from rubric import read_verdicts, verdict_columns
from rubric.errors import RubricError
from rubric.testing import verdict_lines
from rubric.verdict_reader import parse_verdicts
from rubric.verdicts import VerdictTable, decide


@pytest.mark.parametrize(
    ("verdict", "votes", "word", "reason", "conflict"),
    [
        ("yes", None, "yes", "", False),
        ("skipped", None, "skipped", "stated", False),
        (None, None, "skipped", "no verdict", False),
        ("Yes", None, "skipped", "unknown word 'Yes'", False),
        ("N/A", None, "skipped", "unknown word 'N/A'", False),
        ("Answer is incorrect", None, "skipped", "unknown word 'Answer is incorrect'", False),
        (True, None, "skipped", "unknown word True", False),
        (["yes"], None, "skipped", "unknown word ['yes']", False),
        (None, ["yes", "no", "yes"], "yes", "", False),
        ("yes", ["no", "no", "yes"], "no", "", True),
        ("yes", ["yes", "no"], "skipped", "tied votes", True),
        ("yes", [], "skipped", "no usable vote", True),
        (None, ["na", "na"], "na", "", False),
        (None, ["na", "yes"], "yes", "", False),
        (None, ["na", "skipped"], "skipped", "no usable vote", False),
        (None, ["maybe", "no"], "no", "", False),
        (None, [None, 1], "skipped", "no usable vote", False),
        (None, "yes", "skipped", "votes are no list: 'yes'", False),
    ],
)
def test_decisions(verdict, votes, word, reason, conflict):
    """Votes beat the verdict; ties, no votes and unknown words are skipped with a reason."""
    found = decide(verdict, votes)
    assert (found.word, found.reason, found.conflict) == (word, reason, conflict)


def line(atom, verdict, task="t", system="A", **more):
    return json.dumps(
        {"task_id": task, "system": system, "atom_id": atom, "verdict": verdict, **more}
    ).encode()


BOTH = pytest.mark.parametrize("reader", ["columns", "lines"])


@BOTH
def test_the_last_line_of_a_key_wins(reader):
    """Within one file; the conflict is counted and named, a repetition only counted."""
    table = parse_verdicts(
        [
            (
                "v.jsonl",
                b"\n".join([line("a", "yes"), line("b", "no"), line("a", "no"), line("b", "no")]),
            )
        ],
        reader=reader,
    )
    assert table.report("t", "A").codes == {"a": 1, "b": 1}
    assert (table.hygiene.lines, table.hygiene.duplicates, table.hygiene.conflicts) == (4, 2, 1)
    assert [str(note) for note in table.hygiene.notes] == [
        "v.jsonl:3: task t, system A, atom a: says no, but line 1 says yes"
    ]


@BOTH
def test_two_files_may_not_disagree(reader):
    """A conflict between files is an error that names both places; agreement is not."""
    first = ("a.jsonl", line("a", "no") + b"\n" + line("a", "yes"))
    with pytest.raises(RubricError) as caught:
        parse_verdicts(
            [first, ("b.jsonl", line("x", "no") + b"\n" + line("a", "no"))], reader=reader
        )
    assert str(caught.value) == (
        "b.jsonl:2: task t, system A, atom a: says no, but a.jsonl:2 says yes"
    )
    table = parse_verdicts([first, ("b.jsonl", line("a", "yes"))], reader=reader)
    assert table.report("t", "A").codes == {"a": 0}
    assert table.hygiene.duplicates == 2


@BOTH
def test_broken_lines_are_all_named(reader):
    """Every broken line with its number; with keep_going the others count."""
    data = b"\n".join(
        [
            b'{"task_id": "t"',
            b"",
            line("a", "yes"),
            b"[1]",
            b'{"task_id": "t", "system": 3, "atom_id": "a"}',
            b'{"task_id": "t", "system": "A"}',
            b"\xff",
            b'{"task_id": "t", "system": "A", "report": "gone"}',
            b'{"task_id": "t", "task_id": "u", "system": "A", "atom_id": "a"}',
        ]
    )
    with pytest.raises(FormatError) as caught:
        parse_verdicts([("v", data)], reader=reader)
    assert [problem.line for problem in caught.value.problems] == [1, 4, 5, 6, 7, 8, 9]
    assert "v:5: system: 3 is not a string with content" in str(caught.value)
    assert "key 'task_id' appears twice" in str(caught.value)
    table = parse_verdicts([("v", data)], keep_going=True, reader=reader)
    assert table.report("t", "A").codes == {"a": 0}
    assert len(table.hygiene.broken) == 7


@BOTH
def test_ids_are_never_merged(reader):
    """Case, space and accents make other ids; an escape makes the same id."""
    table = parse_verdicts(
        [
            (
                "v",
                b"\n".join(
                    [
                        line("fc1", "yes"),
                        line("FC1", "no"),
                        line("fc1 ", "na"),
                        b'{"task_id": "t", "system": "A", '
                        b'"atom_id": "f\\u0063\\u0031", "verdict": "no"}',
                    ]
                ),
            )
        ],
        reader=reader,
    )
    assert table.report("t", "A").codes == {"fc1": 1, "FC1": 1, "fc1 ": 2}
    assert table.hygiene.conflicts == 1


def test_files(tmp_path):
    """Gzip by suffix, a byte order mark, Windows line ends, and one file given twice."""
    plain, packed = tmp_path / "v.jsonl", tmp_path / "v.jsonl.gz"
    plain.write_bytes(b"\xef\xbb\xbf" + line("a", "yes") + b"\r\n" + line("b", "no") + b"\r\n")
    packed.write_bytes(gzip.compress(line("c", "na")))
    table = read_verdicts([plain, packed, plain])
    assert table.report("t", "A").codes == {"a": 0, "b": 1, "c": 2}
    assert table.hygiene.duplicates == 0
    with pytest.raises(FormatError, match=r"gone\.jsonl: cannot be read"):
        read_verdicts(tmp_path / "gone.jsonl")
    packed.write_bytes(b"no gzip")
    with pytest.raises(FormatError, match="cannot be read"):
        read_verdicts(packed)


def snapshot(files, reader):
    """Return everything that a reader says of files."""
    try:
        table = parse_verdicts(files, keep_going=True, reader=reader)
    except GraphkitError as error:
        return type(error), list(map(str, error.problems))
    rows = sorted(
        (
            table.tasks[task],
            table.systems[system],
            table.atoms[atom],
            code,
            table.reason_texts[reason],
        )
        for task, system, atom, code, reason in zip(
            table.task.tolist(),
            table.system.tolist(),
            table.atom.tolist(),
            table.code.tolist(),
            table.reason.tolist(),
            strict=True,
        )
    )
    return rows, dict(table.reports), json.dumps(table.hygiene.to_dict())


@st.composite
def files(draw):
    """Files of lines, many alike, some mutated in a byte."""
    made = []
    for name in ("a.jsonl", "b.jsonl")[: draw(st.sampled_from((1, 1, 2)))]:
        lines = []
        for record in draw(st.lists(verdict_lines(), max_size=12)):
            text = bytearray(json.dumps(record, ensure_ascii=draw(st.booleans())).encode())
            if draw(st.integers(0, 5)) == 0:
                place = draw(st.integers(0, len(text) - 1))
                text[place : place + draw(st.integers(0, 1))] = draw(
                    st.sampled_from(
                        (
                            b"",
                            b'"',
                            b"\\",
                            b"{",
                            b"}",
                            b"\t",
                            b"\x00",
                            b"\xff",
                            b"u",
                            b",",
                            b" ",
                            b"\r",
                            b"\xc3",
                        )
                    )
                )
            lines.append(bytes(text))
        end = draw(st.sampled_from((b"\n", b"\n", b"\r\n")))
        made.append((name, end.join(lines) + draw(st.sampled_from((b"", end)))))
    return made


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(), st.sampled_from((64, 1 << 19)))
def test_both_readers_say_the_same(made, block):
    """The columnar reader equals the plain one: rows, reports, counts, errors and their lines."""
    before = verdict_columns._BLOCK
    verdict_columns._BLOCK = block
    try:
        assert snapshot(made, "columns") == snapshot(made, "lines")
    finally:
        verdict_columns._BLOCK = before


def test_the_columns_take_canonical_lines():
    """All of ten thousand ordinary lines are read by column, votes and rationales included."""
    rng = random.Random(1)
    lines = []
    for number in range(10_000):
        record = {
            "task_id": f"t{number // 500}",
            "system": f"s{number // 100 % 5}",
            "atom_id": f"atom-{number % 100}",
        }
        if number % 100 < 5:
            record["votes"] = [rng.choice(("yes", "no")) for _ in range(3)]
        else:
            record["verdict"] = rng.choice(("yes", "no", "na"))
        record["rationale"] = rng.choice(('says "x"\n', "é中", ""))
        lines.append(json.dumps(record, ensure_ascii=number % 2 == 0))
    data = "\n".join(lines).encode()
    builder = verdict_columns.TableBuilder()
    assert verdict_columns.read_columns(data, builder) == []
    assert snapshot([("v", data)], "columns") == snapshot([("v", data)], "lines")


@pytest.mark.slow
def test_reading_is_faster_than_json_line_by_line(tmp_path):
    """115,200 verdicts: measured 3 times as fast; on a busy machine at least twice."""
    path = tmp_path / "v.jsonl"
    path.write_bytes(
        b"\n".join(
            line(f"atom-{atom}", "yes" if atom % 3 else "no", f"t{task:02}", f"s{system:02}")
            for task in range(50)
            for system in range(18)
            for atom in range(128)
        )
    )
    best = {"json": 1e9, "ours": 1e9}
    for _ in range(5):
        begun = time.process_time()
        with path.open(encoding="utf-8") as lines:
            for text in lines:
                json.loads(text)
        best["json"] = min(best["json"], time.process_time() - begun)
        begun = time.process_time()
        assert len(read_verdicts(path)) == 115_200
        best["ours"] = min(best["ours"], time.process_time() - begun)
    assert best["ours"] * 2 < best["json"], best


def test_a_table_from_lines_says_which_line_is_wrong():
    """Lines in memory are checked as lines of a file are."""
    with pytest.raises(FormatError, match="line 2: atom_id: missing"):
        VerdictTable.from_lines(
            [{"task_id": "t", "system": "A", "atom_id": "a"}, {"task_id": "t", "system": "A"}]
        )


def test_a_long_line_at_the_start_and_a_short_one_at_the_end():
    """Looking for the shape of a long line never reads past the end of a file."""
    long = (
        b'{"task_id": "t", "system": "A", "x": [' + b"0, " * 400 + b'0], "atom_id": "a", '
        b'"verdict": "yes"}'
    )
    short = line("b", "no", x=1)
    for data in (long + b"\n" + short, short + b"\n" + long, long + b"\n" + long[:-1]):
        assert snapshot([("v", data)], "columns") == snapshot([("v", data)], "lines")
