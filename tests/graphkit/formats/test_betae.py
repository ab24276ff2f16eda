"""BetaE's nested tuples, with names and with ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from graphkit.errors import FormatError, UnsupportedError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import import_questions, write_questions
from graphkit.formats.betae import parse_betae, print_betae, read_id_map
from graphkit.formats.lines import TextSource
from graphkit.normalize import normalize
from graphkit.patterns import canonical_text, signature
from graphkit.question import QuestionGraph
from graphkit.testing.strategies import stores_with_graphs

TYPES = {
    "1p": "('e', ('r',))",
    "2p": "('e', ('r', 'r'))",
    "3p": "('e', ('r', 'r', 'r'))",
    "2i": "(('e', ('r',)), ('e', ('r',)))",
    "3i": "(('e', ('r',)), ('e', ('r',)), ('e', ('r',)))",
    "ip": "((('e', ('r',)), ('e', ('r',))), ('r',))",
    "pi": "(('e', ('r', 'r')), ('e', ('r',)))",
    "2in": "(('e', ('r',)), ('e', ('r', 'n')))",
    "3in": "(('e', ('r',)), ('e', ('r',)), ('e', ('r', 'n')))",
    "inp": "((('e', ('r',)), ('e', ('r', 'n'))), ('r',))",
    "pin": "(('e', ('r', 'r')), ('e', ('r', 'n')))",
    "pni": "(('e', ('r', 'r', 'n')), ('e', ('r',)))",
    "2u": "(('e', ('r',)), ('e', ('r',)), ('u',))",
    "up": "((('e', ('r',)), ('e', ('r',)), ('u',)), ('r',))",
}
DE_MORGAN = {
    "2u": "((('e', ('r', 'n')), ('e', ('r', 'n'))), ('n',))",
    "up": "((('e', ('r', 'n')), ('e', ('r', 'n'))), ('n', 'r'))",
}


def with_ids(structure: str) -> str:
    """Give a structure ids, with -2 for n and -1 for u, as the published files have them."""
    text = structure.replace("'n'", "-2").replace("'u'", "-1").replace("'r'", "5")
    return text.replace("'e'", "17")


@pytest.mark.parametrize(("name", "structure"), [*TYPES.items(), *DE_MORGAN.items()])
def test_all_published_structures_are_read(name: str, structure: str) -> None:
    """A structure, the same with ids, and the same as JSON mean the same query type."""
    ids = with_ids(structure)
    as_json = ids.replace("(", "[").replace(",)", "]").replace(")", "]")
    for text in (structure, ids, as_json):
        assert signature(parse_betae(text)) == name
    assert signature(parse_betae(ids, structure)) == name
    assert json.loads(as_json)


def test_names_signs_and_maps() -> None:
    """Ids are looked up; the sign of a relation tells the way it is read."""
    graph = parse_betae(
        (7, (0, 1, 2)),
        entities={"7": "France"},
        relations={"0": "+/location/capital", "1": "-/location/capital"},
    )
    assert canonical_text(graph) == (
        'p[2>](p[/location/capital<](p[/location/capital>]("France")))'
    )


def test_a_query_of_another_structure_is_refused() -> None:
    """The structure beside a query is checked."""
    with pytest.raises(FormatError, match=r"has the structure \('e', \('r', 'n'\)\), expected"):
        parse_betae((1, (2, -2)), ("e", ("r", "r")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("('a',", "no nested tuples"),
        ("f(x)", "no nested tuples"),
        ("('a',)", r"expected \(entity, chain\)"),
        ("('a', 'b')", r"expected \(entity, \(relations\)\)"),
        ("('a', ('r', 'u'))", "u stands in a chain"),
        ("(('a', ('r',)), ('u',))", "a union of one query"),
        ("(('a', ('r',)), ('b', ('r',)), ('r',))", "a chain of relations behind several"),
        ("('', ('r',))", "a blank name"),
        ("('a', (1.5,))", r"expected \(entity, \(relations\)\)"),
        ("(" * 1000, "no nested tuples"),
        ("(" * 250 + "'a',()" + "),('r',)" * 249 + ")", "inside one another|no nested tuples"),
        ("('a', (" + "'r'," * 300 + "))", "a chain of 300 steps"),
    ],
)
def test_broken_tuples_are_named(text: str, message: str) -> None:
    """What is no query is told, whatever it is; nothing is ever executed."""
    with pytest.raises(FormatError, match=message):
        parse_betae(text)


@given(stores_with_graphs(safe=None))
def test_what_is_written_is_read_with_the_same_values(
    pair: tuple[FactStore, QuestionGraph],
) -> None:
    """parse(print(g)) has g's answers, in whatever graph the tuples can carry."""
    facts, graph = pair
    normal = normalize(graph)
    lacking = {node.entity_type for node in normal.nodes} != {None} or any(
        not node.known_entities and not normal.incoming[node.node_id] for node in normal.nodes
    )
    if lacking:
        return
    again = parse_betae(print_betae(graph))
    same = [evaluate(item, facts, materialize_universe=True).names for item in (graph, again)]
    assert same[0] == same[1]
    assert canonical_text(parse_betae(print_betae(again))) == canonical_text(again)


def test_rows_of_every_form_are_read(tmp_path: Path) -> None:
    """Queries, queries behind structures, printed dictionaries and objects, with maps beside."""
    (tmp_path / "id2ent.tsv").write_text("1\tFrance\n2\tNew York\n")
    (tmp_path / "id2rel.json").write_text('{"3": "-capital"}')
    rows = [
        "# queries",
        "(1, (3,))",
        "('e', ('r',))\t(2, (3,))",
        "('e', ('r', 'r'))\t(2, (3,))",
        "{('e', ('r',)): {(1, (3,)), (2, (4,))}, ('e', ('r', 'n')): [(1, (3, -2))]}",
        json.dumps({"id": "q", "query": [1, [3]], "structure": ["e", ["r"]], "answer": "Paris"}),
        json.dumps({"id": "r", "structure": ["e", ["r"]]}),
        "{1: 2",
    ]
    (tmp_path / "queries.betae").write_text("\n".join(rows))
    report = import_questions(tmp_path / "queries.betae")
    assert [canonical_text(graph) for graph in report.graphs] == [
        'p[capital<]("France")', 'p[capital<]("New York")', 'p[capital<]("France")',
        'p[4>]("New York")', 'n(p[capital<]("France"))', 'p[capital<]("France")',
    ]  # fmt: skip
    assert report.graphs[-1].answer == "Paris"
    assert [(item.row, item.reason, item.problems[0].line) for item in report.diagnostics] == [
        ("3", "betae_structure", 4), ("r", "missing_key", 7), ("7", "betae_syntax", 8),
    ]  # fmt: skip


def test_maps_that_are_none_are_named(tmp_path: Path) -> None:
    """A map of ids is an object of names, or lines of id, tab, name."""
    for name, text in (("a.json", "[1]"), ("a.tsv", "1\tx\nno tab\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(FormatError, match="expected"):
            read_id_map(tmp_path / name)


def test_types_are_refused_by_name(tmp_path: Path) -> None:
    """What the tuples have no word for is told before anything is written."""
    graph = parse_betae("('a', ('r',))")
    typed = graph.replace(
        nodes=[node.model_copy(update={"entity_type": "city"}) for node in graph.nodes]
    )
    with pytest.raises(UnsupportedError, match="format betae: cannot carry entity types"):
        write_questions([typed], tmp_path / "a.betae")
    write_questions([graph, graph], tmp_path / "a.betae")
    assert len(import_questions(TextSource.of((tmp_path / "a.betae").read_text())).graphs) == 2
