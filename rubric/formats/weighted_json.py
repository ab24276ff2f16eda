"""This package's own JSON of weighted trees: what an import keeps, written and read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphkit.errors import GraphkitError, Problem
from rubric.formats.source import Imported, Options, documents, number
from rubric.formats.weighted import WeightedNode, WeightedTree

__all__ = ["parse", "sniff"]

NAME = "weighted"


def sniff(document: Any) -> bool:
    """Return whether parsed JSON is a tree as :meth:`WeightedTree.to_record` writes it."""
    return isinstance(document, Mapping) and {"weighted_tree", "root", "nodes"} <= set(document)


def parse(text: str | bytes, file: str | None = None, options: Options | None = None) -> Imported:
    """Read trees as :meth:`WeightedTree.to_record` writes them, one or a line each.

    Args:
        text: The document.
        file: Its name, for messages.
        options: Nothing in this format depends on them.
    """
    trees: list[WeightedTree] = []
    problems: list[Problem] = []
    for line, document in documents(text, file, problems):
        found: list[Problem] = []
        tree = _tree(document, found)
        if tree is not None and not found:
            trees.append(tree)
        problems += [problem.at(file, line) for problem in found]
    return Imported(NAME, tuple(trees), tuple(problems))


def _tree(data: Any, problems: list[Problem]) -> WeightedTree | None:
    if not sniff(data) or not isinstance(data["nodes"], list):
        problems.append(
            Problem("is no weighted tree; expected weighted_tree, root and nodes", code="tree")
        )
        return None
    nodes = []
    for place, row in enumerate(data["nodes"]):
        if not isinstance(row, Mapping) or not isinstance(row.get("id"), str):
            problems.append(
                Problem(
                    "is no node; expected an object with an id",
                    code="row",
                    subject=f"nodes[{place}]",
                )
            )
            continue
        subject = f"node {row['id']}"
        nodes.append(
            WeightedNode(
                id=row["id"],
                text=str(row.get("text", "")),
                weight=_rational(row, "weight", subject, problems),
                children=tuple(map(str, row.get("children", ()))),
                score=_rational(row, "score", subject, problems) if "score" in row else None,
                recorded=float(row["recorded"]) if "recorded" in row else None,
                valid=row.get("valid", True) is True,
                category=row.get("category"),
                extra=dict(row.get("extra", {})),
            )
        )
    if problems:
        return None
    try:
        return WeightedTree(
            id=str(data["weighted_tree"]),
            root=str(data["root"]),
            nodes=tuple(nodes),
            source=str(data.get("source", NAME)),
            title=str(data.get("title", "")),
            zero_total_is_zero=data.get("zero_total_is_zero") is True,
            language=data.get("language"),
        )
    except GraphkitError as error:
        problems += error.problems
        return None


def _rational(row: Mapping[str, Any], key: str, subject: str, problems: list[Problem]) -> Any:
    """Return a number; unlike elsewhere a ratio such as "1/3" may stand in a text."""
    value = row.get(key)
    if isinstance(value, str) and "/" in value:
        from rubric.literals import exact

        try:
            return exact(value)
        except ValueError as error:
            problems.append(Problem(f"{key}: {error}", code=key, subject=subject))
            return 0
    return number(row, key, subject, problems)
