"""The reader of text files: encodings, gzip, limits, exact lines, clear errors."""

from __future__ import annotations

import gzip
import io
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError, Problem
from graphkit.formats.lines import Line, TextSource, open_source, plain_suffix


def read(path: Path) -> list[Line | Problem]:
    return list(open_source(path).lines())


def refusal(path: Path | str) -> str:
    with pytest.raises(FormatError) as caught:
        list(open_source(path).lines())
    return str(caught.value)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r\x00", codec="utf-8")), min_size=1))
def test_lines_come_back_with_their_numbers(texts: list[str]) -> None:
    """What was written line by line is read line by line, numbered from 1."""
    texts = ["first", *texts]
    source = TextSource.of("\n".join(texts) + "\n")
    assert list(source.lines()) == [Line(n, text) for n, text in enumerate(texts, 1)]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_breaks_of_both_kinds_are_left_out(tmp_path: Path, ending: str) -> None:
    """Unix and Windows line breaks are no part of a line."""
    path = tmp_path / "x.txt"
    path.write_bytes(f"one{ending}two".encode())
    assert [line.text for line in read(path) if isinstance(line, Line)] == ["one", "two"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    """A UTF-8 byte order mark is accepted and dropped, in lines and in the head."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfone")
    assert read(path) == [Line(1, "one")]
    with open_source(path) as source:
        assert source.head() == "one"


def test_gzip_is_read_by_its_suffix(tmp_path: Path) -> None:
    """A file named .gz is unpacked; its head is seen without being consumed."""
    path = tmp_path / "x.txt.GZ"
    path.write_bytes(gzip.compress(b"one\ntwo\n"))
    with open_source(path) as source:
        assert source.head() == "one\ntwo\n"
        assert [line.text for line in source.lines() if isinstance(line, Line)] == ["one", "two"]


def test_standard_input_is_read_and_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash reads standard input; peeking leaves the text to be read again."""
    stdin = io.TextIOWrapper(io.BytesIO(b"one\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    with open_source("-") as source:
        assert source.head() == "one\n"
    assert list(open_source("-").lines()) == [Line(1, "one")]
    assert not stdin.buffer.closed


def test_a_missing_file_names_its_neighbour(tmp_path: Path) -> None:
    """A file that is not there is an error that suggests one that is."""
    (tmp_path / "questions.jsonl").write_text("x")
    assert refusal(tmp_path / "question.jsonl").endswith(
        "question.jsonl: no such file (did you mean questions.jsonl?)"
    )
    assert "no such file" in refusal(tmp_path / "no" / "where.txt")


def test_a_directory_is_named_as_one(tmp_path: Path) -> None:
    """A directory is not a file, and the error says so."""
    assert "is a directory, expected a file" in refusal(tmp_path)


def test_a_path_with_nul_is_an_error() -> None:
    """A path that no system accepts is an error of ours."""
    assert "cannot be read" in refusal("a\x00b")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n  \n", "holds only blank lines"),
        ("one\n".encode("utf-16"), "is UTF-16, expected UTF-8"),
        ("one\n".encode("utf-16-le"), "seems to be UTF-16; expected UTF-8"),
        ("one\n".encode("utf-32"), "is UTF-32, expected UTF-8"),
        (gzip.compress(b"one"), "is compressed with gzip, expected text or the suffix .gz"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    """Empty files and other encodings are told by name."""
    path = tmp_path / "x.txt"
    path.write_bytes(data)
    assert message in refusal(path)


def test_latin_1_is_named_with_line_and_byte(tmp_path: Path) -> None:
    """A byte that is not UTF-8 has its line and its offset; the other lines are read."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"one\nCura\xe7ao\nthree\n")
    found = read(path)
    assert found[0] == Line(1, "one")
    assert "x.txt:2: not UTF-8: byte 0xe7 at byte 8 of the file" in str(found[1])
    assert found[2] == Line(3, "three")


def test_a_nul_byte_is_named_with_line_and_byte(tmp_path: Path) -> None:
    """A raw NUL byte has its line and its offset; the other lines are read."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"one\nt\x00wo\n")
    assert "x.txt:2: a NUL byte at byte 5 of the file" in str(read(path)[1])


@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_a_gzip_file_cut_short_is_an_error(tmp_path: Path, keep: float) -> None:
    """A gzip file that ends too early is an error that says so."""
    data = gzip.compress("".join(f"line {n * 7919}\n" for n in range(5000)).encode())
    path = tmp_path / "x.txt.gz"
    path.write_bytes(data[: int(len(data) * keep)])
    assert "broken gzip: the file ends too early" in refusal(path)


def test_text_named_gz_is_an_error(tmp_path: Path) -> None:
    """A file named .gz that is none is an error that says so, also when sniffed."""
    path = tmp_path / "x.txt.gz"
    path.write_text("plain")
    assert "broken gzip: Not a gzipped file" in refusal(path)
    with open_source(path) as source, pytest.raises(FormatError, match="broken gzip"):
        source.head()


def test_a_damaged_gzip_file_is_an_error(tmp_path: Path) -> None:
    """Damage inside the compressed data is found by its check sum."""
    data = bytearray(gzip.compress(b"one\n" * 1000))
    data[-6] ^= 0xFF
    path = tmp_path / "x.txt.gz"
    path.write_bytes(bytes(data))
    assert "broken gzip" in refusal(path)


def test_a_line_of_50_mb_is_refused_quickly_and_the_next_one_read(tmp_path: Path) -> None:
    """A line over the limit costs no more memory than the limit; reading goes on after it."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"one\n" + b"x" * 50 * 1024 * 1024 + b"\nthree\n")
    tracemalloc.start()
    started = time.perf_counter()
    found = read(path)
    took = time.perf_counter() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "x.jsonl:2: a line of 50 MiB, expected at most 32 MiB" in str(found[1])
    assert found[2] == Line(3, "three")
    assert peak < 100 * 1024 * 1024
    assert took < 10


def test_a_document_has_a_limit_too() -> None:
    """A text read as a whole may not be longer than the limit."""
    with pytest.raises(FormatError, match="longer than 10 bytes"):
        TextSource.of("12345\n678901\n").text(10)


def test_reading_as_a_whole_raises_the_first_broken_line() -> None:
    """A document with a broken line is not read at all."""
    with pytest.raises(FormatError, match="x:2: a NUL byte"):
        TextSource.of("one\nt\x00\n", "x").text()


@pytest.mark.parametrize(
    ("name", "suffix"), [("a.TSV", ".tsv"), ("a.b.jsonl.gz", ".jsonl"), ("a", ""), ("a.gz", "")]
)
def test_the_plain_suffix_leaves_gz_out(name: str, suffix: str) -> None:
    """The suffix that tells the format is the one below .gz."""
    assert plain_suffix(name) == suffix
