"""A second implementation of the semantics, with plain Python sets: slow, short, and on its own.

It is written from docs/semantics.md and uses neither :mod:`graphkit.entity_set` nor
:mod:`graphkit.adjacency`, :mod:`graphkit.normalize`, :mod:`graphkit.grounding` or
:mod:`graphkit.evaluate`. Every set is written out over an explicit universe. Engines and checks
are compared with it. Entities are named by :attr:`graphkit.entities.Entity.key`.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
import weakref
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from graphkit.entities import Entity
from graphkit.errors import GroundingError, Problem
from graphkit.evidence import LITERAL_TYPES, canonical_literal
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph
from graphkit.relations import RelationSheet

__all__ = [
    "PlainFacts",
    "is_unsafe",
    "oracle_answers",
    "oracle_constraints",
    "oracle_core",
    "oracle_deleted",
    "oracle_pinning",
    "oracle_redundant",
    "oracle_values",
    "plain_facts",
]

Keys = frozenset[str]
Triple = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class PlainFacts:
    """Facts as a set of triples of entity keys.

    Attributes:
        entities: The universe: key -> entity, only those that some fact holds.
        aliases: Key -> other names.
        facts: (head key, relation, tail key).
        sheet: The relation sheet.
    """

    entities: dict[str, Entity]
    aliases: dict[str, tuple[str, ...]]
    facts: frozenset[Triple]
    sheet: RelationSheet

    @property
    def universe(self) -> Keys:
        """All entities."""
        return frozenset(self.entities)

    @property
    def relations(self) -> frozenset[str]:
        """All relations that some fact has."""
        return frozenset(relation for _, relation, _ in self.facts)


_SEEN: weakref.WeakKeyDictionary[FactStore, PlainFacts] = weakref.WeakKeyDictionary()


def plain_facts(store: FactStore) -> PlainFacts:
    """Return the facts of a store as plain sets."""
    if store not in _SEEN:
        triples = frozenset(
            (store.entity(f.head).key, store.relations[f.relation], store.entity(f.tail).key)
            for f in store.facts()
        )
        alive = {key for head, _, tail in triples for key in (head, tail)}
        numbered = [(n, e) for n, e in enumerate(store.entities) if e.key in alive]
        _SEEN[store] = PlainFacts(
            {entity.key: entity for _, entity in numbered},
            {entity.key: tuple(store.aliases.get(number, ())) for number, entity in numbered},
            triples,
            store.sheet,
        )
    return _SEEN[store]


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", text).strip()


def _spellings(name: str, kind: str) -> set[str]:
    """The ways in which a literal of a type may be printed that is asked for as ``name``."""
    parts = re.fullmatch(
        r"([-\u2212]?\d[\d.,\s]*?)(?:\s+(?=[^\W\d_])|\s*(?=[%°]))(.+)", name, re.DOTALL
    )
    if kind == "number" and parts is not None:
        return {f"{canonical_literal(kind, parts[1])} {parts[2].strip()}"}
    return {canonical_literal(kind, name)}


def _resolve(name: str, plain: PlainFacts) -> Keys:
    name, folded = _nfc(name), _fold(_nfc(name))
    tests = (
        lambda key, e: e.id == name,
        lambda key, e: name in (e.name, e.text),
        lambda key, e: folded in (_fold(e.name), _fold(e.text)),
        lambda key, e: (
            e.id is None
            and e.type in LITERAL_TYPES
            and bool({e.name, e.text} & _spellings(name, e.type))
        ),
        lambda key, e: folded in {_fold(other) for other in plain.aliases[key]},
    )
    for test in tests:
        found = frozenset(key for key, entity in plain.entities.items() if test(key, entity))
        if found:
            return found
    raise GroundingError(Problem(f"{name!r} is no entity of the facts", code="unresolved_name"))


def _resolve_relation(edge: Edge, plain: PlainFacts) -> tuple[str, Direction]:
    name = _nfc(edge.relation or "")
    forward = edge.direction or Direction.FORWARD
    backward = Direction.BACKWARD if forward is Direction.FORWARD else Direction.FORWARD
    tiers: list[set[tuple[str, Direction]]] = [set(), set(), set(), set()]
    for relation in plain.relations:
        entry = plain.sheet.relation(relation)
        inverses = (*entry.inverse_aliases, *filter(None, [entry.inverse]))
        if relation == name:
            tiers[0].add((relation, forward))
        if _fold(relation) == _fold(name):
            tiers[1].add((relation, forward))
        if _fold(name) in map(_fold, entry.aliases):
            tiers[2].add((relation, forward))
        if _fold(name) in map(_fold, inverses):
            tiers[3].add((relation, backward))
    found = next(filter(None, tiers), set())
    if len(found) != 1:
        raise GroundingError(
            Problem(f"relation {name!r} has {len(found)} meanings", code="unresolved_relation")
        )
    return next(iter(found))


def oracle_values(
    graph: QuestionGraph, facts: FactStore, deleted: Collection[str] = ()
) -> dict[str, Keys]:
    """Return the value of every node as a written-out set of entity keys.

    Args:
        graph: The question graph; in normal form if something is deleted.
        facts: The facts.
        deleted: Ids of constraints that are taken away, as :func:`oracle_constraints` lists them.

    Raises:
        GroundingError: A name or a relation is not in the store, or a relation is ambiguous.
    """
    plain = plain_facts(facts)
    values: dict[str, Keys] = {}

    def edge_value(edge: Edge) -> Keys | None:
        if edge.op in (Op.INTERSECTION, Op.UNION):
            kept = [s for s in edge.source_ids if f"{edge.edge_id}/{s}" not in deleted]
            sets = [value(source) for source in kept]
            if edge.op is Op.INTERSECTION:
                return plain.universe.intersection(*sets)
            return frozenset[str]().union(*sets)  # of none: empty, as its De Morgan form is
        if edge.edge_id in deleted:
            return None
        source = value(edge.source_ids[0])
        if edge.op is Op.COMPLEMENT:
            return plain.universe - source
        relation, direction = _resolve_relation(edge, plain)
        if direction is Direction.FORWARD:
            return frozenset(t for h, r, t in plain.facts if r == relation and h in source)
        return frozenset(h for h, r, t in plain.facts if r == relation and t in source)

    def value(node_id: str) -> Keys:
        if node_id not in values:
            node = next(node for node in graph.nodes if node.node_id == node_id)
            result = plain.universe
            if node.known_entities and node_id not in deleted:
                result &= frozenset().union(*(_resolve(n, plain) for n in node.known_entities))
            if node.entity_type is not None:
                result &= {k for k, e in plain.entities.items() if e.type == node.entity_type}
            for edge in graph.edges:
                part = edge_value(edge) if edge.target_id == node_id else None
                if part is not None:
                    result &= part
            values[node_id] = result
        return values[node_id]

    for node in graph.nodes:
        value(node.node_id)
    return values


def is_unsafe(graph: QuestionGraph, deleted: Collection[str] = ()) -> bool:
    """Whether the root is a complement of something: a question of form alone, not of facts."""

    def negative(node_id: str) -> bool:
        node = next(node for node in graph.nodes if node.node_id == node_id)
        if (node.known_entities and node_id not in deleted) or node.entity_type is not None:
            return False
        return all(edge_negative(e) for e in graph.edges if e.target_id == node_id)

    def edge_negative(edge: Edge) -> bool:
        if edge.op in (Op.INTERSECTION, Op.UNION):
            kept = [s for s in edge.source_ids if f"{edge.edge_id}/{s}" not in deleted]
            some = all if edge.op is Op.INTERSECTION else any
            return some(negative(source) for source in kept)
        if edge.edge_id in deleted:
            return True
        return edge.op is Op.COMPLEMENT and not negative(edge.source_ids[0])

    return negative(graph.root_node_id)


def oracle_answers(graph: QuestionGraph, facts: FactStore) -> set[str] | None:
    """Return the keys of all answers, or None when the root is unsafe.

    >>> from graphkit.question import Edge, Node
    >>> facts = FactStore.from_triples([("France", "borders", "Spain")])
    >>> graph = QuestionGraph(root_node_id="n1", nodes=[
    ...     Node(node_id="n0", known_entities=["France"]), Node(node_id="n1")], edges=[
    ...     Edge(edge_id="e0", source_ids=["n0"], target_id="n1", op="projection",
    ...          relation="borders")])
    >>> oracle_answers(graph, facts)
    {':Spain'}
    """
    if is_unsafe(graph):
        return None
    return set(oracle_values(graph, facts)[graph.root_node_id])


def oracle_constraints(graph: QuestionGraph, deleted: Collection[str] = ()) -> list[str]:
    """Return the ids of all constraints of a normal graph that reach the root, sorted.

    ``e5/n3`` is a source of an intersection or union, ``e2`` a projection or complement, ``n0`` a
    node with known entities.

    Args:
        graph: A graph in normal form.
        deleted: Constraints that are taken away; what only they joined to the root goes too.
    """
    found: set[str] = set()

    def visit(node_id: str) -> None:
        node = next(node for node in graph.nodes if node.node_id == node_id)
        if node.known_entities:
            found.add(node_id)
        for edge in graph.edges:
            if edge.target_id != node_id:
                continue
            for source in edge.source_ids:
                single = edge.op in (Op.PROJECTION, Op.COMPLEMENT)
                name = edge.edge_id if single else f"{edge.edge_id}/{source}"
                if name not in deleted:
                    found.add(name)
                    visit(source)

    visit(graph.root_node_id)
    return sorted(found - set(deleted))


def oracle_deleted(graph: QuestionGraph, facts: FactStore, deleted: Collection[str]) -> set[str]:
    """Return the true answers once constraints are taken away; an unsafe set is written out."""
    return set(oracle_values(graph, facts, deleted)[graph.root_node_id])


def _subsets(items: list[str]) -> Iterator[tuple[str, ...]]:
    """All subsets, the smallest first, equal sizes in the order of their sorted lists."""
    for size in range(len(items) + 1):
        yield from itertools.combinations(items, size)


def _has_answers(graph: QuestionGraph, facts: FactStore) -> bool:
    return bool(oracle_answers(graph, facts))


def oracle_redundant(graph: QuestionGraph, facts: FactStore) -> list[str] | None:
    """Return the constraints that leave the answers alone when deleted; None without answers.

    Args:
        graph: A graph in normal form.
        facts: The facts.
    """
    if not _has_answers(graph, facts):
        return None
    answers = oracle_answers(graph, facts)
    return [
        item
        for item in oracle_constraints(graph)
        if oracle_deleted(graph, facts, {item}) == answers
    ]


def oracle_core(graph: QuestionGraph, facts: FactStore) -> list[str] | None:
    """Return the fewest constraints with the same answers, or None when there are no answers.

    Of several, the one whose sorted list of ids is smallest. Tries all subsets: for graphs of a
    dozen constraints.

    Args:
        graph: A graph in normal form.
        facts: The facts.
    """
    if not _has_answers(graph, facts):
        return None
    answers = oracle_answers(graph, facts)
    everything = oracle_constraints(graph)
    for kept in _subsets(everything):
        if oracle_deleted(graph, facts, set(everything) - set(kept)) == answers:
            return list(kept)
    return everything


def oracle_pinning(graph: QuestionGraph, facts: FactStore) -> list[str] | None:
    """Return what is left of a graph that a part of it pins already, or None if none does.

    Args:
        graph: A graph in normal form.
        facts: The facts.

    Returns:
        The constraints of the smallest graph that a non-empty deletion leaves with the same
        answers; None when there is no such deletion, or there are no answers.
    """
    core = oracle_core(graph, facts)
    return None if core is None or core == oracle_constraints(graph) else core


def same_entities(facts: FactStore, numbers: Iterable[int], keys: Collection[str]) -> bool:
    """Whether entity numbers of a store and keys of the oracle name the same entities."""
    return {facts.entity(int(number)).key for number in numbers} == set(keys)
