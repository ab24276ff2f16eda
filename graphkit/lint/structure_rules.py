"""Rules that need only the graph and its text."""

from __future__ import annotations

from collections.abc import Iterator

from graphkit.entity_set import UNIVERSE, EntitySet
from graphkit.lint.context import LintContext
from graphkit.lint.leak import find_leaks
from graphkit.operations import Direction, Op
from graphkit.patterns import conjunct_texts
from graphkit.question import Edge, QuestionGraph

Hits = Iterator[tuple[tuple[str, ...], str]]

MIN_EDGES = 5
"""EvoBrowseComp, section 2.1: a finished question has at least five edges."""

MIN_HOPS = 5
"""EvoBrowseComp, A.2: a reasoning chain has at least five hops."""


def implicit_intersection(context: LintContext) -> Hits:
    """Several conjuncts at one node without an intersection edge."""
    for node in context.graph.nodes:
        edges = context.graph.incoming[node.node_id]
        parts = len(edges) + bool(node.known_entities)
        if parts > 1:
            ids = (node.node_id, *(edge.edge_id for edge in edges))
            yield (
                ids,
                f"{parts} conditions meet at node {node.node_id} without an intersection edge",
            )


def any_of_anchor(context: LintContext) -> Hits:
    """Several known entities at one node."""
    for node in context.graph.nodes:
        if len(node.known_entities) > 1:
            names = " or ".join(node.known_entities)
            yield (node.node_id,), f"node {node.node_id} means any of: {names}"


def _is_free(graph: QuestionGraph, node_id: str) -> bool:
    node = graph.nodes_by_id[node_id]
    return not (graph.incoming[node_id] or node.known_entities or node.entity_type)


def free_source(context: LintContext) -> Hits:
    """A node without any condition, used as a source."""
    graph = context.graph
    for edge in graph.edges:
        for source in edge.source_ids:
            if _is_free(graph, source):
                yield (
                    (edge.edge_id, source),
                    (f"source {source} of edge {edge.edge_id} has no condition: it is everything"),
                )


def filler(context: LintContext) -> Hits:
    """Nodes from which no way leads to the root."""
    for node in context.graph.nodes:
        if node.node_id not in context.graph.relevant:
            yield (node.node_id,), f"node {node.node_id} cannot reach the root: it asks nothing"


def unsafe_complement(context: LintContext) -> Hits:
    """A root whose value is complemented whatever the facts are; or, with facts, is so."""
    root = context.graph.root_node_id
    if context.values is not None:
        unsafe = context.values[root].complemented
    else:
        unsafe = _complemented(context.graph)[root]
    if unsafe:
        yield (
            (root,),
            ("the answers are everything but a set; expected a positive condition beside it"),
        )


def _complemented(graph: QuestionGraph) -> dict[str, bool]:
    """Say for each node whether its value is a complement, from the structure alone."""
    values: dict[str, EntitySet] = {}
    positive = ~UNIVERSE
    for node_id in graph.order:
        node = graph.nodes_by_id[node_id]
        value = positive if node.known_entities or node.entity_type else UNIVERSE
        for edge in graph.incoming[node_id]:
            value = value & _sign(edge, values)
        values[node_id] = value
    return {node_id: value.complemented for node_id, value in values.items()}


def _sign(edge: Edge, values: dict[str, EntitySet]) -> EntitySet:
    sources = [values[source] for source in edge.source_ids]
    if edge.op is Op.PROJECTION:
        return ~UNIVERSE
    if edge.op is Op.COMPLEMENT:
        return ~sources[0]
    if edge.op is Op.UNION:
        return UNIVERSE if any(value.complemented for value in sources) else ~UNIVERSE
    return UNIVERSE if all(value.complemented for value in sources) else ~UNIVERSE


def double_complement(context: LintContext) -> Hits:
    """A complement of a node that is nothing but a complement."""
    graph = context.normal
    for edge in graph.edges:
        if edge.op is not Op.COMPLEMENT:
            continue
        source = edge.source_ids[0]
        inner = graph.incoming[source]
        if inner and inner[0].op is Op.COMPLEMENT and graph.node(source).entity_type is None:
            yield (
                (inner[0].edge_id, edge.edge_id),
                (f"edge {edge.edge_id} complements what edge {inner[0].edge_id} complemented"),
            )


def duplicate_branch(context: LintContext) -> Hits:
    """Two sources of one intersection or union with the same canonical form."""
    graph = context.normal
    texts = conjunct_texts(graph)
    for edge in graph.edges:
        seen: dict[str, str] = {}
        for source in edge.source_ids:
            first = seen.setdefault(texts[source], source)
            if first != source:
                yield (
                    (edge.edge_id, first, source),
                    (f"sources {first} and {source} of edge {edge.edge_id} say the same"),
                )


def back_and_forth(context: LintContext) -> Hits:
    """Relation r followed by r backwards, also where further conditions stand in between."""
    graph = context.normal
    for edge in graph.edges:
        if edge.op is not Op.PROJECTION:
            continue
        relation, way, symmetric = _read(context, edge)
        for inner in _projections_into(graph, edge.source_ids[0]):
            inner_relation, inner_way, _ = _read(context, inner)
            if inner_relation == relation and (symmetric or inner_way is not way):
                yield (
                    (inner.edge_id, edge.edge_id),
                    (
                        f"edge {edge.edge_id} follows {edge.relation!r} back the way that edge "
                        f"{inner.edge_id} came"
                    ),
                )


def _read(context: LintContext, edge: Edge) -> tuple[str, Direction, bool]:
    """Return (relation, direction, symmetric?) of a projection, aliases read where facts are."""
    facts, grounding = context.facts, context.grounding
    found = None if grounding is None else grounding.relations.get(edge.edge_id)
    if facts is None or found is None:
        return edge.relation or "", edge.reads, False
    name = facts.relations[found.number]
    return name, found.direction, facts.sheet.relation(name).symmetric


def _projections_into(graph: QuestionGraph, node_id: str) -> Iterator[Edge]:
    for edge in graph.incoming[node_id]:
        if edge.op is Op.PROJECTION:
            yield edge
        elif edge.op in (Op.INTERSECTION, Op.UNION):
            for source in edge.source_ids:
                yield from _projections_into(graph, source)


def anchor_at_root(context: LintContext) -> Hits:
    """Known entities on the answer node."""
    root = context.graph.node(context.graph.root_node_id)
    if root.known_entities:
        yield (
            (root.node_id,),
            (f"the answer node {root.node_id} names {', '.join(root.known_entities)}"),
        )


def answer_leaked(context: LintContext) -> Hits:
    """The answer, an alias of it or a hidden name stands in the question."""
    graph = context.graph
    names: dict[str, str] = {}
    if graph.answer:
        names[graph.answer] = graph.root_node_id
    for alias in (*graph.aliases, *_known_aliases(context)):
        names.setdefault(alias, graph.root_node_id)
    for node in graph.nodes:
        for name in node.reference_entities:
            if name not in node.known_entities:
                names.setdefault(name, node.node_id)
    for leak in find_leaks(graph.question, names):
        yield (
            (names[leak.name],),
            (f"{leak.text!r} at {leak.start}:{leak.end} gives away {leak.name!r}"),
        )


def _known_aliases(context: LintContext) -> Iterator[str]:
    if context.facts is None or not context.graph.answer:
        return
    facts = context.facts
    for number in facts.named(context.graph.answer).ids.tolist():
        yield from facts.aliases.get(number, ())


def few_edges(context: LintContext) -> Hits:
    """Fewer edges than a finished question has."""
    if context.shape.edges < MIN_EDGES:
        yield (), f"{context.shape.edges} edges, expected at least {MIN_EDGES}"


def few_hops(context: LintContext) -> Hits:
    """Fewer hops than a reasoning chain should have."""
    if context.shape.hops < MIN_HOPS:
        yield (), f"{context.shape.hops} hops, expected at least {MIN_HOPS}"


def empty_label(context: LintContext) -> Hits:
    """A variable without a label."""
    for node in context.graph.nodes:
        if not node.label.strip() and not node.known_entities:
            yield (node.node_id,), f"node {node.node_id} has no label"
