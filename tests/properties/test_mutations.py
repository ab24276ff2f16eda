"""Laws of mutations: they keep graphs valid, do what they say, and can be replayed."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given

from graphkit.checks import Relaxer
from graphkit.errors import MutationError
from graphkit.facts import FactStore
from graphkit.mutate import (
    LOOSENING,
    TIGHTENING,
    BranchBook,
    Mutation,
    Proposer,
    Rules,
    Strategy,
    apply_mutation,
    drop_constraint,
    replay_history,
    seed_question,
)
from graphkit.normalize import normalize
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.oracle import (
    is_unsafe,
    oracle_answers,
    oracle_constraints,
    oracle_deleted,
    oracle_values,
)
from graphkit.testing.strategies import stores_with_graphs
from tests.synthesis.village import village

LOOSE = Rules(
    min_set=1,
    min_removed=1,
    exclusion_share=0.0,
    exclusion_complete=False,
    complete_only=False,
    back_and_forth=True,
    entity_twice=True,
    witness_anchors=True,
    adjacent_anchors=True,
)
"""Rules that forbid as little as can be: what is left is what every mutation promises."""


def proposers(seed: int, number: int, rules: Rules = LOOSE) -> Iterator[Proposer]:
    """Yield proposers for generated questions with a planted answer."""
    books: dict[FactStore, BranchBook] = {}
    for facts, graph in seeded_pairs(seed, number, planted=True, steps=4):
        book = books.setdefault(facts, BranchBook(facts, rules))
        relaxer = Relaxer(normalize(graph), facts)
        target = int(relaxer.answers.ids[0])
        if relaxer.grounding.ambiguous:
            continue
        yield Proposer(graph, facts, target, book)


def keys(facts: FactStore, numbers: object) -> set[str]:
    return {facts.entity(int(n)).key for n in numbers}  # type: ignore[attr-defined]


def positive_nodes(proposer: Proposer) -> list[str]:
    values = proposer.relaxer.values
    return [
        node_id
        for node_id, members in sorted(proposer.supporters.items())
        if not values[node_id].complemented and len(members.ids)
    ]


def written(proposer: Proposer, proposal: object, answer: int | None = None) -> QuestionGraph:
    """Apply a proposal: the graph is valid, the old one untouched, the record goes round."""
    before = proposer.graph.to_record()
    mutation = proposer.write(proposal, answer)  # type: ignore[arg-type]
    after = apply_mutation(proposer.graph, mutation)
    assert proposer.graph.to_record() == before
    assert after.iteration == (proposer.graph.iteration or 0) + 1
    record = json.loads(json.dumps(mutation.to_record()))
    again = Mutation.model_validate(record)
    assert again == mutation
    assert apply_mutation(proposer.graph, again) == after
    assert mutation.reason.endswith(".")
    assert "\n" not in mutation.reason.replace("two\nlines", "")
    return after


# ---- tightening -------------------------------------------------------------------------------


def test_every_tightening_leaves_fewer_answers_and_the_target():
    """Branches and exclusions at every node: strictly fewer answers, as the oracle says."""
    seen: Counter[Strategy] = Counter()
    for proposer in proposers(61, 240):
        if proposer.unique:
            continue
        facts = proposer.facts
        before = oracle_answers(proposer.graph, facts)
        for node_id in positive_nodes(proposer):
            for member in proposer.supporters[node_id].ids.tolist()[:1]:
                for proposal in list(proposer.tightenings(node_id, member))[:6]:
                    after = written(proposer, proposal)
                    answers = oracle_answers(after, facts)
                    assert answers == keys(facts, proposal.answers.ids)
                    assert facts.entity(proposer.target).key in answers
                    assert len(answers) < len(before)
                    if node_id == proposer.graph.root_node_id:
                        assert answers < before
                        assert len(before - answers) == proposal.removed
                    seen[proposal.strategy] += 1
    assert set(seen) == TIGHTENING
    assert min(seen.values()) > 50


def test_a_unique_question_is_not_tightened():
    """One answer only: a further condition would be redundant, so there is none to be had."""
    refused = 0
    for proposer in proposers(62, 60):
        if proposer.unique:
            with pytest.raises(MutationError, match="one answer already"):
                next(proposer.tightenings(proposer.graph.root_node_id, proposer.target))
            refused += 1
    assert refused > 10


def test_every_single_branch_that_narrows_the_root_is_offered():
    """What plain enumeration finds at the answer node is offered, and nothing else."""
    compared = 0
    for proposer in proposers(63, 160):
        facts, root = proposer.facts, proposer.graph.root_node_id
        answers, target = set(proposer.answers.ids.tolist()), proposer.target
        if proposer.unique:
            continue
        found = {(p.branch.code, p.strategy) for p in proposer.tightenings(root, target)}
        want = set()
        for number, name in enumerate(facts.relations):
            for way in Direction:
                if facts.sheet.relation(name).symmetric and way is Direction.FORWARD:
                    continue
                for anchor in facts.universe.tolist():
                    ends = {
                        (f.tail if way is Direction.FORWARD else f.head)
                        for f in facts.facts()
                        if f.relation == number
                        and (f.head if way is Direction.FORWARD else f.tail) == anchor
                    }
                    if not ends or not proposer.book.has_own_name(anchor):
                        continue
                    code = (number, way, anchor)
                    if target in ends and answers - ends:
                        want.add((code, Strategy.INTERSECTION_EXPANSION))
                    if target not in ends and answers & ends and anchor not in answers:
                        want.add((code, Strategy.COMPLEMENT))
        assert found == want
        compared += bool(want)
    assert compared > 20


def village_proposers() -> Iterator[Proposer]:
    """Yield questions about people of the village that still have several answers."""
    facts = village()
    book = BranchBook(facts, Rules())
    for target in facts.of_type("person").ids.tolist()[:12]:
        for branch in book.about(target)[:2]:
            seed = seed_question(
                anchor=facts.name(branch.anchor),
                anchor_type=facts.entity(branch.anchor).type,
                relation=facts.relations[branch.relation],
                direction=branch.direction,
                answer=facts.name(target),
                answer_type="person",
                reason="It is there.",
            )
            proposer = Proposer(replay_history([seed])[0], facts, target, book)
            yield proposer
            for proposal in itertools.islice(proposer.tightenings("n1", target), 3, 5):
                yield Proposer(written(proposer, proposal), facts, target, book)


def test_staying_irredundant_is_told_without_building():
    """For each tightening at the root: the short answer equals building it and checking."""
    seen: Counter[bool] = Counter()
    for proposer in itertools.chain(proposers(64, 200), village_proposers()):
        if proposer.unique:
            continue
        root = proposer.graph.root_node_id
        for proposal in itertools.islice(proposer.tightenings(root, proposer.target), 8):
            after = written(proposer, proposal)
            built = Proposer(after, proposer.facts, proposer.target, proposer.book)
            assert proposer.stays_irredundant(proposal) == built.irredundant
            seen[built.irredundant] += 1
    assert min(seen.values()) > 50


# ---- other strategies -------------------------------------------------------------------------


def test_inversions_describe_an_anchor_and_keep_the_target():
    """The name goes, a projection that leads to it comes; a unique question stays unique."""
    seen: Counter[bool] = Counter()
    for proposer in proposers(65, 240):
        facts = proposer.facts
        for node in proposer.graph.anchors:
            for proposal in list(proposer.inversions(node.node_id))[:4]:
                after = written(proposer, proposal)
                answers = oracle_answers(after, facts)
                assert answers == keys(facts, proposal.answers.ids)
                assert facts.entity(proposer.target).key in answers
                if proposer.unique:
                    assert len(answers) == 1
                hidden = after.node(node.node_id)
                assert hidden.known_entities == ()
                assert hidden.reference_entities == node.known_entities
                (edge,) = after.incoming[node.node_id]
                assert after.node(edge.source_ids[0]).known_entities
                assert keys(facts, proposer.relaxer.grounding.anchor_set(node.node_id).ids) <= set(
                    oracle_values(after, facts)[node.node_id]
                )
                seen[proposer.unique] += 1
    assert min(seen.values()) > 20


def test_extensions_ask_for_what_the_answer_leads_to():
    """The old root becomes a hidden step, the answer moves, and it is among the new answers."""
    tried = 0
    for proposer in proposers(66, 240):
        facts = proposer.facts
        offered = list(proposer.extensions())
        assert proposer.unique or not offered
        for proposal, answer in offered[:6]:
            after = written(proposer, proposal, answer)
            answers = oracle_answers(after, facts)
            typed = {
                facts.entity(n).key
                for n in proposal.answers.ids.tolist()
                if facts.entity(answer).type in (None, facts.entity(n).type)
            }
            assert answers == typed
            assert facts.entity(answer).key in answers
            assert after.answer == facts.name(answer)
            assert after.root_node_id != proposer.graph.root_node_id
            assert after.node(proposal.node_id).reference_entities == (proposer.graph.answer,)
            with pytest.raises(MutationError, match="needs the answer"):
                proposer.write(proposal)
            tried += 1
    assert tried > 100


def test_loosenings_leave_more_answers_and_the_target():
    """Dropped conditions and widened anchors: strictly more answers, the old ones among them."""
    seen: Counter[Strategy] = Counter()
    for proposer in proposers(67, 400):
        facts, before = proposer.facts, oracle_answers(proposer.graph, proposer.facts)
        for mutation, loosened in list(proposer.loosenings())[:6]:
            answers = oracle_answers(apply_mutation(proposer.graph, mutation), facts)
            assert answers == keys(facts, loosened.answers.ids)
            assert facts.entity(proposer.target).key in answers
            assert len(answers) > len(before)
            assert mutation.answers_before == len(before)
            assert mutation.answers_after == len(answers)
            seen[mutation.strategy] += 1
    assert set(seen) == {Strategy.DROP_CONSTRAINT, Strategy.WIDEN_ANCHOR}
    assert set(seen) <= LOOSENING
    assert min(seen.values()) > 30


def test_compounds_loosen_and_then_tighten_in_one_step():
    """A recorded pair: applied at once or one by one it is the same, the target stays."""
    tried = 0
    for proposer in proposers(68, 160):
        root = proposer.graph.root_node_id
        for mutation, answers in list(proposer.compounds(root, proposer.target))[:5]:
            assert mutation.strategy is Strategy.LOOSEN_THEN_TIGHTEN
            loosen, tighten = mutation.parts
            assert loosen.strategy in LOOSENING
            assert tighten.strategy in TIGHTENING
            after = apply_mutation(proposer.graph, mutation)
            steps = apply_mutation(apply_mutation(proposer.graph, loosen), tighten)
            assert after.replace(iteration=None) == steps.replace(iteration=None)
            assert after.iteration == (proposer.graph.iteration or 0) + 1
            found = oracle_answers(after, proposer.facts)
            assert found == keys(proposer.facts, answers.ids)
            assert proposer.facts.entity(proposer.target).key in found
            assert after != proposer.graph
            assert "; then " in mutation.reason
            assert Mutation.model_validate(mutation.to_record()) == mutation
            tried += 1
    assert tried > 100


@given(stores_with_graphs(safe=None, steps=6))
def test_dropping_a_source_is_deleting_the_constraint(pair: tuple[FactStore, QuestionGraph]):
    """For every source of every intersection, shared nodes included: the oracle's deletion."""
    facts, graph = pair
    normal = normalize(graph)
    for edge in normal.edges:
        for source in edge.source_ids:
            name = f"{edge.edge_id}/{source}"
            if edge.op is not Op.INTERSECTION:
                with pytest.raises(MutationError, match="no source of an intersection"):
                    drop_constraint(normal, name)
                continue
            kinds = {normal.node(n).entity_type for n in (edge.target_id, *edge.source_ids)}
            if len(kinds - {None}) > 1:
                continue
            mutation = drop_constraint(normal, name)
            after = apply_mutation(normal, mutation)
            root = set(oracle_values(after, facts)[after.root_node_id])
            assert root == oracle_deleted(normal, facts, {name})
            assert is_unsafe(after) == is_unsafe(normal, {name})
            assert Mutation.model_validate(mutation.to_record()) == mutation


@given(stores_with_graphs(steps=6))
def test_only_sources_of_intersections_are_dropped(pair: tuple[FactStore, QuestionGraph]):
    """Projections, complements, anchors and what is not there are refused by name."""
    normal = normalize(pair[1])
    wrong = [item for item in oracle_constraints(normal) if "/" not in item]
    for name in [*wrong, "e99/n99", "", "x"]:
        with pytest.raises(MutationError, match="no source of an intersection"):
            drop_constraint(normal, name)
