"""Says what is wrong with a setting, without showing what may be a secret."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphkit.errors import did_you_mean
from graphkit.models.redaction import Redactor, names_a_secret, secrets_of

__all__ = ["wrong_setting"]

_KEYS = "keys come from the environment variable named by api_key_env"


def wrong_setting(item: Mapping[str, Any], place: str, fields: Iterable[str]) -> str:
    """Return a sentence on an error of pydantic.

    Args:
        item: One of ``ValidationError.errors()``.
        place: What stands before the name of the setting, for instance ``models.default``.
        fields: The settings that there are, for a name that is none.

    >>> error = {"type": "extra_forbidden", "loc": ("api_key",), "input": "sk-1", "msg": ""}
    >>> wrong_setting(error, "web", ())
    'web.api_key is not a setting; keys come from the environment variable named by api_key_env'
    >>> error = {"type": "int", "loc": ("seed",), "input": "x", "msg": "Input should be a number"}
    >>> wrong_setting(error, "", ())
    "seed is 'x', expected a number"
    """
    clean = Redactor(secrets_of()).text
    parts = [clean(str(part)) for part in item["loc"]]
    name = ".".join((*([place] if place else ()), *parts))
    if item["type"] == "extra_forbidden":
        if any(map(names_a_secret, parts)):
            return f"{name} is not a setting; {_KEYS}"
        return f"{name} is not a setting{did_you_mean(parts[-1], fields)}"
    text = clean(str(item["msg"]).removeprefix("Value error, ").removeprefix("Input should be "))
    if not parts:
        return f"{place}: {text}" if place else text
    shown = _shown(item["input"], clean, any(map(_hides, parts)))
    return f"{name} {shown}, expected {text}" if shown else f"{name}: {text}"


def _hides(name: str) -> bool:
    return names_a_secret(name) or name in ("api_key_env", "extra")


def _shown(value: Any, clean: Any, hidden: bool) -> str:
    """Return a value as it may be shown, or nothing."""
    if hidden or (isinstance(value, str) and any(sign in value for sign in "@?#")):
        return ""
    if isinstance(value, Mapping):
        return "is a table"
    if isinstance(value, (list, tuple)):
        return "is a list"
    return f"is {clean(value)!r}" if isinstance(value, str) else f"is {value!r}"
