"""Imported SPARQL replays: the graph's answers are those that an engine for SPARQL gives."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rdflib
from rdflib.paths import AlternativePath, InvPath, SequencePath
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.term import BNode, Literal, URIRef, Variable

from graphkit.errors import InputError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import ImportReport, import_questions
from graphkit.formats.sparql_in import parse_sparql
from graphkit.formats.sparql_out import sparql_of
from graphkit.grounding import ground
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from graphkit.testing.generation import SeededChoices, make_graph

ENTITIES = [f"http://e/{letter}" for letter in "abcdefg"]
RELATIONS = [f"http://r/{letter}" for letter in "pqs"]
Triple = tuple[str, str, str]
NEGATION = re.compile(r"MINUS|NOT\s+EXISTS|!=", re.IGNORECASE)


@pytest.fixture(scope="module")
def queries(shared_data: Path) -> dict[str, str]:
    data = json.loads((shared_data / "questions/qald_10.json").read_text())
    return {str(item["id"]): item["query"]["sparql"] for item in data["questions"]}


@pytest.fixture(scope="module")
def report(shared_data: Path) -> ImportReport:
    return import_questions(shared_data / "questions/qald_10.json")


@pytest.mark.shared_data
def test_every_qald_query_is_a_graph_or_named(
    report: ImportReport, queries: dict[str, str]
) -> None:
    """All 394 rows are accounted for once; each refusal has a reason, a line and a sentence."""
    seen = [graph.id for graph in report.graphs] + [item.row for item in report.diagnostics]
    assert sorted(map(str, seen)) == sorted(queries)
    assert len(report.graphs) >= 165
    for item in report.diagnostics:
        assert item.reason not in ("sparql_syntax", "unsupported_pattern")
        assert all(problem.line and problem.message for problem in item.problems)


@pytest.mark.shared_data
def test_queries_with_negation_are_graphs_with_complement_or_named(
    report: ImportReport, queries: dict[str, str]
) -> None:
    """Of the 23 negated queries none loses its negation."""
    graphs = {graph.id: graph for graph in report.graphs}
    named = {item.row for item in report.diagnostics}
    negated = [ident for ident, query in queries.items() if NEGATION.search(query)]
    assert len(negated) == 23
    for ident in negated:
        if ident not in named:
            assert any(edge.op is Op.COMPLEMENT for edge in graphs[ident].edges)


@pytest.mark.shared_data
def test_imported_queries_replay_in_worlds_made_for_them(
    report: ImportReport, queries: dict[str, str]
) -> None:
    """In facts made from each query's own pattern, graph and query have the same answers."""
    choices = random.Random(10)
    filled = 0
    for graph in report.graphs:
        query = queries[str(graph.id)]
        facts = make_world(query, choices)
        expected = answers_by_rdflib(query, facts)
        assert answers(graph, facts) == expected, query
        filled += bool(expected)
    assert filled >= 0.9 * len(report.graphs)


def answers(graph: QuestionGraph, facts: list[tuple[str, str, str]]) -> set[str]:
    store = FactStore.from_triples(facts)
    found = ground(graph, store, strict=False)
    if found.unresolved:  # what no fact speaks of is empty in SPARQL: give it a fact elsewhere
        relations = {edge.relation or "" for edge in graph.edges} - {""}
        names = {name for node in graph.nodes for name in node.known_entities}
        spare = [("http://spare/s", relation, "http://spare/o") for relation in relations]
        spare += [(name, "http://spare/r", "http://spare/o") for name in names]
        store = FactStore.from_triples([*facts, *spare])
    return set(evaluate(graph, store).names) - {"http://spare/s", "http://spare/o"}


class Writer:
    """Writes random SPARQL queries, most of them trees."""

    def __init__(self, choices: random.Random) -> None:
        self.choices = choices
        self.count = 0
        self.own: list[str] = []

    def iri(self, names: list[str]) -> str:
        return f"<{self.choices.choice(names)}>"

    def variable(self, pool: list[str]) -> str:
        if pool and self.choices.random() < 0.6:
            return self.choices.choice(pool)
        self.count += 1
        return f"?v{self.count}"

    def path(self, depth: int = 0) -> str:
        roll = self.choices.random()
        if roll < 0.7 or depth > 1:
            return self.iri(RELATIONS)
        if roll < 0.8:
            return "^" + self.iri(RELATIONS)
        sign = "/" if roll < 0.92 else "|"
        return f"({self.path(depth + 1)}{sign}{self.path(depth + 1)})"

    def triple(self, own: list[str]) -> str:
        pick = self.choices.random
        ends = [self.choices.choice(own) if own and pick() < 0.9 else self.variable(own)]
        if pick() < 0.4:
            ends.append(self.iri(ENTITIES))
        else:
            ends.append(self.variable(own if pick() < 0.12 else []))
        if pick() < 0.5:
            ends.reverse()
        own.extend(end for end in ends if end.startswith("?") and end not in own)
        return f"{ends[0]} {self.path()} {ends[1]} ."

    def group(self, pool: list[str], depth: int = 0) -> str:
        own = list(pool)
        parts = [self.triple(own) for _ in range(self.choices.randint(1, 3))]
        if depth < 2:
            parts += self.extras(own, depth)
        if depth == 0:
            self.own = own
        return " ".join(parts)

    def extras(self, own: list[str], depth: int) -> list[str]:
        roll, inner = self.choices.random(), lambda: "{ " + self.group(own, depth + 1) + " }"
        found = []
        if roll < 0.2:
            found.append("MINUS " + inner())
        elif roll < 0.4:
            found.append("FILTER NOT EXISTS " + inner())
        elif roll < 0.5:
            found.append("FILTER EXISTS " + inner())
        elif roll < 0.62:
            found.append(f"{inner()} UNION {inner()}")
        name, other = self.choices.choice(own), self.choices.choice(own)
        first, second = self.iri(ENTITIES), self.iri(ENTITIES)
        filters = [
            f"FILTER({name} != {first})",
            f"FILTER({name} NOT IN ({first}, {second}))",
            f"VALUES {name} {{ {first} {second} }}",
            f"VALUES {name} {{ {first} }}",
            f"FILTER({name} = {first} || {other} != {second})",
            f"FILTER(!({name} = {first} && EXISTS {inner()}))",
            f"FILTER(sameTerm({name}, {other}))",
        ]
        if self.choices.random() < 0.35:
            found.append(self.choices.choice(filters))
        return found


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_read_means_the_same(seed: int) -> None:
    """Of random queries, each that is accepted has the answers of rdflib's own evaluation."""
    choices = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(120):
        writer = Writer(choices)
        body = writer.group([])
        query = f"SELECT DISTINCT {choices.choice(writer.own)} WHERE {{ {body} }}"
        try:
            graph = parse_sparql(query)
        except InputError as error:
            seen[error.problems[0].code] += 1
            continue
        facts = [
            (choices.choice(ENTITIES), choices.choice(RELATIONS), choices.choice(ENTITIES))
            for _ in range(choices.choice([14, 25, 40]))
        ]
        expected = answers_by_rdflib(query, facts)
        assert answers(graph, facts) == expected, query
        seen["answered" if expected else "empty"] += 1
    assert seen["answered"] >= 20
    assert "sparql_syntax" not in seen


def exact(graph: QuestionGraph, facts: FactStore) -> QuestionGraph:
    """Call everything in a graph exactly as the facts do, for an engine that knows no aliases."""
    found: Any = ground(graph, facts)
    nodes = [
        node.model_copy(
            update={
                "known_entities": tuple(
                    facts.name(number)
                    for match in found.anchors.get(node.node_id, ())
                    for number in match.entities
                )
            }
        )
        for node in graph.nodes
    ]
    edges = [
        edge.model_copy(
            update={
                "relation": facts.relations[found.relations[edge.edge_id].number],
                "direction": found.relations[edge.edge_id].direction,
            }
        )
        if edge.op is Op.PROJECTION
        else edge
        for edge in graph.edges
    ]
    return graph.replace(nodes=nodes, edges=edges)


def test_written_queries_have_the_answers_of_the_graph() -> None:
    """What is written for random graphs, another engine answers as evaluate does."""
    choices = random.Random(4)
    written = 0
    for seed in range(60):
        triples = [
            (choices.choice(ENTITIES), choices.choice(RELATIONS), choices.choice(ENTITIES))
            for _ in range(14)
        ]
        facts = FactStore.from_triples(triples)
        graph = exact(make_graph(SeededChoices(seed), facts, steps=4), facts)
        try:
            query = sparql_of(graph)
        except InputError:
            continue
        written += 1
        assert answers_by_rdflib(query, triples) == set(evaluate(graph, facts).names), query
    assert written >= 50


def triples_of(query: str) -> list[tuple[Any, Any, Any]]:
    """Return all triple patterns of a query, those of negated parts too, by rdflib alone."""
    found: list[tuple[Any, Any, Any]] = []

    def visit(node: Any) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                if key == "triples":
                    for item in value:
                        flat = list(item)
                        found.extend(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
                else:
                    visit(value)
        elif isinstance(node, list):
            for item in node:
                visit(item)

    visit(translateQuery(parseQuery(query)).algebra)
    return found


def make_world(query: str, choices: random.Random) -> list[Triple]:
    """Return facts: the pattern instantiated several times, with holes and crossings."""
    patterns = triples_of(query)
    facts: list[Triple] = []
    for copy in range(6):
        names: dict[Any, str] = {}
        for pattern in patterns:
            if copy == 0 or choices.random() < 0.8:
                facts.extend(_instance(pattern, names, f"{copy}", choices))
    crossed = [(head, relation, choices.choice(facts)[2]) for head, relation, _ in facts]
    return [*facts, *(fact for fact in crossed if choices.random() < 0.4)]


def _instance(
    pattern: tuple[Any, Any, Any], names: dict[Any, str], mark: str, choices: random.Random
) -> Iterator[Triple]:
    subject, predicate, object_ = pattern
    ends = []
    for term in (subject, object_):
        if isinstance(term, Variable | BNode):
            ends.append(names.setdefault(term, f"http://x/{mark}/{len(names)}"))
        else:
            ends.append(str(term))
    yield from _along(predicate, ends[0], ends[1], names, mark, choices)


def _along(
    path: Any, head: str, tail: str, names: dict[Any, str], mark: str, choices: random.Random
) -> Iterator[Triple]:
    if isinstance(path, URIRef):
        yield head, str(path), tail
    elif isinstance(path, InvPath):
        yield from _along(path.arg, tail, head, names, mark, choices)
    elif isinstance(path, AlternativePath):
        yield from _along(choices.choice(path.args), head, tail, names, mark, choices)
    else:
        assert isinstance(path, SequencePath)
        stops = [head]
        for _ in path.args[1:]:
            stops.append(names.setdefault(object(), f"http://x/{mark}/{len(names)}"))
        stops.append(tail)
        for number, step in enumerate(path.args):
            yield from _along(step, stops[number], stops[number + 1], names, mark, choices)


def answers_by_rdflib(query: str, facts: list[Triple]) -> set[str]:
    """Return what rdflib's own evaluation of the query gives."""
    world = rdflib.Graph()
    for head, relation, tail in facts:
        world.add((URIRef(head), URIRef(relation), _object(tail)))
    return {str(row[0]) for row in world.query(query)}


def _object(text: str) -> URIRef | Literal:
    return URIRef(text) if "://" in text else Literal(text)
