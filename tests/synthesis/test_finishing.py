"""Finished questions: their chain is read off the facts, their record has all that they rest on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphkit.checks import check
from graphkit.mutate import Mutation, replay_history
from graphkit.question import QuestionGraph
from synthesis.agents.construction import QaRecord, chain_faults
from synthesis.finishing import finished_record, proved_chain
from synthesis.freshness import knowledge_order
from synthesis.lineage import Lineage
from synthesis.seeds import Seed
from tests.synthesis.fresh_village import planner, pool
from tests.synthesis.test_lineage import shape
from tests.synthesis.test_offers import _chain
from tests.synthesis.test_planning import planned

FACTS = planner().facts


def finished(seed: int) -> tuple[Lineage, dict[str, Any]]:
    plan = planned(seed)
    line = Lineage.begun(plan.graphs[0], seed="Ada Ash")
    while (step := plan.after(line.graph, planner())) is not None:
        line = line.followed(step, step.graph.replace(question="Who is it?"))
    qa = QaRecord(question="Who is it?", answer=line.graph.answer or "")
    record = finished_record(
        Seed(entity_name="Ada Ash", primary="news", secondary="people"),
        qa,
        line,
        check(line.graph, FACTS),
        FACTS,
        language="en",
        iteration=7,
        more={"agreement": [], "rivals": {}},
    )
    return line, record


@pytest.mark.parametrize("seed", range(6))
def test_a_proved_chain_says_nothing_that_the_evidence_does_not(seed: int) -> None:
    """Every hop rests on a record about its entity, of its relation, as fresh as it says."""
    line, _ = finished(seed)
    chain = proved_chain(line.graph, FACTS)
    assert chain
    qa = QaRecord(question="Q?", answer="A", hop_count=len(chain), reasoning_chain=chain)
    faults = [fault for fault in chain_faults(qa, pool().records) if "fresh" not in fault]
    assert faults == []
    for hop in chain:
        assert pool().records[hop.evidence_id].relation == hop.relation
    assert [hop.hop for hop in chain] == list(range(1, len(chain) + 1))


@pytest.mark.parametrize("seed", range(6))
def test_a_record_is_a_question_with_its_history(seed: int) -> None:
    """It reads back as the graph, its history replays to it, its checks are there."""
    line, record = finished(seed)
    record = json.loads(json.dumps(record, allow_nan=False))
    graph = QuestionGraph.model_validate(record)
    assert (graph.question, graph.domain, graph.subdomain) == ("Who is it?", "news", "people")
    assert graph.iteration == 7
    assert str(graph.id).startswith("q")
    last = replay_history(map(Mutation.model_validate, record["history"]))[-1]
    assert shape(last) == shape(line.graph)
    assert record["checks"]["unique"] is True
    assert set(record["synthesis"]) == {
        "seed",
        "rewritten",
        "declared_chain",
        "agreement",
        "rivals",
    }
    assert set(record["evidence_ids"]) <= set(pool().records)


@pytest.mark.parametrize("seed", range(6))
def test_hops_and_their_order_are_those_of_the_chain(seed: int) -> None:
    """What the author declared is kept apart."""
    _, record = finished(seed)
    chain = record["reasoning_chain"]
    assert record["hop_count"] == len(chain)
    assert record["knowledge_order"] == knowledge_order(hop["is_fresh_knowledge"] for hop in chain)
    assert record["synthesis"]["declared_chain"] == []


def test_a_question_whose_answer_is_none_has_no_chain() -> None:
    """Nothing is proved then."""
    assert proved_chain(_chain("Club 1", "Street 1", ("member of", "backward")), FACTS) == ()
    assert proved_chain(_chain("Club 1", None, ("member of", "backward")), FACTS) == ()
