"""Many question graphs as one list of set expressions; equal parts stand there once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field

from graphkit.entity_set import EntitySet
from graphkit.errors import GroundingError, Problem
from graphkit.facts import FactStore
from graphkit.grounding import Grounding, ground
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["Kind", "Plan"]


class Kind:
    """What an expression is; plain numbers, as enumeration members are slow to look up."""

    SET = 0
    FOLLOW = 1
    MEET = 2
    JOIN = 3


_FOLLOW, _MEET, _JOIN = Kind.FOLLOW, Kind.MEET, Kind.JOIN

Expression = tuple[int, ...]
"""A kind and what it is of; see :class:`Plan`."""


@dataclass(slots=True, eq=False)
class Level:
    """Expressions that are equally far from fixed sets, in columns one after the other.

    Attributes:
        sets: Numbers of fixed sets.
        follows: Number, code, signed source; number, code, signed source; ...
        meets: Numbers of intersections.
        meet_parts: Place in ``meets``, part, 1 if it is taken away; ...
        joins: Numbers of unions.
        join_parts: Place in ``joins``, part; ...
    """

    sets: list[int] = field(default_factory=list)
    follows: list[int] = field(default_factory=list)
    meets: list[int] = field(default_factory=list)
    meet_parts: list[int] = field(default_factory=list)
    joins: list[int] = field(default_factory=list)
    join_parts: list[int] = field(default_factory=list)

    def put(self, number: int, expression: Expression) -> None:
        """Take in an expression."""
        kind = expression[0]
        if kind == _FOLLOW:
            self.follows += (number, expression[1], expression[2])
        elif kind == _MEET:
            place, count = len(self.meets), expression[1]
            self.meets.append(number)
            for turn, part in enumerate(expression[2:]):
                self.meet_parts += (place, part >> 1, int(turn >= count))
        elif kind == _JOIN:
            place = len(self.joins)
            self.joins.append(number)
            for part in expression[1:]:
                self.join_parts += (place, part >> 1)
        else:
            self.sets.append(number)


class Plan:
    """The expressions of many graphs, sources before what is made of them.

    A signed number is twice the number of an expression, plus one for its complement. Whether a
    node is a complement is a matter of form alone, so every expression is an ordinary set:

    - SET: fixed entities, in ``sets`` by the number of the expression;
    - FOLLOW: a code (twice the relation number, plus one for backward) and a signed source;
    - MEET: the number of positive parts, these, then the parts that are taken away;
    - JOIN: the parts of a union; without parts it is empty.

    Attributes:
        facts: The facts.
        expressions: All of them.
        depths: How many operations each expression is away from fixed sets.
        levels: The expressions by depth.
        sets: The fixed ones.
        types: Type -> the number of the set of its entities.
    """

    def __init__(self, facts: FactStore) -> None:
        self.facts = facts
        self.expressions: list[Expression] = []
        self.depths: list[int] = []
        self.levels: list[Level] = []
        self.sets: dict[int, EntitySet] = {}
        self.types: dict[str, int] = {}
        self._numbers: dict[Expression, int] = {}
        self._fixed: dict[object, int] = {}
        self._anchors: dict[tuple[tuple[str, ...], str | None], int] = {}
        self._codes: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self.universe = 2 * self._number((Kind.JOIN,), ()) + 1

    def add(self, graph: QuestionGraph, grounding: Grounding | None = None) -> dict[str, int]:
        """Take in a graph; return the signed number of each of its nodes.

        Raises:
            GroundingError: A name or a relation is not in the store.
        """
        if grounding is None:
            try:
                return self._read(graph)
            except KeyError:  # a name that no graph before it has
                grounding = ground(graph, self.facts)
        self._learn(graph, grounding)
        return self._read(graph)

    def _read(self, graph: QuestionGraph) -> dict[str, int]:
        """Put the nodes of a graph in; a ``KeyError`` for a name that is not learned yet."""
        signed: dict[str, int] = {}
        for node_id in graph.order:
            node = graph.nodes_by_id[node_id]
            parts = [self._edge(edge, signed) for edge in graph.incoming[node_id]]
            if node.known_entities:
                parts.append(self._anchors[node.known_entities, node.entity_type])
            if node.entity_type is not None:
                parts.append(self._type(node.entity_type))
            signed[node_id] = parts[0] if len(parts) == 1 else self.meet(parts)
        return signed

    def _learn(self, graph: QuestionGraph, grounding: Grounding) -> None:
        """Note how a graph's names are read; the same names are read alike in the next graph."""
        for node in graph.anchors:
            self._anchors[node.known_entities, node.entity_type] = self._fix(
                grounding.anchor_set(node.node_id)
            )
        for edge in graph.edges:
            if edge.op is Op.PROJECTION:
                relation = grounding.relations[edge.edge_id]
                codes = self._codes[edge.direction is Direction.BACKWARD]
                codes[edge.relation or ""] = 2 * relation.number + (
                    relation.direction is Direction.BACKWARD
                )

    def entity(self, number: int) -> int:
        """Return the signed number of the set of one entity."""
        if number not in self._fixed:
            self._fixed[number] = self._fix(EntitySet.of([number]))
        return self._fixed[number]

    def _type(self, kind: str) -> int:
        if kind not in self.types:
            self.types[kind] = self._new_set(self.facts.of_type(kind))
        return 2 * self.types[kind]

    def _fix(self, entities: EntitySet) -> int:
        key = entities.digest()
        if key not in self._fixed:
            self._fixed[key] = 2 * self._new_set(entities)
        return self._fixed[key]

    def _new_set(self, entities: EntitySet) -> int:
        number = self._number((Kind.SET, len(self.sets)), ())
        self.sets[number] = entities
        return number

    def _edge(self, edge: Edge, signed: dict[str, int]) -> int:
        if edge.op is Op.PROJECTION:
            code = self._codes[edge.direction is Direction.BACKWARD][edge.relation or ""]
            return self.follow(code, signed[edge.source_ids[0]])
        if edge.op is Op.COMPLEMENT:
            return signed[edge.source_ids[0]] ^ 1
        if edge.op is Op.INTERSECTION:
            return self.meet(signed[source] for source in edge.source_ids)
        return self.meet(signed[source] ^ 1 for source in edge.source_ids) ^ 1

    def follow(self, code: int, source: int) -> int:
        """Return the signed number of a projection."""
        return 2 * self._number((_FOLLOW, code, source), (source,))

    def meet(self, parts: Iterable[int]) -> int:
        """Return the signed number of an intersection, of whatever signs."""
        unique = sorted(set(parts))
        wanted = tuple([part for part in unique if not part & 1])
        away = tuple([part ^ 1 for part in unique if part & 1 and part != self.universe])
        if not wanted:
            if len(away) == 1:
                return away[0] ^ 1
            return 2 * self._number((_JOIN, *away), away) + 1
        if len(wanted) == 1 and not away:
            return wanted[0]
        return 2 * self._number((_MEET, len(wanted), *wanted, *away), (*wanted, *away))

    def _number(self, expression: Expression, parts: tuple[int, ...]) -> int:
        number = self._numbers.get(expression)
        if number is None:
            number = self._numbers[expression] = len(self.depths)
            depth = 0
            for part in parts:
                below = self.depths[part >> 1]
                if below >= depth:
                    depth = below + 1
            self.expressions.append(expression)
            self.depths.append(depth)
            if depth == len(self.levels):
                self.levels.append(Level())
            self.levels[depth].put(number, expression)
        return number


def grounded_plan(
    graphs: Iterable[QuestionGraph], facts: FactStore
) -> tuple[Plan, list[dict[str, int]]]:
    """Read many graphs on a store.

    Raises:
        GroundingError: What the store does not have, of all graphs at once.
    """
    plan, signed, problems = Plan(facts), [], []
    for place, graph in enumerate(graphs):
        try:
            signed.append(plan.add(graph))
        except GroundingError as error:
            problems += [of_question(problem, graph, place) for problem in error.problems]
    if problems:
        raise GroundingError(problems)
    return plan, signed


def of_question(problem: Problem, graph: QuestionGraph, place: int) -> Problem:
    """Return a problem that says of which question of many it is."""
    name = graph.id or str(place + 1)
    subject = f"question {name}: {problem.subject}" if problem.subject else f"question {name}"
    return dataclasses.replace(problem, subject=subject)
