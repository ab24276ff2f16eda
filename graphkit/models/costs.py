"""What calls cost: a table by agent and model, and the budget that a call is admitted under."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from graphkit.errors import BudgetError, Problem
from graphkit.models.messages import Usage
from graphkit.models.model_settings import Budget, ModelSettings
from graphkit.models.past import PastUse

__all__ = ["CostRow", "Expected", "Ledger", "money_of", "most_money_of", "repriced"]


@dataclass(frozen=True, slots=True)
class CostRow:
    """What one agent used of one model.

    Attributes:
        agent: The agent.
        model: The model, as the settings name it.
        calls: Answered calls, of earlier sessions of the run too.
        cached: Replies that came from the log in this session; they cost nothing.
        input_tokens: Tokens sent.
        cached_tokens: Those of them that the server had kept from an earlier call.
        output_tokens: Tokens received.
        reasoning_tokens: Those of them that were thoughts.
        money: What it cost; None where a price is missing.
        seconds: Time that was waited for answers, summed over calls.
        retries: Attempts that failed and were made again, in this session.
        estimated: Calls whose tokens were counted here, since the server did not say.
    """

    agent: str
    model: str
    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    money: float | None = 0.0
    seconds: float = 0.0
    retries: int = 0
    estimated: int = 0


@dataclass(frozen=True, slots=True)
class Expected:
    """What a call is expected to use at most.

    Attributes:
        tokens: Tokens in and out.
        money: Money, or None where a price is missing.
    """

    tokens: int
    money: float | None


def money_of(settings: ModelSettings, usage: Usage | PastUse) -> float | None:
    """Return what tokens cost, or None where the settings lack a price.

    >>> s = ModelSettings(model="m", input_price=2.0, output_price=10.0, cached_input_price=0.5)
    >>> money_of(s, Usage(1_000_000, 500_000, cached_tokens=400_000))
    6.4
    >>> money_of(ModelSettings(model="m"), Usage(1, 1)) is None
    True
    """
    if settings.input_price is None or settings.output_price is None:
        return None
    kept_price = settings.cached_input_price
    kept = 0 if kept_price is None else usage.cached_tokens
    money = (usage.input_tokens - kept) * settings.input_price
    money += kept * (kept_price or 0.0) + usage.output_tokens * settings.output_price
    return money / 1e6


def most_money_of(settings: ModelSettings, sent: int, received: int) -> float | None:
    """Return what a call costs at most: as if the server had kept nothing, or all, if it is dearer.

    >>> most_money_of(ModelSettings(model="m", input_price=2.0, output_price=10.0), 1_000_000, 0)
    2.0
    """
    costs = [money_of(settings, Usage(sent, received, cached_tokens=kept)) for kept in (0, sent)]
    return max((cost for cost in costs if cost is not None), default=None)


def repriced(
    earlier: Iterable[PastUse], settings_of: Callable[[str], ModelSettings | None]
) -> Iterator[PastUse]:
    """Yield what earlier sessions used at the prices of now, so that a wrong price can be mended.

    Where the agent has another model now, or no prices, what was reckoned then stands.

    Args:
        earlier: What was used.
        settings_of: Agent -> its settings, or None.
    """
    for past in earlier:
        settings = settings_of(past.agent or "")
        money = None
        if settings is not None and settings.model == past.model:
            money = money_of(settings, past)
        yield past if money is None else replace(past, money=money)


class Ledger:
    """Counts what is used, and admits calls within a budget.

    Args:
        budget: What may be used, or None for anything.
        earlier: What earlier sessions of the run used.
        clock: Seconds that only go forward.
    """

    def __init__(
        self,
        budget: Budget | None,
        earlier: Iterable[PastUse] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget = budget or Budget()
        self._clock = clock
        self._opened = clock()
        self._rows: dict[tuple[str, str], CostRow] = {}
        self._pending: list[Expected] = []
        self._settled = asyncio.Event()
        for past in earlier:
            if past.kind == "model":
                row = self._row(past.agent or "", past.model or "")
                self._rows[row.agent, row.model] = replace(
                    row,
                    calls=row.calls + past.calls,
                    input_tokens=row.input_tokens + past.input_tokens,
                    cached_tokens=row.cached_tokens + past.cached_tokens,
                    output_tokens=row.output_tokens + past.output_tokens,
                    reasoning_tokens=row.reasoning_tokens + past.reasoning_tokens,
                    money=_plus(row.money, past.money),
                    seconds=row.seconds + past.seconds,
                )

    def rows(self) -> tuple[CostRow, ...]:
        """Return one row for each agent and model, sorted."""
        return tuple(self._rows[group] for group in sorted(self._rows))

    def seconds_left(self) -> float | None:
        """Return the seconds that the budget leaves, or None where it sets no limit."""
        limit = self._budget.seconds
        return None if limit is None else limit - (self._clock() - self._opened)

    async def admit(self, agent: str, expected: Expected) -> None:
        """Let a call begin if the budget allows it; :meth:`settle` must follow.

        Where only calls under way stand in its path, it waits until they are settled: they may
        use less than was expected.

        Raises:
            BudgetError: The call would exceed the budget.
        """
        while True:
            self.check(agent, expected)
            if self._over(expected, self._pending) is None:
                self._pending.append(expected)
                return
            self._settled.clear()
            await self._settled.wait()

    def check(self, agent: str, expected: Expected) -> None:
        """Raise a :class:`BudgetError` if a call would exceed the budget by itself."""
        found = self._over(expected, ())
        if found is not None:
            what, message = found
            raise BudgetError(Problem(message, code=f"budget_{what}", subject=f"agent {agent}"))

    def settle(self, expected: Expected) -> None:
        """End a call that was admitted, whether or not it was answered."""
        self._pending.remove(expected)
        self._settled.set()

    def paid(self, agent: str, settings: ModelSettings, usage: Usage, seconds: float) -> None:
        """Count an answered call."""
        row = self._row(agent, settings.model)
        self._rows[row.agent, row.model] = replace(
            row,
            calls=row.calls + 1,
            input_tokens=row.input_tokens + usage.input_tokens,
            cached_tokens=row.cached_tokens + usage.cached_tokens,
            output_tokens=row.output_tokens + usage.output_tokens,
            reasoning_tokens=row.reasoning_tokens + usage.reasoning_tokens,
            money=_plus(row.money, money_of(settings, usage)),
            seconds=row.seconds + seconds,
            estimated=row.estimated + (usage.source == "estimated"),
        )

    def cached(self, agent: str, model: str) -> None:
        """Count a reply that came from the log."""
        row = self._row(agent, model)
        self._rows[agent, model] = replace(row, cached=row.cached + 1)

    def retried(self, agent: str, model: str) -> None:
        """Count an attempt that failed and is made again."""
        row = self._row(agent, model)
        self._rows[agent, model] = replace(row, retries=row.retries + 1)

    def _row(self, agent: str, model: str) -> CostRow:
        return self._rows.get((agent, model)) or CostRow(agent, model)

    def _over(self, expected: Expected, pending: Iterable[Expected]) -> tuple[str, str] | None:
        """Return what would be exceeded, and how it is said; None if nothing would be."""
        budget, rows, waiting = self._budget, self._rows.values(), list(pending)
        if budget.calls is not None:
            spent = sum(row.calls for row in rows)
            if spent + len(waiting) + 1 > budget.calls:
                return "calls", f"{spent} of {budget.calls} calls are made, no further one is"
        if budget.tokens is not None:
            spent = sum(row.input_tokens + row.output_tokens for row in rows)
            if spent + sum(item.tokens for item in waiting) + expected.tokens > budget.tokens:
                return "tokens", (
                    f"{spent} of {budget.tokens} tokens are used, and the next call may need "
                    f"{expected.tokens}"
                )
        if budget.money is not None:
            cost = _plus(*(row.money for row in rows if row.calls))
            reserved = _plus(cost, *(item.money for item in waiting))
            if expected.money is None or cost is None or reserved is None:
                return "money", "a budget of money needs input_price and output_price of each model"
            if reserved + expected.money > budget.money:
                return "money", (
                    f"{cost:.6g} of {budget.money:g} is spent, and the next call may cost "
                    f"{expected.money:.6g}"
                )
        left = self.seconds_left()
        if left is not None and left <= 0:
            return "seconds", f"the {budget.seconds:g} seconds of the run are over"
        return None


def _plus(*amounts: float | None) -> float | None:
    total = 0.0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total
