"""Finds title, text, date and language of a page: trafilatura, or all blocks where it is less."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import lxml.etree
import lxml.html
import trafilatura

from synthesis.web.dates import iso_date
from synthesis.web.language import language_of
from synthesis.web.visible import clean_line, clean_text, drop_hidden

__all__ = ["Extracted", "extract_html", "extract_json", "extract_plain"]

_BLOCK_NAMES = """
address article aside blockquote body caption center dd details div dl dt figcaption figure footer
form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody
tfoot thead tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_SURROUNDINGS = frozenset(("title", "nav", "footer", "aside", "menu"))
_TITLE_ONLY = frozenset(("title",))
_HOLDING = _BLOCKS - {"tr", "caption"}
_WHITE = re.compile(r"\s+")
_URL_DATE = re.compile(r"/((?:19|20)\d\d)[/-]?([01]\d)[/-]?([0-3]\d)(?=[/._-]|$)")
_ILLEGAL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CELL = " | "
_SHORT = 3_000
_MANY = 15_000
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a page says.

    Attributes:
        title: Its title, one line.
        text: Its text.
        published_at: When it was published, ISO 8601, where it says so.
        language: Its language.
    """

    title: str
    text: str
    published_at: str | None
    language: str


def extract_html(html: str, url: str) -> Extracted:
    """Find what a page says.

    The main text is what trafilatura finds, with the rows of tables that it leaves out at the
    end; where that is less than half of all visible text, or the page is short, all visible text
    counts but menus, footers and asides, unless there is nothing else: lists and tables of short
    entries are what facts are often in. What is hidden is never text.

    Args:
        html: The page.
        url: Its address.

    >>> page = "<title>A</title><p>Bold <b>words</b>.<p hidden>no<table><tr><td>x<td>y</table>"
    >>> extract_html(page, "http://a.example/").text
    'Bold words.\\nx | y'
    """
    tree = _parse(html)
    if tree is None:
        return Extracted("", "", None, "und")
    declared = tree.get("lang") or tree.get("xml:lang") or ""
    title, published = _title(tree), _declared_date(tree, url)
    drop_hidden(tree)
    lines = list(_lines(tree, _SURROUNDINGS)) or list(_lines(tree, _TITLE_ONLY))
    text = plain = clean_text("\n".join(lines))
    if len(plain) > _SHORT and _elements(tree) <= _MANY:
        main = _main_text(tree, url)
        if len(main) >= _SHARE * len(plain):
            text = "\n".join([main, *_rows_not_in(main, lines)])
    return Extracted(title, text, published, language_of(text, declared))


def extract_plain(text: str) -> Extracted:
    """Find what a page of plain text says; its title is its first line."""
    text = clean_text(text)
    first = text.split("\n", 1)[0].strip("# ")
    return Extracted(first[:200], text, None, language_of(text))


def extract_json(text: str) -> Extracted:
    """Find what a JSON document says: its own text, with one entry a line where it can be read."""
    try:
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=0)
    except (ValueError, RecursionError):
        return extract_plain(text)
    text = clean_text(text)
    return Extracted("", text, None, language_of(text))


def _main_text(tree: lxml.html.HtmlElement, url: str) -> str:
    """Return what trafilatura takes for the main text: nothing where it fails on the page."""
    try:
        document = trafilatura.bare_extraction(
            tree,
            url=url,
            include_comments=False,
            include_tables=True,
            include_links=False,
            favor_recall=True,
            deduplicate=False,
        )
    except Exception:  # it is not made for every tree, and all visible text is known without it
        return ""
    return "" if document is None else clean_text(getattr(document, "text", None) or "")


def _parse(html: str) -> lxml.html.HtmlElement | None:
    html = re.sub(r"^\s*<\?xml[^>]*>", "", html.replace("\x00", ""))
    if not html.strip():
        return None
    parser = lxml.html.HTMLParser(
        encoding="utf-8", huge_tree=False, remove_pis=True, remove_comments=True
    )
    try:
        tree = lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (lxml.etree.ParserError, lxml.etree.XMLSyntaxError):
        return None
    for node in tree.iter():  # the parser lets ``&#1;`` through, yet no text may be set with it
        if node.text and _ILLEGAL.search(node.text):
            node.text = _legal(node.text)
        if node.tail and _ILLEGAL.search(node.tail):
            node.tail = _legal(node.tail)
    return tree


def _legal(text: str) -> str:
    """Return text without the characters that XML cannot hold; a new page is a new line."""
    return _ILLEGAL.sub("", text.replace("\x0c", "\n"))


def _title(tree: lxml.html.HtmlElement) -> str:
    """Return the title of a page: of its head, else for sharing, else its first heading."""
    found = [clean_line(node.text_content()) for node in tree.iter("title")]
    found += [
        clean_line(node.get("content", ""))
        for node in tree.iter("meta")
        if node.get("property") == "og:title"
    ]
    found += [clean_line(node.text_content()) for node in tree.iter("h1")]
    return next((title for title in found if title), "")[:500]


_DATE_NAMES = (
    "article:published_time",
    "og:published_time",
    "datepublished",
    "date",
    "pubdate",
    "publishdate",
    "publish-date",
    "dc.date.issued",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "parsely-pub-date",
    "citation_publication_date",
)


def _declared_date(tree: lxml.html.HtmlElement, url: str) -> str | None:
    """Return the date that a page or its address declares, never one from inside its text."""
    named: dict[str, str] = {}
    for node in tree.iter("meta"):
        name = node.get("property") or node.get("name") or node.get("itemprop") or ""
        named.setdefault(name.strip().lower(), node.get("content", ""))
    found = [named[name] for name in _DATE_NAMES if name in named]
    for node in tree.iter("script"):
        if node.get("type", "").strip().lower() == "application/ld+json":
            match = re.search(r'"datePublished"\s*:\s*"([^"]{4,40})"', node.text_content())
            found += [match[1]] if match else []
    times = list(tree.iter("time"))
    for node in times:
        marked = node.get("pubdate") is not None or node.get("itemprop") == "datePublished"
        if marked or len(times) == 1:
            found.append(node.get("datetime") or node.text_content())
    found += ["-".join(match) for match in _URL_DATE.findall(url)[:1]]
    return next((date for text in found if (date := iso_date(text))), None)


def _lines(tree: lxml.html.HtmlElement, without: frozenset[str]) -> Iterator[str]:
    """Yield the lines of a page that are not blank."""
    return filter(str.strip, _blocks(tree, without))


def _blocks(tree: lxml.html.HtmlElement, without: frozenset[str]) -> Iterator[str]:
    """Yield the visible text of a page, a block a line; a row of a table is one line."""
    parts: list[str] = []
    stack: list[tuple[lxml.html.HtmlElement, bool]] = [(tree, False)]
    while stack:
        node, closing = stack.pop()
        if not isinstance(node.tag, str):
            parts.append(_inline(node.tail))
            continue
        block = node.tag in _BLOCKS
        if block and parts:
            yield "".join(parts)
            parts.clear()
        if not closing and node.tag not in without:
            if node.tag == "tr" and not any(part.tag in _HOLDING for part in node.iter()):
                yield _CELL.join(filter(None, (_flat(cell) for cell in node)))
            else:
                if node.tag == "br":
                    parts.append("\n")
                parts.append((node.text or "") if node.tag == "pre" else _inline(node.text))
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node))
                continue
        parts.append(_inline(node.tail))
    yield "".join(parts)


def _elements(tree: lxml.html.HtmlElement) -> int:
    return sum(1 for _ in tree.iter())


def _rows_not_in(text: str, lines: list[str]) -> list[str]:
    """Return the rows of tables of which not every cell is in a text."""
    rows = (clean_line(line) for line in lines if _CELL in line)
    return [row for row in rows if not all(cell in text for cell in row.split(_CELL))]


def _flat(cell: lxml.html.HtmlElement) -> str:
    for node in cell.iter("br"):
        node.tail = " " + (node.tail or "")
    return clean_line(cell.text_content())


def _inline(text: str | None) -> str:
    return _WHITE.sub(" ", text) if text else ""
