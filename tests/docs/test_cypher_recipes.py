"""Every recipe of docs/cypher.md runs, finds something, and says what Python says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from graphkit.checks import check
from graphkit.facts import FactStore
from graphkit.formats import read_evidence, read_sheet
from graphkit.stores import GraphStore, load_facts, load_questions, save_checks, save_history
from synthesis.grow import GrownQuestion, Growth
from synthesis.grow_settings import GrowSettings
from tests.docs.recipes import ENGINES, RECIPES, ROOT, empty_store, run

FACTBOOK = ROOT / "examples" / "factbook"
RELATIONS = {
    "borders",
    "capital",
    "region",
    "takes part in",
    "observer of",
    "national color",
    "official language",
    "currency",
    "party to",
    "exports",
}
# These find nothing on sound grown questions; the test plants what they look for.
PLANTED = {
    "Contradictions: a functional relation with two tails",
    "Questions with a shortcut or a redundant condition",
    "Questions that rest on a single source page",
    "Relations that questions use and the sheet does not call complete",
    "Chains: which question grew into which",
}


class Benchmark:
    """A small benchmark: facts, grown questions, and a few planted oddities."""

    def __init__(self) -> None:
        records = [
            record
            for record in read_evidence(FACTBOOK / "evidence.jsonl")
            if record.relation in RELATIONS
        ]
        second = next(
            record
            for record in records
            if record.relation == "capital" and record.head_entity == "Germany"
        )
        records = [
            record.model_copy(update={"is_fresh_knowledge": place % 3 == 0})
            for place, record in enumerate(records)
        ]
        records.append(
            second.model_copy(
                update={"evidence_id": "planted:capital", "tail_entity": "Bonn", "aliases": {}}
            )
        )
        self.facts = FactStore.from_evidence(records, read_sheet(FACTBOOK / "relations.toml"))
        self.grown: list[GrownQuestion] = list(
            Growth(self.facts, GrowSettings(count=40, seed=5, max_answer_share=0.1))
        )
        first = self.grown[0]
        weak = {
            "id": "planted-weak",
            "question": "Which country borders Germany and exports what it exports?",
            "answer": "Austria",
            "parent_id": first.graph.id,
            "root_node_id": "n2",
            "nodes": [
                {"node_id": "n0", "known_entities": ["Germany"]},
                {"node_id": "n1"},
                {"node_id": "n3", "known_entities": ["machinery"]},
                {"node_id": "n4"},
                {"node_id": "n2", "is_root": True},
            ],
            "edges": [
                {
                    "edge_id": "e0",
                    "source_ids": ["n0"],
                    "target_id": "n1",
                    "op": "projection",
                    "relation": "borders",
                    "direction": "backward",
                },
                {
                    "edge_id": "e1",
                    "source_ids": ["n3"],
                    "target_id": "n4",
                    "op": "projection",
                    "relation": "exports",
                    "direction": "backward",
                },
                {
                    "edge_id": "e2",
                    "source_ids": ["n1", "n4", "n5"],
                    "target_id": "n2",
                    "op": "intersection",
                },
                {
                    "edge_id": "e3",
                    "source_ids": ["n0"],
                    "target_id": "n5",
                    "op": "projection",
                    "relation": "borders",
                    "direction": "forward",
                },
            ],
            "evidence_ids": [next(iter(self.facts.records))],
        }
        weak["nodes"].append({"node_id": "n5"})  # type: ignore[attr-defined]
        from graphkit.formats.question_json import graph_from_data

        self.weak = graph_from_data(weak)
        self.params: dict[str, Any] = {
            "name": "Germany",
            "question": first.graph.id,
            "evidence": first.graph.evidence_ids[0],
        }

    def load(self, store: GraphStore) -> None:
        """Put everything into a store."""
        load_facts(store, self.facts)
        load_questions(store, [*(item.graph for item in self.grown), self.weak])
        for item in self.grown:
            save_history(store, item.graph, item.history)
        save_checks(
            store,
            [
                *((item.graph, item.checks) for item in self.grown),
                (self.weak, check(self.weak, self.facts)),
            ],
        )


@pytest.fixture(scope="module")
def benchmark_set() -> Benchmark:
    return Benchmark()


@pytest.fixture(scope="module", params=ENGINES)
def store(request: pytest.FixtureRequest, benchmark_set: Benchmark) -> Iterator[GraphStore]:
    with empty_store(request.param, request) as opened:
        benchmark_set.load(opened)
        yield opened


def test_there_are_many_recipes() -> None:
    """The page has at least twenty recipes, and names the planted ones rightly."""
    assert len(RECIPES) >= 20
    assert set(RECIPES) >= PLANTED


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_finds_something(title: str, store: GraphStore, benchmark_set: Benchmark) -> None:
    """A recipe of the page runs as it stands and has rows."""
    assert run(store, RECIPES[title], benchmark_set.params)


def test_structures_are_counted(store: GraphStore, benchmark_set: Benchmark) -> None:
    """The structures of the questions are those that Python counts."""
    rows = run(store, RECIPES["Questions by structure"], {})
    graphs = [*(item.graph for item in benchmark_set.grown), benchmark_set.weak]
    from graphkit.patterns import signature

    assert {row["structure"]: row["questions"] for row in rows} == Counter(map(signature, graphs))


def test_named_entities_are_counted(store: GraphStore, benchmark_set: Benchmark) -> None:
    """Entities named in many questions come first, with the number of questions."""
    rows = run(store, RECIPES["Entities named in many questions"], {})
    graphs = [*(item.graph for item in benchmark_set.grown), benchmark_set.weak]
    named = Counter(
        name
        for graph in graphs
        for name in {name for node in graph.nodes for name in node.known_entities}
    )
    expected = sorted(named.items(), key=lambda item: (-item[1], item[0]))[:20]
    assert [(row["name"], row["questions"]) for row in rows] == expected


def test_withdrawing_a_record_names_its_questions(
    store: GraphStore, benchmark_set: Benchmark
) -> None:
    """Exactly the questions that rest on a record are named."""
    rows = run(store, RECIPES["What falls if one record is withdrawn"], benchmark_set.params)
    graphs = [*(item.graph for item in benchmark_set.grown), benchmark_set.weak]
    expected = sorted(
        graph.id or "" for graph in graphs if benchmark_set.params["evidence"] in graph.evidence_ids
    )
    assert [row["question"] for row in rows] == expected


def test_a_history_is_told_in_order(store: GraphStore, benchmark_set: Benchmark) -> None:
    """The steps of a question are its recorded mutations, in order."""
    rows = run(store, RECIPES["How one question grew"], benchmark_set.params)
    history = benchmark_set.grown[0].history
    assert [(row["step"], row["strategy"], row["reason"]) for row in rows] == [
        (step, item.strategy.value, item.reason) for step, item in enumerate(history, 1)
    ]


def test_what_was_planted_is_found(store: GraphStore, benchmark_set: Benchmark) -> None:
    """The contradiction, the weak question, its parent: each where a recipe looks for it."""
    found = {title: run(store, RECIPES[title], benchmark_set.params) for title in PLANTED}
    assert {"relation": "capital", "head": "Germany", "tails": 2} in found[
        "Contradictions: a functional relation with two tails"
    ]
    weak = found["Questions with a shortcut or a redundant condition"]
    assert [row["question"] for row in weak] == ["planted-weak"]
    single = found["Questions that rest on a single source page"]
    assert {"question": "planted-weak"} in single
    open_relations = found["Relations that questions use and the sheet does not call complete"]
    assert {"relation": "exports", "questions": 1} in open_relations
    chains = found["Chains: which question grew into which"]
    assert [(row["earlier"], row["later"]) for row in chains] == [
        (benchmark_set.grown[0].graph.id, "planted-weak")
    ]
