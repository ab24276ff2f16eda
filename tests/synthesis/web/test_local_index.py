"""The local index finds English and Chinese, and is built whole or not at all."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import FormatError, InputError
from synthesis.web import LocalIndex, Page, WebError
from synthesis.web.corpus import pages_of_folder, pages_of_jsonl
from synthesis.web.snapshots import text_hash


def page(url: str, text: str, title: str = "") -> Page:
    place = f"http://{url}"
    return Page(
        status="ok",
        url=place,
        final_url=place,
        title=title,
        text=text,
        fetched_at="2026-01-01T00:00:00+00:00",
        sha256=text_hash(text),
    )


PAGES = (
    page("a.example/fr", "Paris is the capital of France. It borders Spain.", "France"),
    page("a.example/at", "Vienna is the capital of Austria, a landlocked country.", "Austria"),
    page("b.example/fr", "法国的首都是巴黎，位于塞纳河畔。", "法国"),
    page("b.example/jp", "東京は日本の首都です。", "日本"),
    page("c.example/cafe", "The café of naïve artists; O'Neill's place.", "Café"),
    page("c.example/mixed", "埃菲尔铁塔（Eiffel Tower）在巴黎。", "铁塔"),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    with LocalIndex.build(tmp_path_factory.mktemp("index") / "pages.db", PAGES) as built:
        yield built


@pytest.mark.parametrize(
    ("query", "urls"),
    [
        ("capital of Austria", ["a.example/at", "a.example/fr"]),
        ("bordering", ["a.example/fr"]),
        ("countries", ["a.example/at"]),
        ("巴黎", ["c.example/mixed", "b.example/fr"]),
        ("首都", ["b.example/fr", "b.example/jp"]),
        ("塞", ["b.example/fr"]),
        ("畔", ["b.example/fr"]),
        ("法国首都在哪里？", ["b.example/fr", "b.example/jp"]),
        ("東京", ["b.example/jp"]),
        ("cafe", ["c.example/cafe"]),
        ("NAIVE", ["c.example/cafe"]),
        ("eiffel", ["c.example/mixed"]),
        ('"capital of France"', ["a.example/fr"]),
        ('"capital France"', []),
        ("“首都是巴黎”", ["b.example/fr"]),
        ("“巴黎首都”", []),
        ("what is the", ["a.example/fr", "a.example/at", "c.example/cafe"]),
        ("zebra", []),
        ("?!", []),
        ("", []),
    ],
)
def test_words_are_found(index: LocalIndex, query: str, urls: list[str]) -> None:
    """Stems, accents, Chinese words of one, two and more characters, and phrases are found."""
    outcome = index.search(query)
    found = [result.url.removeprefix("http://") for result in outcome.results]
    assert sorted(found) == sorted(urls)
    assert outcome.status == ("found" if urls else "nothing")


def test_a_title_counts_more_than_the_text(tmp_path: Path) -> None:
    """The page about a thing comes before a page that mentions it more often."""
    pages = [
        page("a.example/lake", "A river, a river and again a river runs into it.", "Lakes"),
        page("b.example/river", "It is long and slow and runs into the sea at last.", "River"),
        page("c.example/hill", "Nothing flows here but time.", "Hills"),
    ]
    with LocalIndex.build(tmp_path / "i.db", pages) as built:
        found = [result.url for result in built.search("rivers").results]
    assert found == ["http://b.example/river", "http://a.example/lake"]


def test_snippets_and_limits(index: LocalIndex) -> None:
    """A snippet is the part of the page that matches; no more results than wanted come."""
    results = index.search("capital", results=1).results
    assert len(results) == 1
    assert "capital" in results[0].snippet
    assert len(index) == len(PAGES)


@given(st.text(max_size=30))
def test_any_query_is_a_query(index: LocalIndex, query: str) -> None:
    """No text is an error or an operator of the engine."""
    outcome = index.search(query + ' AND "OR NEAR( title: * ^ -')
    assert outcome.status in ("found", "nothing")


HAN = st.text(st.sampled_from("天地玄黄宇宙洪荒日月盈昃辰宿列张"), min_size=1, max_size=12)


@given(st.lists(HAN, min_size=1, max_size=5), st.data())
def test_every_part_of_a_chinese_text_is_found(texts: list[str], data: st.DataObject) -> None:
    """Any stretch of characters, as a phrase, finds exactly the pages that hold it."""
    pages = [page(f"a.example/{place}", text) for place, text in enumerate(texts)]
    source = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, len(source) - 1))
    part = source[start : data.draw(st.integers(start + 1, len(source)))]
    query = f'"{part}"' if len(part) > 1 else part
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalIndex.build(Path(folder) / "i.db", pages) as built,
    ):
        found = {result.url for result in built.search(query).results}
    assert found == {p.url for p in pages if part in p.text}


def test_pages_come_back_whole(index: LocalIndex) -> None:
    """A page is found by any spelling of its address, and all pages in their order."""
    assert index.page("HTTP://A.example:80/fr#x") == PAGES[0]
    assert index.page("http://a.example/none") is None
    assert index.page("no address") is None
    assert tuple(index.pages()) == PAGES


def test_two_builds_of_the_same_pages_answer_alike(tmp_path: Path) -> None:
    """Results come in one order, whatever the order of building."""
    pages = [page(f"a.example/{n}", "same words here") for n in range(9)]
    orders = []
    for name, given_pages in (("a", pages), ("b", pages[::-1])):
        with LocalIndex.build(tmp_path / name, given_pages) as built:
            orders.append([result.url for result in built.search("words").results])
    assert orders[0] == orders[1]
    assert len(orders[0]) == 9


def test_a_build_that_fails_leaves_the_old_index(tmp_path: Path) -> None:
    """An error while pages are read leaves what was there, and no rest of it."""
    path = tmp_path / "pages.db"
    LocalIndex.build(path, PAGES[:1]).close()

    def broken() -> Iterator[Page]:
        yield PAGES[1]
        raise InputError("broken off")

    with pytest.raises(InputError, match="broken off"):
        LocalIndex.build(path, broken())
    with LocalIndex.open(path) as old:
        assert len(old) == 1
    assert [item.name for item in tmp_path.iterdir()] == ["pages.db"]


def test_nothing_else_is_overwritten(tmp_path: Path) -> None:
    """A file that is no index, a folder, a folder that is not there: each is told, none touched."""
    precious = tmp_path / "precious.txt"
    precious.write_text("my seeds")
    with pytest.raises(InputError, match="exists and is no index"):
        LocalIndex.build(precious, [page("https://a.example/", "words")])
    assert precious.read_text() == "my seeds"
    with pytest.raises(InputError, match="is a folder"):
        LocalIndex.build(tmp_path, [page("https://a.example/", "words")])
    with pytest.raises(InputError, match="there is no folder"):
        LocalIndex.build(tmp_path / "none" / "i.db", [page("https://a.example/", "words")])
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_an_index_of_nothing_is_a_mistake(tmp_path: Path) -> None:
    """Pages without a text are not found by anybody."""
    with pytest.raises(InputError, match="no page has any text"):
        LocalIndex.build(tmp_path / "i.db", [page("https://a.example/", "")])
    assert list(tmp_path.iterdir()) == []


def test_the_first_page_of_an_address_counts(tmp_path: Path) -> None:
    """Later pages with its address, and pages without text, are left out."""
    pages = [page("a.example/", "first"), page("a.example/", "second"), page("b.example/", "")]
    with LocalIndex.build(tmp_path / "i.db", pages) as built:
        assert len(built) == 1
        assert built.search("second").status == "nothing"


def test_what_is_no_index_is_said(tmp_path: Path) -> None:
    """A missing file, another file, another database and another version are told apart."""
    with pytest.raises(WebError, match="no such index"):
        LocalIndex.open(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("no database at all, but a long enough text" * 30)
    with pytest.raises(WebError, match="is not an index"):
        LocalIndex.open(tmp_path / "text.db")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE x (y)")
    other.close()
    with pytest.raises(WebError, match="not an index of pages"):
        LocalIndex.open(tmp_path / "other.db")
    LocalIndex.build(tmp_path / "new.db", PAGES).close()
    newer = sqlite3.connect(tmp_path / "new.db")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(WebError, match="version 99, expected 1"):
        LocalIndex.open(tmp_path / "new.db")


def test_pages_are_read_from_jsonl(tmp_path: Path) -> None:
    """Text or HTML, title and date; all bad lines are told at once, after the good ones."""
    lines = [
        {"url": "HTTP://a.example/x", "text": "Some\u200b text.", "title": "T"},
        {"url": "http://b.example/", "html": "<title>H</title><p>seen<p hidden>not"},
        {"url": "http://c.example/", "text": "法国的首都。", "published_at": "May 4, 2026"},
        {"url": "file:///etc/passwd", "text": "x"},
        {"text": "x"},
        {"url": "http://d.example/", "text": " \u200b "},
        {"url": "http://e.example/", "text": 7},
        ["no object"],
    ]
    path = tmp_path / "pages.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n{broken\n")
    found: list[Page] = []
    with pytest.raises(FormatError) as caught:
        found.extend(pages_of_jsonl(path))
    assert [(p.url, p.title, p.text) for p in found] == [
        ("http://a.example/x", "T", "Some text."),
        ("http://b.example/", "H", "seen"),
        ("http://c.example/", "", "法国的首都。"),
    ]
    assert (found[2].published_at, found[2].language) == ("2026-05-04", "zh")
    assert [problem.line for problem in caught.value.problems] == [4, 5, 6, 7, 8, 9]


def test_pages_are_read_from_a_folder(tmp_path: Path) -> None:
    """HTML in any encoding, text, Markdown and JSON; other files and links are left out."""
    (tmp_path / "zh").mkdir()
    (tmp_path / "index.html").write_text("<title>Top</title><p>Start")
    (tmp_path / "zh" / "巴 黎.htm").write_bytes("<meta charset=gbk><p>巴黎".encode("gbk"))
    (tmp_path / "note.md").write_text("# Note\nwords")
    (tmp_path / "data.json").write_text('{"a": 1}')
    (tmp_path / "empty.html").write_text("<script>x</script>")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / "link.txt").symlink_to("/etc/hostname")
    pages = list(pages_of_folder(tmp_path, base_url="http://corpus.example/base"))
    assert [(p.url, p.text.split("\n")[-1]) for p in pages] == [
        ("http://corpus.example/base/data.json", "}"),
        ("http://corpus.example/base/", "Start"),
        ("http://corpus.example/base/note.md", "words"),
        ("http://corpus.example/base/zh/%E5%B7%B4%20%E9%BB%8E.htm", "巴黎"),
    ]
    with pytest.raises(InputError, match="not a folder"):
        list(pages_of_folder(tmp_path / "none", base_url="http://a.example/"))
    with pytest.raises(InputError, match="base_url"):
        list(pages_of_folder(tmp_path, base_url="corpus"))
