"""The claims about 500 questions grown from the Factbook, looked at a second time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.formats.english import parse_english
from graphkit.lint import find_leaks
from graphkit.patterns import canonical_key
from graphkit.testing.oracle import oracle_answers
from synthesis.grow import GrownQuestion
from tests.synthesis.grown import COUNT, ROOT, factbook, run
from tests.synthesis.recheck import Plain, faults

pytestmark = pytest.mark.slow

_AGAIN = """
import hashlib, json
from tests.synthesis.grown import run
lines = [json.dumps(question.to_record()) for question in run()[1]]
print(hashlib.sha256("\\n".join(lines).encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def other_process() -> Iterator[subprocess.Popen[str]]:
    """The same run in another process with other hashes, beside the tests."""
    with subprocess.Popen(
        [sys.executable, "-c", _AGAIN],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


@pytest.fixture(scope="module")
def questions(other_process: subprocess.Popen[str]) -> tuple[GrownQuestion, ...]:
    return run()[1]


def share(questions: tuple[GrownQuestion, ...], wanted: Counter[bool]) -> float:
    return wanted[True] / len(questions)


def test_five_hundred_are_proven(questions: tuple[GrownQuestion, ...]):
    """Each is valid, has one answer on a closed basis, nothing redundant, no shortcut."""
    assert len(questions) == COUNT
    for question in questions:
        record = question.to_record()["checks"]
        assert record["valid"]
        assert record["unique"]
        assert record["faithful"]
        assert record["basis"] == "closed"
        assert record["redundant"] == []
        assert record["shortcuts"] == []
        assert record["core_exact"]
        assert len(record["minimal_core"]) > 0
        assert record["searched"]["direct_path"]["complete"]
        assert record["profile"]["edges"] >= 5


def test_they_are_deep_and_of_many_kinds(questions: tuple[GrownQuestion, ...]):
    """Depth, complements, answers, signatures and relations are spread as promised."""
    shapes = [q.checks.profile.shape for q in questions if q.checks.profile]
    assert share(questions, Counter(s.depth >= 2 for s in shapes)) >= 0.4
    assert share(questions, Counter(s.ops["complement"] > 0 for s in shapes)) >= 0.3
    assert len({s.signature for s in shapes}) >= 25
    answers = Counter(q.graph.answer for q in questions)
    assert len(answers) >= 200
    assert max(answers.values()) <= 0.02 * COUNT
    relations = Counter(
        e.relation for q in questions for e in q.graph.edges if e.op == "projection"
    )
    assert max(relations.values()) <= 0.4 * relations.total()


def test_plain_sets_find_no_fault(questions: tuple[GrownQuestion, ...]):
    """Answers, redundancy, shortcuts, histories and the rules of sensible questions hold."""
    plain = Plain(factbook())
    found = {
        question.graph.id: wrong
        for number, question in enumerate(questions)
        if (
            wrong := list(
                faults(question.graph, list(question.history), plain, deep=number % 25 == 0)
            )
        )
    }
    assert found == {}


def test_the_oracle_has_the_same_answers(questions: tuple[GrownQuestion, ...]):
    """A sample of them, by the toolkit's second implementation."""
    facts = factbook()
    for question in questions[::50]:
        answers = oracle_answers(question.graph, facts)
        assert answers is not None
        assert len(answers) == 1
        named = facts.named(question.graph.answer or "").ids.tolist()
        assert answers <= {facts.entity(number).key for number in named}


def test_no_two_are_alike(questions: tuple[GrownQuestion, ...]):
    """Canonical keys and texts differ."""
    assert len({canonical_key(q.graph) for q in questions}) == COUNT
    assert len({q.graph.question for q in questions}) == COUNT


def test_all_texts_read_back_and_give_nothing_away(questions: tuple[GrownQuestion, ...]):
    """The English parses to the same canonical graph and holds no hidden name."""
    facts = factbook()
    lexicon = EnglishLexicon.build(facts.sheet, facts)
    for question in questions:
        graph = question.graph
        assert canonical_key(parse_english(graph.question, lexicon)) == canonical_key(graph)
        hidden = [name for node in graph.nodes for name in node.reference_entities]
        for number in facts.named(graph.answer or "").ids.tolist():
            hidden += facts.aliases.get(number, ())
        assert find_leaks(graph.question, [graph.answer or "", *hidden]) == []
        assert "fb:" not in graph.question
        assert '"' not in graph.question


def test_another_process_with_other_hashes_writes_the_same_bytes(
    questions: tuple[GrownQuestion, ...], other_process: subprocess.Popen[str]
):
    """The same seed gives the same bytes: 500 records, history and checks included."""
    lines = [json.dumps(question.to_record()) for question in questions]
    assert other_process.stdout is not None
    assert other_process.stdout.read().strip() == (
        hashlib.sha256("\n".join(lines).encode()).hexdigest()
    )
    assert other_process.wait() == 0
