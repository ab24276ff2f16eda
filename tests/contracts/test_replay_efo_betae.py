"""EFO and BetaE queries replay: published query2box queries in both give the published answers."""

from __future__ import annotations

import gzip
import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest

from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import read_facts
from graphkit.formats.betae import parse_betae
from graphkit.formats.efo import parse_efo

ENTITIES = [f"s{number}" for number in range(1, 4)] + list("abcdef")
RELATIONS = ["r1", "r2", "r3"]
FORMULAS = [
    "r1(s1,f)",
    "r1(s1,e1)&r2(e1,f)",
    "r1(s1,e1)&r2(e1,e2)&r3(e2,f)",
    "r1(s1,f)&r2(s2,f)",
    "r1(s1,f)&r2(s2,f)&r3(s3,f)",
    "r1(s1,e1)&r2(s2,e1)&r3(e1,f)",
    "r1(s1,e1)&r2(e1,f)&r3(s2,f)",
    "r1(s1,f)&!r2(s2,f)",
    "r1(s1,f)&r2(s2,f)&!r3(s3,f)",
    "r1(s1,e1)&!r2(s2,e1)&r3(e1,f)",
    "r1(s1,e1)&r2(e1,f)&!r3(s2,f)",
    "r1(s1,f)|r2(s2,f)",
    "(r1(s1,e1)|r2(s2,e1))&r3(e1,f)",
    "r1(s1,f)&r2(e1,f)",
    "r1(f,s1)&!(r2(s2,f)|r3(s3,f))",
    "(r1(s1,f)|!r2(s2,f))&r3(s3,f)",
]


def holds(formula: str, facts: set[tuple[str, str, str]], free: str) -> bool:
    """Decide a formula by trying all individuals: Python's own logic over its atoms."""
    text = formula.replace("!", " not ").replace("&", " and ").replace("|", " or ")
    text = text.replace("r1(", "atom('r1',").replace("r2(", "atom('r2',")
    text = text.replace("r3(", "atom('r3',")
    names = {"s1": "s1", "s2": "s2", "s3": "s3", "f": free}
    code = compile(text.strip(), "formula", "eval")
    for first, second in itertools.product(ENTITIES, repeat=2):
        scope = {**names, "e1": first, "e2": second,
                 "atom": lambda relation, head, tail: (head, relation, tail) in facts}  # fmt: skip
        if eval(code, {"__builtins__": {}}, scope):  # noqa: S307 - texts of this file
            return True
    return False


@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_replay_on_small_worlds(formula: str) -> None:
    """On random facts a formula's graph has exactly the individuals for which it holds."""
    choices = random.Random(formula)
    filled = 0
    for _ in range(6):
        facts = {
            fact
            for fact in itertools.product(ENTITIES, RELATIONS, ENTITIES)
            if choices.random() < 0.6
        }
        facts |= {(name, "is", name) for name in ENTITIES}
        expected = {name for name in ENTITIES if holds(formula, facts, name)}
        found = evaluate(parse_efo(formula), FactStore.from_triples(sorted(facts)))
        assert set(found.names) == expected
        filled += bool(expected)
    assert filled >= 3


@pytest.fixture(scope="module")
def published(shared_data: Path) -> tuple[FactStore, list[dict[str, Any]]]:
    folder = shared_data / "kg/fb15k237"
    with gzip.open(folder / "query2box-valid-sample.jsonl.gz", "rt") as lines:
        queries = [json.loads(line) for line in lines]
    facts = read_facts([folder / "train.tsv.gz", folder / "valid-extra.tsv.gz"])
    return facts, queries


@pytest.mark.shared_data
@pytest.mark.slow
def test_published_queries_replay_in_both_notations(
    published: tuple[FactStore, list[dict[str, Any]]],
) -> None:
    """Every fourth published query, spelt as EFO and as BetaE, gives its published answers."""
    facts, queries = published
    for query in queries[::4]:
        expected = sorted(query["answers"])
        assert evaluate(parse_efo(as_efo(query)), facts).names == expected
        assert evaluate(parse_betae(as_betae(query)), facts).names == expected


def as_efo(query: dict[str, Any]) -> str:
    def along(text: str, steps: list[dict[str, str]]) -> str:
        for step in steps:
            letter = "r" if step["direction"] == "forward" else "-r"
            text = f"(p,({letter},{step['relation']}),{text})"
        return text

    ends = [along(f"(e,{item['anchor']})", item["path"]) for item in query["branches"]]
    letter = "u" if query.get("op") == "union" else "i"
    text = ends[0] if len(ends) == 1 else f"({letter},{','.join(ends)})"
    return along(text, query.get("then", []))


def as_betae(query: dict[str, Any]) -> Any:
    def chain(steps: list[dict[str, str]]) -> tuple[str, ...]:
        return tuple(
            ("+" if step["direction"] == "forward" else "-") + step["relation"] for step in steps
        )

    found: Any = tuple((item["anchor"], chain(item["path"])) for item in query["branches"])
    if len(found) == 1:
        return found[0]
    if query.get("op") == "union":
        found = (*found, ("u",))
    return (found, chain(query["then"])) if query.get("then") else found
