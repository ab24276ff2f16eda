"""Decimal literals as exact rationals, and back: no parameter of a score is ever rounded."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from graphkit.errors import FormatError, Problem

__all__ = ["Exact", "Literal", "exact", "read_json", "to_number"]

_MAX_EXPONENT = 100
_MAX_DIGITS = 200
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?", re.ASCII)
_RATIO = re.compile(r"([+-]?\d+)\s*/\s*(\d+)", re.ASCII)


class Literal(float):
    """A double that remembers the decimal literal it was read from.

    >>> exact(Literal("0.1")), Literal("0.1") == 0.1
    (Fraction(1, 10), True)
    """

    text: str

    def __new__(cls, text: str) -> Literal:
        """Read a literal; ``text`` is kept beside the double."""
        made = super().__new__(cls, text)
        made.text = text
        return made


def exact(value: Any) -> Fraction:
    """Return the rational that a literal says, digit by digit.

    Args:
        value: A number, a decimal string, or a ratio such as ``"1/3"``. A double stands for its
            shortest decimal form, which is the literal that was typed.

    Raises:
        ValueError: It is not a finite number, or beyond 1e-100 to 1e100.

    >>> exact(0.35), exact("0.350"), exact("1/3")
    (Fraction(7, 20), Fraction(7, 20), Fraction(1, 3))
    >>> exact(float("nan"))
    Traceback (most recent call last):
    ValueError: nan is not a finite number
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal | Fraction):
        raise ValueError(f"{value!r} is not a number")
    if isinstance(value, Fraction):
        return _in_range(value, str(value))
    if isinstance(value, int):
        return _in_range(Fraction(value), "the number")
    if isinstance(value, Literal):
        text = value.text
    elif isinstance(value, float):
        text = repr(float(value))
    else:
        text = str(value).strip()
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"has {len(text)} characters; expected at most {_MAX_DIGITS}")
    if ratio := _RATIO.fullmatch(text):
        if int(ratio[2]) == 0:
            raise ValueError(f"{text} divides by zero")
        return _in_range(Fraction(int(ratio[1]), int(ratio[2])), text)
    match = _DECIMAL.fullmatch(text)
    if match is None:
        lost = text.lower().lstrip("+-") in ("nan", "inf", "infinity")
        raise ValueError(f"{text} is not a finite number" if lost else f"{text!r} is not a number")
    if abs(int(match[1] or 0)) > _MAX_EXPONENT + _MAX_DIGITS:
        raise ValueError(f"{text} is out of range")
    return _in_range(Fraction(text), text)


def _in_range(value: Fraction, text: str) -> Fraction:
    limit = 10**_MAX_EXPONENT
    if value and not (Fraction(1, limit) <= abs(value) <= limit):
        raise ValueError(
            f"{text} is out of range; expected 0 or 1e-{_MAX_EXPONENT} to 1e{_MAX_EXPONENT}"
        )
    return value


def to_number(value: Fraction) -> int | float | str:
    """Return what stands for a rational in JSON: a number where it is exact, else ``"p/q"``.

    >>> to_number(Fraction(7, 20)), to_number(Fraction(12)), to_number(Fraction(1, 3))
    (0.35, 12, '1/3')
    """
    if value.denominator == 1:
        return value.numerator
    number = float(value)
    return number if Fraction(repr(number)) == value else str(value)


Exact = Annotated[
    Fraction,
    PlainValidator(exact),
    PlainSerializer(to_number),
    WithJsonSchema(
        {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^[+-]?\d+(\.\d+)?(/\d+)?$"}]}
    ),
]
"""A field that holds an exact rational and reads number literals, decimal strings and ratios."""


def read_json(text: str | bytes, file: str | None = None, line: int | None = None) -> Any:
    """Parse one JSON document so that number literals stay exact.

    Args:
        text: The document; UTF-8 if bytes, with or without a byte order mark.
        file: Its name, for errors.
        line: Its line in that file, if it is one line of JSONL.

    Raises:
        FormatError: It is not UTF-8, not JSON, or an object names a key twice.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        return json.loads(
            text.removeprefix("\ufeff"),
            parse_float=Literal,
            parse_constant=Literal,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError as error:
        raise FormatError(Problem(f"not UTF-8: {error}", "utf8", file, line)) from error
    except json.JSONDecodeError as error:
        place = line if line is not None else error.lineno
        raise FormatError(
            Problem(f"not JSON: {error.msg} (column {error.colno})", "json", file, place)
        ) from error
    except RecursionError as error:
        raise FormatError(Problem("nested too deeply", "json", file, line)) from error
    except ValueError as error:
        raise FormatError(Problem(str(error), "json", file, line)) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"key {twice!r} appears twice in one object")
    return made


def is_finite_data(value: Any) -> bool:
    """Return whether plain data holds no NaN and no infinity anywhere."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(is_finite_data(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(is_finite_data(item) for item in value)
    return True
