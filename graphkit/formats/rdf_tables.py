"""The tables by which questions, evidence and mutations are written in RDF, and PROV-O beside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphkit.evidence import EvidenceRecord
from graphkit.formats.question_json import EDGE_KEYS, NODE_KEYS
from graphkit.formats.rdf_records import Field, Shape, gk
from graphkit.formats.rdf_terms import (
    PROV,
    RDF,
    RDFS,
    XSD,
    Iri,
    Resource,
    Text,
    add_to_graph,
    is_web_iri,
    minted,
)
from graphkit.operations import Direction, Op

if TYPE_CHECKING:
    from rdflib import Dataset

__all__ = [
    "BARE",
    "EDGE",
    "EVIDENCE",
    "EVIDENCE_SHAPE",
    "GRAPH",
    "MUTATION",
    "NODE",
    "QUESTION",
    "UNTITLED",
    "dataset_of",
    "evidence_iri",
    "origin",
    "question_iri",
    "states",
]

QUESTION, EVIDENCE = "urn:graphkit:question:", "urn:graphkit:evidence:"
UNTITLED = "urn:graphkit:untitled:"
_DERIVED, _USED = PROV + "wasDerivedFrom", PROV + "used"
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")


def question_iri(ident: str) -> str:
    """Return the IRI of a question with an id."""
    return minted(QUESTION, ident)


def evidence_iri(ident: str) -> str:
    """Return the IRI of an evidence record."""
    return minted(EVIDENCE, ident)


def _question_provenance(record: Mapping[str, Any], resource: Resource) -> None:
    parent = record.get("parent_id")
    if isinstance(parent, str):
        resource.add(_DERIVED, Iri(question_iri(parent)))
    for item in _texts(record.get("evidence_ids")):
        resource.add(_DERIVED, Iri(evidence_iri(item)))
    if any(name == gk("history") for name, _ in resource.said):
        resource.said.extend(origin(resource.iri, len(record["history"]), resource.iri).said)


def origin(iri: str, step: int, state: str) -> Resource:
    """Say that a mutation made a state of a question from the state before."""
    made = Resource(state)
    if step:
        made.add(PROV + "wasGeneratedBy", Iri(f"{iri}/mutation/;{step}"))
    if step > 1:
        made.add(_DERIVED, Iri(f"{iri}/state/{step - 1}"))
    return made


def states(iri: str, steps: int) -> Iterator[Resource]:
    """Yield the states of a question before the last, each made by one mutation."""
    for step in range(1, steps):
        made = origin(iri, step, f"{iri}/state/{step}")
        made.said.insert(0, (RDF + "type", Iri(PROV + "Entity")))
        yield made


def _evidence_provenance(record: Mapping[str, Any], resource: Resource) -> None:
    url, seen = record.get("source_url"), record.get("observed_at")
    if isinstance(url, str) and is_web_iri(url):
        resource.add(PROV + "hadPrimarySource", Iri(url))
    if isinstance(seen, str) and _DATE_TIME.fullmatch(seen):
        resource.add(PROV + "generatedAtTime", Text(seen, XSD + "dateTime"))


def _mutation_provenance(record: Mapping[str, Any], resource: Resource) -> None:
    for item in _texts(record.get("evidence_ids")):
        resource.add(_USED, Iri(evidence_iri(item)))


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _plain(keys: Iterable[str], **special: Field) -> dict[str, Field]:
    return {key: special.get(key) or Field(_camel(key)) for key in keys}


NODE = Shape(
    (gk("Node"),),
    "node_id",
    "node",
    _plain(NODE_KEYS, label=Field(RDFS + "label")),
)

EDGE = Shape(
    (gk("Edge"),),
    "edge_id",
    "edge",
    _plain(
        EDGE_KEYS,
        source_ids=Field("sources", refers="node"),
        target_id=Field("target", refers="node"),
        op=Field("op", words=frozenset(op.value for op in Op)),
        direction=Field("direction", words=frozenset(way.value for way in Direction)),
    ),
)


MUTATION_KEYS = (
    *("strategy", "node_id", "reason", "removed_edges", "removed_nodes", "nodes", "edges"),
    *("root_node_id", "answer", "evidence_ids", "position", "answers_before", "answers_after"),
    "parts",
)
"""The keys of a mutation, in its own order."""


def mutation_shape() -> Shape:
    """Return how a mutation is written; a compound one holds others."""
    return MUTATION


MUTATION = Shape(
    (gk("Mutation"), PROV + "Activity"),
    None,
    "mutation",
    _plain(
        MUTATION_KEYS,
        nodes=Field("nodes", parts=lambda: NODE),
        edges=Field("edges", parts=lambda: EDGE),
        parts=Field("parts", parts=mutation_shape),
        root_node_id=Field("root", refers="node"),
    ),
    _mutation_provenance,
)

GRAPH = Shape(
    (gk("Question"), PROV + "Entity"),
    None,
    "question",
    _plain(
        (
            *("id", "question", "answer", "root_node_id", "nodes", "edges", "language", "domain"),
            *("subdomain", "iteration", "parent_id", "evidence_ids", "aliases", "history"),
        ),
        root_node_id=Field("root", refers="node"),
        nodes=Field("nodes", parts=lambda: NODE),
        edges=Field("edges", parts=lambda: EDGE),
        history=Field("history", parts=mutation_shape),
    ),
    _question_provenance,
    frozenset({"history"}),
)

BARE = replace(
    GRAPH,
    fields={key: how for key, how in GRAPH.fields.items() if key != "history"},
    loose=frozenset(),
)
"""A question whose history is no list of mutations: it is a further key like others."""

EVIDENCE_SHAPE = Shape(
    (gk("Evidence"), PROV + "Entity"),
    "evidence_id",
    "evidence",
    _plain(EvidenceRecord.model_fields),
    _evidence_provenance,
)


def dataset_of(parts: Iterable[tuple[str, Sequence[Resource]]]) -> Dataset:
    """Return an rdflib dataset with a named graph for each part."""
    import rdflib

    dataset = rdflib.Dataset(default_union=True)
    for name, resources in parts:
        add_to_graph(dataset.graph(rdflib.URIRef(name)), resources)
    return dataset
