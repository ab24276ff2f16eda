"""Signatures, canonical form and counts of question graphs, exactly."""

from __future__ import annotations

import pytest

from graphkit.patterns import PATTERNS, canonical_key, canonical_text, shape, signature
from graphkit.question import Edge, Node, QuestionGraph


def build(structure: object) -> QuestionGraph:
    """Build a graph: a name is an anchor, ("p", x) a projection, "i", "u", "n" set operations.

    None is a free node. What stands twice is built twice.
    """
    nodes: list[Node] = []
    edges: list[Edge] = []

    def visit(item: object) -> str:
        name = f"n{len(nodes)}"
        if not isinstance(item, tuple):
            nodes.append(Node(node_id=name, known_entities=[item] if item else []))
            return name
        nodes.append(Node(node_id=name))
        op = {"p": "projection", "i": "intersection", "u": "union", "n": "complement"}[item[0]]
        sources = [visit(part) for part in item[1:]]
        edges.append(
            Edge(
                edge_id=f"e{len(edges)}",
                source_ids=sources,
                target_id=name,
                op=op,
                relation="r" if op == "projection" else None,
            )
        )
        return name

    return QuestionGraph(root_node_id=visit(structure), nodes=nodes, edges=edges)


def p(inner: object) -> tuple[object, ...]:
    """A projection."""
    return ("p", inner)


def n(inner: object) -> tuple[object, ...]:
    """A complement."""
    return ("n", inner)


NAMED = {
    "1p": p("a"),
    "2p": p(p("a")),
    "3p": p(p(p("a"))),
    "2i": ("i", p("a"), p("b")),
    "3i": ("i", p("a"), p("b"), p("c")),
    "ip": p(("i", p("a"), p("b"))),
    "pi": ("i", p(p("a")), p("b")),
    "2in": ("i", p("a"), n(p("b"))),
    "3in": ("i", p("a"), n(p("c")), p("b")),
    "inp": p(("i", p("a"), n(p("b")))),
    "pin": ("i", p(p("a")), n(p("b"))),
    "pni": ("i", n(p(p("a"))), p("b")),
    "2u": ("u", p("a"), p("b")),
    "up": p(("u", p("a"), p("b"))),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_fourteen_patterns_have_their_names(name):
    """Each structure of the literature, from a graph."""
    assert signature(build(NAMED[name])) == name
    assert shape(build(NAMED[name])).signature == name


def test_all_names_are_tried():
    """No pattern is left out above."""
    assert set(NAMED) == set(PATTERNS.values())
    assert len(PATTERNS) == 14


def test_union_by_de_morgan_is_union():
    """The complement of an intersection of complements has the signature of a union."""
    by_hand = n(("i", n(p("a")), n(p("b"))))
    assert signature(build(by_hand)) == "2u"
    assert signature(build(p(by_hand))) == "up"
    assert signature(build(n(("i", n(p("a")), p("b"))))) == "n(i(n(p(a)),p(a)))"


@pytest.mark.parametrize(
    ("structure", "text"),
    [
        ("a", "a"),
        (("i", "a", "b"), "i(a,a)"),
        (p(None), "p(*)"),
        (n(n(p("a"))), "n(n(p(a)))"),
        (p(n(p("a"))), "p(n(p(a)))"),
        (("i", p("a"), ("i", p("b"), p(p("c")))), "i(p(a),p(a),p(p(a)))"),
        (p(p(p(p("a")))), "p(p(p(p(a))))"),
    ],
)
def test_other_structures_are_their_canonical_string(structure, text):
    """Nested intersections are flat, parts are sorted."""
    assert signature(build(structure)) == text


def hop(relation: str, root_type: str | None = None, names: tuple[str, ...] = ("A",)):
    """One projection."""
    return QuestionGraph(
        root_node_id="x",
        nodes=[Node(node_id="a", known_entities=names), Node(node_id="x", entity_type=root_type)],
        edges=[
            Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection", relation=relation)
        ],
    )


def test_names_relations_and_types_never_look_like_syntax():
    """Odd names are escaped, so that no two questions share a text."""
    texts = [
        canonical_text(graph)
        for graph in (
            hop("y"), hop("x>](p[y"), hop("y", "p[x>]("), hop("y", ""), hop("y", "a&b"),
            hop("y", names=('A"|"B',)), hop("y", names=("A", "B")), hop("y", names=("A\\",)),
            hop("y\\"), hop("y", '"A"|"B"'), build(p(p("A"))),
        )
    ]  # fmt: skip
    assert len(set(texts)) == len(texts)
    assert canonical_text(hop("y", "a&b")) == 'a\\&b&p[y>]("A")'
    assert canonical_text(hop("x]y")) == 'p[x\\]y>]("A")'
    assert canonical_text(hop("y", names=("B", "A", "B"))) == 'p[y>]("A"|"B")'


def test_the_key_is_a_short_hash_of_the_text():
    """32 hexadecimal digits; composed and decomposed names are one name."""
    key = canonical_key(hop("Cafe\u0301", names=("Cafe\u0301",)))
    assert len(key) == 32
    assert int(key, 16) > 0
    assert key == canonical_key(hop("Caf\u00e9", names=("Caf\u00e9",)))


def test_a_graph_that_doubles_at_every_step_has_a_short_text():
    """60 shared nodes would be 2^60 copies; long parts are given by their hash."""
    nodes = [Node(node_id="n0", known_entities=["a"])]
    edges = []
    for step in range(60):
        nodes += [Node(node_id=f"m{step}"), Node(node_id=f"n{step + 1}")]
        edges += [
            Edge(edge_id=f"c{step}", source_ids=[f"n{step}"], target_id=f"m{step}",
                 op="complement"),
            Edge(edge_id=f"u{step}", source_ids=[f"n{step}", f"m{step}"],
                 target_id=f"n{step + 1}", op="union" if step % 2 else "intersection"),
        ]  # fmt: skip
    graph = QuestionGraph(root_node_id="n60", nodes=nodes, edges=edges)
    assert len(canonical_text(graph)) < 10_000
    assert len(signature(graph)) < 10_000


@pytest.mark.parametrize(
    ("structure", "tree", "depth", "hops"),
    [
        (p(p("a")), "chain", 2, 2),
        (p(p(("i", p("a"), p("b")))), "left-deep", 3, 4),
        (("i", p(p(p("a"))), p("b")), "right-deep", 3, 4),
        (p(("i", p("a"), p("b"))), "left-deep", 2, 3),
        (("i", p(p("a")), p("b")), "right-deep", 2, 3),
        (("i", p("a"), p("b")), "balanced", 1, 2),
        (p(("i", p(p("a")), p(p("b")))), "balanced", 3, 5),
    ],
)
def test_intersections_at_the_anchors_are_left_deep_at_the_answer_right_deep(
    structure, tree, depth, hops
):
    """Where a branch joins early there is more above it than below."""
    counts = shape(build(structure))
    assert (counts.tree, counts.depth, counts.hops) == (tree, depth, hops)


def test_counts_are_those_of_the_normal_form():
    """Fillers do not count, implicit intersections do."""
    graph = QuestionGraph(
        root_node_id="x",
        nodes=[
            Node(node_id="a", known_entities=["A"]), Node(node_id="b", known_entities=["B"]),
            Node(node_id="x"), Node(node_id="filler"),
        ],
        edges=[
            Edge(edge_id="e0", source_ids=["a"], target_id="x", op="projection", relation="r"),
            Edge(edge_id="e1", source_ids=["b"], target_id="x", op="projection", relation="s"),
            Edge(edge_id="e2", source_ids=["x"], target_id="filler", op="complement"),
        ],
    )  # fmt: skip
    counts = shape(graph)
    assert (counts.nodes, counts.edges, counts.anchors) == (5, 3, 2)
    assert counts.ops == {"projection": 2, "intersection": 1, "complement": 0}
    assert counts.signature == "2i"
