"""Writes question graphs as SPARQL queries over names, without facts; what it writes is read back.

Names of entities, relations and types stand as minted IRIs, web addresses as themselves. For a
query over facts in RDF see :mod:`graphkit.compile.sparql`, which knows who each name means.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from graphkit.errors import Problem, UnsupportedError
from graphkit.formats.rdf_terms import RELATION, TYPE, is_web_iri, minted
from graphkit.formats.sparql_terms import NAME
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["sparql_of"]

MAX_LINES = 5000
"""The most lines that a query may have once shared nodes are written out."""

MAX_NESTING = 60
"""The most groups inside one another: parsers of SPARQL go no deeper."""


def sparql_of(graph: QuestionGraph) -> str:
    """Return a SPARQL query for the answers of a question graph, over names.

    Args:
        graph: The graph.

    Raises:
        UnsupportedError: The root is a complement or free, or the query would be too long.

    >>> from graphkit.question import Edge, Node
    >>> print(sparql_of(QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["New York"]), Node(node_id="x")], edges=[
    ...     Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
    ...          relation="mayor", direction="backward")])), end="")
    SELECT DISTINCT ?x0 WHERE {
      ?x0 <urn:graphkit:relation:mayor> <urn:graphkit:name:New%20York> .
    }
    """
    kinds = _kinds(graph)
    if kinds[graph.root_node_id] is not _Kind.POSITIVE:
        raise UnsupportedError(
            Problem(
                "the answers are a set that no query can state without a positive condition: "
                f"{kinds[graph.root_node_id].value}",
                code="unsafe_complement",
                subject=f"node {graph.root_node_id}",
            )
        )
    lines = _Writer(graph, kinds).group([(graph.root_node_id, "?x0", True)], bound=False, depth=1)
    return "\n".join(["SELECT DISTINCT ?x0 WHERE {", *lines, "}", ""])


class _Kind(Enum):
    """How the set of a node is given."""

    POSITIVE = "a set"
    NEGATIVE = "all entities but some"
    EVERYTHING = "all entities"
    NOTHING = "the empty set"


_OPPOSITE = {
    _Kind.POSITIVE: _Kind.NEGATIVE,
    _Kind.NEGATIVE: _Kind.POSITIVE,
    _Kind.EVERYTHING: _Kind.NOTHING,
    _Kind.NOTHING: _Kind.EVERYTHING,
}


def _kinds(graph: QuestionGraph) -> dict[str, _Kind]:
    found: dict[str, _Kind] = {}
    for node_id in graph.order:
        node = graph.nodes_by_id[node_id]
        parts = [_edge_kind(edge, found) for edge in graph.incoming[node_id]]
        if node.known_entities or node.entity_type is not None:
            parts.append(_Kind.POSITIVE)
        found[node_id] = _both(parts)
    return found


def _edge_kind(edge: Edge, found: dict[str, _Kind]) -> _Kind:
    sources = [found[source] for source in edge.source_ids]
    if edge.op is Op.PROJECTION:
        return _Kind.POSITIVE
    if edge.op is Op.COMPLEMENT:
        return _OPPOSITE[sources[0]]
    if edge.op is Op.INTERSECTION:
        return _both(sources)
    return _OPPOSITE[_both(_OPPOSITE[kind] for kind in sources)]


def _both(kinds: Iterable[_Kind]) -> _Kind:
    """The kind of an intersection."""
    rank = (_Kind.NOTHING, _Kind.POSITIVE, _Kind.NEGATIVE, _Kind.EVERYTHING)
    return min(kinds, key=rank.index, default=_Kind.EVERYTHING)


_Item = tuple[str, str, bool]
"""A node, a term, and whether the term is in the node's set or outside it."""


class _Writer:
    """Writes groups of lines; counts variables and lines."""

    def __init__(self, graph: QuestionGraph, kinds: dict[str, _Kind]) -> None:
        self.graph = graph
        self.kinds = kinds
        self.used = 0
        self.lines = 0

    def group(self, todo: list[_Item], *, bound: bool, depth: int) -> list[str]:
        """Return the lines of a group in which terms are in, or outside, the sets of nodes.

        Args:
            todo: What is to be said.
            bound: Whether the terms have their values from outside.
            depth: How many groups it stands in.
        """
        if depth > MAX_NESTING:
            raise self._too_long(f"more than {MAX_NESTING} groups inside one another")
        made = _Lines("  " * depth)
        given = frozenset(term for _, term, _ in todo) if bound else frozenset()
        stack = list(reversed(todo))
        while stack:
            node_id, term, inside = stack.pop()
            kind = self.kinds[node_id] if inside else _OPPOSITE[self.kinds[node_id]]
            below: list[_Item] = []
            if kind is _Kind.NOTHING:
                made.without([])
            elif kind is _Kind.EVERYTHING:
                continue
            elif inside:
                below = self._inside(node_id, term, term in given, made, depth)
            elif kind is _Kind.NEGATIVE:
                inner = [(node_id, term, True)]
                made.without(self.group(inner, bound=True, depth=depth + 1))
            else:
                below = self._either(self._outside(node_id, term), made, depth)
            stack.extend(reversed(below))
            self.lines += 1
            if self.lines > MAX_LINES:
                raise self._too_long(f"more than {MAX_LINES} lines")
        return [*made.patterns, *made.filters]

    def _inside(
        self, node_id: str, term: str, given: bool, made: _Lines, depth: int
    ) -> list[_Item]:
        """Say that a term is in the set of a node; return what else is to be said."""
        node = self.graph.nodes_by_id[node_id]
        below: list[_Item] = []
        if node.known_entities:
            names = [_entity(name) for name in node.known_entities]
            if given:
                made.filter(f"FILTER({term} IN ({', '.join(names)}))")
            else:
                made.pattern(f"VALUES {term} {{ {' '.join(names)} }}")
        if node.entity_type is not None:
            made.pattern(f"{term} a <{minted(TYPE, node.entity_type)}> .")
        for edge in self.graph.incoming[node_id]:
            if edge.op is Op.PROJECTION:
                below += self._hop(edge, term, made)
            elif edge.op is Op.INTERSECTION:
                below += [(source, term, True) for source in edge.source_ids]
            elif edge.op is Op.COMPLEMENT:
                below.append((edge.source_ids[0], term, False))
            else:
                below += self._union(edge, term, made, depth)
        return below

    def _hop(self, edge: Edge, term: str, made: _Lines) -> list[_Item]:
        source = self.graph.nodes_by_id[edge.source_ids[0]]
        alone = len(source.known_entities) == 1 and source.entity_type is None
        if alone and not self.graph.incoming[source.node_id]:
            other = _entity(source.known_entities[0])
        else:
            self.used += 1
            other = f"?x{self.used}"
        head, tail = (other, term) if edge.reads is Direction.FORWARD else (term, other)
        made.pattern(f"{head} <{_relation(edge.relation or '')}> {tail} .")
        return [] if other.startswith("<") else [(source.node_id, other, True)]

    def _union(self, edge: Edge, term: str, made: _Lines, depth: int) -> list[_Item]:
        kind = _edge_kind(edge, self.kinds)
        if kind is _Kind.NEGATIVE:  # not outside all of them
            inner: list[_Item] = [(source, term, False) for source in edge.source_ids]
            made.without(self.group(inner, bound=True, depth=depth + 1))
            return []
        if kind is not _Kind.POSITIVE:
            if kind is _Kind.NOTHING:
                made.without([])
            return []
        found = [s for s in edge.source_ids if self.kinds[s] is not _Kind.NOTHING]
        return self._either([[(source, term, True)] for source in found], made, depth)

    def _outside(self, node_id: str, term: str) -> list[list[_Item]]:
        """Return the ways to be outside a set that is given as all entities but some."""
        ways: list[list[_Item]] = []
        for edge in self.graph.incoming[node_id]:
            if _edge_kind(edge, self.kinds) is _Kind.EVERYTHING:
                continue
            if edge.op is Op.COMPLEMENT:
                ways.append([(edge.source_ids[0], term, True)])
            elif edge.op is Op.UNION:
                ways.append([(source, term, False) for source in edge.source_ids])
            else:
                ways += [
                    [(source, term, False)]
                    for source in edge.source_ids
                    if self.kinds[source] is not _Kind.EVERYTHING
                ]
        return ways

    def _either(self, ways: list[list[_Item]], made: _Lines, depth: int) -> list[_Item]:
        if len(ways) == 1:
            return ways[0]
        made.either([self.group(way, bound=False, depth=depth + 1) for way in ways])
        return []

    def _too_long(self, what: str) -> UnsupportedError:
        return UnsupportedError(Problem(f"the query would have {what}", code="too_long"))


class _Lines:
    """The lines of one group: patterns first, filters last."""

    def __init__(self, indent: str) -> None:
        self.indent = indent
        self.patterns: list[str] = []
        self.filters: list[str] = []
        self._seen: set[str] = set()

    def pattern(self, line: str) -> None:
        if line not in self._seen:
            self._seen.add(line)
            self.patterns.append(self.indent + line)

    def filter(self, line: str) -> None:
        if line not in self._seen:
            self._seen.add(line)
            self.filters.append(self.indent + line)

    def without(self, inner: list[str]) -> None:
        self.filters += [self.indent + "FILTER NOT EXISTS {", *inner, self.indent + "}"]

    def either(self, groups: list[list[str]]) -> None:
        for number, group in enumerate(groups):
            opening = "UNION {" if number else "{"
            self.patterns += [self.indent + opening, *group, self.indent + "}"]


def _entity(name: str) -> str:
    return f"<{name if is_web_iri(name) else minted(NAME, name)}>"


def _relation(name: str) -> str:
    return name if is_web_iri(name) else minted(RELATION, name)
