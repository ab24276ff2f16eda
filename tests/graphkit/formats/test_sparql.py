"""SPARQL in and out: what is read exactly, what is refused by name, what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from graphkit.compile.sparql import to_sparql
from graphkit.errors import FormatError, InputError, UnsupportedError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import import_questions, parse_questions, write_questions
from graphkit.formats.lines import TextSource
from graphkit.formats.sparql_in import parse_sparql
from graphkit.formats.sparql_out import sparql_of
from graphkit.patterns import canonical_text
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.testing.strategies import stores_with_graphs

PREFIX = "PREFIX e: <http://e/> PREFIX r: <http://r/> "


def short(query: str) -> str:
    text = canonical_text(parse_sparql(PREFIX + query))
    return text.replace("http://e/", "").replace("http://r/", "")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ?x { e:A r:p ?x }", 'p[p>]("A")'),
        ("SELECT DISTINCT ?x { ?x r:p e:A ; r:q [ r:t e:B ] }", 'i(p[p<]("A"),p[q<](p[t<]("B")))'),
        ("SELECT * { e:A r:p/^r:q ?x }", 'p[q<](p[p>]("A"))'),
        ("SELECT ?x { e:A r:p|^r:q ?x }", 'u(p[p>]("A"),p[q<]("A"))'),
        ("SELECT ?x { ?x a e:City ; r:p e:A }", 'City&p[p<]("A")'),
        ("SELECT ?x { e:A r:p ?x MINUS { ?x r:q e:B } }", 'i(n(p[q<]("B")),p[p>]("A"))'),
        (
            "SELECT ?x { e:A r:p ?x FILTER NOT EXISTS { ?x r:q ?y . ?y r:t e:B } }",
            'i(n(p[q<](p[t<]("B"))),p[p>]("A"))',
        ),
        ("SELECT ?x { e:A r:p ?x FILTER EXISTS { ?x r:q ?y } }", 'i(p[p>]("A"),p[q<](*))'),
        ("SELECT ?x { e:A r:p ?x FILTER(!EXISTS { ?x r:q ?y }) }", 'i(n(p[q<](*)),p[p>]("A"))'),
        ("SELECT ?x { e:A r:p ?x FILTER(?x != e:B) }", 'i(n("B"),p[p>]("A"))'),
        ("SELECT ?x { e:A r:p ?x FILTER(e:B = ?x || ?x = e:C) }", 'i(p[p>]("A"),u("B","C"))'),
        ("SELECT ?x { e:A r:p ?x FILTER(?x IN (e:B, e:C)) }", 'i("B"|"C",p[p>]("A"))'),
        (
            "SELECT ?x { e:A r:p ?x FILTER(?x NOT IN (e:B, e:C) && ?x != e:D) }",
            'i(n("B"|"C"),n("D"),p[p>]("A"))',
        ),
        ("SELECT ?x { VALUES ?y { e:A e:B } ?y r:p ?x }", 'p[p>]("A"|"B")'),
        ("SELECT ?x { BIND(e:A AS ?y) ?y r:p ?x . ?x r:q ?y }", 'i(p[p>]("A"),p[q<]("A"))'),
        ("SELECT (?y AS ?x) { e:A r:p ?y }", 'p[p>]("A")'),
        ("SELECT ?x { e:A r:p ?x . ?y r:q e:B FILTER(?x = ?y) }", 'i(p[p>]("A"),p[q<]("B"))'),
        ("SELECT ?x { e:A r:p ?x . e:B r:p ?y FILTER(sameTerm(?x, ?y)) }",
         'i(p[p>]("A"),p[p>]("B"))'),
        ("SELECT ?x { { e:A r:p ?x } UNION { e:B r:q ?x } }", 'u(p[p>]("A"),p[q>]("B"))'),
        (
            "SELECT ?x { ?x r:t ?y { ?x r:p ?y } UNION { ?y r:q e:B } }",
            None,
        ),
        ("SELECT ?x { { SELECT ?x { ?x r:p ?y . ?y r:q e:B } } ?x r:q ?y }",
         'i(p[p<](p[q<]("B")),p[q<](*))'),
        ("SELECT ?x { ?x r:p 1871 }", 'p[p<](number&"1871")'),
        ('SELECT ?x { ?x r:p "text" }', 'p[p<]("text")'),
        ("SELECT ?x { wd:Q142 wdt:P36 ?x }",
         'p[http://www.wikidata.org/prop/direct/P36>]("http://www.wikidata.org/entity/Q142")'),
    ],
)  # fmt: skip
def test_patterns_that_are_sets_are_read(query: str, expected: str | None) -> None:
    """Each supported construct becomes the set operation that means the same."""
    if expected is None:
        with pytest.raises(UnsupportedError) as caught:
            short(query)
        assert caught.value.problems[0].code == "cyclic"
    else:
        assert short(query) == expected


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("ASK { e:A r:p ?x }", "ask"),
        ("CONSTRUCT WHERE { e:A r:p ?x }", "construct"),
        ("DESCRIBE e:A", "describe"),
        ("SELECT (COUNT(?x) AS ?n) { e:A r:p ?x }", "aggregate"),
        ("SELECT ?x { e:A r:p ?x } GROUP BY ?x", "aggregate"),
        ("SELECT ?x { e:A r:p ?x } LIMIT 1", "limit"),
        ("SELECT ?x { e:A r:p ?x } ORDER BY ?x", "order"),
        ("SELECT ?x { e:A r:p ?x OPTIONAL { ?x r:q ?y } }", "optional"),
        ("SELECT ?x { GRAPH e:G { e:A r:p ?x } }", "named_graph"),
        ("SELECT ?x FROM e:G { e:A r:p ?x }", "dataset_clause"),
        ("SELECT ?x { SERVICE e:S { e:A r:p ?x } }", "service"),
        ("SELECT ?x ?y { ?x r:p ?y }", "several_variables"),
        ("SELECT ?x { ?x r:p* e:A }", "path_repetition"),
        ("SELECT ?x { ?x r:p/r:q+ e:A }", "path_repetition"),
        ("SELECT ?x { ?x !r:p e:A }", "path_negation"),
        ("SELECT ?x { ?x ?p e:A }", "variable_predicate"),
        ("SELECT ?x { ?x r:p ?n FILTER(?n > 3) }", "comparison"),
        ("SELECT ?x { ?x r:p ?n FILTER(?n != 3) }", "comparison"),
        ("SELECT ?x { e:A r:p ?x . e:B r:p ?y FILTER(?x = ?y) }", "comparison"),
        ("SELECT ?x { ?x r:p e:A ; r:q ?y FILTER(?x != ?y) }", "inequality"),
        ("SELECT ?x { ?x r:p ?n FILTER(YEAR(?n) = 1990) }", "function"),
        ('SELECT ?x { ?x r:p ?n FILTER regex(?n, "a") }', "function"),
        ("SELECT ?y { ?x r:p ?n BIND(YEAR(?n) AS ?y) }", "computed_value"),
        ('SELECT ?x { ?x r:p "Haus"@de }', "language_tag"),
        ("SELECT ?x { e:A r:p ?x MINUS { ?y r:q e:B } }", "minus_without_effect"),
        ("SELECT ?x { MINUS { ?x r:q e:B } e:A r:p ?x }", "minus_without_effect"),
        ("SELECT ?x { ?x r:p ?y MINUS { ?x r:q ?y } }", "correlated_negation"),
        ("SELECT ?x { ?x r:p ?y FILTER NOT EXISTS { ?y r:q ?x } }", "correlated_negation"),
        ("SELECT ?x { ?x r:p ?y ; r:q ?y }", "cyclic"),
        ("SELECT ?x { ?x r:p e:A . ?y r:p e:B }", "disconnected"),
        ("SELECT ?x { ?x r:p e:A FILTER NOT EXISTS { ?y r:p e:B } }", "disconnected"),
        ("SELECT ?x { { ?x r:p e:A } UNION { ?y r:p e:A } }", "unbound_answer"),
        ("SELECT ?x { { ?x r:p ?y } UNION { ?x r:q e:A } FILTER(?y != e:B) }", "partly_bound"),
        ("SELECT ?x { ?x r:p ?y VALUES (?x ?y) { (e:A e:B) (e:B e:A) } }", "correlated_values"),
        ("SELECT ?x { ?x r:p ?y VALUES (?x ?y) { (UNDEF e:B) } }", "undef"),
        ("SELECT ?x { ?x r:p e:A VALUES ?x { } }", "empty_values"),
        ("SELECT ?x { ?x r:p e:A FILTER(e:A = e:B) }", "constant_test"),
    ],
)
def test_what_is_no_set_of_entities_is_refused_by_name(query: str, code: str) -> None:
    """Each construct that a question graph cannot state has its own stable reason."""
    with pytest.raises(UnsupportedError) as caught:
        parse_sparql(PREFIX + query)
    assert [problem.code for problem in caught.value.problems] == [code]


@pytest.mark.parametrize("query", ["SELECT ?x { ?x", "", "x:y", "SELECT ?x { ?x nowhere:p ?y }"])
def test_what_is_no_sparql_is_an_error(query: str) -> None:
    """Broken syntax and unknown prefixes are format errors."""
    with pytest.raises(FormatError, match="not SPARQL"):
        parse_sparql(query)


@given(stores_with_graphs(odd=True))
def test_what_is_written_is_read_with_the_same_answers(
    pair: tuple[FactStore, QuestionGraph],
) -> None:
    """parse(print(g)) has g's answers; printing it again changes its meaning no more."""
    facts, graph = pair
    text = written(graph)
    if text is None:
        return
    again = parse_sparql(text)
    assert evaluate(again, facts).names == evaluate(graph, facts).names
    more = written(again)
    if more is None:  # a set that is empty by construction
        assert evaluate(graph, facts).count == 0
        return
    assert canonical_text(parse_sparql(more)) == canonical_text(again)


@given(stores_with_graphs(union=False))
@settings(max_examples=25)
def test_compiled_queries_are_read_back(pair: tuple[FactStore, QuestionGraph]) -> None:
    """SPARQL compiled for a fact store, with its entities' own IRIs, is read with its answers."""
    facts, graph = pair
    text = to_sparql(graph, facts).text
    try:
        again = parse_sparql(text)
    except UnsupportedError as error:
        if error.problems[0].code not in ("empty_values", "unbound_answer"):  # the empty set
            raise
        return
    found, expected = evaluate(again, facts), evaluate(graph, facts)
    if not found.grounding.ambiguous:
        assert found.names == expected.names


def written(graph: QuestionGraph) -> str | None:
    """Write a graph, or return None where it has no positive condition."""
    try:
        return sparql_of(graph)
    except UnsupportedError as error:
        if error.problems[0].code != "unsafe_complement":
            raise
        return None


def graph(*edges: Edge, **nodes: tuple[str, ...]) -> QuestionGraph:
    return QuestionGraph(
        root_node_id="x",
        nodes=[Node(node_id=name, known_entities=known) for name, known in nodes.items()],
        edges=edges,
    )


def test_sets_without_a_positive_condition_are_not_written() -> None:
    """A root that is everything but something is refused and told."""
    unsafe = graph(
        Edge(edge_id="e", source_ids=("a",), target_id="x", op="complement"), a=("A",), x=()
    )
    with pytest.raises(UnsupportedError, match=r"node x: .*all entities but some"):
        sparql_of(unsafe)


def test_shared_nodes_are_written_out_only_so_far() -> None:
    """A graph whose nodes are shared over and over does not become a query of millions of lines."""
    nodes, edges = [Node(node_id="n0", known_entities=("A",))], []
    for level in range(1, 16):
        nodes.append(Node(node_id=f"n{level}"))
        edges += [
            Edge(edge_id=f"{level}{way}", source_ids=(f"n{level - 1}",), target_id=f"n{level}",
                 op="projection", relation=way)
            for way in "pq"
        ]  # fmt: skip
    with pytest.raises(UnsupportedError, match="more than 5000 lines"):
        sparql_of(QuestionGraph(root_node_id="n15", nodes=nodes, edges=edges))


QALD = {
    "questions": [
        {"id": "7", "question": [{"language": "de", "string": "Wo?"},
                                 {"language": "en", "string": "Where?"}],
         "query": {"sparql": "SELECT ?x { wd:Q1 wdt:P2 ?x }"},
         "answers": [{"results": {"bindings": [{"x": {"type": "uri", "value": "http://a"}}]}}]},
        {"id": "8", "query": {"sparql": "ASK { wd:Q1 wdt:P2 ?x }"}},
        {"id": "9", "query": {}},
        "no object",
    ]
}  # fmt: skip


def test_qald_rows_have_ids_lines_words_and_reasons() -> None:
    """Every question of a QALD document is a graph with its words, or is named with its line."""
    text = json.dumps(QALD, indent=1)
    report = import_questions(TextSource.of(text, "qald.json"))
    assert report.notation == "sparql"
    first = report.graphs[0]
    assert (first.id, first.question, first.language, first.answer) == (
        "7", "Where?", "en", "http://a",
    )  # fmt: skip
    assert [(item.row, item.reason) for item in report.diagnostics] == [
        ("8", "ask"), ("9", "no_query"), ("4", "type"),
    ]  # fmt: skip
    lines = text.split("\n")
    assert '"8"' in lines[report.diagnostics[0].problems[0].line or 0]


def test_a_query_file_and_rows_go_both_ways(tmp_path: Path) -> None:
    """One question fits a .rq file, several go to rows with a query each and keep their ids."""
    one = parse_sparql("SELECT ?x { wd:Q1 wdt:P2 ?x }", id="a", question="Where?")
    two = parse_sparql("SELECT ?x { wd:Q2 wdt:P2 ?x }", id="b", answer="http://a")
    left = write_questions([one], tmp_path / "one.rq")
    assert [str(item) for item in left] == [
        "format sparql: does not keep question, answer and labels"
    ]
    assert canonical_text(import_questions(tmp_path / "one.rq").graphs[0]) == canonical_text(one)
    write_questions([one, two], tmp_path / "two.jsonl", "sparql")
    back = import_questions(tmp_path / "two.jsonl").graphs
    assert [(item.id, item.question, item.answer) for item in back] == [
        ("a", "Where?", None), ("b", "", "http://a"),
    ]  # fmt: skip
    with pytest.raises(UnsupportedError, match="holds one query"):
        write_questions([one, two], tmp_path / "two.rq")


def test_a_broken_query_file_is_named() -> None:
    """A query that cannot be read is an error with its file."""
    with pytest.raises(InputError, match=r"q\.rq:1: row 1: ASK has no set"):
        parse_questions("ASK { wd:Q1 wdt:P2 ?x }", name="q.rq")
