"""Weighted rubrics as task trees of ours, where they can be; a reason for every row that cannot.

Our score counts atoms: within a dimension every atom weighs the same, a verdict is yes or no, and
nothing is subtracted. So a weighted criterion can be carried exactly when it is binary, adds
points, belongs to a direction, and weighs as much as the other atoms of its dimension.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from graphkit.errors import InputError, Problem, did_you_mean
from rubric.formats.points import PointList
from rubric.formats.weighted import WeightedTree
from rubric.inventory import Inventory, default_inventory
from rubric.literals import to_number
from rubric.logic import Dimension

__all__ = ["Conversion", "to_task_tree", "to_verdicts"]

_DIMENSIONS = tuple(dimension.value for dimension in Dimension)


@dataclass(frozen=True, slots=True)
class Conversion:
    """A task tree made from a foreign rubric.

    Attributes:
        record: The tree as plain data for :func:`rubric.tree.parse_tree`; None when no row can
            be carried.
        carried: Foreign id to atom id.
        rows: One problem for each row that is not carried, or that is carried without its
            weight: by id, with the reason.
        exact: Whether the converted tree scores every binary grading as the foreign one does.
    """

    record: dict[str, Any] | None
    carried: Mapping[str, str]
    rows: tuple[Problem, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    text: str
    share: Fraction
    direction: str


def to_task_tree(
    rubric: WeightedTree | PointList,
    directions: Mapping[str, str],
    *,
    weights: Literal["exact", "ignore"] = "exact",
    inventory: Inventory | None = None,
) -> Conversion:
    """Convert a rubric to a task tree.

    Args:
        rubric: The foreign rubric.
        directions: Foreign id to one of our direction ids. The id of a group stands for all
            criteria below it that have no entry of their own; ``*`` for everything else.
        weights: ``exact`` carries, in each dimension, the criteria of the most common weight (of
            several the largest) and reports the others. ``ignore`` carries all and reports
            those whose weight is lost.
        inventory: The directions; default those that ship with the package.

    Returns:
        The tree, with the dimension weights that make its score that of the foreign one, core
        directions without saturation or cap, and the rows that it does not carry.

    Raises:
        InputError: A direction is unknown, or an id of ``directions`` is not in the rubric.

    Source: not stated in the paper.
    """
    inventory = inventory or default_inventory()
    known = inventory.by_id
    ids = (
        {node.id for node in rubric.nodes}
        if isinstance(rubric, WeightedTree)
        else {item.id for item in rubric.items}
    )
    wrong = [
        Problem(
            f"direction {name!r} is not in the inventory{did_you_mean(name, known)}",
            code="direction",
            subject=f"row {row}",
        )
        for row, name in directions.items()
        if name not in known
    ]
    wrong += [
        Problem(
            f"is not in the rubric{did_you_mean(row, ids)}", code="unknown_id", subject=f"row {row}"
        )
        for row in directions
        if row not in ids and row != "*"
    ]
    if wrong:
        raise InputError(wrong)
    lost: list[Problem] = []
    rows = list(
        _tree_rows(rubric, directions, lost)
        if isinstance(rubric, WeightedTree)
        else _point_rows(rubric, directions, lost)
    )
    by_dimension: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        by_dimension[known[row.direction].dimension.value].append(row)
    kept: dict[str, list[_Row]] = {}
    for dimension, found in by_dimension.items():
        counts = Counter(row.share for row in found)
        common = max(counts, key=lambda share: (counts[share], share))
        kept[dimension] = [row for row in found if row.share == common or weights == "ignore"]
        lost += [
            Problem(
                f"weighs {to_number(row.share)} of the whole, other criteria of {dimension} "
                f"{to_number(common)}: an atom of ours counts once",
                code="weight",
                subject=f"row {row.id}",
            )
            for row in found
            if row.share != common
        ]
    carried = [row for dimension in _DIMENSIONS for row in kept.get(dimension, ())]
    if not carried:
        return Conversion(None, {}, tuple(lost), False)
    return Conversion(
        _record(rubric, carried, kept), {row.id: row.id for row in carried}, tuple(lost), not lost
    )


def _direction(path: list[str], directions: Mapping[str, str]) -> str | None:
    return next((directions[name] for name in path if name in directions), directions.get("*"))


def _tree_rows(
    tree: WeightedTree, directions: Mapping[str, str], lost: list[Problem]
) -> Iterator[_Row]:
    for leaf in tree.leaves:
        share = tree.effective_weights[leaf.id]
        path = [leaf.id]
        while path[-1] in tree.parents:
            path.append(tree.parents[path[-1]])
        direction = _direction(path, directions)
        if share == 0:
            lost.append(
                Problem(
                    "weighs 0: it never counts, an atom of ours always does",
                    code="weight",
                    subject=f"row {leaf.id}",
                )
            )
        elif direction is None:
            lost.append(_homeless(leaf.id))
        else:
            yield _Row(leaf.id, leaf.text, share, direction)


def _point_rows(
    rubric: PointList, directions: Mapping[str, str], lost: list[Problem]
) -> Iterator[_Row]:
    for item in rubric.items:
        direction = _direction([item.id], directions)
        if item.points <= 0:
            lost.append(
                Problem(
                    f"has {to_number(item.points)} points: a penalty takes points away that others "
                    "earned, an atom of ours can only fail to earn its own",
                    code="points",
                    subject=f"row {item.id}",
                )
            )
        elif direction is None:
            lost.append(_homeless(item.id))
        else:
            yield _Row(item.id, item.text, item.points / rubric.possible, direction)


def _homeless(name: str) -> Problem:
    return Problem(
        "has no direction; expected an entry for it, a group above it or *",
        code="no_direction",
        subject=f"row {name}",
    )


def _record(
    rubric: WeightedTree | PointList, rows: list[_Row], kept: Mapping[str, list[_Row]]
) -> dict[str, Any]:
    totals = {
        dimension: sum((row.share for row in kept.get(dimension, ())), Fraction(0))
        for dimension in _DIMENSIONS
    }
    used = dict.fromkeys(row.direction for row in rows)
    record: dict[str, Any] = {
        "task_id": rubric.id,
        "weights": {dimension: to_number(total) for dimension, total in totals.items()},
        "directions": [
            {"id": name, "role": "core", "logic": "all", "tau": None, "kappa": None}
            for name in used
        ],
        "atoms": [
            {
                "id": row.id,
                "direction": row.direction,
                "question": row.text,
                "expected": "yes",
                "evaluator": "J",
                "fact_ids": [],
            }
            for row in rows
        ],
        "imported_from": rubric.source,
    }
    if rubric.language:
        record["language"] = rubric.language
    return record


def to_verdicts(
    rubric: WeightedTree | PointList, system: str
) -> tuple[list[dict[str, Any]], tuple[Problem, ...]]:
    """Return the grading that a rubric carries as verdict lines, and a reason per row without.

    A score of 1 is yes, of 0 no; a criterion that the judge failed on is ``skipped``, never no.

    Args:
        rubric: A graded rubric.
        system: Whose report was graded.

    Source: not stated in the paper.
    """
    lines: list[dict[str, Any]] = []
    lost: list[Problem] = []
    if isinstance(rubric, WeightedTree):
        graded = [(leaf.id, leaf.score, leaf.valid) for leaf in rubric.leaves]
    else:
        graded = [
            (item.id, None if item.met is None else Fraction(item.met), True)
            for item in rubric.items
        ]
    for name, score, valid in graded:
        if valid and score is None:
            lost.append(Problem("is not graded", code="no_score", subject=f"row {name}"))
            continue
        if valid and score not in (0, 1):
            lost.append(
                Problem(
                    f"has the score {float(score or 0)}: a verdict is yes or no",
                    code="graded",
                    subject=f"row {name}",
                )
            )
            continue
        verdict = "skipped" if not valid else "yes" if score == 1 else "no"
        line = {"task_id": rubric.id, "system": system, "atom_id": name, "verdict": verdict}
        if not valid:
            line["rationale"] = "the judge failed"
        lines.append(line)
    return lines, tuple(lost)
