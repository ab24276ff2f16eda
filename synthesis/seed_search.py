"""The search for many seeds, sub-domain by sub-domain; it can be interrupted and taken up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphkit.errors import ModelReplyError
from graphkit.models import Budget, ExchangeLog, ModelDoor
from synthesis.agents.gathering import Errand
from synthesis.agents.seeding import find_seeds
from synthesis.domains import Domain
from synthesis.run_folder import RunFolder
from synthesis.seeds import Seed, deduplicated
from synthesis.web import WebTools

__all__ = ["SeedSearch", "find_run_seeds", "search_seeds"]

_ROUND = 20
_FRUITLESS = 2


@dataclass
class SeedSearch:
    """What a search for seeds gave.

    Attributes:
        seeds: The seeds, each entity once, by domain and sub-domain.
        rounds: What was done in each round.
        short: Sub-domains that had fewer than asked for: name -> how many.
    """

    seeds: list[Seed] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    short: dict[str, int] = field(default_factory=dict)


async def search_seeds(
    errand: Errand,
    domains: Sequence[Domain],
    *,
    count: int,
    parallel: int = 16,
    told: Callable[[int, int], None] | None = None,
) -> SeedSearch:
    """Look for seeds in all sub-domains, evenly: EvoBrowseComp, 2.1.

    A sub-domain is asked again, with the names that it has, until it has its share or has brought
    nothing new twice in a row. Sub-domains do not wait for each other; an entity that two of them
    found counts for the first. With a log of exchanges on disk a search that was interrupted goes
    on where it was.

    Args:
        errand: Models, web, language and timestamp.
        domains: The domains.
        count: How many seeds are wanted altogether.
        parallel: How many sub-domains are worked on at a time.
        told: Called with how many seeds there are, of how many.

    A reply of no use, though the model was shown its errors, is a round that brought nothing.

    Raises:
        ModelAccessError, ModelServerError: The model cannot be asked.
        BudgetError: A budget is spent.
    """
    places = [
        (domain.named(errand.language), part.named(errand.language))
        for domain in domains
        for part in domain.subdomains
    ]
    shares = [count // len(places) + (place < count % len(places)) for place in range(len(places))]
    gate = asyncio.Semaphore(parallel)
    total = 0

    async def one(place: tuple[str, str], share: int) -> tuple[list[Seed], list[dict[str, Any]]]:
        nonlocal total
        found: list[Seed] = []
        rounds: list[dict[str, Any]] = []
        fruitless = 0
        async with gate:
            while len(found) < share and fruitless < _FRUITLESS:
                new, done = await _round(errand, place, share, found, len(rounds))
                before = len(found)
                found = deduplicated([*found, *new])[:share]
                fruitless = fruitless + 1 if len(found) == before else 0
                rounds.append(done)
                total += len(found) - before
                if told is not None:
                    told(total, count)
        return found, rounds

    try:
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(one(place, share))
                for place, share in zip(places, shares, strict=True)
                if share
            ]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    search = SeedSearch()
    for place, share, task in zip(places, shares, running, strict=False):
        found, rounds = task.result()
        search.seeds += found
        search.rounds += rounds
        if len(found) < share:
            search.short["/".join(place)] = len(found)
    search.seeds = deduplicated(search.seeds)
    return search


async def _round(
    errand: Errand, place: tuple[str, str], share: int, found: Sequence[Seed], number: int
) -> tuple[list[Seed], dict[str, Any]]:
    """Ask for seeds of one place once; a reply of no use is a round without any."""
    try:
        return await find_seeds(
            errand,
            primary=place[0],
            secondary=place[1],
            count=min(_ROUND, share - len(found)),
            share=share,
            found=found,
            vote=number,
        )
    except ModelReplyError as error:
        problems = [str(problem) for problem in error.problems]
        return [], {"primary": place[0], "secondary": place[1], "kept": 0, "problems": problems}


async def find_run_seeds(
    run: RunFolder,
    *,
    budget: Budget | None = None,
    told: Callable[[int, int], None] | None = None,
) -> RunFolder:
    """Find the seeds that the plan of a run asks for, and return the run with them.

    They are written to ``seeds.jsonl``, with what was done in ``seed_rounds.jsonl``.

    Args:
        run: A run whose plan says how many seeds, and in which domains.
        budget: What may be used, earlier sessions included.
        told: Called with how many seeds there are, of how many.

    Raises:
        ModelAccessError, ModelServerError: The model cannot be asked.
        BudgetError: A budget is spent.
        ExchangeLogError: Another process works on the run, or its log is damaged.
    """
    plan = run.plan
    with ExchangeLog.open(run.file("exchanges.jsonl"), run=run.run) as log:
        async with (
            ModelDoor(plan.models, log=log, budget=budget) as door,
            WebTools(plan.web, log=log, snapshots=run.file("snapshots")) as web,
        ):
            loop = plan.loop
            errand = Errand.of(door, web, loop)
            search = await search_seeds(
                errand, plan.domains, count=plan.find_seeds, parallel=loop.parallel, told=told
            )
    run.write_lines("seed_rounds.jsonl", search.rounds)
    return run.with_seeds(search.seeds)
