"""Recorded steps of somebody else's hand: a first question as found, a question written anew."""

from __future__ import annotations

from typing import Any

from graphkit.mutate.model import Mutation, Strategy
from graphkit.question import QuestionGraph

__all__ = ["first_question", "rewrite"]


def first_question(graph: QuestionGraph, *, reason: str, **record: Any) -> Mutation:
    """Return a question that somebody wrote as the first step of a history.

    Args:
        graph: Its graph.
        reason: One sentence: where it comes from.
        **record: Other fields of the :class:`Mutation`.
    """
    return Mutation(
        strategy=Strategy.SEED,
        node_id=graph.root_node_id,
        reason=reason,
        nodes=graph.nodes,
        edges=graph.edges,
        root_node_id=graph.root_node_id,
        answer=graph.answer,
        **record,
    )


def rewrite(before: QuestionGraph, after: QuestionGraph, *, reason: str, **record: Any) -> Mutation:
    """Return the step from a question to one that was written anew, whatever changed.

    It replays like every other mutation, and says openly that no strategy describes it.

    Args:
        before: The graph before.
        after: The graph afterwards; its ids need not have to do with those before.
        reason: One sentence: why.
        **record: Other fields of the :class:`Mutation`.

    >>> from graphkit.mutate.model import apply_mutation
    >>> from graphkit.question import Edge, Node
    >>> def town(name):
    ...     return QuestionGraph(root_node_id="b", answer=name, nodes=[
    ...         Node(node_id="a", known_entities=[name]), Node(node_id="b")], edges=[Edge(
    ...         edge_id="e", source_ids=["a"], target_id="b", op="projection", relation="in")])
    >>> step = rewrite(town("Ulm"), town("Bonn"), reason="It was wrong.")
    >>> [node.known_entities for node in apply_mutation(town("Ulm"), step).nodes]
    [('Bonn',), ()]
    """
    kept = after.nodes_by_id
    return Mutation(
        strategy=Strategy.REWRITE,
        node_id=before.root_node_id,
        reason=reason,
        removed_edges=tuple(edge.edge_id for edge in before.edges),
        removed_nodes=tuple(node.node_id for node in before.nodes if node.node_id not in kept),
        nodes=after.nodes,
        edges=after.edges,
        root_node_id=after.root_node_id,
        answer=after.answer,
        **record,
    )
