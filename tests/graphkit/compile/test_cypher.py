"""The Cypher compiler: exact at every depth, safe, and readable where it matters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from graphkit.compile.cypher import to_cypher
from graphkit.errors import GroundingError, UnsafeGraphError, UnsupportedError
from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.stores import answer_in_store, load_facts
from graphkit.stores.embedded import EmbeddedStore
from graphkit.testing.strategies import stores_with_graphs

FACTS = FactStore.from_triples(
    [
        ("France", "borders", "Spain"),
        ("France", "borders", "Italy"),
        ("France", "borders", "Germany"),
        ("Spain", "borders", "Portugal"),
        ("Germany", "borders", "Poland"),
        ("France", "in", "EU"),
        ("Spain", "in", "EU"),
        ("Italy", "in", "EU"),
        ("Germany", "in", "NATO"),
        ("Portugal", "in", "NATO"),
    ]
)

FRANCE = Node(node_id="a", known_entities=("France",))
EU = Node(node_id="b", known_entities=("EU",))


def project(edge_id: str, source: str, target: str, relation: str, way: str = "forward") -> Edge:
    return Edge(
        edge_id=edge_id,
        source_ids=(source,),
        target_id=target,
        op=Op.PROJECTION,
        relation=relation,
        direction=Direction(way),
    )


def combine(op: Op, target: str, *sources: str) -> Edge:
    return Edge(edge_id=f"{op.value}-{target}", source_ids=sources, target_id=target, op=op)


def graph(root: str, nodes: list[Node], edges: list[Edge]) -> QuestionGraph:
    known = {node.node_id for node in nodes}
    ends = dict.fromkeys(item for edge in edges for item in (*edge.source_ids, edge.target_id))
    free = [Node(node_id=item) for item in ends if item not in known]
    return QuestionGraph(root_node_id=root, nodes=(*nodes, *free), edges=tuple(edges))


def in_store(tmp_path: Path, made: QuestionGraph, facts: FactStore = FACTS) -> list[str]:
    with EmbeddedStore.open(tmp_path / "s.db", durable="off") as store:
        load_facts(store, facts)
        return answer_in_store(store, made, facts)


CASES = {
    "exclusion of one hop": (
        graph(
            "x",
            [FRANCE, EU],
            [
                project("e1", "a", "c", "borders"),
                project("e2", "b", "d", "in", "backward"),
                combine(Op.COMPLEMENT, "n", "d"),
                combine(Op.INTERSECTION, "x", "c", "n"),
            ],
        ),
        ["Germany"],
    ),
    "exclusion of two hops": (
        graph(
            "x",
            [Node(node_id="a", known_entities=("NATO",)), EU],
            [
                project("e1", "b", "c", "in", "backward"),
                project("e2", "a", "d", "in", "backward"),
                project("e3", "d", "f", "borders", "backward"),
                combine(Op.COMPLEMENT, "n", "f"),
                combine(Op.INTERSECTION, "x", "c", "n"),
            ],
        ),
        ["Italy"],
    ),
    "projection of a complement": (
        graph(
            "x",
            [FRANCE],
            [combine(Op.COMPLEMENT, "n", "a"), project("e1", "n", "x", "borders")],
        ),
        ["Poland", "Portugal"],
    ),
    "projection of everything": (graph("x", [], [project("e1", "a", "x", "in")]), ["EU", "NATO"]),
    "double complement": (
        graph(
            "x",
            [FRANCE],
            [
                project("e1", "a", "c", "borders"),
                combine(Op.COMPLEMENT, "n", "c"),
                combine(Op.COMPLEMENT, "x", "n"),
            ],
        ),
        ["Germany", "Italy", "Spain"],
    ),
    "union by De Morgan": (
        graph(
            "x",
            [FRANCE, Node(node_id="b", known_entities=("Spain",))],
            [
                project("e1", "a", "c", "borders"),
                project("e2", "b", "d", "borders"),
                combine(Op.COMPLEMENT, "m", "c"),
                combine(Op.COMPLEMENT, "n", "d"),
                combine(Op.INTERSECTION, "o", "m", "n"),
                combine(Op.COMPLEMENT, "x", "o"),
            ],
        ),
        ["Germany", "Italy", "Portugal", "Spain"],
    ),
    "union with a complement inside an intersection": (
        graph(
            "x",
            [FRANCE, EU, Node(node_id="s", known_entities=("Spain",))],
            [
                project("e1", "a", "c", "borders"),
                project("e2", "b", "d", "in", "backward"),
                combine(Op.COMPLEMENT, "n", "d"),
                combine(Op.UNION, "u", "s", "n"),
                combine(Op.INTERSECTION, "x", "c", "u"),
            ],
        ),
        ["Germany", "Spain"],
    ),
    "empty set excluded": (
        graph(
            "x",
            [FRANCE, Node(node_id="p", known_entities=("Poland",))],
            [
                project("e1", "a", "c", "borders"),
                project("e2", "p", "d", "borders"),
                combine(Op.COMPLEMENT, "n", "d"),
                combine(Op.INTERSECTION, "x", "c", "n"),
            ],
        ),
        ["Germany", "Italy", "Spain"],
    ),
    "any of two anchors, shared": (
        graph(
            "x",
            [Node(node_id="a", known_entities=("France", "Spain"))],
            [
                project("e1", "a", "c", "borders"),
                project("e2", "a", "d", "in"),
                project("e3", "d", "f", "in", "backward"),
                combine(Op.INTERSECTION, "x", "c", "f"),
            ],
        ),
        ["Italy", "Spain"],
    ),
    "implicit intersection": (
        graph(
            "x",
            [FRANCE, EU],
            [project("e1", "a", "x", "borders"), project("e2", "b", "x", "in", "backward")],
        ),
        ["Italy", "Spain"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_form_has_its_answers(tmp_path: Path, name: str) -> None:
    """Complements at every depth, unions, any-of anchors and free nodes give the exact set."""
    made, expected = CASES[name]
    assert evaluate(made, FACTS).names == expected
    assert in_store(tmp_path, made) == expected


def test_a_one_hop_exclusion_reads_as_not_exists() -> None:
    """The common case is plain Cypher: stages with DISTINCT, and NOT EXISTS for an exclusion."""
    compiled = to_cypher(CASES["exclusion of one hop"][0], FACTS)
    assert compiled.text.splitlines() == [
        "UNWIND $keys1 AS key",
        "MATCH (x:Entity {id: key})",
        "WITH x",
        "MATCH (x)-[:FACT {relation: $relation1}]->(y:Entity)",
        "WITH DISTINCT y AS x",
        "WHERE NOT EXISTS { MATCH (x)-[:FACT {relation: $relation2}]->(y:Entity) "
        "WHERE y.id IN $keys2 }",
        "RETURN x.id AS id, x.name AS name",
        "ORDER BY name, id",
    ]
    assert compiled.params == {
        "keys1": [":France"],
        "keys2": [":EU"],
        "relation1": "borders",
        "relation2": "in",
    }


def test_types_are_further_conditions(tmp_path: Path) -> None:
    """A type alone, beside a condition, and excluded means what it means in memory."""
    facts = FactStore.from_evidence(
        [
            EvidenceRecord(
                evidence_id=f"e{number}",
                head_entity=head,
                relation="in",
                tail_entity="Europe",
                head_type=kind,
            )
            for number, (head, kind) in enumerate(
                [("France", "country"), ("Paris", "city"), ("Alps", None), ("Entity", "Entity")]
            )
        ]
    )
    anchor = Node(node_id="e", known_entities=("Europe",))
    inside = project("e1", "e", "c", "in", "backward")
    cities = Node(node_id="t", entity_type="city")
    cases = [
        (graph("t", [cities], []), ["Paris"]),
        (graph("t", [Node(node_id="t", entity_type="Entity")], []), ["Entity"]),
        (
            graph(
                "x",
                [anchor, Node(node_id="x", entity_type="city")],
                [
                    project("e1", "e", "x", "in", "backward"),
                ],
            ),
            ["Paris"],
        ),
        (
            graph(
                "x",
                [anchor, cities],
                [
                    inside,
                    combine(Op.COMPLEMENT, "n", "t"),
                    combine(Op.INTERSECTION, "x", "c", "n"),
                ],
            ),
            ["Alps", "Entity", "France"],
        ),
        (graph("t", [Node(node_id="t", entity_type="planet")], []), []),
    ]
    for number, (made, expected) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert evaluate(made, facts).names == expected
        assert in_store(folder, made, facts) == expected


def test_an_ambiguous_anchor_means_all_its_entities(tmp_path: Path) -> None:
    """A name of two entities stands for both, as in memory."""
    facts = FactStore.from_evidence(
        [
            EvidenceRecord(
                evidence_id=f"e{number}",
                head_entity="Georgia",
                head_type=kind,
                relation="borders",
                tail_entity=tail,
            )
            for number, (kind, tail) in enumerate([("country", "Turkey"), ("state", "Florida")])
        ]
    )
    made = graph(
        "x",
        [Node(node_id="a", known_entities=("Georgia",))],
        [project("e1", "a", "x", "borders")],
    )
    assert to_cypher(made, facts).params["keys1"] == ["country:Georgia", "state:Georgia"]
    assert in_store(tmp_path, made, facts) == ["Florida", "Turkey"]


def test_an_unsafe_root_is_an_error() -> None:
    """A root that is a complement is refused with its node, unless the universe is wanted."""
    made = graph("n", [FRANCE], [combine(Op.COMPLEMENT, "n", "a")])
    with pytest.raises(UnsafeGraphError, match="node n"):
        to_cypher(made, FACTS)
    assert "MATCH (x:Entity)" in to_cypher(made, FACTS, materialize_universe=True).text


def test_what_is_not_in_the_facts_is_an_error() -> None:
    """A name or a relation that the facts do not have is unresolved, not an empty set."""
    made = graph(
        "x", [Node(node_id="a", known_entities=("Atlantis",))], [project("e1", "a", "x", "sank")]
    )
    with pytest.raises(GroundingError, match=r"(?s)Atlantis.*sank"):
        to_cypher(made, FACTS)


def _doubling(levels: int) -> QuestionGraph:
    """Return a graph in which each level uses the one below it twice."""
    edges = []
    below = "a"
    for level in range(levels):
        edges += [
            project(f"f{level}", below, f"f{level}", "borders"),
            project(f"b{level}", below, f"b{level}", "borders", "backward"),
            combine(Op.UNION, f"u{level}", f"f{level}", f"b{level}"),
        ]
        below = f"u{level}"
    return graph(below, [FRANCE], edges)


def test_nodes_shared_too_often_are_refused_by_name(tmp_path: Path) -> None:
    """A query that would grow without end is unsupported; one of moderate size is answered."""
    made = _doubling(5)
    assert in_store(tmp_path, made) == evaluate(made, FACTS).names
    with pytest.raises(UnsupportedError, match="shared so often"):
        to_cypher(_doubling(40), FACTS)


def test_long_chains_are_answered(tmp_path: Path) -> None:
    """A chain of many hops and complements stays exact."""
    edges = []
    below = "a"
    for level in range(30):
        edges += [
            project(
                f"p{level}", below, f"p{level}", "borders", "forward" if level % 2 else "backward"
            ),
            combine(Op.COMPLEMENT, f"n{level}", f"p{level}"),
        ]
        below = f"n{level}"
    edges.append(project("last", below, "x", "in"))
    made = graph("x", [FRANCE], edges)
    assert in_store(tmp_path, made) == evaluate(made, FACTS).names


@given(pair=stores_with_graphs())
@settings(max_examples=40, suppress_health_check=[*HealthCheck], deadline=None)
def test_every_graph_has_the_same_answers_in_the_store(
    tmp_path_factory: pytest.TempPathFactory, pair: tuple[FactStore, QuestionGraph]
) -> None:
    """Law: the compiled query answers exactly what ``evaluate`` answers."""
    facts, made = pair
    folder = tmp_path_factory.mktemp("law")
    assert in_store(folder, made, facts) == evaluate(made, facts).names
