"""One attempt at growing a question about an entity: find conditions, then mutate step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from graphkit.entity_set import EMPTY, UNIVERSE, EntitySet, Ids, distinct
from graphkit.errors import MutationError
from graphkit.mutate import Branch, BranchBook
from graphkit.mutate.branches import one_in
from synthesis.conditions import Condition, Outsiders, combine, condition_pool
from synthesis.dice import Dice
from synthesis.draft import Draft
from synthesis.grow_settings import GrowSettings

__all__ = ["Attempt", "Usage"]

_TRIES = 4
_LEANS = {"left": (2.5, 0.6), "mixed": (1.0, 1.0), "right": (0.3, 1.3)}
"""How much more often than usual a question is extended, and its anchor described."""


@dataclass(eq=False)
class Usage:
    """How often each relation and answer stands in the questions grown so far."""

    relations: Counter[int] = field(default_factory=Counter)
    answers: Counter[int] = field(default_factory=Counter)

    def cost(self, branch: Branch) -> float:
        """Return how little welcome a branch is: the more its relation has been used."""
        return 1.0 + self.relations.get(branch.relation, 0)


@dataclass(frozen=True, slots=True)
class _Trunk:
    """The way from an anchor to the answer's set: its first branch, how it is hidden, its cuts.

    Attributes:
        chain: Branches from the answer outwards; each leads to the anchor of the one before.
        early: Conditions on the first hidden entity.
        values: The set of the answer and of each hidden entity, conditions included.
    """

    chain: tuple[Branch, ...]
    early: tuple[Condition, ...]
    values: tuple[EntitySet, ...]


class Attempt:
    """Grows one question; ends with a draft, or with the word for what was missing."""

    def __init__(self, book: BranchBook, settings: GrowSettings, usage: Usage, dice: Dice) -> None:
        self.book = book
        self.facts = book.facts
        self.settings = settings
        self.usage = usage
        self.dice = dice
        self.missing = ""
        self._everybody: dict[int, EntitySet] = {}

    def run(self, seed: int) -> Draft | None:
        """Return a draft with one answer, every condition needed, long enough; or None.

        ``missing`` then names the condition that could not be met.

        Args:
            seed: The entity to ask about.
        """
        mix = self.settings.mix
        total = mix.complement + mix.intersection + mix.inverse + mix.extension
        more_extension, more_inverse = _LEANS[self.settings.lean]
        types = self.settings.answer_types
        extend = self.dice.chance(1.5 * more_extension * mix.extension / total) or (
            bool(types) and self.facts.entity(seed).type not in types
        )
        depth = 1 + sum(
            self.dice.chance(1.8 * more_inverse * mix.inverse / (total - mix.extension))
            for _ in range(2)
        )
        depth = max(depth, self.settings.min_depth - extend)
        draft = None
        for _ in range(_TRIES):
            draft = self._planned(seed, depth, extend=extend)
            if draft is not None:
                break
        if draft is None:
            return None
        if extend:
            draft = self._extended(draft)
            if draft is None:
                self.missing = "no_extension"
                return None
        return self._finished(draft)

    def _planned(self, seed: int, depth: int, *, extend: bool) -> Draft | None:
        """Find a trunk and conditions for it, and write both out as mutations."""
        trunk = self._trunk(seed, depth)
        stem = self._stem(seed, trunk) if trunk is not None else None
        if trunk is None or stem is None:
            return None
        least = self.settings.min_iterations - len(stem.history) - extend
        count = max(2 if depth == 1 else 1, least) + self.dice.below(2)
        late = self._late(seed, trunk, stem, count)
        if late is None:
            self.missing = "no_sensible_conditions"
            return None
        return self._write(stem, late)

    def _finished(self, draft: Draft) -> Draft | None:
        settings = self.settings
        if not draft.proposer.unique:
            self.missing = "not_unique"
            return None
        if draft.counted_edges() < settings.min_edges:
            self.missing = "few_edges"
            return None
        if not settings.min_iterations <= len(draft.history) <= settings.max_iterations:
            self.missing = "iterations"
            return None
        if draft.depth() < settings.min_depth:
            self.missing = "depth"
            return None
        if not draft.proposer.irredundant:
            self.missing = "redundant_at_the_end"
            return None
        return draft

    # ---- finding ------------------------------------------------------------------------------

    def _typed(self, value: EntitySet, entity: int) -> EntitySet:
        kind = self.facts.entity(entity).type
        return value if kind is None else value & self.facts.of_type(kind)

    def _trunk(self, seed: int, depth: int) -> _Trunk | None:
        first = [item for item in self.book.about(seed) if depth > 1 or item.size >= 6]
        for branch in self.dice.shuffled(first, self.usage.cost)[:4]:
            chain: list[Branch] = [branch]
            while len(chain) < depth:
                deeper = self._hide(seed, chain)
                if deeper is None:
                    break
                chain.append(deeper)
            if len(chain) == depth:
                trunk = self._with_early(seed, tuple(chain))
                if trunk is not None:
                    return trunk
        self.missing = "no_sensible_path"
        return None

    def _hide(self, seed: int, chain: list[Branch]) -> Branch | None:
        """Return a branch that leads to the outermost anchor and may stand for its name."""
        outer, rules = chain[-1], self.book.rules
        hidden = outer.anchor
        near = self.book.near(seed)
        taken = set() if rules.witness_anchors else {seed, *(branch.anchor for branch in chain)}
        for branch in self.dice.shuffled(self.book.about(hidden), self.usage.cost):
            if branch.anchor in taken or branch.anchor == hidden:
                continue
            if self._turns(branch, outer):
                continue
            if not rules.adjacent_anchors and one_in(branch.anchor, near):
                continue
            return branch
        return None

    def _turns(self, inner: Branch, outer: Branch) -> bool:
        """Whether a branch followed by another would go back the way it came, if that matters."""
        if self.book.rules.back_and_forth or inner.relation != outer.relation:
            return False
        symmetric = self.facts.sheet.relation(self.facts.relations[outer.relation]).symmetric
        return symmetric or inner.direction is outer.direction.reverse

    def _values(
        self,
        seed: int,
        chain: tuple[Branch, ...],
        early: Iterable[EntitySet],
        start: EntitySet | None = None,
        place: int | None = None,
    ) -> tuple[EntitySet, ...]:
        """Return the set of the answer and of each hidden entity along a chain.

        Args:
            seed: The answer.
            chain: Branches from the answer outwards.
            early: Sets that the first hidden entity must be in as well.
            start: What the branch at ``place`` leads from; by default its anchor.
            place: Where to start; by default at the outermost branch.
        """
        entities = [seed, *(branch.anchor for branch in chain[:-1])]
        place = len(chain) - 1 if place is None else place
        source = EntitySet.of([chain[-1].anchor]) if start is None else start
        values: list[EntitySet] = []
        for number in range(place, -1, -1):
            branch = chain[number]
            reached = self.facts.adjacency[branch.relation].project(source, branch.direction)
            source = self._typed(reached, entities[number])
            if number == 1:
                for cut in early:
                    source = source & cut
            values.insert(0, source)
        return tuple(values)

    def _with_early(self, seed: int, chain: tuple[Branch, ...]) -> _Trunk | None:
        rules = self.book.rules
        values = self._values(seed, chain, ())
        early: tuple[Condition, ...] = ()
        share = {"left": 0.9, "right": 0.15, "mixed": 0.55}[self.settings.lean]
        if len(chain) > 1 and len(values[1].ids) > 2 and self.dice.chance(share):
            found = self._early(seed, chain, values)
            if found:
                early = found
                values = self._values(seed, chain, self._cuts(early))
        if len(values[0].ids) < 4 or max(len(value.ids) for value in values) > (
            rules.max_candidates
        ):
            return None
        if not self._all_needed(seed, chain, early, values[0]):
            return None
        return _Trunk(chain, early, values)

    def _cuts(self, conditions: Iterable[Condition]) -> list[EntitySet]:
        """Return the sets to which conditions narrow another."""
        values = [(item.branch.value(self.facts), item.exclusion) for item in conditions]
        return [~value if exclusion else value for value, exclusion in values]

    def _all_needed(
        self,
        seed: int,
        chain: tuple[Branch, ...],
        early: tuple[Condition, ...],
        answers: EntitySet,
    ) -> bool:
        """Whether a chain has other answers once one of its hops or its anchor is left out."""
        cuts = self._cuts(early)
        relaxed = [self._values(seed, chain, cuts, UNIVERSE)]
        for place in range(len(chain) - 1):
            hidden = self._typed(UNIVERSE, chain[place].anchor)
            for cut in cuts if place == 0 else ():
                hidden = hidden & cut
            relaxed.append(self._values(seed, chain, cuts, hidden, place))
        return not any(values[0].same_form(answers) for values in relaxed)

    def _early(
        self, seed: int, chain: tuple[Branch, ...], values: tuple[EntitySet, ...]
    ) -> tuple[Condition, ...]:
        """Return a condition on the hidden entity that also narrows the answer's set."""
        members = values[1].ids
        mix = self.settings.mix
        hidden = chain[0].anchor
        barred = [] if self.book.rules.entity_twice else [chain[-1].anchor]
        if not self.book.rules.witness_anchors:
            barred += [seed, *(branch.anchor for branch in chain[:-1])]
        if not self.book.rules.adjacent_anchors:
            barred += self.book.near(seed).tolist()
        pool = condition_pool(
            self.book, members, hidden, EntitySet.of(barred).ids, complement_share=mix.complement
        )
        before = len(values[0].ids)
        least = self.book.rules.min_removed
        usable = [
            item
            for item in self._ordered(pool)
            if not self._turns(item.branch, chain[0])
            and len(members) - item.mask.bit_count() >= least
        ]
        for condition in usable[:8]:
            cut = values[1] & self._cuts([condition])[0]
            after = len(self._values(seed, chain, (), cut, 0)[0].ids)
            if 4 <= after <= before - least:
                return (condition,)
        return ()

    def _ordered(self, pool: list[Condition]) -> list[Condition]:
        """Return conditions in a random order after the mix and what has been used."""
        mix = self.settings.mix
        negative = sum(item.exclusion for item in pool)
        positive = len(pool) - negative
        scale = {
            True: negative / mix.complement if mix.complement else 0.0,
            False: positive / mix.intersection if mix.intersection else 0.0,
        }
        usable = [item for item in pool if scale[item.exclusion] > 0]
        kinds = {(item.exclusion, item.branch.relation): item for item in usable}
        costs = {
            kind: scale[item.exclusion] * self.usage.cost(item.branch)
            for kind, item in kinds.items()
        }
        return self.dice.shuffled(usable, lambda item: costs[item.exclusion, item.branch.relation])

    def _late(self, seed: int, trunk: _Trunk, stem: Draft, count: int) -> list[Condition] | None:
        """Return conditions on the answer that leave only it, everything needed."""
        candidates = trunk.values[0].ids
        barred = EMPTY if self.book.rules.entity_twice else stem.anchors()
        if not self.book.rules.witness_anchors:
            barred = barred | stem.witnesses()
        pool = condition_pool(
            self.book, candidates, seed, barred.ids, complement_share=self.settings.mix.complement
        )
        outsiders = Outsiders(self.book, self._outsiders(seed, stem, candidates))
        place = int(np.searchsorted(candidates, seed))
        for wanted in (count, count, count, count + 1, count + 1):
            found = combine(
                self._ordered(pool),
                outsiders,
                everyone=(1 << len(candidates)) - 1,
                kept=1 << place,
                count=wanted,
                rules=self.book.rules,
            )
            if found is not None:
                return found
        return None

    def _outsiders(self, seed: int, stem: Draft, candidates: Ids) -> list[Ids]:
        """Return for each constraint of the stem who would be a candidate without it."""
        groups = []
        for relaxed in stem.proposer.relaxed:
            wider = self._everybody_about(seed) if relaxed.complemented else relaxed
            if seed in wider:
                groups.append((wider & ~EntitySet(candidates)).ids)
        return groups

    def _everybody_about(self, seed: int) -> EntitySet:
        """Return everything that shares a branch with an entity: who could meet its conditions."""
        if seed not in self._everybody:
            values = [branch.value(self.facts).ids for branch in self.book.about(seed)]
            self._everybody[seed] = EntitySet(distinct(np.concatenate(values)))
        return self._everybody[seed]

    # ---- writing ------------------------------------------------------------------------------

    def _stem(self, seed: int, trunk: _Trunk) -> Draft | None:
        """Write the trunk out as recorded mutations."""
        draft = Draft.start(self.book, trunk.chain[0], seed)
        for branch in trunk.chain[1:]:
            draft = draft.inverted(branch)
        try:
            for condition in trunk.early:
                draft = draft.tightened(
                    draft.hidden_nodes()[0], condition.branch, exclusion=condition.exclusion
                )
        except MutationError:
            self.missing = "redundant_condition"
            return None
        if not draft.proposer.irredundant:
            self.missing = "redundant_condition"
            return None
        if not self.book.rules.witness_anchors and len((draft.anchors() & draft.witnesses()).ids):
            self.missing = "witness_named"
            return None
        return draft

    def _write(self, draft: Draft, late: list[Condition]) -> Draft | None:
        """Write the conditions on the answer out; each is checked again as it is made."""
        try:
            for condition in late:
                root = draft.graph.root_node_id
                draft = draft.tightened(root, condition.branch, exclusion=condition.exclusion)
        except MutationError:
            self.missing = "redundant_condition"
            return None
        return draft

    def _extended(self, draft: Draft) -> Draft | None:
        types = self.settings.answer_types
        found = [
            (proposal, answer)
            for proposal, answer in draft.proposer.extensions()
            if not types or self.facts.entity(answer).type in types
        ]
        ordered = self.dice.shuffled(
            found, lambda item: self.usage.cost(item[0].branch) * (1 + self.usage.answers[item[1]])
        )
        for proposal, answer in ordered[:6]:
            if len(proposal.answers.ids) == 1:
                return draft.extended(proposal, answer)
        return None
