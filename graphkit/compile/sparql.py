"""Question graphs as SPARQL 1.1 over facts in RDF: one DISTINCT stage a hop, entities as VALUES."""

from __future__ import annotations

from collections.abc import Sequence

from graphkit.compile.base import Compiled
from graphkit.compile.sets import (
    AllOf,
    AnyOf,
    Given,
    OfType,
    Project,
    SetExpr,
    Universe,
    set_expression,
)
from graphkit.facts import FactStore
from graphkit.formats.rdf_terms import (
    PREFIXES,
    RDF,
    VOCABULARY,
    entity_iri,
    relation_iri,
    short,
    type_iri,
)
from graphkit.grounding import Grounding, ground
from graphkit.operations import Direction
from graphkit.question import QuestionGraph

__all__ = ["to_sparql"]

Lines = list[str]


def to_sparql(
    graph: QuestionGraph,
    facts: FactStore,
    *,
    grounding: Grounding | None = None,
    materialize_universe: bool = False,
) -> Compiled:
    """Compile a graph to a SPARQL query for its answers: the same full set as ``evaluate``.

    The query runs over the facts as :func:`graphkit.formats.rdf_facts_writer.facts_to_rdf` gives
    them. A set that may be found on several ways is a subquery with ``SELECT DISTINCT`` before
    the next hop starts from it. An excluded set of one hop is a ``FILTER NOT EXISTS`` on the
    candidates; a longer one is a ``MINUS``, which is evaluated once and not once a candidate.
    Both stand beside a positive pattern, at every depth, and never list the universe.

    No name is ever part of the text: entities stand as minted IRIs in ``VALUES`` blocks,
    relations and types as minted IRIs (see :func:`graphkit.formats.rdf_terms.minted`).

    Args:
        graph: The graph, in normal form or not.
        facts: The facts; only names are read.
        grounding: How the graph's names are read, if that is known already.
        materialize_universe: Accept a root that is a complement, and list everything but it.

    Returns:
        The query, with one column ``x``: the IRIs of the answers. It has no parameters.

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
    >>> print(to_sparql(graph, facts).text)
    PREFIX entity: <urn:graphkit:entity:>
    PREFIX relation: <urn:graphkit:relation:>
    SELECT DISTINCT ?x WHERE {
      VALUES ?x1 { entity::France }
      ?x relation:borders ?x1 .
    }
    """
    grounding = grounding or ground(graph, facts)
    body = set_expression(graph, facts, grounding, materialize_universe=materialize_universe)
    writer = _Writer()
    lines, _ = writer.pattern(body, "?x")
    heads = [f"PREFIX {name}: <{PREFIXES[name]}>" for name in PREFIXES if name in writer.used]
    return Compiled("\n".join([*heads, "SELECT DISTINCT ?x WHERE {", *_indented(lines), "}"]))


class _Writer:
    """Writes set expressions as graph patterns that bind one variable to the members."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self._number = 0

    def pattern(self, body: SetExpr, name: str) -> tuple[Lines, bool]:
        """Return the pattern for a set, and whether it yields every member just once."""
        if isinstance(body, Given):
            return [self._values(name, body)], True
        if isinstance(body, OfType):
            return [f"{name} {self._iri(RDF + 'type')} {self._iri(type_iri(body.name))} ."], True
        if isinstance(body, Universe):
            return [f"{name} {self._iri(VOCABULARY + 'key')} {self._fresh()} ."], True
        if isinstance(body, Project):
            return self._projection(body, name)
        if isinstance(body, AllOf):
            return self._all_of(body, name), True
        return self._any_of(body, name)

    def stage(self, body: SetExpr, name: str) -> Lines:
        """Return a pattern that yields every member just once, and shows nothing else."""
        lines, once = self.pattern(body, name)
        return lines if once else ["{", *_distinct(lines, name), "}"]

    def _group(self, body: SetExpr, name: str) -> Lines:
        """Return what stands between the braces of a group that holds one set."""
        lines, once = self.pattern(body, name)
        return _indented(lines) if once else _distinct(lines, name)

    def _projection(self, body: Project, name: str) -> tuple[Lines, bool]:
        source = self._fresh()
        hop = self._hop(body, source, name)
        if not body.outside:
            once = isinstance(body.source, Given) and len(body.source.keys) == 1
            return [*self.stage(body.source, source), hop], once
        if isinstance(body.source, AnyOf) and not body.source.members:
            return [hop], False
        return [hop, *self._without([body.source], source)], False

    def _all_of(self, body: AllOf, name: str) -> Lines:
        """Write the wanted sets, the narrow ones first, then what is excluded."""
        lines: Lines = []
        for part in sorted(body.wanted, key=_breadth):
            lines += self.stage(part, name)
        return [*lines, *self._without(body.unwanted, name)]

    def _without(self, parts: Sequence[SetExpr], name: str) -> Lines:
        """Write exclusions; each is sound because ``name`` is bound by what stands before."""
        lines: Lines = []
        for part in parts:
            if _is_test(part):
                inner, _ = self.pattern(part, name)
                lines.append(f"FILTER NOT EXISTS {{ {' '.join(inner)} }}")
        for part in parts:
            if not _is_test(part):
                lines += ["MINUS {", *self._group(part, name), "}"]
        return lines

    def _any_of(self, body: AnyOf, name: str) -> tuple[Lines, bool]:
        if not body.members:
            return [self._nothing(name)], True
        if len(body.members) == 1:
            return self.pattern(body.members[0], name)
        lines: Lines = []
        for number, part in enumerate(body.members):
            lines += ["} UNION {"] if number else ["{"]
            lines += self._group(part, name)
        return [*lines, "}"], False

    def _hop(self, body: Project, source: str, target: str) -> str:
        relation = self._iri(relation_iri(body.relation))
        if body.direction is Direction.FORWARD:
            return f"{source} {relation} {target} ."
        return f"{target} {relation} {source} ."

    def _values(self, name: str, body: Given) -> str:
        if not body.keys:
            return self._nothing(name)
        terms = "".join(f"{self._iri(entity_iri(key))} " for key in body.keys)
        return f"VALUES {name} {{ {terms}}}"

    def _nothing(self, name: str) -> str:
        """Return a pattern without solutions; rdflib reads neither ``{ }`` nor ``false`` so."""
        return f"{name} {self._iri(VOCABULARY + 'key')} {self._iri(VOCABULARY + 'nothing')} ."

    def _iri(self, iri: str) -> str:
        return "a" if iri == RDF + "type" else short(iri, self.used)

    def _fresh(self) -> str:
        self._number += 1
        return f"?x{self._number}"


def _is_test(body: SetExpr) -> bool:
    """Whether membership of one entity can be seen from it and its own facts."""
    if isinstance(body, Project):
        return not body.outside and isinstance(body.source, Given)
    return isinstance(body, Given | OfType)


def _breadth(body: SetExpr) -> int:
    """Order conjuncts by how few entities they are likely to have."""
    if isinstance(body, Given):
        return 0
    if isinstance(body, Project) and isinstance(body.source, Given):
        return 1
    return 3 if isinstance(body, OfType | Universe) else 2


def _distinct(lines: Lines, name: str) -> Lines:
    return [f"  SELECT DISTINCT {name} WHERE {{", *_indented(lines, 2), "  }"]


def _indented(lines: Lines, levels: int = 1) -> Lines:
    return ["  " * levels + line for line in lines]
