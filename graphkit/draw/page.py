"""One HTML page of drawings: a list, zoom and pan, tips; needs no network and no other file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from graphkit.draw.lettering import printable
from graphkit.draw.question_scene import question_scene
from graphkit.draw.scene import Scene
from graphkit.draw.svg import stylesheet, svg_text
from graphkit.errors import InputError
from graphkit.evaluate import Evaluation
from graphkit.patterns import shape
from graphkit.question import QuestionGraph

__all__ = ["Sheet", "page_of", "page_text"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


class Sheet:
    """One entry of a page: what is said about a drawing, and the drawing.

    Args:
        scene: The drawing.
        name: Its name in the list.
        heading: What stands above it.
        notes: Short remarks.
        answer: What is hidden until it is asked for, if anything.
    """

    def __init__(
        self,
        scene: Scene,
        name: str,
        heading: str,
        notes: Sequence[str] = (),
        answer: str | None = None,
    ) -> None:
        self.scene = scene
        self.name = name
        self.heading = heading
        self.notes = tuple(notes)
        self.answer = answer


def page_text(
    graphs: Sequence[QuestionGraph], evaluations: Sequence[Evaluation | None], title: str
) -> list[str]:
    """Return the parts of a page of question graphs.

    Raises:
        InputError: There is no graph, or there are more evaluations than graphs.
    """
    if not graphs:
        raise InputError("no question graph to draw")
    if len(evaluations) > len(graphs):
        raise InputError(f"{len(evaluations)} evaluations for {len(graphs)} graphs")
    rest = [None] * (len(graphs) - len(evaluations))
    sheets = [
        _sheet(number, graph, evaluation)
        for number, (graph, evaluation) in enumerate(
            zip(graphs, [*evaluations, *rest], strict=True), 1
        )
    ]
    return page_of(sheets, title, _LEGEND)


def _sheet(number: int, graph: QuestionGraph, evaluation: Evaluation | None) -> Sheet:
    counted = shape(graph)
    sign = counted.signature if len(counted.signature) <= 12 else f"{counted.hops} hops"
    notes = [sign, f"{counted.edges} edges", f"depth {counted.depth}", counted.tree]
    if evaluation is not None:
        count = evaluation.count
        notes.append("one answer" if count == 1 else f"{count:,} answers")
    answer = graph.answer
    if evaluation is not None and evaluation.safe and evaluation.count:
        names = evaluation.names
        answer = ", ".join(names[:12]) + (f" and {len(names) - 12:,} more" if names[12:] else "")
    scene = question_scene(graph, evaluation, caption=False)
    return Sheet(scene, graph.id or f"Question {number}", graph.question, notes, answer)


_LEGEND = """\
<span><i class="k k-anchor"></i>given</span><span><i class="k k-variable"></i>set to find</span>
<span><i class="k k-negative"></i>complement</span><span><i class="k k-root"></i>answer node</span>
<span><b class="k-sign" style="color:#7247c9">&cap;</b>all of them</span>
<span><b class="k-sign" style="color:#d4494f">&not;</b>none of them</span>
"""


def page_of(sheets: Sequence[Sheet], title: str, legend: str = "") -> list[str]:
    """Return the parts of a page of drawings of any kind.

    Args:
        sheets: The entries.
        title: Of the page.
        legend: HTML of our own that explains the signs.
    """
    source = files("graphkit.draw")
    style = source.joinpath("page.css").read_text(encoding="utf-8")
    script = source.joinpath("page.js").read_text(encoding="utf-8")
    parts = [
        "<!DOCTYPE html>\n",
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        '<meta name="color-scheme" content="light dark">\n',
        f"<title>{_text(title)}</title>\n<style>\n{style}{stylesheet('.graph ')}\n</style>\n",
        "</head>\n<body>\n",
        f'<nav aria-label="Questions"><h1>{_text(title)}</h1>\n',
        '<input id="find" type="search" placeholder="Find" aria-label="Find in the list">\n<ol>\n',
    ]
    for number, sheet in enumerate(sheets):
        parts.append(
            f'<li><button type="button" data-sheet="{number}"><b>{_text(sheet.name)}</b>'
            f'<span dir="auto">{_text(sheet.heading)}</span></button></li>\n'
        )
    parts += ["</ol></nav>\n<main>\n", '<div id="stage">', _sheet_html(sheets[0]), "</div>\n"]
    parts.append(f'<footer><div class="legend">{legend}</div>\n{_TOOLS}</footer>\n')
    parts.append('</main>\n<div id="tip" role="tooltip" hidden></div>\n')
    for number, sheet in enumerate(sheets):
        parts.append(f'<template id="sheet-{number}">{_sheet_html(sheet)}</template>\n')
    parts.append(f"<script>\n{script}</script>\n</body>\n</html>\n")
    return parts


_TOOLS = """\
<div class="tools"><button type="button" data-do="out" aria-label="Zoom out">&minus;</button>
<button type="button" data-do="fit">Fit</button>
<button type="button" data-do="in" aria-label="Zoom in">+</button></div>
"""


def _sheet_html(sheet: Sheet) -> str:
    notes = "".join(f"<li>{_text(note)}</li>" for note in sheet.notes)
    answer = ""
    if sheet.answer is not None:
        answer = (
            '<details class="answer"><summary>Answer</summary>'
            f'<p dir="auto">{_text(sheet.answer)}</p></details>'
        )
    heading = _text(sheet.heading) or _text(sheet.name)
    return (
        f'<header><h2 dir="auto">{heading}</h2><ul class="notes">{notes}</ul>{answer}</header>'
        f'<div class="view">{svg_text(sheet.scene, inline=True)}</div>'
    )


def _text(text: str) -> str:
    return escape(printable(text))
