"""What a seed has come to: which questions are taken, and as what."""

from __future__ import annotations

from typing import Any

from synthesis.agents.construction import QaRecord
from synthesis.loop_settings import LoopSettings
from synthesis.seed_state import Reading, SeedState
from synthesis.seeds import Seed
from tests.synthesis.fresh_village import planner, pool
from tests.synthesis.test_lineage import assert_replays
from tests.synthesis.test_planning import planned


def state_of(facts_pool: Any = None) -> SeedState:
    """A state without models: what it takes needs none."""
    state = SeedState(Seed(entity_name="Ada Ash"), None, LoopSettings(), lambda *_: None)
    state.desk.pool = facts_pool or pool()
    return state


def reading(graph: Any) -> Reading:
    return Reading(graph, planner().standing(graph))


def test_a_question_that_cannot_be_built_on_leaves_the_line_as_it_was() -> None:
    """Unparsed, ungrounded or unfaithful ones are not taken."""
    plan, state = planned(0), state_of()
    qa = QaRecord(question="Who?", answer="x")
    state.take(qa, None, Reading(None, None, ("unparsed",)))
    state.take(qa, None, reading(plan.graphs[0].replace(answer="Nobody")))
    assert (state.lineage, state.line_qa, state.seen) == (None, None, [])


def test_the_line_follows_rewords_or_is_rewritten() -> None:
    """By what a question asks, whatever its ids; rewordings are counted anew after a step."""
    plan, state = planned(0), state_of()
    texts = [QaRecord(question=f"Q{n}?", answer="x") for n in range(4)]
    state.take(texts[0], None, reading(plan.graphs[0]))
    step = plan.after(plan.graphs[0], planner())
    assert step is not None
    state.rewordings = 2
    state.take(texts[1], step, reading(step.graph.replace(question="Q1?")))
    assert (state.line_qa, state.rewordings, len(state.seen)) == (texts[1], 0, 2)
    assert state.lineage is not None
    assert state.lineage.rewritten == 0
    state.take(texts[2], None, reading(step.graph.replace(question="Q2?")))
    assert (state.line.question, len(state.seen)) == ("Q2?", 2)
    state.take(texts[3], step, reading(planned(1).graphs[2]))
    assert state.lineage.rewritten == 1
    assert len(set(state.seen)) == 3
    assert_replays(state.lineage)


def test_a_question_stands_however_the_types_of_its_evidence_are_read() -> None:
    """A rival may be what another page calls another kind of thing; what is lacking is recorded."""
    plan = planned(0)
    graph = plan.graphs[-1].replace(question="Who is it?")
    steps: list[tuple[str, Any]] = []

    def taken(facts_pool: Any) -> SeedState:
        state = state_of(facts_pool)
        state.record = lambda step, data: steps.append((step, data))
        state.take(QaRecord(question="Who is it?", answer="x"), None, reading(graph))
        return state

    assert taken(pool()).otherwise() == ()
    assert steps == []
    answer = graph.answer
    stranger = [
        item.model_copy(
            update={
                "evidence_id": f"{item.evidence_id}-x",
                **{
                    key: value
                    for side in ("head", "tail")
                    if getattr(item, f"{side}_entity") == answer
                    for key, value in (
                        (f"{side}_entity", "Zed Zimmer"),
                        (f"{side}_type", "inhabitant"),
                    )
                },
            }
        )
        for item in pool().held
        if answer in (item.head_entity, item.tail_entity)
    ]
    state = taken(pool().with_records(stranger))
    assert state.planner().standing(graph).missing == ()
    assert "several_answers" in state.otherwise()
    ((step, told),) = steps
    assert (step, told["reading"]) == ("read_otherwise", "types open")


def test_choices_start_from_the_seed_and_the_iteration() -> None:
    """And from nothing else."""
    state, other = state_of(), state_of()
    assert state.salt() == other.salt()
    other.iteration = 1
    assert state.salt() != other.salt()
