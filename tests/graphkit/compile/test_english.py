"""English: wording, types of anchors, fallbacks, and what the parser refuses."""

from __future__ import annotations

import pytest

from graphkit.compile.english import compile_english, english
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.compile.english_terms import (
    Term,
    anchor,
    combination,
    complement,
    graph_of,
    projection,
    term_of,
)
from graphkit.errors import FormatError, UnsupportedError
from graphkit.facts import FactStore
from graphkit.formats.english import parse_english
from graphkit.operations import Direction, Op
from graphkit.patterns import canonical_key, canonical_text
from graphkit.relations import RelationSheet

SHEET = RelationSheet.parse("""
[articles]
the = ["Netherlands"]
[types.country]
[types.city]
[relations.borders]
symmetric = true
head_type = "country"
tail_type = "country"
[relations.borders.phrases]
backward = "borders {}"
forward = "borders {}"
[relations.capital]
head_type = "country"
tail_type = "city"
[relations.capital.phrases]
backward = "has as its capital {}"
forward = "is the capital of {}"
[relations."near 1".phrases]
backward = "is near {}"
forward = "is close to {}"
[relations."near 2".phrases]
backward = "is near a country that borders {}"
forward = "is close to a neighbour of {}"
""")
LEXICON = EnglishLexicon.build(SHEET)
B, F = Direction.BACKWARD, Direction.FORWARD


def _borders(part: Term, kind: str | None = "country") -> Term:
    return projection("borders", B, part, kind)


def _reads_back(term: Term, lexicon: EnglishLexicon = LEXICON) -> str:
    graph = graph_of(term)
    text = english(graph, lexicon)
    assert canonical_key(parse_english(text, lexicon)) == canonical_key(graph)
    return text


def test_which_reads_anchors_as_typed_and_what_does_not() -> None:
    """The opening word says whether bare names have the type of their place."""
    typed = _borders(anchor(["France"], "country"))
    plain = _borders(anchor(["France"]))
    assert _reads_back(typed) == "Which country borders France?"
    assert _reads_back(plain) == "What country borders France?"


def test_single_anchors_of_another_kind_are_marked() -> None:
    """An untyped name among typed ones is quoted; one of another type says its type."""
    pair = combination(
        Op.INTERSECTION,
        [
            _borders(anchor(["France"], "country")),
            _borders(anchor(["Spain"], "country"), None),
            projection("capital", B, anchor(["Luxembourg"]), None),
        ],
        "country",
    )
    assert _reads_back(pair) == (
        'Which country borders both France and Spain and has "Luxembourg" as its capital?'
    )
    other = _borders(anchor(["Luxembourg"], "city"))
    assert _reads_back(other) == "Which country borders the city Luxembourg?"


def test_a_phrase_said_twice_is_written_mechanically() -> None:
    """Of two directions with one phrase the second gets the name of its relation."""
    forward = projection("borders", F, anchor(["France"], "country"), "country")
    assert _reads_back(forward) == 'Which country is a "borders" of France?'


def test_an_ambiguous_wording_is_replaced() -> None:
    """Where phrases run into each other the writer takes other words; the parser refuses."""
    far = projection("near 1", B, _borders(anchor(["France"], "country")), "country")
    near = projection("near 2", B, anchor(["France"], "country"), "country")
    texts = {_reads_back(far), _reads_back(near)}
    assert len(texts) == 2
    with pytest.raises(FormatError, match=r"can be read as .*near 1.* and as .*near 2"):
        parse_english("What country is near a country that borders France?", LEXICON)


def test_names_that_hold_conjunctions_are_read_whole() -> None:
    """Known names with "and", commas and "of" need no quotes; unknown ones get them."""
    names = ["Bosnia and Herzegovina", "Congo, Democratic Republic of the"]
    term = _borders(anchor(names, "country"))
    knowing = LEXICON.with_names(names)
    text = _reads_back(term, knowing)
    assert text == f"Which country borders {names[0]} or {names[1]}?"
    assert '"' in _reads_back(term)
    assert canonical_text(parse_english(text, SHEET, names)) == term.text


def test_a_name_that_is_two_names_is_quoted() -> None:
    """A name that could be read as a choice of two others stands in quotes."""
    knowing = LEXICON.with_names(["France", "Spain", "France or Spain"])
    text = _reads_back(_borders(anchor(["France or Spain"], "country")), knowing)
    assert '"France or Spain"' in text


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("1965-08-09", "9 August 1965"),
        ("7741220 square kilometre", "7,741,220 square kilometres"),
        ("1 person", "1 person"),
        ("12.5 person", "12.5 people"),
        ("1960", "1960"),
        ("Netherlands", "the Netherlands"),
    ],
)
def test_literals_are_written_as_people_do(name: str, written: str) -> None:
    """Dates, quantities and names with an article are written in full and read back."""
    facts = FactStore.from_triples([("x", "r", "y")], SHEET)
    lexicon = EnglishLexicon.build(SHEET, facts, ["Netherlands"])
    units = {"square kilometre": "square kilometre", "square kilometres": "square kilometre"}
    units |= {"person": "person", "people": "person"}
    lexicon.units.update(units)
    assert _reads_back(_borders(anchor([name])), lexicon) == f"What country borders {written}?"


def test_deep_graphs_become_groups() -> None:
    """Long chains of projections, complements and lists are written in readable sentences."""
    chain = denied = mixed = anchor(["France"], "country")
    for number in range(120):
        chain = _borders(chain)
        denied = complement(denied)
        op = Op.UNION if number % 2 else Op.INTERSECTION
        mixed = combination(op, [mixed, _borders(anchor([f"C{number}"]), None)])
    for term in (chain, denied, mixed):
        longest = max(len(sentence.split()) for sentence in _reads_back(term).split(". "))
        assert longest < 80


def test_extra_white_space_does_not_matter() -> None:
    """Line breaks and repeated spaces between words are read as one space."""
    text = "Which  city is\nthe capital of the Netherlands?"
    assert canonical_text(parse_english(text, SHEET)) == 'city&p[capital>](country&"Netherlands")'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a question"),
        ("Which country borders France.", "expected"),
        ("Which country eats France?", "'eats France.*expected a verb phrase"),
        ("Which country borders a teapot?", "'a teapot.*expected a name, or a noun"),
        ("Which country borders one of these countries?", "expected a name"),
        ("Which country is in group A?", "expected"),
        (
            "Consider every country that borders France. Consider also every country that "
            "borders Spain. Which country borders one of these countries?",
            "two groups of countries",
        ),
        ("Which country borders " + "a country that borders " * 4000 + "France?", "too deeply"),
        ('Which country borders "Fra\\x"?', "expected a name"),
    ],
)
def test_other_texts_are_refused(text: str, problem: str) -> None:
    """What is not a question of the grammar is an error that says where and what is expected."""
    with pytest.raises(FormatError, match=problem):
        parse_english(text, LEXICON)


def test_a_graph_without_a_wording_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """When no wording reads back the graph is not written; unverified text is the plain one."""

    def refuse(text: str, lexicon: EnglishLexicon) -> None:
        raise FormatError("no")

    monkeypatch.setattr("graphkit.compile.english.parse_english", refuse)
    graph = graph_of(_borders(anchor(["France"], "country"))).replace(id="q7")
    with pytest.raises(UnsupportedError, match="graph q7: no English wording"):
        english(graph, LEXICON)
    assert compile_english(graph, SHEET, verify=False).text == "Which country borders France?"


def test_shared_sets_are_shared_in_the_graph_read() -> None:
    """A group that is referred to twice is one node of the graph that is read."""
    text = (
        "Consider every country that borders France. Which country borders one of these "
        "countries but does not have as its capital any of these countries?"
    )
    graph = parse_english(text, LEXICON)
    assert sum(node.known_entities == ("France",) for node in graph.nodes) == 1
    assert term_of(graph).text == canonical_text(graph)
