"""Facts from RDF: ids, names, types, literals, graphs, errors with their line."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from graphkit.errors import FormatError
from graphkit.evidence import EvidenceRecord
from graphkit.formats import read_facts
from graphkit.formats.lines import TextSource
from graphkit.formats.rdf_facts import iter_rdf
from graphkit.grounding import resolve

PREFIXES = """\
@prefix : <http://example.org/id/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def read(text: str, name: str = "f.ttl") -> list[EvidenceRecord]:
    prefix = "" if name.endswith(".nt") else PREFIXES
    return list(iter_rdf(TextSource.of(prefix + text, name)))


def test_iris_are_ids_and_labels_are_names() -> None:
    """An entity has its IRI as id, its English label as name and the others as aliases."""
    (record,) = read(
        """
        :Q142 :P36 :Q90 ; rdfs:label "Frankreich"@de, "France"@en ; skos:altLabel "FR" .
        :P36 rdfs:label "capital" .
        """
    )
    assert (record.head_id, record.head_entity) == ("http://example.org/id/Q142", "France")
    assert (record.relation, record.tail_entity) == ("capital", "Q90")
    assert record.aliases == {"France": ("Frankreich", "FR")}


def test_names_without_labels_are_the_end_of_the_iri() -> None:
    """Percent signs and underscores in the last part of an IRI are read as a name."""
    (record,) = read("<http://x/C%C3%B4te_d%27Azur> <http://x/v#lies_in> <http://x/France/> .")
    assert (record.head_entity, record.relation, record.tail_entity) == (
        "Côte d'Azur",
        "lies in",
        "France",
    )


def test_a_type_is_no_fact_and_several_types_are() -> None:
    """One rdf:type is the type of the entity; with several all are facts as well."""
    (record,) = read(":a a :country ; :r :b .")
    assert record.head_type == "country"
    records = read(":a a :country, :island ; :r :b .")
    assert {(item.relation, item.tail_entity) for item in records} == {
        ("r", "b"),
        ("type", "country"),
        ("type", "island"),
    }
    assert {item.head_type for item in records} == {"country"}


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ('"1990-10-3"^^xsd:date', ("1990-10-3", "date")),
        ('"1990-10-03T00:00:00Z"^^xsd:dateTime', ("1990-10-03", "date")),
        ('"1990-10-03T12:00:00Z"^^xsd:dateTime', ("1990-10-03T12:00:00+00:00", "date")),
        ('"1990-10"^^xsd:gYearMonth', ("1990-10", "date")),
        ('"1990"^^xsd:gYear', ("1990", "year")),
        ("1.50", ("1.50", "number")),
        ("7", ("7", "number")),
        ('"seven"', ("seven", None)),
        ('"sept"@fr', ("sept", None)),
        ("true", ("true", None)),
    ],
)
def test_literals_have_our_types(literal: str, expected: tuple[str, str | None]) -> None:
    """Dates, years and numbers become literals; other literals are names."""
    (record,) = read(f":a :r {literal} .")
    assert (record.tail_entity, record.tail_type, record.tail_id) == (*expected, None)


def test_numbers_written_differently_are_one_entity(tmp_path: Path) -> None:
    """The store gives a number its one spelling."""
    (tmp_path / "f.ttl").write_text(PREFIXES + ":a :r 1.50 . :b :r 1.5 .")
    store = read_facts(tmp_path / "f.ttl")
    match = resolve("1.5", store)
    assert match is not None
    assert len(match.entities) == 1


def test_predicates_called_alike_keep_their_iris() -> None:
    """Two predicates with one local name are told apart by their whole IRI."""
    records = read(":a <http://x/r> :b ; <http://y/r> :c ; <http://y/s> :d .")
    assert sorted(record.relation for record in records) == ["http://x/r", "http://y/r", "s"]


def test_the_graph_of_a_statement_is_its_source() -> None:
    """In TriG the named graph becomes the source of the record."""
    records = read(":g { :a :r :b . } :a :r :c .", "f.trig")
    assert {(item.tail_entity, item.source_url) for item in records} == {
        ("b", "http://example.org/id/g"),
        ("c", ""),
    }


def test_records_do_not_depend_on_the_run_or_the_layout() -> None:
    """The same statements give the same records in the same order, blank nodes included."""
    code = (
        "from graphkit.formats.lines import TextSource\n"
        "from graphkit.formats.rdf_facts import iter_rdf\n"
        "text = '@prefix : <http://x/> . :a :r [ :s :b ], [ :s :c ; :t [ :u :d ] ] . :e :r :a .'\n"
        "for item in iter_rdf(TextSource.of(text, 'f.ttl')): print(item.model_dump_json())\n"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    assert len({run.stdout for run in runs}) == 1
    assert runs[0].stdout.count("\n") == 7
    one, two = read(":a :r :b . :c :r :d ."), read(":c :r :d .\n:a :r :b .")
    assert one == two


def test_n_triples_with_gzip_are_read(tmp_path: Path) -> None:
    """N-Triples are read, packed too."""
    path = tmp_path / "f.nt.gz"
    path.write_bytes(gzip.compress(b"<http://x/a> <http://x/r> <http://x/b> .\n"))
    assert len(read_facts(path)) == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("f.ttl", ":a :r :b .\n:a :r .", r"f\.ttl:6: not turtle: "),
        ("f.nt", "<http://x/a> <http://x/r> .\n", r"f\.nt:1: not nt: "),
        ("f.nt", "<http://x/a> <http://x/r> <http://x/b> .\nhello\n", r"f\.nt:2: not nt: "),
        ("f.ttl", ":a rdfs:label 'a' .", r"f\.ttl: no statement in it is a fact"),
        ("f.ttl", ":a nope:r :b .", r"f\.ttl:5: not turtle: .*nope"),
    ],
)
def test_what_is_no_rdf_is_refused(name: str, text: str, message: str) -> None:
    """A syntax error has its line; RDF without facts is refused."""
    with pytest.raises(FormatError, match=message):
        read(text, name)
