"""Witnesses and losses by example: what is said, in which order, and where it ends."""

from __future__ import annotations

import itertools

import pytest

from graphkit.errors import InputError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.witness import find_loss, find_witness, replay

FACTS = FactStore.from_triples(
    [
        ("Ann", "likes", "Tea"),
        ("Bob", "likes", "Tea"),
        ("Cem", "likes", "Tea"),
        ("Ann", "lives in", "Bonn"),
        ("Bob", "lives in", "Bonn"),
        ("Bob", "hates", "Rain"),
        ("Dan", "likes", "Rain"),
    ]
)


def projection(number: int, source: str, target: str, relation: str) -> Edge:
    return Edge(
        edge_id=f"e{number}",
        source_ids=(source,),
        target_id=target,
        op="projection",
        relation=relation,
        direction="backward",
    )


GRAPH = QuestionGraph(
    root_node_id="x",
    nodes=[
        Node(node_id="t", known_entities=["Tea"]),
        Node(node_id="b", known_entities=["Bonn"]),
        Node(node_id="r", known_entities=["Rain"]),
        Node(node_id="likes"),
        Node(node_id="lives"),
        Node(node_id="hates"),
        Node(node_id="not"),
        Node(node_id="x"),
    ],
    edges=[
        projection(0, "t", "likes", "likes"),
        projection(1, "b", "lives", "lives in"),
        projection(2, "r", "hates", "hates"),
        Edge(edge_id="e3", source_ids=["hates"], target_id="not", op="complement"),
        Edge(edge_id="e4", source_ids=["likes", "lives", "not"], target_id="x", op="intersection"),
    ],
)


def number(name: str) -> int:
    return int(FACTS.named(name).ids[0])


def test_a_witness_tells_the_facts_sources_first():
    """Ann likes tea, lives in Bonn, and is not among those who hate rain."""
    witness = find_witness(evaluate(GRAPH, FACTS), number("Ann"))
    assert [FACTS.in_names(fact) for fact in witness.facts] == [
        ("Ann", "likes", "Tea"),
        ("Ann", "lives in", "Bonn"),
    ]
    assert [(step.node_id, step.kind) for step in witness.steps] == [
        ("t", "anchor"),
        ("likes", "fact"),
        ("b", "anchor"),
        ("lives", "fact"),
        ("not", "absent"),
        ("x", "member"),
    ]


def test_who_is_no_answer_has_no_witness():
    """Asking for one is a mistake that names the entity."""
    with pytest.raises(InputError, match="'Bob' is not an answer"):
        find_witness(evaluate(GRAPH, FACTS), number("Bob"))


@pytest.mark.parametrize(
    ("name", "node_id", "edge_id", "reason"),
    [
        ("Bob", "not", "e3", "Bob is excluded: it is in the set of node hates"),
        ("Cem", "lives", "e1", "no fact of relation 'lives in' has Cem as its head"),
        (
            "Dan",
            "likes",
            "e0",
            "relation 'likes' joins Dan to Rain, none of them in the set of node t",
        ),
    ],
)
def test_a_loss_says_where_and_why(name: str, node_id: str, edge_id: str, reason: str):
    """An exclusion, no fact at all, and facts that lead elsewhere."""
    loss = find_loss(evaluate(GRAPH, FACTS), number(name))
    assert loss is not None
    assert (loss.node_id, loss.edge_id, loss.reason) == (node_id, edge_id, reason)


def test_an_answer_was_not_lost():
    """There is no loss to tell of an answer."""
    assert find_loss(evaluate(GRAPH, FACTS), number("Ann")) is None


def test_a_type_and_a_name_can_lose_an_entity():
    """The node's own type comes first, then its names."""
    anchor = Node(node_id="x", known_entities=["Ann", "Bob"])
    loss = find_loss(
        evaluate(QuestionGraph(root_node_id="x", nodes=[anchor]), FACTS), number("Cem")
    )
    assert loss is not None
    assert loss.reason == "Cem is not Ann or Bob"
    typed = anchor.model_copy(update={"entity_type": "person"})
    loss = find_loss(evaluate(QuestionGraph(root_node_id="x", nodes=[typed]), FACTS), number("Ann"))
    assert loss is not None
    assert loss.reason == "Ann is of type no type, not person"


def test_a_forged_witness_does_not_replay():
    """Steps left out, a fact that is not there, a step about somebody else: all are noticed."""
    evaluation = evaluate(GRAPH, FACTS)
    witness = find_witness(evaluation, number("Ann"))
    whole = type(witness)(witness.entity, witness.steps)
    assert replay(whole, GRAPH, FACTS)
    for place in range(len(witness.steps)):
        fewer = witness.steps[:place] + witness.steps[place + 1 :]
        assert not replay(type(witness)(witness.entity, fewer), GRAPH, FACTS)
    for name in ("Bob", "Cem", "Dan"):
        assert not replay(type(witness)(number(name), witness.steps), GRAPH, FACTS)


def test_graphs_of_a_thousand_hops_have_witnesses():
    """Depth is no obstacle."""
    facts = FactStore.from_triples([("A", "next", "B"), ("B", "next", "A")])
    names = [f"n{place}" for place in range(1_001)]
    graph = QuestionGraph(
        root_node_id="n1000",
        nodes=[
            Node(node_id=name, known_entities=["A"] if name == "n0" else []) for name in names
        ],
        edges=[
            Edge(edge_id=f"e{one}", source_ids=[one], target_id=other, op="projection",
                 relation="next")
            for one, other in itertools.pairwise(names)
        ],
    )  # fmt: skip
    evaluation = evaluate(graph, facts)
    witness = find_witness(evaluation, int(facts.named("A").ids[0]))
    assert len(witness.steps) == 1_001
    assert len(witness.facts) == 2
    assert replay(witness, graph, facts)
    loss = find_loss(evaluation, int(facts.named("B").ids[0]))
    assert loss is not None
    assert loss.node_id == "n1000"
