"""Hypothesis strategies for relation sheets, evidence, fact stores and question graphs.

Needs the package hypothesis (``pip install reasoning-graphkit[testing]``).

>>> from hypothesis import given
>>> from graphkit.evaluate import evaluate
>>> @given(stores_with_graphs(planted=True))
... def check(pair):
...     facts, graph = pair
...     assert graph.answer in evaluate(graph, facts).names
"""

from __future__ import annotations

import functools

from hypothesis import strategies as st

from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.question import QuestionGraph
from graphkit.relations import RelationSheet
from graphkit.testing.generation import (
    Choices,
    make_graph,
    make_name,
    make_records,
    make_sheet,
    make_store,
    seeded_pairs,
)

__all__ = [
    "choices",
    "evidence",
    "fact_stores",
    "names",
    "question_graphs",
    "relation_sheets",
    "seeded_pairs",
    "stores_with_graphs",
]


@functools.cache
def _range(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


class _DrawnChoices(Choices):
    """Choices that hypothesis makes, so that what fails shrinks."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def number(self, low: int, high: int) -> int:
        return self._draw(_range(low, high))


@st.composite
def choices(draw: st.DrawFn) -> Choices:
    """A stream of choices for the functions of :mod:`graphkit.testing.generation`."""
    return _DrawnChoices(draw)


@st.composite
def names(draw: st.DrawFn, *, odd: bool = True) -> str:
    """Names of entities, now and then with quotes, line breaks, NUL, right-to-left or emoji."""
    return make_name(_DrawnChoices(draw), odd=odd)


@st.composite
def relation_sheets(draw: st.DrawFn) -> RelationSheet:
    """Relation sheets without contradictions: aliases, inverses, types, phrases, completeness."""
    return make_sheet(_DrawnChoices(draw))


@st.composite
def evidence(
    draw: st.DrawFn, sheet: RelationSheet | None = None, *, low: int = 1, high: int = 16
) -> list[EvidenceRecord]:
    """Lists of evidence records with ids ``r0``, ``r1``, ...: types, aliases, literals, ids."""
    return make_records(_DrawnChoices(draw), sheet or RelationSheet(), low=low, high=high)


@st.composite
def fact_stores(draw: st.DrawFn, *, low: int = 1, high: int = 16, odd: bool = True) -> FactStore:
    """Fact stores from triples or from evidence, with or without a relation sheet.

    Args:
        draw: Given by hypothesis.
        low: The fewest facts, counted before repeated ones fall together.
        high: The most facts.
        odd: Whether names may be odd.
    """
    return make_store(_DrawnChoices(draw), low=low, high=high, odd=odd)


@st.composite
def question_graphs(
    draw: st.DrawFn,
    facts: FactStore,
    *,
    safe: bool | None = True,
    planted: bool = False,
    union: bool = True,
    steps: int = 6,
) -> QuestionGraph:
    """Question graphs that ground on a store.

    Shared nodes, implicit intersections, projections of complements, any-of anchors, three and
    more sources, double complements, empty sets, types, free nodes as sources and nodes that do
    not reach the root all occur.

    Args:
        draw: Given by hypothesis.
        facts: The facts; at least one.
        safe: Whether the root is an ordinary set (True), a complement (False), or either (None).
        planted: Whether to build backwards from an answer; its name is the graph's ``answer``.
        union: Whether the extension op ``union`` may occur.
        steps: The most operations, before what the other wishes need.
    """
    return make_graph(
        _DrawnChoices(draw), facts, safe=safe, planted=planted, union=union, steps=steps
    )


@st.composite
def stores_with_graphs(
    draw: st.DrawFn,
    *,
    safe: bool | None = True,
    planted: bool = False,
    union: bool = True,
    odd: bool = True,
    steps: int = 6,
) -> tuple[FactStore, QuestionGraph]:
    """Pairs of a fact store and a question graph over it; see :func:`question_graphs`."""
    facts = make_store(_DrawnChoices(draw), odd=odd)
    return facts, make_graph(
        _DrawnChoices(draw), facts, safe=safe, planted=planted, union=union, steps=steps
    )
