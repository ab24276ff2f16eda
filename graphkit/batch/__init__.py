"""Exact evaluation of many questions at once: equal parts once, equal operations together."""

from __future__ import annotations

from collections.abc import Iterable

from graphkit.batch.plan import Plan, grounded_plan, of_question
from graphkit.batch.run import Run
from graphkit.entity_set import EntitySet
from graphkit.errors import Problem, UnsafeGraphError
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph

__all__ = ["Plan", "Run", "evaluate_many"]


def evaluate_many(
    graphs: Iterable[QuestionGraph], facts: FactStore, *, materialize_universe: bool = False
) -> list[EntitySet]:
    """Evaluate many graphs exactly; the answers are those of ``evaluate`` on each.

    Graphs of any structure may be mixed. Parts that several graphs have in common are evaluated
    once, and all operations of one kind that are as far from the anchors in one go. All values
    of all parts are in memory at the end, so give millions of graphs in portions.

    Args:
        graphs: The graphs.
        facts: The facts.
        materialize_universe: Accept roots that are complements, and write their sets out.

    Returns:
        The answers of each graph, in their order; those of one call share their memory.

    Raises:
        GroundingError: Names or relations are not in the store, of all graphs at once.
        UnsafeGraphError: Roots are complements, and ``materialize_universe`` is not set.

    >>> from graphkit.question import Edge, Node
    >>> facts = FactStore.from_triples(
    ...     [("France", "borders", "Spain"), ("Italy", "borders", "France")])
    >>> graphs = [QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["France"]), Node(node_id="x")], edges=[
    ...     Edge(edge_id="e0", source_ids=["a"], target_id="x", op="projection",
    ...          relation="borders", direction=way)]) for way in ("forward", "backward")]
    >>> [facts.names(answers) for answers in evaluate_many(graphs, facts)]
    [['Spain'], ['Italy']]
    """
    every = list(graphs)
    plan, signed = grounded_plan(every, facts)
    roots = [nodes[graph.root_node_id] for graph, nodes in zip(every, signed, strict=True)]
    unsafe = [
        of_question(
            Problem(
                "the answers are the complement of a set (all entities but some); "
                "expected a positive condition beside it",
                code="unsafe_complement",
                subject=f"node {graph.root_node_id}",
            ),
            graph,
            place,
        )
        for place, (graph, root) in enumerate(zip(every, roots, strict=True))
        if root & 1
    ]
    if unsafe and not materialize_universe:
        raise UnsafeGraphError(unsafe)
    answers = Run(plan).values(roots)
    if unsafe:
        return [
            EntitySet(facts.members(found)) if found.complemented else found for found in answers
        ]
    return answers
