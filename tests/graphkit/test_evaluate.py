"""Exact evaluation: the open points of the papers, each with a small example."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphkit.errors import UnsafeGraphError
from graphkit.evaluate import evaluate, reevaluate
from graphkit.facts import Fact, FactStore
from graphkit.normalize import normalize
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet

SHEET = RelationSheet.from_dict(
    {
        "relations": {
            "borders": {"symmetric": True, "head_type": "country", "tail_type": "country"},
            "language": {"head_type": "country", "tail_type": "language"},
        }
    }
)
FACTS = FactStore.from_triples(
    [
        ("France", "borders", "Spain"),
        ("France", "borders", "Italy"),
        ("Spain", "borders", "Portugal"),
        ("France", "language", "French"),
        ("Spain", "language", "Spanish"),
        ("Portugal", "language", "Portuguese"),
        ("Italy", "language", "Italian"),
        ("Italy", "language", "French"),
    ],
    SHEET,
)


def edge(name: str, sources: str, target: str, op: str, relation: str | None = None) -> Edge:
    """An edge; a relation with a leading < is read backwards."""
    direction = None
    if relation is not None:
        direction = "backward" if relation.startswith("<") else "forward"
        relation = relation.lstrip("<")
    return Edge(
        edge_id=name, source_ids=sources.split(), target_id=target, op=op, relation=relation,
        direction=direction,
    )  # fmt: skip


def ask(
    *edges: Edge, root: str = "x", types: dict[str, str] | None = None, **known: list[str]
) -> QuestionGraph:
    """A graph; keyword arguments are the known entities of nodes."""
    names = dict.fromkeys([*known, *(n for e in edges for n in (*e.source_ids, e.target_id)), root])
    return QuestionGraph(
        root_node_id=root,
        nodes=[
            Node(node_id=n, known_entities=known.get(n), entity_type=(types or {}).get(n))
            for n in names
        ],
        edges=edges,
    )


def test_projections_in_both_directions():
    """Forward from heads to tails, backward from tails to heads."""
    there = ask(edge("e", "a", "x", "projection", "language"), a=["Italy"])
    assert evaluate(there, FACTS).names == ["French", "Italian"]
    back = ask(edge("e", "a", "x", "projection", "<language"), a=["French"])
    assert evaluate(back, FACTS).names == ["France", "Italy"]


def test_several_names_mean_any_of_them():
    """An anchor with two names is their union."""
    graph = ask(edge("e", "a", "x", "projection", "language"), a=["Spain", "Portugal"])
    assert evaluate(graph, FACTS).names == ["Portuguese", "Spanish"]


def test_incoming_edges_names_and_type_are_all_conjuncts():
    """The value of a node is the intersection of everything that it says."""
    parts = [
        edge("e", "a", "x", "projection", "borders"),
        edge("f", "b", "x", "projection", "<language"),
    ]
    assert evaluate(ask(*parts, a=["France"], b=["French"]), FACTS).names == ["Italy"]
    assert evaluate(ask(*parts, a=["France"], b=["French"], x=["Spain"]), FACTS).names == []
    typed = ask(parts[0], a=["France"], types={"x": "language"})
    assert evaluate(typed, FACTS).names == []


def test_nodes_are_sets_and_not_variables():
    """Two edges that leave a node may use different members of it."""
    graph = ask(
        edge("e0", "a", "m", "projection", "borders"),
        edge("e1", "m", "x", "projection", "language"),
        edge("e2", "m", "y", "projection", "borders"),
        edge("e3", "y", "x", "projection", "language"),
        a=["France"],
    )
    # French is spoken in Italy, a neighbour; its other path runs over Spain and Italy to France.
    assert evaluate(graph, FACTS).names == ["French"]


def test_a_free_node_is_everything_and_a_free_source_means_some():
    """Projection from a free node: whatever some entity leads to."""
    graph = ask(edge("e", "a", "x", "projection", "<language"))
    assert evaluate(graph, FACTS).names == ["France", "Italy", "Portugal", "Spain"]
    free = evaluate(ask(), FACTS, materialize_universe=True)
    assert free.count == FACTS.size == 8


def test_a_complement_stays_symbolic_until_it_meets_a_positive_set():
    """A minus B lists no universe; A and not empty is A."""
    graph = ask(
        edge("e0", "a", "p", "projection", "borders"),
        edge("e1", "b", "q", "projection", "<language"),
        edge("e2", "q", "n", "complement"),
        edge("e3", "p n", "x", "intersection"),
        a=["France"],
        b=["French"],
    )
    done = evaluate(graph, FACTS)
    assert done.values["n"].complemented
    assert len(done.values["n"].ids) == 2
    assert done.size("n") == 6
    assert done.names == ["Spain"]


def test_a_projection_of_a_complement_is_an_ordinary_set():
    """Languages of some country that is not France."""
    graph = ask(
        edge("e0", "a", "n", "complement"),
        edge("e1", "n", "x", "projection", "language"),
        a=["France"],
    )
    done = evaluate(graph, FACTS)
    assert done.safe
    assert done.names == ["French", "Italian", "Portuguese", "Spanish"]


def test_an_unsafe_root_is_an_error_that_names_the_node():
    """Unless the universe is asked for; types make a complement safe."""
    graph = ask(edge("e", "a", "x", "complement"), a=["France"])
    with pytest.raises(UnsafeGraphError, match="node x: the answers are the complement") as caught:
        evaluate(graph, FACTS)
    assert caught.value.problems[0].code == "unsafe_complement"
    assert evaluate(graph, FACTS, materialize_universe=True).count == 7
    typed = ask(edge("e", "a", "x", "complement"), a=["France"], types={"x": "country"})
    assert evaluate(typed, FACTS).names == ["Italy", "Portugal", "Spain"]


def test_union_answers_like_its_de_morgan_form():
    """The extension op and three set operations."""
    union = ask(edge("e", "a b", "x", "union"), a=["France"], b=["Spain"])
    by_hand = ask(
        edge("e0", "a", "m", "complement"),
        edge("e1", "b", "n", "complement"),
        edge("e2", "m n", "o", "intersection"),
        edge("e3", "o", "x", "complement"),
        a=["France"],
        b=["Spain"],
    )
    assert evaluate(union, FACTS).names == evaluate(by_hand, FACTS).names == ["France", "Spain"]


def test_reference_entities_never_constrain():
    """They say what the question hides, not what it asks."""
    graph = ask(edge("e", "a", "x", "projection", "language"), a=["Spain"])
    nodes = [node.model_copy(update={"reference_entities": ("Nobody",)}) for node in graph.nodes]
    assert evaluate(graph.replace(nodes=tuple(nodes)), FACTS).names == ["Spanish"]


def test_a_changed_fact_recomputes_only_what_it_reaches():
    """The anchor and the branch beside stay; what lies above the change is computed."""
    graph = ask(
        edge("e0", "a", "p", "projection", "borders"),
        edge("e1", "b", "q", "projection", "<language"),
        edge("e2", "p q", "x", "intersection"),
        a=["France"],
        b=["French"],
    )
    before = evaluate(graph, FACTS)
    assert before.recomputed == {"a", "b", "p", "q", "x"}
    spoken = FACTS.with_fact("Spain", "language", "French")
    after = reevaluate(before, facts=spoken)
    assert after.recomputed == {"q", "x"}
    assert after.names == ["Italy", "Spain"]
    assert after.values["p"] is before.values["p"]
    elsewhere = reevaluate(before, facts=FACTS.with_fact("Spain", "language", "Italian"))
    assert elsewhere.recomputed == frozenset()


def test_an_entity_that_vanishes_takes_its_name_along_and_comes_back():
    """Universe and complements follow; back again, all is as before."""
    graph = ask(edge("e", "a", "x", "complement"), a=["France"])
    facts = FactStore.from_triples([("France", "r", "Spain"), ("France", "r", "Italy")])
    first = evaluate(graph, facts, materialize_universe=True)
    less = facts.without_fact(Fact(0, 0, 2))
    second = reevaluate(first, facts=less, materialize_universe=True)
    assert second.names == ["Spain"]
    third = reevaluate(
        second, facts=less.with_fact("France", "r", "Italy"), materialize_universe=True
    )
    assert third.names == first.names == ["Italy", "Spain"]


@pytest.mark.shared_data
def test_published_query2box_answers_are_reproduced(shared_data: Path):
    """An outside truth: 1,200 published answer sets over FB15k-237, unions in both ways."""
    folder = shared_data / "kg" / "fb15k237"
    facts = FactStore.from_triples(
        triple for name in ("train", "valid-extra") for triple in triples(folder / f"{name}.tsv.gz")
    )
    with gzip.open(folder / "query2box-valid-sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        queries = [json.loads(line) for line in lines]
    assert len(queries) == 1200
    for query in queries:
        for union in ("union", "de morgan") if query.get("op") == "union" else ("union",):
            graph = query_graph(query, union)
            assert evaluate(graph, facts).names == sorted(query["answers"])
            assert evaluate(normalize(graph), facts).names == sorted(query["answers"])


def triples(path: Path) -> Iterator[tuple[str, str, str]]:
    """The facts of a gzipped file of tab-separated triples."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            head, relation, tail = line.rstrip("\n").split("\t")
            yield head, relation, tail


def query_graph(query: dict, union: str) -> QuestionGraph:
    """A published query as a question graph."""
    nodes: list[Node] = []
    edges: list[Edge] = []

    def put(known: list[str], op: str | None, sources: list[str], step: dict | None = None) -> str:
        name = f"n{len(nodes)}"
        nodes.append(Node(node_id=name, known_entities=known))
        if op is not None:
            edges.append(
                Edge(edge_id=f"e{name}", source_ids=sources, target_id=name, op=op, **step or {})
            )
        return name

    ends = []
    for branch in query["branches"]:
        end = put([branch["anchor"]], None, [])
        for step in branch["path"]:
            end = put([], "projection", [end], step)
        ends.append(end)
    end = ends[0]
    if len(ends) > 1 and query["op"] == "union" and union == "de morgan":
        outside = [put([], "complement", [end]) for end in ends]
        end = put([], "complement", [put([], "intersection", outside)])
    elif len(ends) > 1:
        end = put([], query["op"], ends)
    for step in query.get("then", []):
        end = put([], "projection", [end], step)
    return QuestionGraph(root_node_id=end, nodes=nodes, edges=edges)
