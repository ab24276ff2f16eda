"""``graphkit draw``: pictures of question graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.endings import finish
from cli.options import (
    no_store_yet,
    open_facts,
    open_questions,
    progress,
    takes_facts,
    takes_questions,
)

if TYPE_CHECKING:
    from graphkit.evaluate import Evaluation
    from graphkit.facts import FactStore
    from graphkit.question import QuestionGraph

__all__ = ["draw"]


@click.command
@takes_questions
@takes_facts
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="A picture: .png, .svg or .html."
)
@click.option("--question", "wanted", metavar="ID", help="Which question, by its id or number.")
@click.option("--title", help="The title of the page.")
@click.option(
    "--scale", type=click.FloatRange(0.1, 10), default=2.0, show_default=True, help="Of a .png."
)
def draw(
    files: tuple[str, ...],
    all_: bool,
    format_: str | None,
    keep_going: bool,
    facts_files: tuple[str, ...],
    relations: str | None,
    store: str | None,
    output: str,
    wanted: str | None,
    title: str | None,
    scale: float,
) -> None:
    """Draw question graphs as PNG, SVG or one HTML page.

    A page shows any number of them, needs nothing else, and can be zoomed and hovered over.
    With facts (--facts, or a store) the picture shows how many candidates each node has, and
    the page the answers, on demand.
    """
    from graphkit.draw import draw_html, draw_png, draw_svg

    suffix = output.lower().rpartition(".")[2]
    if suffix not in ("png", "svg", "html"):
        raise click.UsageError(f'-o "{output}" does not end in .png, .svg or .html')
    asked = open_questions(
        files, store, all_=all_, format_=format_, keep_going=keep_going, facts_files=facts_files
    )
    graphs = [item.graph for item in asked]
    if wanted is not None:
        graphs = _chosen(graphs, wanted)
    elif suffix != "html" and len(graphs) > 1:
        raise click.UsageError(
            f"a .{suffix} shows one question, these are {len(graphs)}: choose one with "
            "--question ID, or draw a .html"
        )
    facts = None
    if facts_files or not no_store_yet(store):
        facts = open_facts(facts_files, relations, store, keep_going=keep_going)
    with progress("drawing"):
        evaluations = [_evaluation(graph, facts) for graph in graphs]
        if suffix == "html":
            draw_html(graphs, output, evaluations, title=title or "Question graphs")
        elif suffix == "svg":
            draw_svg(graphs[0], output, evaluations[0])
        else:
            draw_png(graphs[0], output, evaluations[0], scale=scale)
    finish()


def _chosen(graphs: list[QuestionGraph], wanted: str) -> list[QuestionGraph]:
    from graphkit.errors import InputError, did_you_mean

    found = [graph for graph in graphs if graph.id == wanted]
    if not found and wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(graphs):
        found = [graphs[int(wanted) - 1]]
    if not found:
        known = [graph.id for graph in graphs if graph.id]
        raise InputError(f"no question {wanted!r} among these{did_you_mean(wanted, known)}")
    return found[:1]


def _evaluation(graph: QuestionGraph, facts: FactStore | None) -> Evaluation | None:
    """Evaluate a graph for its picture; one that does not fit the facts is drawn without them."""
    from graphkit.errors import GroundingError, UnsafeGraphError
    from graphkit.evaluate import evaluate

    if facts is None:
        return None
    try:
        return evaluate(graph, facts)
    except (GroundingError, UnsafeGraphError):
        return None
