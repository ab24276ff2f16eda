"""``graphkit compile``: question graphs as Cypher, SPARQL, English or Mermaid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from cli import render
from cli.endings import finish
from cli.options import Asked, as_json, open_facts, open_questions, takes_facts, takes_questions

if TYPE_CHECKING:
    from graphkit.compile.base import Compiled
    from graphkit.errors import Problem
    from graphkit.facts import FactStore

__all__ = ["compile_"]


@click.command("compile")
@takes_questions
@takes_facts
@click.option(
    "--to",
    type=click.Choice(["cypher", "sparql", "english", "mermaid"]),
    required=True,
    help="Cypher over the store or SPARQL over the facts in RDF (both need the facts, to know the "
    "entities), an English question (needs them for its words), or a Mermaid flowchart.",
)
@click.option("-o", "--output", metavar="FILE", help="Write there instead of standard output.")
@as_json
def compile_(
    files: tuple[str, ...],
    all_: bool,
    format_: str | None,
    keep_going: bool,
    facts_files: tuple[str, ...],
    relations: str | None,
    store: str | None,
    to: str,
    output: str | None,
    json_: bool,
) -> None:
    """Compile question graphs to Cypher, SPARQL, English or Mermaid.

    Values stand in Cypher as parameters, which come first, as comments; in SPARQL as IRIs. --json
    prints one object a line and question: question_id, to, text, params.
    """
    from graphkit.errors import InputError
    from graphkit.formats import write_text
    from graphkit.patterns import canonical_key

    asked = open_questions(
        files, store, all_=all_, format_=format_, keep_going=keep_going, facts_files=facts_files
    )
    facts = None
    if to != "mermaid":
        facts = open_facts(facts_files, relations, store, keep_going=keep_going)
    problems: list[Problem] = []
    texts: list[str] = []
    for item in asked:
        try:
            compiled = _compiled(item, to, facts)
        except InputError as error:
            problems += item.problems(error)
            continue
        name = item.graph.id or canonical_key(item.graph)
        if json_:
            record = {"question_id": name, "to": to}
            texts.append(
                json.dumps(
                    {**record, "text": compiled.text, "params": dict(compiled.params)},
                    ensure_ascii=False,
                )
                + "\n"
            )
        else:
            texts.append(_text(compiled, to, name if len(asked) > 1 else None))
    if problems:
        raise InputError(problems)
    write_text(output or "-", texts)
    finish()


def _compiled(item: Asked, to: str, facts: FactStore | None) -> Compiled:
    if to == "mermaid":
        from graphkit.compile.mermaid import compile_mermaid

        return compile_mermaid(item.graph)
    assert facts is not None
    if to == "cypher":
        from graphkit.compile.cypher import to_cypher

        return to_cypher(item.graph, facts)
    if to == "sparql":
        from graphkit.compile.sparql import to_sparql

        return to_sparql(item.graph, facts)
    from graphkit.compile.english import compile_english

    return compile_english(item.graph, facts.sheet, facts)


def _text(compiled: Compiled, to: str, name: str | None) -> str:
    comment = {"cypher": "//", "sparql": "#", "mermaid": "%%", "english": "#"}[to]
    heads = [] if name is None or to == "english" else [f"{comment} {render.visible(name)}"]
    heads += [
        f"{comment} ${key} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in compiled.params.items()
    ]
    gap = "" if name is None or to == "english" else "\n"
    return "\n".join([*heads, compiled.text.rstrip("\n")]) + "\n" + gap
