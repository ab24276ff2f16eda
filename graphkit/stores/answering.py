"""Answers question graphs inside a store, with compiled Cypher."""

from __future__ import annotations

from graphkit.compile.cypher import to_cypher
from graphkit.facts import FactStore
from graphkit.grounding import Grounding
from graphkit.question import QuestionGraph
from graphkit.stores.base import Queries
from graphkit.stores.reading import read_facts

__all__ = ["answer_in_store"]


def answer_in_store(
    store: Queries,
    graph: QuestionGraph,
    facts: FactStore | None = None,
    *,
    grounding: Grounding | None = None,
    materialize_universe: bool = False,
    timeout: float | None = None,
) -> list[str]:
    """Answer a question graph by Cypher over the facts of a store.

    Args:
        store: The store, with the facts loaded.
        graph: The question graph.
        facts: The same facts in memory, to find names in; by default they are read from the store.
        grounding: How the graph's names are read, if that is known already.
        materialize_universe: As for :func:`graphkit.evaluate.evaluate`.
        timeout: The most seconds to take.

    Returns:
        The names of the answers, sorted: equal to ``evaluate(graph, facts).names``.

    Raises:
        GroundingError: A name or a relation is not in the facts.
        UnsafeGraphError: The root is a complement, and ``materialize_universe`` is not set.
        QueryError: It took too long.
    """
    facts = read_facts(store) if facts is None else facts
    compiled = to_cypher(
        graph, facts, grounding=grounding, materialize_universe=materialize_universe
    )
    return sorted(store.read(compiled.text, compiled.params, timeout=timeout).column("name"))
