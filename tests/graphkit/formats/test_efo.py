"""EFO-1 queries in both spellings."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from graphkit.errors import FormatError, UnsafeGraphError, UnsupportedError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import import_questions
from graphkit.formats.efo import parse_efo, print_efo
from graphkit.formats.lines import TextSource
from graphkit.patterns import canonical_text, signature
from graphkit.question import QuestionGraph
from graphkit.testing.strategies import stores_with_graphs

TYPES = {
    "1p": ("(p,(e))", "r1(s1,f)"),
    "2p": ("(p,(p,(e)))", "(r1(s1,e1))&(r2(e1,f))"),
    "3p": ("(p,(p,(p,(e))))", "((r1(s1,e1))&(r2(e1,e2)))&(r3(e2,f))"),
    "2i": ("(i,(p,(e)),(p,(e)))", "r1(s1,f)&r2(s2,f)"),
    "3i": ("(i,(p,(e)),(p,(e)),(p,(e)))", "(r1(s1,f1))&((r2(s2,f1))&(r3(s3,f1)))"),
    "ip": ("(p,(i,(p,(e)),(p,(e))))", "r1(s1,e1)&r2(s2,e1)&r3(e1,f)"),
    "pi": ("(i,(p,(p,(e))),(p,(e)))", "r1(s1,e1)&r2(e1,f)&r3(s2,f)"),
    "2in": ("(i,(p,(e)),(n,(p,(e))))", "(r1(s1,f))&(!(r2(s2,f)))"),
    "3in": ("(i,(p,(e)),(p,(e)),(n,(p,(e))))", "r1(s1,f)&r2(s2,f)&!r3(s3,f)"),
    "inp": ("(p,(i,(p,(e)),(n,(p,(e)))))", "r1(s1,e1)&!r2(s2,e1)&r3(e1,f)"),
    "pin": ("(i,(p,(p,(e))),(n,(p,(e))))", "r1(s1,e1)&r2(e1,f)&!r3(s2,f)"),
    "pni": ("(i,(n,(p,(p,(e)))),(p,(e)))", None),
    "2u": ("(u,(p,(e)),(p,(e)))", "r1(s1,f)|r2(s2,f)"),
    "up": ("(p,(u,(p,(e)),(p,(e))))", "(r1(s1,e1)|r2(s2,e1))&r3(e1,f)"),
}


@pytest.mark.parametrize(("name", "spellings"), list(TYPES.items()))
def test_the_fourteen_query_types_in_both_spellings(
    name: str, spellings: tuple[str, str | None]
) -> None:
    """Each type is read as what it is called; names left open are s1, r1 and so on."""
    for text in filter(None, spellings):
        graph = parse_efo(text)
        assert signature(graph) == name
        anchors = sorted(entity for node in graph.anchors for entity in node.known_entities)
        assert anchors == [f"s{number}" for number in range(1, len(anchors) + 1)]
        assert {edge.relation for edge in graph.edges} - {None} <= {"r1", "r2", "r3"}


def test_names_inverse_relations_types_and_differences() -> None:
    """Names may be quoted, a relation read backwards; d and D take sets away."""
    found = parse_efo('(d,(p,(-r,"born in"),(e,"New York",Rome)),(p,at,(t,city)),(n,(*)))')
    assert canonical_text(found) == 'i(n(n(*)),n(p[at>](city&*)),p[born in<]("New York"|"Rome"))'
    assert canonical_text(parse_efo("(p,(borders),(e,(France)))")) == 'p[borders>]("France")'


def test_a_grounding_gives_names_their_meaning() -> None:
    """Names of a formula, of a set, and those left open are looked up."""
    names = {"s1": "France", "r1": "capital"}
    assert canonical_text(parse_efo("r1(s1,f)", names)) == 'p[capital>]("France")'
    assert canonical_text(parse_efo("(p,(e))", names)) == 'p[capital>]("France")'


def test_negations_move_to_the_atoms() -> None:
    """De Morgan: a negated conjunction of negations is a union."""
    assert signature(parse_efo("!(!r1(s1,f)&!r2(s2,f))")) == "2u"
    assert signature(parse_efo("r1(s1,f)&!(r2(s2,f)|r3(s3,f))")) == "i(n(p(a)),n(p(a)),p(a))"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("((r1(s1,e1))&(!(r2(e1,f))))&(r3(s2,f))", "correlated_negation"),
        ("((r1(s1,e1))&(r2(e1,f)))&(r3(e1,f))", "cyclic"),
        ("r1(s1,f1)&r2(s2,f2)", "several_variables"),
        ("r1(s1,e1)", "several_variables"),
        ("r1(s1,f)&!r2(s2,e1)", "unbound_variable"),
        ("r1(s1,f)&r2(s2,e1)", "disconnected"),
        ("!r1(s1,f)", "unbound_answer"),
    ],
)
def test_formulas_that_are_no_sets_are_refused_by_name(text: str, code: str) -> None:
    """An atom under a negation speaks of one individual, never of all of a set."""
    with pytest.raises(UnsupportedError) as caught:
        parse_efo(text)
    assert caught.value.problems[0].code == code


def test_a_union_with_a_negation_is_read_and_unsafe() -> None:
    """All entities but some are a graph, whose answers nobody lists without being told to."""
    facts = FactStore.from_triples([("s1", "r1", "a"), ("s2", "r2", "b")])
    graph = parse_efo("r1(s1,f)|!r2(s2,f)")
    with pytest.raises(UnsafeGraphError):
        evaluate(graph, facts)
    assert evaluate(graph, facts, materialize_universe=True).names == ["a", "s1", "s2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(p,(r),", r'found the end, expected "\("'),
        ("(q,(e))", r'found "\(", expected one of|found "q"|expected "\("'),
        ("(i,(e))", "i has 1 sets, expected 2 or more"),
        ("(n,(e),(e))", "n has 2 sets, expected one"),
        ("(p,(e)) x", 'found "x", expected the end at sign 9'),
        ("r1(s1)", r'found "\)", expected ","'),
        ("r1(s1,f", r'found the end, expected "\)"'),
        ('(e,"open)', "is not closed at sign 4"),
        ('(e,"\\x")', "is not a JSON string"),
        ("(n," * 300 + "(e)" + ")" * 300, "more than 200 expressions"),
        ("!" * 300 + "r(s,f)", "more than 200 expressions"),
    ],
)
def test_broken_queries_have_their_place(text: str, message: str) -> None:
    """What breaks the grammar is told with what was expected there."""
    with pytest.raises(FormatError, match=message):
        parse_efo(text)


@given(stores_with_graphs(safe=None))
def test_what_is_written_is_read_with_the_same_values(
    pair: tuple[FactStore, QuestionGraph],
) -> None:
    """parse(print(g)) has g's answers, complements included, and prints to the same meaning."""
    facts, graph = pair
    again = parse_efo(print_efo(graph))
    same = [evaluate(item, facts, materialize_universe=True).names for item in (graph, again)]
    assert same[0] == same[1]
    assert canonical_text(parse_efo(print_efo(again))) == canonical_text(again)


def test_rows_of_every_public_form_are_read() -> None:
    """Lines, objects, nested ids and maps of formulas to groundings; each row is named."""
    lines = "# comment\n(p,(capital),(e,France))\n\n(p,(e)\n"
    report = import_questions(TextSource.of(lines, "a.efo"))
    assert len(report.graphs) == 1
    assert [(item.row, item.problems[0].line) for item in report.diagnostics] == [("2", 4)]
    nested = {"o": "d", "a": [{"o": "p", "a": [[4, 5], {"o": "e", "a": [1, 2]}]},
                              {"o": "n", "a": {"o": "e", "a": [3, 6]}}]}  # fmt: skip
    table = {"r1(s1,f)": [[{"s1": 7, "r1": 8}, [1, 2]], [{"s1": 9}, []]],
             "r1(s1,e1)&r2(e1,f)&r3(e1,f)": [[{}, []]]}  # fmt: skip
    rows = [nested, table, {"id": "q", "lstr": "r1(s1,f)", "grounding": {"s1": "A"}},
            {"id": "bad", "formula": "r1(s1,f)", "grounding": [1]},
            {"o": "p", "a": [[1], {"o": "e", "a": [1, 2]}]}]  # fmt: skip
    text = "\n".join(map(json.dumps, rows))
    report = import_questions(TextSource.of(text, "rows.jsonl"), "efo")
    assert [canonical_text(graph) for graph in report.graphs] == [
        'i(n(n("3")),p[4>]("1"))', 'i(n(n("6")),p[5>]("2"))',
        'p[8>]("7")', 'p[r1>]("9")', 'p[r1>]("A")',
    ]  # fmt: skip
    assert [(item.row, item.reason) for item in report.diagnostics] == [
        ("2.2.1", "cyclic"), ("bad", "grounding"), ("5", "efo_syntax"),
    ]  # fmt: skip
