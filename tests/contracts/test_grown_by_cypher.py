"""The 500 grown questions once more, by Cypher on the embedded store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphkit.compile.cypher import to_cypher
from graphkit.mutate import apply_mutation, drop_constraint
from graphkit.question import QuestionGraph
from graphkit.stores import (
    GraphStore,
    answer_in_store,
    load_facts,
    load_questions,
    open_store,
    read_questions,
)
from synthesis.grow import GrownQuestion
from tests.synthesis.grown import COUNT, factbook, run
from tests.synthesis.recheck import ways_up

pytestmark = pytest.mark.slow

_ADJACENT = """
MATCH (a:Entity {id: $anchor})-[:FACT]-(b:Entity {id: $answer})
RETURN count(DISTINCT b.id) AS found
"""


@pytest.fixture(scope="module")
def questions() -> tuple[GrownQuestion, ...]:
    return run()[1]


@pytest.fixture(scope="module")
def store(
    questions: tuple[GrownQuestion, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GraphStore]:
    place = tmp_path_factory.mktemp("grown") / "store.db"
    with open_store(place) as writer:
        load_facts(writer, factbook())
        load_questions(writer, [question.graph for question in questions])
    with open_store(place, read_only=True) as reader:
        yield reader


def test_cypher_finds_the_one_answer_of_every_question(
    store: GraphStore, questions: tuple[GrownQuestion, ...]
):
    """The full answer set of each of the 500 is its declared answer, and nothing else."""
    answers = [answer_in_store(store, question.graph, factbook()) for question in questions]
    assert answers == [[question.graph.answer] for question in questions]
    assert len(answers) == COUNT


def relaxed(graph: QuestionGraph) -> Iterator[QuestionGraph]:
    """Yield the graph without each source of each of its intersections."""
    for edge in graph.edges:
        if edge.op == "intersection":
            for source in edge.source_ids:
                yield apply_mutation(graph, drop_constraint(graph, f"{edge.edge_id}/{source}"))


def test_cypher_finds_more_answers_without_any_condition(
    store: GraphStore, questions: tuple[GrownQuestion, ...]
):
    """Every condition that meets others is needed: without it Cypher finds other answers too."""
    tried = 0
    for question in questions:
        for graph in relaxed(question.graph):
            compiled = to_cypher(graph, factbook(), materialize_universe=True)
            found = set(store.read(compiled.text, compiled.params).column("name"))
            assert found > {question.graph.answer}
            tried += 1
    assert tried > 3 * COUNT


def test_cypher_finds_no_fact_between_a_distant_anchor_and_the_answer(
    store: GraphStore, questions: tuple[GrownQuestion, ...]
):
    """No anchor two or more hops away is a neighbour of the answer."""
    tried = 0
    for question in questions:
        graph, distances = question.graph, ways_up(question.graph)
        compiled = to_cypher(graph, factbook())
        (answer,) = store.read(compiled.text, compiled.params).column("id")
        for node in graph.anchors:
            if distances[node.node_id][0] >= 2:
                key = next(
                    entity.key
                    for entity in factbook().entities
                    if (entity.text, entity.type) == (node.known_entities[0], node.entity_type)
                )
                found = store.read(_ADJACENT, {"anchor": key, "answer": answer}).column("found")
                assert found in ([], [0])
                tried += 1
    assert tried > COUNT // 2


def test_the_store_gives_the_questions_back(
    store: GraphStore, questions: tuple[GrownQuestion, ...]
):
    """What was loaded is what is read: all 500, to the last field."""
    stored = {graph.id: graph.to_record() for graph in read_questions(store)}
    assert stored == {question.graph.id: question.graph.to_record() for question in questions}
