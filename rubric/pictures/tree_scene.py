"""A rubric tree as a scene: task, dimensions, directions, atoms, with what passed and failed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from graphkit.draw.lettering import printable, wrap
from graphkit.draw.scene import Box, Lettering, Link, Point, Scene, Tip
from graphkit.errors import InputError
from graphkit.formats.writing import write_bytes, write_text
from rubric.breakdown import Breakdown
from rubric.inventory import Inventory, default_inventory
from rubric.logic import DIMENSIONS, Role
from rubric.plan import resolve
from rubric.tree import Direction, Tree

__all__ = ["draw_tree", "draw_trees_page", "tree_scene"]

_MARGIN, _GAP = 26.0, 46.0
_WIDTHS = (170.0, 150.0, 190.0, 330.0)
_ROW, _DIRECTION_GAP, _DIMENSION_GAP = 6.0, 9.0, 16.0
_TITLE, _SMALL = 13.0, 10.5
_LINE = 1.32
_MARKS = {
    "passed": "\u2713", "failed": "\u2717", "na": "n/a", "na_guard": "n/a by the guard",
    "skipped": "skipped",
}  # fmt: skip
_STYLES = {
    "passed": "passed", "failed": "failed", "na": "apart", "na_guard": "apart",
    "skipped": "unknown", None: "variable",
}  # fmt: skip


@dataclass(slots=True)
class _Card:
    """A box of the tree before it has a place."""

    name: str
    style: str
    lines: tuple[tuple[str, float, str, bool], ...]
    tip: Tip
    level: int
    below: list[_Card] = field(default_factory=list)
    middle: float = 0.0

    @property
    def height(self) -> float:
        """How high it is, in pixels."""
        return sum(size * _LINE for _, size, _, _ in self.lines) + 12


def tree_scene(
    tree: Tree, breakdown: Breakdown | None = None, *, inventory: Inventory | None = None
) -> Scene:
    """Draw a rubric tree from left to right.

    Args:
        tree: The tree.
        breakdown: A score of it taken apart: leaves show what passed, failed or was set apart,
            boxes above them their points.
        inventory: The shared directions.

    Raises:
        InputError: The tree has no atom, or the score is of another tree.
    """
    if not tree.atoms:
        raise InputError(f"task {tree.task_id}: the tree has no atom to draw")
    if breakdown is not None and breakdown.task_id != tree.task_id:
        raise InputError(f"task {tree.task_id}: the score is of task {breakdown.task_id}")
    root = _cards(tree, breakdown, inventory or default_inventory())
    bottom = _place(root, 0.0)
    columns = [_MARGIN]
    for width in _WIDTHS:
        columns.append(columns[-1] + width + _GAP)
    boxes: list[Box] = []
    links: list[Link] = []
    top = _MARGIN + 34
    _collect(root, columns, top, boxes, links)
    width = columns[4] - _GAP + _MARGIN
    title = _title(tree, breakdown)
    shown = wrap(title, 16, width - 2 * _MARGIN, lines=1, bold=True)[0]
    heading = Lettering(Point(width / 2, _MARGIN + 8), shown, 16, "page", bold=True)
    return Scene(width, top + bottom + _MARGIN, title, tuple(links), tuple(boxes), (), (heading,))


def _title(tree: Tree, breakdown: Breakdown | None) -> str:
    if breakdown is None:
        return f"{tree.task_id}: {len(tree.atoms)} atoms"
    return f"{tree.task_id}, {breakdown.system}: {float(breakdown.score):.2f}"


def _cards(tree: Tree, breakdown: Breakdown | None, inventory: Inventory) -> _Card:
    resolved = resolve(tree, inventory)
    outcome = {item.atom_id: item for item in breakdown.atoms} if breakdown else {}
    parts = {item.id: item for item in breakdown.directions} if breakdown else {}
    sums = {item.id: item for item in breakdown.dimensions} if breakdown else {}
    root = _Card("task", "root", _lines(0, printable(tree.task_id), _score_line(breakdown)),
                 (("task", tree.task_id),), 0)  # fmt: skip
    for dimension in DIMENSIONS:
        names = [
            item.id
            for item in resolved.values()
            if item.dimension is dimension and tree.atoms_of.get(item.id)
        ]
        if not names:
            continue
        found = sums.get(dimension.value)
        told = "" if found is None else (
            f"{float(found.points):.2f} of {float(100 * found.weight):g}"
        )  # fmt: skip
        branch = _Card(f"dimension {dimension.value}", "anchor",
                       _lines(1, dimension.value, told), (("dimension", dimension.value),),
                       1)  # fmt: skip
        for name in names:
            card = _direction_card(resolved[name], parts.get(name), inventory)
            for place in tree.atoms_of[name]:
                card.below.append(_atom_card(tree, place, outcome))
            branch.below.append(card)
        root.below.append(branch)
    return root


def _score_line(breakdown: Breakdown | None) -> str:
    return "" if breakdown is None else f"score {float(breakdown.score):.2f}"


def _direction_card(direction: Direction, part: object, inventory: Inventory) -> _Card:
    from rubric.breakdown import DirectionPart

    known = inventory.by_id.get(direction.id)
    title = known.title.partition(":")[0] if known else ""
    role = "gate" if direction.role is Role.GATE else ""
    style, told = "relation", role
    tip: list[tuple[str, str]] = [("direction", f"{direction.id} {title}".strip()),
                                  ("role", str(direction.role)),
                                  ("logic", str(direction.logic))]  # fmt: skip
    if isinstance(part, DirectionPart):
        closed = part.gate == 0
        told = f"{part.passed} of {part.n}, {float(part.points):.2f} points"
        if role:
            told = f"gate {'closed' if closed else 'open'}, {told}"
        style = "negative" if closed else "relation"
        tip.append(("rate", _share(part.rate)))
        tip.append(("credited", _share(part.credited)))
        tip.append(("weight", str(part.weight)))
    name = f"{direction.id} {title}".strip()
    return _Card(f"direction {direction.id}", style, _lines(2, name, told), tuple(tip), 2)


def _share(value: Fraction | None) -> str:
    return "none scored" if value is None else f"{float(value):.3f}"


def _atom_card(tree: Tree, place: int, outcome: Mapping[str, object]) -> _Card:
    from rubric.explanation import AtomWorth

    atom = tree.atoms[place]
    found = outcome.get(atom.id)
    word: str | None = None
    told = printable(atom.id)
    tip: list[tuple[str, str]] = [("atom", atom.id), ("question", atom.question),
                                  ("expected", str(atom.expected))]  # fmt: skip
    if atom.fact_ids:
        tip.append(("facts", ", ".join(atom.fact_ids)))
    if isinstance(found, AtomWorth):
        word = found.outcome
        told = f"{_MARKS[word]}  {told}"
        if found.contribution:
            told += f"  {float(found.contribution):.2f}"
        tip.append(("outcome", word))
        tip.append(("worth now", f"{float(found.contribution):.2f}"))
        if found.gain is not None:
            tip.append(("flipping it", f"{float(found.gain):+.2f}"))
    return _Card(f"atom {atom.id}", _STYLES[word], _lines(3, told, atom.question), tuple(tip), 3)


def _lines(level: int, head: str, rest: str) -> tuple[tuple[str, float, str, bool], ...]:
    room = _WIDTHS[level] - 18
    size = _TITLE if level < 2 else 12.0
    found = [(text, size, "page", True) for text in wrap(head, size, room, lines=2, bold=True)]
    found += [(text, _SMALL, "soft", False) for text in wrap(rest, _SMALL, room, lines=2)]
    return tuple(found)


def _place(card: _Card, top: float) -> float:
    """Give a card and all below it their middles; return where they end."""
    if not card.below:
        card.middle = top + card.height / 2
        return top + card.height
    gap = (_DIMENSION_GAP, _DIRECTION_GAP, _ROW)[card.level]
    end = top
    for number, item in enumerate(card.below):
        end = _place(item, end + (gap if number else 0))
    first, last = card.below[0].middle, card.below[-1].middle
    card.middle = max((first + last) / 2, top + card.height / 2)
    return max(end, card.middle + card.height / 2)


def _collect(
    card: _Card, columns: Sequence[float], top: float, boxes: list[Box], links: list[Link]
) -> None:
    width = _WIDTHS[card.level]
    left = columns[card.level]
    centre = Point(left + width / 2, top + card.middle)
    y = centre.y - card.height / 2 + 6
    lines = []
    for text, size, style, bold in card.lines:
        lines.append(Lettering(Point(centre.x, y + size * _LINE / 2), text, size, style, bold))
        y += size * _LINE
    boxes.append(Box(card.name, centre, width, card.height, card.style, tuple(lines), card.tip, 8))
    for item in card.below:
        start = Point(left + width, centre.y)
        end = Point(columns[item.level], top + item.middle)
        links.append(Link((start, end), "link"))
        _collect(item, columns, top, boxes, links)


def draw_tree(
    tree: Tree,
    path: str | os.PathLike[str],
    breakdown: Breakdown | None = None,
    *,
    inventory: Inventory | None = None,
    scale: float = 2.0,
) -> None:
    """Draw a rubric tree as a ``.svg`` or ``.png`` file.

    Args:
        tree: The tree.
        path: Where to write.
        breakdown: A score of it taken apart.
        inventory: The shared directions.
        scale: Pixels of a ``.png`` for one of the drawing.

    Raises:
        InputError: The tree has no atom, or the name of the file ends otherwise.
    """
    scene = tree_scene(tree, breakdown, inventory=inventory)
    kind = os.fspath(path).lower().rpartition(".")[2]
    if kind == "svg":
        from graphkit.draw.svg import svg_text

        write_text(path, [svg_text(scene)])
    elif kind == "png":
        from graphkit.draw.figure import png_bytes

        write_bytes(path, png_bytes(scene, scale=scale))
    else:
        raise InputError(f"{os.fspath(path)}: ends in neither .png nor .svg")


_LEGEND = """\
<span><i class="k k-passed"></i>passed</span><span><i class="k k-failed"></i>failed</span>
<span><i class="k k-apart"></i>set apart (n/a)</span>
<span><i class="k k-unknown"></i>skipped</span>
"""


def draw_trees_page(
    drawn: Sequence[tuple[Tree, Breakdown | None]],
    path: str | os.PathLike[str],
    *,
    inventory: Inventory | None = None,
    title: str = "Rubric trees",
) -> None:
    """Draw rubric trees as one HTML page that needs nothing else.

    Args:
        drawn: The trees, each with its score taken apart or nothing.
        path: Where to write.
        inventory: The shared directions.
        title: Of the page.

    Raises:
        InputError: There is no tree.
    """
    from graphkit.draw.page import Sheet, page_of

    if not drawn:
        raise InputError("no rubric tree to draw")
    sheets = []
    for tree, breakdown in drawn:
        notes = [f"{len(tree.atoms)} atoms", f"{len(tree.facts)} facts"]
        if breakdown is not None:
            notes.append(f"score {float(breakdown.score):.2f}")
        name = tree.task_id if breakdown is None else f"{tree.task_id}, {breakdown.system}"
        heading = str((tree.model_extra or {}).get("title") or tree.task_id)
        scene = tree_scene(tree, breakdown, inventory=inventory)
        sheets.append(Sheet(scene, name, heading, notes))
    write_text(path, page_of(sheets, title, _LEGEND))
