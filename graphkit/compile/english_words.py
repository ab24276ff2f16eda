"""Single words of English: articles, plurals, quoted names, dates and quantities."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from graphkit.evidence import nfc

__all__ = [
    "PLAIN_NAME",
    "QUOTED",
    "article",
    "is_writable",
    "literal_name",
    "literal_text",
    "plural",
    "quote",
    "series",
    "unquote",
    "written_units",
]

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
"""A name in quotes, with the escapes of JSON."""

_PARTICLE = r"(?:of|the|de|del|della|di|da|do|dos|du|la|le|el|al|van|von|der|den|y|e)"
_CAPITAL = r"(?=[^\W_])(?![a-z\u00df-\u00f6\u00f8-\u00ff])\w(?:[\w'\u2019.\-]*\w)?"
PLAIN_NAME = re.compile(rf"{_CAPITAL}(?:(?: {_PARTICLE})* {_CAPITAL})*")
"""A name that can be read without knowing it: capitalised words and what stands between them."""

_VOWEL_SOUND = re.compile(
    r"(?:[aeio]|u(?!ni(?:[tvfc]|on|que)|s[ei]|t[io])|hour|honou?r|heir|honest)"
)
_CONSONANT_SOUND = re.compile(r"(?:eu|ewe|one\b|once\b)")
_LETTER_BY_LETTER = re.compile(r"[AEFHILMNORSX](?:[A-Z]|\b)")
_IRREGULAR = {"person": "people", "foot": "feet", "child": "children", "man": "men"}

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DATE = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")
_WRITTEN_DATE = re.compile(rf"(?:(\d{{1,2}}) )?({'|'.join(_MONTHS)}) (\d{{4}})")
_QUANTITY = re.compile(r"(-?\d+(?:\.\d+)?) (\S.*)")
_WRITTEN_QUANTITY = re.compile(r"(-?\d{1,3}(?:,\d{3})*(?:\.\d+)?) ")


def article(word: str) -> str:
    """Return ``a`` or ``an`` by the sound of what follows.

    >>> [article(word) for word in ("country", "island", "union", "hour", "euro", "FM station")]
    ['a', 'an', 'a', 'an', 'a', 'an']
    """
    if _LETTER_BY_LETTER.match(word) and word[:2].isupper():
        return "an"
    low = word.lower()
    return "an" if _VOWEL_SOUND.match(low) and not _CONSONANT_SOUND.match(low) else "a"


def plural(noun: str) -> str:
    """Return the plural of a noun; of a compound, that of the word before its preposition.

    >>> plural("city"), plural("body of water"), plural("person"), plural("bush"), plural("day")
    ('cities', 'bodies of water', 'people', 'bushes', 'days')
    """
    head, space, rest = re.match(r"(.*?)((?: (?:of|to|for|in|from)\b)|$)(.*)", noun, re.S).groups()  # type: ignore[union-attr]
    before, gap, last = head.rpartition(" ")
    if last.lower() in _IRREGULAR:
        last = _IRREGULAR[last.lower()]
    elif re.search(r"[^aeiou]y$", last):
        last = last[:-1] + "ies"
    elif re.search(r"(?:s|x|z|ch|sh)$", last):
        last += "es"
    else:
        last += "s"
    return f"{before}{gap}{last}{space}{rest}"


def quote(name: str) -> str:
    """Return a name in quotes; quotes, backslashes and control characters are escaped."""
    return json.dumps(name, ensure_ascii=False)


def unquote(text: str) -> str | None:
    """Return the name inside quotes, or None when an escape is not one of JSON."""
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return None


def is_writable(name: str) -> bool:
    """Whether a name can stand in a sentence without quotes at all."""
    return (
        bool(name)
        and name == " ".join(name.split())
        and name == nfc(name)
        and name.isprintable()
        and '"' not in name
        and "\\" not in name
    )


def series(parts: list[str], word: str, *, comma: bool = False) -> str:
    """Join parts with commas and a last conjunction.

    Args:
        parts: What to join.
        word: ``and``, ``or``.
        comma: Whether a comma stands before the conjunction of two parts as well.

    >>> series(["a", "b"], "or"), series(["a", "b", "c"], "and")
    ('a or b', 'a, b, and c')
    """
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return f"{parts[0]}{',' if comma else ''} {word} {parts[1]}"
    return f"{', '.join(parts[:-1])}, {word} {parts[-1]}"


def literal_text(name: str, units: Mapping[str, str]) -> str | None:
    """Return how a date or a quantity is written in a sentence; None for any other name.

    Args:
        name: The literal as facts have it: ``1965-08-09``, ``7741220 square kilometre``.
        units: Written unit -> unit, both ``metres`` and ``metre`` -> ``metre``.

    >>> literal_text("1965-08-09", {}), literal_text("7741220 metre", written_units(["metre"]))
    ('9 August 1965', '7,741,220 metres')
    """
    date = _DATE.fullmatch(name)
    if date and 1 <= int(date[2]) <= 12:
        day = f"{int(date[3])} " if date[3] else ""
        text = f"{day}{_MONTHS[int(date[2]) - 1]} {date[1]}"
    else:
        quantity = _QUANTITY.fullmatch(name)
        if quantity is None or quantity[2] not in units:
            return None
        whole, dot, decimals = quantity[1].partition(".")
        unit = quantity[2] if quantity[1] == "1" else plural(quantity[2])
        text = f"{int(whole):,}{dot}{decimals} {unit}"
    return text if literal_name(text, 0, units) == (len(text), name) else None


def written_units(units: Iterable[str]) -> dict[str, str]:
    """Return the written forms of units, one and many, each with its unit."""
    kept = sorted(units)
    return {plural(unit): unit for unit in kept} | {unit: unit for unit in kept}


def literal_name(text: str, start: int, units: Mapping[str, str]) -> tuple[int, str] | None:
    """Read a date or a quantity; return (end, name as facts have it), or None.

    Args:
        text: The sentence.
        start: Where to read.
        units: Written unit -> unit, for instance ``metres`` -> ``metre``.
    """
    date = _WRITTEN_DATE.match(text, start)
    if date:
        day = f"-{int(date[1]):02d}" if date[1] else ""
        return date.end(), f"{date[3]}-{_MONTHS.index(date[2]) + 1:02d}{day}"
    quantity = _WRITTEN_QUANTITY.match(text, start)
    if quantity is None:
        return None
    fits = [word for word in units if text.startswith(word, quantity.end())]
    if not fits:
        return None
    unit = max(fits, key=len)
    return quantity.end() + len(unit), f"{quantity[1].replace(',', '')} {units[unit]}"
