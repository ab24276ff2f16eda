"""Question graphs as RDF, in Turtle and TriG, and back without loss.

docs/vocabulary.md lists the classes and properties; ``vocabulary.ttl`` says the same in RDF.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphkit.errors import FormatError, GraphError, InputError, Problem
from graphkit.formats.lines import TextSource
from graphkit.formats.notation import Feature, Notation
from graphkit.formats.question_json import graph_from_data
from graphkit.formats.rdf_facts import parse_rdf
from graphkit.formats.rdf_records import (
    RecordReader,
    RecordWriter,
    Shape,
    gk,
    numbered,
    ordered,
)
from graphkit.formats.rdf_tables import (
    BARE,
    EDGE,
    GRAPH,
    MUTATION,
    NODE,
    UNTITLED,
    dataset_of,
    question_iri,
    states,
)
from graphkit.formats.rdf_terms import VOCABULARY, Resource, trig_text, turtle_text
from graphkit.formats.reading import Broken
from graphkit.question import QuestionGraph

if TYPE_CHECKING:
    from rdflib import Dataset, Graph

__all__ = ["TRIG", "TURTLE", "graphs_from_rdf", "question_resources", "questions_to_rdf"]


def question_resources(record: Mapping[str, Any], place: int | None = None) -> list[Resource]:
    """Return one question, as plain data, as resources; it need not be a valid one.

    Args:
        record: The question in the paper's contract.
        place: Which one of several it is, from 1.
    """
    ident = record.get("id")
    iri = question_iri(ident) if isinstance(ident, str) else f"{UNTITLED}{place or 1}"
    written = _without_nulls(record, BARE)
    for key, shape in (("nodes", NODE), ("edges", EDGE)):
        if isinstance(written.get(key), list):
            written[key] = [_without_nulls(item, shape) for item in written[key]]
    history = written.get("history")
    told = _is_history(history)
    resources = RecordWriter({iri}).resources(written, GRAPH if told else BARE, iri)
    if told and isinstance(history, list):
        resources += states(iri, len(history))
    return resources if place is None else list(numbered(resources, place))


_DEFAULTS = (("question", ""), ("label", ""), ("is_root", False))


def _without_nulls(record: Any, shape: Shape) -> Any:
    """Leave out what means the same as a missing key."""
    if not isinstance(record, Mapping):
        return record
    return {
        key: value
        for key, value in record.items()
        if key not in shape.fields or not (value is None or (key, value) in _DEFAULTS)
    }


def _is_history(value: Any) -> bool:
    """Whether a value is a list of mutations that comes back byte for byte."""
    if not isinstance(value, list) or not value:
        return False
    if not all(isinstance(item, dict) and "strategy" in item for item in value):
        return False
    again = [ordered(item, MUTATION) for item in value]
    return repr(again) == repr(value)


def _by_graph(
    graphs: Iterable[QuestionGraph],
) -> Iterator[tuple[str, list[Resource]]]:
    """Yield every question as (IRI, resources)."""
    graphs = tuple(graphs)
    seen: set[str] = set()
    for place, graph in enumerate(graphs, 1):
        found = question_resources(graph.to_record(), place if len(graphs) > 1 else None)
        if found[0].iri in seen:
            raise InputError(
                Problem(
                    "the id is that of another question of the file, expected each id once",
                    code="duplicate_question",
                    subject=f"question {graph.id}",
                )
            )
        seen.add(found[0].iri)
        yield found[0].iri, found


def questions_to_rdf(graphs: Iterable[QuestionGraph]) -> Dataset:
    """Return question graphs as an rdflib dataset with a named graph for each.

    Raises:
        InputError: Two questions have the same id.
        UnsupportedError: A further key holds what JSON has no word for.
    """
    return dataset_of(_by_graph(graphs))


def graphs_from_rdf(graph: Graph, file: str | None = None) -> Iterator[QuestionGraph | Broken]:
    """Yield the question graphs in an rdflib graph or dataset, the broken ones among them.

    Args:
        graph: What was parsed; other statements in it are left alone.
        file: Where it comes from, for errors.
    """
    reader = RecordReader(graph, file)
    for subject in reader.of_class(gk("Question")):
        before = len(reader.problems)
        record = reader.record(subject, GRAPH)
        if len(reader.problems) > before:
            yield Broken(tuple(reader.problems[before:]))
            continue
        try:
            yield graph_from_data(record, file)
        except GraphError as error:
            yield Broken(error.problems)


def _write_turtle(graphs: Sequence[QuestionGraph], suffix: str) -> Iterable[str]:
    return turtle_text(item for _, resources in _by_graph(graphs) for item in resources)


def _write_trig(graphs: Sequence[QuestionGraph], suffix: str) -> Iterable[str]:
    return trig_text(_by_graph(graphs))


def _read_turtle(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    return _read(source, "turtle")


def _read_trig(source: TextSource) -> Iterator[QuestionGraph | Broken]:
    return _read(source, "trig")


def _read(source: TextSource, syntax: str) -> Iterator[QuestionGraph | Broken]:
    found = list(graphs_from_rdf(parse_rdf(source.text(), source.name, syntax), source.name))
    if not found:
        raise FormatError(
            Problem(
                "no question graph in it, expected a gk:Question; RDF with facts is read where "
                "facts are (--facts)",
                code="empty",
                file=source.name,
            )
        )
    yield from found


def _sniff_trig(head: str) -> bool:
    return VOCABULARY in head and re.search(r"(?:gk:|#)Question\b", head) is not None


def _sniff_turtle(head: str) -> bool:
    return _sniff_trig(head) and re.search(r"(?m)^\s*[^\s\"#]+\s*\{\s*$", head) is None


TURTLE = Notation(
    name="turtle",
    summary="RDF in Turtle with our vocabulary and PROV-O",
    suffixes=(".ttl",),
    carries=frozenset(Feature),
    sniff=_sniff_turtle,
    read=_read_turtle,
    write=_write_turtle,
)
"""Question graphs in Turtle."""

TRIG = Notation(
    name="trig",
    summary="RDF in TriG, a named graph a question",
    suffixes=(".trig",),
    carries=frozenset(Feature),
    sniff=_sniff_trig,
    read=_read_trig,
    write=_write_trig,
)
"""Question graphs in TriG."""
