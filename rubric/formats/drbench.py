"""DeepResearch Bench criteria: a task a line, weighted dimensions of weighted criteria."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from graphkit.errors import GraphkitError, Problem
from rubric.formats.source import Imported, Options, documents, number, text_of
from rubric.formats.weighted import WeightedNode, WeightedTree

__all__ = ["language_of", "parse", "sniff"]

NAME = "drbench"


def sniff(document: Any) -> bool:
    """Return whether parsed JSON looks like one task of the set."""
    return isinstance(document, Mapping) and {"dimension_weight", "criterions"} <= set(document)


def language_of(text: str) -> str:
    """Return ``zh`` when the letters of a text are mostly Han characters, else ``en``.

    A Han character stands for about as much text as a word, so a word counts as one letter.

    >>> language_of("收集整理目前中国9阶层"), language_of("Compare Tesla and 比亚迪 in Europe")
    ('zh', 'en')
    """
    han = sum(unicodedata.name(sign, "").startswith("CJK UNIFIED") for sign in text)
    words = sum(any("a" <= sign <= "z" for sign in word) for word in text.lower().split())
    return "zh" if han > words else "en"


def parse(text: str | bytes, file: str | None = None, options: Options | None = None) -> Imported:
    """Read criteria with all their weights.

    The root's children are the dimensions, theirs the criteria, with ids ``dimension`` and
    ``dimension/n`` (from 1). A group's weights are normalised by their sum when it is scored, as
    in DeepResearch Bench; a note names groups where they do not sum to 1.

    Args:
        text: JSONL, or one JSON object or list of objects.
        file: Its name, for messages.
        options: Nothing in this format depends on them.
    """
    trees: list[WeightedTree] = []
    problems: list[Problem] = []
    notes: list[Problem] = []
    first: dict[str, int | None] = {}
    for line, document in documents(text, file, problems):
        found: list[Problem] = []
        extra_notes: list[Problem] = []
        tree = _task(document, found, extra_notes)
        if tree is not None and tree.id in first:
            place = f"line {first[tree.id]}" if first[tree.id] else "the same list"
            found.append(
                Problem(
                    f"the id is already on {place}; expected once",
                    code="duplicate_id",
                    subject=f"task {tree.id}",
                )
            )
        if tree is not None and not found:
            trees.append(tree)
            first[tree.id] = line
            notes += [note.at(file, line) for note in extra_notes]
        problems += [problem.at(file, line) for problem in found]
    return Imported(NAME, tuple(trees), tuple(problems), tuple(notes))


def _task(document: Any, problems: list[Problem], notes: list[Problem]) -> WeightedTree | None:
    if not sniff(document):
        problems.append(
            Problem(
                "is no task; expected an object with dimension_weight and criterions", code="task"
            )
        )
        return None
    name = document.get("id")
    if isinstance(name, bool) or not isinstance(name, (int, str)) or name == "":
        problems.append(Problem(f"id {name!r} is no id; expected a number or a text", code="no_id"))
        return None
    subject = f"task {name}"
    weights, groups = document["dimension_weight"], document["criterions"]
    if not isinstance(weights, Mapping) or not isinstance(groups, Mapping) or not weights:
        problems.append(
            Problem(
                "dimension_weight and criterions must be objects, not empty",
                code="task",
                subject=subject,
            )
        )
        return None
    root = f"task:{name}"
    below: list[WeightedNode] = []
    for dimension in weights:
        below += _dimension(str(name), dimension, weights, groups.get(dimension), problems, notes)
    problems += [
        Problem(
            "has criteria but no dimension_weight",
            code="no_weight",
            subject=f"{subject}, {dimension}",
        )
        for dimension in groups
        if dimension not in weights
    ]
    if problems:
        return None
    title = document.get("prompt")
    title = title if isinstance(title, str) else ""
    total = sum((node.weight for node in below if node.id in weights), Fraction(0))
    if total != 1:
        notes.append(
            Problem(
                f"the dimension weights sum to {float(total)}, not 1",
                code="weight_sum",
                subject=subject,
            )
        )
    try:
        return WeightedTree(
            id=str(name),
            root=root,
            source=NAME,
            title=title,
            language=language_of(title),
            nodes=(WeightedNode(root, title, Fraction(1), tuple(weights)), *below),
        )
    except GraphkitError as error:
        problems += error.problems
        return None


def _dimension(
    task: str,
    dimension: str,
    weights: Mapping[str, Any],
    rows: Any,
    problems: list[Problem],
    notes: list[Problem],
) -> list[WeightedNode]:
    subject = f"task {task}, {dimension}"
    weight = number(weights, dimension, subject, problems)
    if not isinstance(rows, list) or not rows:
        problems.append(
            Problem("has a weight but no criteria", code="empty_children", subject=subject)
        )
        return []
    leaves = []
    for place, row in enumerate(rows, start=1):
        name = f"{dimension}/{place}"
        where = f"task {task}, {name}"
        if not isinstance(row, Mapping):
            problems.append(
                Problem(f"{row!r} is no criterion; expected an object", code="row", subject=where)
            )
            continue
        leaves.append(
            WeightedNode(
                id=name,
                text=text_of(row, "criterion", where, problems),
                weight=number(row, "weight", where, problems),
                category=dimension,
                extra={
                    key: value for key, value in row.items() if key not in ("criterion", "weight")
                },
            )
        )
    total = sum((leaf.weight for leaf in leaves), Fraction(0))
    if total != 1:
        notes.append(
            Problem(
                f"the criterion weights sum to {float(total)}, not 1",
                code="weight_sum",
                subject=subject,
            )
        )
    return [WeightedNode(dimension, dimension, weight, tuple(leaf.id for leaf in leaves)), *leaves]
