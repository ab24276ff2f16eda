"""Takes out of a page what no reader sees: hidden elements, invisible and steering characters."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import lxml.html

__all__ = ["cap_marks", "clean_line", "clean_text", "drop_hidden"]

_NEVER_SHOWN_NAMES = """
script style template noscript iframe object embed svg annotation canvas audio video link meta
datalist select option input textarea button dialog
"""
_NEVER_SHOWN = frozenset(_NEVER_SHOWN_NAMES.split())
_HIDING_STYLE = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0*)?(?:;|!|$)|"
    r"font-size:0(?:\.0*)?(?:px|em|rem|pt|%)?(?:;|!|$)|"
    r"(?:left|top|right|bottom|text-indent|margin-left|margin-top):-\d{3,}|"
    r"clip-path:inset\((?:50|100)%\)|clip:rect\(0|content-visibility:hidden"
)
_COLOUR = re.compile(r"(?<![\w-])color:([^;!]+)")
_BACKGROUND = re.compile(r"(?<![\w-])background(?:-color)?:([^;!]+)")
_CSS_NAME = re.compile(r"([.#])([\w-]+)")
_JOINERS = re.compile(r"(?<![\u0600-\u0dff])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u0dff])")
_SPACES = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r" ?\n ?")
_GAPS = re.compile(r"\n{3,}")
_MARKS = 30
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
_SHOWN_FORMAT = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")


def _gone(sign: str) -> bool:
    """Say whether a character is not seen and carries no meaning for a reader."""
    if sign in "\n\u200c\u200d" or sign in _SHOWN_FORMAT:
        return False
    code = ord(sign)
    if 0xFE00 <= code <= 0xFE0F or 0xE0000 <= code <= 0xE0FFF or code & 0xFFFE == 0xFFFE:
        return True
    return sign in _FILLERS or unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co")


def cap_marks(text: str) -> str:
    """Return text with at most 30 combining marks in a row, as Unicode's stream-safe format has it.

    Longer runs are no writing, and the time to normalise one grows with the square of its length.

    >>> len(cap_marks("a" + "\\u0315\\u0316" * 1_000))
    31
    """
    marks = "".join(sorted(filter(_is_mark, set(text))))
    if not marks:
        return text
    return re.sub(rf"([{re.escape(marks)}]{{{_MARKS}}})[{re.escape(marks)}]+", r"\1", text)


@functools.lru_cache(maxsize=65_536)
def _is_mark(sign: str) -> bool:
    """Say whether a character is, or is taken apart into, marks on the one before it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", sign)[0]) != 0


def clean_text(text: str) -> str:
    """Return text as a reader sees it, in NFC, with single spaces and at most one empty line.

    Control characters, zero-width characters, marks that turn the direction of writing, tag
    characters, variation selectors, fillers and private characters are taken out.

    >>> clean_text("pay\\u200bpal \\u202egnp.exe\\U000e0041\\r\\n\\n\\n\\nend")
    'paypal gnp.exe\\n\\nend'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n").replace("\x0c", "\n")
    text = text.translate({ord(sign): None for sign in set(text) if _gone(sign)})
    if not text.isascii():
        text = unicodedata.normalize("NFC", cap_marks(_JOINERS.sub("", text)))
    text = _BREAKS.sub("\n", _SPACES.sub(" ", text))
    return _GAPS.sub("\n\n", text).strip()


def clean_line(text: str) -> str:
    """Return text as :func:`clean_text` does, on one line."""
    return " ".join(clean_text(text).split())


def drop_hidden(tree: lxml.html.HtmlElement) -> None:
    """Take out of a parsed page all that its reader does not see.

    Comments, scripts, forms, elements with ``hidden`` or ``aria-hidden``, and those that a style
    hides: their own, or a rule for a single class or id in the page. Style sheets of their own
    files are not fetched.

    Args:
        tree: The page; it is changed.
    """
    hidden = _hidden_names(tree)
    for node in list(tree.iter()):
        if not isinstance(node.tag, str):
            node.text = ""  # a comment
        elif node.tag in _NEVER_SHOWN or _is_hidden(node, hidden):
            _empty(node)


def _empty(node: lxml.html.HtmlElement) -> None:
    """Take out what an element says, but not what follows it."""
    node.clear(keep_tail=True)
    node.tag = "span"


def _is_hidden(node: lxml.html.HtmlElement, hidden: frozenset[str]) -> bool:
    if node.tag in ("html", "body"):
        return False
    if node.get("hidden") is not None or node.get("aria-hidden", "").strip().lower() == "true":
        return True
    style = node.get("style")
    if style and _hides(style):
        return True
    if not hidden:
        return False
    names = {f".{name}" for name in node.get("class", "").split()}
    names.add(f"#{node.get('id', '')}")
    return not hidden.isdisjoint(names)


def _hides(style: str) -> bool:
    style = "".join(_without_comments(style).split()).lower()
    if _HIDING_STYLE.search(style):
        return True
    colour, background = _COLOUR.search(style), _BACKGROUND.search(style)
    if colour is None:
        return False
    return colour[1] == "transparent" or (background is not None and background[1] == colour[1])


def _hidden_names(tree: lxml.html.HtmlElement) -> frozenset[str]:
    """Return the classes and ids that a style of the page hides on every screen."""
    names: set[str] = set()
    for style in tree.iter("style"):
        text = _top_level(_without_comments(style.text or ""))
        for rule in text.split("}"):
            selectors, _, body = rule.partition("{")
            if _hides(body):
                for selector in selectors.split(","):
                    name = _CSS_NAME.fullmatch(selector.strip())
                    if name:
                        names.add(name[0])
    return frozenset(names)


def _without_comments(css: str) -> str:
    kept: list[str] = []
    place = 0
    while (start := css.find("/*", place)) >= 0:
        kept.append(css[place:start])
        end = css.find("*/", start + 2)
        place = len(css) if end < 0 else end + 2
    kept.append(css[place:])
    return "".join(kept)


def _top_level(css: str) -> str:
    """Return a style sheet without its ``@`` blocks, which hold for some screens only."""
    kept: list[str] = []
    place = 0
    while (start := css.find("@", place)) >= 0:
        kept.append(css[place:start])
        opening, ending = css.find("{", start), css.find(";", start)
        if ending >= 0 and (opening < 0 or ending < opening):
            place = ending + 1
            continue
        if opening < 0:
            place = len(css)
            break
        depth, place = 1, opening + 1
        while place < len(css) and depth:
            depth += {"{": 1, "}": -1}.get(css[place], 0)
            place += 1
    kept.append(css[place:])
    return "".join(kept)
