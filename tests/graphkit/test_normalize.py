"""The normal form, on small graphs, exactly."""

from __future__ import annotations

from graphkit.normalize import normalize
from graphkit.patterns import canonical_text
from graphkit.question import Edge, Node, QuestionGraph


def edge(name: str, sources: str, target: str, op: str = "projection") -> Edge:
    """An edge; the sources are words of a string."""
    relation = "r" if op == "projection" else None
    return Edge(
        edge_id=name, source_ids=sources.split(), target_id=target, op=op, relation=relation
    )


def graph(*edges: Edge, root: str = "x", types: dict[str, str] | None = None) -> QuestionGraph:
    """A graph over all nodes that edges name; nodes in capital letters are anchors."""
    names = dict.fromkeys(n for e in edges for n in (*e.source_ids, e.target_id))
    return QuestionGraph(
        root_node_id=root,
        nodes=[
            Node(
                node_id=name,
                label=f"set {name}",
                known_entities=[name] if name.isupper() else [],
                entity_type=(types or {}).get(name),
            )
            for name in names
        ],
        edges=edges,
    )


def edges(made: QuestionGraph) -> list[tuple[str, str, tuple[str, ...], str]]:
    """The edges, sorted, short."""
    return sorted((e.edge_id, e.op.value, e.source_ids, e.target_id) for e in made.edges)


def test_several_incoming_edges_become_an_intersection():
    """Each edge gets a node of its own, with the label of the node that it described."""
    made = normalize(graph(edge("e0", "A", "x"), edge("e1", "B", "x")))
    assert edges(made) == [
        ("e0", "projection", ("A",), "x:e0"),
        ("e1", "projection", ("B",), "x:e1"),
        ("x:and", "intersection", ("x:e0", "x:e1"), "x"),
    ]
    assert made.node("x:e0").label == "set x"


def test_an_intersection_beside_other_edges_takes_them_in():
    """The explicit intersection keeps its id."""
    made = normalize(graph(edge("e0", "A B", "x", "intersection"), edge("e1", "C", "x")))
    assert edges(made) == [
        ("e0", "intersection", ("A", "B", "x:e1"), "x"),
        ("e1", "projection", ("C",), "x:e1"),
    ]


def test_names_on_an_inner_node_become_a_source():
    """Known entities beside an edge are one more conjunct."""
    made = normalize(graph(edge("e0", "A", "X"), root="X"))
    assert edges(made) == [
        ("X:and", "intersection", ("X:e0", "X:known"), "X"),
        ("e0", "projection", ("A",), "X:e0"),
    ]
    assert made.node("X").known_entities == ()
    assert made.node("X:known").known_entities == ("X",)


def test_nested_intersections_and_unions_are_flattened():
    """Intersections in intersections, unions in unions, and not one in the other."""
    made = normalize(
        graph(edge("e0", "A B", "m", "intersection"), edge("e1", "m C", "x", "intersection"))
    )
    assert edges(made) == [("e1", "intersection", ("A", "B", "C"), "x")]
    made = normalize(graph(edge("e0", "A B", "m", "union"), edge("e1", "C m A", "x", "union")))
    assert edges(made) == [("e1", "union", ("C", "A", "B"), "x")]
    mixed = graph(edge("e0", "A B", "m", "union"), edge("e1", "C m", "x", "intersection"))
    assert normalize(mixed) == mixed


def test_a_shared_intersection_stays_for_its_other_user():
    """What is flattened for one is kept for another."""
    made = normalize(
        graph(
            edge("e0", "A B", "m", "intersection"),
            edge("e1", "m", "o"),
            edge("e2", "m o", "x", "intersection"),
        )
    )
    assert edges(made) == [
        ("e0", "intersection", ("A", "B"), "m"),
        ("e1", "projection", ("m",), "o"),
        ("e2", "intersection", ("A", "B", "o"), "x"),
    ]


def test_a_node_takes_over_the_type_of_what_is_flattened_into_it():
    """The type of a conjunct holds for the whole."""
    made = normalize(
        graph(
            edge("e0", "A B", "m", "intersection"),
            edge("e1", "m C", "x", "intersection"),
            types={"m": "city"},
        )
    )
    assert edges(made) == [("e1", "intersection", ("A", "B", "C"), "x")]
    assert made.node("x").entity_type == "city"


def test_nested_intersections_of_different_types_are_flat_in_any_order():
    """A second type becomes a free node of that type; order and ids do not show."""
    texts = set()
    for sources in ("l m", "m l"):
        made = normalize(
            graph(
                edge("e0", "A B", "l", "intersection"),
                edge("e1", "C D", "m", "intersection"),
                edge("e2", sources, "x", "intersection"),
                types={"l": "person", "m": "city"},
            )
        )
        ((_, _, found, _),) = edges(made)
        assert sorted(found) == ["A", "B", "C", "D", "x:type"]
        assert (made.node("x").entity_type, made.node("x:type").entity_type) == ("city", "person")
        assert normalize(made) == made
        texts.add(canonical_text(made))
    assert len(texts) == 1


def test_a_typed_union_inside_a_union_stays():
    """Its type holds for its own members only."""
    typed = graph(
        edge("e0", "A B", "m", "union"), edge("e1", "m C", "x", "union"), types={"m": "city"}
    )
    assert normalize(typed) == typed


def test_fillers_are_dropped_and_complements_left():
    """What cannot reach the root goes; a double complement is the business of lint."""
    made = normalize(
        graph(
            edge("e0", "A", "m", "complement"),
            edge("e1", "m", "x", "complement"),
            edge("e2", "x", "filler"),
        )
    )
    assert edges(made) == [
        ("e0", "complement", ("A",), "m"),
        ("e1", "complement", ("m",), "x"),
    ]


def test_fields_of_the_graph_are_kept():
    """Question, ids and keys of one's own survive."""
    old = graph(edge("e0", "A", "x"), edge("e1", "B", "x")).replace(question="?", id="q", mine=1)
    made = normalize(old)
    assert (made.question, made.id, made.model_extra) == ("?", "q", {"mine": 1})
