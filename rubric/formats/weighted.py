"""Trees of weighted criteria from elsewhere, with their own aggregation in exact fractions."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from graphkit.errors import Problem
from rubric.errors import RubricError
from rubric.literals import to_number

__all__ = ["WeightedNode", "WeightedScore", "WeightedTree"]

Scores = Mapping[str, Fraction | int | float]


@dataclass(frozen=True, slots=True)
class WeightedNode:
    """A criterion, or a group of them.

    Attributes:
        id: Its id, once a tree.
        text: What is asked.
        weight: Its weight among its siblings, exact, not negative.
        children: The ids of its children in their order; a leaf has none.
        score: A leaf's score, 0 to 1; None where it is not graded.
        recorded: The score that a graded file states for it, as the double that stands there.
        valid: False when the file says that the judge failed on it.
        category: The kind of task or criterion, if the file names one.
        extra: What else the file says about it.
    """

    id: str
    text: str
    weight: Fraction
    children: tuple[str, ...] = ()
    score: Fraction | None = None
    recorded: float | None = None
    valid: bool = True
    category: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WeightedScore:
    """The score of a tree.

    Attributes:
        score: The root's score, 0 to 1, exact.
        nodes: Every node's score.
        low: The root's score if every criterion that a judge failed on were 0.
        high: The same if each were 1.
        judge_failed: Ids of leaves that a judge failed on: they are scored as the file says.
        weightless: Ids of groups whose children all weigh 0: they are 0, as PaperBench has it.
    """

    score: Fraction
    nodes: Mapping[str, Fraction]
    low: Fraction
    high: Fraction
    judge_failed: tuple[str, ...]
    weightless: tuple[str, ...]


@dataclass(frozen=True)
class WeightedTree:
    """A rubric whose groups are weighted means of their children.

    Construction checks it and raises :class:`rubric.errors.RubricError` with every problem: an
    id used twice, a child that does not exist or has two parents, a node that the root does not
    reach, a negative weight, a score outside 0 to 1, a group whose children all weigh 0.

    Attributes:
        id: The task or rubric.
        root: The id of the top node.
        nodes: All nodes, parents before their children.
        source: The format it came from.
        zero_total_is_zero: A group whose children all weigh 0 scores 0 instead of being an
            error, because the set it comes from defines it so; the score names such groups.
        title: What the task asks.
        language: Its language, if known.

    >>> tree = WeightedTree("t", "r", (WeightedNode("r", "", Fraction(1), ("a", "b")),
    ...                                WeightedNode("a", "?", Fraction(3)),
    ...                                WeightedNode("b", "?", Fraction(1))))
    >>> tree.aggregate({"a": 1, "b": 0}).score
    Fraction(3, 4)
    """

    id: str
    root: str
    nodes: tuple[WeightedNode, ...]
    source: str = "weighted"
    zero_total_is_zero: bool = False
    title: str = ""
    language: str | None = None

    def __post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise RubricError(problems)

    @functools.cached_property
    def by_id(self) -> dict[str, WeightedNode]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    @functools.cached_property
    def leaves(self) -> tuple[WeightedNode, ...]:
        """The criteria: nodes without children, in the order of the file."""
        return tuple(node for node in self.nodes if not node.children)

    @functools.cached_property
    def parents(self) -> dict[str, str]:
        """The parent of every node but the root."""
        return {child: node.id for node in self.nodes for child in node.children}

    @functools.cached_property
    def effective_weights(self) -> dict[str, Fraction]:
        """What each leaf adds to the root's score when its own score is 1; they sum to 1.

        They sum to less where a group's children all weigh 0.
        """
        share = {self.root: Fraction(1)}
        for node in self.nodes:
            total = sum((self.by_id[child].weight for child in node.children), Fraction(0))
            for child in node.children:
                part = self.by_id[child].weight / total if total else Fraction(0)
                share[child] = share[node.id] * part
        return {leaf.id: share[leaf.id] for leaf in self.leaves}

    @property
    def graded(self) -> bool:
        """Whether every leaf has a score."""
        return all(leaf.score is not None for leaf in self.leaves)

    def aggregate(self, scores: Scores | None = None) -> WeightedScore:
        """Return the score: each group is the weighted mean of its children, exactly.

        Args:
            scores: Leaf id to its score, 0 to 1; default the scores that the tree carries.

        Raises:
            RubricError: A leaf has no score, a score is outside 0 to 1 or no number, or an id is
                no leaf; all of them are named. Nothing is ever scored in silence.

        Source: PaperBench, ``score_from_children``, without its rounding.
        """
        given = self._given(scores)
        failed = tuple(leaf.id for leaf in self.leaves if not leaf.valid) if scores is None else ()
        nodes, weightless = self._means(given)
        low = high = nodes[self.root]
        if failed:
            low = self._means({**given, **dict.fromkeys(failed, Fraction(0))})[0][self.root]
            high = self._means({**given, **dict.fromkeys(failed, Fraction(1))})[0][self.root]
        return WeightedScore(nodes[self.root], nodes, low, high, failed, weightless)

    def _given(self, scores: Scores | None) -> dict[str, Fraction]:
        problems: list[Problem] = []
        given: dict[str, Fraction] = {}
        table = {leaf.id: leaf.score for leaf in self.leaves} if scores is None else dict(scores)
        leaves = {leaf.id for leaf in self.leaves}
        for name in sorted(set(table) - leaves):
            problems.append(
                Problem(
                    "is scored but is no criterion of the tree",
                    code="unknown_id",
                    subject=f"node {name}",
                )
            )
        for leaf in self.leaves:
            value = table.get(leaf.id)
            if value is None:
                problems.append(
                    Problem(
                        "has no score; expected one for every criterion",
                        code="no_score",
                        subject=f"node {leaf.id}",
                    )
                )
            elif not 0 <= value <= 1:
                problems.append(
                    Problem(
                        f"score {float(value)} is outside 0 to 1",
                        code="score",
                        subject=f"node {leaf.id}",
                    )
                )
            else:
                given[leaf.id] = Fraction(value)
        if problems:
            raise RubricError(problems)
        return given

    def _means(self, given: Mapping[str, Fraction]) -> tuple[dict[str, Fraction], tuple[str, ...]]:
        found = dict(given)
        weightless = []
        for node in reversed(self.nodes):
            if not node.children:
                continue
            total = sum((self.by_id[child].weight for child in node.children), Fraction(0))
            if total == 0:
                weightless.append(node.id)
                found[node.id] = Fraction(0)
                continue
            found[node.id] = (
                sum(
                    (self.by_id[child].weight * found[child] for child in node.children),
                    Fraction(0),
                )
                / total
            )
        return found, tuple(reversed(weightless))

    def to_record(self) -> dict[str, Any]:
        """Return plain data for JSON; :func:`rubric.formats.weighted_json.parse` reads it."""
        return {
            "weighted_tree": self.id,
            "source": self.source,
            "title": self.title,
            "language": self.language,
            "zero_total_is_zero": self.zero_total_is_zero,
            "root": self.root,
            "nodes": [_node_record(node) for node in self.nodes],
        }


def _node_record(node: WeightedNode) -> dict[str, Any]:
    record: dict[str, Any] = {"id": node.id, "text": node.text, "weight": to_number(node.weight)}
    if node.children:
        record["children"] = list(node.children)
    if node.score is not None:
        record["score"] = to_number(node.score)
    if node.recorded is not None:
        record["recorded"] = node.recorded
    if not node.valid:
        record["valid"] = False
    if node.category is not None:
        record["category"] = node.category
    if node.extra:
        record["extra"] = dict(node.extra)
    return record


def _problems(tree: WeightedTree) -> Iterator[Problem]:
    times = Counter(node.id for node in tree.nodes)
    for name, number in times.items():
        if number > 1:
            yield Problem(
                f"the id is used {number} times, expected once",
                code="duplicate_id",
                subject=f"node {name}",
            )
    if tree.root not in times:
        yield Problem(f"root {tree.root!r} is no node of the tree", code="no_root")
        return
    seen = {tree.root}
    weights = {node.id: node.weight for node in tree.nodes}
    for node in tree.nodes:
        subject = f"node {node.id}"
        if node.weight < 0:
            yield Problem(
                f"weight {float(node.weight)} is negative; expected 0 or more",
                code="weight",
                subject=subject,
            )
        if node.score is not None and not 0 <= node.score <= 1:
            yield Problem(
                f"score {float(node.score)} is outside 0 to 1", code="score", subject=subject
            )
        if node.id not in seen:
            yield Problem(
                "is not below the root, or stands before its parent",
                code="unreachable",
                subject=subject,
            )
        for child in node.children:
            if child not in times:
                yield Problem(
                    f"child {child!r} is no node of the tree", code="dangling", subject=subject
                )
            elif child in seen:
                yield Problem(
                    f"child {child!r} already has a parent", code="two_parents", subject=subject
                )
            seen.add(child)
        if (
            node.children
            and not tree.zero_total_is_zero
            and not any(weights.get(child) for child in node.children)
        ):
            yield Problem(
                "all its children weigh 0; expected a positive sum",
                code="no_weight",
                subject=subject,
            )
