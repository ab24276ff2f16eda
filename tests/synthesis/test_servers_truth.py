"""Questions of a whole run with a model that errs, held against the facts behind the pages.

``GRAPHKIT_SEEDS=120 pytest tests/synthesis/test_servers_truth.py`` tries the full scale: at least
50 questions that pass every check, 95 % of them with exactly the declared answer.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Mistakes
from static_web import COUNTRIES, StaticWeb, world
from static_web.chinese import CHINESE, in_chinese
from static_web.hosts import INJECTED, rumours

from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.formats.lenient import parse_model_output
from graphkit.grounding import resolve
from graphkit.relations import RelationSheet
from synthesis.loop_settings import LoopSettings
from synthesis.run import RunResult
from tests.synthesis.loopback import Servers, records_of, servers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

SEEDS = int(os.environ.get("GRAPHKIT_SEEDS", "8"))
FULL = SEEDS >= 100
DEFAULTS: dict[str, Any] = LoopSettings().model_dump(exclude={"since", "language"})


def seeds(language: str) -> list[str]:
    """Return countries, commodities, missions and persons, mixed."""
    facts = world()
    names = [*COUNTRIES, *facts.tails("exports"), *facts.tails("takes part in")]
    names += facts.tails("head of government")
    random.Random(7).shuffle(names)
    if language == "zh":
        names = [in_chinese(name) for name in names if name in CHINESE]
    return names[:SEEDS]


@pytest.fixture(scope="module", params=["en", "zh"])
def finished(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Servers, Path, RunResult]]:
    """A run with the parameters of the paper and a model that makes every kind of mistake."""
    folder = tmp_path_factory.mktemp("truth") / "run"
    with servers(mistakes=Mistakes(), slow_seconds=0.3) as outside:
        plan = {**DEFAULTS, "language": request.param}
        result = outside.run(folder, seeds(request.param), **plan)
        yield outside, folder, result


def complete(web: StaticWeb) -> FactStore:
    records = [EvidenceRecord(**record) for record in web.complete_facts()]
    return FactStore.from_evidence(records, RelationSheet.parse(web.relation_sheet()))


def is_exact(question: dict[str, Any], facts: FactStore) -> bool:
    """Whether the declared answer, and nothing else, answers a question on the complete facts."""
    graph = parse_model_output(question).graph
    declared = resolve(str(question["answer"]), facts)
    if graph is None or declared is None:
        return False
    return evaluate(graph, facts).answers.ids.tolist() == list(declared.entities)


def test_questions_have_exactly_their_answer_on_the_facts_that_the_run_never_saw(
    finished: tuple[Servers, Path, RunResult],
) -> None:
    """Half of the seeds or more give a question, and 95 % of these are exactly right."""
    outside, folder, _ = finished
    questions = records_of(folder / "questions.jsonl")
    facts = complete(outside.web)
    wrong = [item["question"] for item in questions if not is_exact(item, facts)]
    assert len(questions) >= (50 if FULL else SEEDS // 2)
    assert len(wrong) <= 0.05 * len(questions) if FULL else len(wrong) <= 1, wrong


def test_nothing_of_rumours_and_orders_is_in_the_set(
    finished: tuple[Servers, Path, RunResult],
) -> None:
    """No question rests on an injected fact or a rumour; no forbidden page was fetched."""
    outside, folder, _ = finished
    false = {fact for facts in rumours(outside.web.world, 1).values() for fact in facts}
    told = {
        (item["head_entity"], item["relation"], item["tail_entity"])
        for file in folder.glob("evidence/*.jsonl")
        for item in records_of(file)
    }
    assert told
    assert not told & {tuple(fact) for fact in false}
    text = (folder / "questions.jsonl").read_text(encoding="utf-8")
    assert INJECTED.head not in json.dumps(text)
    assert outside.web.stats["forbidden"] == 0


def test_mistakes_were_made_and_the_run_tells_what_it_mended(
    finished: tuple[Servers, Path, RunResult],
) -> None:
    """The model erred in many ways; the journal has repairs and refusals."""
    outside, folder, _ = finished
    made = outside.model.stats["mistakes"]
    assert len(made) >= 8
    steps = records_of(folder / "journal.jsonl")
    repairs = [text for step in steps for text in step.get("repairs") or ()]
    refused = [code for step in steps for code in step.get("refused") or ()]
    assert repairs
    assert refused
