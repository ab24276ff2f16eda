"""Turns the bytes of a page into text: byte order mark, header, what the page says, detection."""

from __future__ import annotations

import codecs
import re

import charset_normalizer

__all__ = ["decode_page"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDER = {  # what a name means on the web: the larger table of the same family
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ks_c_5601-1987": "cp949",
}
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:+-]+)", re.IGNORECASE)
_HEAD = 4_096
_SAMPLE = 200_000
_BAD_SHARE = 0.01


def decode_page(data: bytes, content_type: str = "") -> str:
    """Return the text of a page.

    A byte order mark decides; then the header, then what the page says of itself, then UTF-8 if
    the bytes are that, then detection. A declaration that does not fit the bytes is passed over.

    Args:
        data: The body.
        content_type: The header ``Content-Type``.

    >>> decode_page("法国".encode("gbk"), "text/html; charset=gb2312")
    '法国'
    >>> decode_page('<meta charset="big5">巴黎'.encode("big5"))[-2:]
    '巴黎'
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name, "replace").removeprefix("\ufeff")
    doubtful = ""
    for name in _declared(data, content_type):
        text = _decode(data, name)
        if text is None:
            continue
        if text.count("\ufffd") <= len(text) * _BAD_SHARE:
            return text
        doubtful = doubtful or text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass_on = charset_normalizer.from_bytes(data[:_SAMPLE]).best()
    found = _decode(data, pass_on.encoding) if pass_on is not None else None
    return found or doubtful or data.decode("cp1252", "replace")


def _declared(data: bytes, content_type: str) -> list[str]:
    """Return the encodings that a page is said to have, the most trusted first."""
    names = [match[1] for match in (_HEADER.search(content_type),) if match]
    head = data[:_HEAD]
    for pattern in (_XML, _META):
        match = pattern.search(head)
        if match:
            name = match[1].decode("ascii", "replace")
            # A declaration that could be read as ASCII is not in UTF-16, whatever it says.
            names.append("utf-8" if name.lower().startswith(("utf-16", "utf-32")) else name)
    return names


def _decode(data: bytes, name: str) -> str | None:
    """Return text by the name of an encoding, or None if there is no such encoding of text."""
    try:
        known = codecs.lookup(name).name
        return data.decode(_WIDER.get(known, known), "replace")
    except (LookupError, ValueError):
        return None
