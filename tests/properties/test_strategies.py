"""The random graphs reach what they promise, and planted answers are answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from graphkit.facts import FactStore
from graphkit.grounding import ground
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.testing.generation import ODD_NAMES, seeded_pairs
from graphkit.testing.oracle import is_unsafe, oracle_answers, oracle_values
from graphkit.testing.strategies import (
    evidence,
    fact_stores,
    names,
    question_graphs,
    relation_sheets,
    stores_with_graphs,
)


def _ops(graph: QuestionGraph, node_id: str) -> list[Op]:
    return [edge.op for edge in graph.incoming[node_id]]


def _negative(graph: QuestionGraph, node_id: str) -> bool:
    node = graph.node(node_id)
    return _ops(graph, node_id) == [Op.COMPLEMENT] and not node.known_entities


def _odd(text: str) -> Callable[[QuestionGraph], bool]:
    return lambda graph: any(text in name for node in graph.nodes for name in node.known_entities)


FORM: dict[str, Callable[[QuestionGraph], bool]] = {
    "shared node": lambda g: any(len(g.outgoing[n.node_id]) > 1 for n in g.nodes),
    "implicit intersection": lambda g: any(len(g.incoming[n.node_id]) > 1 for n in g.nodes),
    "names on an inner node": lambda g: any(
        n.known_entities and g.incoming[n.node_id] for n in g.nodes
    ),
    "projection of a complement": lambda g: any(
        e.op is Op.PROJECTION and _negative(g, e.source_ids[0]) for e in g.edges
    ),
    "double complement": lambda g: any(
        e.op is Op.COMPLEMENT and _negative(g, e.source_ids[0]) for e in g.edges
    ),
    "intersection of complements": lambda g: any(
        e.op is Op.INTERSECTION and all(_negative(g, s) for s in e.source_ids) for e in g.edges
    ),
    "any-of anchor": lambda g: any(len(n.known_entities) > 1 for n in g.nodes),
    "three sources": lambda g: any(len(e.source_ids) == 3 for e in g.edges),
    "four sources": lambda g: any(len(e.source_ids) == 4 for e in g.edges),
    "union": lambda g: any(e.op is Op.UNION for e in g.edges),
    "type": lambda g: any(n.entity_type is not None for n in g.nodes),
    "free node as a source": lambda g: any(
        not g.incoming[s] and not g.node(s).known_entities and g.node(s).entity_type is None
        for e in g.edges
        for s in e.source_ids
    ),
    "filler": lambda g: len(g.relevant) < len(g.nodes),
    "anchor at the root": lambda g: bool(g.node(g.root_node_id).known_entities),
    "no direction": lambda g: any(e.op is Op.PROJECTION and e.direction is None for e in g.edges),
    "targets before sources": lambda g: [n.node_id for n in g.nodes] != list(g.order),
    "five hops": lambda g: sum(e.op is Op.PROJECTION for e in g.edges) >= 5,
    "quote": _odd('"'),
    "line break": _odd("\n"),
    "NUL": _odd("\x00"),
    "right-to-left": _odd("\u05e2"),
    "emoji": _odd("\U0001f680"),
    "very long name": lambda g: any(len(x) > 200 for n in g.nodes for x in n.known_entities),
}

FACTS: dict[str, Callable[[FactStore, QuestionGraph], bool]] = {
    "empty answers": lambda k, g: oracle_answers(g, k) == set(),
    "empty inner set": lambda k, g: frozenset() in list(oracle_values(g, k).values())[:-1],
    "one answer": lambda k, g: len(oracle_answers(g, k)) == 1 and len(g.edges) > 2,
    "ambiguous name": lambda k, g: ground(g, k).ambiguous,
    "evidence with aliases": lambda k, g: bool(k.aliases) and bool(k.records),
    "name found by alias": lambda k, g: any(
        match.tier == "alias" for found in ground(g, k).anchors.values() for match in found
    ),
    "name found by id": lambda k, g: any(
        match.tier == "id" for found in ground(g, k).anchors.values() for match in found
    ),
    "relation by inverse alias": lambda k, g: any(
        found.tier == "inverse alias" for found in ground(g, k).relations.values()
    ),
    "literal with a unit": lambda k, g: any(entity.unit for entity in k.entities),
    "two records for a fact": lambda k, g: any(len(k.evidence_ids(f)) > 1 for f in k.facts()),
}

QUICK = settings(
    max_examples=3_000,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
    phases=[Phase.generate],  # to find is enough, nothing is to be shrunk
)


@pytest.fixture(scope="module")
def sample() -> list[tuple[FactStore, QuestionGraph]]:
    """3,000 pairs from a seed."""
    return list(seeded_pairs(5, 3000))


@pytest.mark.parametrize("name", FORM)
def test_every_form_of_graph_is_reachable(sample, name):
    """Among 3,000 graphs each promised form occurs at least five times."""
    assert sum(FORM[name](graph) for _, graph in sample) >= 5


@pytest.mark.parametrize("name", FACTS)
def test_every_relation_of_graph_and_facts_is_reachable(sample, name):
    """Among 3,000 pairs each promised case occurs at least five times."""
    assert sum(FACTS[name](facts, graph) for facts, graph in sample) >= 5


@pytest.mark.parametrize(
    "name", ["shared node", "projection of a complement", "double complement", "filler", "NUL"]
)
def test_hypothesis_finds_each_rare_form(name):
    """The same choices drawn by hypothesis reach the forms that are hard to hit."""
    _, graph = find(stores_with_graphs(), lambda pair: FORM[name](pair[1]), settings=QUICK)
    assert FORM[name](graph)


@pytest.mark.parametrize("name", ["empty answers", "one answer", "ambiguous name"])
def test_hypothesis_finds_each_rare_case(name):
    """The same choices drawn by hypothesis reach the rare cases of graph and facts."""
    pair = find(stores_with_graphs(), lambda found: FACTS[name](*found), settings=QUICK)
    assert FACTS[name](*pair)


def test_a_good_share_of_planted_graphs_is_unique():
    """Planted graphs have answers, and at least a third of them has just one."""
    seen: Counter[int] = Counter()
    for facts, graph in seeded_pairs(6, 1000, planted=True):
        answers = oracle_answers(graph, facts)
        assert answers
        assert graph.answer in {e.text for e in facts.entities if e.key in answers}
        seen[min(len(answers), 2)] += 1
    assert seen[1] > 333
    assert seen[2] > 100


@given(stores_with_graphs(safe=True), stores_with_graphs(safe=False))
def test_safe_and_unsafe_roots_can_be_chosen(safe, unsafe):
    """safe=True gives ordinary sets, safe=False complements."""
    assert not is_unsafe(safe[1])
    assert is_unsafe(unsafe[1])


@given(stores_with_graphs(union=False, odd=False))
def test_union_and_odd_names_can_be_left_out(pair):
    """union=False and odd=False keep their word."""
    facts, graph = pair
    assert Op.UNION not in {edge.op for edge in graph.edges}
    assert not {entity.name for entity in facts.entities} & set(ODD_NAMES)


@given(fact_stores(low=2, high=3).flatmap(lambda k: question_graphs(k, steps=1)))
def test_graphs_over_a_given_store(graph):
    """question_graphs takes the store, and few steps make a small graph."""
    assert len(graph.nodes) <= 12


@given(relation_sheets(), names())
def test_sheets_contradict_nothing_and_names_are_not_blank(sheet, name):
    """A drawn sheet has no problems and survives its own data; a name is never blank."""
    assert sheet.problems() == []
    assert RelationSheet.from_dict(sheet.model_dump()) == sheet
    assert name.strip()


@given(evidence(low=2))
def test_evidence_has_ids_of_its_own(records):
    """No two records of a list share an id."""
    assert len({record.evidence_id for record in records}) == len(records) >= 2


def test_a_seed_gives_the_same_pairs_again():
    """The generator depends on its seed alone."""
    first, again = ([g.to_record() for _, g in seeded_pairs(3, 60)] for _ in range(2))
    other = [g.to_record() for _, g in seeded_pairs(4, 60)]
    assert first == again
    assert first != other


def test_a_store_without_facts_and_a_planted_unsafe_graph_are_refused():
    """There is nothing to ask about nothing."""
    empty = FactStore.from_triples([])
    with pytest.raises(ValueError, match="at least one fact"):
        find(question_graphs(empty), lambda _: True, settings=QUICK)
    some = FactStore.from_triples([("a", "r", "b")])
    with pytest.raises(ValueError, match="planted graph is safe"):
        find(question_graphs(some, safe=False, planted=True), lambda _: True, settings=QUICK)
