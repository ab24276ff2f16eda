"""Samples questions of a named pattern that are certified: one answer, nothing redundant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graphkit.batch import Plan, Run
from graphkit.entity_set import EntitySet
from graphkit.errors import InputError, did_you_mean
from graphkit.facts import FactStore
from graphkit.grounding import resolve
from graphkit.question import Edge, Node, QuestionGraph
from synthesis.dice import Dice
from synthesis.seeding import SAMPLED, Query, Seeder, anchors_of

__all__ = ["Certified", "Sampler", "sample_certified"]

_PORTION = 128
"""So many proposals are evaluated together."""


@dataclass(frozen=True, slots=True)
class Certified:
    """A question with one answer, of which no part can be left out.

    Attributes:
        pattern: Its pattern: 1p, 2p, 3p, 2i, 3i, ip, pi, 2in, 3in, inp, pin or pni.
        query: ``("a", entity)``, ``("p", code, query)``, ``("i", queries)``, ``("n", query)`` in
            numbers of the store; a code is twice the relation number, plus one for backward.
        answer: The number of its answer.
        facts: The facts.
    """

    pattern: str
    query: Query
    answer: int
    facts: FactStore

    def graph(self) -> QuestionGraph:
        """Return it as a question graph in normal form, with the answer's name."""
        nodes: list[Node] = []
        edges: list[Edge] = []
        root = _write(self.query, self.facts, nodes, edges)
        return QuestionGraph(
            root_node_id=root,
            nodes=tuple(nodes),
            edges=tuple(edges),
            answer=self.facts.name(self.answer),
        )


def _write(query: Query, facts: FactStore, nodes: list[Node], edges: list[Edge]) -> str:
    kind, name = query[0], f"n{len(nodes)}"
    known = (facts.name(query[1]),) if kind == "a" else ()
    nodes.append(Node(node_id=name, known_entities=known, is_root=not nodes))
    if kind == "a":
        return name
    parts = query[1] if kind == "i" else (query[-1],)
    op = {"p": "projection", "i": "intersection", "n": "complement"}[kind]
    edge: dict[str, object] = {"edge_id": f"e{len(nodes)}", "target_id": name, "op": op}
    if kind == "p":
        edge["relation"] = facts.relations[query[1] >> 1]
        edge["direction"] = "backward" if query[1] & 1 else "forward"
    edge["source_ids"] = tuple(_write(part, facts, nodes, edges) for part in parts)
    edges.append(Edge.model_validate(edge))
    return name


def sample_certified(facts: FactStore, pattern: str, count: int, seed: int) -> Iterator[Certified]:
    """Find different questions of a pattern that have one answer and no redundant constraint.

    A question is built backwards from its answer; each further branch is chosen because it cuts
    the candidates that are left, and an excluded branch because it covers them all. What comes
    out of that is evaluated, many at a time, as a whole and with every constraint left out;
    what is not unique and irredundant then is thrown away. The same seed gives the same questions.

    Args:
        facts: The facts.
        pattern: 1p, 2p, 3p, 2i, 3i, ip, pi, 2in, 3in, inp, pin or pni.
        count: How many.
        seed: The seed.

    Returns:
        At most ``count`` questions, as they are found; fewer when thousands of proposals in a row
        led to nothing.

    Raises:
        InputError: There is no such pattern, or it is one with a union: a part of a union can be
            left out of every question that has one answer.

    >>> facts = FactStore.from_triples([
    ...     ("Ada", "wrote", "Notes"), ("Bob", "wrote", "Notes"), ("Ada", "lives in", "Bern"),
    ...     ("Cy", "lives in", "Bern"), ("Bob", "lives in", "Graz"), ("Cy", "wrote", "Odes")])
    >>> found = list(sample_certified(facts, "2i", 3, seed=1))
    >>> {facts.name(item.answer) for item in found} <= {"Ada", "Bob", "Cy"}
    True
    """
    return Sampler(facts, seed).sample(pattern, count)


class Sampler:
    """Samples from one store; counts what it proposed.

    Args:
        facts: The facts.
        seed: The seed.

    Attributes:
        proposed: How many questions were proposed before any evaluation.
        certified: How many of them are unique and irredundant, and were not there before.
    """

    def __init__(self, facts: FactStore, seed: int) -> None:
        self.facts = facts
        self.proposed = 0
        self.certified = 0
        self._seeder = Seeder(facts, Dice(seed))
        self._own_name: dict[int, bool] = {}

    def sample(self, pattern: str, count: int, *, patience: int = 5000) -> Iterator[Certified]:
        """Return certified questions as they are found; see :func:`sample_certified`.

        Args:
            pattern: The pattern.
            count: How many.
            patience: After so many attempts in a row that led to nothing it ends.
        """
        if pattern not in SAMPLED:
            known = "one of " + ", ".join(SAMPLED)
            if pattern in ("2u", "up"):
                known += ": what has one answer needs no union"
            raise InputError(
                f"cannot sample {pattern!r}, expected {known}{did_you_mean(pattern, SAMPLED)}"
            )
        return self._sample(pattern, count, patience)

    def _sample(self, pattern: str, count: int, patience: int) -> Iterator[Certified]:
        seen: set[Query] = set()
        vain = 0
        while len(seen) < count and vain < patience:
            portion: dict[Query, int] = {}
            for _ in range(_PORTION):
                proposal = self._seeder.propose(pattern)
                if proposal is None or not self._named(*proposal):
                    continue
                self.proposed += 1
                portion.setdefault(*proposal)
            vain += _PORTION
            for query, answer in self._certify(portion):
                if query not in seen and len(seen) < count:
                    seen.add(query)
                    vain = 0
                    self.certified += 1
                    yield Certified(pattern, query, answer, self.facts)

    def _named(self, query: Query, answer: int) -> bool:
        """Whether the anchors differ, from the answer too, and their names mean only them."""
        anchors = list(anchors_of(query))
        return (
            len(set(anchors)) == len(anchors)
            and answer not in anchors
            and all(map(self._has_own_name, anchors))
        )

    def _has_own_name(self, entity: int) -> bool:
        known = self._own_name.get(entity)
        if known is None:
            match = resolve(self.facts.name(entity), self.facts)
            known = match is not None and match.entities == (entity,)
            self._own_name[entity] = known
        return known

    def _certify(self, portion: dict[Query, int]) -> Iterator[tuple[Query, int]]:
        """Yield the proposals with one answer that no single deletion leaves alone."""
        plan = Plan(self.facts)
        signed = [(_signed(plan, query), _relaxed(plan, query)) for query in portion]
        run, size = Run(plan), self.facts.size
        for (query, member), (root, relaxed) in zip(portion.items(), signed, strict=True):
            answer = EntitySet.of([member])
            if run.value(root).same_form(answer) and not any(
                run.value(number).equals(answer, size) for number in relaxed
            ):
                yield query, member


def _signed(plan: Plan, query: Query) -> int:
    """Put a query in a plan."""
    kind = query[0]
    if kind == "a":
        return plan.entity(query[1])
    if kind == "p":
        return plan.follow(query[1], _signed(plan, query[2]))
    if kind == "n":
        return _signed(plan, query[1]) ^ 1
    return plan.meet([_signed(plan, part) for part in query[1]])


def _relaxed(plan: Plan, query: Query) -> set[int]:
    """Put a query in a plan once for each of its constraints, without that constraint."""
    kind = query[0]
    if kind == "a":
        return {plan.universe}
    if kind == "p":
        below = _relaxed(plan, query[2])
        return {plan.universe, *(plan.follow(query[1], number) for number in below)}
    if kind == "n":
        return {plan.universe, *(number ^ 1 for number in _relaxed(plan, query[1]))}
    found = set()
    signed = [_signed(plan, part) for part in query[1]]
    for place, part in enumerate(query[1]):
        others = signed[:place] + signed[place + 1 :]
        found.add(plan.meet(others))
        found.update(plan.meet([*others, number]) for number in _relaxed(plan, part))
    return found
