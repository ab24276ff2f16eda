"""What every compiler returns: a text and the parameters that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Compiled"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A question graph in another notation.

    Attributes:
        text: The query, the sentence or the picture.
        params: Values that the text refers to by name; empty where a notation has none.
    """

    text: str
    params: Mapping[str, Any] = field(default_factory=dict)
