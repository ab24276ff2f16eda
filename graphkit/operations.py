"""The operations of a question graph and the two directions of a projection."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Direction", "Op"]


class Op(StrEnum):
    """The operation of an edge. ``union`` is an extension, for notations that have it."""

    PROJECTION = "projection"
    INTERSECTION = "intersection"
    COMPLEMENT = "complement"
    UNION = "union"


class Direction(StrEnum):
    """Which way a projection reads its facts: from heads to tails, or back."""

    FORWARD = "forward"
    BACKWARD = "backward"

    @property
    def reverse(self) -> Direction:
        """The other direction."""
        return Direction.BACKWARD if self is Direction.FORWARD else Direction.FORWARD
