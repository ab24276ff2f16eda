"""Reads the pages of an offline corpus: JSONL, or a folder of HTML and text files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from graphkit.errors import FormatError, InputError, Problem
from graphkit.formats import strict_json
from graphkit.formats.lines import open_source
from synthesis.web.charset import decode_page
from synthesis.web.dates import iso_date, utc_now
from synthesis.web.domains import root_domain
from synthesis.web.extract import Extracted, extract_html, extract_json, extract_plain
from synthesis.web.language import language_of
from synthesis.web.replies import Page
from synthesis.web.snapshots import text_hash
from synthesis.web.urls import UrlRefused, canonical_url
from synthesis.web.visible import clean_line, clean_text

__all__ = ["pages_of_folder", "pages_of_jsonl"]

_READERS = {
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".txt": "plain",
    ".md": "plain",
    ".json": "json",
}
_LONGEST = 20_000_000


def pages_of_jsonl(path: str | os.PathLike[str]) -> Iterator[Page]:
    """Yield the pages of a JSONL file, one object a line.

    Each has ``url`` and ``text`` or ``html``; ``title``, ``published_at`` and ``language`` where
    they are known. The file may be compressed with gzip.

    Args:
        path: The file, or ``-`` for standard input.

    Raises:
        FormatError: The file cannot be read, or a line is not such a page: all of its problems.
    """
    source = open_source(path)
    problems: list[Problem] = []
    for line in source.lines():
        if isinstance(line, Problem):
            problems.append(line)
            continue
        if not line.text.strip():
            continue
        try:
            page = _of_record(strict_json.parse(line.text, source.name, line.number))
        except FormatError as error:
            problems += error.problems
        except ValueError as error:
            problems.append(Problem(str(error), "page", source.name, line.number))
        except Exception as error:  # whatever a page does to its reader, its line is named
            problems.append(Problem(_failure(error), "page", source.name, line.number))
        else:
            yield page
    if problems:
        raise FormatError(problems)


def pages_of_folder(folder: str | os.PathLike[str], *, base_url: str) -> Iterator[Page]:
    """Yield the pages of a folder: its HTML, text, Markdown and JSON files, in order of names.

    Args:
        folder: The folder; folders in it count too.
        base_url: What stands before the path of a file in its address, for instance
            ``https://corpus.example/``; ``index.html`` is the address of its folder.

    Raises:
        InputError: There is no such folder, or ``base_url`` is no address.
        FormatError: Files cannot be read, are too long or have no address: all problems.
    """
    top = Path(folder)
    if not top.is_dir():
        raise InputError(Problem("is not a folder", code="folder", file=str(top)))
    try:
        base = canonical_url(base_url)
    except UrlRefused as error:
        raise InputError(Problem(f"base_url {base_url!r}: {error}", code="base_url")) from None
    problems: list[Problem] = []
    for path in sorted(top.rglob("*")):
        reader = _READERS.get(path.suffix.lower())
        if reader is None or not path.is_file() or path.is_symlink():
            continue
        place = path.relative_to(top).as_posix()
        place = place.removesuffix("index.html") if path.name == "index.html" else place
        try:
            url = canonical_url(f"{base.rstrip('/')}/{quote(os.fsencode(place))}")
            found = _of_file(path, reader, url)
        except UrlRefused as error:
            problems.append(Problem(f"has no address: {error}", "address", _shown(path)))
        except OSError as error:
            what = f"cannot be read: {error.strerror or error}"
            problems.append(Problem(what, "unreadable", _shown(path)))
        except _TooLong as error:
            problems.append(Problem(str(error), "too_long", _shown(path)))
        except Exception as error:  # whatever a page does to its reader, its file is named
            problems.append(Problem(_failure(error), "page", _shown(path)))
        else:
            if found.text:
                yield page_of(url, found)
    if problems:
        raise FormatError(problems)


class _TooLong(Exception):
    """A file that is longer than any page; the message says so."""


def _of_file(path: Path, reader: str, url: str) -> Extracted:
    if path.stat().st_size > _LONGEST:
        raise _TooLong(f"longer than {_LONGEST:,} bytes")
    text = decode_page(path.read_bytes())
    if reader == "html":
        return extract_html(text, url)
    return extract_json(text) if reader == "json" else extract_plain(text)


def _shown(path: Path) -> str:
    """Return a path that can be written, also where a name is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _failure(error: Exception) -> str:
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return f"the page cannot be read: {what}"


def page_of(url: str, found: Extracted) -> Page:
    """Return the page of a corpus at an address that says something."""
    return Page(
        status="ok",
        url=url,
        final_url=url,
        title=found.title,
        text=found.text,
        published_at=found.published_at,
        fetched_at=utc_now(),
        sha256=text_hash(found.text),
        root_domain=root_domain(url),
        language=found.language,
    )


def _of_record(record: Any) -> Page:
    if not isinstance(record, dict):
        raise ValueError(f"{type(record).__name__}, expected an object with url and text")
    for key in ("url", "text", "html", "title", "published_at", "language"):
        if not isinstance(record.get(key, ""), (str, type(None))):
            raise ValueError(f"{key} is no text")
    url = record.get("url")
    if not url:
        raise ValueError("url is missing")
    try:
        place = canonical_url(url)
    except UrlRefused as error:
        raise ValueError(f"url {url!r}: {error}") from None
    if record.get("html"):
        found = extract_html(record["html"], place)
    else:
        text = clean_text(record.get("text") or "")
        found = Extracted("", text, None, record.get("language") or language_of(text))
    if not found.text:
        raise ValueError("neither text nor html says anything")
    published = iso_date(record.get("published_at")) or found.published_at
    title = clean_line(record.get("title") or "") or found.title
    return page_of(place, Extracted(title, found.text, published, found.language))
