"""Writes facts as RDF: entities with key, label, type and aliases, and a statement a fact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphkit.facts import FactStore
from graphkit.formats.rdf_terms import (
    RDF,
    RDFS,
    SKOS,
    VOCABULARY,
    Iri,
    Resource,
    Text,
    add_to_graph,
    entity_iri,
    relation_iri,
    turtle_text,
    type_iri,
)

if TYPE_CHECKING:
    from rdflib import Graph

__all__ = ["fact_resources", "facts_text", "facts_to_rdf"]


def fact_resources(facts: FactStore) -> Iterator[Resource]:
    """Yield the facts as resources: entities in their order, then relations, then types.

    Evidence is not among them; see :func:`graphkit.formats.rdf.evidence_to_rdf`. A symmetric
    relation has its facts in both directions.
    """
    names = [relation_iri(name) for name in facts.relations]
    iris = {int(number): entity_iri(facts.entity(int(number)).key) for number in facts.universe}
    said: dict[int, list[tuple[str, int]]] = {number: [] for number in iris}
    used: dict[int, None] = {}
    for head, relation, tail in facts.facts():
        said[head].append((names[relation], tail))
        used[relation] = None
    types: dict[str, None] = {}
    for number, iri in iris.items():
        entity = facts.entity(number)
        resource = Resource(iri)
        if entity.type is not None:
            types[entity.type] = None
            resource.add(RDF + "type", Iri(type_iri(entity.type)))
        resource.add(VOCABULARY + "key", Text(entity.key))
        resource.add(RDFS + "label", Text(entity.text))
        for other in facts.aliases.get(number, ()):
            resource.add(SKOS + "altLabel", Text(other))
        for predicate, tail in said[number]:
            resource.add(predicate, Iri(iris[tail]))
        yield resource
    for relation in used:
        yield _named(names[relation], RDF + "Property", facts.relations[relation])
    for name in types:
        yield _named(type_iri(name), RDFS + "Class", name)


def _named(iri: str, kind: str, name: str) -> Resource:
    return Resource(iri, [(RDF + "type", Iri(kind)), (RDFS + "label", Text(name))])


def facts_text(facts: FactStore) -> Iterator[str]:
    """Yield the facts as Turtle, the same for the same store; ``read_facts`` reads them back."""
    return turtle_text(fact_resources(facts))


def facts_to_rdf(facts: FactStore) -> Graph:
    """Return the facts as an rdflib graph, the one that compiled SPARQL runs over.

    >>> facts = FactStore.from_triples([("France", "borders", "Spain")])
    >>> graph = facts_to_rdf(facts)
    >>> [str(label) for label in graph.objects(predicate=None) if str(label) == "France"]
    ['France']
    """
    import rdflib

    graph = rdflib.Graph()
    add_to_graph(graph, fact_resources(facts))
    return graph
