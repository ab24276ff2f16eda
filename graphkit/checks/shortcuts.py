"""Shortcuts: ways to the answer that skip part of the question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphkit.adjacency import Adjacency
from graphkit.checks.paths import PathSearch, path_index
from graphkit.checks.relax import Relaxer
from graphkit.entity_set import EntitySet, Ids
from graphkit.facts import Fact, FactStore
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph

__all__ = ["DirectPathSearch", "Shortcut", "adjacent_facts", "direct_paths", "positive_distances"]


@dataclass(frozen=True, slots=True)
class Shortcut:
    """One shortcut with its certificate.

    Attributes:
        kind: ``pinning_subgraph``, ``direct_path``, ``adjacent`` or ``text_leak``.
        size: Constraints that remain, hops of the path, facts, or characters.
        certificate: What shows it: ``constraints``, ``path`` or ``span``.
    """

    kind: str
    size: int
    certificate: dict[str, Any]

    def to_record(self) -> dict[str, Any]:
        """Return the shortcut as plain data."""
        return {"kind": self.kind, **self.certificate, "size": self.size}


@dataclass(frozen=True, slots=True)
class DirectPathSearch:
    """How far the search for direct paths went.

    Attributes:
        found: The direct paths, at most one an anchor.
        max_length: The longest path looked for.
        max_fan_out: The largest set followed.
        complete: Whether no bound cut the search.
    """

    found: tuple[Shortcut, ...]
    max_length: int
    max_fan_out: int
    complete: bool


def positive_distances(graph: QuestionGraph) -> dict[str, int]:
    """Return for each anchor that counts positively its distance from the root in projections.

    An anchor is positive when some way from it to the root passes an even number of complements;
    its distance is the smallest number of projections on such a way.
    """
    best: dict[tuple[str, bool], int] = {(graph.root_node_id, False): 0}
    for node_id in reversed(graph.order):
        for negated in (False, True):
            here = best.get((node_id, negated))
            if here is None:
                continue
            for edge in graph.incoming[node_id]:
                place_negated = negated != (edge.op is Op.COMPLEMENT)
                length = here + (edge.op is Op.PROJECTION)
                for source in edge.source_ids:
                    place = (source, place_negated)
                    best[place] = min(best.get(place, length), length)
    return {
        node.node_id: best[node.node_id, False]
        for node in graph.anchors
        if (node.node_id, False) in best
    }


def direct_paths(
    relaxer: Relaxer, *, max_length: int, max_fan_out: int, max_sets: int
) -> DirectPathSearch:
    """Look for a relation path from an anchor straight to the answers.

    For every positive anchor at distance d of two or more the paths of length 1 to d - 1 are
    followed over all relations in both directions, with full fan-out; one whose value equals the
    answers is a shortcut.

    Args:
        relaxer: The question on its facts, with an ordinary set of answers.
        max_length: No longer paths are tried.
        max_fan_out: No larger sets are followed.
        max_sets: After this many sets an anchor is given up.
    """
    found: list[Shortcut] = []
    complete = True
    longest = 0
    for node_id, distance in positive_distances(relaxer.graph).items():
        if distance < 2:
            continue
        length = min(distance - 1, max_length)
        complete = complete and length == distance - 1
        longest = max(longest, length)
        start = relaxer.grounding.anchor_set(node_id).ids
        search = PathSearch(relaxer.facts, relaxer.answers.ids, max_fan_out, max_sets)
        path = search.find(start, length)
        complete = complete and (search.complete or path is not None)
        if path is not None:
            steps = [
                {"relation": relaxer.facts.relations[number], "direction": direction.value}
                for number, direction in path
            ]
            found.append(Shortcut("direct_path", len(path), {"anchor": node_id, "path": steps}))
    return DirectPathSearch(tuple(found), longest, max_fan_out, complete)


def adjacent_facts(relaxer: Relaxer) -> list[Shortcut]:
    """Return a fact for each positive anchor, two or more hops away, that touches an answer."""
    facts = relaxer.facts
    found = []
    for node_id, distance in positive_distances(relaxer.graph).items():
        if distance < 2:
            continue
        start = relaxer.grounding.anchor_set(node_id)
        fact = next(_touching(facts, start, relaxer.answers.ids), None)
        if fact is not None:
            head, relation, tail = facts.in_names(fact)
            step = {"head": head, "relation": relation, "tail": tail}
            found.append(Shortcut("adjacent", 1, {"anchor": node_id, "path": [step]}))
    return found


def _touching(facts: FactStore, anchors: EntitySet, answers: Ids) -> Iterator[Fact]:
    index = path_index(facts)
    for code in np.intersect1d(index.codes(anchors.ids), index.codes(answers) ^ 1).tolist():
        adjacency = facts.adjacency[code >> 1]
        direction = Direction.BACKWARD if code & 1 else Direction.FORWARD
        met = adjacency.project(anchors, direction) & EntitySet(answers)
        for answer in met.ids.tolist():
            yield _fact(adjacency, code >> 1, direction, anchors, answer)


def _fact(
    adjacency: Adjacency, relation: int, direction: Direction, anchors: EntitySet, answer: int
) -> Fact:
    near = adjacency.project(EntitySet.of([answer]), direction.reverse) & anchors
    anchor = int(near.ids[0])
    if direction is Direction.FORWARD:
        return Fact(anchor, relation, answer)
    return Fact(answer, relation, anchor)
