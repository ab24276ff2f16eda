"""Finds a value in nested data by a short path, for sets whose fields lie deep."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphkit.errors import InputError, Problem

__all__ = ["MISSING", "FieldPath"]

MISSING: Any = object()
"""Stands for a value that is not there."""

_STEP = re.compile(
    r"""
    (?:^|\.) (?P<key> [^.\[\]]+ )
    | \[ (?P<index> \d+ ) \]
    | \[ (?P<name> [^\[\]=]+ ) = (?P<value> [^\[\]]* ) \]
    """,
    re.VERBOSE,
)


class FieldPath:
    """A way into nested data: keys with dots, places and choices of a list in brackets.

    Args:
        text: For instance ``question[language=en].string`` or ``answers[0].value``. A key of the
            data that is written exactly like the path comes first, dots and all.

    Raises:
        InputError: It is no path.

    >>> data = {"question": [{"language": "en", "string": "Who?"}]}
    >>> FieldPath("question[language=en].string").find(data)
    'Who?'
    >>> FieldPath("question[0].text").find(data) is MISSING
    True
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._steps: list[str | int | tuple[str, str]] = []
        place = 0
        while place < len(text):
            match = _STEP.match(text, place)
            if match is None:
                raise InputError(
                    Problem(
                        f'"{text}" is no field: it cannot be read from "{text[place:]}" on; '
                        "expected something like question, a.b, a[0].b or a[language=en].b",
                        code="field",
                    )
                )
            key, index, name, value = match.group("key", "index", "name", "value")
            self._steps.append(key if key else int(index) if index else (name, value))
            place = match.end()
        if not self._steps:
            raise InputError(Problem("a field is named by nothing", code="field"))

    def find(self, data: Any) -> Any:
        """Return the value at the path, or :data:`MISSING`."""
        if isinstance(data, Mapping) and self.text in data:
            return data[self.text]
        for step in self._steps:
            if isinstance(step, str):
                data = data.get(step, MISSING) if isinstance(data, Mapping) else MISSING
            elif not isinstance(data, list):
                return MISSING
            elif isinstance(step, int):
                data = data[step] if step < len(data) else MISSING
            else:
                name, value = step
                data = next(
                    (
                        item
                        for item in data
                        if isinstance(item, Mapping) and str(item.get(name)) == value
                    ),
                    MISSING,
                )
            if data is MISSING:
                return MISSING
        return data
