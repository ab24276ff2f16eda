"""Whether a page names a thing: as a word of its own, not as a part of another one."""

from __future__ import annotations

from graphkit.lint.leak import joins

__all__ = ["mentions"]


def mentions(text: str, name: str) -> bool:
    """Whether a name stands in a text; both are folded already, in the same way.

    In scripts with spaces it must begin and end a word; a plural or genitive s at its end is let
    pass. In Chinese and the like it may stand anywhere.

    Args:
        text: The text, for instance of a page.
        name: The name; an empty one stands nowhere.

    >>> mentions("nigeria borders chad.", "niger"), mentions("niger's capital", "niger")
    (False, True)
    >>> mentions("\u5317\u4eac\u5927\u5b66", "\u5317\u4eac")
    True
    """
    start = text.find(name) if name else -1
    while start >= 0:
        end = start + len(name)
        if (start == 0 or not joins(text[start - 1], text[start])) and _ends_at(text, end):
            return True
        start = text.find(name, start + 1)
    return False


def _ends_at(text: str, end: int) -> bool:
    """Whether a word ends here, or after one more s."""
    if end == len(text) or not joins(text[end - 1], text[end]):
        return True
    after = end + 1
    return text[end] == "s" and (after == len(text) or not joins("s", text[after]))
