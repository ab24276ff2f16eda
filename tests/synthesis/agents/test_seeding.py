"""The seed agent: fresh, seen in results, new, and not all of a kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_faults import failed

from graphkit.errors import ModelAccessError
from synthesis.agents.gathering import Errand
from synthesis.agents.seeding import find_seeds
from synthesis.domains import Domain, Subdomain
from synthesis.seed_search import SeedSearch, search_seeds
from tests.synthesis.agents.small_web import blocks_of, page, turns, with_errand

PEOPLE = tuple(f"Ada N{n}" for n in range(40))
PAGES = (page("list.example", "Names: " + ", ".join(PEOPLE) + ". Also the Blue Bridge."),)
SEARCH = (("search", {"query": "names"}),)


def seeds(*names: str, **more: Any) -> dict[str, Any]:
    return {
        "seeds": [
            {"id": n, "entity_name": name, "is_fresh": True, **more} for n, name in enumerate(names)
        ]
    }


def wide(*names: str) -> tuple[Any, ...]:
    """Pages whose title is all of the names, so that a result shows them."""
    return (page("list.example", "Names of people", title=" ".join(names)),)


def found(folder: Path, *steps: Any, avoid: tuple[str, ...] = (), count: int = 4) -> Any:
    async def work(errand: Errand) -> Any:
        return await find_seeds(
            errand, primary="News", secondary="People", count=count, avoid=avoid
        )

    return with_errand(turns(seeds=list(steps)), work, folder, pages=wide(*PEOPLE, "Blue Bridge"))


def test_seeds_carry_their_domain(tmp_path: Path) -> None:
    """And are told apart by name alone."""
    (kept, done), server = found(tmp_path, SEARCH, seeds("Ada N1", "Ada N2"))
    assert [(seed.entity_name, seed.primary, seed.secondary) for seed in kept] == [
        ("Ada N1", "News", "People"),
        ("Ada N2", "News", "People"),
    ]
    assert (done["kept"], done["refused"]) == (2, {})
    blocks = blocks_of(server.received[0])
    assert (blocks["primary"], blocks["count"], blocks["since"]) == ("News", "4", "2026-01-01")
    assert [tool["function"]["name"] for tool in server.received[0].body["tools"]] == ["search"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (seeds("Ada N1", is_fresh=False), "not_fresh"),
        (seeds("Nobody Known"), "not_seen"),
        (seeds("ADA N7"), "known"),
    ],
)
def test_what_is_not_kept_is_counted_by_reason(tmp_path: Path, reply: Any, reason: str) -> None:
    """Not fresh, named by no result, or there already."""
    (kept, done), _ = found(tmp_path, SEARCH, reply, avoid=("Ada N7",))
    assert kept == []
    assert done["refused"] == {reason: 1}


def test_names_that_no_search_showed_are_invented(tmp_path: Path) -> None:
    """Without a search nothing was seen."""
    (kept, done), _ = found(tmp_path, seeds("Ada N1"))
    assert (kept, done["refused"]) == ([], {"not_seen": 1})


def test_the_same_name_twice_is_one_seed(tmp_path: Path) -> None:
    """Whatever the case and the spaces."""
    (kept, done), _ = found(tmp_path, SEARCH, seeds("Ada N1", "ada n1", " Ada  N1 "))
    assert len(kept) == 1
    assert done["refused"]["known"] == 2


def test_no_more_than_half_are_of_a_kind(tmp_path: Path) -> None:
    """Kinds that are not told are no kind."""
    (kept, done), _ = found(
        tmp_path, SEARCH, seeds("Ada N1", "Ada N2", "Ada N3", entity_type="person")
    )
    assert (len(kept), done["refused"]) == (2, {"too_many_of_a_kind": 1})
    (kept, _), _ = found(tmp_path, SEARCH, seeds("Ada N1", "Ada N2", "Ada N3"))
    assert len(kept) == 3


@pytest.mark.parametrize("blank", ["  ", "\n", "\u0000"])
def test_a_blank_name_is_shown_to_the_model(tmp_path: Path, blank: str) -> None:
    """It is no seed and no crash."""
    (kept, done), _ = found(tmp_path, SEARCH, seeds(blank), seeds("Ada N1"))
    assert [seed.entity_name for seed in kept] == ["Ada N1"]
    assert any("asked again" in repair for repair in done["repairs"])


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


def test_a_place_that_brings_nothing_new_is_left(tmp_path: Path) -> None:
    """After two rounds in vain; how many it had is told."""
    search, server = searched(tmp_path, lambda _: seeds("Nobody"), 3)
    assert search.seeds == []
    assert search.short == {"News/People": 0, "News/Places": 0, "Arts/Songs": 0}
    assert len(search.rounds) == 6
    assert len(server.received) == 6


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
