"""The recorded mutation: what was done to a graph and why, as a value that can be replayed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from graphkit.errors import MutationError, Problem
from graphkit.question import Edge, Node, QuestionGraph

__all__ = [
    "LOOSENING",
    "TIGHTENING",
    "Mutation",
    "Strategy",
    "apply_mutation",
    "compound",
    "replay_history",
]


class Strategy(StrEnum):
    """What a mutation does; the first three are the strategies A, B and C of EvoBrowseComp, A.4."""

    COMPLEMENT = "Complement"
    INVERSE_PROJECTION = "Inverse Projection"
    INTERSECTION_EXPANSION = "Intersection Expansion"
    PROJECTION_EXTENSION = "Projection Extension"
    DROP_CONSTRAINT = "Drop Constraint"
    WIDEN_ANCHOR = "Widen Anchor"
    LOOSEN_THEN_TIGHTEN = "Loosen, then Tighten"
    SEED = "Seed"
    REWRITE = "Rewrite"


TIGHTENING = frozenset({Strategy.COMPLEMENT, Strategy.INTERSECTION_EXPANSION})
"""Strategies that must make the answers fewer; offered only while there are several."""

LOOSENING = frozenset(
    {Strategy.INVERSE_PROJECTION, Strategy.DROP_CONSTRAINT, Strategy.WIDEN_ANCHOR}
)
"""Strategies that may make the answers more."""


class Mutation(BaseModel):
    """One change of a graph, complete enough to be replayed without the facts.

    Attributes:
        strategy: What was done.
        node_id: The node that it was done to.
        reason: One sentence that says why.
        removed_edges: Ids of edges taken out.
        removed_nodes: Ids of nodes taken out.
        nodes: Nodes put in; one with an id that exists replaces it.
        edges: Edges put in.
        root_node_id: The answer node afterwards, when it changes.
        answer: The declared answer afterwards, when it changes.
        evidence_ids: The evidence that the change rests on.
        position: ``early`` or ``late`` for an intersection expansion.
        answers_before: How many answers the graph had, when that was known.
        answers_after: How many it has afterwards.
        parts: The single mutations of a compound one, in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    strategy: Strategy
    node_id: str
    reason: str
    removed_edges: tuple[str, ...] = ()
    removed_nodes: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    root_node_id: str | None = None
    answer: str | None = None
    evidence_ids: tuple[str, ...] = ()
    position: str | None = None
    answers_before: int | None = None
    answers_after: int | None = None
    parts: tuple[Mutation, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Return the mutation as plain data without empty fields."""
        return self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


def apply_mutation(graph: QuestionGraph, mutation: Mutation) -> QuestionGraph:
    """Return the graph after a mutation; the one given stays as it is.

    Args:
        graph: The graph.
        mutation: The mutation, made for this graph.

    Raises:
        MutationError: The mutation names nodes or edges that the graph does not have, or puts in
            edges that it has already; or it is a seed.
        GraphError: The result would not be a question graph.
    """
    if mutation.parts:
        for part in mutation.parts:
            graph = _apply_one(graph, part)
    else:
        graph = _apply_one(graph, mutation)
    return graph.replace(iteration=(graph.iteration or 0) + 1)


def _stale(graph: QuestionGraph, mutation: Mutation) -> Iterator[str]:
    """Say in which ways a mutation was made for another graph."""
    for kind, names, known in (
        ("edge", mutation.removed_edges, graph.edges_by_id.keys()),
        ("node", (mutation.node_id, *mutation.removed_nodes), graph.nodes_by_id.keys()),
    ):
        for name in dict.fromkeys(names):
            if name not in known:
                yield f"{kind} {name} is not in the graph, expected by the mutation"
    for edge in mutation.edges:
        if edge.edge_id in graph.edges_by_id and edge.edge_id not in mutation.removed_edges:
            yield f"edge {edge.edge_id} is in the graph already, expected to be new"
    if mutation.strategy is Strategy.SEED:
        yield "a seed starts a history, expected a change of a graph"


def _apply_one(graph: QuestionGraph, mutation: Mutation) -> QuestionGraph:
    stale = [
        Problem(message, code="stale", subject=f"mutation {mutation.strategy.value}")
        for message in _stale(graph, mutation)
    ]
    if stale:
        raise MutationError(stale)
    nodes = {
        node.node_id: node for node in graph.nodes if node.node_id not in mutation.removed_nodes
    }
    nodes.update((node.node_id, node) for node in mutation.nodes)
    edges = {
        edge.edge_id: edge for edge in graph.edges if edge.edge_id not in mutation.removed_edges
    }
    edges.update((edge.edge_id, edge) for edge in mutation.edges)
    root = mutation.root_node_id or graph.root_node_id
    return graph.replace(
        root_node_id=root,
        answer=mutation.answer if mutation.answer is not None else graph.answer,
        nodes=tuple(
            node.model_copy(update={"is_root": node.node_id == root})
            if node.is_root != (node.node_id == root)
            else node
            for node in nodes.values()
        ),
        edges=tuple(edges.values()),
    )


def compound(graph: QuestionGraph, loosen: Mutation, tighten: Mutation) -> Mutation:
    """Join a loosening and a tightening mutation into one recorded step.

    Args:
        graph: The graph that ``loosen`` was made for; ``tighten`` was made for its result.
        loosen: A mutation of a loosening strategy.
        tighten: A mutation of a tightening strategy.

    Raises:
        MutationError: The strategies are not of these kinds, or do not fit the graph.
    """
    if loosen.strategy not in LOOSENING or tighten.strategy not in TIGHTENING:
        raise MutationError(
            f"{loosen.strategy.value}, then {tighten.strategy.value} is no compound, "
            "expected a loosening and then a tightening strategy"
        )
    _apply_one(_apply_one(graph, loosen), tighten)
    return Mutation(
        strategy=Strategy.LOOSEN_THEN_TIGHTEN,
        node_id=loosen.node_id,
        reason=_joined(loosen.reason, tighten.reason),
        evidence_ids=tuple(dict.fromkeys((*loosen.evidence_ids, *tighten.evidence_ids))),
        answers_before=loosen.answers_before,
        answers_after=tighten.answers_after,
        parts=(loosen, tighten),
    )


def _joined(first: str, second: str) -> str:
    if not first or not second:
        return first or second
    return f"{first.rstrip('.')}; then {second[0].lower()}{second[1:]}"


def replay_history(history: Iterable[Mutation]) -> list[QuestionGraph]:
    """Return e -> q1 -> q2 ...: the graph after each mutation of a history.

    Args:
        history: The mutations in order; the first is a seed (see
            :func:`graphkit.mutate.strategies.seed_question`).

    Raises:
        MutationError: The first mutation is no seed, or a later one does not fit.
    """
    graphs: list[QuestionGraph] = []
    for mutation in history:
        if not graphs:
            if mutation.strategy is not Strategy.SEED or mutation.root_node_id is None:
                raise MutationError("a history starts with a seed mutation")
            graphs.append(
                QuestionGraph(
                    root_node_id=mutation.root_node_id,
                    answer=mutation.answer,
                    nodes=mutation.nodes,
                    edges=mutation.edges,
                    iteration=1,
                )
            )
        else:
            graphs.append(apply_mutation(graphs[-1], mutation))
    return graphs
