"""Text in drawings: which characters can be drawn, how wide they are, where lines break."""

from __future__ import annotations

import unicodedata

__all__ = ["printable", "text_width", "wrap"]

_NARROW = frozenset("iljtfrI.,;:'|!()[]{}`\"/\\ ")
_BROAD = frozenset("mwMW@%&\u2014\u2026\u2192\u2190")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


def printable(text: str) -> str:
    """Return text in one line that any drawing can hold; what cannot be shown becomes U+FFFD.

    >>> printable("two\\nlines\\x00")
    'two lines\\ufffd'
    """
    shown = []
    for sign in text:
        kind = unicodedata.category(sign)
        if sign in "\n\r\t\x0b\x0c\x85\u2028\u2029":
            shown.append(" ")
        elif kind in ("Cc", "Cs") or ord(sign) & 0xFFFE == 0xFFFE:
            shown.append("\ufffd")
        else:
            shown.append(sign)
    return "".join(shown).strip()


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return about how wide a text is, in the unit of ``size``; rather too wide than too narrow.

    >>> text_width("iii", 10) < text_width("mmm", 10) < text_width("\\u6f22\\u5b57\\u6f22", 10)
    True
    """
    width = 0.0
    for sign in text:
        if unicodedata.combining(sign) or sign in _JOINERS or unicodedata.category(sign) == "Cf":
            continue
        if unicodedata.east_asian_width(sign) in "WF":
            width += 1.02
        elif sign in _NARROW:
            width += 0.37
        elif sign in _BROAD:
            width += 0.95
        elif sign.isupper():
            width += 0.69
        else:
            width += 0.6
    return width * size * (1.08 if bold else 1.0)


def _clusters(text: str) -> list[str]:
    """Split a text into parts that must not be torn: a letter with its marks, a joined emoji."""
    parts: list[str] = []
    for sign in text:
        joined = (
            unicodedata.combining(sign) > 0
            or sign in _JOINERS
            or "\U0001f3fb" <= sign <= "\U0001f3ff"
            or (bool(parts) and parts[-1].endswith("\u200d"))
        )
        if parts and joined:
            parts[-1] += sign
        else:
            parts.append(sign)
    return parts


def _pieces(text: str) -> list[str]:
    """Split a text where a line may break: after spaces, and beside every wide character."""
    pieces: list[str] = []
    for part in _clusters(text):
        wide = unicodedata.east_asian_width(part[0]) in "WF"
        closes = unicodedata.category(part[0]) in ("Pe", "Pf", "Po")
        before = pieces[-1] if pieces else ""
        last_wide = bool(before) and unicodedata.east_asian_width(before[-1]) in "WF"
        if not before or ((before.endswith(" ") or wide or last_wide) and not closes):
            pieces.append(part)
        else:
            pieces[-1] += part
    return pieces


def wrap(
    text: str, size: float, width: float, *, lines: int = 3, bold: bool = False
) -> tuple[str, ...]:
    """Break a text into lines; what is left after the last line is told by an ellipsis.

    Args:
        text: The text.
        size: Its size.
        width: How wide a line may be, in the same unit.
        lines: The most lines.
        bold: Whether it is bold.

    >>> wrap("members of the European Union", 10, 110)
    ('members of the', 'European Union')
    """
    done: list[str] = []
    line = ""
    for piece in _pieces(printable(text)):
        if text_width((line + piece).rstrip(), size, bold=bold) <= width:
            line += piece
            continue
        if line.strip():
            done.append(line.strip())
        line = piece
        while text_width(line.rstrip(), size, bold=bold) > width:
            head, line = _cut(line, size, width, bold)
            done.append(head)
    if line.strip():
        done.append(line.strip())
    if len(done) > lines:
        last = done[lines - 1]
        while last and text_width(last + "\u2026", size, bold=bold) > width:
            last = "".join(_clusters(last)[:-1])
        done = [*done[: lines - 1], last.rstrip() + "\u2026"]
    return tuple(done)


def _cut(text: str, size: float, width: float, bold: bool) -> tuple[str, str]:
    parts = _clusters(text)
    count = 1
    while count < len(parts) and text_width("".join(parts[: count + 1]), size, bold=bold) <= width:
        count += 1
    return "".join(parts[:count]), "".join(parts[count:])
