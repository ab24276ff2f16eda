"""The terms and property paths of a SPARQL query, as rdflib gives them, and what they stand for."""

from __future__ import annotations

from typing import Any

from graphkit.entities import iri_name
from graphkit.formats.conditions import (
    Chain,
    Constant,
    Either,
    Hop,
    Path,
    Term,
    Variable,
    refusal,
    turned,
)
from graphkit.formats.rdf_facts import literal_name
from graphkit.formats.rdf_terms import ENTITY, RELATION, TYPE, key_parts, unminted

__all__ = ["NAME", "constant_of", "path_of", "term_of", "told", "type_name"]

NAME = "urn:graphkit:name:"
"""What an IRI begins with that stands for a name as a question gives it."""


def term_of(node: Any) -> Term:
    """Return what stands at an end of a triple; blank nodes are variables."""
    from rdflib.term import BNode
    from rdflib.term import Variable as RdfVariable

    if isinstance(node, RdfVariable):
        return Variable(str(node))
    if isinstance(node, BNode):
        return Variable(f"_:{node}")
    return constant_of(node)


def constant_of(node: Any) -> Constant:
    """Return the individual that an IRI or a literal stands for.

    Raises:
        UnsupportedError: It is a text in one language, or no constant.
    """
    from rdflib.term import Literal, URIRef

    if isinstance(node, Literal):
        if node.language:
            raise refusal("language_tag", f"{node.n3()} is a text in one language")
        text, kind = literal_name(node)
        return Constant(text, kind)
    if not isinstance(node, URIRef):
        raise refusal("computed_value", f"{told(node)} is not a constant")
    return _named(str(node))


def _named(iri: str) -> Constant:
    name = unminted(iri, NAME)
    if name is not None:
        return Constant(name)
    key = unminted(iri, ENTITY)
    if key is None:
        return Constant(iri)
    if key.startswith("#"):
        return Constant(key[1:])
    kind, unit, name = key_parts(key)
    return Constant(f"{name} {unit}" if unit else name, kind)


def type_name(iri: str) -> str:
    """Return the entity type that a class stands for."""
    name = unminted(iri, TYPE)
    return iri_name(iri) if name is None else name


def path_of(predicate: Any) -> Path:
    """Return a predicate as a path.

    Raises:
        UnsupportedError: It repeats, excludes, or is a variable.
    """
    from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, SequencePath
    from rdflib.term import URIRef

    if isinstance(predicate, URIRef):
        name = unminted(str(predicate), RELATION)
        return Hop(str(predicate) if name is None else name)
    if isinstance(predicate, InvPath):
        return turned(path_of(predicate.arg))
    if isinstance(predicate, SequencePath):
        return Chain(tuple(map(path_of, predicate.args)))
    if isinstance(predicate, AlternativePath):
        return Either(tuple(map(path_of, predicate.args)))
    if isinstance(predicate, MulPath):
        raise refusal("path_repetition", f"a property path with {predicate.mod}")
    if isinstance(predicate, NegatedPath):
        raise refusal("path_negation", "a property path with !")
    raise refusal("variable_predicate", "a relation is a variable")


def told(node: Any) -> str:
    """Return an expression as problems show it."""
    name = getattr(node, "name", None)
    if name is None:
        return str(node.n3()) if hasattr(node, "n3") else repr(node)
    return str(name).removeprefix("Builtin_").removeprefix("Aggregate_")
