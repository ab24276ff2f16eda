"""Evidence and histories of questions as RDF, and back without loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from graphkit.errors import FormatError, Problem
from graphkit.evidence import EvidenceRecord
from graphkit.formats import strict_json
from graphkit.formats.evidence import evidence_record
from graphkit.formats.rdf_records import RecordReader, RecordWriter, Shape, gk, numbered
from graphkit.formats.rdf_tables import (
    EVIDENCE_SHAPE,
    GRAPH,
    QUESTION,
    dataset_of,
    evidence_iri,
    origin,
    question_iri,
    states,
)
from graphkit.formats.rdf_terms import (
    PROV,
    RDF,
    Iri,
    Resource,
    add_to_graph,
    entity_iri,
    relation_iri,
    turtle_text,
    unminted,
)
from graphkit.formats.reading import Broken, Record

if TYPE_CHECKING:
    from rdflib import Dataset, Graph

    from graphkit.facts import FactStore
    from graphkit.mutate.model import Mutation

__all__ = [
    "evidence_from_rdf",
    "evidence_resources",
    "evidence_to_rdf",
    "evidence_turtle",
    "histories_from_rdf",
    "histories_to_rdf",
    "history_resources",
]


def evidence_resources(
    records: Iterable[EvidenceRecord], facts: FactStore | None = None
) -> Iterator[Resource]:
    """Yield evidence records as resources.

    Args:
        records: The records.
        facts: The facts built from them: each record then also says which statement it supports.

    Raises:
        InputError: Two different records have the same id.
    """
    from graphkit.interning import unique_records

    stated = {} if facts is None else dict(_stated(facts))
    kept = unique_records(records)
    for place, (ident, record) in enumerate(kept.items(), 1):
        data = record.model_dump(mode="json", exclude_unset=True)
        found = RecordWriter().resources(data, EVIDENCE_SHAPE, evidence_iri(ident))
        found[0].said.extend(stated.get(ident, ()))
        yield from numbered(found, place) if len(kept) > 1 else found


def _stated(facts: FactStore) -> Iterator[tuple[str, list[tuple[str, Iri]]]]:
    for fact in facts.facts():
        ends = [entity_iri(facts.entity(number).key) for number in (fact.head, fact.tail)]
        said = [
            (RDF + "subject", Iri(ends[0])),
            (RDF + "predicate", Iri(relation_iri(facts.relations[fact.relation]))),
            (RDF + "object", Iri(ends[1])),
        ]
        for ident in facts.evidence_ids(fact):
            yield ident, said


def evidence_to_rdf(records: Iterable[EvidenceRecord], facts: FactStore | None = None) -> Graph:
    """Return evidence records as an rdflib graph; see :func:`evidence_resources`."""
    import rdflib

    graph = rdflib.Graph()
    add_to_graph(graph, evidence_resources(records, facts))
    return graph


def evidence_turtle(
    records: Iterable[EvidenceRecord], facts: FactStore | None = None
) -> Iterator[str]:
    """Yield evidence records as Turtle; ``read_facts`` and ``iter_rdf`` read them back."""
    return turtle_text(evidence_resources(records, facts))


def evidence_from_rdf(graph: Graph, file: str | None = None) -> Iterator[EvidenceRecord | Broken]:
    """Yield the evidence records in an rdflib graph or dataset, the broken ones among them."""
    reader = RecordReader(graph, file)
    for subject in reader.of_class(gk("Evidence")):
        before = len(reader.problems)
        data = reader.record(subject, EVIDENCE_SHAPE)
        if len(reader.problems) > before:
            yield Broken(tuple(reader.problems[before:]))
        else:
            found = evidence_record(Record(data, file or "", 0, 1))
            if isinstance(found, Broken):
                found = Broken(tuple(replace(p, file=file, line=None) for p in found.problems))
            yield found


def history_resources(question: str, mutations: Iterable[Mutation]) -> list[Resource]:
    """Return how a question grew: its mutations in order, as activities with what they made.

    Args:
        question: The id of the question.
        mutations: The mutations in order.
    """
    iri = question_iri(question)
    records = [item.to_record() for item in mutations]
    shape = Shape((PROV + "Entity",), None, "question", {"history": GRAPH.fields["history"]})
    resources = RecordWriter({iri}).resources({"history": records}, shape, iri)
    resources[0].said.extend(origin(iri, len(records), iri).said)
    return [*resources, *states(iri, len(records))]


def histories_to_rdf(histories: Mapping[str, Iterable[Mutation]]) -> Dataset:
    """Return histories, by question id, as an rdflib dataset with a named graph for each."""
    return dataset_of(
        (f"{question_iri(name)}/history", history_resources(name, steps))
        for name, steps in histories.items()
    )


def histories_from_rdf(graph: Graph, file: str | None = None) -> dict[str, list[Mutation]]:
    """Return the histories in an rdflib graph or dataset, by question id.

    Raises:
        FormatError: A mutation is not one; all problems at once.
    """
    from pydantic import ValidationError

    from graphkit.mutate.model import Mutation

    reader = RecordReader(graph, file)
    shape = Shape((PROV + "Entity",), None, "question", GRAPH.fields)
    found: dict[str, list[Mutation]] = {}
    for subject in reader.with_property(gk("history")):
        name = unminted(str(subject), QUESTION)
        if name is None:
            continue
        try:
            steps = reader.record(subject, shape)["history"]
            found[name] = [Mutation.model_validate(step) for step in steps]
        except ValidationError as error:
            reader.problems += [
                Problem(
                    f"{strict_json.name_of(item['loc'])}: {item['msg']}",
                    code="mutation",
                    file=file,
                    subject=f"history of {name}",
                )
                for item in error.errors()
            ]
    if reader.problems:
        raise FormatError(reader.problems)
    return found
