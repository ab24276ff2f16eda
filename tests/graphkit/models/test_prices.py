"""What calls cost: tokens that the server had kept, thoughts, and prices that were mended."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_faults import Answer, FaultServer, said

from graphkit.errors import BudgetError
from graphkit.models import Budget, CostRow, Message, ModelSettings, Usage
from graphkit.models.costs import money_of, most_money_of
from tests.graphkit.models.doors import door_to

PRICES = {"input_price": 10.0, "output_price": 100.0, "cached_input_price": 1.0}


def counted(sent: Any, kept: Any, received: Any, thought: Any) -> Answer:
    """A completion whose server tells the parts of its tokens."""
    answer = said("yes")
    answer.body["usage"] = {
        "prompt_tokens": sent,
        "completion_tokens": received,
        "prompt_tokens_details": {"cached_tokens": kept},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
    return answer


def asked(
    log: Path | None, *answers: Answer, budget: Budget | None = None, **given: Any
) -> CostRow:
    """Ask once for each answer; return the row of costs."""

    async def work(server: FaultServer) -> CostRow:
        same = "http://models.example/v1"  # in the keys, whichever server answers
        async with door_to(server, log=log, budget=budget, logged_url=same, **given) as door:
            for number in range(len(answers)):
                await door.complete("parse", (Message(role="user", content=f"question {number}"),))
            (row,) = door.costs()
            return row

    with FaultServer(answers) as server:
        return asyncio.run(work(server))


def test_kept_tokens_cost_their_own_price_in_every_session(tmp_path: Path) -> None:
    """In the table, in the record, and in the next session, which reads them from the log."""
    log = tmp_path / "log.jsonl"
    answers = (counted(1000, 600, 50, 20), counted(100, None, 5, None))
    row = asked(log, *answers, **PRICES)
    money = (400 * 10 + 600 * 1 + 50 * 100 + 100 * 10 + 5 * 100) / 1e6
    assert (row.input_tokens, row.cached_tokens) == (1100, 600)
    assert (row.output_tokens, row.reasoning_tokens) == (55, 20)
    assert row.money == pytest.approx(money)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert [r["usage"]["cached_tokens"] for r in records if "usage" in r] == [600, 0]
    again = asked(log, *answers, **PRICES)
    assert (again.cached_tokens, again.reasoning_tokens, again.cached) == (600, 20, 2)
    assert again.money == pytest.approx(money)


def test_without_a_price_of_their_own_kept_tokens_cost_as_much_as_others() -> None:
    """So that no cost is told too low."""
    row = asked(None, counted(1000, 600, 50, 0), input_price=10.0, output_price=100.0)
    assert row.money == pytest.approx((1000 * 10 + 50 * 100) / 1e6)
    assert row.cached_tokens == 600


@pytest.mark.parametrize(("kept", "expected"), [(5000, 1000), (-3, 0), ("many", 0), (0, 0)])
def test_what_a_server_tells_of_its_store_is_never_more_than_was_sent(
    kept: Any, expected: int
) -> None:
    """Nonsense counts as nothing; no cost falls below zero."""
    row = asked(None, counted(1000, kept, 50, 7000), **PRICES)
    assert (row.cached_tokens, row.reasoning_tokens) == (expected, 50)
    assert row.money is not None
    assert row.money > 0


def test_a_budget_counts_what_kept_tokens_really_cost(tmp_path: Path) -> None:
    """Three calls that are kept go where one and a half at the whole price would."""
    answers = [counted(1000, 1000, 0, 0)] * 3
    row = asked(None, *answers, budget=Budget(money=0.015), **PRICES)
    assert (row.calls, row.money) == (3, pytest.approx(0.003))
    whole = {"input_price": 10.0, "output_price": 100.0}
    with pytest.raises(BudgetError, match="is spent"):
        asked(None, *answers, budget=Budget(money=0.015), **whole)


def test_a_mended_price_counts_for_what_was_answered_before(tmp_path: Path) -> None:
    """What had no price, or a wrong one, is reckoned anew; without one now the old one stands."""
    log = tmp_path / "log.jsonl"
    answer = counted(1000, 0, 50, 0)
    assert asked(log, answer).money is None
    assert asked(log, answer, **PRICES).money == pytest.approx(0.015)
    dear = tmp_path / "dear.jsonl"
    assert asked(dear, answer, input_price=0.0, output_price=1e6).money == 50
    assert asked(dear, answer, **PRICES).money == pytest.approx(0.015)
    assert asked(dear, answer).money == 50


@given(
    sent=st.integers(0, 10**6),
    share=st.floats(0, 1),
    received=st.integers(0, 10**6),
    price=st.one_of(st.none(), st.floats(0, 100)),
)
def test_no_call_costs_more_than_was_expected_of_its_tokens(
    sent: int, share: float, received: int, price: float | None
) -> None:
    """However much of it the server had kept, and at whatever price."""
    settings = ModelSettings(model="m", input_price=3.0, output_price=9.0, cached_input_price=price)
    money = money_of(settings, Usage(sent, received, cached_tokens=int(sent * share)))
    most = most_money_of(settings, sent, received)
    assert money is not None
    assert most is not None
    assert 0 <= money <= most + 1e-9


def test_a_server_that_moved_finds_its_replies_under_the_old_address(tmp_path: Path) -> None:
    """`logged_url` stands in the key; the record tells where the new call really went."""
    log = tmp_path / "log.jsonl"

    async def work(server: FaultServer, count: int, **given: Any) -> CostRow:
        async with door_to(server, log=log, **given) as door:
            for number in range(count):
                await door.complete("parse", (Message(role="user", content=str(number)),))
            (row,) = door.costs()
            return row

    with FaultServer([said("a")]) as old:
        asyncio.run(work(old, 1))
    with FaultServer([said("b")]) as new:
        row = asyncio.run(work(new, 2, logged_url=old.base_url))
        assert len(new.received) == 1
    assert (row.calls, row.cached) == (2, 1)
    records = [json.loads(line) for line in log.read_text().splitlines()]
    first, second = (record["request"] for record in records if record["kind"] == "model")
    assert first["endpoint"] == second["endpoint"] == old.base_url
    assert "asked_at" not in first
    assert second["asked_at"] == new.base_url
