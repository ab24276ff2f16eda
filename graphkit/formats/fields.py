"""Checks the fields of one JSON object: missing keys, wrong types, words outside a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphkit.errors import Problem, did_you_mean
from graphkit.formats.reading import Record, kind_of

__all__ = ["Fields"]


class Fields:
    """One object of a record under examination; what is wrong is gathered in ``problems``.

    Args:
        record: The record that the object is part of.
        data: The object.
        path: Where it stands in the record.
        subject: What it is called in problems, for instance ``node n3``.
        problems: The list to gather in.
        known: All keys that have a meaning, to tell a misspelt one.
    """

    def __init__(
        self,
        record: Record,
        data: dict[str, Any],
        path: tuple[str | int, ...],
        subject: str | None,
        problems: list[Problem],
        known: Iterable[str] = (),
    ) -> None:
        self.record = record
        self.data = data
        self.path = path
        self.subject = subject
        self.problems = problems
        self.known = frozenset(known)

    def complain(self, message: str, code: str, *path: str | int) -> None:
        """Note a problem with a part of the object."""
        self.problems.append(
            Problem(
                message,
                code=code,
                file=self.record.file,
                line=self.record.line_of(*self.path, *path),
                subject=self.subject,
            )
        )

    def has(self, key: str) -> bool:
        """Whether the key is there; if not, that is a problem, with a hint at a misspelt one."""
        if key in self.data:
            return True
        strangers = [other for other in self.data if other not in self.known]
        hint = did_you_mean(key, strangers)
        if hint:
            hint = f" (is {hint.removeprefix(' (did you mean ').removesuffix('?)')} meant?)"
        self.complain(f"{key} is missing{hint}", "missing_key")
        return False

    def text(
        self, key: str, *, required: bool = False, nullable: bool = False, filled: bool = False
    ) -> str | None:
        """Check that a value is a string; return it if it is."""
        if key not in self.data:
            if required:
                self.has(key)
            return None
        value = self.data[key]
        if value is None and nullable:
            return None
        if not isinstance(value, str):
            or_null = " or null" if nullable else ""
            self.complain(f"{key} is {kind_of(value)}, expected a string{or_null}", "type", key)
            return None
        if filled and not value.strip():
            self.complain(f"{key} is blank, expected a name", "blank", key)
            return None
        return value

    def word(
        self, key: str, words: Sequence[str], *, required: bool = False, nullable: bool = False
    ) -> str | None:
        """Check that a value is one of some words; return it if it is."""
        value = self.text(key, required=required, nullable=nullable)
        if value is None or value in words:
            return value
        self.complain(
            f"{key} {value!r} is not one of {', '.join(words)}"
            f"{did_you_mean(value.strip().lower(), words)}".replace("'", '"'),
            f"unknown_{key}",
            key,
        )
        return None

    def flag(self, key: str) -> bool:
        """Check that a value is true or false; a missing one is false."""
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            self.complain(f"{key} is {kind_of(value)}, expected true or false", "type", key)
            return False
        return value

    def number(self, key: str) -> None:
        """Check that a value is a whole number or null."""
        value = self.data.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            self.complain(
                f"{key} is {kind_of(value)}, expected a whole number or null", "type", key
            )

    def texts(self, key: str, *, required: bool = False, nullable: bool = True) -> tuple[str, ...]:
        """Check that a value is a list of filled strings; return those that are."""
        if key not in self.data:
            if required:
                self.has(key)
            return ()
        value = self.data[key]
        if value is None and nullable:
            return ()
        if not isinstance(value, list):
            or_null = " or null" if nullable else ""
            self.complain(
                f"{key} is {kind_of(value)}, expected a list of strings{or_null}", "type", key
            )
            return ()
        good: list[str] = []
        for place, item in enumerate(value):
            if not isinstance(item, str):
                self.complain(
                    f"{key}[{place}] is {kind_of(item)}, expected a string", "type", key, place
                )
            elif not item.strip():
                self.complain(f"{key}[{place}] is blank, expected a name", "blank", key, place)
            else:
                good.append(item)
        return tuple(good)
