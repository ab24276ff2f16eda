"""Folders of pages: names in any bytes, and every file that cannot be read is named."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from graphkit.errors import FormatError
from synthesis.web import LocalIndex, Page, corpus
from synthesis.web.corpus import pages_of_folder, pages_of_jsonl

BASE = "http://corpus.example/"


def test_a_name_that_is_not_utf8_has_an_address(tmp_path: Path) -> None:
    """The bytes of a name are its address, whatever they are."""
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.html"))).write_text("<p>One")
    (tmp_path / "café.html").write_text("<p>Two")
    pages = {page.url: page.text for page in pages_of_folder(tmp_path, base_url=BASE)}
    assert pages == {f"{BASE}caf%E9.html": "One", f"{BASE}caf%C3%A9.html": "Two"}


def test_every_file_that_is_no_page_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too long an address, an unreadable file, a broken reader: all are named, the rest is read."""
    deep = tmp_path.joinpath(*["深" * 80] * 6)
    deep.mkdir(parents=True)
    (deep / "page.html").write_text("<p>Deep")
    for name in ("broken.md", "good.html", "large.txt", "locked.html"):
        (tmp_path / name).write_text("words")
    (tmp_path / "large.txt").write_text("words " * 20)
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd\xe9.md"))
    odd.write_text("words")
    read = Path.read_bytes

    def guarded(path: Path) -> bytes:
        if path.name == "locked.html":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    def broken(text: str) -> None:
        raise RuntimeError("no such\nthing")

    monkeypatch.setattr(Path, "read_bytes", guarded)
    monkeypatch.setattr(corpus, "extract_plain", broken)
    monkeypatch.setattr(corpus, "_LONGEST", 100)
    found: list[Page] = []
    with pytest.raises(FormatError) as caught:
        found.extend(pages_of_folder(tmp_path, base_url=BASE))
    assert [page.url for page in found] == [f"{BASE}good.html"]
    told = {problem.file: problem.message for problem in caught.value.problems}
    assert told == {
        str(tmp_path / "broken.md"): "the page cannot be read: RuntimeError: no such thing",
        str(tmp_path / "large.txt"): "longer than 100 bytes",
        str(tmp_path / "locked.html"): "cannot be read: Permission denied",
        str(tmp_path / "odd\\xe9.md"): "the page cannot be read: RuntimeError: no such thing",
        str(deep / "page.html"): told[str(deep / "page.html")],
    }
    assert told[str(deep / "page.html")].startswith("has no address: the address has 4")
    str(caught.value).encode()  # and can be written
    with pytest.raises(FormatError, match=r"locked\.html: cannot be read"):
        LocalIndex.build(tmp_path / "index.db", pages_of_folder(tmp_path, base_url=BASE))
    assert not (tmp_path / "index.db").exists()


def test_a_line_that_breaks_its_reader_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a page of a JSONL file does to its reader, the lines after it are read."""

    def broken(html: str, url: str) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(corpus, "extract_html", broken)
    lines = [{"url": f"{BASE}1", "html": "<p>x"}, {"url": f"{BASE}2", "text": "words"}]
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found: list[Page] = []
    with pytest.raises(FormatError, match=r"pages\.jsonl:1: the page cannot be read: RuntimeError"):
        found.extend(pages_of_jsonl(path))
    assert [page.url for page in found] == [f"{BASE}2"]
