"""Laws of the normal form and of the canonical form."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphkit.errors import UnsafeGraphError
from graphkit.evaluate import evaluate
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.patterns import canonical_key, canonical_text, shape, signature
from graphkit.question import QuestionGraph
from graphkit.testing.generation import SeededChoices, make_graph, make_store, seeded_pairs
from graphkit.testing.oracle import is_unsafe, oracle_answers
from graphkit.testing.strategies import stores_with_graphs


def assert_normal(graph: QuestionGraph) -> None:
    """At most one conjunct a node beside its type, nothing nested, nothing that does not count."""
    assert {node.node_id for node in graph.nodes} == graph.relevant
    for node in graph.nodes:
        assert len(graph.incoming[node.node_id]) + bool(node.known_entities) <= 1
        for edge in graph.incoming[node.node_id]:
            for source in edge.source_ids:
                inner = [e.op for e in graph.incoming[source]]
                if edge.op is Op.INTERSECTION:
                    assert inner != [Op.INTERSECTION]
                if edge.op is Op.UNION and graph.node(source).entity_type is None:
                    assert inner != [Op.UNION]


def renamed(graph: QuestionGraph, node: str = "{}", edge: str = "{}") -> QuestionGraph:
    """Give other ids to all nodes and edges."""
    return graph.replace(
        root_node_id=node.format(graph.root_node_id),
        nodes=tuple(
            item.model_copy(update={"node_id": node.format(item.node_id)}) for item in graph.nodes
        ),
        edges=tuple(
            item.model_copy(
                update={
                    "edge_id": edge.format(item.edge_id),
                    "source_ids": tuple(node.format(source) for source in item.source_ids),
                    "target_id": node.format(item.target_id),
                }
            )
            for item in graph.edges
        ),
    )


def test_the_normal_form_of_thousands_of_seeded_graphs():
    """3,000 pairs: normal, the normal form of itself, and with the same answers."""
    for facts, graph in seeded_pairs(31, 3000, safe=None):
        normal = normalize(graph)
        assert_normal(normal)
        assert normalize(normal) == normal
        assert is_unsafe(normal) == is_unsafe(graph)
        assert oracle_answers(normal, facts) == oracle_answers(graph, facts)


@given(stores_with_graphs(safe=None))
def test_normalize_is_idempotent_and_preserves_answers(pair):
    """The normal form is normal, is its own normal form, and answers alike."""
    facts, graph = pair
    before = graph.model_dump_json()
    normal = normalize(graph)
    assert graph.model_dump_json() == before
    assert_normal(normal)
    assert normalize(normal) == normal
    assert oracle_answers(normal, facts) == oracle_answers(graph, facts)
    assert set(graph.relevant) <= {node.node_id for node in normal.nodes} | {
        node.node_id for node in graph.nodes
    }


@given(stores_with_graphs(safe=None), st.randoms(use_true_random=False))
def test_order_and_ids_do_not_show_in_the_canonical_form(pair, random):
    """Shuffled and renamed, a graph has the same canonical text, signature and counts."""
    _, graph = pair
    mixed = renamed(
        graph.replace(
            nodes=tuple(random.sample(graph.nodes, len(graph.nodes))),
            edges=tuple(
                edge.model_copy(
                    update={
                        "source_ids": tuple(random.sample(edge.source_ids, len(edge.source_ids)))
                    }
                )
                for edge in random.sample(graph.edges, len(graph.edges))
            ),
        ),
        "z{}:known",
        "{}:and",
    )
    assert canonical_text(mixed) == canonical_text(graph)
    assert canonical_key(mixed) == canonical_key(graph)
    assert signature(mixed) == signature(graph)
    assert shape(mixed) == shape(graph)


@given(stores_with_graphs(safe=None))
def test_the_normal_form_has_the_canonical_form_of_the_graph(pair):
    """Normalising does not change what is asked."""
    _, graph = pair
    assert canonical_key(normalize(graph)) == canonical_key(graph)


@given(stores_with_graphs(safe=None), st.integers(0, 99))
def test_ids_like_those_that_the_normal_form_makes_up_do_no_harm(pair, number):
    """Ids of the shape n3:e1, n3:known and n3:and are taken without a clash."""
    facts, graph = pair
    table = {
        node.node_id: f"n0{':e0' * (place % 3)}{':known' * (place // 3)}"
        for place, node in enumerate(graph.nodes)
    }
    odd = graph.replace(
        root_node_id=table[graph.root_node_id],
        nodes=tuple(n.model_copy(update={"node_id": table[n.node_id]}) for n in graph.nodes),
        edges=tuple(
            edge.model_copy(
                update={
                    "edge_id": f"n0:and{place or ''}" if number % 2 else edge.edge_id,
                    "source_ids": tuple(table[source] for source in edge.source_ids),
                    "target_id": table[edge.target_id],
                }
            )
            for place, edge in enumerate(graph.edges)
        ),
    )
    normal = normalize(odd)
    assert_normal(normal)
    assert normalize(normal) == normal
    assert oracle_answers(normal, facts) == oracle_answers(graph, facts)
    assert canonical_key(odd) == canonical_key(graph)


def test_graphs_with_the_same_canonical_form_have_the_same_answers():
    """Of 150 graphs each over 40 stores, those with one key have one set of answers."""
    shared = 0
    for seed in range(40):
        choices = SeededChoices(seed)
        facts = make_store(choices, high=8)
        known: dict[str, set[str] | None] = {}
        for _ in range(150):
            graph = make_graph(choices, facts, safe=None, steps=3)
            answers = oracle_answers(graph, facts)
            key = canonical_key(graph)
            shared += key in known
            assert known.setdefault(key, answers) == answers
    assert shared > 500


@given(stores_with_graphs(safe=None), st.integers(0, 99))
def test_a_change_of_what_is_asked_changes_the_canonical_key(pair, number):
    """Another name, relation, direction, or the complement of it all is another question."""
    _, graph = pair
    normal = normalize(graph)
    key = canonical_key(normal)
    anchors = [node for node in normal.nodes if node.known_entities]
    hops = [edge for edge in normal.edges if edge.op is Op.PROJECTION]
    if anchors:
        anchor = anchors[number % len(anchors)]
        changed = anchor.model_copy(
            update={"known_entities": (*anchor.known_entities, "another name")}
        )
        nodes = tuple(changed if node is anchor else node for node in normal.nodes)
        assert canonical_key(normal.replace(nodes=nodes)) != key
    if hops:
        hop = hops[number % len(hops)]
        turned = Direction.BACKWARD if hop.reads is Direction.FORWARD else Direction.FORWARD
        for update in ({"relation": "another relation"}, {"direction": turned}):
            changed_hop = hop.model_copy(update=update)
            edges = tuple(changed_hop if edge is hop else edge for edge in normal.edges)
            assert canonical_key(normal.replace(edges=edges)) != key


@given(stores_with_graphs(safe=None))
def test_a_json_record_gives_back_the_graph(pair):
    """Record, and graph from the record, are the same graph; keys of one's own are kept."""
    _, graph = pair
    odd = graph.replace(nodes=graph.nodes, my_key={"a": [1]}, question="what?")
    assert QuestionGraph(**odd.to_record()) == odd
    assert QuestionGraph.model_validate_json(odd.model_dump_json()) == odd
    assert QuestionGraph(**odd.to_record()).to_record() == odd.to_record()


def test_evaluation_of_a_normal_form_is_the_evaluation_of_the_graph():
    """evaluate does not ask whether a graph is normal."""
    for facts, graph in seeded_pairs(77, 500, safe=None):
        results = []
        for one in (graph, normalize(graph)):
            try:
                results.append(evaluate(one, facts).names)
            except UnsafeGraphError:
                results.append(None)
        assert results[0] == results[1]
