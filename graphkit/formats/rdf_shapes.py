"""Checks question graphs in RDF against SHACL shapes that mirror the structural rules; optional."""

from __future__ import annotations

import functools
import warnings
from importlib import resources
from typing import TYPE_CHECKING, Any

from graphkit.errors import Problem
from graphkit.formats.rdf_terms import require, unminted

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = ["SHAPES", "shapes_graph", "validate_rdf", "vocabulary_graph"]

SHAPES = "urn:graphkit:shapes#"
"""The namespace of the shapes; each is called after the code of the error that it mirrors."""

_SH = "http://www.w3.org/ns/shacl#"


@functools.cache
def _bundled(name: str) -> Graph:
    import rdflib

    text = resources.files("graphkit.formats").joinpath(name).read_text("utf-8")
    return rdflib.Graph().parse(data=text, format="turtle")


def shapes_graph() -> Graph:
    """Return the shapes of question graphs, ``shapes.ttl``."""
    return _bundled("shapes.ttl")


def vocabulary_graph() -> Graph:
    """Return the vocabulary, ``vocabulary.ttl``."""
    return _bundled("vocabulary.ttl")


def validate_rdf(graph: Graph) -> tuple[Problem, ...]:
    """Check all questions in an rdflib graph or dataset against the shapes.

    The reader checks the same rules and more; the shapes are for those who write or change
    question graphs with RDF tools.

    Args:
        graph: The graph; a dataset is taken as the union of its graphs.

    Returns:
        Every violation, with the code of the rule (``cycle``, ``sources``, ...) and the node,
        edge or question as its subject; empty when all is well.

    Raises:
        DependencyError: pyshacl is not installed.
    """
    try:
        with warnings.catch_warnings():  # pyshacl and what it brings along use old names
            warnings.simplefilter("ignore")
            import pyshacl
    except ImportError as error:
        raise require("pyshacl", "rdf") from error
    shapes = shapes_graph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, results, _ = pyshacl.validate(_flat(graph), shacl_graph=shapes, inplace=True)
    found = {
        _problem(result, results, shapes)
        for result in results.subjects(_uri(_SH + "focusNode"), None)
    }
    return tuple(sorted(found, key=lambda problem: (problem.subject or "", str(problem))))


def _flat(graph: Graph) -> Graph:
    """Return one graph with the statements of all graphs of a dataset."""
    import rdflib

    flat = rdflib.Graph()
    quads = getattr(graph, "quads", None)
    for subject, predicate, term, *_ in graph if quads is None else quads():
        flat.add((subject, predicate, term))
    return flat


def _uri(iri: str) -> Any:
    from rdflib import URIRef

    return URIRef(iri)


def _problem(result: Any, results: Graph, shapes: Graph) -> Problem:
    shape = results.value(result, _uri(_SH + "sourceShape"))
    outer = shapes.value(None, _uri(_SH + "property"), shape) or shape
    focus = str(results.value(result, _uri(_SH + "focusNode")))
    value = str(results.value(result, _uri(_SH + "value")))
    if value.startswith(("urn:graphkit:", "http")) and shape == outer:
        focus = value
    messages = sorted(str(text) for text in results.objects(result, _uri(_SH + "resultMessage")))
    return Problem(
        (messages or ["breaks the shape"])[0],
        code=str(outer).removeprefix(SHAPES),
        subject=_called(focus),
    )


def _called(iri: str) -> str:
    """Return what a resource is called in problems: ``node n3``, ``edge e1``, ``question q``."""
    for kind in ("node", "edge"):
        before, mark, name = iri.rpartition(f"/{kind}/")
        if mark and before.startswith("urn:graphkit:"):
            return f"{kind} {unminted(name.partition(';')[0], '')}"
    question = unminted(iri, "urn:graphkit:question:")
    return f"<{iri}>" if question is None else f"question {question}"
