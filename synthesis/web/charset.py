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
# The labels of the Encoding Standard of the WHATWG, https://encoding.spec.whatwg.org/#names-and-labels,
# by the codec that reads them: of several tables of a family the larger one.
_LABELS_OF = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16-be": "unicodefffe utf-16be",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-ir-101 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-ir-109 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-ir-110 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso_8859-7:1987 "
    "sun_eu_greek",
    "iso8859-8": "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i "
    "iso-ir-138 iso_8859-8:1988 logical visual",
    "iso8859-10": "csisolatin6 iso-ir-157 l6 latin6",
    "iso8859-13": "",
    "iso8859-14": "",
    "iso8859-15": "csisolatin9 l9",
    "iso8859-16": "",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
    "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
    "iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 "
    "x-gbk",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc_jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022_jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
    "ksc5601 ksc_5601 windows-949",
}
_CODECS = {label: codec for codec, labels in _LABELS_OF.items() for label in labels.split()}
for _part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16):
    for _label in ("iso-8859-{}", "iso8859-{}", "iso8859{}", "iso_8859-{}"):
        _CODECS[_label.format(_part)] = f"iso8859-{_part}"
_WIDER = {  # of what is detected: the larger table of the same family
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_NEVER = frozenset(("utf-7", "hz"))  # which hide text from whoever looks at the bytes
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:+-]+)", re.IGNORECASE)
_HEAD = 4_096
_SAMPLE = 200_000
_BAD_SHARE = 0.01


def decode_page(data: bytes, content_type: str = "") -> str:
    """Return the text of a page.

    A byte order mark decides; then the header, then what the page says of itself, then UTF-8 if
    the bytes are that, then detection. A declaration that does not fit the bytes is passed over,
    and so is one that is no label of the Encoding Standard: a page does not choose any codec of
    Python, some of which take time with the square of the length.

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
        codec = _CODECS.get(name.strip().lower())
        if codec is None:
            continue
        text = data.decode(codec, "replace")
        if text.count("\ufffd") <= len(text) * _BAD_SHARE:
            return text
        doubtful = doubtful or text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass_on = charset_normalizer.from_bytes(data[:_SAMPLE]).best()
    found = _as_detected(data, pass_on.encoding) if pass_on is not None else None
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


def _as_detected(data: bytes, name: str) -> str | None:
    """Return text by the name of a codec that was detected, or None if it is none of pages."""
    try:
        known = codecs.lookup(name).name
        return None if known in _NEVER else data.decode(_WIDER.get(known, known), "replace")
    except (LookupError, ValueError):
        return None
