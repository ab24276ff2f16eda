"""A question graph as a scene: anchors at the left, the answer node at the right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graphkit.draw.layers import Layout, layered
from graphkit.draw.lettering import printable, text_width, wrap
from graphkit.draw.scene import Box, Disc, Lettering, Link, Point, Scene, Tip
from graphkit.errors import InputError
from graphkit.evaluate import Evaluation
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph
from graphkit.witness import find_witness

__all__ = ["question_scene"]

_MARGIN = 26
_CARD_WIDTH = 190
_TITLE, _SMALL, _PILL, _CAPTION = 14.0, 11.5, 12.0, 16.0
_LEAST_WIDTH = 520
_LINE, _PAD = 1.32, 11
_DISC = 13
_MERGE = 9
_MERGE_ROOM = 30
_SHOWN = 12
_SIGNS = {Op.INTERSECTION: "\u2229", Op.UNION: "\u222a", Op.COMPLEMENT: "\u00ac"}


@dataclass(frozen=True, slots=True)
class _Card:
    """What a node or a relation looks like, before it has a place."""

    width: float
    height: float
    style: str
    lines: tuple[tuple[str, float, str, bool, bool], ...]
    tip: Tip


def question_scene(
    graph: QuestionGraph,
    evaluation: Evaluation | None = None,
    *,
    answers: bool = True,
    caption: bool = True,
) -> Scene:
    """Draw a question graph.

    Every column is one operation further from the question's anchors. Relations, intersections
    and complements stand between the nodes that they join; an arrow before the name of a
    relation says which way its facts are read.

    Args:
        graph: The graph.
        evaluation: Its evaluation, for the number of candidates and the facts of one answer.
        answers: Whether the answer is told. Its lines are marked as secret in the scene.
        caption: Whether the question stands above.

    Raises:
        InputError: The evaluation is of another graph.
    """
    if evaluation is not None and evaluation.graph != graph:
        raise InputError("the evaluation is of another graph than the one to be drawn")
    facts = _facts(evaluation)
    ranks = _ranks(graph)
    cards = {
        f"n:{node.node_id}": _node_card(graph, node, evaluation, answers) for node in graph.nodes
    }
    links: list[tuple[str, str]] = []
    for edge in graph.edges:
        name = f"e:{edge.edge_id}"
        cards[name] = _edge_card(edge, facts)
        ranks[name] = ranks[f"n:{edge.target_id}"] - 1
        links += [(f"n:{source}", name) for source in dict.fromkeys(edge.source_ids)]
        links.append((name, f"n:{edge.target_id}"))
    sizes = {name: (card.width, card.height) for name, card in cards.items()}
    merging = {node_id for node_id, edges in graph.incoming.items() if len(edges) > 1}
    for edge in graph.edges:  # room for the sign of an implicit intersection
        if edge.target_id in merging:
            name = f"e:{edge.edge_id}"
            sizes[name] = (sizes[name][0] + 2 * _MERGE_ROOM, sizes[name][1])
    layout = layered(sizes, ranks, links)
    return _assemble(graph, cards, layout, merging, caption=caption)


def _ranks(graph: QuestionGraph) -> dict[str, int]:
    """Return the column of every node: two for each step, the root and its like at the right."""
    steps: dict[str, int] = {}
    for node_id in reversed(graph.order):
        steps[node_id] = max(
            (steps[edge.target_id] + 1 for edge in graph.outgoing[node_id]), default=0
        )
    most = max(steps.values())
    return {f"n:{node_id}": 2 * (most - step) for node_id, step in steps.items()}


def _assemble(
    graph: QuestionGraph,
    cards: Mapping[str, _Card],
    layout: Layout,
    merging: set[str],
    *,
    caption: bool,
) -> Scene:
    width = max(layout.width, _LEAST_WIDTH if caption and graph.question else 0) + 2 * _MARGIN
    heading = _caption(graph, width) if caption else ()
    top = heading[-1].at.y + _CAPTION + _MARGIN if heading else _MARGIN
    left = (width - layout.width) / 2

    def place(point: tuple[float, float]) -> Point:
        return Point(point[0] + left, point[1] + top)

    def at(name: str) -> Point:
        return place(layout.middles[name])

    boxes, discs, links = [], [], []
    for name, card in cards.items():
        kind, _, ident = name.partition(":")
        edge = graph.edges_by_id[ident] if kind == "e" else None
        if edge is not None and edge.op is not Op.PROJECTION:
            discs.append(Disc(name, at(name), _DISC, card.style, _SIGNS[edge.op], card.tip))
        else:
            boxes.append(_box(name, card, at(name), 12 if kind == "n" else card.height / 2))
    for edge in graph.edges:
        name, target = f"e:{edge.edge_id}", f"n:{edge.target_id}"
        style = "cut" if edge.op is Op.COMPLEMENT else "link"
        half = cards[name].width / 2
        for source in dict.fromkeys(edge.source_ids):
            start = at(f"n:{source}")
            via = tuple(place(point) for point in layout.routes[f"n:{source}", name])
            first = start._replace(x=start.x + cards[f"n:{source}"].width / 2)
            last = at(name)._replace(x=at(name).x - half)
            links.append(Link((first, *via, last), style))
        edge_of = at(target).x - cards[target].width / 2
        end = Point(edge_of - (_MERGE_ROOM if edge.target_id in merging else 1), at(target).y)
        start = at(name)._replace(x=at(name).x + half)
        links.append(Link((start, end), style, arrow=edge.target_id not in merging))
    for node_id in graph.order:
        if node_id in merging:
            middle = at(f"n:{node_id}")
            edge_of = middle.x - cards[f"n:{node_id}"].width / 2
            centre = Point(edge_of - _MERGE_ROOM, middle.y)
            tip = (("Implicit intersection", "all edges into this node hold at once"),)
            links.append(Link((centre, Point(edge_of - 1, middle.y)), "link", arrow=True))
            discs.append(Disc(f"m:{node_id}", centre, _MERGE, "implicit", "\u2229", tip))
    title = printable(graph.question) or f"Question graph {graph.id or ''}".strip()
    height = top + layout.height + _MARGIN
    return Scene(width, height, title, tuple(links), tuple(boxes), tuple(discs), heading)


def _caption(graph: QuestionGraph, width: float) -> tuple[Lettering, ...]:
    lines = wrap(graph.question, _CAPTION, width - 2 * _MARGIN, lines=6, bold=True)
    return tuple(
        Lettering(
            Point(width / 2, _MARGIN + (number + 0.5) * _CAPTION * _LINE),
            line,
            _CAPTION,
            "page",
            bold=True,
        )
        for number, line in enumerate(lines)
    )


def _box(name: str, card: _Card, middle: Point, radius: float) -> Box:
    total = sum(size * _LINE for _, size, _, _, _ in card.lines)
    y = middle.y - total / 2
    lines = []
    for text, size, style, bold, secret in card.lines:
        lines.append(
            Lettering(Point(middle.x, y + size * _LINE / 2), text, size, style, bold, secret)
        )
        y += size * _LINE
    return Box(name, middle, card.width, card.height, card.style, tuple(lines), card.tip, radius)


# ---- nodes ------------------------------------------------------------------------------------


def _node_style(graph: QuestionGraph, node: Node) -> str:
    edges = graph.incoming[node.node_id]
    if node.node_id == graph.root_node_id:
        return "root"
    if node.known_entities:
        return "anchor"
    if edges and all(edge.op is Op.COMPLEMENT for edge in edges):
        return "negative"
    return "variable" if edges else "free"


def _node_card(
    graph: QuestionGraph, node: Node, evaluation: Evaluation | None, answers: bool
) -> _Card:
    style = _node_style(graph, node)
    named = " or ".join(node.known_entities)
    title = named or node.label or node.entity_type or "anything"
    lines: list[tuple[str, float, str, bool, bool]] = [
        (line, _TITLE, style, True, False)
        for line in wrap(title, _TITLE, _CARD_WIDTH - 2 * _PAD, bold=True)
    ]
    below = node.label if named and node.label != named else ""
    if node.entity_type and node.entity_type.casefold() not in title.casefold():
        below = f"{below} ({node.entity_type})" if below else node.entity_type
    lines += [
        (line, _SMALL, "soft", False, False)
        for line in wrap(below, _SMALL, _CARD_WIDTH - 2 * _PAD, lines=2)
    ]
    if style == "root":
        said = _answer_line(graph, evaluation)
        lines += [
            (line, _SMALL + 0.5, "answer", True, True)
            for line in wrap(
                said if answers else "", _SMALL + 0.5, _CARD_WIDTH - 2 * _PAD, bold=True
            )
        ]
    elif evaluation is not None and style != "anchor":
        lines.append((_count(node, evaluation), _SMALL, "count", False, False))
    widest = max(text_width(text, size, bold=bold) for text, size, _, bold, _ in lines)
    height = sum(size * _LINE for _, size, _, _, _ in lines) + 2 * _PAD
    width = max(widest + 2 * _PAD + 4, 76)
    return _Card(
        width, height, style, tuple(lines), _node_tip(graph, node, style, evaluation, answers)
    )


def _answer_line(graph: QuestionGraph, evaluation: Evaluation | None) -> str:
    if evaluation is None:
        return graph.answer or ""
    if evaluation.count == 1:
        return evaluation.names[0]
    return f"{evaluation.count:,} answers" if evaluation.count else "no answer"


def _count(node: Node, evaluation: Evaluation) -> str:
    value = evaluation.values[node.node_id]
    if value.complemented:
        left_out = len(value.ids)
        return f"all but {left_out:,}" if left_out else "everything"
    count = len(value.ids)
    return f"{count:,} candidate{'' if count == 1 else 's'}"


def _node_tip(
    graph: QuestionGraph, node: Node, style: str, evaluation: Evaluation | None, answers: bool
) -> Tip:
    kinds = {
        "root": "answer node",
        "anchor": "anchor",
        "free": "free variable",
        "negative": "variable (complement)",
    }
    tip = [("Node", f"{node.node_id}, {kinds.get(style, 'variable')}")]
    if node.label:
        tip.append(("Label", printable(node.label)))
    if node.known_entities:
        tip.append(("Given", _listed(node.known_entities)))
    if node.entity_type:
        tip.append(("Type", printable(node.entity_type)))
    hides = style == "root" and not answers
    if node.reference_entities and not hides:
        tip.append(("Hides", _listed(node.reference_entities)))
    if evaluation is not None and not hides:
        value = evaluation.values[node.node_id]
        names = [evaluation.facts.name(int(number)) for number in value.ids[: _SHOWN * 20]]
        heading = "Left out" if value.complemented else "Candidates"
        heading = "Answers" if style == "root" and not value.complemented else heading
        tip.append((heading, f"{len(value.ids):,}"))
        if len(value.ids):
            tip.append(("", _listed(sorted(names), len(value.ids))))
    elif style == "root" and graph.answer is not None and not hides:
        tip.append(("Answer", printable(graph.answer)))
    return tuple(tip)


def _listed(names: tuple[str, ...] | list[str], count: int | None = None) -> str:
    count = len(names) if count is None else count
    shown = ", ".join(printable(name) for name in names[:_SHOWN])
    return shown if count <= _SHOWN else f"{shown} and {count - _SHOWN:,} more"


# ---- edges ------------------------------------------------------------------------------------


def _facts(evaluation: Evaluation | None) -> dict[str, list[str]]:
    """Return for each edge the facts that make the first answer true."""
    found: dict[str, list[str]] = {}
    if evaluation is None or not evaluation.safe or not len(evaluation.answers.ids):
        return found
    for step in find_witness(evaluation, int(evaluation.answers.ids[0])).steps:
        if step.fact is not None and step.edge_id is not None:
            head, relation, tail = evaluation.facts.in_names(step.fact)
            text = printable(f"{head} \u2014 {relation} \u2192 {tail}")
            found.setdefault(step.edge_id, []).append(text)
    return {edge_id: list(dict.fromkeys(texts)) for edge_id, texts in found.items()}


_TELLS = {
    Op.INTERSECTION: ("Intersection", "in all of its sources"),
    Op.UNION: ("Union", "in at least one of its sources"),
    Op.COMPLEMENT: ("Complement", "everything that is not in its source"),
}


def _edge_card(edge: Edge, facts: Mapping[str, list[str]]) -> _Card:
    if edge.op is not Op.PROJECTION:
        heading, text = _TELLS[edge.op]
        tip: Tip = (("Edge", edge.edge_id), (heading, text))
        return _Card(2 * _DISC, 2 * _DISC, edge.op.value, (), tip)
    forward = edge.reads is Direction.FORWARD
    relation = printable(edge.relation or "")
    shown = f"{relation} \u2192" if forward else f"\u2190 {relation}"
    lines = wrap(shown, _PILL, 150, lines=2)
    reads = (
        f"the tails of \u201c{relation}\u201d whose head is in the source"
        if forward
        else f"the heads of \u201c{relation}\u201d whose tail is in the source"
    )
    tip = (("Edge", f"{edge.edge_id}, projection {edge.reads.value}"), ("Relation", relation),
           ("Value", reads))  # fmt: skip
    said = facts.get(edge.edge_id, [])
    tip += tuple((("Fact" if not number else "", text)) for number, text in enumerate(said[:5]))
    width = max(text_width(line, _PILL) for line in lines) + 22
    return _Card(
        width,
        len(lines) * _PILL * _LINE + 9,
        "relation",
        tuple((line, _PILL, "relation", False, False) for line in lines),
        tip,
    )
