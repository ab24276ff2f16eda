"""Types in the canonical form: they show where they constrain, not where they repeat."""

from __future__ import annotations

from graphkit.patterns import canonical_key, canonical_text
from graphkit.question import Edge, Node, QuestionGraph


def _graph(root_type: str | None, part_types: list[str | None], removed: str | None):
    nodes = [Node(node_id="x", entity_type=root_type)]
    edges = []
    parts = []
    for number, kind in enumerate(part_types):
        nodes += [Node(node_id=f"a{number}", known_entities=[f"A{number}"])]
        nodes += [Node(node_id=f"p{number}", entity_type=kind)]
        edges.append(
            Edge(
                edge_id=f"e{number}",
                source_ids=[f"a{number}"],
                target_id=f"p{number}",
                op="projection",
                relation="r",
            )
        )
        parts.append(f"p{number}")
    nodes += [Node(node_id="b", known_entities=["B"]), Node(node_id="q", entity_type=removed)]
    nodes += [Node(node_id="n")]
    edges += [
        Edge(edge_id="f", source_ids=["b"], target_id="q", op="projection", relation="s"),
        Edge(edge_id="g", source_ids=["q"], target_id="n", op="complement"),
        Edge(edge_id="h", source_ids=[*parts, "n"], target_id="x", op="intersection"),
    ]
    return QuestionGraph(root_node_id="x", nodes=nodes, edges=edges)


def test_repeated_types_do_not_show():
    """A type on the answer, on one conjunct, or on all parts gives one canonical form."""
    wanted = 'country&i(n(p[s>]("B")),p[r>]("A0"),p[r>]("A1"))'
    for root, parts, removed in [
        ("country", [None, None], None),
        (None, ["country", None], None),
        ("country", ["country", "country"], "country"),
        (None, [None, "country"], "country"),
    ]:
        assert canonical_text(_graph(root, parts, removed)) == wanted


def test_types_that_constrain_show():
    """Another type on a conjunct or on what is removed is another question."""
    plain = _graph("country", [None, None], None)
    others = [
        _graph(None, [None, None], None),
        _graph(None, [None, None], "country"),
        _graph("city", [None, None], None),
        _graph("country", ["city", None], None),
        _graph("country", [None, None], "city"),
    ]
    assert len({canonical_key(graph) for graph in [plain, *others]}) == 6


def test_a_type_behind_a_projection_is_its_own():
    """What a projection starts from is another set: its type stays."""
    graphs = [
        QuestionGraph(
            root_node_id="x",
            nodes=[
                Node(node_id="a", known_entities=["A"]),
                Node(node_id="m", entity_type=kind),
                Node(node_id="x", entity_type="country"),
            ],
            edges=[
                Edge(edge_id="e", source_ids=["a"], target_id="m", op="projection", relation="r"),
                Edge(edge_id="f", source_ids=["m"], target_id="x", op="projection", relation="r"),
            ],
        )
        for kind in (None, "country")
    ]
    assert [canonical_text(graph) for graph in graphs] == [
        'country&p[r>](p[r>]("A"))',
        'country&p[r>](country&p[r>]("A"))',
    ]


def test_a_repeated_type_does_not_hide_a_nested_union():
    """A union inside a union is spliced in, also when both have the type that is implied."""
    nodes = [Node(node_id="x", entity_type="city")]
    nodes += [Node(node_id=name, known_entities=[name.upper()]) for name in "abc"]

    def union(inner_type: str | None):
        inner = Node(node_id="u", entity_type=inner_type)
        return QuestionGraph(
            root_node_id="x",
            nodes=[*nodes, inner],
            edges=[
                Edge(edge_id="e", source_ids=["a", "b"], target_id="u", op="union"),
                Edge(edge_id="f", source_ids=["u", "c"], target_id="x", op="union"),
            ],
        )

    assert canonical_text(union("city")) == 'city&u("A","B","C")'
    assert canonical_text(union(None)) == 'city&u("A","B","C")'
    assert canonical_text(union("country")) == 'city&u("C",country&u("A","B"))'


def test_types_that_differ_show_together():
    """Where conjuncts have two types, it does not matter which node says which."""
    texts = {
        canonical_text(_graph(root, parts, None))
        for root, parts in [
            ("city", ["country", None]),
            ("country", ["city", "country"]),
            (None, ["country", "city"]),
        ]
    }
    assert texts == {'city&i(country&*,n(p[s>]("B")),p[r>]("A0"),p[r>]("A1"))'}


def test_a_free_conjunct_does_not_show():
    """What is intersected with everything, or with all of its type, is itself."""
    graph = QuestionGraph(
        root_node_id="x",
        nodes=[
            Node(node_id="a", known_entities=["A"]),
            Node(node_id="f", entity_type="city"),
            Node(node_id="g"),
            Node(node_id="x"),
        ],
        edges=[Edge(edge_id="e", source_ids=["a", "f", "g"], target_id="x", op="intersection")],
    )
    assert canonical_text(graph) == 'city&"A"'
