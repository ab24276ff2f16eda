"""English laws: what is written reads back to the same canonical graph, whatever the graph."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from graphkit.compile.english import english
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.compile.english_terms import term_of
from graphkit.facts import FactStore
from graphkit.formats.english import parse_english
from graphkit.operations import Op
from graphkit.patterns import canonical_key, canonical_text
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet

SHEET = RelationSheet.parse("""
[articles]
the = ["Netherlands", "Euro"]
[types.country]
plural = "countries"
ask = "Which country or territory"
[types.city]
[types."body of water"]
[types.person]
ask = "Who"
[types.year]
ask = "Which year"
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
[relations."member of"]
head_type = "country"
[relations."member of".phrases]
backward = "is a member of {}"
forward = "has {} among its members"
[relations."ally of"]
[relations."ally of".phrases]
backward = "is an ally and a friend of {}"
forward = "is allied to {}"
[relations.ruler]
head_type = "country"
tail_type = "person"
[relations.ruler.phrases]
backward = "is ruled by {}"
forward = "rules over {} and lives in peace"
""")

TRICKY = [
    "France",
    "Spain",
    "Netherlands",
    "Luxembourg",
    "Bosnia and Herzegovina",
    "Congo, Democratic Republic of the",
    "Trinidad and Tobago",
    "France or Spain",
    "Niger",
    "Nigeria",
    "Saint Helena, Ascension, and Tristan da Cunha",
    'The "Best" Place',
    "a country",
    "a country that borders France",
    "something",
    "group A",
    "Euro",
    "1960",
    "1965-08-09",
    "7741220 square kilometre",
    "back\\slash",
    "line\nbreak",
    "two  spaces",
    "nul\x00",
    "\u202eright to left",
    "\U0001f600",
    "D.C.",
    "?",
    "Cote d'Ivoire",
    "that",
    "\u041c\u043e\u0441\u043a\u0432\u0430",
    "the city Paris",
    "one of these countries",
]
FACTS = FactStore.from_triples(
    [(name, "borders", other) for name, other in itertools.pairwise(TRICKY)], SHEET
)
KNOWING = EnglishLexicon.build(SHEET, FACTS)
OPEN = EnglishLexicon.build(SHEET)
RELATIONS = [*SHEET.relations, "unknown relation", '/people/"x"', "borders {}", "has"]
TYPES = [None, "country", "city", "body of water", "person", "year", "odd: type", "thing"]


@st.composite
def graphs(draw: st.DrawFn) -> QuestionGraph:
    """Graphs of up to nine nodes with shared nodes, free nodes and mixed types."""
    mood = draw(st.sampled_from(["typed", "plain", "mixed"]))

    def kind(wanted: str | None = None) -> str | None:
        if mood == "plain":
            return None
        return wanted if mood == "typed" else draw(st.sampled_from(TYPES))

    nodes, edges = [], []
    size = draw(st.integers(1, 9))
    for number in range(size):
        node_id = f"n{number}"
        op = draw(st.sampled_from(["anchor", "free", *Op, Op.PROJECTION, "implicit"]))
        earlier = [node.node_id for node in nodes]
        names: list[str] = []
        own = kind(draw(st.sampled_from(["country", "city"])))
        if not earlier or op == "anchor":
            names = draw(st.lists(st.sampled_from(TRICKY), min_size=1, max_size=4))
        elif op in (Op.INTERSECTION, Op.UNION) and len(earlier) > 1:
            sources = draw(st.lists(st.sampled_from(earlier), min_size=2, max_size=4, unique=True))
            edges.append((sources, node_id, op, None, None))
        elif op is Op.COMPLEMENT:
            edges.append(([draw(st.sampled_from(earlier))], node_id, op, None, None))
        elif op != "free":
            for _ in range(2 if op == "implicit" else 1):
                relation = draw(st.sampled_from(RELATIONS))
                direction = draw(st.sampled_from(["forward", "backward"]))
                entry = SHEET.relation(relation)
                if mood == "typed":
                    own = entry.tail_type if direction == "forward" else entry.head_type
                source = draw(st.sampled_from(earlier))
                edges.append(([source], node_id, Op.PROJECTION, relation, direction))
        nodes.append(Node(node_id=node_id, known_entities=names, entity_type=own))
    return QuestionGraph(
        root_node_id=f"n{size - 1}",
        nodes=nodes,
        edges=[
            Edge(
                edge_id=f"e{number}",
                source_ids=sources,
                target_id=target,
                op=op,
                relation=relation,
                direction=direction,
            )
            for number, (sources, target, op, relation, direction) in enumerate(edges)
        ],
    )


@given(graphs(), st.sampled_from([KNOWING, OPEN]))
@settings(max_examples=400, deadline=None)
def test_english_reads_back(graph: QuestionGraph, lexicon: EnglishLexicon) -> None:
    """Parsing the English of a graph gives a graph with the same canonical key."""
    text = english(graph, lexicon)
    assert canonical_key(parse_english(text, lexicon)) == canonical_key(graph)


@given(graphs())
@settings(max_examples=200, deadline=None)
def test_term_text_is_the_canonical_text(graph: QuestionGraph) -> None:
    """The terms that are written and read have the canonical text of the graph."""
    assert term_of(graph).text == canonical_text(graph)
