"""Drawing primitives: a scene of boxes, discs, lines and lettering that any output can draw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

__all__ = ["STYLES", "Box", "Disc", "Lettering", "Link", "Point", "Scene", "Style", "Tip"]

Tip = tuple[tuple[str, str], ...]
"""What is told about a part: (heading, text) pairs; an empty heading continues the last one."""


class Point(NamedTuple):
    """A place: pixels from the left, pixels from the top."""

    x: float
    y: float


class Style(NamedTuple):
    """Colours of a kind of part, each for light and for dark surroundings.

    Attributes:
        fill: Inside.
        stroke: Outline.
        text: Lettering.
        width: Of the outline, in pixels.
        dash: Lengths of dash and gap, or nothing for a whole line.
    """

    fill: tuple[str, str]
    stroke: tuple[str, str]
    text: tuple[str, str]
    width: float = 1.5
    dash: tuple[float, float] | None = None


_INK = ("#1d2733", "#e8edf4")
_SOFT = ("#5c6b7d", "#9db0c6")

STYLES: dict[str, Style] = {
    "page": Style(("#ffffff", "#10161e"), ("#ffffff", "#10161e"), _INK),
    "anchor": Style(("#fff3cf", "#3b2f0d"), ("#d29b00", "#e3b53c"), _INK),
    "variable": Style(("#ecf3ff", "#14233c"), ("#4a7fdc", "#6ea3ff"), _INK),
    "free": Style(("#f6f8fb", "#18202b"), ("#8a99ab", "#8497ad"), _INK, 1.5, (5, 4)),
    "negative": Style(("#fdeeee", "#37181b"), ("#d4494f", "#f0767b"), _INK, 1.5, (5, 4)),
    "root": Style(("#dff6e7", "#10321f"), ("#178a4b", "#45c882"), _INK, 3.0),
    "relation": Style(("#ffffff", "#1a222d"), ("#c3cddb", "#3b4a5d"), _INK, 1.2),
    "intersection": Style(("#7247c9", "#8f68e0"), ("#7247c9", "#8f68e0"), ("#ffffff", "#ffffff")),
    "implicit": Style(("#ffffff", "#10161e"), ("#7247c9", "#a587ea"), ("#7247c9", "#b79df0"), 1.5,
                      (3, 2)),
    "union": Style(("#0d8a86", "#19a39e"), ("#0d8a86", "#19a39e"), ("#ffffff", "#ffffff")),
    "complement": Style(("#d4494f", "#de5a60"), ("#d4494f", "#de5a60"), ("#ffffff", "#ffffff")),
    "passed": Style(("#e3f6e9", "#10321f"), ("#178a4b", "#45c882"), _INK),
    "failed": Style(("#fdeeee", "#37181b"), ("#d4494f", "#f0767b"), _INK),
    "apart": Style(("#f1f3f6", "#1b222c"), ("#8a99ab", "#8497ad"), _INK, 1.5, (5, 4)),
    "unknown": Style(("#fff3cf", "#3b2f0d"), ("#d29b00", "#e3b53c"), _INK, 1.5, (2, 3)),
    "link": Style(("none", "none"), ("#94a3b5", "#5d7086"), _INK, 1.7),
    "cut": Style(("none", "none"), ("#d4494f", "#f0767b"), _INK, 1.7, (6, 4)),
    "soft": Style(("none", "none"), ("none", "none"), _SOFT),
    "count": Style(("none", "none"), ("none", "none"), ("#2b5fc0", "#8fb8ff")),
    "answer": Style(("none", "none"), ("none", "none"), ("#0f6d39", "#6fe0a2")),
}  # fmt: skip
"""The kinds of parts that scenes use."""


@dataclass(frozen=True, slots=True)
class Lettering:
    """One line of text.

    Attributes:
        at: Where it is: the middle of the line.
        text: What it says.
        size: In pixels.
        style: The name of a style, for its colour.
        bold: Whether it is bold.
        secret: Whether it gives the answer away.
    """

    at: Point
    text: str
    size: float
    style: str
    bold: bool = False
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with round corners around its middle.

    Attributes:
        name: Its name in the scene.
        at: Its middle.
        width: In pixels.
        height: In pixels.
        style: The name of a style.
        lines: What is written in it.
        tip: What is told about it.
        radius: Of its corners, in pixels.
    """

    name: str
    at: Point
    width: float
    height: float
    style: str
    lines: tuple[Lettering, ...] = ()
    tip: Tip = ()
    radius: float = 10


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle with one sign in it; see :class:`Box`."""

    name: str
    at: Point
    radius: float
    style: str
    mark: str
    tip: Tip = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A smooth line through points from left to right, with an arrow head or without."""

    points: tuple[Point, ...]
    style: str
    arrow: bool = False

    @property
    def curve(self) -> tuple[Point, ...]:
        """The line as cubic curves: a start, then two controls and an end for each."""
        found = [self.points[0]]
        for start, end in pairwise(self.points):
            bend = (end.x - start.x) / 2
            found += [Point(start.x + bend, start.y), Point(end.x - bend, end.y), end]
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Scene:
    """A finished drawing, without saying how it is drawn.

    Attributes:
        width: In pixels.
        height: In pixels.
        title: What it shows, for those who cannot see it.
        links: Lines, below everything else.
        boxes: Boxes.
        discs: Discs, above everything else.
        letterings: Lines of text beside the boxes.
    """

    width: float
    height: float
    title: str
    links: tuple[Link, ...] = ()
    boxes: tuple[Box, ...] = ()
    discs: tuple[Disc, ...] = ()
    letterings: tuple[Lettering, ...] = ()
