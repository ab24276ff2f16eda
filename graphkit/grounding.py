"""Names and relations of a question graph -> entities and relations of a fact store, in tiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from graphkit.entities import NameIndex, fold, iri_name, is_iri
from graphkit.entity_set import EntitySet
from graphkit.errors import GroundingError, Problem, did_you_mean
from graphkit.evidence import LITERAL_TYPES, nfc, split_literal
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph

__all__ = [
    "GroundedRelation",
    "Grounding",
    "Match",
    "Tier",
    "ground",
    "resolve",
    "resolve_relation",
]


class Tier(StrEnum):
    """How a name was found; the first tier with a match wins."""

    ID = "id"
    EXACT = "exact"
    FOLDED = "folded"
    ALIAS = "alias"
    INVERSE = "inverse alias"


@dataclass(frozen=True, slots=True)
class Match:
    """What one name resolves to.

    Attributes:
        name: The name as the question has it.
        tier: How it was found.
        entities: The entity numbers, more than one when the name is ambiguous.
    """

    name: str
    tier: Tier
    entities: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GroundedRelation:
    """What the relation of a projection resolves to: a relation number and a direction."""

    number: int
    direction: Direction
    tier: Tier


@dataclass(frozen=True, slots=True)
class Grounding:
    """A question graph read on a fact store.

    Attributes:
        anchors: Node id -> the matches of its known entities.
        relations: Edge id -> the relation of a projection.
        warnings: Names that match several entities; the question itself is ambiguous.
        unresolved: Names and relations that the store does not have.
    """

    anchors: Mapping[str, tuple[Match, ...]]
    relations: Mapping[str, GroundedRelation]
    warnings: tuple[Problem, ...] = ()
    unresolved: tuple[Problem, ...] = ()

    def anchor_set(self, node_id: str) -> EntitySet:
        """Return the entities that the known entities of a node may mean."""
        return EntitySet.of(number for match in self.anchors[node_id] for number in match.entities)

    @property
    def ambiguous(self) -> bool:
        """Whether some name matches several entities."""
        return bool(self.warnings)


def resolve(name: str, facts: FactStore) -> Match | None:
    """Find the entities of a name: by id, exact name, folded name, alias; the first tier wins.

    Args:
        name: The name as the question has it.
        facts: The store.

    >>> store = FactStore.from_triples([("Paris", "in", "France")])
    >>> resolve("PARIS", store).tier.value
    'folded'
    """
    index = facts.index
    for tier, found in _tiers(nfc(name), index, facts):
        alive = tuple(number for number in found if facts.alive(number))
        if alive:
            return Match(name, tier, alive)
    return None


def _tiers(
    name: str, index: NameIndex, facts: FactStore
) -> tuple[tuple[Tier, tuple[int, ...]], ...]:
    folded = fold(name)
    return (
        (Tier.ID, index.ids.get(name, ())),
        (Tier.EXACT, index.exact.get(name, ())),
        (Tier.FOLDED, index.folded.get(folded, ())),
        (Tier.FOLDED, _literals(name, index, facts)),
        (Tier.ALIAS, index.alias.get(folded, ())),
    )


def _literals(name: str, index: NameIndex, facts: FactStore) -> tuple[int, ...]:
    """The literals of which a name is another spelling: 8,848.0 m is 8848 m."""
    found: dict[int, None] = {}
    for datatype in sorted(LITERAL_TYPES & facts.types.keys()):
        value, unit = split_literal(datatype, name)
        for number in index.exact.get(f"{value} {unit}" if unit else value, ()):
            entity = facts.entity(number)
            if entity.type == datatype and entity.id is None:
                found[number] = None
    return tuple(found)


def resolve_relation(
    name: str, direction: Direction, facts: FactStore
) -> tuple[GroundedRelation, ...]:
    """Find the relation of a projection: exact, folded, alias, inverse alias; the first tier wins.

    An inverse name turns the direction round. An IRI that is no such name means what facts from
    RDF call it: its last part. Several results mean that the name is ambiguous.
    A relation whose last fact is gone is not found, as an entity without facts is not.
    """
    name = nfc(name)
    alive = facts.living_relations
    if name in alive:
        return (GroundedRelation(alive[name], direction, Tier.EXACT),)
    folded = fold(name)
    found = [
        GroundedRelation(number, direction, Tier.FOLDED)
        for known, number in alive.items()
        if fold(known) == folded
    ]
    if found:
        return tuple(found)
    for inverted, tier in ((False, Tier.ALIAS), (True, Tier.INVERSE)):
        for alias, pairs in facts.sheet.aliases.items():
            if fold(alias) != folded:
                continue
            for target, turned in pairs:
                number = alive.get(target)
                if turned == inverted and number is not None:
                    way = direction.reverse if turned else direction
                    found.append(GroundedRelation(number, way, tier))
        if found:
            return tuple(dict.fromkeys(found))
    if is_iri(name) and (short := iri_name(name)) != name:
        return resolve_relation(short, direction, facts)
    return ()


def ground(graph: QuestionGraph, facts: FactStore, *, strict: bool = True) -> Grounding:
    """Read a question graph on a fact store.

    Args:
        graph: The question graph.
        facts: The facts.
        strict: Raise when something is unresolved; else return it in ``unresolved``.

    Raises:
        GroundingError: Names or relations that the store does not have, all of them at once.
    """
    anchors: dict[str, tuple[Match, ...]] = {}
    relations: dict[str, GroundedRelation] = {}
    warnings: list[Problem] = []
    unresolved: list[Problem] = []
    for node in graph.nodes:
        if node.known_entities:
            anchors[node.node_id] = _ground_node(node, facts, warnings, unresolved)
    for edge in graph.edges:
        if edge.op is Op.PROJECTION:
            _ground_edge(edge, facts, relations, unresolved)
    if unresolved and strict:
        raise GroundingError(unresolved)
    return Grounding(anchors, relations, tuple(warnings), tuple(unresolved))


def _ground_node(
    node: Node, facts: FactStore, warnings: list[Problem], unresolved: list[Problem]
) -> tuple[Match, ...]:
    matches = []
    subject = f"node {node.node_id}"
    for name in node.known_entities:
        match = resolve(name, facts)
        if match is None:
            hint = did_you_mean(name, facts.index.exact) if facts.size <= 50_000 else ""
            unresolved.append(
                Problem(
                    f"{name!r} is not an entity of the facts{hint}",
                    code="unresolved_name",
                    subject=subject,
                )
            )
            continue
        if len(match.entities) > 1 and node.entity_type is not None:
            typed = [n for n in match.entities if facts.entity(n).type == node.entity_type]
            match = Match(name, match.tier, tuple(typed) or match.entities)
        if len(match.entities) > 1:
            kinds = ", ".join(
                sorted(
                    f"{facts.name(n)} ({facts.entity(n).type or 'no type'})" for n in match.entities
                )
            )
            warnings.append(
                Problem(
                    f"{name!r} matches {len(match.entities)} entities: {kinds}; all are used",
                    code="ambiguous_name",
                    subject=subject,
                )
            )
        matches.append(match)
    return tuple(matches)


def _ground_edge(
    edge: Edge,
    facts: FactStore,
    relations: dict[str, GroundedRelation],
    unresolved: list[Problem],
) -> None:
    found = resolve_relation(edge.relation or "", edge.reads, facts)
    subject = f"edge {edge.edge_id}"
    if len(found) == 1:
        relations[edge.edge_id] = found[0]
    elif found:
        names = ", ".join(sorted({facts.relations[item.number] for item in found}))
        unresolved.append(
            Problem(
                f"relation {edge.relation!r} may be any of {names}; expected one",
                code="ambiguous_relation",
                subject=subject,
            )
        )
    else:
        known = [*facts.relations, *facts.sheet.aliases]
        unresolved.append(
            Problem(
                f"relation {edge.relation!r} is not a relation of the facts"
                f"{did_you_mean(edge.relation or '', known)}",
                code="unresolved_relation",
                subject=subject,
            )
        )
