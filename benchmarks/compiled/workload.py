"""Questions of the 14 patterns over a fact store, grown backwards from an answer, from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from graphkit.entity_set import EntitySet
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.patterns import PATTERNS, signature
from graphkit.question import Edge, Node, QuestionGraph

__all__ = ["PATTERN_NAMES", "Workload"]

PATTERN_NAMES = tuple(PATTERNS.values())

# Each pattern as a nested tuple: p(x) a hop, i and u combinations, n an exclusion, a an anchor.
_SHAPES = {
    "1p": ("p", "a"),
    "2p": ("p", ("p", "a")),
    "3p": ("p", ("p", ("p", "a"))),
    "2i": ("i", ("p", "a"), ("p", "a")),
    "3i": ("i", ("p", "a"), ("p", "a"), ("p", "a")),
    "ip": ("p", ("i", ("p", "a"), ("p", "a"))),
    "pi": ("i", ("p", ("p", "a")), ("p", "a")),
    "2in": ("i", ("p", "a"), ("n", ("p", "a"))),
    "3in": ("i", ("p", "a"), ("p", "a"), ("n", ("p", "a"))),
    "inp": ("p", ("i", ("p", "a"), ("n", ("p", "a")))),
    "pin": ("i", ("p", ("p", "a")), ("n", ("p", "a"))),
    "pni": ("i", ("p", "a"), ("n", ("p", ("p", "a")))),
    "2u": ("u", ("p", "a"), ("p", "a")),
    "up": ("p", ("u", ("p", "a"), ("p", "a"))),
}


class Workload:
    """Draws questions: each hop takes a relation of an entity at random, then one of its facts.

    Relations are read in both directions, as in the query sets of BetaE, which is what makes
    hops meet hubs. What is excluded is grown from another entity.
    """

    def __init__(self, facts: FactStore, seed: int) -> None:
        self._facts = facts
        self._random = random.Random(seed)
        self._hops: dict[int, list[tuple[int, Direction]]] = {}
        for relation, adjacency in enumerate(facts.adjacency):
            heads, tails = adjacency.pairs
            for ids, way in ((tails, Direction.FORWARD), (heads, Direction.BACKWARD)):
                for number in np.unique(ids).tolist():
                    self._hops.setdefault(number, []).append((relation, way))
        self._entities = sorted(self._hops)
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []

    def questions(self, pattern: str, count: int) -> Iterator[QuestionGraph]:
        """Yield questions of a pattern that have answers.

        Args:
            pattern: One of :data:`PATTERN_NAMES`.
            count: How many.
        """
        while count:
            self._nodes, self._edges = [], []
            root = self._grown(_SHAPES[pattern], self._random.choice(self._entities))
            graph = QuestionGraph(
                root_node_id=root, nodes=tuple(self._nodes), edges=tuple(self._edges)
            )
            if signature(graph) == pattern and evaluate(graph, self._facts).count:
                count -= 1
                yield graph

    def _grown(self, shape: object, entity: int) -> str:
        """Add the nodes of a shape whose set holds an entity; return its node."""
        if shape == "a":
            return self._node(self._facts.name(entity))
        assert isinstance(shape, tuple)
        op, *parts = shape
        if op == "p":
            relation, way = self._random.choice(self._hops[entity])
            one = EntitySet.of([entity])
            around = self._facts.adjacency[relation].project(one, way.reverse).ids.tolist()
            source = self._grown(parts[0], self._random.choice(around))
            return self._edge(Op.PROJECTION, source, relation=relation, way=way)
        if op == "n":
            other = self._random.choice(self._entities)
            return self._edge(Op.COMPLEMENT, self._grown(parts[0], other))
        ends = [self._grown(part, entity) for part in parts]
        return self._edge(Op.INTERSECTION if op == "i" else Op.UNION, *ends)

    def _node(self, *names: str) -> str:
        self._nodes.append(Node(node_id=f"n{len(self._nodes)}", known_entities=names))
        return self._nodes[-1].node_id

    def _edge(
        self, op: Op, *sources: str, relation: int | None = None, way: Direction | None = None
    ) -> str:
        target = self._node()
        self._edges.append(
            Edge(
                edge_id=f"e{len(self._edges)}",
                source_ids=sources,
                target_id=target,
                op=op,
                relation=None if relation is None else self._facts.relations[relation],
                direction=way,
            )
        )
        return target
