"""Relation names that nobody knows yet: a model proposes what they stand for, facts decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from graphkit.evaluate import evaluate
from graphkit.evidence import EvidenceRecord
from graphkit.facts import FactStore
from graphkit.grounding import ground, resolve, resolve_relation
from graphkit.operations import Direction, Op
from graphkit.question import QuestionGraph
from synthesis.prompting import load_prompt
from synthesis.relation_names import RelationBook, Spelling, plain_spelling

if TYPE_CHECKING:
    from graphkit.models import ModelDoor

__all__ = ["Naming", "name_edges", "name_evidence", "turn_round"]


class Mapped(BaseModel):
    """What one name is said to stand for."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    edge_id: str
    relation: str | None = None
    direction: Literal["forward", "backward"] = "forward"


class MappingReply(BaseModel):
    """What the agent replies."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    mapping: tuple[Mapped, ...] = ()


@dataclass(frozen=True)
class Naming:
    """What became of unknown names.

    Attributes:
        repairs: Names that were read as others, and on what proof.
        refused: Proposals that the facts do not bear out.
    """

    repairs: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


async def name_evidence(
    door: ModelDoor,
    book: RelationBook,
    records: Sequence[EvidenceRecord],
    known: Sequence[EvidenceRecord],
    *,
    language: str,
) -> tuple[list[EvidenceRecord], RelationBook, Naming]:
    """Bring the relations of new evidence under the names that are kept.

    A spelling that only case or underscores tell from a known one, or that the sheet lists, is
    known. For the rest a model says what they may stand for; that is accepted when a known fact
    with the same two ends bears it out. What is left becomes a name of its own.

    Args:
        door: The models.
        book: The spellings so far.
        records: The new evidence.
        known: Evidence under kept names.
        language: ``en`` or ``zh``.

    Returns:
        The evidence under kept names, the book with the new spellings, and what was read as what.

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    repairs: list[str] = []
    refused: list[str] = []
    new = book.new_spellings(records)
    # The commonest of the new spellings become names first, so that the rarer can lean on them.
    order = sorted(new, key=lambda name: (-len(new[name]), name))
    settled = [*known, *(book.rewrite(item) for item in records if book.read(item.relation))]
    proposals: Mapping[str, Mapped] = {}
    if order and (book.names() or len(order) > 1):
        proposals = await _proposals(door, new, order, book, language)
    for name in order:
        proposed = proposals.get(name)
        reading: Spelling | None = None
        if proposed is not None and proposed.relation is not None:
            target = book.read(proposed.relation)
            if target is not None:
                turned = (proposed.direction == "backward") != target.inverted
                reading = Spelling(target.relation, turned, "replayed")
        against = book.objection(new[name], settled, reading) if reading is not None else None
        if reading is not None and against is None:
            book = book.joined(name, reading)
            way = " backwards" if reading.inverted else ""
            repairs.append(f"relation {name!r} read as {reading.relation!r}{way} (replayed)")
        else:
            if reading is not None:
                refused.append(f"relation {name!r} as {reading.relation!r}: {against}")
            book = book.named(name)
        settled += [book.rewrite(item) for item in new[name]]
    return [book.rewrite(item) for item in records], book, Naming(tuple(repairs), tuple(refused))


async def _proposals(
    door: ModelDoor,
    new: Mapping[str, Sequence[EvidenceRecord]],
    order: Sequence[str],
    book: RelationBook,
    language: str,
) -> dict[str, Mapped]:
    asked = {f"r{place}": name for place, name in enumerate(order, 1)}
    messages = load_prompt("relations", language).messages(
        unresolved=[
            {
                "edge_id": key,
                "relation": name,
                "direction": "forward",
                "source": new[name][0].head_entity,
                "target": new[name][0].tail_entity,
            }
            for key, name in asked.items()
        ],
        known_relations=[*book.names(), *order],
    )
    reply = await door.ask("relations", messages, MappingReply)
    return {
        asked[item.edge_id]: item
        for item in reply.value.mapping
        if item.edge_id in asked
        and item.relation is not None
        and plain_spelling(item.relation) != plain_spelling(asked[item.edge_id])
    }


async def name_edges(
    door: ModelDoor, graph: QuestionGraph, facts: FactStore, book: RelationBook, *, language: str
) -> tuple[QuestionGraph, Naming]:
    """Bring the relations of a parsed question under the names of the facts.

    Spellings that the book knows are read as it says. For the rest a model proposes; the proposals
    are accepted together when the declared answer is then among the answers on the evidence: when
    the chain replays.

    Args:
        door: The models.
        graph: The parsed question.
        facts: The evidence.
        book: The spellings so far.
        language: ``en`` or ``zh``.

    Returns:
        The question, as far as its relations could be named, and what was read as what. Relations
        that stay unknown keep their names, so that grounding tells them.

    Raises:
        ModelError: The model gives no usable reply.
        BudgetError: A budget is spent.
    """
    repairs: list[str] = []
    readings: dict[str, tuple[str, Direction]] = {}
    unknown = []
    for edge in graph.edges:
        if edge.op is not Op.PROJECTION or edge.relation is None:
            continue
        if resolve_relation(edge.relation, edge.reads, facts):
            continue
        spelling = book.read(edge.relation)
        if spelling is not None and spelling.relation in facts.living_relations:
            way = edge.reads.reverse if spelling.inverted else edge.reads
            readings[edge.edge_id] = (spelling.relation, way)
            repairs.append(
                f"edge {edge.edge_id}: {edge.relation!r} read as {spelling.relation!r} "
                f"({spelling.ground})"
            )
        else:
            unknown.append(edge)
    graph = _renamed(graph, readings)
    if not unknown:
        graph, turned = turn_round(graph, facts)
        return graph, Naming((*repairs, *turned))
    messages = load_prompt("relations", language).messages(
        unresolved=[
            {
                "edge_id": edge.edge_id,
                "relation": edge.relation,
                "direction": edge.reads.value,
                "source": _spoken(graph, edge.source_ids[0]),
                "target": _spoken(graph, edge.target_id),
            }
            for edge in unknown
        ],
        known_relations=sorted(facts.living_relations),
    )
    reply = await door.ask("relations", messages, MappingReply)
    asked = {edge.edge_id: edge for edge in unknown}
    proposed = {
        item.edge_id: (item.relation, Direction(item.direction))
        for item in reply.value.mapping
        if item.edge_id in asked and item.relation in facts.living_relations
    }
    told = [
        f"edge {key}: {asked[key].relation!r} read as {name!r} {way.value}"
        for key, (name, way) in proposed.items()
        if name is not None
    ]
    candidate = _renamed(graph, {key: (str(name), way) for key, (name, way) in proposed.items()})
    if len(proposed) == len(unknown):
        candidate, turned = turn_round(candidate, facts)
        if _replays(candidate, facts):
            told = [f"{text} (replayed)" for text in told]
            return candidate, Naming((*repairs, *told, *turned))
    refused = [f"{text}: the answer does not follow" for text in told] or [
        f"edge {edge.edge_id}: nothing known is {edge.relation!r}" for edge in unknown
    ]
    return graph, Naming(tuple(repairs), tuple(refused))


def turn_round(graph: QuestionGraph, facts: FactStore) -> tuple[QuestionGraph, tuple[str, ...]]:
    """Turn projections that lead nowhere, if the declared answer follows when they are turned.

    Models often confuse the two directions. A projection is turned only if its source has no fact
    in the direction given and has some in the other, and all turns are kept only together and
    only if they make the declared answer an answer.

    Args:
        graph: A question whose relations are known.
        facts: The evidence.

    Returns:
        The question, and what was turned.
    """
    if ground(graph, facts, strict=False).unresolved or _replays(graph, facts):
        return graph, ()
    candidate, told = graph, []
    for node_id in graph.order:
        for edge in candidate.incoming[node_id]:
            if edge.op is not Op.PROJECTION or edge.relation is None:
                continue
            values = evaluate(candidate, facts, materialize_universe=True).values
            source = values[edge.source_ids[0]]
            relation = resolve_relation(edge.relation, edge.reads, facts)[0]
            adjacency = facts.adjacency[relation.number]
            there = adjacency.project(source, relation.direction)
            back = adjacency.project(source, relation.direction.reverse)
            if len(source.ids) and not len(there.ids) and len(back.ids):
                way = edge.reads.reverse
                candidate = _renamed(candidate, {edge.edge_id: (edge.relation, way)})
                told.append(f"edge {edge.edge_id}: {edge.relation!r} turned to {way.value}")
    if told and _replays(candidate, facts):
        return candidate, tuple(f"{text} (replayed)" for text in told)
    return graph, ()


def _renamed(graph: QuestionGraph, readings: Mapping[str, tuple[str, Direction]]) -> QuestionGraph:
    if not readings:
        return graph
    edges = tuple(
        edge.model_copy(
            update={
                "relation": readings[edge.edge_id][0],
                "direction": readings[edge.edge_id][1],
            }
        )
        if edge.edge_id in readings
        else edge
        for edge in graph.edges
    )
    return graph.replace(edges=edges)


def _spoken(graph: QuestionGraph, node_id: str) -> str:
    node = graph.node(node_id)
    return ", ".join((*node.known_entities, *node.reference_entities)) or node.label


def _replays(graph: QuestionGraph, facts: FactStore) -> bool:
    """Whether the declared answer is among the answers."""
    if graph.answer is None or ground(graph, facts, strict=False).unresolved:
        return False
    match = resolve(graph.answer, facts)
    answers = evaluate(graph, facts, materialize_universe=True).answers
    return match is not None and any(number in answers for number in match.entities)
