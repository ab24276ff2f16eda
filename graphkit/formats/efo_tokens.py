"""Splits EFO-1 queries into signs and names."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from graphkit.errors import FormatError, Problem
from graphkit.formats.expressions import MAX_DEPTH

__all__ = ["Tokens", "bare"]

_TOKEN = re.compile(r'\s*(?:([()&|!,])|("(?:[^"\\]|\\.)*")|([^\s()&|!,"]+))')
_BARE = re.compile(r"[^\s()&|!,\"#]+")


def bare(name: str) -> str:
    """Return a name as it is written: as it stands, else as a JSON string.

    >>> bare("France"), bare("New York")
    ('France', '"New York"')
    """
    if _BARE.fullmatch(name) and name.isprintable():
        return name
    return json.dumps(name)


class Tokens:
    """The tokens of one query, read from left to right.

    Args:
        text: The query.
    """

    def __init__(self, text: str) -> None:
        self._found: list[tuple[str, bool, int]] = []
        place = 0
        end = len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None:
                raise _problem(f"{text[place : place + 20]!r} is not closed", place)
            sign, quoted, name = match.groups()
            if quoted is not None:
                name = self._unquoted(quoted, match.start(2))
            self._found.append((sign or name, sign is not None, match.start(match.lastindex or 0)))
            place = match.end()
        self._place = 0
        self._depth = 0

    @staticmethod
    def _unquoted(quoted: str, place: int) -> str:
        try:
            return str(json.loads(quoted, strict=False))
        except ValueError as error:
            raise _problem(f"{quoted} is not a JSON string", place) from error

    def sign(self, *signs: str) -> str | None:
        """Take the next token if it is one of some signs."""
        if self._place < len(self._found):
            token, is_sign, _ = self._found[self._place]
            if is_sign and token in signs:
                self._place += 1
                return token
        return None

    def name(self) -> str | None:
        """Take the next token if it is a name."""
        if self._place < len(self._found) and not self._found[self._place][1]:
            self._place += 1
            return self._found[self._place - 1][0]
        return None

    def back(self) -> None:
        """Give the last token back."""
        self._place -= 1

    def expect(self, sign: str) -> None:
        """Take a sign that must come next.

        Raises:
            FormatError: Something else comes.
        """
        if self.sign(sign) is None:
            self.fail(f'"{sign}"')

    def required(self, what: str) -> str:
        """Take a name that must come next.

        Raises:
            FormatError: Something else comes.
        """
        found = self.name()
        return self.fail(what) if found is None else found

    def deeper(self, step: int) -> None:
        """Note that one more (or less) expression is open.

        Raises:
            FormatError: Too many are.
        """
        self._depth += step
        if self._depth > MAX_DEPTH:
            raise _problem(f"more than {MAX_DEPTH} expressions inside one another", self._at)

    def end(self) -> None:
        """Check that nothing is left.

        Raises:
            FormatError: Something is.
        """
        if self._place < len(self._found):
            self.fail("the end")

    def fail(self, expected: str) -> NoReturn:
        """Raise the error for something else than what was expected."""
        left = self._place < len(self._found)
        found = f'"{self._found[self._place][0]}"' if left else "the end"
        raise _problem(f"found {found}, expected {expected}", self._at)

    @property
    def _at(self) -> int:
        return self._found[self._place][2] if self._place < len(self._found) else -1


def _problem(message: str, place: int) -> FormatError:
    where = f" at sign {place + 1}" if place >= 0 else ""
    return FormatError(Problem(f"{message}{where}", code="efo_syntax"))
