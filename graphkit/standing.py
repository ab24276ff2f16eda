"""Standing questions: their answers are kept right while facts come and go one by one."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphkit.adjacency import Table
from graphkit.batch import Plan, Run
from graphkit.batch.plan import Kind, of_question
from graphkit.entities import Entity, fold
from graphkit.entity_set import EMPTY, EntitySet
from graphkit.errors import GroundingError, Problem, UnsafeGraphError
from graphkit.evidence import LITERAL_TYPES, nfc
from graphkit.facts import FactStore
from graphkit.grounding import ground
from graphkit.question import QuestionGraph

__all__ = ["StandingQuestions", "Update"]

_LOOSE = 2000
"""When so many sources have changed the index of sources is made anew."""


@dataclass(frozen=True, slots=True)
class Update:
    """What a change of the facts made of the questions.

    Attributes:
        rechecked: The places of the questions of which some part was computed again.
        changed: The places of those with other answers than before.
    """

    rechecked: tuple[int, ...]
    changed: tuple[int, ...]


class StandingQuestions:
    """The answers of many questions, kept up to date.

    A fact concerns a projection only if the end that it starts from is in the source set; an
    index from relation, direction and entity to projections finds those. They are computed again,
    then what depends on them, as far as anything changes.

    Args:
        graphs: The questions.
        facts: The facts.

    Attributes:
        graphs: The questions.
        facts: The facts as they are now.
        answers: The answers of each question; None where the facts do not have its names or
            relations now.

    Raises:
        UnsafeGraphError: The answers of a question are a complement.

    >>> from graphkit.question import Edge, Node
    >>> facts = FactStore.from_triples([("France", "borders", "Spain")])
    >>> graph = QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["France"]), Node(node_id="x")], edges=[
    ...     Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
    ...          relation="borders")])
    >>> standing = StandingQuestions([graph], facts)
    >>> standing.update(facts.with_fact("France", "borders", "Italy")).changed
    (0,)
    >>> standing.facts.names(standing.answers[0])
    ['Italy', 'Spain']
    """

    def __init__(self, graphs: Iterable[QuestionGraph], facts: FactStore) -> None:
        self.graphs = tuple(graphs)
        self.facts = facts
        self.answers: list[EntitySet | None] = []
        self._named: dict[str, set[int]] = {}
        for place, graph in enumerate(self.graphs):
            for node in graph.anchors:
                for name in node.known_entities:
                    self._named.setdefault(fold(nfc(name)), set()).add(place)
        self._plan_all()

    # ---- planning -----------------------------------------------------------------------------

    def _plan_all(self) -> None:
        self._plan = Plan(self.facts)
        self._roots: list[int | None] = []
        unsafe: list[Problem] = []
        for place, graph in enumerate(self.graphs):
            root = self._root(graph)
            if root is not None and root & 1:
                problem = Problem(
                    "the answers are the complement of a set (all entities but some); "
                    "expected a positive condition beside it",
                    code="unsafe_complement",
                    subject=f"node {graph.root_node_id}",
                )
                unsafe.append(of_question(problem, graph, place))
            self._roots.append(root)
        if unsafe:
            raise UnsafeGraphError(unsafe)
        run = Run(self._plan)
        self._values = run.values(list(range(0, 2 * len(self._plan.expressions), 2)))
        self._uses: list[list[int]] = [[] for _ in self._values]
        self._asked: list[set[int]] = [set() for _ in self._values]
        for number in range(len(self._values)):
            for part in self._parts(number):
                self._uses[part].append(number)
        for place, root in enumerate(self._roots):
            if root is not None:
                self._asked[root >> 1].add(place)
        self.answers = [None if root is None else self._values[root >> 1] for root in self._roots]
        self._index(run)

    def _root(self, graph: QuestionGraph) -> int | None:
        try:
            return self._plan.add(graph)[graph.root_node_id]
        except GroundingError:
            return None  # said by answers: None

    def _parts(self, number: int) -> tuple[int, ...]:
        kind, *rest = self._plan.expressions[number]
        if kind == Kind.SET:
            return ()
        signed = rest if kind == Kind.JOIN else rest[1:]  # after a code, or after a count
        return tuple(part >> 1 for part in signed)

    def _index(self, run: Run) -> None:
        """Index all projections by code and member of the source."""
        follows, codes, sources = [], [], []
        self._loose: dict[int, dict[int, None]] = {}
        for number, (kind, *rest) in enumerate(self._plan.expressions):
            if kind != Kind.FOLLOW:
                continue
            if rest[1] & 1:
                self._loose.setdefault(rest[0], {})[number] = None
                continue
            follows.append(number)
            codes.append(rest[0])
            sources.append(rest[1] >> 1)
        members = run.gathered(np.array(sources, dtype=np.int64))
        keys = np.repeat(np.array(codes, dtype=np.int64) << 32, members.sizes) | members.values
        order = np.argsort(keys, kind="stable")
        self._keys: npt.NDArray[np.int64] = keys[order]
        self._owners = np.repeat(np.array(follows, dtype=np.int64), members.sizes)[order]
        self._moved = 0

    # ---- changes ------------------------------------------------------------------------------

    def update(self, facts: FactStore) -> Update:
        """Take in changed facts.

        Args:
            facts: The store, best one change away from the one before, as the methods of
                :class:`graphkit.facts.FactStore` make it; any other makes all questions be
                evaluated anew.

        Returns:
            What was computed again, and what changed.
        """
        delta = facts.delta
        before = self.facts
        if facts is before:
            return Update((), ())
        if delta is None or facts.parent is not before or self._moved > _LOOSE:
            return self._anew(facts)
        known = len(before.adjacency)
        had = delta.relation < known and len(before.adjacency[delta.relation]) > 0
        if had != (len(facts.adjacency[delta.relation]) > 0):  # relations may be read otherwise
            return self._anew(facts)
        self.facts = self._plan.facts = facts
        old = {}
        if delta.entities_changed:
            old = self._renamed(before)
        touched = self._touched(delta.relation, (*delta.added, *delta.removed))
        rechecked = set(old)
        changed: set[int] = set()
        if delta.entities_changed:
            touched |= self._retyped()
        for number in touched:
            rechecked.update(self._above(number))
        queue = sorted(touched)
        while queue:
            number = heapq.heappop(queue)
            while queue and queue[0] == number:
                heapq.heappop(queue)
            value = self._value(number)
            if value.same_form(self._values[number]):
                continue
            self._values[number] = value
            self._move(number)
            for use in self._uses[number]:
                heapq.heappush(queue, use)
            for place in self._asked[number]:
                if place not in old:
                    changed.add(place)
                self.answers[place] = value
        for place, answers in old.items():
            if not _same(answers, self.answers[place]):
                changed.add(place)
        return Update(tuple(sorted(rechecked)), tuple(sorted(changed)))

    def _anew(self, facts: FactStore) -> Update:
        before, answers = self.facts, self.answers
        self.facts = facts
        self._plan_all()
        renumbered = facts.entities[: len(before.entities)] != before.entities
        changed = tuple(
            place
            for place, (old, new) in enumerate(zip(answers, self.answers, strict=True))
            if (_keys(old, before) != _keys(new, facts) if renumbered else not _same(old, new))
        )
        return Update(tuple(range(len(self.graphs))), changed)

    def _touched(self, relation: int, pairs: Iterable[tuple[int, int]]) -> set[int]:
        """Return the projections that facts of a relation can concern."""
        found: set[int] = set()
        for pair in pairs:
            for turn, member in enumerate(pair):
                code = 2 * relation + turn
                key = code << 32 | member
                low, high = self._keys.searchsorted((key, key + 1))
                found.update(self._owners[low:high].tolist())
                found.update(
                    number
                    for number in self._loose.get(code, ())
                    if member in self._signed(self._plan.expressions[number][2])
                )
        return found

    def _signed(self, signed: int) -> EntitySet:
        value = self._values[signed >> 1]
        return ~value if signed & 1 else value

    def _move(self, number: int) -> None:
        """Note that the projections from a set are no longer found by the index alone."""
        for use in self._uses[number]:
            kind, *rest = self._plan.expressions[use]
            if kind == Kind.FOLLOW:
                loose = self._loose.setdefault(rest[0], {})
                self._moved += use not in loose
                loose[use] = None

    def _above(self, number: int) -> Iterator[int]:
        """Yield the questions that an expression is a part of."""
        seen = {number}
        stack = [number]
        while stack:
            current = stack.pop()
            yield from self._asked[current]
            for use in self._uses[current]:
                if use not in seen:
                    seen.add(use)
                    stack.append(use)

    def _value(self, number: int) -> EntitySet:
        """Compute an expression from its parts."""
        kind, *rest = self._plan.expressions[number]
        if kind == Kind.SET:
            return self._plan.sets[number]
        if kind == Kind.FOLLOW:
            adjacency = self.facts.adjacency[rest[0] >> 1]
            table: Table = adjacency.backward if rest[0] & 1 else adjacency.forward
            return EntitySet(table.expand(self._signed(rest[1])))
        if kind == Kind.JOIN:
            value = EMPTY
            for part in rest:
                value = value | self._values[part >> 1]
            return value
        wanted, away = rest[1 : rest[0] + 1], rest[rest[0] + 1 :]
        first, *others = sorted((self._values[part >> 1] for part in wanted), key=_size)
        for other in others:
            first = first & other
        for part in away:
            first = first & ~self._values[part >> 1]
        return first

    # ---- names and types ----------------------------------------------------------------------

    def _renamed(self, before: FactStore) -> dict[int, EntitySet | None]:
        """Read the questions anew whose names may mean other entities; return their old answers."""
        places: set[int] = set()
        for number in _came_or_went(before, self.facts):
            entity = self.facts.entity(number)
            if entity.type in LITERAL_TYPES:  # a number or date is found by many spellings
                places.update(range(len(self.graphs)))
            for name in _names(entity, self.facts.aliases.get(number, ())):
                places.update(self._named.get(fold(name), ()))
        old = {place: self.answers[place] for place in sorted(places)}
        for place in old:
            self._read_again(place)
        return old

    def _read_again(self, place: int) -> None:
        graph, root = self.graphs[place], self._roots[place]
        if root is not None:
            self._asked[root >> 1].discard(place)
        try:
            root = self._plan.add(graph, ground(graph, self.facts))[graph.root_node_id]
        except GroundingError:
            root = None  # said by answers: None
        for number in range(len(self._values), len(self._plan.expressions)):
            self._uses.append([])
            self._asked.append(set())
            self._values.append(self._value(number))
            for part in self._parts(number):
                self._uses[part].append(number)
                self._move(part)
        self._roots[place] = root
        self.answers[place] = None if root is None else self._values[root >> 1]
        if root is not None:
            self._asked[root >> 1].add(place)

    def _retyped(self) -> set[int]:
        """Return the sets of types that have other members now."""
        found = set()
        for kind, number in self._plan.types.items():
            members = self.facts.of_type(kind)
            if not members.same_form(self._plan.sets[number]):
                self._plan.sets[number] = members
                found.add(number)
        return found


def _size(value: EntitySet) -> int:
    return len(value.ids)


def _same(left: EntitySet | None, right: EntitySet | None) -> bool:
    if left is None or right is None:
        return left is right
    return left.same_form(right)


def _keys(value: EntitySet | None, facts: FactStore) -> set[str] | None:
    return None if value is None else {facts.entity(number).key for number in value.ids.tolist()}


def _came_or_went(before: FactStore, after: FactStore) -> set[int]:
    """Return the entities that some fact holds in one of two stores, one change apart, only."""
    delta = after.delta
    pairs = () if delta is None else (*delta.added, *delta.removed)
    ends = {end for pair in pairs for end in pair}
    known = len(before.entities)
    return {end for end in ends if (end < known and before.alive(end)) != after.alive(end)}


def _names(entity: Entity, aliases: tuple[str, ...]) -> Iterator[str]:
    yield from (entity.name, entity.text, *aliases)
    if entity.id is not None:
        yield entity.id
