"""On what basis a verdict stands: all facts that matter are known, or only some evidence."""

from __future__ import annotations

import functools
from enum import StrEnum

from graphkit.entity_set import EMPTY, UNIVERSE, EntitySet
from graphkit.facts import FactStore
from graphkit.grounding import Grounding
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["Basis", "basis_of"]


class Basis(StrEnum):
    """How far a verdict can be trusted.

    ``closed``: the relation sheet says that every fact which could change the answers is known.
    ``evidence``: the verdict holds on the evidence at hand. ``ungrounded``: there is none.
    """

    CLOSED = "closed"
    EVIDENCE = "evidence"
    UNGROUNDED = "ungrounded"


def basis_of(graph: QuestionGraph, facts: FactStore, grounding: Grounding) -> Basis:
    """Return the basis of the answers of a graph in normal form.

    A relation that the sheet calls complete can gain no fact. One that it calls complete for
    some heads can gain facts of other heads: the answers are then computed with the fewest and
    with the most such facts, new entities among them, and are closed when both agree. Any other
    relation is open. Names are taken to mean the entities that they mean now.

    Args:
        graph: The graph in normal form.
        facts: The facts, with their relation sheet.
        grounding: How the graph is read on them; nothing unresolved.

    >>> from graphkit.grounding import ground
    >>> from graphkit.question import Node
    >>> from graphkit.relations import RelationSheet
    >>> sheet = RelationSheet.parse("[relations.borders]\\nsymmetric = true\\ncomplete = ['Spain']")
    >>> facts = FactStore.from_triples([("Spain", "borders", "France")], sheet)
    >>> def about(name):
    ...     graph = QuestionGraph(root_node_id="x", nodes=[
    ...         Node(node_id="a", known_entities=[name]), Node(node_id="x")], edges=[
    ...         Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
    ...              relation="borders")])
    ...     return basis_of(graph, facts, ground(graph, facts)).value
    >>> about("Spain"), about("France")
    ('closed', 'evidence')
    """
    complete = [
        facts.sheet.relation(facts.relations[relation.number]).complete
        for relation in grounding.relations.values()
    ]
    if any(known is False for known in complete):
        return Basis.EVIDENCE
    if all(known is True for known in complete):
        return Basis.CLOSED
    fewest: dict[str, EntitySet] = {}
    most: dict[str, EntitySet] = {}
    for node_id in graph.order:
        node = graph.nodes_by_id[node_id]
        low = high = grounding.anchor_set(node_id) if node.known_entities else UNIVERSE
        if node.entity_type is not None:
            typed = facts.of_type(node.entity_type)
            low, high = low & typed, high & ~(EntitySet(facts.universe) & ~typed)
        for edge in graph.incoming[node_id]:
            edge_low, edge_high = _bounds(edge, facts, grounding, fewest, most)
            low, high = low & edge_low, high & edge_high
        fewest[node_id], most[node_id] = low, high
    root = graph.root_node_id
    return Basis.CLOSED if fewest[root].same_form(most[root]) else Basis.EVIDENCE


def _bounds(
    edge: Edge,
    facts: FactStore,
    grounding: Grounding,
    fewest: dict[str, EntitySet],
    most: dict[str, EntitySet],
) -> tuple[EntitySet, EntitySet]:
    low = [fewest[source] for source in edge.source_ids]
    high = [most[source] for source in edge.source_ids]
    if edge.op is Op.COMPLEMENT:
        return ~high[0], ~low[0]
    if edge.op is Op.INTERSECTION:
        return (
            functools.reduce(EntitySet.__and__, low, UNIVERSE),
            functools.reduce(EntitySet.__and__, high, UNIVERSE),
        )
    if edge.op is Op.UNION:
        return (
            functools.reduce(EntitySet.__or__, low, EMPTY),
            functools.reduce(EntitySet.__or__, high, EMPTY),
        )
    relation = grounding.relations[edge.edge_id]
    adjacency = facts.adjacency[relation.number]
    known_low = adjacency.project(low[0], relation.direction)
    known_high = adjacency.project(high[0], relation.direction)
    entry = facts.sheet.relation(facts.relations[relation.number])
    if not isinstance(entry.complete, tuple):
        return known_low, known_high
    gains = _gains(
        high[0], facts.named(*entry.complete), relation.direction, symmetric=entry.symmetric
    )
    return known_low, known_high | gains


def _gains(
    source: EntitySet, listed: EntitySet, direction: Direction, *, symmetric: bool
) -> EntitySet:
    """Return what a projection could lead to besides, when heads not listed gain facts."""
    open_sources = source
    if symmetric or direction is Direction.FORWARD:
        open_sources = source & ~listed
    if not open_sources.complemented and not len(open_sources.ids):
        return EMPTY
    return ~listed if symmetric or direction is Direction.BACKWARD else UNIVERSE
