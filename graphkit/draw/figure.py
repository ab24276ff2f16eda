"""A scene as PNG, drawn by matplotlib without a screen."""

from __future__ import annotations

import functools
import io
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphkit.draw.lettering import printable
from graphkit.draw.scene import STYLES, Box, Disc, Lettering, Link, Point, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drawable", "png_bytes"]

_FIRST_FONT = "DejaVu Sans"
_PREFERRED = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Emoji",
    "Symbola",
)
_MOST_SIDE = 30_000
_MOST_PIXELS = 120_000_000
_MISSING = "\u25a1"


def png_bytes(scene: Scene, *, scale: float = 2.0) -> bytes:
    """Return a scene as a PNG file, in light colours.

    Characters that no installed font has are drawn as an empty square. A picture that would be
    larger than programs can open is drawn smaller.

    Args:
        scene: The scene.
        scale: Pixels of the picture for one of the scene.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    scale = min(
        scale,
        _MOST_SIDE / max(scene.width, scene.height),
        (_MOST_PIXELS / (scene.width * scene.height)) ** 0.5,
    )
    with matplotlib.rc_context(
        {"path.simplify": False, "text.usetex": False, "text.parse_math": False}
    ):
        figure = Figure(figsize=(scene.width / 100, scene.height / 100), dpi=100 * scale)
        FigureCanvasAgg(figure)
        figure.patch.set_facecolor(STYLES["page"].fill[0])
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, scene.width)
        axes.set_ylim(scene.height, 0)
        axes.axis("off")
        for link in scene.links:
            _link(axes, link)
        for box in scene.boxes:
            _box(axes, box)
        for disc in scene.discs:
            _disc(axes, disc)
        for lettering in scene.letterings:
            _lettering(axes, lettering)
        data = io.BytesIO()
        figure.savefig(data, format="png", metadata={"Software": None})
    return data.getvalue()


def _line_style(dash: tuple[float, float] | None, width: float) -> Any:
    if dash is None:
        return "solid"
    return (0, (dash[0] * 0.72 / width, dash[1] * 0.72 / width))


def _outline(style: str) -> dict[str, Any]:
    look = STYLES[style]
    return {
        "facecolor": look.fill[0],
        "edgecolor": look.stroke[0],
        "linewidth": look.width * 0.72,
        "linestyle": _line_style(look.dash, look.width * 0.72),
    }


def _box(axes: Axes, box: Box) -> None:
    from matplotlib.patches import FancyBboxPatch

    radius = min(box.radius, box.height / 2)
    axes.add_patch(
        FancyBboxPatch(
            (box.at.x - box.width / 2, box.at.y - box.height / 2),
            box.width,
            box.height,
            boxstyle=f"round,pad=0,rounding_size={radius}",
            zorder=2,
            **_outline(box.style),
        )
    )
    for line in box.lines:
        _lettering(axes, line)


def _disc(axes: Axes, disc: Disc) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle(disc.at, disc.radius, zorder=3, **_outline(disc.style)))
    _lettering(axes, Lettering(disc.at, disc.mark, disc.radius * 1.4, disc.style, bold=True))


def _link(axes: Axes, link: Link) -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path as Curve

    curve = link.curve
    if link.arrow:
        curve = (*curve[:-1], Point(curve[-1].x - 6, curve[-1].y))
    codes = [Curve.MOVETO, *[Curve.CURVE4] * (len(curve) - 1)]
    axes.add_patch(PathPatch(Curve(curve, codes), zorder=1, **_outline(link.style)))
    if link.arrow:
        tip = link.points[-1]
        corners = [tip, (tip.x - 9.5, tip.y - 5), (tip.x - 9.5, tip.y + 5)]
        colour = STYLES[link.style].stroke[0]
        axes.add_patch(Polygon(corners, closed=True, facecolor=colour, linewidth=0, zorder=1))


def _lettering(axes: Axes, line: Lettering) -> None:
    text, families = drawable(line.text)
    weight = "bold" if line.bold else "normal"
    axes.text(
        line.at.x,
        line.at.y,
        text,
        ha="center",
        va="center_baseline",
        fontsize=line.size * 0.72 * 0.94,
        fontweight=weight,
        family=list(families),
        color=STYLES[line.style].text[0],
        zorder=4,
    )


def drawable(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text as it can be drawn in one line, and the fonts to draw it with.

    Characters that no installed font has become an empty square.
    """
    shown = printable(text)
    families, missing = _families("".join(sorted(set(shown))))
    for sign in missing:
        shown = shown.replace(sign, "" if unicodedata.category(sign) == "Cf" else _MISSING)
    return shown, families


@functools.lru_cache(maxsize=4096)
def _families(signs: str) -> tuple[tuple[str, ...], str]:
    """Return the fonts to use for some characters, and the characters that none of them has."""
    families = [_FIRST_FONT]
    missing = _uncovered(signs, _FIRST_FONT)
    for name in (*_PREFERRED, *_other_names()) if missing else ():
        left = _uncovered(missing, name)
        if len(left) < len(missing):
            families.append(name)
            missing = left
        if not missing:
            break
    return tuple(families), missing


def _uncovered(signs: str, family: str) -> str:
    known = _characters(family)
    return "".join(sign for sign in signs if ord(sign) not in known)


@functools.cache
def _font_files() -> dict[str, str]:
    """Return every installed font family that can be drawn -> its file."""
    from matplotlib import font_manager

    manager = font_manager.fontManager
    known = {Path(entry.fname) for entry in manager.ttflist}
    for path in sorted(font_manager.findSystemFonts()):  # installed since the list was kept
        if Path(path) not in known and "Color" not in Path(path).name:
            _add(manager, path)
    files: dict[str, str] = {}
    for entry in sorted(manager.ttflist, key=lambda item: (item.name, item.fname)):
        plain = entry.style == "normal" and str(entry.weight) in ("400", "normal", "regular")
        if "Color" not in entry.name and (plain or entry.name not in files):
            files[entry.name] = entry.fname
    return files


def _add(manager: Any, path: str) -> None:
    try:
        manager.addfont(path)
    except (OSError, RuntimeError, ValueError):
        return  # a font that matplotlib cannot read is none that it could draw with


def _other_names() -> Iterable[str]:
    return (name for name in _font_files() if name not in _PREFERRED and name != _FIRST_FONT)


@functools.cache
def _characters(family: str) -> frozenset[int]:
    """Return the characters that a font has; none if it is not there."""
    from matplotlib.ft2font import FT2Font

    path = _font_files().get(family)
    if path is None:
        return frozenset()
    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()
