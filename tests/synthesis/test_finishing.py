"""The chain of a finished question is read off the facts: what each hop leads to, and from what."""

from __future__ import annotations

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.question import Edge, Node, QuestionGraph
from synthesis.finishing import proved_chain, witness_facts


def _record(number: int, head: str, relation: str, tail: str, *, fresh: bool) -> EvidenceRecord:
    return EvidenceRecord(
        evidence_id=f"e{number}",
        head_entity=head,
        relation=relation,
        tail_entity=tail,
        is_fresh_knowledge=fresh,
    )


FACTS = FactStore.from_evidence(
    [
        _record(1, "Austria", "borders", "Slovakia", fresh=False),
        _record(2, "Austria", "capital", "Vienna", fresh=True),
    ]
)
GRAPH = QuestionGraph(
    question="What is the capital of the country that borders Slovakia?",
    answer="Vienna",
    root_node_id="n2",
    nodes=(
        Node(node_id="n0", known_entities=("Slovakia",)),
        Node(node_id="n1"),
        Node(node_id="n2", is_root=True),
    ),
    edges=(
        Edge(
            edge_id="e0",
            source_ids=("n0",),
            target_id="n1",
            op="projection",
            relation="borders",
            direction="backward",
        ),
        Edge(
            edge_id="e1",
            source_ids=("n1",),
            target_id="n2",
            op="projection",
            relation="capital",
            direction="forward",
        ),
    ),
)


def test_the_entity_of_a_hop_is_what_it_leads_to() -> None:
    """A relation that is followed backward leads to the head of its fact, not to its tail."""
    chain = proved_chain(GRAPH, FACTS)
    assert [(hop.hop, hop.entity, hop.relation, hop.evidence_id) for hop in chain] == [
        (1, "Austria", "borders", "e1"),
        (2, "Vienna", "capital", "e2"),
    ]
    assert [hop.is_fresh_knowledge for hop in chain] == [False, True]


def test_without_its_answer_a_question_has_no_chain() -> None:
    """Nothing is behind an answer that is none."""
    wrong = GRAPH.replace(answer="Slovakia")
    assert proved_chain(wrong, FACTS) == ()
    assert witness_facts(wrong, FACTS) == ()
