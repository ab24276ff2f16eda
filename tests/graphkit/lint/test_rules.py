"""Every lint rule: where it finds something, with the exact ids, and where it finds nothing."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.lint import RULES, Severity, lint
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet

SHEET = RelationSheet.parse("""
[relations.borders]
symmetric = true
[relations.capital]
inverse = "capital of"
aliases = ["seat"]
""")


def records(*fresh: bool) -> list[EvidenceRecord]:
    triples = [
        ("France", "borders", "Spain"),
        ("Spain", "borders", "Portugal"),
        ("Portugal", "capital", "Lisbon"),
        ("Spain", "capital", "Madrid"),
        ("Georgia", "capital", "Tbilisi"),
    ]
    return [
        EvidenceRecord(
            evidence_id=f"e{number}",
            head_entity=head,
            relation=relation,
            tail_entity=tail,
            is_fresh_knowledge=number < len(fresh) and fresh[number],
            aliases={"Lisbon": ("Lisboa",)} if tail == "Lisbon" else {},
        )
        for number, (head, relation, tail) in enumerate(triples)
    ]


FACTS = FactStore.from_evidence(records(), SHEET)
TWO_GEORGIAS = FactStore.from_evidence(
    [
        *records(),
        EvidenceRecord(
            evidence_id="g",
            head_entity="Georgia",
            relation="part of",
            tail_entity="United States",
            head_type="state",
        ),
    ],
    SHEET,
)


def graph(nodes: dict[str, Any], *edges: tuple[Any, ...], root: str = "x", **more: Any):
    """Build a graph: nodes as names, types or more; edges as (op, sources, target, relation)."""
    made = []
    for node_id, what in nodes.items():
        fields = what if isinstance(what, dict) else {"known_entities": what} if what else {}
        made.append(Node(**{"node_id": node_id, "label": node_id, **fields}))
    return QuestionGraph(
        root_node_id=root,
        nodes=made,
        edges=[
            Edge(
                edge_id=f"e{number}",
                source_ids=sources.split(),
                target_id=target,
                op={"p": "projection", "b": "projection", "n": "complement"}.get(
                    op, "intersection" if op == "i" else "union"
                ),
                relation=rest[0] if rest else None,
                direction={"p": "forward", "b": "backward"}.get(op),
            )
            for number, (op, sources, target, *rest) in enumerate(edges)
        ],
        **more,
    )


def chain(*names: str, **more: Any) -> QuestionGraph:
    """France, its neighbours, their neighbours, their capitals: a chain of three hops."""
    return graph(
        {"a": list(names) or ["France"], "y": None, "z": None, "x": None},
        ("p", "a", "y", "borders"),
        ("p", "y", "z", "borders"),
        ("p", "z", "x", "capital"),
        **more,
    )


def two(op: str = "i", **nodes: Any) -> QuestionGraph:
    """Two branches that meet."""
    return graph(
        {"a": ["France"], "b": ["Portugal"], "y": None, "z": None, "x": None, **nodes},
        ("p", "a", "y", "borders"),
        ("p", "b", "z", "borders"),
        (op, "y z", "x"),
    )


def found(question: QuestionGraph, code: str, facts: FactStore | None = None) -> list[Any]:
    """The ids of every finding of one rule."""
    return [finding.ids for finding in lint(question, facts) if finding.code == code]


LONG = graph(
    {"a": ["France"], **dict.fromkeys("bcdefx")},
    *(("p", source, target, "borders") for source, target in zip("abcdef", "bcdefx", strict=True)),
)
IMPLICIT = graph(
    {"a": ["France"], "b": ["Portugal"], "x": None},
    ("p", "a", "x", "borders"),
    ("p", "b", "x", "borders"),
)
NEGATED = graph(
    {"a": ["France"], "y": None, "m": None, "x": None},
    ("p", "a", "y", "borders"),
    ("n", "y", "m"),
    ("n", "m", "x"),
)

CASES: list[tuple[str, QuestionGraph, FactStore | None, list[tuple[str, ...]]]] = [
    ("unresolved_name", chain("Frence"), FACTS, [("a",)]),
    ("unresolved_name", chain("Frence", "Spein"), FACTS, [("a",), ("a",)]),
    ("unresolved_name", chain("FRANCE"), FACTS, []),
    ("unresolved_name", chain("Frence"), None, []),
    (
        "unresolved_relation",
        graph({"a": ["France"], "x": None}, ("p", "a", "x", "rules")),
        FACTS,
        [("e0",)],
    ),
    ("unresolved_relation", chain(), FACTS, []),
    (
        "ambiguous_name",
        graph({"g": ["Georgia"], "x": None}, ("p", "g", "x", "capital")),
        TWO_GEORGIAS,
        [("g",)],
    ),
    (
        "ambiguous_name",
        graph({"g": {"known_entities": ["Georgia"], "entity_type": "state"}, "x": None},
              ("p", "g", "x", "part of")),
        TWO_GEORGIAS,
        [],
    ),
    ("unsafe_complement", graph({"a": ["France"], "x": None}, ("n", "a", "x")), None, [("x",)]),
    ("unsafe_complement", graph({"a": ["France"], "x": None}, ("n", "a", "x")), FACTS, [("x",)]),
    ("unsafe_complement", graph({"x": None}), None, [("x",)]),
    ("unsafe_complement", two("u", y={"known_entities": []}), None, []),
    (
        "unsafe_complement",
        graph({"a": ["France"], "x": {"entity_type": "land"}}, ("n", "a", "x")),
        None,
        [],
    ),
    ("unsafe_complement", NEGATED, None, []),
    ("anchor_at_root", graph({"x": ["France"]}), None, [("x",)]),
    ("anchor_at_root", chain(), None, []),
    (
        "filler",
        graph({"a": ["France"], "f": None, "x": None}, ("p", "a", "x", "borders"),
              ("p", "x", "f", "borders")),
        None,
        [("f",)],
    ),
    ("filler", chain(), None, []),
    (
        "free_source",
        graph({"f": None, "x": None}, ("p", "f", "x", "borders")),
        None,
        [("e0", "f")],
    ),
    (
        "free_source",
        graph({"f": {"entity_type": "land"}, "x": None}, ("p", "f", "x", "borders")),
        None,
        [],
    ),
    ("double_complement", NEGATED, None, [("e1", "e2")]),
    (
        "double_complement",
        graph({"a": ["France"], "m": {"entity_type": "land"}, "x": None},
              ("n", "a", "m"), ("n", "m", "x")),
        None,
        [],
    ),
    ("duplicate_branch", two(b=["France"]), None, [("e2", "y", "z")]),
    ("duplicate_branch", two("u", b=["France"]), None, [("e2", "y", "z")]),
    ("duplicate_branch", two(), None, []),
    (
        "back_and_forth",
        graph({"a": ["Lisbon"], "y": None, "x": None}, ("b", "a", "y", "capital"),
              ("p", "y", "x", "capital")),
        None,
        [("e0", "e1")],
    ),
    (
        "back_and_forth",
        graph({"a": ["Lisbon"], "y": None, "x": None}, ("b", "a", "y", "seat"),
              ("p", "y", "x", "capital")),
        None,
        [],
    ),
    (
        "back_and_forth",
        graph({"a": ["Lisbon"], "y": None, "x": None}, ("b", "a", "y", "seat"),
              ("p", "y", "x", "capital")),
        FACTS,
        [("e0", "e1")],
    ),
    (
        "back_and_forth",
        graph({"a": ["Lisbon"], "y": None, "x": None}, ("p", "a", "y", "capital of"),
              ("p", "y", "x", "capital")),
        FACTS,
        [("e0", "e1")],
    ),
    (
        "back_and_forth",
        graph({"a": ["Lisbon"], "y": None, "x": None}, ("p", "a", "y", "capital of"),
              ("b", "y", "x", "capital")),
        FACTS,
        [],
    ),
    ("back_and_forth", chain(), None, []),
    ("back_and_forth", chain(), FACTS, [("e0", "e1")]),
    (
        "back_and_forth",
        graph({"a": ["France"], "b": ["Spain"], "c": ["Lisbon"], "y": None, "z": None, "m": None,
               "x": None},
              ("b", "c", "y", "capital"), ("p", "a", "z", "borders"), ("i", "y z", "m"),
              ("p", "m", "x", "capital")),
        None,
        [("e0", "e3")],
    ),
    ("any_of_anchor", chain("France", "Spain"), None, [("a",)]),
    ("any_of_anchor", chain("France"), None, []),
    ("few_edges", chain(), None, [()]),
    ("few_edges", LONG, None, []),
    ("few_hops", two(), None, [()]),
    ("few_hops", LONG, None, []),
    (
        "reference_outside",
        graph({"a": {"known_entities": ["France"]},
               "x": {"reference_entities": ["Portugal", "Nowhere", "Spain"]}},
              ("p", "a", "x", "borders")),
        FACTS,
        [("x",), ("x",)],
    ),
    (
        "reference_outside",
        graph({"a": ["France"], "x": {"reference_entities": ["Spain"]}},
              ("p", "a", "x", "borders")),
        FACTS,
        [],
    ),
    ("implicit_intersection", IMPLICIT, None, [("x", "e0", "e1")]),
    (
        "implicit_intersection",
        graph({"a": ["France"], "x": ["Spain"]}, ("p", "a", "x", "borders")),
        None,
        [("x", "e0")],
    ),
    ("implicit_intersection", two(), None, []),
    (
        "empty_label",
        graph({"a": {"known_entities": ["France"], "label": ""}, "x": {"label": " "}},
              ("p", "a", "x", "borders")),
        None,
        [("x",)],
    ),
    ("empty_label", chain(), None, []),
    ("stale_evidence", chain(), FACTS, [()]),
    (
        "stale_evidence",
        chain(),
        FactStore.from_evidence(records(True, True, True), SHEET),
        [],
    ),
    ("stale_evidence", chain(), FactStore.from_triples([("France", "borders", "Spain")]), []),
    (
        "final_hop_stale",
        graph({"a": ["Portugal"], "x": None}, ("p", "a", "x", "capital")),
        FACTS,
        [()],
    ),
    (
        "final_hop_stale",
        graph({"a": ["Portugal"], "x": None}, ("p", "a", "x", "capital")),
        FactStore.from_evidence(records(False, False, True), SHEET),
        [],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("code", "question", "facts", "ids"), CASES)
def test_a_rule_finds_what_it_should_with_the_ids_concerned(
    code: str, question: QuestionGraph, facts: FactStore | None, ids: list[tuple[str, ...]]
):
    """A positive case names the nodes and edges; a negative one is silent."""
    assert found(question, code, facts) == ids


LEAKS = [
    ({"answer": "Lisbon", "question": "Is it lisbon?"}, FACTS, [("x",)]),
    ({"answer": "Lisbon", "question": "Is it Lisboa?"}, FACTS, [("x",)]),
    ({"answer": "Lisbon", "question": "Is it Lisboa?"}, None, []),
    ({"answer": "Lisbon", "aliases": ["Lisboa"], "question": "Is it Lisboa?"}, None, [("x",)]),
    ({"answer": "Lisbon", "question": "Is it Lisbonne?"}, FACTS, []),
    ({"answer": None, "question": "Is it Lisbon?"}, FACTS, []),
]


@pytest.mark.parametrize(("fields", "facts", "ids"), LEAKS)
def test_an_answer_in_the_text_is_a_leak(
    fields: dict[str, Any], facts: FactStore | None, ids: list[tuple[str, ...]]
):
    """The answer, its aliases in the graph and in the facts, at word boundaries."""
    assert found(chain(**fields), "answer_leaked", facts) == ids


def test_a_hidden_name_in_the_text_is_a_leak_and_a_given_one_is_not():
    """A reference entity gives its node away, unless the question names it there anyway."""
    nodes = {
        "a": {"known_entities": ["France"], "reference_entities": ["France"]},
        "y": {"reference_entities": ["Spain"]},
        "x": None,
    }
    question = graph(
        nodes,
        ("p", "a", "y", "borders"),
        ("p", "y", "x", "capital"),
        question="What of Spain beside France?",
    )
    assert found(question, "answer_leaked") == [("y",)]


def test_every_rule_has_a_positive_and_a_negative_case():
    """No rule is untested, and no case tests a rule that is not there."""
    codes = {rule.code for rule in RULES} - {"answer_leaked"}
    assert {code for code, _, _, ids in CASES if ids} == codes
    assert {code for code, _, _, ids in CASES if not ids} == codes


def test_codes_are_unique_and_errors_are_few():
    """Only what makes a question wrong is an error."""
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert {rule.code for rule in RULES if rule.severity is Severity.ERROR} == {
        "unresolved_name",
        "unresolved_relation",
        "unsafe_complement",
        "answer_leaked",
    }


def test_rules_can_be_chosen_and_keep_their_order():
    """Findings come in the order of the rules; a run with one rule finds nothing else."""
    order = [rule.code for rule in RULES]
    codes = [finding.code for finding in lint(IMPLICIT, FACTS)]
    assert codes == sorted(codes, key=order.index)
    only = [rule for rule in RULES if rule.code == "few_hops"]
    assert [finding.code for finding in lint(IMPLICIT, rules=only)] == ["few_hops"]


def test_messages_say_what_is_there():
    """A finding carries its severity and one sentence."""
    (finding,) = [f for f in lint(chain("Frence"), FACTS) if f.code == "unresolved_name"]
    assert finding.severity is Severity.ERROR
    assert finding.message == "'Frence' is not an entity of the facts (did you mean France?)"


def test_a_chain_of_a_thousand_hops_is_looked_at():
    """Depth is no obstacle: witnesses and rules do without recursion."""
    names = [f"n{number}" for number in range(1_001)]
    question = graph(
        {**dict.fromkeys(names), "n0": ["France"]},
        *(("p", one, other, "borders") for one, other in itertools.pairwise(names)),
        root="n1000",
    )
    codes = {finding.code for finding in lint(question, FACTS)}
    assert codes == {"back_and_forth", "stale_evidence", "final_hop_stale"}
