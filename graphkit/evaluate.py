"""Exact evaluation of a question graph on a fact store, plain and incremental."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from graphkit.entity_set import EMPTY, UNIVERSE, EntitySet
from graphkit.errors import Problem, UnsafeGraphError
from graphkit.facts import FactStore
from graphkit.grounding import Grounding, ground
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["Evaluation", "edge_value", "evaluate", "node_values", "reevaluate"]


@dataclass(frozen=True)
class Evaluation:
    """The values of all nodes of a graph on a fact store.

    Attributes:
        graph: The graph, as it was given.
        facts: The fact store.
        grounding: How names and relations were read.
        values: Node id -> its set.
        recomputed: The nodes that were computed and not taken over from an earlier evaluation.
        materialized: Whether the answers were a complement that was written out.
    """

    graph: QuestionGraph
    facts: FactStore
    grounding: Grounding
    values: Mapping[str, EntitySet]
    recomputed: frozenset[str]
    materialized: bool = False

    @functools.cached_property
    def answers(self) -> EntitySet:
        """The value of the root, exact."""
        return self.values[self.graph.root_node_id]

    @property
    def safe(self) -> bool:
        """Whether the answers are an ordinary set and not the complement of one."""
        return not self.answers.complemented

    @property
    def count(self) -> int:
        """How many answers there are."""
        return self.answers.size(self.facts.size)

    @functools.cached_property
    def names(self) -> list[str]:
        """The names of the answers, sorted."""
        return self.facts.names(self.answers)

    def size(self, node_id: str) -> int:
        """How many entities the set of a node has."""
        return self.values[node_id].size(self.facts.size)


def evaluate(
    graph: QuestionGraph,
    facts: FactStore,
    *,
    grounding: Grounding | None = None,
    materialize_universe: bool = False,
) -> Evaluation:
    """Evaluate a graph exactly: no limit, nothing approximated.

    Args:
        graph: The graph, in normal form or not.
        facts: The facts.
        grounding: How its names are read, if that is known already.
        materialize_universe: Accept a root that is a complement, and write its set out.

    Raises:
        GroundingError: A name or a relation is not in the store.
        UnsafeGraphError: The root is a complement, and ``materialize_universe`` is not set.

    >>> from graphkit.question import Edge, Node, QuestionGraph
    >>> facts = FactStore.from_triples(
    ...     [("France", "borders", "Spain"), ("Italy", "borders", "France")])
    >>> graph = QuestionGraph(root_node_id="n1", nodes=[
    ...     Node(node_id="n0", known_entities=["France"]), Node(node_id="n1")], edges=[
    ...     Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...          relation="borders", direction="backward")])
    >>> evaluate(graph, facts).names
    ['Italy']
    """
    grounding = grounding or ground(graph, facts)
    values = node_values(graph, facts, grounding)
    return _finish(
        graph,
        facts,
        grounding,
        values,
        frozenset(values),
        materialize_universe=materialize_universe,
    )


def node_values(
    graph: QuestionGraph, facts: FactStore, grounding: Grounding
) -> dict[str, EntitySet]:
    """Return the value of every node, complements kept symbolic, the root's too."""
    values: dict[str, EntitySet] = {}
    for node_id in graph.order:
        values[node_id] = _node_value(graph, facts, grounding, node_id, values)
    return values


def _finish(
    graph: QuestionGraph,
    facts: FactStore,
    grounding: Grounding,
    values: dict[str, EntitySet],
    recomputed: frozenset[str],
    *,
    materialize_universe: bool,
) -> Evaluation:
    root = values[graph.root_node_id]
    materialized = root.complemented
    if materialized:
        if not materialize_universe:
            raise UnsafeGraphError(
                Problem(
                    "the answers are the complement of a set (all entities but some); "
                    "expected a positive condition beside it",
                    code="unsafe_complement",
                    subject=f"node {graph.root_node_id}",
                )
            )
        values = {**values, graph.root_node_id: EntitySet(facts.members(root))}
    return Evaluation(graph, facts, grounding, values, recomputed, materialized)


def _node_value(
    graph: QuestionGraph,
    facts: FactStore,
    grounding: Grounding,
    node_id: str,
    values: Mapping[str, EntitySet],
) -> EntitySet:
    node = graph.nodes_by_id[node_id]
    value = UNIVERSE
    if node.known_entities:
        value = grounding.anchor_set(node_id)
    if node.entity_type is not None:
        value = value & facts.of_type(node.entity_type)
    for edge in graph.incoming[node_id]:
        value = value & edge_value(edge, facts, grounding, values)
    return value


def edge_value(
    edge: Edge, facts: FactStore, grounding: Grounding, values: Mapping[str, EntitySet]
) -> EntitySet:
    """Return the value of one edge, given those of its sources."""
    if edge.op is Op.PROJECTION:
        relation = grounding.relations[edge.edge_id]
        return facts.adjacency[relation.number].project(
            values[edge.source_ids[0]], relation.direction
        )
    if edge.op is Op.COMPLEMENT:
        return ~values[edge.source_ids[0]]
    sources = sorted((values[source] for source in edge.source_ids), key=_cost)
    if edge.op is Op.UNION:
        return functools.reduce(EntitySet.__or__, sources, EMPTY)
    return functools.reduce(EntitySet.__and__, sources, UNIVERSE)


def _cost(value: EntitySet) -> tuple[bool, int]:
    return value.complemented, len(value.ids)


def reevaluate(
    previous: Evaluation,
    *,
    graph: QuestionGraph | None = None,
    facts: FactStore | None = None,
    materialize_universe: bool = False,
) -> Evaluation:
    """Evaluate a changed graph or a changed store, computing only what depends on the change.

    The result equals a fresh evaluation; ``recomputed`` says what was computed anew. A store that
    is one change away from the earlier one (see :meth:`FactStore.with_fact`) is compared fact by
    fact; any other store is evaluated afresh.

    Args:
        previous: The evaluation to start from.
        graph: The changed graph; by default the same.
        facts: The changed store; by default the same.
        materialize_universe: As for :func:`evaluate`.
    """
    new_graph = previous.graph if graph is None else graph
    new_facts = previous.facts if facts is None else facts
    related = new_facts is previous.facts or new_facts.parent is previous.facts
    if not related:
        return evaluate(new_graph, new_facts, materialize_universe=materialize_universe)
    grounding = previous.grounding
    if new_graph is not previous.graph or new_facts is not previous.facts:
        grounding = ground(new_graph, new_facts)
    values: dict[str, EntitySet] = {}
    recomputed: set[str] = set()
    for node_id in new_graph.order:
        if _still_valid(previous, new_graph, new_facts, grounding, node_id, values):
            values[node_id] = previous.values[node_id]
            continue
        recomputed.add(node_id)
        value = _node_value(new_graph, new_facts, grounding, node_id, values)
        before = previous.values.get(node_id)
        values[node_id] = before if before is not None and before.same_form(value) else value
    return _finish(
        new_graph,
        new_facts,
        grounding,
        values,
        frozenset(recomputed),
        materialize_universe=materialize_universe,
    )


def _still_valid(
    previous: Evaluation,
    graph: QuestionGraph,
    facts: FactStore,
    grounding: Grounding,
    node_id: str,
    values: Mapping[str, EntitySet],
) -> bool:
    """Whether the earlier value of a node must still be right, given those of its sources."""
    old_node = previous.graph.nodes_by_id.get(node_id)
    node = graph.nodes_by_id[node_id]
    if node_id not in previous.values or old_node is None:
        return False
    if previous.materialized and previous.graph.root_node_id == node_id:
        return False
    if grounding.anchors.get(node_id) != previous.grounding.anchors.get(node_id):
        return False
    if node.entity_type != old_node.entity_type:
        return False
    if node.entity_type is not None and facts is not previous.facts:
        old_type = previous.facts.of_type(node.entity_type)
        if not facts.of_type(node.entity_type).same_form(old_type):
            return False
    edges, old_edges = graph.incoming[node_id], previous.graph.incoming[node_id]
    if len(edges) != len(old_edges):
        return False
    for edge, old_edge in zip(edges, old_edges, strict=True):
        if (edge.op, edge.source_ids) != (old_edge.op, old_edge.source_ids):
            return False
        if any(values[source] is not previous.values.get(source) for source in edge.source_ids):
            return False
        if edge.op is Op.PROJECTION:
            relation = grounding.relations[edge.edge_id]
            old = previous.grounding.relations[old_edge.edge_id]
            if (relation.number, relation.direction) != (old.number, old.direction):
                return False
            if _touches(
                facts,
                previous.facts,
                relation.number,
                relation.direction,
                values[edge.source_ids[0]],
            ):
                return False
    return True


def _touches(
    facts: FactStore, old: FactStore, relation: int, direction: Direction, source: EntitySet
) -> bool:
    """Whether the change between two stores can reach the projection of a set."""
    delta = facts.delta
    if facts is old or delta is None or delta.relation != relation:
        return False
    end = 0 if direction is Direction.FORWARD else 1
    return any(pair[end] in source for pair in (*delta.added, *delta.removed))
