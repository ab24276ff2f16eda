"""Seed files: names, seeds and replies of the seed agent; every broken line is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from graphkit.errors import FormatError
from synthesis.seed_files import read_seeds
from synthesis.seeds import Seed, deduplicated, seed_records
from tests.synthesis.test_seeds import SEEDS


@given(seeds=SEEDS.filter(bool))
def test_the_contract_of_the_paper_reads_back(tmp_path_factory, seeds: list[Seed]):
    """Records by sub-domain give the same seeds again."""
    records = seed_records(seeds)
    assert sum(record["total_count"] for record in records) == len(seeds)
    path = tmp_path_factory.mktemp("seeds") / "seeds.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    key = lambda seed: (seed.primary, seed.secondary, seed.entity_name)  # noqa: E731
    found = read_seeds(path)
    assert sorted(map(key, found)) == sorted(map(key, deduplicated(_by_domain(seeds))))


def _by_domain(seeds: list[Seed]) -> list[Seed]:
    order = list(dict.fromkeys((seed.primary, seed.secondary) for seed in seeds))
    return sorted(seeds, key=lambda seed: order.index((seed.primary, seed.secondary)))


def test_names_seeds_and_replies_may_be_mixed(tmp_path: Path) -> None:
    """A name a line, a JSON seed, the reply of the seed agent, a list; blank lines are nothing."""
    path = tmp_path / "seeds.txt"
    path.write_text(
        "Ulm\n\n"
        '{"entity_name": "Bonn", "primary": "places", "is_fresh": false}\n'
        '{"domain": {"primary": "news", "secondary": "people"}, "total_count": 2, "seeds": ['
        '{"id": 1, "entity_name": "Ada Birch", "is_fresh": true}, {"entity_name": "ulm"}]}\n'
        '[{"entity_name": "Kiel"}]\n'
        "  爱达荷  \n",
        encoding="utf-8",
    )
    seeds = read_seeds(path)
    assert [seed.entity_name for seed in seeds] == ["Ulm", "Bonn", "Ada Birch", "Kiel", "爱达荷"]
    assert (seeds[1].primary, seeds[1].is_fresh) == ("places", False)
    assert (seeds[2].primary, seeds[2].secondary) == ("news", "people")


def test_every_broken_line_is_told_with_its_number(tmp_path: Path) -> None:
    """All at once, each with what was expected."""
    path = tmp_path / "seeds.jsonl"
    path.write_bytes(
        b"Ulm\n"
        b'{"entity_name": }\n'
        b'{"name": "Bonn"}\n'
        b'{"entity_name": ""}\n'
        b'{"seeds": 7}\n'
        b'{"seeds": ["Bonn"]}\n'
        b'{"domain": "news", "seeds": [{"entity_name": "Bonn"}]}\n'
        b"[7]\n"
        b'{"entity_name": "Kiel", "source_url": 7}\n'
        b"K\xff\n"
    )
    with pytest.raises(FormatError) as caught:
        read_seeds(path)
    assert [problem.line for problem in caught.value.problems] == list(range(2, 11))
    assert all(problem.file == str(path) for problem in caught.value.problems)
    assert "entity_name" in str(caught.value.problems[1])


def test_json_without_end_is_a_problem_of_its_line(tmp_path: Path) -> None:
    """Nesting that no reader follows is told with its line."""
    path = tmp_path / "seeds.txt"
    path.write_text("Ulm\n" + "[" * 200_000 + "\n")
    with pytest.raises(FormatError, match="nested too deeply") as caught:
        read_seeds(path)
    assert [problem.line for problem in caught.value.problems] == [2]


@pytest.mark.parametrize("text", ["", "\n \n", '{"seeds": []}\n'])
def test_a_file_without_seeds_is_an_error(tmp_path: Path, text: str) -> None:
    """There is nothing to start from."""
    path = tmp_path / "seeds.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"empty|blank|no seed"):
        read_seeds(path)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(FormatError, match=r"seeds\.txt"):
        read_seeds(tmp_path / "seeds.txt")
