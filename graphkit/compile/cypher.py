"""Question graphs as Cypher over the facts of a store: one stage a hop, values as parameters."""

from __future__ import annotations

import re
from typing import Any

from graphkit.compile.base import Compiled
from graphkit.compile.sets import AllOf, AnyOf, Given, OfType, Project, SetExpr, set_expression
from graphkit.facts import FactStore
from graphkit.grounding import Grounding, ground
from graphkit.operations import Direction
from graphkit.question import QuestionGraph

__all__ = ["to_cypher"]


def to_cypher(
    graph: QuestionGraph,
    facts: FactStore,
    *,
    grounding: Grounding | None = None,
    materialize_universe: bool = False,
) -> Compiled:
    """Compile a graph to Cypher that returns its answers: the same full set as ``evaluate``.

    The query runs over the ``Entity`` nodes and ``FACT`` edges of a store that holds ``facts``,
    on every engine. Each hop is one stage that ends in ``WITH DISTINCT``, the last in ``RETURN
    DISTINCT``. A condition of one hop
    from given entities is an ``EXISTS`` on the candidates, an excluded one a ``NOT EXISTS``; a
    longer branch is a subquery of its own whose rows count for or against a candidate, so that
    complements hold at every depth and never list the universe.

    Args:
        graph: The graph, in normal form or not.
        facts: The facts that the store holds; only names are read.
        grounding: How the graph's names are read, if that is known already.
        materialize_universe: Accept a root that is a complement, and list everything but it.

    Returns:
        The query, with columns ``id`` (entity key) and ``name``, and its parameters.

    Raises:
        GroundingError: A name or a relation is not in the facts.
        UnsafeGraphError: The root is a complement, and ``materialize_universe`` is not set.
        UnsupportedError: Nodes are shared so often that the query would be too long.

    >>> from graphkit.question import Edge, Node
    >>> facts = FactStore.from_triples(
    ...     [("France", "borders", "Spain"), ("Italy", "borders", "France")])
    >>> graph = QuestionGraph(root_node_id="n1", nodes=[
    ...     Node(node_id="n0", known_entities=["France"]), Node(node_id="n1")], edges=[
    ...     Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...          relation="borders", direction="backward")])
    >>> compiled = to_cypher(graph, facts)
    >>> print(compiled.text)
    UNWIND $keys1 AS key
    MATCH (x:Entity {id: key})
    WITH x
    MATCH (x)<-[:FACT {relation: $relation1}]-(y:Entity)
    RETURN DISTINCT y.id AS id, y.name AS name
    ORDER BY name, id
    >>> compiled.params
    {'keys1': [':France'], 'relation1': 'borders'}
    """
    grounding = grounding or ground(graph, facts)
    body = set_expression(graph, facts, grounding, materialize_universe=materialize_universe)
    writer = _Writer()
    lines = [*_returned(writer.rows(body)), "ORDER BY name, id"]
    return Compiled("\n".join(lines), writer.params)


_LAST_STAGE = re.compile(r"WITH DISTINCT (?:(\w+) AS )?x")


def _returned(lines: list[str]) -> list[str]:
    """End a query; a stage at its end is made of names and not of nodes, which is quicker."""
    stage = _LAST_STAGE.fullmatch(lines[-1])
    if stage is None:
        return [*lines, "RETURN x.id AS id, x.name AS name"]
    name = stage[1] or "x"
    return [*lines[:-1], f"RETURN DISTINCT {name}.id AS id, {name}.name AS name"]


class _Writer:
    """Writes set expressions as lines of Cypher that leave each member once, as ``x``."""

    def __init__(self) -> None:
        self.params: dict[str, Any] = {}
        self._numbers: dict[str, int] = {}

    def rows(self, body: SetExpr) -> list[str]:
        """Return the lines for one expression."""
        if isinstance(body, Given):
            return [
                f"UNWIND {self._param('keys', list(body.keys))} AS key",
                "MATCH (x:Entity {id: key})",
                "WITH x",
            ]
        if isinstance(body, OfType):
            kind = self._param("type", body.name)
            return [f"MATCH (x:Entity {{entity_type: {kind}}})", "WITH x"]
        if isinstance(body, Project):
            return self._projection(body)
        if isinstance(body, AllOf):
            return self._all_of(body)
        if isinstance(body, AnyOf):
            return self._any_of(body)
        return ["MATCH (x:Entity)", "WITH x"]

    def _projection(self, body: Project) -> list[str]:
        if not body.outside:
            lines = self.rows(body.source)
            hop = _hop(body.direction, self._param("relation", body.relation))
            return [*lines, f"MATCH (x){hop}(y:Entity)", "WITH DISTINCT y AS x"]
        hop = _hop(body.direction, self._param("relation", body.relation))
        if isinstance(body.source, AnyOf) and not body.source.members:
            return [f"MATCH (:Entity){hop}(x:Entity)", "WITH DISTINCT x"]
        sources = [f"MATCH (x:Entity){hop}(:Entity)", "WITH DISTINCT x"]
        return [
            *_counted([(sources, 1), (self.rows(body.source), -1)], 1),
            f"MATCH (x){hop}(y:Entity)",
            "WITH DISTINCT y AS x",
        ]

    def _all_of(self, body: AllOf) -> list[str]:
        """Write candidates from branches, then tests on each of them."""
        wanted = [(part, self._is_test(part)) for part in body.wanted]
        branches = [part for part, test in wanted if not test]
        tests = [part for part, test in wanted if test]
        if not branches:
            tests.sort(key=_breadth)
            branches, tests = tests[:1], tests[1:]
        against = [part for part in body.unwanted if not self._is_test(part)]
        if len(branches) == 1 and not against:
            lines = self.rows(branches[0])
        else:
            weight = len(branches)
            lines = _counted(
                [
                    *((self.rows(part), 1) for part in branches),
                    *((self.rows(part), -weight) for part in against),
                ],
                weight,
            )
        conditions = [self._test(part) for part in tests]
        conditions += [f"NOT {self._test(part)}" for part in body.unwanted if self._is_test(part)]
        return [*lines, *_where(conditions, after=lines[-1])]

    def _any_of(self, body: AnyOf) -> list[str]:
        if not body.members:
            return [*self.rows(Given(()))]
        if len(body.members) == 1:
            return self.rows(body.members[0])
        lines = ["CALL () {"]
        for number, part in enumerate(body.members):
            lines += ["UNION"] if number else []
            lines += ["  " + line for line in (*self.rows(part), "RETURN x")]
        return [*lines, "}", "WITH DISTINCT x"]

    @staticmethod
    def _is_test(body: SetExpr) -> bool:
        """Whether membership of one entity can be seen from it and its own edges."""
        if isinstance(body, Project):
            return not body.outside and isinstance(body.source, Given)
        return isinstance(body, Given | OfType)

    def _test(self, body: SetExpr) -> str:
        """Return the condition that ``x`` is a member; never null."""
        if isinstance(body, Given):
            return f"x.id IN {self._param('keys', list(body.keys))}"
        if isinstance(body, OfType):
            return f"coalesce(x.entity_type = {self._param('type', body.name)}, false)"
        assert isinstance(body, Project)
        assert isinstance(body.source, Given)
        hop = _hop(body.direction.reverse, self._param("relation", body.relation))
        keys = self._param("keys", list(body.source.keys))
        return f"EXISTS {{ MATCH (x){hop}(y:Entity) WHERE y.id IN {keys} }}"

    def _param(self, stem: str, value: Any) -> str:
        number = self._numbers[stem] = self._numbers.get(stem, 0) + 1
        self.params[f"{stem}{number}"] = value
        return f"${stem}{number}"


def _breadth(body: SetExpr) -> int:
    """Order tests by how few entities they are likely to give as a starting point."""
    if isinstance(body, Given):
        return 0
    return 1 if isinstance(body, Project) else 2


def _hop(direction: Direction, relation: str) -> str:
    edge = f"[:FACT {{relation: {relation}}}]"
    return f"-{edge}->" if direction is Direction.FORWARD else f"<-{edge}-"


def _where(conditions: list[str], after: str) -> list[str]:
    """Return the lines of conditions, which go on with those of the stage before if it has some."""
    more = after.startswith(("WHERE ", "  AND "))
    return [
        f"{'  AND' if number or more else 'WHERE'} {text}" for number, text in enumerate(conditions)
    ]


def _counted(branches: list[tuple[list[str], int]], needed: int) -> list[str]:
    """Return what the wanted branches (1 each) all give and no unwanted one (-needed) does."""
    lines = ["CALL () {"]
    for number, (rows, weight) in enumerate(branches):
        lines += ["UNION ALL"] if number else []
        lines += ["  " + line for line in (*rows, f"RETURN x, {weight} AS hit")]
    return [*lines, "}", "WITH x, sum(hit) AS hits", f"WHERE hits = {needed}", "WITH x"]
