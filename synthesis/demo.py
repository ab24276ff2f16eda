"""The whole job on the bundled evidence: grow, check, repair, store, ask in Cypher, draw."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphkit.checks import CheckReport, check
from graphkit.compile.english import english
from graphkit.compile.english_lexicon import EnglishLexicon
from graphkit.draw import draw_html, draw_png, draw_svg
from graphkit.errors import InputError, UnsupportedError
from graphkit.evaluate import evaluate
from graphkit.facts import FactStore
from graphkit.formats import read_facts, write_text
from graphkit.formats.bundled import bundled_evidence
from graphkit.formats.strict_json import dumps
from graphkit.mutate import TIGHTENING, Mutation, replay_history
from graphkit.question import QuestionGraph
from graphkit.stores import (
    answer_in_store,
    load_facts,
    load_questions,
    open_store,
    save_checks,
    save_history,
)
from synthesis.grow import GrownQuestion, Growth
from synthesis.grow_settings import GrowSettings

__all__ = ["DEMO_QUERY", "DemoResult", "Repair", "run_demo"]

DEMO_QUERY = """\
MATCH (q:Question)-[:HAS_NODE]->(:Node)-[p:PROJECTION]->(:Node)
WITH p.relation AS relation, count(DISTINCT q.id) AS questions
MATCH (r:Relation {id: relation})
RETURN relation, questions, r.facts AS facts, r.complete AS complete
ORDER BY questions DESC, relation LIMIT 3"""
"""Which relations the questions use, and what the store knows about these."""

_MARK = ".graphkit-demo"
_STORE = "graphkit.db"

Told = Callable[[str, int | None, int | None], None]
"""Is told (what is being done, done, total)."""


@dataclass(frozen=True)
class Repair:
    """A question that failed a check, and the mutation that mended it.

    Attributes:
        before: The question as it was, with its text.
        report: Its checks: it had several answers.
        answers: These answers.
        mutation: What was done.
        after: The finished question.
    """

    before: QuestionGraph
    report: CheckReport
    answers: tuple[str, ...]
    mutation: Mutation
    after: GrownQuestion


@dataclass(frozen=True)
class DemoResult:
    """What the demo did.

    Attributes:
        folder: Where its files are.
        facts: How many facts were loaded.
        entities: About how many entities.
        relations: Of how many relations.
        complete: How many of these are complete: all their facts are known.
        partly: How many are complete for some subjects, which the sheet names.
        questions: The questions grown.
        attempts: In how many attempts.
        confirmed: How many questions have the same answers when Cypher is asked.
        repair: A question that failed a check on its way; None when none did.
        query: A Cypher query over the store.
        columns: The columns of its result.
        rows: Its rows.
        files: What was written, with what each is.
    """

    folder: Path
    facts: int
    entities: int
    relations: int
    complete: int
    partly: int
    questions: tuple[GrownQuestion, ...]
    attempts: int
    confirmed: int
    repair: Repair | None
    query: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    files: tuple[tuple[Path, str], ...]

    def to_record(self) -> dict[str, Any]:
        """Return the result as plain data."""
        repair = self.repair
        return {
            "folder": str(self.folder),
            "evidence": {
                "facts": self.facts,
                "entities": self.entities,
                "relations": self.relations,
                "complete": self.complete,
                "partly_complete": self.partly,
            },
            "attempts": self.attempts,
            "questions": [question.to_record() for question in self.questions],
            "confirmed_by_cypher": self.confirmed,
            "repair": None
            if repair is None
            else {
                "question": repair.before.question,
                "answers": list(repair.answers),
                "checks": repair.report.to_record(),
                "mutation": repair.mutation.to_record(),
                "question_id": repair.after.graph.id,
            },
            "query": {
                "cypher": self.query,
                "columns": list(self.columns),
                "rows": list(self.rows),
            },
            "files": [{"path": str(path), "about": about} for path, about in self.files],
        }


def run_demo(
    folder: str | os.PathLike[str] = "graphkit-demo",
    *,
    count: int = 10,
    seed: int = 0,
    evidence: str | os.PathLike[str] | None = None,
    progress: Told | None = None,
) -> DemoResult:
    """Grow questions from the bundled evidence, store them, ask about them, and draw them.

    Args:
        folder: Where to write; made if it does not exist. What an earlier demo left there is
            replaced.
        count: How many questions.
        seed: The same seed gives the same questions.
        evidence: Other evidence, with its sheet beside it.
        progress: Is told what is being done.

    Raises:
        InputError: The folder holds a store that is not of a demo, or nothing can be grown.
        DependencyError: The bundled evidence is not installed.
    """

    def tell(text: str, done: int | None = None, total: int | None = None) -> None:
        if progress is not None:
            progress(text, done, total)

    target = Path(folder)
    settings = GrowSettings(count=count, seed=seed)
    tell("reading the evidence")
    facts = read_facts(bundled_evidence() if evidence is None else evidence)
    _clear(target)
    growth = Growth(facts, settings)
    questions: list[GrownQuestion] = []
    for question in growth:
        questions.append(question)
        tell("growing questions", len(questions), count)
    if not questions:
        raise InputError("the evidence gave no question; try another --seed")
    tell("looking for a question that failed a check")
    repair = _repair(facts, questions)
    with open_store(target / _STORE) as store:
        load_facts(store, facts, progress=lambda done, total: tell("storing", done, total))
        load_questions(store, [question.graph for question in questions])
        for question in questions:
            save_history(store, question.graph, question.history)
        save_checks(store, [(question.graph, question.checks) for question in questions])
        tell("asking in Cypher")
        confirmed = sum(
            answer_in_store(store, question.graph, facts) == [question.graph.answer]
            for question in questions
        )
        rows = store.read(DEMO_QUERY)
        columns, found = rows.columns, tuple(rows)
    tell("drawing")
    drawn = repair.after if repair is not None else questions[0]
    complete = [facts.sheet.relation(name).complete for name in facts.living_relations]
    return DemoResult(
        folder=target,
        facts=len(facts),
        entities=facts.size,
        relations=len(facts.living_relations),
        complete=sum(known is True for known in complete),
        partly=sum(known is not True and bool(known) for known in complete),
        questions=tuple(questions),
        attempts=growth.attempts,
        confirmed=confirmed,
        repair=repair,
        query=DEMO_QUERY,
        columns=columns,
        rows=found,
        files=_write(target, facts, questions, drawn.graph),
    )


def _clear(target: Path) -> None:
    """Make the folder, and take away what an earlier demo left there."""
    if target.exists() and not target.is_dir():
        raise InputError(f"{target}: is a file, expected a folder for the demo")
    mark = target / _MARK
    if (target / _STORE).exists():
        if not mark.exists():
            raise InputError(
                f"{target}: holds a store that is not of a demo; choose another folder with --dir"
            )
        with open_store(target / _STORE):  # nobody else has it open
            pass
        for name in (_STORE, f"{_STORE}-wal"):
            (target / name).unlink(missing_ok=True)
    target.mkdir(parents=True, exist_ok=True)
    write_text(mark, ["made by graphkit demo, which may replace what is here\n"])


def _repair(facts: FactStore, questions: Sequence[GrownQuestion]) -> Repair | None:
    """Return the question whose last condition left the fewest of several answers behind."""
    lexicon = EnglishLexicon.build(facts.sheet, facts)
    usable = [
        question
        for question in questions
        if question.history[-1].strategy in TIGHTENING
        and (question.history[-1].answers_before or 0) > 1
    ]
    for question in sorted(usable, key=lambda item: item.history[-1].answers_before or 0):
        graph = replay_history(question.history)[-2]
        try:
            graph = graph.replace(question=english(graph, lexicon))
        except UnsupportedError:
            continue
        return Repair(
            before=graph,
            report=check(graph, facts),
            answers=tuple(evaluate(graph, facts).names),
            mutation=question.history[-1],
            after=question,
        )
    return None


def _write(
    target: Path, facts: FactStore, questions: Sequence[GrownQuestion], drawn: QuestionGraph
) -> tuple[tuple[Path, str], ...]:
    lines = target / "questions.jsonl"
    page, svg, png = (target / name for name in ("questions.html", "question.svg", "question.png"))
    write_text(lines, (dumps(question.to_record()) + "\n" for question in questions))
    graphs = [question.graph for question in questions]
    draw_html(graphs, page, [evaluate(graph, facts) for graph in graphs], title="graphkit demo")
    evaluation = evaluate(drawn, facts)
    draw_svg(drawn, svg, evaluation)
    draw_png(drawn, png, evaluation)
    return (
        (lines, "the questions, each with its checks and the mutations that made it"),
        (page, "the same to look around in: zoom, hover, answers on demand"),
        (svg, f"a picture of {drawn.id}"),
        (png, "the same as pixels"),
        (target / _STORE, "the store: facts, questions, verdicts, histories, open to Cypher"),
    )
