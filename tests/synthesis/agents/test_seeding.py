"""The seed agent: fresh, seen in results, new, and not all of a kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synthesis.agents.gathering import Errand
from synthesis.agents.seeding import find_seeds
from synthesis.seeds import Seed
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


def found(folder: Path, *steps: Any, known: tuple[Seed, ...] = (), count: int = 4) -> Any:
    async def work(errand: Errand) -> Any:
        return await find_seeds(
            errand, primary="News", secondary="People", count=count, found=known
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
    (kept, done), _ = found(tmp_path, SEARCH, reply, known=(Seed(entity_name="Ada N7"),))
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


def test_kinds_of_earlier_rounds_count(tmp_path: Path) -> None:
    """Half of all that is wanted, not half of each round."""
    known = tuple(Seed(entity_name=f"Ada N{n}", entity_type="Person") for n in (8, 9))
    reply = seeds("Ada N1", "Ada N2", entity_type="person")
    (kept, done), _ = found(tmp_path, SEARCH, reply, known=known)
    assert (kept, done["refused"]) == ([], {"too_many_of_a_kind": 2})


@pytest.mark.parametrize("blank", ["  ", "\n", "\u0000"])
def test_a_blank_name_is_shown_to_the_model(tmp_path: Path, blank: str) -> None:
    """It is no seed and no crash."""
    (kept, done), _ = found(tmp_path, SEARCH, seeds(blank), seeds("Ada N1"))
    assert [seed.entity_name for seed in kept] == ["Ada N1"]
    assert any("asked again" in repair for repair in done["repairs"])
