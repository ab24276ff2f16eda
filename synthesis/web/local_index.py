"""A full-text index of pages on disk, for offline corpora in English and Chinese: SQLite FTS5."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from graphkit.errors import InputError, OperationError, Problem
from synthesis.web.errors import WebError
from synthesis.web.passages import nearest
from synthesis.web.replies import Page, SearchOutcome, SearchResult
from synthesis.web.tokens import words_of
from synthesis.web.urls import UrlRefused, canonical_url

__all__ = ["LocalIndex"]

_APPLICATION = 0x67_6B_77_69  # "gkwi"
_VERSION = 1
_OTHER_VERSION = "index_version"
_SNIPPET = 300
_TITLE_WEIGHT = 4.0
_QUOTED = re.compile(r'"([^"]{1,200})"|“([^”]{1,200})”')
_MOST_TERMS = 64
_STOP_WORDS = """
a an and are as at be by do does did for from has have how in is it its of on or that the this to
was were what when where which who whose with
"""
_STOP = frozenset(_STOP_WORDS.split())
_SCHEMA = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, record TEXT NOT NULL, text TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
    title, body, content='', tokenize="porter unicode61 remove_diacritics 2"
);
"""


class LocalIndex:
    """An index of pages that is searched without a network.

    English is found by the stems of its words, Chinese by pairs of characters, so that a word of
    two characters is found, and one of a single character too.

    Use :meth:`build` to make one, :meth:`open` to use it, as a context manager or with
    :meth:`close`. It may be used from several threads.

    >>> import tempfile
    >>> page = Page(status="ok", url="http://a.example/", final_url="http://a.example/",
    ...             title="法国", text="法国的首都是巴黎。", fetched_at="2026-01-01")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with LocalIndex.build(Path(folder) / "pages.db", [page]) as index:
    ...         index.search("首都").results[0].url
    'http://a.example/'
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self.path = path

    @classmethod
    def build(cls, path: str | os.PathLike[str], pages: Iterable[Page]) -> LocalIndex:
        """Make an index, atomically: an older one at that place stays until all is written.

        Args:
            path: The file.
            pages: The pages, see :func:`synthesis.web.corpus.pages_of_jsonl`,
                :func:`synthesis.web.corpus.pages_of_folder` or pages that were visited. Of
                several with one address the first counts; pages without text do not.

        Raises:
            InputError: Something else is at that place, or there is no such folder, or no page has
                any text.
            OperationError: It cannot be written.
            GraphkitError: What ``pages`` raises.
        """
        place = Path(path)
        _expect_place(cls, place)
        count = 0
        temporary = place.with_name(f".{place.name}.{os.getpid()}.part")
        temporary.unlink(missing_ok=True)
        try:
            with contextlib.closing(sqlite3.connect(temporary)) as connection:
                connection.execute("PRAGMA journal_mode = OFF")
                connection.execute("PRAGMA synchronous = OFF")  # the whole file is synced below
                connection.execute("PRAGMA cache_size = -100000")
                connection.executescript(_SCHEMA)
                for page in pages:
                    if page.text:
                        count += 1
                        _add(connection, page)
                connection.execute("INSERT INTO words(words) VALUES ('optimize')")
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
                connection.commit()
            if not count:
                raise InputError(
                    Problem("would hold nothing: no page has any text", "empty", str(place))
                )
            with open(temporary, "rb") as written:
                os.fsync(written.fileno())
            os.replace(temporary, place)
        except (sqlite3.Error, OSError) as error:
            raise OperationError(
                Problem(f"the index cannot be written: {error}", "unwritable", str(place))
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
        return cls.open(place)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> LocalIndex:
        """Open an index for searching.

        Raises:
            WebError: There is none, or it is something else, or of another version.
        """
        place = Path(path)
        if not place.is_file():
            raise WebError(Problem("there is no such index", code="missing", file=str(place)))
        try:
            connection = sqlite3.connect(
                f"{place.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise WebError(Problem(f"cannot be opened: {error}", "index", str(place))) from error
        try:
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            connection.close()
            raise WebError(Problem(f"is not an index: {error}", "index", str(place))) from error
        if (application, version) != (_APPLICATION, _VERSION):
            connection.close()
            if application != _APPLICATION:
                raise WebError(Problem("is not an index of pages", "index", str(place)))
            raise WebError(
                Problem(
                    f"is an index of version {version}, expected {_VERSION}; build it again",
                    _OTHER_VERSION,
                    str(place),
                )
            )
        return cls(connection, place)

    def __enter__(self) -> LocalIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        with self._lock:
            return int(self._connection.execute("SELECT count(*) FROM pages").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def search(self, query: str, *, results: int = 10) -> SearchOutcome:
        """Find pages, those with most and rarest words of the query first.

        Words in quotation marks must follow one another; pages without them are not found. Of the
        other words one is enough.

        Args:
            query: What is sought, in any language.
            results: The most results.

        Raises:
            WebError: The index is damaged.
        """
        match = _match_of(query)
        rows: list[tuple[str, str]] = []
        if match:
            rows = self._read(
                "SELECT pages.record, pages.text FROM words JOIN pages ON pages.id = words.rowid "
                f"WHERE words MATCH ? ORDER BY bm25(words, {_TITLE_WEIGHT}, 1.0), pages.url "
                "LIMIT ?",
                (match, results),
            )
        if not rows:
            return SearchOutcome(
                status="nothing", provider="local", query=query, reason="nothing found"
            )
        found = [(Page.model_validate_json(record), text) for record, text in rows]
        return SearchOutcome(
            status="found",
            provider="local",
            query=query,
            results=tuple(
                SearchResult(
                    url=page.url,
                    title=page.title,
                    snippet=" ".join(nearest(text, query, max_chars=_SNIPPET).split()),
                    published_at=page.published_at,
                )
                for page, text in found
            ),
        )

    def page(self, url: str) -> Page | None:
        """Return the page at an address, or None.

        Raises:
            WebError: The index is damaged.
        """
        try:
            place = canonical_url(url)
        except UrlRefused:
            return None
        rows = self._read("SELECT record, text FROM pages WHERE url = ?", (place,))
        return _page(rows[0]) if rows else None

    def pages(self) -> Iterator[Page]:
        """Yield all pages, in the order in which they were put in."""
        for url, _ in self._read("SELECT url, id FROM pages ORDER BY id", ()):
            yield _page(self._read("SELECT record, text FROM pages WHERE url = ?", (url,))[0])

    def _read(self, statement: str, values: tuple[object, ...]) -> list[tuple[str, str]]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise WebError(
                Problem(f"the index cannot be read: {error}", "index", str(self.path))
            ) from error


def _add(connection: sqlite3.Connection, page: Page) -> None:
    record = page.model_copy(update={"text": ""}).model_dump_json()
    added = connection.execute(
        "INSERT OR IGNORE INTO pages (url, record, text) VALUES (?, ?, ?)",
        (page.url, record, page.text),
    )
    if added.rowcount == 1:
        connection.execute(
            "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)",
            (added.lastrowid, _spaced(page.title), _spaced(page.text)),
        )


def _page(row: tuple[str, str]) -> Page:
    return Page.model_validate_json(row[0]).model_copy(update={"text": row[1]})


def _spaced(text: str) -> str:
    """Return text for the index: pairs of characters for scripts that have no spaces."""
    return " ".join(" ".join(_pairs(run)) if unspaced else run for run, unspaced in words_of(text))


def _pairs(run: str) -> list[str]:
    """Return the pairs of a run, and its last character, so that each begins a word."""
    return [run[place : place + 2] for place in range(len(run))]


def _match_of(query: str) -> str:
    """Return a query in the words of FTS5; nothing of it is an operator."""
    wanted = [first or second for first, second in _QUOTED.findall(query)]
    phrases = [phrase for text in wanted if (phrase := _phrase(text))]
    words: dict[str, None] = {}
    for run, unspaced in words_of(_QUOTED.sub(" ", query)):
        if not unspaced:
            words[f'"{run}"'] = None
        elif len(run) == 1:
            words[f'"{run}"*'] = None
        else:
            words.update((f'"{pair}"', None) for pair in _pairs(run)[:-1])
    telling = [word for word in words if word.strip('"') not in _STOP] or list(words)
    rest = " OR ".join(telling[:_MOST_TERMS])
    if not phrases:
        return rest
    must = " AND ".join(phrases)
    return f"({must}) AND ({rest})" if rest and len(telling) < 3 else must


def _phrase(text: str) -> str:
    parts: list[str] = []
    for run, unspaced in words_of(text):
        if unspaced and len(run) > 1:
            parts += _pairs(run)[:-1]
        else:
            parts.append(run)
    return '"' + " ".join(parts) + '"' if parts else ""


def _expect_place(kind: type[LocalIndex], place: Path) -> None:
    """Refuse to write an index over something else, or where nothing can be written."""
    why = None
    if place.is_dir():
        why = "is a folder, expected a file to write"
    elif not place.parent.is_dir():
        why = f"there is no folder {place.parent}"
    elif place.exists():
        try:
            kind.open(place).close()
        except WebError as error:
            if error.problems[0].code != _OTHER_VERSION:
                why = "exists and is no index, expected a new file or an index to replace"
    if why is not None:
        raise InputError(Problem(why, code="place", file=str(place)))
