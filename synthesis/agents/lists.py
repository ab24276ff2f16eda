"""Lists in replies of models: one broken item does not cost the sound ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

__all__ = ["without_broken"]


def without_broken(data: Any, key: str, item: type[BaseModel]) -> Any:
    """Return a reply without the items of a list that do not fit, if most of them do.

    How many were left out stands under ``left_out``. Where half or more are broken the reply
    stays as it is, so that the model is shown what is wrong and asked again.

    Args:
        data: The reply as plain data.
        key: The name of the list.
        item: What each item should be.

    >>> class Point(BaseModel):
    ...     x: int
    >>> without_broken({"points": [{"x": 1}, {"x": 2}, {"y": 3}]}, "points", Point)
    {'points': [{'x': 1}, {'x': 2}], 'left_out': 1}
    >>> without_broken({"points": [{"y": 3}]}, "points", Point)
    {'points': [{'y': 3}]}
    """
    items = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(items, list):
        return data
    sound = [value for value in items if _fits(value, item)]
    broken = len(items) - len(sound)
    if not broken or broken >= len(sound):
        return data
    return {**data, key: sound, "left_out": broken}


def _fits(value: Any, item: type[BaseModel]) -> bool:
    try:
        item.model_validate(value)
    except ValidationError:
        return False
    return True
