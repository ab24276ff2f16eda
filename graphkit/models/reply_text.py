"""What a model's text is before it is read as anything: thoughts apart, endless repetition seen."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Spoken", "repeated", "without_thoughts"]

_CLOSED = re.compile(r"<(think|thinking|reasoning)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_CLOSING = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPENING = re.compile(r"\A\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
_TAIL = 6_000
_LONGEST_CYCLE = 1_000
_LEAST_REPEATED = 240
_LEAST_TIMES = 4


class Spoken(NamedTuple):
    """A text of a model, its thoughts apart.

    Attributes:
        text: What it says.
        thoughts: What it thought before, where it let that see.
        unfinished: Whether it was still thinking when it ended.
    """

    text: str
    thoughts: str
    unfinished: bool


def without_thoughts(text: str) -> Spoken:
    """Split thoughts off: ``<think>`` blocks, also where a template left out the opening tag.

    A tag inside the JSON of a reply is left alone: thoughts come before the reply.

    >>> without_thoughts('<think>Hm.</think>{"a": 1}')
    Spoken(text='{"a": 1}', thoughts='Hm.', unfinished=False)
    >>> without_thoughts('so it is 1.</think>{"a": 1}').text
    '{"a": 1}'
    >>> without_thoughts("<think>Hm, then").unfinished
    True
    """
    thoughts: list[str] = []
    rest = text
    while (found := _CLOSED.search(rest)) and not rest[: found.start()].strip():
        thoughts.append(found[2].strip())
        rest = rest[found.end() :]
    if _OPENING.match(rest):
        return Spoken("", "\n".join([*thoughts, _OPENING.sub("", rest).strip()]), True)
    closing = _CLOSING.search(rest)
    if closing and "{" not in rest[: closing.start()] and not _CLOSED.search(rest):
        thoughts.append(rest[: closing.start()].strip())
        rest = rest[closing.end() :]
    return Spoken(rest.strip() if thoughts else rest, "\n".join(thoughts), False)


def repeated(text: str) -> str | None:
    """Return the piece that the end of a text repeats over and over, or None.

    Args:
        text: A text that was cut off at the limit of tokens.

    Returns:
        A piece of at most a thousand characters that fills the end of the text at least four
        times and over at least 240 characters.

    >>> repeated("The answer is: " + "no, no, " * 60)
    ' no,'
    >>> repeated("a long and varied text " + "that ends in its own way") is None
    True
    """
    tail = text[-_TAIL:].rstrip()
    if len(tail) < _LEAST_REPEATED:
        return None
    failure = _failures(tail[::-1])
    for length in range(len(tail), _LEAST_REPEATED - 1, -1):
        cycle = length - failure[length - 1]
        if cycle <= min(_LONGEST_CYCLE, length // _LEAST_TIMES):
            whole = length - length % cycle
            return tail[len(tail) - whole : len(tail) - whole + cycle]
    return None


def _failures(text: str) -> list[int]:
    """Return, for each prefix, the length of its longest border (Knuth, Morris and Pratt)."""
    table = [0] * len(text)
    border = 0
    for place in range(1, len(text)):
        while border and text[place] != text[border]:
            border = table[border - 1]
        if text[place] == text[border]:
            border += 1
        table[place] = border
    return table
