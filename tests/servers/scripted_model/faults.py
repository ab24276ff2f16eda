"""Faults on demand: which call goes wrong, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

from scripted_model.conversation import draw

__all__ = ["CONTENT", "TRANSPORT", "Faults"]

TRANSPORT = ("rate_limit", "server_error", "drop", "broken_body")
"""The call fails: 429 with Retry-After, 500, a dropped connection, a body that breaks off."""

CONTENT = ("truncated", "wrong_schema", "refusal", "repetition", "empty")
"""The call is answered, and paid, but with nothing of use."""


@dataclass
class Faults:
    """A plan of faults.

    By **share**, a fault depends on the body alone: calls that have it fail at their first
    attempt; answered ones (truncated JSON, wrong schema, refusal, repetition) have it always,
    but the next message of the conversation, which shows the model its error, has none. So the
    plan leads to the same replies in every order. By **every**, each n-th call has it.

    Attributes:
        share: Fault -> the share of bodies that have it.
        every: Fault -> each n-th call has it.
        retry_after: What 429 asks to wait, in seconds.
    """

    share: dict[str, float] = field(default_factory=dict)
    every: dict[str, int] = field(default_factory=dict)
    retry_after: float = 0.05
    _attempts: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Refuse faults that there are not."""
        unknown = {*self.share, *self.every} - {*TRANSPORT, *CONTENT}
        if unknown:
            known = ", ".join((*TRANSPORT, *CONTENT))
            raise ValueError(f"no fault {', '.join(sorted(unknown))}; expected {known}")

    def transport(self, digest: str, number: int) -> str | None:
        """Return the fault of a call that is not answered, or None.

        Args:
            digest: Stands for the body.
            number: How many calls there were, this one included.
        """
        for name in TRANSPORT:
            count = self.every.get(name)
            if count and number % count == 0:
                return name
        place = draw("transport", digest)
        for name in TRANSPORT:
            share = self.share.get(name, 0.0)
            if place < share:
                attempts = self._attempts[digest] = self._attempts.get(digest, 0) + 1
                return name if attempts == 1 else None
            place -= share
        return None

    def content(self, digest: str, number: int, *, retried: bool) -> str | None:
        """Return the fault of a call that is answered, or None."""
        if retried:
            return None
        for name in CONTENT:
            count = self.every.get(name)
            if count and number % count == 0:
                return name
        place = draw("content", digest)
        for name in CONTENT:
            share = self.share.get(name, 0.0)
            if place < share:
                return name
            place -= share
        return None
