"""Question graphs: structure, order, relevance, records."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from graphkit.errors import GraphError
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph


def edge(name: str, sources: str, target: str, op: str = "projection", **more: object) -> Edge:
    """An edge; the sources are words of a string."""
    if op == "projection":
        more.setdefault("relation", "r")
    return Edge(edge_id=name, source_ids=sources.split(), target_id=target, op=op, **more)


def graph(nodes: str, *edges: Edge, root: str | None = None) -> QuestionGraph:
    """A graph over nodes named in a string; the last one is the root."""
    names = nodes.split()
    return QuestionGraph(
        root_node_id=root or names[-1], nodes=[Node(node_id=name) for name in names], edges=edges
    )


ERRORS = {
    "duplicate node": ("a a b", [edge("e", "a", "b")], ["duplicate_id"]),
    "duplicate edge": ("a b", [edge("e", "a", "b"), edge("e", "a", "b")], ["duplicate_id"]),
    "dangling source": ("a b", [edge("e", "x", "b")], ["dangling"]),
    "dangling target": ("a b", [edge("e", "a", "x")], ["dangling"]),
    "own source": ("a b", [edge("e", "b", "b")], ["self_loop"]),
    "cycle": ("a b c", [edge("e", "a", "b"), edge("f", "b", "a")], ["cycle"]),
    "own source and cycle": (
        "a b c", [edge("d", "a", "a"), edge("e", "a", "b"), edge("f", "b", "a")],
        ["self_loop", "cycle"],
    ),
    "one source of two": ("a b", [edge("e", "a", "b", "intersection")], ["sources"]),
    "the same source twice": ("a b", [edge("e", "a a", "b", "intersection")], ["sources"]),
    "union of one": ("a b", [edge("e", "a", "b", "union")], ["sources"]),
    "projection of two": ("a b c", [edge("e", "a b", "c")], ["sources"]),
    "complement of two": ("a b c", [edge("e", "a b", "c", "complement")], ["sources"]),
    "no source": ("a b", [edge("e", "", "b")], ["sources"]),
    "no relation": ("a b", [edge("e", "a", "b", relation=" ")], ["no_relation"]),
    "a relation too many": (
        "a b", [edge("e", "a", "b", "complement", relation="r")], ["relation_on_set"],
    ),
    "everything at once": (
        "a a b", [edge("e", "x", "b", relation=None), edge("e", "a", "b", "intersection")],
        ["duplicate_id", "duplicate_id", "dangling", "no_relation", "sources"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_each_structural_error_has_its_code_and_all_are_said_at_once(name):
    """No rule hides another."""
    nodes, edges, codes = ERRORS[name]
    with pytest.raises(GraphError) as caught:
        graph(nodes, *edges)
    assert [problem.code for problem in caught.value.problems] == codes
    assert all(problem.subject for problem in caught.value.problems)


def test_a_cycle_is_named():
    """The nodes of the cycle, in their order."""
    with pytest.raises(GraphError, match="the edges form a cycle: a <- c <- b <- a; expected none"):
        graph("a b c d", edge("e", "a", "b"), edge("f", "b", "c"), edge("g", "c", "a"))


def test_there_is_one_root():
    """root_node_id names a node, and is_root may say so of this node only."""
    with pytest.raises(GraphError, match="root_node_id 'x' is not a node") as caught:
        graph("a b", root="x")
    assert caught.value.problems[0].code == "no_root"
    nodes = [Node(node_id="a", is_root=True), Node(node_id="b", is_root=True)]
    with pytest.raises(
        GraphError, match="is_root is true for a, b; expected exactly one"
    ) as caught:
        QuestionGraph(root_node_id="b", nodes=nodes)
    assert caught.value.problems[0].code == "two_roots"
    with pytest.raises(GraphError, match="root_node_id names b") as caught:
        QuestionGraph(root_node_id="b", nodes=[nodes[0], Node(node_id="b")])
    assert caught.value.problems[0].code == "two_roots"


@pytest.mark.parametrize(("field", "value"), [("op", "projecton"), ("direction", "up")])
def test_unknown_ops_and_directions_are_refused(field, value):
    """Only what the semantics know."""
    with pytest.raises(ValidationError, match=field):
        Edge(**{"edge_id": "e", "source_ids": ["a"], "target_id": "b", "op": "union", field: value})


def test_null_and_no_names_are_the_same():
    """known_entities, reference_entities and the lists of a graph take null."""
    node = Node(node_id="a", known_entities=None, reference_entities=None)
    assert node == Node(node_id="a", known_entities=[])
    made = QuestionGraph(root_node_id="a", nodes=[node], evidence_ids=None, aliases=None)
    assert made.evidence_ids == made.aliases == ()


def test_order_puts_sources_first_and_relevant_leaves_fillers_out():
    """A filler is in the order and not among the relevant nodes."""
    made = graph(
        "d c b a f", edge("e", "a", "b"), edge("g", "b", "c"), edge("h", "c", "d"), root="d"
    )
    assert made.order == ("a", "b", "c", "d", "f")
    assert made.relevant == {"a", "b", "c", "d"}
    assert made.outgoing["f"] == ()


def test_a_long_chain_needs_no_recursion():
    """5,000 hops are a graph like any other."""
    names = [f"n{number}" for number in range(5001)]
    made = graph(
        " ".join(names),
        *(edge(f"e{n}", names[n], names[n + 1]) for n in range(5000)),
    )
    assert made.order == tuple(names)
    assert len(made.relevant) == 5001


def test_a_projection_without_direction_reads_forward():
    """The direction stays unsaid in the record."""
    made = edge("e", "a", "b")
    assert (made.direction, made.reads) == (None, Direction.FORWARD)
    assert Direction.FORWARD.reverse is Direction.BACKWARD
    assert Direction.BACKWARD.reverse is Direction.FORWARD


def test_replace_checks_the_copy_and_leaves_the_old_graph_alone():
    """Graphs are values."""
    old = graph("a b", edge("e", "a", "b"))
    new = old.replace(question="why?", id="q1")
    assert (old.question, new.question, new.edges) == ("", "why?", old.edges)
    with pytest.raises(GraphError):
        old.replace(root_node_id="x")
    with pytest.raises(ValidationError):
        old.question = "what?"


def test_the_record_is_the_contract_of_the_paper():
    """Field names, null for what is empty, keys of one's own kept, optional ones left out."""
    made = QuestionGraph(
        id="q1",
        question="?",
        root_node_id="b",
        nodes=[Node(node_id="a", label="A", known_entities=["x"], note=1), Node(node_id="b")],
        edges=[edge("e", "a", "b", direction="backward")],
        domain="geo",
        my_key=[1],
    )
    assert made.to_record() == {
        "id": "q1", "question": "?", "answer": None, "root_node_id": "b",
        "nodes": [
            {"node_id": "a", "label": "A", "known_entities": ["x"], "reference_entities": None,
             "is_root": False, "note": 1},
            {"node_id": "b", "label": "", "known_entities": None, "reference_entities": None,
             "is_root": False},
        ],
        "edges": [
            {"edge_id": "e", "source_ids": ["a"], "target_id": "b", "op": "projection",
             "relation": "r", "direction": "backward"},
        ],
        "domain": "geo", "my_key": [1],
    }  # fmt: skip
    assert made.edge("e").op is Op.PROJECTION
    assert made.node("a").label == "A"
    assert [node.node_id for node in made.anchors] == ["a"]
