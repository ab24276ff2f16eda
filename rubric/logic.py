"""The words of a rubric tree, and the logic of a direction: all, any, majority, at least K."""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = [
    "DIMENSIONS",
    "Dimension",
    "Evaluator",
    "Expected",
    "Level",
    "Role",
    "least",
    "logic_holds",
]


class Dimension(StrEnum):
    """The first level of a tree: C, R and P of OmniDR-Bench, equation 3."""

    CONTENT = "content"
    CITATION = "citation"
    PRESENTATION = "presentation"


DIMENSIONS = tuple(Dimension)
"""The three dimensions in the order of the paper."""


class Role(StrEnum):
    """A failed gate zeroes its direction; the logic of a core direction is a diagnostic only."""

    CORE = "core"
    GATE = "gate"


class Expected(StrEnum):
    """The polarity of an atom: the verdict that earns its point."""

    YES = "yes"
    NO = "no"


class Evaluator(StrEnum):
    """Who decides an atom: a model judge (J) or a deterministic check (M)."""

    JUDGE = "J"
    MACHINE = "M"


class Level(StrEnum):
    """The evidence difficulty of an atom; OmniDR-Bench, E.3."""

    L0 = "L0"
    L1 = "L1"
    L2 = "L2"
    L3 = "L3"


_AT_LEAST = re.compile(r"at_least:([1-9][0-9]{0,5})")


def check_logic(text: str) -> str:
    """Return a logic as it is written, or say what is wrong with it.

    Raises:
        ValueError: It is none of ``all``, ``any``, ``majority``, ``at_least:K`` with K >= 1.
    """
    if text in ("all", "any", "majority") or _AT_LEAST.fullmatch(text):
        return text
    raise ValueError(f"{text!r} is not one of all, any, majority, at_least:K (K from 1)")


def least(logic: str) -> int | None:
    """Return K of ``at_least:K``, and nothing for the other logics.

    >>> least("at_least:2"), least("all")
    (2, None)
    """
    match = _AT_LEAST.fullmatch(logic)
    return int(match[1]) if match else None


def logic_holds(logic: str, passed: int, scored: int) -> bool | None:
    """Return whether a logic holds over the scored atoms; nothing scored gives ``None``.

    Args:
        logic: ``all`` (s = n), ``any`` (s >= 1), ``majority`` (2s > n) or ``at_least:K`` (s >= K).
        passed: s, the number of atoms passed.
        scored: n, the number of atoms scored, after the guard.

    Source: OmniDR-Bench, A.4 names the declared logic; the four forms are not stated there.

    >>> logic_holds("majority", 1, 2), logic_holds("at_least:1", 1, 2), logic_holds("all", 0, 0)
    (False, True, None)
    """
    if scored == 0:
        return None
    if logic == "all":
        return passed == scored
    if logic == "any":
        return passed >= 1
    if logic == "majority":
        return 2 * passed > scored
    bound = least(logic)
    if bound is None:
        raise ValueError(f"{logic!r} is not a logic")
    return passed >= bound
