"""The error of the rubric package; its family is that of :mod:`graphkit.errors`."""

from __future__ import annotations

from graphkit.errors import InputError

__all__ = ["RubricError"]


class RubricError(InputError):
    """A rubric tree, its verdicts or its settings are outside what can be scored.

    Carries every problem at once, each with file, atom or direction, and field.
    """
