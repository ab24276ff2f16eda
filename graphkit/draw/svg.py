"""A scene as SVG: plain text that browsers draw, the same bytes on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from graphkit.draw.lettering import printable
from graphkit.draw.scene import STYLES, Box, Disc, Lettering, Link, Point, Scene, Tip

__all__ = ["FONTS", "stylesheet", "svg_text"]

FONTS = (
    "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', 'Noto Sans', 'Noto Sans CJK SC', "
    "'PingFang SC', 'Microsoft YaHei', 'Noto Color Emoji', sans-serif"
)
"""Font families of drawings in a browser, the first that is there is used for each character."""


def stylesheet(scope: str = "") -> str:
    """Return the CSS of all styles, for light and for dark surroundings.

    Args:
        scope: A selector that comes before every rule, with a space at its end.
    """
    rules = [f"{scope}text{{font-family:{FONTS};text-anchor:middle;dominant-baseline:central}}"]
    for index in (0, 1):
        block = []
        for name, style in STYLES.items():
            dash = f";stroke-dasharray:{style.dash[0]:g} {style.dash[1]:g}" if style.dash else ""
            block.append(
                f"{scope}.{name}{{fill:{style.fill[index]};stroke:{style.stroke[index]};"
                f"stroke-width:{style.width:g}{dash}}}"
            )
            block.append(f"{scope}.t-{name}{{fill:{style.text[index]}}}")
        for name in ("link", "cut"):
            block.append(f"{scope}.h-{name}{{fill:{STYLES[name].stroke[index]}}}")
        text = "\n".join(block)
        rules.append(text if index == 0 else f"@media (prefers-color-scheme:dark){{\n{text}\n}}")
    return "\n".join(rules)


def svg_text(scene: Scene, *, inline: bool = False) -> str:
    """Return a scene as SVG.

    Args:
        scene: The scene.
        inline: Whether the SVG becomes part of a page, which has the style sheet already and
            shows the tips itself; else it is a file of its own.
    """
    return "\n".join(_document(scene, inline)) + "\n"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _document(scene: Scene, inline: bool) -> Iterator[str]:
    width, height = _number(scene.width), _number(scene.height)
    title = quoteattr(scene.title)
    if inline:
        yield f'<svg class="graph" viewBox="0 0 {width} {height}" role="img" aria-label={title}>'
    else:
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label={title}>'
        )
        yield f"<style>\n{stylesheet()}\n</style>"
        yield f'<rect class="page" width="{width}" height="{height}"/>'
    yield '<g class="scene">'
    for link in scene.links:
        yield _link(link)
    for box in scene.boxes:
        yield from _part(box.name, box.tip, inline, _box(box))
    for disc in scene.discs:
        yield from _part(disc.name, disc.tip, inline, _disc(disc))
    for lettering in scene.letterings:
        yield _lettering(lettering)
    yield "</g>"
    yield "</svg>"


def _part(name: str, tip: Tip, inline: bool, shapes: Iterator[str]) -> Iterator[str]:
    told = "\n".join(f"{heading}: {text}" if heading else text for heading, text in tip)
    if inline:
        rows = "\n".join(f"{heading}\t{text}" for heading, text in tip)
        label = quoteattr(told.replace("\n", "; "))
        data = quoteattr(rows, {"\n": "&#10;", "\t": "&#9;"})
        yield f'<g class="part" tabindex="0" aria-label={label} data-tip={data}>'
    else:
        yield f"<g><title>{escape(told)}</title>"
    yield from shapes
    yield "</g>"


def _box(box: Box) -> Iterator[str]:
    x, y = box.at.x - box.width / 2, box.at.y - box.height / 2
    yield (
        f'<rect class="{box.style}" x="{_number(x)}" y="{_number(y)}" '
        f'width="{_number(box.width)}" height="{_number(box.height)}" '
        f'rx="{_number(min(box.radius, box.height / 2))}"/>'
    )
    for line in box.lines:
        yield _lettering(line)


def _disc(disc: Disc) -> Iterator[str]:
    yield (
        f'<circle class="{disc.style}" cx="{_number(disc.at.x)}" cy="{_number(disc.at.y)}" '
        f'r="{_number(disc.radius)}"/>'
    )
    yield _lettering(Lettering(disc.at, disc.mark, disc.radius * 1.4, disc.style, bold=True))


def _lettering(line: Lettering) -> str:
    weight = ' font-weight="600"' if line.bold else ""
    secret = " secret" if line.secret else ""
    return (
        f'<text class="t-{line.style}{secret}" x="{_number(line.at.x)}" y="{_number(line.at.y)}" '
        f'font-size="{_number(line.size)}"{weight}>{escape(printable(line.text))}</text>'
    )


def _link(link: Link) -> str:
    curve = link.curve
    if link.arrow:
        curve = (*curve[:-1], Point(curve[-1].x - 6, curve[-1].y))
    places = [f"{_number(point.x)} {_number(point.y)}" for point in curve]
    bends = "".join(f"C{', '.join(places[at : at + 3])}" for at in range(1, len(places), 3))
    path = f'<path class="{link.style}" d="M{places[0]}{bends}"/>'
    if not link.arrow:
        return path
    tip = link.points[-1]
    head = f"M{_number(tip.x)} {_number(tip.y)}l-9.5 -5v10z"
    return f'{path}<path class="h-{link.style}" d="{head}"/>'
