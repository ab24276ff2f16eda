"""Finds what may expose a person, by patterns: addresses, numbers of telephones and documents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["STRONG", "PrivateMatch", "find_private"]

STRONG = frozenset({"e-mail", "phone", "national id", "bank account", "payment card"})
"""Kinds that need no second opinion. A street address may be that of an institution."""


@dataclass(frozen=True, slots=True)
class PrivateMatch:
    """A place in a text that looks like private data; the data itself is not repeated.

    Attributes:
        kind: ``e-mail``, ``phone``, ``national id``, ``bank account``, ``payment card`` or
            ``street address``.
        field: The text that it stands in, for instance ``question``.
        start: Where it begins, in characters.
        end: Where it ends.
        shown: Its first two characters, the rest masked.
    """

    kind: str
    field: str
    start: int
    end: int
    shown: str

    def to_record(self) -> dict[str, str | int]:
        """Return the match as plain data."""
        return {
            "kind": self.kind,
            "field": self.field,
            "start": self.start,
            "end": self.end,
            "shown": self.shown,
        }


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdecimal())


def _resident_id(text: str) -> bool:
    """Whether 18 signs are a Chinese resident id: a date, and the checksum of GB 11643."""
    year, month, day = int(text[6:10]), int(text[10:12]), int(text[12:14])
    if not (1900 <= year <= 2099 and 1 <= month <= 12 and 1 <= day <= 31):
        return False
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(weight * int(sign) for weight, sign in zip(weights, text, strict=False))
    return "10X98765432"[total % 11] == text[17].upper()


def _social_security(text: str) -> bool:
    area, group, serial = text.replace(" ", "-").split("-")
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _iban(text: str) -> bool:
    plain = re.sub(r"\s", "", text).upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _card(text: str) -> bool:
    """Whether digits are a card number: 13 to 19 of them, their Luhn sum a multiple of ten."""
    digits = [int(sign) for sign in _digits(text)]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (doubled + sum(digits[-1::-2])) % 10 == 0


def _phone(text: str) -> bool:
    return 8 <= len(_digits(text)) <= 15


def _always(text: str) -> bool:
    return True


_STREET = (
    r"Street|St\.|Avenue|Ave\.?|Road|Rd\.?|Lane|Boulevard|Blvd\.?|Drive|Court|Terrace|Crescent|"
    r"Close|Place|Square|Way"
)
_PATTERNS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("e-mail", r"[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})*\.[^\W\d_]{2,}", _always),
    (
        "e-mail",
        r"[\w.+-]{1,64}\s{0,3}[\[(]\s*at\s*[\])]\s*[\w-]+(?:\s*(?:\.|[\[(]\s*dot\s*[\])])\s*[\w-]+)+",
        _always,
    ),
    ("national id", r"(?<![\w.])\d{17}[\dXx](?!\w)", _resident_id),
    ("national id", r"(?<![\w-])\d{3}[- ]\d{2}[- ]\d{4}(?![\w-])", _social_security),
    (
        "national id",
        r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)",
        _always,
    ),
    (
        "national id",
        r"(?i:passport|identity card|\bID card|social security|\u62a4\u7167|\u8eab\u4efd\u8bc1)"
        r"(?i:\s*+(?:number|no\.?|nr\.?|#|\u53f7\u7801|\u53f7))?+\s*+(?:is|[:#\u4e3a\u662f])?+\s*+"
        r"[A-Z]{0,2}\d{6,}",
        _always,
    ),
    (
        "bank account",
        r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)",
        _iban,
    ),
    ("payment card", r"(?<![\d.-])[3-6]\d{3}(?:[ -]?\d{3,6}){2,4}(?![\d-]|\.\d)", _card),
    ("phone", r"(?<![\w+])\+\d{1,3}(?:[\s().-]*\d){6,13}(?!\d)", _phone),
    ("phone", r"(?<![\w.-])\(?[2-9]\d{2}\)?[ .-]\d{3}[.-]\d{4}(?![\w-])", _always),
    ("phone", r"(?<![\d.A-Za-z])1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\d.])", _always),
    ("phone", r"(?<![\d.-])0\d{2,3}-\d{7,8}(?![\d-])", _always),
    (
        "phone",
        r"(?i:\b(?:tel|phone|telephone|mobile)\b\.?|\u7535\u8bdd|\u624b\u673a)"
        r"(?i:\s*+(?:number|no\.?|\u53f7\u7801|\u53f7))?+\s*+(?:is|at|[:\u4e3a\u662f])?+\s*+"
        r"\(?\+?\d(?:[\s().-]*\d){6,13}",
        _phone,
    ),
    (
        "street address",
        rf"(?<![\w.,])\d{{1,5}}[A-Za-z]?(?:\s+[A-Z][\w'.-]*){{1,4}}\s+(?:{_STREET})(?!\w)",
        _always,
    ),
    (
        "street address",
        r"(?<!\w)[A-Z\u00c4\u00d6\u00dc][\w\u00e4\u00f6\u00fc\u00df-]*"
        r"(?:stra\u00dfe|strasse|gasse|allee)\s+\d{1,4}[a-z]?(?!\w)",
        _always,
    ),
    (
        "street address",
        r"[\u4e00-\u9fff]{1,8}(?:\u8def|\u8857|\u5927\u9053|\u80e1\u540c|\u5df7|\u5f04)"
        r"(?:[\u4e00-\u9fff]{0,4})\s*\d{1,5}\s*(?:\u53f7|\u5f04|\u680b)",
        _always,
    ),
)
_COMPILED = tuple((kind, re.compile(pattern), holds) for kind, pattern, holds in _PATTERNS)


def find_private(texts: Mapping[str, str]) -> tuple[PrivateMatch, ...]:
    """Return every place in some texts that looks like private data, in order.

    Full-width letters and digits count as their plain forms. Numbers of documents, accounts and
    cards count only if their checksums hold.

    Args:
        texts: Texts by the name of their field.

    >>> [(m.kind, m.shown) for m in find_private({"answer": "write to jo@example.org"})]
    [('e-mail', 'jo\\u2026')]
    >>> find_private({"question": "Who won 8,848 votes in 1998-2004?"})
    ()
    """
    found: list[PrivateMatch] = []
    for field, text in texts.items():
        plain = _narrow(text)
        taken: list[tuple[int, int]] = []
        for kind, start, end in _hits(plain):
            if all(end <= first or start >= last for first, last in taken):
                taken.append((start, end))
                shown = text[start : start + 2] + "\u2026"
                found.append(PrivateMatch(kind, field, start, end, shown))
    return tuple(sorted(found, key=lambda match: (match.field, match.start)))


def _hits(plain: str) -> Iterator[tuple[str, int, int]]:
    for kind, pattern, holds in _COMPILED:
        for match in pattern.finditer(plain):
            if holds(match.group()):
                yield kind, match.start(), match.end()


def _narrow(text: str) -> str:
    """Return a text of the same length with full-width signs as their plain forms."""
    if text.isascii():
        return text
    signs = []
    for sign in text:
        plain = unicodedata.normalize("NFKC", sign) if "\uff01" <= sign <= "\uff5e" else sign
        signs.append(plain if len(plain) == 1 else sign)
    return "".join(signs)
