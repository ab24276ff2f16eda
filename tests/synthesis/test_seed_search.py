"""The search for many seeds: even, without repeats, the same in whatever order replies come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_faults import failed

from graphkit.errors import ModelAccessError
from synthesis.agents.gathering import Errand
from synthesis.domains import Domain, Subdomain
from synthesis.seed_search import SeedSearch, search_seeds
from tests.synthesis.agents.small_web import blocks_of, turns, with_errand
from tests.synthesis.agents.test_seeding import PEOPLE, SEARCH, seeds, wide


def searched(folder: Path, plan: Any, count: int, **given: Any) -> tuple[SeedSearch, Any]:
    domains = [
        Domain(name="News", subdomains=(Subdomain(name="People"), Subdomain(name="Places"))),
        Domain(name="Arts", name_zh="艺术", subdomains=(Subdomain(name="Songs"),)),
    ]

    async def work(errand: Errand) -> SeedSearch:
        return await search_seeds(errand, domains, count=count, **given)

    return with_errand(turns(seeds=plan), work, folder, pages=wide(*PEOPLE))


def fresh_names(received: Any) -> Any:
    """Says names that are not to be avoided, different ones in each place."""
    if not any(message["role"] == "assistant" for message in received.body["messages"]):
        return SEARCH
    blocks = blocks_of(received)
    avoid = set(json.loads(blocks["avoid"]))
    mine = PEOPLE[:12] if blocks["secondary"] == "People" else PEOPLE[12:]
    return seeds(*[name for name in mine if name not in avoid][: int(blocks["count"])])


def test_shares_are_even_and_full(tmp_path: Path) -> None:
    """Seven in three places are three, two and two; each seed is there once."""
    search, _ = searched(tmp_path, fresh_names, 7)
    places = [(seed.primary, seed.secondary) for seed in search.seeds]
    assert places.count(("News", "People")) == 3
    assert len({seed.id for seed in search.seeds}) == len(search.seeds)
    assert places == sorted(
        places, key=[("News", "People"), ("News", "Places"), ("Arts", "Songs")].index
    )


def test_one_kind_fills_no_more_than_half_of_a_place(tmp_path: Path) -> None:
    """However many rounds it takes; what is missing is told."""

    def films(received: Any) -> Any:
        reply = fresh_names(received)
        if reply is not SEARCH:
            reply = {"seeds": [{**item, "entity_type": "film"} for item in reply["seeds"]]}
        return reply

    search, _ = searched(tmp_path, films, 18)
    assert search.short == {"News/People": 3, "News/Places": 3, "Arts/Songs": 3}


def test_a_place_that_brings_nothing_new_is_left(tmp_path: Path) -> None:
    """After two rounds in vain; how many it had is told."""
    search, server = searched(tmp_path, lambda _: seeds("Nobody"), 3)
    assert search.seeds == []
    assert search.short == {"News/People": 0, "News/Places": 0, "Arts/Songs": 0}
    assert len(search.rounds) == 6
    assert len(server.received) == 6


def test_a_place_is_left_only_after_rounds_in_vain_in_a_row(tmp_path: Path) -> None:
    """One in vain, one that brings something, one in vain: it is asked again."""
    rounds = iter([seeds("Nobody"), seeds(PEOPLE[0]), seeds("Nobody"), seeds(PEOPLE[1])])

    def plan(received: Any) -> Any:
        if not any(message["role"] == "assistant" for message in received.body["messages"]):
            return SEARCH
        return next(rounds)

    domains = [Domain(name="News", subdomains=(Subdomain(name="People"),))]

    async def work(errand: Errand) -> SeedSearch:
        return await search_seeds(errand, domains, count=2)

    search, _ = with_errand(turns(seeds=plan), work, tmp_path, pages=wide(*PEOPLE))
    assert [seed.entity_name for seed in search.seeds] == [PEOPLE[0], PEOPLE[1]]
    assert len(search.rounds) == 4


def test_what_is_found_does_not_depend_on_who_is_first(tmp_path: Path) -> None:
    """One place at a time or all at once: the same seeds, the same rounds."""
    one, _ = searched(tmp_path, fresh_names, 9, parallel=1)
    all_, _ = searched(tmp_path, fresh_names, 9, parallel=9)
    assert one == all_


def test_fewer_seeds_than_places_leave_places_out(tmp_path: Path) -> None:
    """Nothing is asked for a share of nothing."""
    search, _ = searched(tmp_path, fresh_names, 1)
    assert len(search.seeds) == 1
    assert search.short == {}


def test_a_reply_of_no_use_is_a_round_without_seeds(tmp_path: Path) -> None:
    """One place that a model makes nothing of does not end the search in the others."""

    def plan(received: Any) -> Any:
        if blocks_of(received)["secondary"] == "Places":
            return "no json"
        return fresh_names(received)

    search, _ = searched(tmp_path, plan, 6)
    assert search.short == {"News/Places": 0}
    assert len(search.seeds) == 4
    told = [done for done in search.rounds if done["secondary"] == "Places"]
    assert len(told) == 2
    assert all(done["problems"] for done in told)


def test_a_model_that_cannot_be_asked_ends_the_search(tmp_path: Path) -> None:
    """As itself, not wrapped."""
    with pytest.raises(ModelAccessError):
        searched(tmp_path, lambda _: failed(401, "no such key"), 3)


def test_progress_is_told(tmp_path: Path) -> None:
    """Up to all of them, never backwards."""
    told: list[tuple[int, int]] = []
    searched(tmp_path, fresh_names, 6, told=lambda done, total: told.append((done, total)))
    assert told[-1] == (6, 6)
    assert told == sorted(told)
