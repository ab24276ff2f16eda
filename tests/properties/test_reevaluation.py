"""Laws of incremental evaluation: equal to a fresh one, and nothing computed without need."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import GroundingError, UnsafeGraphError
from graphkit.evaluate import Evaluation, evaluate, reevaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.grounding import ground
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.testing.generation import Choices, SeededChoices, seeded_pairs
from graphkit.testing.strategies import choices, stores_with_graphs


def changed_graph(stream: Choices, graph: QuestionGraph, facts: FactStore) -> QuestionGraph:
    """Change one thing of a graph: names, relation, direction, type, edge, root, or order."""
    nodes, edges = list(graph.nodes), list(graph.edges)
    kind = stream.number(0, 6)
    at = stream.number(0, len(nodes) - 1)
    hops = [place for place, edge in enumerate(edges) if edge.op is Op.PROJECTION]
    if kind == 0:
        names = [facts.name(int(number)) for number in facts.universe]
        new = (stream.pick(names),) if stream.chance(70) else ()
        nodes[at] = nodes[at].model_copy(update={"known_entities": new})
    elif kind == 1 and hops:
        place = stream.pick(hops)
        relation = stream.pick(list(facts.living_relations))
        edges[place] = edges[place].model_copy(update={"relation": relation})
    elif kind == 2 and hops:
        place = stream.pick(hops)
        turned = edges[place].reads.reverse
        edges[place] = edges[place].model_copy(update={"direction": turned})
    elif kind == 3:
        kinds = [None, "city", "nobody", *facts.types]
        nodes[at] = nodes[at].model_copy(update={"entity_type": stream.pick(kinds)})
    elif kind == 4 and edges:
        edges.pop(stream.number(0, len(edges) - 1))
    elif kind == 5:
        flat = [node.model_copy(update={"is_root": False}) for node in nodes]
        return graph.replace(root_node_id=nodes[at].node_id, nodes=tuple(flat))
    else:
        edges = edges[::-1]
    return graph.replace(nodes=tuple(nodes), edges=tuple(edges))


def changed_facts(stream: Choices, facts: FactStore, step: int) -> FactStore:
    """Change one thing of a store: a fact or a record comes or goes, old entities or new ones."""
    kind = stream.number(0, 4)
    numbers = list(range(len(facts.entities)))
    if kind <= 1 and len(facts) > 1:
        return facts.without_fact(stream.pick(list(facts.facts())))
    if kind == 2 and facts.records and len(facts) > 1:
        smaller = facts.without_record(stream.pick(list(facts.records)))
        return smaller if len(smaller) else facts
    relation = stream.pick([*facts.relations, "a new relation"])
    if kind == 3:
        names = [*(facts.entity(number).name for number in numbers), "somebody new"]
        return facts.with_record(
            EvidenceRecord(
                evidence_id=f"new{step}",
                head_entity=stream.pick(names),
                relation=relation,
                tail_entity=stream.pick(names),
                head_type=stream.pick([None, "city"]),
                aliases={stream.pick(names): ("Nickname",)} if stream.chance(20) else {},
            )
        )
    ends = [*numbers, "somebody new"]  # a number may be that of an entity without facts
    return facts.with_fact(stream.pick(ends), relation, stream.pick(ends))


def fresh(graph: QuestionGraph, facts: FactStore) -> Evaluation | None:
    """A fresh evaluation, or None where the graph does not ground any more."""
    try:
        return evaluate(graph, facts, materialize_universe=True)
    except GroundingError:
        return None


def could_depend(previous: Evaluation, graph: QuestionGraph, facts: FactStore) -> frozenset[str]:
    """The nodes whose value the change could touch, and all nodes above them.

    A node is touched if it is new, if what its names mean or its type holds is another thing, if
    its incoming edges are others, if an incoming projection runs along the relation of the
    changed fact, or if it is or was the root and written out.
    """
    old, before = previous.graph, previous.facts
    delta = facts.delta if facts.parent is before and facts is not before else None
    now = ground(graph, facts)

    def edges_of(item: QuestionGraph, grounding, node_id: str) -> list[tuple[object, ...]]:
        return [
            (
                edge.op,
                edge.source_ids,
                (found.number, found.direction)
                if (found := grounding.relations.get(edge.edge_id)) is not None
                else None,
            )
            for edge in item.incoming[node_id]
        ]

    touched: set[str] = set()
    for node_id in graph.order:
        node = graph.node(node_id)
        known = old.nodes_by_id.get(node_id)
        own = (
            known is None
            or node.entity_type != known.entity_type
            or now.anchors.get(node_id) != previous.grounding.anchors.get(node_id)
            or edges_of(graph, now, node_id) != edges_of(old, previous.grounding, node_id)
            or (previous.materialized and node_id == old.root_node_id)
            or (
                node.entity_type is not None
                and facts.of_type(node.entity_type).ids.tolist()
                != before.of_type(node.entity_type).ids.tolist()
            )
            or (
                delta is not None
                and any(
                    edge.op is Op.PROJECTION
                    and now.relations[edge.edge_id].number == delta.relation
                    for edge in graph.incoming[node_id]
                )
            )
        )
        below = any(
            source in touched for edge in graph.incoming[node_id] for source in edge.source_ids
        )
        if own or below:
            touched.add(node_id)
    return frozenset(touched)


def assert_same(again: Evaluation, want: Evaluation) -> None:
    """All nodes have the same sets, written alike, and the answers the same names."""
    assert again.values.keys() == want.values.keys()
    for node_id, value in want.values.items():
        assert again.values[node_id].same_form(value), node_id
    assert again.names == want.names
    assert again.count == want.count
    assert again.materialized == want.materialized


def chain(stream: Choices, graph: QuestionGraph, facts: FactStore, seen: Counter[str]) -> None:
    """Change graph and facts step by step; compare each step with a fresh evaluation."""
    current = evaluate(graph, facts, materialize_universe=True)
    for step in range(5):
        new_graph, new_facts = current.graph, current.facts
        if stream.chance(50):
            new_graph = changed_graph(stream, new_graph, new_facts)
        if new_graph is current.graph or stream.chance(30):
            new_facts = changed_facts(stream, new_facts, step)
        want = fresh(new_graph, new_facts)
        if want is None:
            seen["ungrounded"] += 1
            continue
        again = reevaluate(current, graph=new_graph, facts=new_facts, materialize_universe=True)
        assert_same(again, want)
        if new_facts is current.facts or new_facts.parent is current.facts:
            assert again.recomputed <= could_depend(current, new_graph, new_facts)
            seen["steps"] += 1
            seen["nodes"] += len(again.values)
            seen["recomputed"] += len(again.recomputed)
        current = again


def test_a_thousand_seeded_chains_of_changes():
    """Five changes each to 1,000 pairs: equal to a fresh evaluation, at less than half its work."""
    seen: Counter[str] = Counter()
    for number, (facts, graph) in enumerate(seeded_pairs(99, 1000, safe=None)):
        chain(SeededChoices(number), graph, facts, seen)
    assert seen["steps"] > 3500
    assert seen["recomputed"] < seen["nodes"] / 2


@given(stores_with_graphs(safe=None), choices())
def test_reevaluate_equals_a_fresh_evaluation(pair, stream):
    """After any chain of changes, and recomputing only what could depend on the change."""
    facts, graph = pair
    seen: Counter[str] = Counter()
    chain(stream, graph, facts, seen)
    assert seen["recomputed"] <= seen["nodes"]


@given(stores_with_graphs(), st.booleans())
def test_a_fact_of_a_relation_that_no_edge_uses_recomputes_nothing(pair, fact_is_old):
    """A fact between entities that are there, of a relation that is not used: no node at all."""
    facts, graph = pair
    first, last = int(facts.universe[0]), int(facts.universe[-1])
    if fact_is_old:
        facts = facts.with_fact(first, "a relation of its own", last)
    before = evaluate(graph, facts)
    after = facts.with_fact(last, "a relation of its own", first)
    again = reevaluate(before, facts=after)
    assert again.recomputed == frozenset()
    assert all(again.values[node_id] is value for node_id, value in before.values.items())


@given(stores_with_graphs(), choices())
def test_a_fact_outside_the_sources_of_its_projections_recomputes_nothing(pair, stream):
    """A fact that no projection can start from leaves every node as it is."""
    facts, graph = pair
    before = evaluate(graph, facts)
    numbers = [int(number) for number in facts.universe]
    number = stream.pick(list(facts.living_relations.values()))
    head, tail = stream.pick(numbers), stream.pick(numbers)
    after = facts.with_fact(head, facts.relations[number], tail)
    hops = [
        (before.values[edge.source_ids[0]], before.grounding.relations[edge.edge_id].direction)
        for edge in graph.edges
        if edge.op is Op.PROJECTION and before.grounding.relations[edge.edge_id].number == number
    ]
    reached = any(
        (pair[0] if direction is Direction.FORWARD else pair[1]) in source
        for source, direction in hops
        for pair in after.delta.added
    )
    again = reevaluate(before, facts=after)
    if not reached:
        assert again.recomputed == frozenset()
    assert_same(again, evaluate(graph, after))


@given(stores_with_graphs())
def test_an_unsafe_graph_is_refused_again(pair):
    """reevaluate refuses a complement as the answer just as evaluate does."""
    facts, graph = pair
    before = evaluate(graph, facts)
    made = graph.replace(
        root_node_id="top",
        nodes=(
            *(node.model_copy(update={"is_root": False}) for node in graph.nodes),
            Node(node_id="top"),
        ),
        edges=(
            *graph.edges,
            Edge(edge_id="not", source_ids=[graph.root_node_id], target_id="top", op=Op.COMPLEMENT),
        ),
    )
    with pytest.raises(UnsafeGraphError, match="node top"):
        reevaluate(before, graph=made)
