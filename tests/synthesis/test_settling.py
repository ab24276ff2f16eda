"""What becomes of finished questions when the evidence of all seeds is laid together."""

from __future__ import annotations

import pytest

from graphkit.evidence import EvidenceRecord
from graphkit.relations import RelationSheet
from synthesis.offers import Goals
from synthesis.settling import settle
from tests.synthesis.test_finishing import GRAPH
from tests.synthesis.test_rival_search import POOL

GOALS = Goals(min_edges=1, min_hops=1, fresh_share=0.0, fresh_last_hop=False)
RECORD = {**GRAPH.to_record(), "checks": {}, "synthesis": {"seed": {}}}


def _country(name: str, neighbour: str, capital: str) -> tuple[EvidenceRecord, ...]:
    facts = enumerate([("borders", neighbour), ("capital", capital)])
    return tuple(
        EvidenceRecord(
            evidence_id=f"{name}{number}", head_entity=name, relation=relation, tail_entity=tail
        )
        for number, (relation, tail) in facts
    )


OWN = (*POOL.records.values(), *_country("Poland", "Germany", "Warsaw"))
HUNGARY = _country("Hungary", "Slovakia", "Budapest")


def test_a_question_that_holds_is_kept_with_fresh_checks() -> None:
    """On its own evidence alone it stays as it was; the checks are those of now."""
    settled = settle([(RECORD, OWN)], RelationSheet(), GOALS)
    assert settled.set_aside == ()
    [kept] = settled.questions
    assert kept["checks"]["unique"] is True
    assert settled.evidence == OWN


@pytest.mark.parametrize("accepted", [True, False])
def test_a_rival_that_another_seed_found_sets_it_aside(accepted: bool) -> None:
    """Whether the other seed gave a question or was given up, what it found counts."""
    finished = [(RECORD, [*OWN, *(HUNGARY if accepted else ())])]
    settled = settle(finished, RelationSheet(), GOALS, others=() if accepted else HUNGARY)
    assert settled.questions == ()
    [aside] = settled.set_aside
    assert "several_answers" in aside["synthesis"]["lacks_on_all_evidence"]
    assert settled.evidence == (*OWN, *HUNGARY)


def test_evidence_that_two_seeds_found_is_there_once() -> None:
    """The first seed's record stays."""
    settled = settle([(RECORD, OWN), (RECORD, OWN)], RelationSheet(), GOALS, others=OWN)
    assert settled.evidence == OWN
