"""``graphkit stats``: what a set of questions is like."""

from __future__ import annotations

from typing import Any

import click

from cli import render
from cli.endings import finish
from cli.options import (
    as_json,
    limit_rows,
    no_store_yet,
    open_facts,
    open_questions,
    takes_facts,
    takes_questions,
)

__all__ = ["stats"]


@click.command
@takes_questions
@takes_facts
@as_json
def stats(
    files: tuple[str, ...],
    all_: bool,
    format_: str | None,
    keep_going: bool,
    facts_files: tuple[str, ...],
    relations: str | None,
    store: str | None,
    json_: bool,
) -> None:
    """Describe a set of questions: size, operations, length, sources.

    Without a file the questions are those of the store.

    Nodes and edges are counted on the normal form; the length is in words and punctuation
    marks, or in characters where a script has no spaces, and beside it in the tokens of a public
    tokenizer, which is named. Root domains are those of the evidence
    that a question names, looked up in the facts (--facts, or the store).
    """
    from graphkit.checks.statistics import statistics

    asked = open_questions(
        files,
        store,
        all_=all_ or not files,
        format_=format_,
        keep_going=keep_going,
        facts_files=facts_files,
    )
    records = None
    if facts_files or not no_store_yet(store):
        records = open_facts(facts_files, relations, store, keep_going=keep_going).records
    found = statistics([item.graph for item in asked], records)
    if json_:
        render.document(found)
    else:
        _print(found)
    finish()


def _print(found: dict[str, Any]) -> None:
    click.echo(f"{found['questions']} questions, {found['answers']['different']} different answers")
    click.echo()
    names = ("nodes", "edges", "hops", "depth", "anchors", "length", "tokens")
    rows = [(name, *(found[name][key] for key in ("mean", "min", "max"))) for name in names]
    rows[-1] = (f"tokens ({found['tokens']['tokenizer']})", *rows[-1][1:])
    if found["root_domains"] is not None:
        rows.append(("root domains", *(found["root_domains"][k] for k in ("mean", "min", "max"))))
    click.echo(render.table(("of a question", "mean", "min", "max"), rows))
    ops = [(name, item["edges"], item["questions"]) for name, item in found["ops"].items()]
    _section(("operation", "edges", "questions"), ops)
    languages = [
        (
            name,
            item["questions"],
            item["length"],
            found["tokens"]["languages"][name],
            item["nodes"],
        )
        for name, item in found["languages"].items()
    ]
    _section(("language", "questions", "mean length", "mean tokens", "mean nodes"), languages)
    for key, head in (("depth", "depth"), ("domains", "domain"), ("signatures", "signature")):
        counts = found[key]["counts"] if key == "depth" else found[key]
        _section((head, "questions"), list(counts.items()))
    if found["root_domains"] is not None:
        _section(("root domain", "questions"), list(found["root_domains"]["domains"].items()))


def _section(heads: tuple[str, ...], rows: list[Any]) -> None:
    click.echo()
    click.echo(render.table(heads, limit_rows(rows)))
