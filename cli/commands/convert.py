"""``graphkit convert``: question graphs, and rubric trees, between notations."""

from __future__ import annotations

import click

from cli.commands.convert_trees import read_trees, write_trees
from cli.endings import finish, note
from cli.options import keep_going, open_questions

__all__ = ["convert"]


@click.command
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "from_", metavar="NAME", help="The notation of IN; by default told.")
@click.option("--to", metavar="NAME", help="The notation of OUT; by default told by its suffix.")
@keep_going
def convert(source: str, target: str, from_: str | None, to: str | None, keep_going: bool) -> None:
    """Convert question graphs, or rubric trees, between notations.

    Both ways: json (JSON, JSONL), graphml, turtle, trig, sparql (.rq, rows), efo, betae. To be
    read only: webshaper, 2wiki, musique. "-" is standard input and standard output; a name that
    ends in .gz is compressed. What a notation cannot carry is refused by name; what it leaves
    behind without a change of the question is told on standard error.

    Rubric trees go between json (JSON, JSONL), turtle and trig; from standard input with
    "--from trees".
    """
    from graphkit.formats import write_questions

    trees = read_trees(source, from_)
    if trees is not None:
        write_trees(trees, target, to)
        finish()
        return
    asked = open_questions([source], format_=from_, keep_going=keep_going)
    for problem in write_questions([item.graph for item in asked], target, to):
        note(str(problem))
    finish()
