"""PaperBench task trees: deep weighted trees, plain or graded; recorded scores recomputed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from graphkit.errors import FormatError, GraphkitError, Problem
from rubric.formats.source import Imported, Options, number, text_of
from rubric.formats.weighted import WeightedNode, WeightedTree
from rubric.literals import read_json

__all__ = ["Replay", "parse", "replay", "sniff"]

NAME = "paperbench"

_KNOWN = {"id", "requirements", "weight", "sub_tasks", "score", "valid_score", "task_category"}


def sniff(document: Any) -> bool:
    """Return whether parsed JSON looks like a task tree, or a grader's output around one."""
    return isinstance(document, Mapping) and (
        {"requirements", "sub_tasks"} <= set(document) or "graded_task_tree" in document
    )


def parse(text: str | bytes, file: str | None = None, options: Options | None = None) -> Imported:
    """Read a task tree, or the output of a grader that holds one in ``graded_task_tree``.

    A tree is graded when its root has a score; then every node needs one. Ids that are used
    twice are named with their places, as are weights and scores that are no finite numbers or
    out of range, nodes without ``sub_tasks``, and groups without any.

    Args:
        text: The JSON document.
        file: Its name, for messages and as the id of the tree.
        options: See :class:`rubric.formats.source.Options`.

    Raises:
        FormatError: It is not JSON.
    """
    document = read_json(text, file)
    outside = None
    if isinstance(document, Mapping) and "graded_task_tree" in document:
        outside = document.get("score")
        document = document["graded_task_tree"]
    reading = _Reading(
        options or Options(), graded=isinstance(document, Mapping) and "score" in document
    )
    reading.walk(document)
    if not reading.problems:
        name = (file or reading.nodes[0].id).replace("\\", "/").rsplit("/", 1)[-1]
        for suffix in (".gz", ".json"):
            name = name.removesuffix(suffix)
        try:
            tree = WeightedTree(
                id=name,
                root=reading.nodes[0].id,
                nodes=tuple(reading.nodes),
                source=NAME,
                zero_total_is_zero=True,
                title=reading.nodes[0].text,
            )
        except GraphkitError as error:
            reading.problems += error.problems
        else:
            notes = [*reading.notes, *_notes(tree)]
            if outside is not None and outside != tree.by_id[tree.root].recorded:
                notes.append(
                    Problem(
                        f"the grader states the score {outside!r}, its tree "
                        f"{tree.by_id[tree.root].recorded!r}",
                        code="recorded",
                        subject=f"tree {tree.id}",
                    )
                )
            return Imported(NAME, (tree,), (), tuple(note.at(file) for note in notes))
    return Imported(NAME, (), tuple(problem.at(file) for problem in reading.problems))


class _Reading:
    """One pass over a task tree, without recursion, so that depth is no limit here."""

    def __init__(self, options: Options, *, graded: bool) -> None:
        self.options = options
        self.graded = graded
        self.nodes: list[WeightedNode] = []
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.places: dict[str, list[str]] = {}

    def walk(self, document: Any) -> None:
        """Read all nodes below a document, parents first."""
        stack: list[tuple[Any, str, int | None]] = [(document, "/", None)]
        children: dict[int, list[str]] = {}
        while stack:
            data, place, parent = stack.pop()
            node, below = self._node(data, place)
            if node is None:
                continue
            at = len(self.nodes)
            self.nodes.append(node)
            if parent is not None:
                children.setdefault(parent, []).append(node.id)
            base = place.rstrip("/")
            stack += [
                (item, f"{base}/{index}", at) for index, item in reversed(list(enumerate(below)))
            ]
        self.nodes = [
            replace(node, children=tuple(children.get(at, ())))
            for at, node in enumerate(self.nodes)
        ]
        if not self.options.rename_duplicates:
            self.problems += [
                Problem(
                    f"the id is used {len(places)} times, at {', '.join(places)}; expected once",
                    code="duplicate_id",
                    subject=f"node {name}",
                )
                for name, places in self.places.items()
                if len(places) > 1
            ]

    def _node(self, data: Any, place: str) -> tuple[WeightedNode | None, list[Any]]:
        if not isinstance(data, Mapping):
            self.problems.append(
                Problem(
                    f"{type(data).__name__} is not a task; expected an object",
                    code="task",
                    subject=f"node at {place}",
                )
            )
            return None, []
        found: list[Problem] = []
        name = text_of(data, "id", f"node at {place}", found)
        subject = f"node {name}" if name else f"node at {place}"
        below = data.get("sub_tasks")
        if not isinstance(below, list):
            found.append(
                Problem(
                    "sub_tasks is missing; expected a list, empty for a criterion",
                    code="no_sub_tasks",
                    subject=subject,
                )
            )
            below = []
        elif not below and data.get("task_category") is None:
            found.append(
                Problem(
                    "has no sub_tasks and no task_category: neither a group nor a criterion",
                    code="empty_children",
                    subject=subject,
                )
            )
        weight = number(data, "weight", subject, found)
        text = text_of(data, "requirements", subject, found)
        score = None
        if self.graded:
            score = number(data, "score", subject, found)
            if score > 1:
                found.append(
                    Problem(
                        f"score {float(score)} is outside 0 to 1", code="score", subject=subject
                    )
                )
        elif "score" in data:
            found.append(
                Problem(
                    "has a score, but the root has none; expected all or none",
                    code="no_score",
                    subject=subject,
                )
            )
        valid = data.get("valid_score", True)
        if not isinstance(valid, bool):
            found.append(
                Problem(
                    f"valid_score {valid!r} is not true or false",
                    code="valid_score",
                    subject=subject,
                )
            )
        self.problems += found
        category = data.get("task_category")
        return WeightedNode(
            id=self._unique(name, place) if name else place,
            text=text,
            weight=weight,
            score=score if not below else None,
            recorded=None if score is None else float(score),
            valid=bool(valid),
            category=category if isinstance(category, str) else None,
            extra={
                key: value
                for key, value in data.items()
                if key not in _KNOWN and value is not None and value != ""
            },
        ), below

    def _unique(self, name: str, place: str) -> str:
        places = self.places.setdefault(name, [])
        places.append(place)
        if len(places) == 1 or not self.options.rename_duplicates:
            return name
        number_of = len(places)
        while f"{name}#{number_of}" in self.places:
            number_of += 1
        made = f"{name}#{number_of}"
        self.places[made] = [place]
        self.notes.append(
            Problem(
                f"the id was used before; renamed to {made} (at {place})",
                code="renamed",
                subject=f"node {name}",
            )
        )
        return made


def _notes(tree: WeightedTree) -> Iterable[Problem]:
    for node in tree.nodes:
        if not node.valid and not node.children:
            yield Problem(
                "the judge failed on it: its score says nothing about the submission",
                code="judge_failed",
                subject=f"node {node.id}",
            )
        if node.children and not any(tree.by_id[child].weight for child in node.children):
            yield Problem(
                "all its children weigh 0: PaperBench scores it 0",
                code="no_weight",
                subject=f"node {node.id}",
            )
    if tree.graded:
        yield from replay(tree).differing


@dataclass(frozen=True, slots=True)
class Replay:
    """The recorded scores against their recomputation.

    Attributes:
        root: The root's score in PaperBench's own double arithmetic.
        recorded: The root's score that the file states.
        exact: The root's score without rounding.
        summation: ``plain``, or ``compensated`` as the built-in sum of Python 3.12 and later,
            whichever reproduces the root; ``plain`` if neither does.
        differing: Groups whose recorded score no arithmetic of the two gives, by id.
    """

    root: float
    recorded: float
    exact: Fraction
    summation: str
    differing: tuple[Problem, ...]

    @property
    def matches(self) -> bool:
        """Whether every recorded score is recomputed to the last bit."""
        return not self.differing


def replay(tree: WeightedTree) -> Replay:
    """Recompute a graded tree in the doubles that PaperBench uses, group by group.

    A group is the sum of score times weight, in the order of the children, divided by the sum of
    the weights; 0 when that is 0. The exact score differs in the last digits: 0.91 is recorded
    as 0.9099999999999999.

    Args:
        tree: A graded tree.

    Raises:
        FormatError: The tree holds no recorded scores.

    Source: PaperBench, ``score_from_children``.
    """
    recorded = {node.id: node.recorded for node in tree.nodes}
    root_recorded = recorded[tree.root]
    if root_recorded is None or not tree.graded:
        raise FormatError(
            Problem(
                "the tree is not graded; expected a score on every node",
                code="no_score",
                subject=f"tree {tree.id}",
            )
        )
    found = {name: _doubles(tree, name) for name in ("plain", "compensated")}
    summation = next((name for name in found if found[name][tree.root] == root_recorded), "plain")
    differing = [
        Problem(
            f"recorded score {recorded[node.id]!r} is not that of its children: "
            f"{found[summation][node.id]!r}",
            code="recorded",
            subject=f"node {node.id}",
        )
        for node in tree.nodes
        if node.children and recorded[node.id] not in {table[node.id] for table in found.values()}
    ]
    return Replay(
        found[summation][tree.root],
        root_recorded,
        tree.aggregate().score,
        summation,
        tuple(differing),
    )


def _doubles(tree: WeightedTree, summation: str) -> dict[str, float]:
    scores: dict[str, float] = {}
    for node in reversed(tree.nodes):
        if not node.children:
            scores[node.id] = float(node.score or 0)
            continue
        weights = [float(tree.by_id[child].weight) for child in node.children]
        total = _sum(weights, summation)
        terms = [
            scores[child] * weight for child, weight in zip(node.children, weights, strict=True)
        ]
        scores[node.id] = _sum(terms, summation) / total if total else 0.0
    return scores


def _sum(terms: list[float], summation: str) -> float:
    total = correction = 0.0
    for term in terms:
        added = total + term
        if summation == "compensated":
            if abs(total) >= abs(term):
                correction += (total - added) + term
            else:
                correction += (term - added) + total
        total = added
    return total + correction if correction and math.isfinite(correction) else total
