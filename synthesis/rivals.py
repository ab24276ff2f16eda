"""Rival search: what else might fit a question, and how far one has looked for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from graphkit.checks.constraints import Constraint
from graphkit.checks.relax import Relaxer
from graphkit.entity_set import EntitySet
from graphkit.facts import FactStore
from graphkit.normalize import normalize
from graphkit.operations import Op
from graphkit.question import QuestionGraph
from synthesis.agents.guidance import condition_words

__all__ = ["OpenEnd", "Relaxation", "relaxations"]


@dataclass(frozen=True, slots=True, order=True)
class OpenEnd:
    """A place where more facts could bring a rival: all that a relation joins to an entity.

    Attributes:
        entity: The name of the entity.
        relation: The relation.
        direction: ``forward``: the entity is the head of these facts; ``backward``: the tail.
    """

    entity: str
    relation: str
    direction: str

    def to_record(self) -> dict[str, str]:
        """Return it as plain data."""
        return {"entity": self.entity, "relation": self.relation, "direction": self.direction}


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A question without one of its conditions, and what must be known to judge it.

    Attributes:
        constraint: The id of the condition left out; empty for the whole question.
        remaining: The conditions that stay, in words.
        open_ends: Whose facts are wanted completely, sorted.
        cut: Sets that were too large to be followed, by node.
        unbounded: Sets that are everything, or everything but some: without its anchor a hop
            leads from anywhere.
    """

    constraint: str
    remaining: tuple[str, ...]
    open_ends: tuple[OpenEnd, ...]
    cut: tuple[str, ...]
    unbounded: tuple[str, ...] = ()


def relaxations(
    graph: QuestionGraph,
    facts: FactStore,
    *,
    max_members: int = 40,
    asked: Collection[OpenEnd] = (),
    language: str = "en",
) -> Iterator[Relaxation]:
    """Yield the question, then the question without each condition in turn.

    A hop from a set needs the facts of every member of that set: of its anchors, and of the
    candidates on the way, which are more when a condition is left out. Sets larger than
    ``max_members`` and sets that are *all but some* are not followed; they are named, so that the
    record can say how far one has looked.

    Args:
        graph: A question that is grounded on the facts.
        facts: The evidence.
        max_members: The largest set whose members are followed.
        asked: Open ends that were looked up already; they are left out.
        language: The language of the words.
    """
    relaxer = Relaxer(normalize(graph), facts)
    seen = set(asked)
    for constraint in (None, *relaxer.constraints):
        changed = {} if constraint is None else relaxer.changes_without([constraint])
        ends, cut, unbounded = _ends(relaxer, constraint, changed, max_members)
        fresh = tuple(sorted(end for end in ends if end not in seen))
        seen.update(fresh)
        yield Relaxation(
            "" if constraint is None else constraint.id,
            tuple(_remaining(relaxer.graph, constraint, language)),
            fresh,
            cut,
            unbounded,
        )


def _ends(
    relaxer: Relaxer,
    constraint: Constraint | None,
    changed: dict[str, EntitySet],
    max_members: int,
) -> tuple[set[OpenEnd], tuple[str, ...], tuple[str, ...]]:
    facts = relaxer.facts
    found: set[OpenEnd] = set()
    cut: list[str] = []
    unbounded: list[str] = []
    for edge in relaxer.graph.edges:
        if edge.op is not Op.PROJECTION:
            continue
        if constraint is not None and constraint.edge_id == edge.edge_id:
            continue
        source = edge.source_ids[0]
        value = changed.get(source, relaxer.values[source])
        if value.complemented or len(value.ids) > max_members:
            (unbounded if value.complemented else cut).append(source)
            continue
        relation = relaxer.grounding.relations[edge.edge_id]
        found.update(
            OpenEnd(facts.name(number), facts.relations[relation.number], relation.direction.value)
            for number in value.ids.tolist()
        )
    return found, tuple(dict.fromkeys(cut)), tuple(dict.fromkeys(unbounded))


def _remaining(graph: QuestionGraph, constraint: Constraint | None, language: str) -> Iterator[str]:
    for edge in graph.edges:
        if edge.op is not Op.PROJECTION:
            continue
        if constraint is not None and constraint.edge_id == edge.edge_id:
            continue
        names = graph.node(edge.source_ids[0]).known_entities
        dropped = constraint is not None and constraint.source_id == edge.target_id
        if not dropped:
            yield condition_words(edge, names[0] if names else None, language)
