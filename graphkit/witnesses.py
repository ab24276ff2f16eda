"""Why each answer of a question is one: all witnesses at once, kept as arrays until asked for."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from graphkit.adjacency import Table
from graphkit.entity_set import EntitySet, Ids, distinct, is_in
from graphkit.errors import InputError
from graphkit.evaluate import Evaluation
from graphkit.facts import FactStore
from graphkit.operations import Direction, Op
from graphkit.question import Edge
from graphkit.witness import Witness, told_by

__all__ = ["Witnesses", "find_witnesses"]

_RANKS: weakref.WeakKeyDictionary[FactStore, tuple[Ids, Ids]] = weakref.WeakKeyDictionary()


class Witnesses(Mapping[int, Witness]):
    """The witnesses of all answers, by the answer's number.

    For every projection it holds one fact for each entity that an answer rests on; a witness is
    put together from them when it is asked for, and equals that of
    :func:`graphkit.witness.find_witness`.

    Attributes:
        evaluation: The evaluated question.
        supports: Edge id of a projection -> (entities that answers rest on, ascending; for each
            the member of the source that its fact starts from).
    """

    def __init__(self, evaluation: Evaluation, supports: Mapping[str, tuple[Ids, Ids]]) -> None:
        self.evaluation = evaluation
        self.supports = supports

    def __getitem__(self, entity: int) -> Witness:
        if entity not in self.evaluation.answers:
            raise KeyError(entity)
        return told_by(self.evaluation, entity, self._start)

    def __iter__(self) -> Iterator[int]:
        return iter(self.evaluation.answers.ids.tolist())

    def __len__(self) -> int:
        return len(self.evaluation.answers.ids)

    def _start(self, edge: Edge, entity: int) -> int:
        entities, starts = self.supports[edge.edge_id]
        return int(starts[entities.searchsorted(entity)])


def find_witnesses(evaluation: Evaluation) -> Witnesses:
    """Return the facts that make each answer one.

    Where several facts would do, the one from the source whose name sorts first is taken.

    Args:
        evaluation: The evaluated question, its answers an ordinary set.

    Raises:
        InputError: The answers are a complement; evaluate with ``materialize_universe``.

    >>> from graphkit.evaluate import evaluate
    >>> from graphkit.question import Edge, Node, QuestionGraph
    >>> facts = FactStore.from_triples(
    ...     [("France", "borders", "Spain"), ("Italy", "borders", "France")])
    >>> graph = QuestionGraph(root_node_id="x", nodes=[
    ...     Node(node_id="a", known_entities=["Italy"]), Node(node_id="x")], edges=[
    ...     Edge(edge_id="e", source_ids=["a"], target_id="x", op="projection",
    ...          relation="borders")])
    >>> found = find_witnesses(evaluate(graph, facts))
    >>> [facts.in_names(fact).head for witness in found.values() for fact in witness.facts]
    ['Italy']
    """
    if evaluation.answers.complemented:
        raise InputError("the answers are a complement, expected an ordinary set")
    graph, values = evaluation.graph, evaluation.values
    ranks, by_rank = _ranks(evaluation.facts)
    needed: dict[str, list[Ids]] = {graph.root_node_id: [evaluation.answers.ids]}
    supports: dict[str, tuple[Ids, Ids]] = {}
    for node_id in reversed(graph.order):
        groups = needed.get(node_id)
        if groups is None:
            continue
        wanted = groups[0] if len(groups) == 1 else distinct(np.concatenate(groups))
        for edge in graph.incoming[node_id]:
            if edge.op is Op.PROJECTION:
                starts = _starts(evaluation, edge, wanted, ranks, by_rank)
                supports[edge.edge_id] = (wanted, starts)
                needed.setdefault(edge.source_ids[0], []).append(distinct(starts))
            elif edge.op is Op.INTERSECTION:
                for source in edge.source_ids:
                    needed.setdefault(source, []).append(wanted)
            elif edge.op is Op.UNION:
                left = EntitySet(wanted)
                for source in edge.source_ids:
                    needed.setdefault(source, []).append((left & values[source]).ids)
                    left = left & ~values[source]
    return Witnesses(evaluation, supports)


def _ranks(facts: FactStore) -> tuple[Ids, Ids]:
    """Return the rank of each entity by name and number, and the entity of each rank."""
    known = _RANKS.get(facts)
    if known is None:
        names = [entity.text for entity in facts.entities]
        by_rank = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int32)
        ranks = np.empty(len(names), dtype=np.int32)
        ranks[by_rank] = np.arange(len(names), dtype=np.int32)
        known = _RANKS[facts] = (ranks, by_rank)
    return known


def _starts(evaluation: Evaluation, edge: Edge, wanted: Ids, ranks: Ids, by_rank: Ids) -> Ids:
    """Return for each entity that a projection leads to the first source with such a fact."""
    relation = evaluation.grounding.relations[edge.edge_id]
    adjacency = evaluation.facts.adjacency[relation.number]
    ways = adjacency.forward, adjacency.backward
    there, back = ways if relation.direction is Direction.FORWARD else ways[::-1]
    source = evaluation.values[edge.source_ids[0]]
    if not source.complemented and len(source.ids) == 1:
        return np.repeat(source.ids, len(wanted))
    about = _Rows(back, wanted)
    if not source.complemented:
        from_source = _Rows(there, source.ids)
        if from_source.total < about.total:
            return _scattered(from_source, source.ids, wanted, ranks)
    near = about.targets()
    inside = is_in(near, source.ids) != source.complemented
    owners = np.repeat(np.arange(len(wanted)), about.counts)[inside]
    if not len(owners):
        return wanted[:0]
    first = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1])))
    found: Ids = by_rank[np.minimum.reduceat(ranks[near[inside]], first)]
    return found


class _Rows:
    """The rows of some entities in a table; those without facts are left out."""

    def __init__(self, table: Table, entities: Ids) -> None:
        rows = table.keys.searchsorted(entities)
        if len(table.keys):
            rows[rows == len(table.keys)] = 0
            self.there: npt.NDArray[np.bool_] = table.keys[rows] == entities
        else:
            self.there = np.zeros(len(entities), dtype=np.bool_)
        rows = rows[self.there]
        self._values = table.values
        self._begins = table.starts[rows]
        self.counts = table.starts[rows + 1] - self._begins
        self.total = int(self.counts.sum())

    def targets(self, order: npt.NDArray[np.int64] | None = None) -> Ids:
        """Return the targets of all rows one after the other, in the order given."""
        begins = self._begins if order is None else self._begins[order]
        counts = self.counts if order is None else self.counts[order]
        ends = np.cumsum(counts)
        places = np.repeat(begins - ends + counts, counts) + np.arange(self.total)
        return self._values[places]


def _scattered(rows: _Rows, source: Ids, wanted: Ids, ranks: Ids) -> Ids:
    """Go through the facts of all sources, the first by name last, and keep the last start."""
    source = source[rows.there]
    order = np.argsort(-ranks[source])
    targets = rows.targets(order)
    places = wanted.searchsorted(targets)
    places[places == len(wanted)] = 0
    known = wanted[places] == targets
    starts = np.empty(len(wanted), dtype=np.int32)
    starts[places[known]] = np.repeat(source[order], rows.counts[order])[known]
    return starts
