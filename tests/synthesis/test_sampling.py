"""Sampling: what it yields is unique and irredundant by two implementations that it never asks."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.checks import check
from graphkit.errors import InputError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.patterns import canonical_key, signature
from graphkit.testing.oracle import oracle_answers, oracle_redundant
from graphkit.testing.strategies import fact_stores
from synthesis.dice import Dice
from synthesis.sampling import Certified, Sampler, sample_certified
from synthesis.seeding import SAMPLED


def dense_store(seed: int, entities: int = 40, facts: int = 600) -> FactStore:
    """A store in which every pattern has certified questions."""
    dice = Dice(seed)
    return FactStore.from_triples(
        (f"n{dice.below(entities)}", f"r{dice.below(6)}", f"n{dice.below(entities)}")
        for _ in range(facts)
    )


def assert_certified(found: Certified, pattern: str) -> None:
    """By the oracle: the pattern, one answer, and nothing that can be left out."""
    graph = found.graph()
    assert signature(graph) == pattern == found.pattern
    assert oracle_answers(graph, found.facts) == {found.facts.entity(found.answer).key}
    assert oracle_redundant(graph, found.facts) == []
    assert graph.answer == found.facts.name(found.answer)


@pytest.mark.parametrize("pattern", SAMPLED)
def test_every_sample_is_certified_by_the_oracle(pattern):
    """Each pattern yields as many different questions as asked for, each one certified."""
    facts = dense_store(3)
    found = list(sample_certified(facts, pattern, 12, seed=5))
    assert len(found) == 12
    assert len({canonical_key(item.graph()) for item in found}) == 12
    for item in found:
        assert_certified(item, pattern)


@given(fact_stores(high=30), st.sampled_from(SAMPLED), st.integers(0, 99))
def test_samples_of_any_store_are_certified(facts, pattern, seed):
    """Small stores with odd, ambiguous and typed names: few samples, all of them certified."""
    for item in Sampler(facts, seed).sample(pattern, 3, patience=100):
        assert_certified(item, pattern)


def test_the_same_seed_gives_the_same_questions():
    """Another seed gives others."""
    facts = dense_store(4)
    first, again, other = (
        [item.query for item in sample_certified(facts, "pi", 20, seed)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_checks_agree():
    """The library's own checks call the samples unique and irredundant."""
    facts = dense_store(5)
    for pattern in ("2in", "pni"):
        for item in islice(sample_certified(facts, pattern, 5, seed=2), 5):
            report = check(item.graph(), facts)
            assert report.unique
            assert report.faithful
            assert report.redundant == ()


@pytest.mark.parametrize("pattern", ["2u", "up", "4i"])
def test_what_cannot_be_sampled_is_refused(pattern):
    """Unions have a part that can go, and other names are no patterns."""
    with pytest.raises(InputError, match=f"cannot sample '{pattern}', expected one of 1p"):
        sample_certified(dense_store(1), pattern, 1, seed=1)


def test_a_store_without_such_questions_ends_with_fewer():
    """It gives up instead of searching for ever; a store without facts too."""
    lonely = FactStore.from_triples([("a", "r", "b")])
    assert list(sample_certified(lonely, "3in", 5, seed=1)) == []
    assert list(sample_certified(FactStore.from_triples([]), "2i", 5, seed=1)) == []


@pytest.mark.shared_data
def test_yield_on_a_public_graph(shared_data: Path):
    """On FB15k-237 at least a tenth of what is proposed is certified, for every pattern."""
    with gzip.open(shared_data / "kg/fb15k237/train.tsv.gz", "rt", encoding="utf-8") as lines:
        facts = FactStore.from_triples(tuple(line.rstrip("\n").split("\t")) for line in lines)
    for pattern in SAMPLED:
        sampler = Sampler(facts, 11)
        found = list(sampler.sample(pattern, 40))
        assert len(found) == 40
        assert sampler.certified >= 0.1 * sampler.proposed
        for item in found[:10]:
            assert evaluate(item.graph(), facts).answers.ids.tolist() == [item.answer]
