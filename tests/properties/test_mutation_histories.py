"""Laws of recorded mutations: a history replays, and what does not fit is refused."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import assume, given

from graphkit.checks import Relaxer
from graphkit.errors import MutationError
from graphkit.facts import FactStore
from graphkit.mutate import (
    BranchBook,
    Mutation,
    Proposer,
    Rules,
    Strategy,
    apply_mutation,
    replay_history,
    seed_question,
)
from graphkit.normalize import normalize
from graphkit.question import QuestionGraph
from graphkit.testing.generation import seeded_pairs
from graphkit.testing.strategies import stores_with_graphs
from tests.properties.test_mutations import LOOSE, positive_nodes, proposers


def test_a_history_replays_step_by_step():
    """From a seed on, whatever is offered is taken: the graphs come back, one for each step."""
    lengths: Counter[int] = Counter()
    for facts, graph in seeded_pairs(69, 120, planted=True):
        book = BranchBook(facts, LOOSE)
        target = int(facts.universe[0])
        if not book.about(target) or not book.has_own_name(target):
            continue
        branch = book.about(target)[0]
        anchor, entity = facts.entity(branch.anchor), facts.entity(target)
        history = [
            seed_question(
                anchor=anchor.text,
                anchor_type=anchor.type,
                relation=facts.relations[branch.relation],
                direction=branch.direction,
                answer=entity.text,
                answer_type=entity.type,
                reason="It is there.",
            )
        ]
        graphs = replay_history(history)
        for _ in range(5):
            proposer = Proposer(graphs[-1], facts, target, book)
            step = _any_step(proposer)
            if step is None:
                break
            mutation, target = step
            history.append(mutation)
            graphs.append(apply_mutation(graphs[-1], mutation))
        records = [json.loads(json.dumps(m.to_record())) for m in history]
        assert replay_history(map(Mutation.model_validate, records)) == graphs
        assert [g.iteration for g in graphs] == list(range(1, len(graphs) + 1))
        lengths[len(history)] += 1
        assert graph.nodes
    assert max(lengths) >= 4


def _any_step(proposer: Proposer) -> tuple[Mutation, int] | None:
    root = proposer.graph.root_node_id
    if not proposer.unique:
        for proposal in proposer.tightenings(root, proposer.target):
            return proposer.write(proposal), proposer.target
    for proposal, answer in proposer.extensions():
        return proposer.write(proposal, answer), answer
    for node in proposer.graph.anchors:
        for proposal in proposer.inversions(node.node_id):
            return proposer.write(proposal), proposer.target
    return None


def test_a_mutation_made_for_another_graph_is_refused():
    """Applied twice, or to a question that lacks its parts, a mutation is stale."""
    refused = 0
    for proposer in proposers(70, 200):
        if proposer.unique:
            continue
        for proposal in list(proposer.tightenings(proposer.graph.root_node_id, proposer.target))[
            :2
        ]:
            mutation = proposer.write(proposal)
            after = apply_mutation(proposer.graph, mutation)
            with pytest.raises(MutationError) as caught:
                apply_mutation(after, mutation)
            assert {problem.code for problem in caught.value.problems} == {"stale"}
            refused += 1
    assert refused > 40


@given(stores_with_graphs(planted=True, steps=4))
def test_rules_are_kept_by_what_is_offered(pair: tuple[FactStore, QuestionGraph]):
    """With strict rules every branch offered has a set of the right size over complete facts."""
    facts, graph = pair
    rules = Rules(min_set=2, max_set=3, min_removed=2)
    relaxer = Relaxer(normalize(graph), facts)
    assume(not relaxer.grounding.ambiguous)
    proposer = Proposer(graph, facts, int(relaxer.answers.ids[0]), BranchBook(facts, rules))
    if proposer.unique:
        return
    used = set(proposer.used.tolist())
    for node_id in positive_nodes(proposer):
        for proposal in proposer.tightenings(node_id, int(proposer.supporters[node_id].ids[0])):
            branch = proposal.branch
            assert 2 <= branch.size == len(branch.value(facts).ids) <= 3
            assert facts.sheet.relation(facts.relations[branch.relation]).complete is not False
            assert branch.anchor not in used
            if proposal.strategy is Strategy.COMPLEMENT:
                assert facts.sheet.relation(facts.relations[branch.relation]).complete is True
                assert branch.anchor not in relaxer.values[node_id]
                assert proposal.removed >= 2
            elif len(proposal.answers.ids) > 1:
                assert proposal.removed >= 2
