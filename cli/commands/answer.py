"""``graphkit answer``: the answers of questions, and why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from cli import render
from cli.endings import complain, finish
from cli.options import (
    Asked,
    as_json,
    open_facts,
    open_questions,
    opened_store,
    progress,
    takes_facts,
    takes_questions,
)
from cli.state import State

if TYPE_CHECKING:
    from graphkit.answers import AnswerReport
    from graphkit.errors import Problem
    from graphkit.facts import FactStore
    from graphkit.stores.base import GraphStore

__all__ = ["answer"]


@click.command
@takes_questions
@takes_facts
@click.option("--explain", is_flag=True, help="Tell the facts behind every answer.")
@click.option(
    "--why-not",
    multiple=True,
    metavar="NAME",
    help="Tell which node lost this entity first; may be given again.",
)
@click.option(
    "--engine",
    type=click.Choice(["memory", "store", "sparql"]),
    default="memory",
    help="Evaluate in memory, by Cypher in the store, or by SPARQL over the facts in RDF "
    "(pyoxigraph, else rdflib); all give the same.",
)
@click.option(
    "--materialize-universe",
    is_flag=True,
    help="Accept a question whose answers are all entities but some, and list them.",
)
@as_json
def answer(
    files: tuple[str, ...],
    all_: bool,
    format_: str | None,
    keep_going: bool,
    facts_files: tuple[str, ...],
    relations: str | None,
    store: str | None,
    explain: bool,
    why_not: tuple[str, ...],
    engine: str,
    materialize_universe: bool,
    json_: bool,
) -> None:
    """Answer question graphs exactly, and tell why.

    All answers are given, without a limit and without approximation. --json prints one object a
    line and question: question_id, answers (sorted), count, warnings; with --explain also
    witnesses, with --why-not also why_not.
    """
    from graphkit.answers import answer_question, require_entities
    from graphkit.errors import GraphkitError, InputError

    if engine == "store" and facts_files:
        raise click.UsageError("--engine store answers from the store: load the facts into it")
    asked = open_questions(
        files, store, all_=all_, format_=format_, keep_going=keep_going, facts_files=facts_files
    )
    facts = open_facts(facts_files, relations, store, keep_going=keep_going)
    require_entities(why_not, facts)
    problems: list[Problem] = []
    reports: list[AnswerReport] = []
    with _engine(engine, store) as opened, progress("answering", "questions") as told:
        for item in asked:
            try:
                found = None
                if opened is not None:
                    found = _in_store(opened, item, facts, materialize_universe)
                elif engine == "sparql":
                    found = _by_sparql(item, facts, materialize_universe)
                report = answer_question(
                    item.graph,
                    facts,
                    explain=explain,
                    why_not=why_not,
                    found=found,
                    materialize_universe=materialize_universe,
                )
            except GraphkitError as error:
                if not isinstance(error, InputError):
                    raise
                problems += item.problems(error)
                continue
            reports.append(report)
            told(len(reports), len(asked))
    if problems and not keep_going:
        raise InputError(problems)
    for report in reports:
        if json_:
            render.line(report.to_record())
        else:
            _print(report, several=len(asked) > 1)
    for problem in problems:
        complain(problem)
    State.current().skipped += len(asked) - len(reports)
    finish()


@contextmanager
def _engine(engine: str, store: str | None) -> Iterator[GraphStore | None]:
    if engine != "store":
        yield None
        return
    with opened_store(store, read_only=True) as opened:
        yield opened


def _in_store(
    store: GraphStore, item: Asked, facts: FactStore, materialize_universe: bool
) -> list[str]:
    from graphkit.stores import answer_in_store

    return answer_in_store(
        store, item.graph, facts, materialize_universe=materialize_universe, timeout=0
    )


def _by_sparql(item: Asked, facts: FactStore, materialize_universe: bool) -> list[str]:
    from graphkit.compile.sparql_answers import answer_by_sparql, fastest_engine

    return answer_by_sparql(
        item.graph, facts, fastest_engine(), materialize_universe=materialize_universe
    )


def _print(report: AnswerReport, *, several: bool) -> None:
    for warning in report.warnings:
        click.echo(f"warning: {render.visible(f'{report.question_id}: {warning}')}", err=True)
    if several:
        click.echo(f"{render.visible(report.question_id)}:")
    indent = "  " if several else ""
    if not report.answers:
        click.echo(f"note: {render.visible(report.question_id)} has no answers", err=True)
    witnesses = report.witnesses
    for place, name in enumerate(report.answers):
        click.echo(indent + render.visible(name))
        if witnesses is not None and place < len(witnesses):
            record = witnesses[place].to_record()
            for fact in record["facts"]:
                ids = f"  [{', '.join(fact['evidence_ids'])}]" if fact["evidence_ids"] else ""
                text = f"{fact['head']} | {fact['relation']} | {fact['tail']}{ids}"
                click.echo(f"{indent}    {render.visible(text)}")
            for step in record["steps"]:
                if step["kind"] == "absent":
                    text = f"{step['entity']} is not in the set excluded at node {step['node_id']}"
                    click.echo(f"{indent}    {render.visible(text)}")
    for item in report.losses or ():
        loss = item.loss
        text = (
            f"{item.name} is an answer"
            if loss is None
            else f"{item.name}: lost at node {loss.node_id}: {loss.reason}"
        )
        click.echo(indent + render.visible(text))
