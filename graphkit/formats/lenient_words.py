"""What models call the operations and directions of a question graph, in several languages."""

from __future__ import annotations

import re
import unicodedata

from graphkit.operations import Direction, Op

__all__ = ["direction_of", "is_nothing", "not_expressible", "op_of"]

_OPS: dict[Op, str] = {
    Op.PROJECTION: """
        projection project proj p \u03c0 traverse traversal hop relation relate relational map
        lookup follow join_on \u6295\u5f71 \u6620\u5c04 \u5173\u7cfb
    """,
    Op.INTERSECTION: """
        intersection intersect intersects and i \u2229 \u2227 & && conjunction conjunct all_of
        \u4ea4\u96c6 \u4ea4 \u4e14 \u5e76\u4e14
    """,
    Op.COMPLEMENT: """
        complement complementation negation negate negated not n \u00ac ~ ! exclude excluding
        exclusion except without minus set_minus neg
        \u8865\u96c6 \u8865 \u975e \u6392\u9664 \u5426\u5b9a
    """,
    Op.UNION: """
        union unite or u \u222a \u2228 | || disjunction disjunct any_of \u5e76\u96c6 \u6216
    """,
}
_OP_BY_WORD = {word: op for op, words in _OPS.items() for word in words.split()}

_FORWARD = """
    forward forwards fwd f head_to_tail outgoing out direct normal ->
    \u2192 \u6b63\u5411 \u524d\u5411
"""
_BACKWARD = """
    backward backwards back bwd b backword inverse inverted reverse reversed tail_to_head incoming
    in <- \u2190 \u53cd\u5411 \u9006\u5411 \u540e\u5411
"""
_DIRECTION_BY_WORD = {
    **dict.fromkeys(_FORWARD.split(), Direction.FORWARD),
    **dict.fromkeys(_BACKWARD.split(), Direction.BACKWARD),
}

_BEYOND = {
    "a ranking": """
        argmax argmin max min maximum minimum rank ranking sort order order_by top top_k first last
        superlative nth limit \u6392\u5e8f \u6700\u5927 \u6700\u5c0f
    """,
    "a count": "count counting cardinality number_of how_many size \u8ba1\u6570 \u6570\u91cf",
    "arithmetic": """
        sum add addition subtract subtraction average avg mean median multiply divide ratio
        percentage arithmetic aggregate aggregation calculate \u6c42\u548c \u5e73\u5747
    """,
    "a comparison": """
        compare comparison greater greater_than less less_than more_than gt lt gte lte > < >= <=
        between filter threshold \u6bd4\u8f83 \u5927\u4e8e \u5c0f\u4e8e
    """,
}
_BEYOND_BY_WORD = {word: what for what, words in _BEYOND.items() for word in words.split()}

_NOTHING = frozenset({"", "null", "none", "nil", "n/a", "na", "-", "nan", "undefined", "\u65e0"})


def _word(text: str) -> str:
    """Return a word as it is looked up: folded, underscores between parts."""
    text = unicodedata.normalize("NFKC", text).casefold().strip(" \t\n\"'`$().:")
    return re.sub(r"[\s_-]+(?!>)", "_", text).strip("_") if len(text) > 2 else text


def op_of(text: str) -> tuple[Op, Direction | None] | None:
    """Return the operation that a word means, and the direction where it says that as well.

    >>> op_of("AND"), op_of("Inverse Projection"), op_of("\\u03c0_r")
    ((<Op.INTERSECTION: 'intersection'>, None), (<Op.PROJECTION: 'projection'>, \
<Direction.BACKWARD: 'backward'>), (<Op.PROJECTION: 'projection'>, None))
    """
    word = _word(text)
    if word in _OP_BY_WORD:
        return _OP_BY_WORD[word], None
    if word.startswith("\u03c0"):
        return Op.PROJECTION, None
    first, _, rest = word.partition("_")
    for direction, op in ((first, rest), (rest, first)):
        if direction in _DIRECTION_BY_WORD and _OP_BY_WORD.get(op) is Op.PROJECTION:
            return Op.PROJECTION, _DIRECTION_BY_WORD[direction]
    if rest in ("operation", "op", "edge", "of_sets") and first in _OP_BY_WORD:
        return _OP_BY_WORD[first], None
    return None


def direction_of(text: str) -> Direction | None:
    """Return the direction that a word means.

    >>> direction_of("Inverse").value, direction_of("sideways")
    ('backward', None)
    """
    return _DIRECTION_BY_WORD.get(_word(text))


def not_expressible(text: str) -> str | None:
    """Return what an operation is that projection, intersection and complement cannot express.

    >>> not_expressible("ArgMax"), not_expressible("COUNT"), not_expressible("and")
    ('a ranking', 'a count', None)
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text)
    return _BEYOND_BY_WORD.get(_word(text)) or _BEYOND_BY_WORD.get(_word(spaced))


def is_nothing(value: object) -> bool:
    """Whether a value says that there is none: null, an empty string or list, "none", "N/A"."""
    if isinstance(value, str):
        return unicodedata.normalize("NFKC", value).strip().casefold() in _NOTHING
    return value is None or value in ([], {})
