"""Answers question graphs by compiled SPARQL, in rdflib or pyoxigraph."""

from __future__ import annotations

import importlib.util
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Literal

from graphkit.compile.sparql import to_sparql
from graphkit.errors import SettingsError, did_you_mean
from graphkit.facts import FactStore
from graphkit.formats.rdf_facts_writer import facts_text, facts_to_rdf
from graphkit.formats.rdf_terms import entity_key, require
from graphkit.grounding import Grounding
from graphkit.question import QuestionGraph

__all__ = ["ENGINES", "Engine", "answer_by_sparql", "fastest_engine"]

Engine = Literal["rdflib", "pyoxigraph"]

ENGINES: tuple[Engine, ...] = ("rdflib", "pyoxigraph")
"""The engines that can run compiled SPARQL; rdflib is always there, pyoxigraph is fast."""

Select = Callable[[str], Iterable[str]]
"""Runs a query, and returns the IRIs of its one column."""

_LOADED: weakref.WeakKeyDictionary[FactStore, dict[str, Select]] = weakref.WeakKeyDictionary()
_NAMES: weakref.WeakKeyDictionary[FactStore, dict[str, str]] = weakref.WeakKeyDictionary()


def answer_by_sparql(
    graph: QuestionGraph,
    facts: FactStore,
    engine: Engine = "rdflib",
    *,
    grounding: Grounding | None = None,
    materialize_universe: bool = False,
) -> list[str]:
    """Answer a question graph by SPARQL over the facts in RDF.

    The facts are loaded into the engine once and kept as long as the store lives.

    Args:
        graph: The question graph.
        facts: The facts.
        engine: ``rdflib``, or ``pyoxigraph`` (extra ``rdf``), which is faster by far.
        grounding: How the graph's names are read, if that is known already.
        materialize_universe: As for :func:`graphkit.evaluate.evaluate`.

    Returns:
        The names of the answers, sorted: equal to ``evaluate(graph, facts).names``.

    Raises:
        GroundingError: A name or a relation is not in the facts.
        UnsafeGraphError: The root is a complement, and ``materialize_universe`` is not set.
        UnsupportedError: Nodes are shared so often that the query would be too long.
        DependencyError: pyoxigraph is not installed.
        SettingsError: There is no such engine.

    >>> from graphkit.question import Edge, Node
    >>> facts = FactStore.from_triples([("France", "borders", "Spain")])
    >>> graph = QuestionGraph(root_node_id="n1", nodes=[
    ...     Node(node_id="n0", known_entities=["France"]), Node(node_id="n1")], edges=[
    ...     Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...          relation="borders", direction="forward")])
    >>> answer_by_sparql(graph, facts)
    ['Spain']
    """
    compiled = to_sparql(
        graph, facts, grounding=grounding, materialize_universe=materialize_universe
    )
    names = _names(facts)
    return sorted(names[entity_key(iri)] for iri in _loaded(facts, engine)(compiled.text))


def fastest_engine() -> Engine:
    """Return the fastest engine that is installed."""
    return "rdflib" if importlib.util.find_spec("pyoxigraph") is None else "pyoxigraph"


def _names(facts: FactStore) -> dict[str, str]:
    if facts not in _NAMES:
        numbers = facts.universe.tolist()
        _NAMES[facts] = {facts.entity(number).key: facts.name(number) for number in numbers}
    return _NAMES[facts]


def _loaded(facts: FactStore, engine: str) -> Select:
    opened = _LOADED.setdefault(facts, {})
    if engine not in opened:
        if engine not in _OPENERS:
            raise SettingsError(
                f"no SPARQL engine {engine!r}, expected one of {', '.join(ENGINES)}"
                f"{did_you_mean(engine, ENGINES)}"
            )
        opened[engine] = _OPENERS[engine](facts)
    return opened[engine]


def _open_rdflib(facts: FactStore) -> Select:
    graph = facts_to_rdf(facts)

    def select(text: str) -> Iterable[str]:
        rows: Any = graph.query(text)
        return [str(row[0]) for row in rows]

    return select


def _open_pyoxigraph(facts: FactStore) -> Select:
    try:
        import pyoxigraph
    except ImportError as error:
        raise require("pyoxigraph", "rdf") from error
    store = pyoxigraph.Store()
    store.bulk_load("".join(facts_text(facts)).encode(), format=pyoxigraph.RdfFormat.TURTLE)

    def select(text: str) -> Iterable[str]:
        rows: Any = store.query(text)
        return [row[0].value for row in rows]

    return select


_OPENERS: dict[str, Callable[[FactStore], Select]] = {
    "rdflib": _open_rdflib,
    "pyoxigraph": _open_pyoxigraph,
}
