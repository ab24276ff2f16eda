"""Questions, evidence, histories and facts as RDF: lossless both ways, with PROV-O beside."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from graphkit.errors import DependencyError, FormatError, InputError
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.formats import (
    NOTATIONS,
    parse_questions,
    read_facts,
    read_questions,
    strict_json,
    write_questions,
)
from graphkit.formats.evidence import evidence_text
from graphkit.formats.lines import TextSource
from graphkit.formats.question_json import graph_problems
from graphkit.formats.rdf import graphs_from_rdf, question_resources, questions_to_rdf
from graphkit.formats.rdf_evidence import (
    evidence_from_rdf,
    evidence_to_rdf,
    evidence_turtle,
    histories_from_rdf,
    histories_to_rdf,
    history_resources,
)
from graphkit.formats.rdf_facts_writer import facts_text, facts_to_rdf
from graphkit.formats.rdf_shapes import validate_rdf, vocabulary_graph
from graphkit.formats.rdf_tables import question_iri
from graphkit.formats.rdf_terms import PREFIXES, VOCABULARY, add_to_graph, turtle_text
from graphkit.formats.reading import Broken, Record
from graphkit.mutate import Mutation, Strategy
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.testing.generation import SeededChoices, make_records, make_store, seeded_pairs
from graphkit.testing.strategies import evidence

ROOT = Path(__file__).resolve().parents[3]
GK = rdflib.Namespace(VOCABULARY)
PROV = rdflib.PROV

GRAPH = QuestionGraph.model_validate(
    {
        "id": "q/1 ü",
        "question": 'Which "country"\nborders Spain?',
        "answer": "France",
        "root_node_id": "x",
        "nodes": [
            Node(node_id="a", label="Spain", known_entities=("Spain", "España")),
            Node.model_validate(
                {"node_id": "b c", "reference_entities": ["X"], "note": {"a": 1.0}}
            ),
            Node(node_id="x", is_root=True, entity_type="country"),
        ],
        "edges": [
            Edge(edge_id="e1", source_ids=("a",), target_id="b c", op="projection", relation="r"),
            Edge.model_validate(
                {
                    "edge_id": "e2",
                    "source_ids": ["a", "b c"],
                    "target_id": "x",
                    "op": "intersection",
                    "why": None,
                }
            ),
        ],
        "iteration": 2,
        "parent_id": "q0",
        "evidence_ids": ["ev 1"],
        "aliases": ["FR"],
        "seen": [1, None, {"deep": True}],
    }
)

HISTORY = [
    Mutation(
        strategy=Strategy.SEED,
        node_id="x",
        reason="It starts.",
        nodes=(Node(node_id="a", known_entities=("Spain",)), Node(node_id="x", label="it")),
        edges=(Edge(edge_id="e", source_ids=("a",), target_id="x", op="projection", relation="r"),),
        root_node_id="x",
        answer="France",
        evidence_ids=("ev 1",),
    ),
    Mutation(
        strategy=Strategy.LOOSEN_THEN_TIGHTEN,
        node_id="x",
        reason="Both.",
        answers_before=1,
        answers_after=1,
        parts=(
            Mutation(
                strategy=Strategy.DROP_CONSTRAINT, node_id="x", reason="a", removed_edges=("e",)
            ),
            Mutation(strategy=Strategy.COMPLEMENT, node_id="x", reason="b", answers_after=0),
        ),
    ),
]


def lines(graphs: Any) -> list[str]:
    return [strict_json.dumps(graph.to_record()) for graph in graphs]


def text_of(name: str, graphs: list[QuestionGraph]) -> str:
    write = NOTATIONS[name].write
    assert write is not None
    return "".join(write(graphs, ""))


def turtle(text: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=text, format="turtle")


# ---- questions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["turtle", "trig"])
def test_records_come_back_byte_for_byte(name: str) -> None:
    """Ids, order, nulls, numbers and unknown keys at every level are as they were."""
    graphs = [GRAPH, GRAPH.replace(id=None, x=1.5)]
    graphs += [graph.replace(id=f"g{n}") for n, (_, graph) in enumerate(seeded_pairs(3, 30))]
    text = text_of(name, graphs)
    assert lines(parse_questions(text, name)) == lines(graphs)
    assert text_of(name, list(parse_questions(text, name))) == text


def test_graph_and_text_say_the_same() -> None:
    """The Turtle text parses to the graph that ``questions_to_rdf`` gives, which reads back."""
    dataset = questions_to_rdf([GRAPH])
    named = dataset.graph(rdflib.URIRef(question_iri("q/1 ü")))
    assert isomorphic(turtle(text_of("turtle", [GRAPH])), named)
    assert lines(graphs_from_rdf(dataset)) == lines(graphs_from_rdf(named)) == lines([GRAPH])


def test_files_are_told_by_suffix_and_content(tmp_path: Path) -> None:
    """.ttl and .trig are written and read, gzip too; on standard input the content decides."""
    for name, format_ in (("q.ttl", "turtle"), ("q.trig", "trig"), ("q.ttl.gz", "turtle")):
        assert write_questions([GRAPH], tmp_path / name) == ()
        assert lines(read_questions(tmp_path / name)) == lines([GRAPH])
        text = text_of(format_, [GRAPH])
        assert lines(parse_questions(text, name="<stdin>")) == lines([GRAPH])


def test_the_text_is_the_same_in_every_process() -> None:
    """Hash seeds do not change a byte."""
    code = (
        "import sys; from graphkit.formats import NOTATIONS\n"
        "from graphkit.testing.generation import seeded_pairs\n"
        "graphs = [g.replace(id=str(n)) for n, (_, g) in enumerate(seeded_pairs(1, 5))]\n"
        "sys.stdout.write(''.join(NOTATIONS['trig'].write(graphs, '')))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT, check=True, capture_output=True, env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(texts) == 1


def test_other_statements_are_left_alone() -> None:
    """What others say in the same file, language tags and links instead of text are fine."""
    text = text_of("turtle", [GRAPH]).replace('"Spain" ;', '"Spain"@en ;')
    text += '\n<urn:me> <urn:says> "hello" .\n'
    assert lines(parse_questions(text, "turtle")) == lines([GRAPH])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("gk:answer", "gk:anwser"), r"gk:anwser is no property of a Question.*answer"),
        (('gk:answer "France"', 'gk:answer "France", "Spain"'), "gk:answer stands 2 times"),
        (("gk:op gk:intersection", 'gk:op "join"'), 'op "join" is not one of'),
        (('gk:relation "r"', "gk:relation 3"), "relation is the number 3"),
        (("gk:isRoot true", 'gk:isRoot "yes"'), "is_root is 'yes'"),
        (('"{\\"seen', '"{\\"seen\\"'), "gk:extra not JSON"),
        (("gk:sources ( <urn:graphkit:question:q%2F1%20%C3%BC/node/a> )",
          "gk:sources ( <urn:graphkit:question:q%2F1%20%C3%BC/node/z> )"),
         "edge e1: source 'z' is not a node"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(change: tuple[str, str], message: str) -> None:
    """Misspelt and repeated properties, wrong values and broken rules are errors with a place."""
    text = text_of("turtle", [GRAPH])
    assert change[0] in text
    with pytest.raises(FormatError, match=message):
        parse_questions(text.replace(*change), "turtle", name="x.ttl")


def test_a_list_without_an_end_is_an_error() -> None:
    """A list that runs in a circle, and one that forks, are refused instead of read for ever."""
    graph = turtle(text_of("turtle", [GRAPH]))
    cell = graph.value(rdflib.URIRef(question_iri("q/1 ü")), GK.nodes)
    assert cell is not None
    graph.add((cell, rdflib.RDF.rest, cell))
    (found,) = graphs_from_rdf(graph)
    assert isinstance(found, Broken)
    assert "gk:nodes is no well-formed list" in str(found.problems[0])


def test_facts_are_no_questions_and_questions_no_facts() -> None:
    """Each reader tells the other kind by its content."""
    facts = FactStore.from_triples([("France", "borders", "Spain")])
    with pytest.raises(FormatError, match=r"no question graph in it.*--facts"):
        parse_questions("".join(facts_text(facts)), "turtle")
    with pytest.raises(FormatError, match="holds question graphs, expected facts"):
        read_facts(TextSource.of(text_of("turtle", [GRAPH]), "q.ttl"))


def test_two_questions_with_one_id_are_refused() -> None:
    """One IRI cannot stand for two questions."""
    with pytest.raises(InputError, match="question q/1 ü: the id is that of another"):
        text_of("turtle", [GRAPH, GRAPH])


# ---- evidence and facts --------------------------------------------------------------------------


@given(records=evidence(RelationSheet()), extra=st.dictionaries(st.text(max_size=3), st.integers()))
@settings(max_examples=30, deadline=None)
def test_evidence_comes_back_byte_for_byte(
    records: list[EvidenceRecord], extra: dict[str, int]
) -> None:
    """Law: from_rdf(to_rdf(records)) = records, set and unset keys and nulls included."""
    taken = EvidenceRecord.model_fields.keys()
    first = {key: value for key, value in extra.items() if key not in taken}
    records[0] = EvidenceRecord.model_validate(
        {**records[0].model_dump(exclude_unset=True), **first, "observed_at": None}
    )
    again = list(evidence_from_rdf(evidence_to_rdf(records)))
    assert not any(isinstance(item, Broken) for item in again)
    expected = "".join(evidence_text(records))
    assert "".join(evidence_text(r for r in again if isinstance(r, EvidenceRecord))) == expected
    text = "".join(evidence_turtle(records))
    facts = read_facts(TextSource.of(text, "e.ttl"))
    assert "".join(evidence_text(facts.records.values())) == expected


def test_evidence_has_provenance_and_its_statement() -> None:
    """Sources and times are PROV-O; with facts a record says which statement it supports."""
    record = EvidenceRecord(
        evidence_id="e 1",
        head_entity="France",
        relation="borders",
        tail_entity="Spain",
        source_url="https://example.org/fr",
        observed_at="2026-01-02T03:04:05Z",
    )
    facts = FactStore.from_evidence([record])
    graph = evidence_to_rdf([record], facts)
    subject = rdflib.URIRef("urn:graphkit:evidence:e%201")
    assert str(graph.value(subject, PROV.hadPrimarySource)) == "https://example.org/fr"
    seen = graph.value(subject, PROV.generatedAtTime)
    assert isinstance(seen, rdflib.Literal)
    assert seen.datatype == rdflib.XSD.dateTime
    for triple in facts_to_rdf(facts):
        graph.add(triple)
    rows = graph.query(
        "SELECT ?name WHERE { ?e rdf:subject/rdfs:label 'France' ; rdf:object/rdfs:label ?name }",
        initNs={"rdf": rdflib.RDF, "rdfs": rdflib.RDFS},
    )
    assert [str(row[0]) for row in rows] == ["Spain"]


def test_a_broken_record_in_rdf_is_named() -> None:
    """Evidence in RDF is checked as evidence in JSON is."""
    text = "@prefix gk: <urn:graphkit:vocabulary#> .\n<urn:e> a gk:Evidence ; gk:evidenceId 'e' ."
    with pytest.raises(FormatError, match=r"e\.ttl: evidence e: head_entity is missing"):
        read_facts(TextSource.of(text, "e.ttl"))


def test_facts_come_back_with_their_keys() -> None:
    """Facts written as Turtle are read as the same facts: names, types, ids, units."""
    with_aliases = 0
    for seed in range(120):
        facts = make_store(SeededChoices(seed))
        if any(facts.entity(fact.head).unit for fact in facts.facts()):
            continue  # a record has a unit for its tail alone
        again = read_facts(TextSource.of("".join(facts_text(facts)), "f.ttl"), RelationSheet())
        keys = [
            {
                (s.entity(f.head).key, s.relations[f.relation], s.entity(f.tail).key)
                for f in s.facts()
            }
            for s in (facts, again)
        ]
        assert keys[0] == keys[1]
        with_aliases += bool(facts.aliases)
    assert with_aliases > 20


def test_an_alias_that_is_the_name_of_another_joins_nothing() -> None:
    """What is called like an alias of another entity stays itself, with ids and without."""
    text = """
        @prefix x: <urn:x:> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        x:b rdfs:label "B" ; skos:altLabel "C" ; x:near x:c .
        x:c rdfs:label "C" ; x:near x:b .
    """
    facts = read_facts(TextSource.of(text, "f.ttl"), RelationSheet())
    assert sorted(entity.text for entity in facts.entities) == ["B", "C"]
    records = [
        EvidenceRecord(evidence_id="1", head_entity="B", relation="r", tail_entity="D",
                       head_type="k", aliases={"B": ("C",), "D": ("C",)}),
        EvidenceRecord(evidence_id="2", head_entity="C", relation="r", tail_entity="B",
                       head_type="k"),
        EvidenceRecord(evidence_id="3", head_entity="B", relation="s", tail_entity="B",
                       head_type="k", aliases={"D": ("C",)}),
    ]  # fmt: skip
    facts = FactStore.from_evidence(records)
    again = read_facts(TextSource.of("".join(facts_text(facts)), "f.ttl"), RelationSheet())
    assert sorted(e.key for e in again.entities) == sorted(e.key for e in facts.entities)


# ---- histories -----------------------------------------------------------------------------------


def test_histories_come_back_and_are_provenance() -> None:
    """Mutations are activities that use evidence and generate states derived from each other."""
    dataset = histories_to_rdf({"q/1 ü": HISTORY})
    assert histories_from_rdf(dataset) == {"q/1 ü": HISTORY}
    text = "".join(turtle_text(history_resources("q/1 ü", HISTORY)))
    graph = turtle(text)
    assert histories_from_rdf(graph) == {"q/1 ü": HISTORY}
    last = rdflib.URIRef(question_iri("q/1 ü"))
    before = graph.value(last, PROV.wasDerivedFrom)
    assert before is not None
    seed = graph.value(before, PROV.wasGeneratedBy)
    assert str(graph.value(seed, GK.strategy)) == "Seed"
    assert str(graph.value(seed, PROV.used)) == "urn:graphkit:evidence:ev%201"


def test_a_grown_question_carries_its_history_as_provenance() -> None:
    """The key ``history`` becomes mutations, other further keys stay, all in their order."""
    history = [step.to_record() for step in HISTORY]
    for extra in (
        {"history": history},
        {"checks": {"valid": True}, "history": history, "more": 1},
        {"history": "none"},
        {"history": None},
        {"history": []},
        {"history": [{"reason": "x", "strategy": "Seed"}], "z": 1},
    ):
        graph = GRAPH.replace(**extra)
        text = text_of("turtle", [graph])
        assert lines(parse_questions(text, "turtle")) == lines([graph])
    found = turtle(text_of("turtle", [GRAPH.replace(history=history)]))
    assert len(list(found.subjects(rdflib.RDF.type, GK.Mutation))) == 4
    assert histories_from_rdf(found) == {"q/1 ü": HISTORY}


def test_a_broken_history_is_named() -> None:
    """A mutation that is none is an error with the question it belongs to."""
    text = "".join(turtle_text(history_resources("q", HISTORY))).replace('"Seed"', '"Sow"')
    with pytest.raises(FormatError, match=r"history of q: strategy"):
        histories_from_rdf(turtle(text))


# ---- vocabulary and shapes -----------------------------------------------------------------------


def test_every_word_is_in_the_published_vocabulary() -> None:
    """What the writers use is described in vocabulary.ttl and docs/vocabulary.md, and no more."""
    from graphkit.formats import rdf_tables
    from rubric import rdf as rubric_rdf

    words = {str(term) for triple in vocabulary_graph() for term in triple}
    described = {word for word in words if word.startswith(VOCABULARY)}
    shapes = [value for module in (rdf_tables, rubric_rdf) for value in vars(module).values()
              if type(value).__name__ == "Shape"]  # fmt: skip
    used = {how.predicate for shape in shapes for how in shape.fields.values()}
    used |= {kind for shape in shapes for kind in shape.classes}
    used |= {VOCABULARY + link for shape in shapes for link in shape.links}
    used |= {VOCABULARY + word for shape in shapes for how in shape.fields.values()
             for word in how.words}  # fmt: skip
    used = {word for word in used if word.startswith(VOCABULARY)}
    general = {VOCABULARY + name for name in (
        "key", "nothing", "place", "extra", "isNull", "Operation", "Direction")}  # fmt: skip
    assert described == used | general
    page = (ROOT / "docs" / "vocabulary.md").read_text("utf-8")
    missing = [word for word in described if f"`gk:{word.removeprefix(VOCABULARY)}`" not in page]
    assert not missing


GOOD: dict[str, Any] = {
    "id": "q",
    "root_node_id": "x",
    "nodes": [
        {"node_id": "a", "known_entities": ["A"]},
        {"node_id": "b"},
        {"node_id": "x", "is_root": True},
    ],
    "edges": [
        {"edge_id": "e1", "source_ids": ["a"], "target_id": "b", "op": "projection",
         "relation": "r"},
        {"edge_id": "e2", "source_ids": ["a", "b"], "target_id": "x", "op": "intersection"},
    ],
}  # fmt: skip


def edge(place: int, **changes: Any) -> Any:
    return lambda record: record["edges"][place].update(changes)


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        ("duplicate_id", lambda record: record["nodes"].append({"node_id": "a"})),
        ("duplicate_id", lambda record: record["edges"].append(dict(record["edges"][0]))),
        ("no_root", lambda record: record.update(root_node_id="z")),
        ("two_roots", lambda record: record["nodes"][0].update(is_root=True)),
        ("dangling", edge(0, source_ids=["z"])),
        ("dangling", edge(1, target_id="z")),
        ("self_loop", edge(0, source_ids=["b"])),
        ("sources", edge(1, source_ids=["a"])),
        ("sources", edge(1, source_ids=["a", "a"])),
        ("sources", edge(0, source_ids=["a", "b"], target_id="x")),
        ("sources", edge(0, source_ids=[])),
        ("no_relation", edge(0, relation=None)),
        ("no_relation", edge(0, relation=" ")),
        ("relation_on_set", edge(1, relation="r")),
        ("cycle", edge(0, source_ids=["x"])),
    ],
)
def test_each_structural_error_is_caught_by_the_shapes(code: str, spoil: Any) -> None:
    """The shape called after a rule reports exactly what breaks the rule."""
    record = copy.deepcopy(GOOD)
    spoil(record)
    problems, _ = graph_problems(Record(record, "", 0, 1))
    assert code in {problem.code for problem in problems}
    graph = rdflib.Graph()
    add_to_graph(graph, question_resources(record))
    found = {problem.code for problem in validate_rdf(graph)}
    # once no_root is told, JSON says no more of roots
    assert found - {"two_roots"} == {problem.code for problem in problems} - {"two_roots"}


def test_values_outside_the_vocabulary_are_caught_by_the_shapes() -> None:
    """An unknown operation or direction, and a question without nodes, break a shape."""
    for change in (
        edge(0, op="join"),
        edge(0, direction="up"),
        lambda record: record.pop("root_node_id"),
        lambda record: record["nodes"][0].update(known_entities=["A", "B"], entity_type=3),
    ):
        record = copy.deepcopy(GOOD)
        change(record)
        graph = rdflib.Graph()
        add_to_graph(graph, question_resources(record))
        assert {problem.code for problem in validate_rdf(graph)} <= {"edge", "missing", "node"}
        assert validate_rdf(graph)


def test_valid_graphs_pass_the_shapes() -> None:
    """Generated graphs, all valid, break no shape; a dataset is checked as a whole."""
    graphs = [
        graph.replace(id=f"q{n}") for n, (_, graph) in enumerate(seeded_pairs(9, 6, safe=None))
    ]
    assert validate_rdf(questions_to_rdf([GRAPH, *graphs])) == ()


def test_without_pyshacl_the_check_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optional package is named with the extra that brings it."""
    monkeypatch.setitem(sys.modules, "pyshacl", None)
    with pytest.raises(DependencyError, match=r"pyshacl.*pip install reasoning-graphkit\[rdf\]"):
        validate_rdf(rdflib.Graph())


def test_records_of_all_kinds_survive_a_triple_store() -> None:
    """What pyoxigraph loads and writes again still reads back the same."""
    pyoxigraph = pytest.importorskip("pyoxigraph")
    store = pyoxigraph.Store()
    store.load(text_of("trig", [GRAPH]).encode(), format=pyoxigraph.RdfFormat.TRIG)
    text = store.dump(format=pyoxigraph.RdfFormat.TRIG).decode()
    assert lines(parse_questions(text, "trig")) == lines([GRAPH])
    records = make_records(SeededChoices(4), RelationSheet())
    again = read_facts(TextSource.of("".join(evidence_turtle(records)), "e.ttl"))
    assert list(again.records.values()) == records


def test_the_examples_of_the_page_are_what_they_say() -> None:
    """The Turtle in docs/vocabulary.md parses: facts of one statement, and a question."""
    page = (ROOT / "docs" / "vocabulary.md").read_text("utf-8")
    blocks = [part.split("```")[0] for part in page.split("```turtle\n")[1:]]
    heads = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
    facts = read_facts(TextSource.of(heads + blocks[0], "page.ttl"))
    assert [tuple(facts.in_names(fact)) for fact in facts.facts()] == [
        ("France", "borders", "Spain")
    ]
    (graph,) = parse_questions(heads + blocks[1], "turtle")
    assert (graph.id, graph.edges[0].relation) == ("q1", "capital")
