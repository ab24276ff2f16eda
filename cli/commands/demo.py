"""``graphkit demo``: the whole job in a minute, told in one screenful."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from cli import render
from cli.endings import FAILED, complain
from cli.options import as_json, progress

if TYPE_CHECKING:
    from synthesis.demo import DemoResult, Repair
    from synthesis.grow import GrownQuestion

__all__ = ["demo", "screen"]

_WIDE = 100


@click.command
@click.option("--dir", "folder", default="graphkit-demo", show_default=True, help="Where to write.")
@click.option(
    "--count",
    default=10,
    show_default=True,
    type=click.IntRange(1, 100),
    help="How many questions.",
)
@click.option("--seed", default=0, show_default=True, help="The same seed, the same questions.")
@as_json
def demo(folder: str, count: int, seed: int, json_: bool) -> None:
    """Do the whole job in a minute on the bundled evidence.

    Grows questions, checks them exactly, shows one that failed a check and the mutation that
    mended it, stores all, asks in Cypher, draws. No server, key or network is used.
    """
    from synthesis.demo import run_demo

    with progress("starting") as told:

        def tell(text: str, done: int | None, total: int | None) -> None:
            told.label = text
            told.done, told.total = done, total

        result = run_demo(folder, count=count, seed=seed, progress=tell)
    if json_:
        render.document(result.to_record())
    else:
        click.echo("\n".join(screen(result)))
    if len(result.questions) < count or result.confirmed < len(result.questions):
        complain(
            f"{len(result.questions)} of {count} questions were grown, Cypher confirms "
            f"{result.confirmed} of them"
        )
        click.get_current_context().exit(FAILED)


def screen(result: DemoResult) -> list[str]:
    """Return the lines of the screenful."""
    lines = [
        render.paint("graphkit demo: evidence in, proven questions out", "cyan"),
        "",
        *_told(
            "Evidence",
            f"{result.facts:,} facts about {result.entities:,} entities in {result.relations} "
            f"relations. Of {result.complete} relations all facts are known, of {result.partly} "
            "more those about named subjects: a verdict that rests only on these is a proof, "
            "basis closed.",
        ),
        *_told(
            "Grown",
            f"{len(result.questions)} questions in {result.attempts} attempts. Each was checked "
            "exactly: one answer, no condition that could go, no shortcut, basis closed. Cypher, "
            f"compiled from each graph, gives the same answer for {result.confirmed} of "
            f"{len(result.questions)}.",
        ),
        *_questions(result),
    ]
    if result.repair is not None:
        lines += _repair(result.repair)
    lines += [
        *_told("Asked", "the store knows questions and facts in one graph:"),
        *(f"  {text}" for text in result.query.splitlines()),
        *_rows(result),
        *_told("Written", f"to {result.folder}:"),
    ]
    names = [(path.name, about) for path, about in result.files]
    lines += [f"  {text}" for text in render.pairs(names).splitlines()]
    return [*lines, f"Next: graphkit draw, check, query, answer --store {result.files[-1][0]}"]


def _told(word: str, text: str) -> list[str]:
    wrapped = textwrap.wrap(render.visible(text), _WIDE - 10)
    return [
        render.paint(f"{word if not place else '':<9} ", "green") + part
        for place, part in enumerate(wrapped)
    ]


def _questions(result: DemoResult) -> list[str]:
    rows = []
    for number, question in enumerate(result.questions, 1):
        profile = question.checks.profile
        edges = profile.shape.edges if profile else None
        depth = _depth(question)
        answer = render.cut(question.graph.answer or "", 32)
        rows.append((number, answer, edges, depth, question.graph.question))
    text = render.table(("#", "answer", "edges", "depth", "question"), rows)
    lines = [f"  {render.cut(line, _WIDE - 2)}" for line in text.splitlines()]
    if result.questions:
        # The shortest of the deepest is the one that shows most in the least room.
        shown = max(
            enumerate(result.questions, 1), key=lambda item: (_depth(item[1]), -_length(item[1]))
        )
        number, graph = shown[0], shown[1].graph
        lines += _told(f"No. {number}", f'in full: "{graph.question}" {graph.answer}.')
    return lines


def _depth(question: GrownQuestion) -> int:
    return question.checks.profile.shape.depth if question.checks.profile else 0


def _length(question: GrownQuestion) -> int:
    return len(question.graph.question)


def _repair(repair: Repair) -> list[str]:
    after = repair.after
    names = ", ".join(repair.answers)
    return [
        *_told("Failed", f'on the way to {after.graph.id}: "{repair.before.question}"'),
        *_told("", f"The check said: not unique, {len(repair.answers)} answers: {names}."),
        *_told(
            "Mended",
            f"by a recorded mutation, {repair.mutation.strategy.value} at node "
            f"{repair.mutation.node_id}: {repair.mutation.reason}",
        ),
        *_told("", f"The check said then: unique, answer {after.graph.answer}, all green."),
    ]


def _rows(result: DemoResult) -> list[str]:
    text = render.table(result.columns, ([row[c] for c in result.columns] for row in result.rows))
    return [f"  {render.cut(line, _WIDE - 2)}" for line in text.splitlines()]
