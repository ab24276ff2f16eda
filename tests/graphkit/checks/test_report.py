"""The report on one question by example: verdicts, reasons, certificates, counts of many."""

from __future__ import annotations

from typing import Any

import pytest

from graphkit.checks import CheckReport, Relaxer, check, constraints, minimal_core, summarize
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.normalize import normalize
from graphkit.operations import Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet

SHEET = RelationSheet.parse("""
[relations.member]
complete = true
[relations.sells]
complete = ["Aa", "Bo"]
[relations.likes]
""")
TRIPLES = [
    ("Aa", "member", "Club"), ("Bo", "member", "Club"), ("Cy", "member", "Club"),
    ("Aa", "sells", "Tea"), ("Bo", "sells", "Tea"), ("Di", "sells", "Tea"), ("Aa", "sells", "Salt"),
    ("Aa", "likes", "Bo"), ("Bo", "likes", "Cy"), ("Club", "likes", "Tea"),
]  # fmt: skip
FACTS = FactStore.from_triples(TRIPLES, SHEET)


def branches(*parts: tuple[str, str], **more: Any) -> QuestionGraph:
    """Who stands in each relation to each name: branches that meet at the root."""
    nodes, edges = [Node(node_id="x", label="who", is_root=True)], []
    for number, (relation, name) in enumerate(parts):
        nodes += [
            Node(node_id=f"a{number}", label=name, known_entities=[name]),
            Node(node_id=f"b{number}", label="who"),
        ]
        edges.append(
            Edge(edge_id=f"e{number}", source_ids=[f"a{number}"], target_id=f"b{number}",
                 op=Op.PROJECTION, relation=relation, direction="backward")
        )  # fmt: skip
    ends = [f"b{number}" for number in range(len(parts))]
    edges.append(Edge(edge_id="m", source_ids=ends, target_id="x", op=Op.INTERSECTION))
    return QuestionGraph(root_node_id="x", nodes=nodes, edges=edges, **more)


ONE = branches(("member", "Club"), ("sells", "Salt"))
TWO = branches(("member", "Club"), ("sells", "Tea"))


def test_a_question_with_one_answer():
    """Unique, faithful by its declared answer, with the redundant branch and the core named."""
    report = check(ONE.replace(answer="Aa"), FACTS)
    assert (report.unique, report.faithful, report.answers_count) == (True, True, 1)
    assert report.reason is None
    assert report.redundant == ("a0", "e0", "m/b0")
    assert report.core is not None
    assert (report.core.ids, report.core.exact) == (("a1", "e1", "m/b1"), True)
    (pinning,) = [s for s in report.shortcuts or () if s.kind == "pinning_subgraph"]
    assert pinning.to_record() == {
        "kind": "pinning_subgraph",
        "constraints": ["a1", "e1", "m/b1"],
        "size": 3,
    }
    assert not report.sound


def test_a_question_with_two_answers_and_a_wrong_one():
    """Several answers are not unique; a declared answer that is none is not faithful."""
    report = check(TWO.replace(answer="Cy"), FACTS)
    assert (report.unique, report.faithful, report.answers_count) == (False, False, 2)


@pytest.mark.parametrize(
    ("question", "facts", "reason", "basis"),
    [
        (ONE, None, "no_facts", "ungrounded"),
        (branches(("member", "Clob"), ("sells", "Tea")), FACTS, "unresolved", "ungrounded"),
        (branches(("members", "Club"), ("sells", "Tea")), FACTS, "unresolved", "ungrounded"),
        (branches(("member", "Club"), ("likes", "Tea")), FACTS, "no_answers", "evidence"),
        (
            QuestionGraph(
                root_node_id="x",
                nodes=[Node(node_id="a", known_entities=["Club"]), Node(node_id="x")],
                edges=[Edge(edge_id="e", source_ids=["a"], target_id="x", op="complement")],
            ),
            FACTS,
            "unsafe_complement",
            "closed",
        ),
    ],
)
def test_verdicts_that_cannot_be_reached_are_null_with_the_reason(
    question: QuestionGraph, facts: FactStore | None, reason: str, basis: str
):
    """No facts, a name or a relation that is not there, no answers, a complement at the root."""
    report = check(question, facts)
    assert (report.reason, report.basis.value) == (reason, basis)
    record = report.to_record()
    for name in ("unique", "faithful", "redundant", "minimal_core", "core_exact", "shortcuts"):
        assert record[name] is None
    assert record["profile"]["signature"]
    assert not report.sound
    assert not report.proven


def test_a_name_that_means_two_leaves_uniqueness_open():
    """All meanings are used, the other verdicts are given, unique is null."""
    facts = FactStore.from_evidence(
        [
            EvidenceRecord(evidence_id="1", head_entity="Ada", relation="sells",
                           tail_entity="Java", tail_type="coffee"),
            EvidenceRecord(evidence_id="2", head_entity="Ada", relation="sells",
                           tail_entity="Java", tail_type="island"),
        ]
    )  # fmt: skip
    graph = branches(("sells", "Java"), ("sells", "Java")).replace(answer="Ada")
    report = check(graph, facts)
    assert (report.unique, report.reason, report.answers_count) == (None, "ambiguous_name", 1)
    assert report.faithful
    assert report.redundant is not None
    assert not report.sound


@pytest.mark.parametrize(
    ("question", "basis"),
    [
        (branches(("member", "Club"), ("member", "Club")), "closed"),
        (branches(("member", "Club"), ("sells", "Salt")), "evidence"),
        (branches(("member", "Club"), ("likes", "Bo")), "evidence"),
    ],
)
def test_the_basis_follows_the_sheet(question: QuestionGraph, basis: str):
    """Complete relations close; Cy, of whom not all is known, could sell salt too."""
    assert check(question, FACTS).basis.value == basis


def test_heads_that_are_known_completely_close_a_question():
    """What Aa sells is known; what Di sells is not; what all sell is not."""

    def sold_by(*names: str) -> str:
        graph = QuestionGraph(
            root_node_id="x",
            nodes=[Node(node_id="a", known_entities=names), Node(node_id="x")],
            edges=[Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
                        relation="sells")],
        )  # fmt: skip
        return check(graph, FACTS).basis.value

    assert sold_by("Aa") == sold_by("Aa", "Bo") == "closed"
    assert sold_by("Di") == sold_by("Aa", "Di") == "evidence"


def test_a_type_alone_is_not_closed_where_new_entities_can_come():
    """All lands but those that ...: a land that is not known yet would be an answer too."""
    sheet = RelationSheet.parse(
        '[relations.sells]\nhead_type = "land"\ntail_type = "land"\ncomplete = ["Aa"]'
    )
    facts = FactStore.from_triples([("Aa", "sells", "Bo"), ("Bo", "sells", "Cy")], sheet)
    graph = QuestionGraph(
        root_node_id="x",
        nodes=[
            Node(node_id="a", known_entities=["Aa"]),
            Node(node_id="b"),
            Node(node_id="x", entity_type="land"),
        ],
        edges=[
            Edge(edge_id="e0", source_ids=["a"], target_id="b", op="projection", relation="sells"),
            Edge(edge_id="e1", source_ids=["b"], target_id="x", op="complement"),
        ],
    )
    assert check(graph, facts).basis.value == "evidence"
    whole = RelationSheet(
        relations={"sells": sheet.relation("sells").model_copy(update={"complete": True})}
    )
    assert check(graph, facts.with_sheet(whole)).basis.value == "closed"


CHAIN = QuestionGraph(
    root_node_id="x",
    answer="Cy",
    question="Whom does somebody like whom Aa likes? Not Cy!",
    nodes=[
        Node(node_id="a", known_entities=["Aa"]),
        Node(node_id="y", reference_entities=["Bo"]),
        Node(node_id="x"),
    ],
    edges=[
        Edge(edge_id="e0", source_ids=["a"], target_id="y", op="projection", relation="likes"),
        Edge(edge_id="e1", source_ids=["y"], target_id="x", op="projection", relation="likes"),
    ],
)


def test_a_direct_path_a_neighbour_and_a_leak_are_shortcuts():
    """Each is certified: the path, the fact, the place in the text."""
    facts = FactStore.from_triples([*TRIPLES, ("Cy", "knows", "Aa")], SHEET)
    report = check(CHAIN, facts)
    kinds = {s.kind: s.to_record() for s in report.shortcuts or ()}
    assert kinds["direct_path"] == {
        "kind": "direct_path",
        "anchor": "a",
        "path": [{"relation": "knows", "direction": "backward"}],
        "size": 1,
    }
    assert kinds["adjacent"]["path"] == [{"head": "Cy", "relation": "knows", "tail": "Aa"}]
    start, end = kinds["text_leak"]["span"]
    assert CHAIN.question[start:end] == "Cy"
    assert not check(CHAIN, facts).valid
    rest = check(CHAIN.replace(question=""), FACTS).shortcuts or ()
    assert {shortcut.kind for shortcut in rest} == {"pinning_subgraph"}


def test_known_entities_have_ids_of_their_own():
    """Where an edge has the id of an anchor, the anchor's constraint says what it is."""
    graph = QuestionGraph(
        root_node_id="x",
        nodes=[Node(node_id="a", known_entities=["Club"]), Node(node_id="x")],
        edges=[
            Edge(edge_id="a", source_ids=["a"], target_id="x", op="projection", relation="member",
                 direction="backward")
        ],
    )  # fmt: skip
    assert [item.id for item in constraints(graph)] == ["a", "a/known"]


def test_of_equal_cores_the_smallest_list_of_ids_is_taken():
    """The same branch three times: the first alone is enough, and anything has the club."""
    graph = normalize(branches(("member", "Club"), ("member", "Club"), ("member", "Club")))
    core = minimal_core(Relaxer(graph, FACTS))
    assert core.ids == ("e0", "m/b0")


def test_a_report_is_plain_data_and_names_the_question():
    """The published keys, all of them, whatever could be checked."""
    keys = set(check(ONE, FACTS).to_record())
    assert keys == set(check(ONE).to_record())
    assert check(ONE.replace(id="q7"), FACTS).question_id == "q7"
    assert len(check(ONE, FACTS).question_id) == 32


def test_many_reports_are_counted():
    """Verdicts, reasons, findings and shortcuts, each with how often."""
    reports: list[CheckReport] = [
        check(ONE.replace(answer="Aa"), FACTS),
        check(TWO, FACTS),
        check(ONE),
        check(CHAIN, FACTS),
    ]
    counts = summarize(reports)
    assert counts["questions"] == 4
    assert counts["unique_yes"] == 2
    assert counts["unique_no"] == 1
    assert counts["unique_unknown"] == 1
    assert counts["faithful_yes"] == 2
    assert counts["reasons"] == {"no_facts": 1}
    assert counts["basis_ungrounded"] == 1
    assert counts["valid"] == 3
    assert counts["lint"]["few_edges"] == 4
    assert counts["shortcuts"]["text_leak"] == 1
