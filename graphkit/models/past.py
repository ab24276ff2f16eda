"""What earlier sessions of a run used, summed over the heads of their records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["PastUse", "UseTally"]


@dataclass(frozen=True, slots=True)
class PastUse:
    """What earlier sessions used for one kind of call, agent and model.

    Attributes:
        kind: What was asked, for instance ``model``.
        agent: Who asked, or None.
        model: Which model answered, or None where it was none.
        calls: How many calls were answered.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        money: What it cost; None where a price was missing.
        seconds: Time that was waited for answers.
        cached_tokens: Those of the tokens sent that the server had kept from an earlier call.
        reasoning_tokens: Those of the tokens received that were thoughts.
    """

    kind: str
    agent: str | None
    model: str | None
    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None
    seconds: float
    cached_tokens: int = 0
    reasoning_tokens: int = 0


class UseTally:
    """Sums the use of records, by kind, agent and model."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str | None, str | None], PastUse] = {}

    def add(self, head: Mapping[str, Any]) -> None:
        """Count a record: ``kind``, ``agent``, ``seconds`` and ``usage`` of it."""
        usage = head.get("usage") or {}
        group = (str(head["kind"]), head.get("agent"), usage.get("model"))
        past = self._sums.get(group) or PastUse(*group, 0, 0, 0, 0.0, 0.0)
        money = usage.get("money") if usage else 0.0
        self._sums[group] = PastUse(
            *group,
            past.calls + 1,
            past.input_tokens + int(usage.get("input_tokens") or 0),
            past.output_tokens + int(usage.get("output_tokens") or 0),
            None if past.money is None or money is None else past.money + float(money),
            past.seconds + float(head.get("seconds") or 0.0),
            past.cached_tokens + int(usage.get("cached_tokens") or 0),
            past.reasoning_tokens + int(usage.get("reasoning_tokens") or 0),
        )

    def rows(self) -> tuple[PastUse, ...]:
        """Return one row for each kind, agent and model, sorted."""
        return tuple(
            self._sums[group]
            for group in sorted(
                self._sums, key=lambda item: (item[0], item[1] or "", item[2] or "")
            )
        )
