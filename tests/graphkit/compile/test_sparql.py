"""The SPARQL compiler: exact at every depth, safe, without names in its text; facts as RDF."""

from __future__ import annotations

import builtins
import re
from typing import Any

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.plugins.sparql.parser import parseQuery

from graphkit.compile.sparql import to_sparql
from graphkit.compile.sparql_answers import ENGINES, Engine, answer_by_sparql
from graphkit.errors import (
    DependencyError,
    GroundingError,
    SettingsError,
    UnsafeGraphError,
    UnsupportedError,
)
from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.formats.rdf_facts_writer import facts_to_rdf
from graphkit.formats.rdf_terms import entity_iri, entity_key, is_web_iri, minted, short
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph
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
    "exclusion inside an exclusion": (
        graph(
            "x",
            [FRANCE, EU],
            [
                project("e1", "a", "c", "borders"),
                project("e2", "b", "d", "in", "backward"),
                combine(Op.COMPLEMENT, "n", "d"),
                combine(Op.INTERSECTION, "f", "c", "n"),
                project("e3", "f", "g", "borders"),
                combine(Op.COMPLEMENT, "m", "g"),
                project("e4", "c", "h", "borders"),
                combine(Op.INTERSECTION, "x", "h", "m"),
            ],
        ),
        ["Portugal"],
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


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_each_form_has_its_answers(engine: Engine, name: str) -> None:
    """Complements at every depth, unions, any-of anchors and free nodes give the exact set."""
    made, expected = CASES[name]
    assert evaluate(made, FACTS).names == expected
    assert answer_by_sparql(made, FACTS, engine) == expected


def test_an_exclusion_is_bounded_by_a_positive_pattern() -> None:
    """One hop is a NOT EXISTS on the candidates; a longer branch is subtracted as a whole."""
    short_one = to_sparql(CASES["exclusion of one hop"][0], FACTS).text
    assert short_one.splitlines() == [
        "PREFIX entity: <urn:graphkit:entity:>",
        "PREFIX relation: <urn:graphkit:relation:>",
        "SELECT DISTINCT ?x WHERE {",
        "  VALUES ?x1 { entity::France }",
        "  ?x1 relation:borders ?x .",
        "  FILTER NOT EXISTS { VALUES ?x2 { entity::EU } ?x relation:in ?x2 . }",
        "}",
    ]
    long_one = to_sparql(CASES["exclusion inside an exclusion"][0], FACTS).text
    assert "MINUS {\n    SELECT DISTINCT ?x WHERE {" in long_one


def test_no_name_can_become_syntax() -> None:
    """Names, relations and types that are SPARQL themselves stay minted IRIs."""
    evil = 'x> . } ; DROP ALL # "\\\n?x'
    facts = FactStore.from_evidence(
        [
            EvidenceRecord(
                evidence_id="e1",
                head_entity=evil,
                relation=evil,
                tail_entity="target",
                tail_type=evil,
            )
        ]
    )
    made = graph(
        "x",
        [Node(node_id="a", known_entities=(evil,)), Node(node_id="x", entity_type=evil)],
        [project("e", "a", "x", evil)],
    )
    text = to_sparql(made, facts).text
    assert "DROP ALL" not in text
    parseQuery(text)
    for engine in ENGINES:
        assert answer_by_sparql(made, facts, engine) == ["target"]


def test_ids_that_are_web_addresses_are_their_own_iris() -> None:
    """A Wikidata id stands as it is; one that only looks like an address is minted."""
    facts = FactStore.from_evidence(
        [
            EvidenceRecord(
                evidence_id=f"e{number}",
                head_entity=f"thing {number}",
                head_id=ident,
                relation="in",
                tail_entity="list",
            )
            for number, ident in enumerate(
                ["http://www.wikidata.org/entity/Q142", "http://a b> ?x", "Q142"]
            )
        ]
    )
    made = graph(
        "x",
        [Node(node_id="a", known_entities=("list",))],
        [project("e", "a", "x", "in", "backward")],
    )
    for engine in ENGINES:
        assert answer_by_sparql(made, facts, engine) == ["thing 0", "thing 1", "thing 2"]
    subjects = {str(subject) for subject in facts_to_rdf(facts).subjects()}
    assert "http://www.wikidata.org/entity/Q142" in subjects
    assert "urn:graphkit:entity:%23http:%2F%2Fa%20b%3E%20%3Fx" in subjects


@given(st.text(), st.text())
def test_minted_iris_are_injective_and_plain(one: str, other: str) -> None:
    """Different keys have different IRIs of harmless characters, from which the key comes back."""
    assert entity_key(entity_iri(one)) == one
    assert (entity_iri(one) == entity_iri(other)) == (one == other)
    assert is_web_iri(entity_iri(one)) or re.fullmatch(r"[A-Za-z0-9:._~%-]+", entity_iri(one))


@given(st.text(max_size=6))
def test_prefixed_names_mean_the_whole_iri(name: str) -> None:
    """What is written with a prefix is read back as the minted IRI."""
    iri = minted("urn:graphkit:relation:", name)
    text = f"PREFIX relation: <urn:graphkit:relation:> SELECT * {{ ?s {short(iri)} ?o }}"
    found = rdflib.Graph()
    triple = (rdflib.URIRef("urn:s"), rdflib.URIRef(iri), rdflib.URIRef("urn:o"))
    found.add(triple)
    assert len(list(found.query(text))) == 1


def test_an_unsafe_root_is_an_error() -> None:
    """A root that is a complement is refused with its node, unless the universe is wanted."""
    made = graph("n", [FRANCE], [combine(Op.COMPLEMENT, "n", "a")])
    with pytest.raises(UnsafeGraphError, match="node n"):
        to_sparql(made, FACTS)
    found = answer_by_sparql(made, FACTS, materialize_universe=True)
    assert found == evaluate(made, FACTS, materialize_universe=True).names
    assert len(found) == FACTS.size - 1


def test_what_is_not_in_the_facts_is_an_error() -> None:
    """A name or a relation that the facts do not have is unresolved, not an empty set."""
    made = graph(
        "x", [Node(node_id="a", known_entities=("Atlantis",))], [project("e1", "a", "x", "sank")]
    )
    with pytest.raises(GroundingError, match=r"(?s)Atlantis.*sank"):
        to_sparql(made, FACTS)


def test_nodes_shared_too_often_are_refused_by_name() -> None:
    """A query that would grow without end is unsupported; one of moderate size is answered."""

    def doubling(levels: int) -> QuestionGraph:
        edges, below = [], "a"
        for level in range(levels):
            edges += [
                project(f"f{level}", below, f"f{level}", "borders"),
                project(f"b{level}", below, f"b{level}", "borders", "backward"),
                combine(Op.UNION, f"u{level}", f"f{level}", f"b{level}"),
            ]
            below = f"u{level}"
        return graph(below, [FRANCE], edges)

    made = doubling(5)
    assert answer_by_sparql(made, FACTS, "pyoxigraph") == evaluate(made, FACTS).names
    with pytest.raises(UnsupportedError, match="shared so often"):
        to_sparql(doubling(40), FACTS)


def test_long_chains_are_answered() -> None:
    """A chain of many hops and complements stays exact."""
    edges, below = [], "a"
    for level in range(20):
        way = "forward" if level % 2 else "backward"
        edges += [
            project(f"p{level}", below, f"p{level}", "borders", way),
            combine(Op.COMPLEMENT, f"n{level}", f"p{level}"),
        ]
        below = f"n{level}"
    edges.append(project("last", below, "x", "in"))
    made = graph("x", [FRANCE], edges)
    assert answer_by_sparql(made, FACTS, "pyoxigraph") == evaluate(made, FACTS).names


def test_an_unknown_engine_is_named() -> None:
    """An engine that there is not is an error with those that there are."""
    engine: Any = "rdlib"
    with pytest.raises(SettingsError, match=r"'rdlib'.*did you mean rdflib"):
        answer_by_sparql(CASES["implicit intersection"][0], FACTS, engine)


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyoxigraph its engine is a dependency error, and rdflib still answers."""
    whole = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "pyoxigraph":
            raise ImportError(name)
        return whole(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    facts = FactStore.from_triples([("a", "r", "b")])
    made = graph("x", [Node(node_id="a", known_entities=("a",))], [project("e", "a", "x", "r")])
    with pytest.raises(DependencyError, match=r"pip install reasoning-graphkit\[rdf\]"):
        answer_by_sparql(made, facts, "pyoxigraph")
    assert answer_by_sparql(made, facts) == ["b"]


@given(pair=stores_with_graphs())
@settings(deadline=None)
def test_every_graph_has_the_same_answers_by_sparql(pair: tuple[FactStore, QuestionGraph]) -> None:
    """Law: the compiled query answers exactly what ``evaluate`` answers, and it parses."""
    facts, made = pair
    parseQuery(to_sparql(made, facts).text)
    assert answer_by_sparql(made, facts, "pyoxigraph") == evaluate(made, facts).names
