"""Pictures of question graphs: PNG, SVG, and one page to look around in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from graphkit.draw.question_scene import question_scene
from graphkit.draw.svg import svg_text
from graphkit.evaluate import Evaluation
from graphkit.formats.writing import write_bytes, write_text
from graphkit.question import QuestionGraph

__all__ = ["draw_html", "draw_png", "draw_svg", "question_scene"]


def draw_svg(
    graph: QuestionGraph, path: str | os.PathLike[str], evaluation: Evaluation | None = None
) -> None:
    """Draw a question graph as an SVG file; the same graph gives the same bytes everywhere.

    Args:
        graph: The graph.
        path: Where to write; see :func:`graphkit.formats.atomic_writer`.
        evaluation: Its evaluation, to show candidates, answers and facts.
    """
    write_text(path, [svg_text(question_scene(graph, evaluation))])


def draw_png(
    graph: QuestionGraph,
    path: str | os.PathLike[str],
    evaluation: Evaluation | None = None,
    *,
    scale: float = 2.0,
) -> None:
    """Draw a question graph as a PNG file.

    Args:
        graph: The graph.
        path: Where to write; see :func:`graphkit.formats.atomic_writer`.
        evaluation: Its evaluation, to show candidates, answers and facts.
        scale: Pixels of the picture for one of the drawing.
    """
    from graphkit.draw.figure import png_bytes

    write_bytes(path, png_bytes(question_scene(graph, evaluation), scale=scale))


def draw_html(
    graphs: Iterable[QuestionGraph],
    path: str | os.PathLike[str],
    evaluations: Iterable[Evaluation | None] = (),
    *,
    title: str = "Question graphs",
) -> None:
    """Draw question graphs as one HTML page that needs nothing else.

    The page has a list of the questions, zoom and pan, and tells about a part when the pointer is
    over it or it has the focus. Answers are hidden until they are asked for.

    Args:
        graphs: The graphs, in the order of the list.
        path: Where to write; see :func:`graphkit.formats.atomic_writer`.
        evaluations: Their evaluations, in the same order; None or a missing one for a graph that
            has none.
        title: Of the page.
    """
    from graphkit.draw.page import page_text

    write_text(path, page_text(tuple(graphs), tuple(evaluations), title))
