"""Grounded growth without a model: evidence in, questions with certificates out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphkit.checks import CheckReport, Limits, basis_of, check
from graphkit.checks.basis import Basis
from graphkit.checks.core import EXACT_UP_TO
from graphkit.compile.english import english
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.errors import InputError, UnsupportedError, did_you_mean
from graphkit.facts import FactStore
from graphkit.lint import find_leaks
from graphkit.mutate import BranchBook, Mutation
from graphkit.operations import Op
from graphkit.patterns import canonical_key
from graphkit.question import QuestionGraph
from synthesis.attempt import Attempt, Usage
from synthesis.dice import Dice
from synthesis.draft import Draft
from synthesis.grow_settings import GrowSettings

__all__ = ["MISSING", "GrownQuestion", "Growth", "grow"]

MISSING: dict[str, str] = {
    "no_sensible_path": "no chain of sensible facts leads to the seed",
    "no_sensible_conditions": "no set of sensible conditions leaves only the seed",
    "witness_named": "an entity that the answer rests on would have been named",
    "redundant_condition": "a condition on the way would have been redundant",
    "redundant_at_the_end": "a condition was redundant in the end",
    "no_extension": "nothing leads from the seed to a further answer",
    "not_unique": "several answers were left",
    "few_edges": "too few edges that count",
    "iterations": "too few or too many mutations",
    "depth": "not deep enough",
    "open_basis": "the relations used are not complete for the entities concerned",
    "no_english": "the question cannot be said in English that reads back",
    "answer_leaked": "the question would give a hidden name away",
    "pinning_subgraph": "a part of the question has the same answer",
    "direct_path": "a shorter path leads to the answer",
    "adjacent": "a fact joins a distant anchor to the answer",
    "text_leak": "the question would give a hidden name away",
    "search_cut": "the search for shortcuts was cut by its bounds",
    "other_check": "another check failed",
    "same_graph": "the same question had been grown before",
    "near_duplicate": "a question much like it had been grown before",
    "answer_share": "the answer has its share of questions already",
    "relation_share": "a relation would have more than its share of projections",
}
"""What can be missing when an attempt ends without a question, in words."""

_SHARES_FROM = 40
"""A relation may have its share of this many projections before there are so many."""


@dataclass(frozen=True)
class GrownQuestion:
    """A finished question with its certificate and its history.

    Attributes:
        graph: The question graph; its text reads back to the same canonical graph.
        checks: What was checked, all of it green.
        history: The mutations that made it, in order, from the seed on.
    """

    graph: QuestionGraph
    checks: CheckReport
    history: tuple[Mutation, ...]

    def to_record(self) -> dict[str, Any]:
        """Return the question as plain data: the graph, plus ``checks`` and ``history``."""
        return {
            **self.graph.to_record(),
            "checks": self.checks.to_record(),
            "history": [mutation.to_record() for mutation in self.history],
        }


class Growth:
    """A run: iterating over it grows one question after another.

    It ends when the questions wanted are there or the attempts are used up; ``missing`` counts
    why attempts failed, and ``unfinished`` says it for each entity from which nothing grew.

    Args:
        facts: The facts with their relation sheet.
        settings: What to grow.
        limits: Bounds of the search for direct paths.

    Raises:
        InputError: The facts offer nothing to grow from, or a relation or type named in the
            settings does not exist.
    """

    def __init__(
        self, facts: FactStore, settings: GrowSettings, limits: Limits | None = None
    ) -> None:
        self.facts = facts
        self.settings = settings
        self.limits = limits or Limits()
        self.usage = Usage()
        self.missing: Counter[str] = Counter()
        self.attempts = 0
        self.grown = 0
        self._check_names()
        self._book = BranchBook(facts, settings.rules)
        self._dice = Dice(settings.seed)
        self._lexicon = EnglishLexicon.build(facts.sheet, facts)
        self._keys: set[str] = set()
        self._leaves: dict[str, list[int]] = {}
        self._leaf_sets: list[frozenset[str]] = []
        self._seed_missing: dict[int, Counter[str]] = {}
        self._asked: set[int] = set()
        self._seeds = self._seed_queues()

    def _check_names(self) -> None:
        rules = self.settings.rules
        for name in sorted(rules.allow | rules.deny):
            self.facts.relation_number(name)
        for kind in self.settings.answer_types:
            if kind not in self.facts.types:
                hint = did_you_mean(kind, self.facts.types)
                raise InputError(f"no entity of type {kind!r} in the facts{hint}")

    def _seed_queues(self) -> dict[str, list[int]]:
        """Return the entities to ask about, by type, each in a random order."""
        queues: dict[str, list[int]] = {}
        wanted, extends = self.settings.answer_types, self.settings.mix.extension > 0
        for number in self.facts.universe.tolist():
            kind = self.facts.entity(number).type or ""
            if wanted and kind not in wanted and not extends:
                continue
            if self.settings.balance == "none":
                kind = ""
            if len(self._book.numbers_about(number)) >= 3 and self._book.has_own_name(number):
                queues.setdefault(kind, []).append(number)
        if not queues:
            rules = self.settings.rules
            why = " that the sheet calls complete" if rules.complete_only else ""
            of_type = f" of type {' or '.join(wanted)}" if wanted and not extends else ""
            raise InputError(
                f"the facts offer nothing to grow from: no entity{of_type} has three facts of "
                f"relations{why} whose sets have {rules.min_set} to {rules.max_set} members"
            )
        return {kind: self._dice.shuffled(queues[kind]) for kind in sorted(queues)}

    def __iter__(self) -> Iterator[GrownQuestion]:
        settings = self.settings
        kinds = list(self._seeds)
        weights = [float(len(self._seeds[kind])) ** 0.5 for kind in kinds]
        turn: Counter[str] = Counter()
        while self.grown < settings.count and self.attempts < settings.count * settings.attempts:
            self.attempts += 1
            kind = self._dice.weighted(kinds, weights)
            queue = self._seeds[kind]
            seed = queue[turn[kind] % len(queue)]
            turn[kind] += 1
            attempt = Attempt(self._book, settings, self.usage, self._dice)
            draft = attempt.run(seed)
            word, question = ("", None) if draft is None else self._finish(draft)
            if question is None:
                self._note(seed, word or attempt.missing)
                continue
            self.grown += 1
            self._asked.add(seed)
            yield question

    def _note(self, seed: int, word: str) -> None:
        self.missing[word] += 1
        self._seed_missing.setdefault(seed, Counter())[word] += 1

    @property
    def unfinished(self) -> dict[str, str]:
        """Entities from which no question grew -> what was missing most often."""
        return {
            self.facts.name(seed): max(sorted(words), key=lambda word: words[word])
            for seed, words in sorted(
                self._seed_missing.items(), key=lambda item: self.facts.name(item[0])
            )
            if seed not in self._asked
        }

    # ---- finishing ----------------------------------------------------------------------------

    def _finish(self, draft: Draft) -> tuple[str, GrownQuestion | None]:
        """Return a finished question, or the word for what was missing."""
        word = self._cheap_objection(draft)
        if word:
            return word, None
        graph = self._published(draft)
        if graph is None:
            return "no_english", None
        hidden = [name for node in graph.nodes for name in node.reference_entities]
        if graph.answer and find_leaks(graph.question, [graph.answer, *hidden]):
            return "answer_leaked", None
        report = check(graph, self.facts, limits=self.limits)
        if not report.sound:
            return _objection(report), None
        self._remember(draft, graph)
        return "", GrownQuestion(graph, report, draft.history)

    def _cheap_objection(self, draft: Draft) -> str:
        settings, relaxer = self.settings, draft.proposer.relaxer
        many = len(relaxer.constraints) > EXACT_UP_TO
        if many and any(edge.op is Op.COMPLEMENT for edge in relaxer.graph.edges):
            return "search_cut"  # for smaller parts with the same answer
        cap = max(1, int(settings.max_answer_share * settings.count))
        if self.usage.answers[draft.target] >= cap:
            return "answer_share"
        if settings.require_closed:
            basis = basis_of(relaxer.graph, self.facts, relaxer.grounding)
            if basis is not Basis.CLOSED:
                return "open_basis"
        if canonical_key(draft.graph) in self._keys:
            return "same_graph"
        if self._alike(_leaves(draft)):
            return "near_duplicate"
        if self._relation_share(draft) > settings.max_relation_share:
            return "relation_share"
        return ""

    def _alike(self, leaves: frozenset[str]) -> bool:
        others = {number for leaf in leaves for number in self._leaves.get(leaf, ())}
        return any(
            len(leaves & self._leaf_sets[number])
            >= self.settings.near_duplicate * len(leaves | self._leaf_sets[number])
            for number in others
        )

    def _relation_share(self, draft: Draft) -> float:
        """Return the largest share that one of the draft's relations would then have."""
        added = Counter(item.number for item in draft.proposer.relaxer.grounding.relations.values())
        total = sum(self.usage.relations.values()) + sum(added.values())
        total = max(total, _SHARES_FROM)
        return max(self.usage.relations[number] + count for number, count in added.items()) / total

    def _published(self, draft: Draft) -> QuestionGraph | None:
        """Return the graph with its id, its text and the evidence it rests on."""
        evidence = dict.fromkeys(
            item for mutation in draft.history for item in mutation.evidence_ids
        )
        graph = draft.graph.replace(
            id=f"grown-{self.settings.seed}-{self.grown + 1:04d}",
            language="en",
            domain=self.facts.entity(draft.target).type,
            evidence_ids=tuple(evidence),
        )
        try:
            return graph.replace(question=english(graph, self._lexicon))
        except UnsupportedError:
            return None

    def _remember(self, draft: Draft, graph: QuestionGraph) -> None:
        self._keys.add(canonical_key(graph))
        leaves = _leaves(draft)
        for leaf in sorted(leaves):
            self._leaves.setdefault(leaf, []).append(len(self._leaf_sets))
        self._leaf_sets.append(leaves)
        self.usage.answers[draft.target] += 1
        self.usage.relations.update(
            item.number for item in draft.proposer.relaxer.grounding.relations.values()
        )


def _leaves(draft: Draft) -> frozenset[str]:
    """Return the conditions that name an entity: relation, direction, anchor, excluded or not."""
    graph = draft.proposer.graph
    excluded = {edge.source_ids[0] for edge in graph.edges if edge.op is Op.COMPLEMENT}
    return frozenset(
        f"{edge.target_id in excluded}|{edge.relation}|{edge.reads.value}|"
        + "|".join(graph.node(edge.source_ids[0]).known_entities)
        for edge in graph.edges
        if edge.op is Op.PROJECTION and graph.node(edge.source_ids[0]).known_entities
    )


def _objection(report: CheckReport) -> str:
    if report.shortcuts:
        return report.shortcuts[0].kind
    if not all(search["complete"] for search in report.searched.values()):
        return "search_cut"
    return "other_check"


def grow(
    facts: FactStore, settings: GrowSettings | None = None, *, limits: Limits | None = None
) -> list[GrownQuestion]:
    """Grow questions from facts and return them all; see :class:`Growth` for a run to watch.

    Args:
        facts: The facts with their relation sheet.
        settings: What to grow.
        limits: Bounds of the search for direct paths.
    """
    return list(Growth(facts, settings or GrowSettings(), limits))
