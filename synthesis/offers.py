"""What could be done to a question next, computed: mutations ranked by how near they bring it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field

from graphkit.checks import CheckReport, check
from graphkit.checks.constraints import constraints
from graphkit.checks.relax import Relaxer
from graphkit.checks.report import Limits
from graphkit.errors import GraphkitError, MutationError
from graphkit.facts import FactStore
from graphkit.grounding import resolve
from graphkit.mutate import (
    BranchBook,
    Mutation,
    Proposal,
    Proposer,
    Rules,
    Strategy,
    apply_mutation,
    drop_constraint,
)
from graphkit.normalize import normalize
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from synthesis.asked import asked_on
from synthesis.dice import Dice
from synthesis.lane import Pieces, in_one_go

__all__ = ["Goals", "Offer", "Planner", "Standing", "without_text"]

_LOOKED_AT = 240
_WEIGHED = 14
_NEARLY = 1.0
_LARGE = 10
_EXCLUSIONS = 2

_Source = Callable[[Proposer, Dice], Iterator[Mutation]]


@dataclass(frozen=True, slots=True)
class Goals:
    """What a finished question must be, beside being sound.

    Attributes:
        min_edges: Edges of the normal form: EvoBrowseComp, 2.1, asks for five.
        min_hops: Projections of the normal form: A.2 asks for five hops.
        fresh_share: Least share of fresh facts behind the answer.
        fresh_last_hop: Whether the last of them must be fresh.
        limits: How far direct paths are looked for.
    """

    min_edges: int = 5
    min_hops: int = 5
    fresh_share: float = 0.5
    fresh_last_hop: bool = True
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Standing:
    """How a question stands on the evidence.

    Attributes:
        report: All checks.
        missing: What it still lacks, as stable words: ``ungrounded``, ``no_answers``,
            ``unfaithful``, ``several_answers``, ``redundant``, ``shortcut``, ``text_leak``,
            ``lint_error``, ``search_cut_short``, ``ambiguous_name``, ``few_edges``,
            ``few_hops``, ``stale_evidence``, ``final_hop_stale``.
        distance: How far it is from having everything; 0 when nothing is missing.
    """

    report: CheckReport
    missing: tuple[str, ...]
    distance: float

    @classmethod
    def of(cls, graph: QuestionGraph, facts: FactStore, goals: Goals) -> Standing:
        """Check a question and say what it lacks."""
        report = check(graph, facts, limits=goals.limits)
        missing: dict[str, float] = {}
        if report.reason in ("unresolved", "no_answers", "unsafe_complement", "ambiguous_name"):
            word = "ungrounded" if report.reason == "unresolved" else report.reason
            missing[word] = 30.0
        elif report.reason is None:
            if report.faithful is not True:
                missing["unfaithful"] = 20.0
            if not report.unique:
                missing["several_answers"] = 3.0
            redundant = len(report.redundant or ())
            shortcuts = [item for item in report.shortcuts or () if item.kind != "text_leak"]
            if redundant:
                missing["redundant"] = 2.0 * redundant
            if shortcuts:
                missing["shortcut"] = 2.0 * len(shortcuts)
            if any(item.kind == "text_leak" for item in report.shortcuts or ()):
                missing["text_leak"] = 1.0
            if not all(search["complete"] for search in report.searched.values()):
                missing["search_cut_short"] = 1.0
            missing.update(_fresh_gaps(report, goals))
        if not report.valid and "ungrounded" not in missing:
            missing.setdefault("lint_error", 1.0)
        edges = report.profile.shape.edges if report.profile else 0
        if report.profile and edges < goals.min_edges:
            missing["few_edges"] = float(goals.min_edges - edges)
        hops = report.profile.shape.hops if report.profile else 0
        if report.profile and hops < goals.min_hops:
            missing["few_hops"] = float(goals.min_hops - hops)
        return cls(report, tuple(missing), sum(missing.values()))


def _fresh_gaps(report: CheckReport, goals: Goals) -> Iterator[tuple[str, float]]:
    profile = report.profile
    if profile is None:
        return
    share = profile.fresh_share or 0.0
    if share < goals.fresh_share:
        yield "stale_evidence", 2.0 * (goals.fresh_share - share) + 0.5
    order = (profile.knowledge_order or "").split("-")
    if goals.fresh_last_hop and order[-1] != "fresh":
        yield "final_hop_stale", 1.5


@dataclass(frozen=True)
class Offer:
    """One mutation that the evidence supports.

    Attributes:
        name: What it is called among the offers of one round: ``o1``.
        mutation: The recorded mutation.
        graph: The question afterwards, in the ids of the question before.
        standing: How it would stand.
    """

    name: str
    mutation: Mutation
    graph: QuestionGraph
    standing: Standing

    @property
    def grows(self) -> bool:
        """Whether it changes a question, and does not begin one."""
        return self.mutation.strategy is not Strategy.SEED

    @property
    def repairs(self) -> bool:
        """Whether it takes out what asks nothing: the answers stay the same."""
        step = self.mutation
        dropping = step.strategy is Strategy.DROP_CONSTRAINT
        return dropping and step.answers_before == step.answers_after

    @property
    def strategy(self) -> Strategy:
        """The strategy; of a compound step, that of its tightening half."""
        parts = self.mutation.parts
        return parts[-1].strategy if parts else self.mutation.strategy


class Planner:
    """Finds what could be done next to questions over one body of evidence.

    Args:
        facts: The evidence as facts.
        goals: What a finished question must be.
        usable: Ids of the evidence that questions may be made of; None for all.
        rules: What is sensible; by default conditions need not be over complete relations.
    """

    def __init__(
        self,
        facts: FactStore,
        goals: Goals | None = None,
        *,
        usable: Collection[str] | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.facts = facts
        self.goals = goals or Goals()
        self.usable = usable
        self.book = BranchBook(facts, rules or Rules(complete_only=False, exclusion_complete=False))

    def standing(self, graph: QuestionGraph) -> Standing:
        """Check a question on the evidence and say what it lacks."""
        return Standing.of(graph, self.facts, self.goals)

    def offers_in_pieces(
        self,
        graph: QuestionGraph,
        *,
        count: int = 5,
        seed: int = 0,
        avoid: Collection[str] = (),
        steps_left: int = 0,
        loosen: bool = False,
    ) -> Pieces[tuple[Offer, ...]]:
        """Find mutations that the evidence supports: the most promising, and those nearly so.

        It pauses after every mutation that is looked at closely.

        Args:
            graph: A question that is grounded and has its declared answer among its answers.
            count: At most how many.
            seed: What equal ones are ordered by.
            avoid: What must not come back, as :func:`synthesis.asked.asked_on` tells it.
            steps_left: How many iterations are asked for still. A question that has one answer
                early can hardly grow: any further condition would be redundant.
            loosen: Offer to drop or widen conditions, and nothing else.

        Raises:
            MutationError: The declared answer is missing, unknown, or not an answer.
        """
        target = self._target(graph)
        proposer = Proposer(graph, self.facts, target, self.book)
        taken = {asked_on(proposer.graph, self.facts), *avoid}
        found: list[Offer] = []
        dice = Dice(seed)
        changes = self._looser(proposer, dice) if loosen else self._sensible(proposer, dice)
        for mutation, after in changes:
            yield
            text = asked_on(after, self.facts)
            if text not in taken:
                taken.add(text)
                found.append(Offer("", mutation, after, self.standing(without_text(after))))
        if not found:
            return ()
        costs = {id(offer): self._cost(offer, steps_left - 1) for offer in found}
        found.sort(key=lambda offer: costs[id(offer)])
        near = [offer for offer in found if costs[id(offer)] <= costs[id(found[0])] + _NEARLY]
        return tuple(
            Offer(f"o{place}", offer.mutation, offer.graph, offer.standing)
            for place, offer in enumerate(near[:count], 1)
        )

    offers = in_one_go(offers_in_pieces)

    def _cost(self, offer: Offer, steps_left: int) -> float:
        """Return how far an offer leaves the question, and how hard it makes what is left."""
        standing = offer.standing
        cost = standing.distance
        if "several_answers" not in standing.missing and standing.report.profile:
            shape = standing.report.profile.shape
            goals = self.goals
            gap = max(goals.min_edges - shape.edges, goals.min_hops - shape.hops)
            cost += 1.5 * max(0, steps_left, gap)
        if standing.report.profile:
            shape = standing.report.profile.shape
            cost += max(0, shape.edges - _LARGE)
            cost += 1.5 * max(0, shape.ops.get(Op.COMPLEMENT.value, 0) - _EXCLUSIONS)
        if "redundant" in standing.missing:
            cost += 3.0
        return cost

    def _target(self, graph: QuestionGraph) -> int:
        match = resolve(graph.answer, self.facts) if graph.answer else None
        if match is None:
            raise MutationError(f"the answer {graph.answer!r} is not in the evidence")
        kind = graph.nodes_by_id[graph.root_node_id].entity_type
        typed = [n for n in match.entities if kind is None or self.facts.entity(n).type == kind]
        return (typed or list(match.entities))[0]

    def made_of_usable(self, *mutations: Mutation) -> bool:
        """Whether mutations rest on evidence that questions may be made of."""
        usable = self.usable
        return usable is None or all(
            not mutation.evidence_ids or any(item in usable for item in mutation.evidence_ids)
            for mutation in mutations
        )

    # ---- what there is ----------------------------------------------------------------------

    def _sensible(self, proposer: Proposer, dice: Dice) -> Iterator[tuple[Mutation, QuestionGraph]]:
        """Yield changes after which every condition is needed, or at least more are than before.

        A condition that asks nothing asks nothing for ever: whatever is added later, the answers
        are the same without it. So such changes are left out while there are others.
        """
        if not proposer.irredundant:
            yield from self._kept(proposer, self._repairs(proposer), needed=False)
            return
        sources: tuple[_Source, ...]
        if proposer.unique:
            sources = (self._extensions, self._inversions, self._compounds)
        else:
            sources = (self._tightenings, self._inversions)
        for source in sources:
            yield from itertools.islice(self._kept(proposer, source(proposer, dice)), _WEIGHED)

    def _looser(self, proposer: Proposer, dice: Dice) -> Iterator[tuple[Mutation, QuestionGraph]]:
        """Yield ways to drop or widen a condition, after which all that stay are needed."""
        loosened = self._kept(proposer, self._loosenings(proposer, dice))
        yield from itertools.islice(loosened, _WEIGHED // 2)

    def _kept(
        self, proposer: Proposer, mutations: Iterable[Mutation], *, needed: bool = True
    ) -> Iterator[tuple[Mutation, QuestionGraph]]:
        """Yield the changes made of usable evidence, after which all conditions are needed."""
        for mutation in itertools.islice(mutations, _LOOKED_AT):
            if not self.made_of_usable(mutation):
                continue
            after = apply_mutation(proposer.graph, mutation)
            if needed:
                relaxer = Relaxer(normalize(after), self.facts)
                if any(relaxer.keeps_answers([item]) for item in relaxer.constraints):
                    continue
            yield mutation, after

    def _repairs(self, proposer: Proposer) -> Iterator[Mutation]:
        """Drop what asks nothing: a condition without which the answers are the same."""
        for item in constraints(proposer.graph):
            if proposer.relaxer.keeps_answers([item]):
                try:
                    yield drop_constraint(
                        proposer.graph,
                        item.id,
                        reason=f"Condition {item.id} asks nothing: without it the answer is the "
                        "same.",
                        answers_before=proposer.answers.size(self.facts.size),
                        answers_after=proposer.answers.size(self.facts.size),
                    )
                except MutationError:
                    continue  # no source of an intersection: dropping it would free a node

    def _tightenings(self, proposer: Proposer, dice: Dice) -> Iterator[Mutation]:
        pool: list[Proposal] = []
        nodes = [
            node_id
            for node_id in sorted(proposer.supporters)
            if not proposer.graph.nodes_by_id[node_id].known_entities
            and len(proposer.supporters[node_id].ids)
        ]
        for node_id in nodes:
            member = dice.pick(proposer.supporters[node_id].ids.tolist())
            codes = dice.shuffled(sorted(self.book.branch_codes))
            per_node = proposer.tightenings(node_id, member, codes=codes)
            pool.extend(itertools.islice(per_node, _LOOKED_AT // len(nodes) + 1))
        size = self.facts.size
        several = dice.shuffled([item for item in pool if item.answers.size(size) > 1])
        single = dice.shuffled([item for item in pool if item.answers.size(size) == 1])
        # In turn, so that the way that is looked at first does not use up the looks.
        pairs = itertools.zip_longest(several, single)
        mixed = [item for pair in pairs for item in pair if item is not None]
        yield from self._written(proposer, mixed)

    def _inversions(self, proposer: Proposer, dice: Dice) -> Iterator[Mutation]:
        pool = [
            item
            for node in proposer.graph.anchors
            for item in itertools.islice(proposer.inversions(node.node_id), _LOOKED_AT)
        ]
        yield from self._written(proposer, dice.shuffled(pool))

    def _extensions(self, proposer: Proposer, dice: Dice) -> Iterator[Mutation]:
        pool = list(itertools.islice(proposer.extensions(), _LOOKED_AT))
        for proposal, answer in dice.shuffled(pool):
            if proposal.answers.size(self.facts.size) == 1:
                yield proposer.write(proposal, answer)

    def _compounds(self, proposer: Proposer, dice: Dice) -> Iterator[Mutation]:
        root = proposer.graph.root_node_id
        try:
            pool = list(
                itertools.islice(
                    (
                        pair
                        for pair in proposer.compounds(root, proposer.target)
                        if pair[1].size(self.facts.size) == 1
                    ),
                    _LOOKED_AT // 4,
                )
            )
        except MutationError:
            return
        yield from (mutation for mutation, _ in dice.shuffled(pool))

    def _loosenings(self, proposer: Proposer, dice: Dice) -> Iterator[Mutation]:
        pool = itertools.islice(proposer.loosenings(), _LOOKED_AT // 4)
        yield from dice.shuffled([mutation for mutation, _ in pool])[: _WEIGHED // 2]

    def _written(self, proposer: Proposer, pool: list[Proposal]) -> Iterator[Mutation]:
        for proposal in pool:
            try:
                yield proposer.write(proposal)
            except GraphkitError:
                continue


def without_text(graph: QuestionGraph) -> QuestionGraph:
    """Return the graph without its text, which a mutation has made out of date."""
    return normalize(graph).replace(question="")
