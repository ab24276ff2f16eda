"""Seeds: told apart by name, the same in every run, written in the paper's contract."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from graphkit.entities import fold
from synthesis.seeds import Seed, deduplicated, seed_records
from synthesis.visible_names import visible_name

NAMES = st.text(min_size=1, max_size=6).filter(visible_name)
SEEDS = st.lists(
    st.builds(
        Seed,
        entity_name=st.one_of(st.sampled_from(["Ulm", "ULM", "Straße", "STRASSE", "Bonn"]), NAMES),
        primary=st.sampled_from(["", "news"]),
        secondary=st.sampled_from(["", "people", "places"]),
    ),
    max_size=10,
)


@given(seeds=SEEDS)
def test_each_entity_is_there_once_the_first_of_its_name(seeds: list[Seed]):
    """Order stays; case and width do not make another entity; doing it twice is once."""
    kept = deduplicated(seeds)
    names = [fold(seed.entity_name) for seed in seeds]
    assert kept == [seeds[n] for n, name in enumerate(names) if name not in names[:n]]
    assert deduplicated(kept) == kept


@given(seeds=SEEDS)
def test_ids_follow_from_names(seeds: list[Seed]):
    """Equal names, however spelled, have one id; others have others."""
    assert len({seed.id for seed in seeds}) == len({fold(seed.entity_name) for seed in seeds})


@given(seeds=SEEDS)
def test_records_are_counted_and_numbered(seeds: list[Seed]):
    """One a sub-domain, in the order in which they came; seeds are numbered from one."""
    records = seed_records(seeds)
    places = [(record["domain"]["primary"], record["domain"]["secondary"]) for record in records]
    assert places == list(dict.fromkeys((seed.primary, seed.secondary) for seed in seeds))
    for record in records:
        numbers = [seed["id"] for seed in record["seeds"]]
        assert numbers == list(range(1, record["total_count"] + 1))
    assert sum(record["total_count"] for record in records) == len(seeds)


def test_fifty_thousand_seeds_are_told_apart_in_a_moment() -> None:
    """Neither time nor ids get short."""
    begun = time.process_time()
    seeds = deduplicated(Seed(entity_name=f"entity {n % 50_000}") for n in range(60_000))
    assert len({seed.id for seed in seeds}) == len(seeds) == 50_000
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("name", ["", "  ", "\n"])
def test_a_seed_has_a_name(name: str) -> None:
    """Blank names are none."""
    with pytest.raises(ValidationError):
        Seed(entity_name=name)
