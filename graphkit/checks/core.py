"""The minimal core: the fewest constraints that have the same answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from graphkit.checks.constraints import Constraint, Kind
from graphkit.checks.relax import Relaxer
from graphkit.entity_set import EMPTY, UNIVERSE, EntitySet
from graphkit.evaluate import edge_value
from graphkit.operations import Op

__all__ = ["EXACT_UP_TO", "MinimalCore", "minimal_core"]

EXACT_UP_TO = 20
"""Up to this many constraints the core is exact; above it is found greedily."""


@dataclass(frozen=True, slots=True)
class MinimalCore:
    """The constraints to keep.

    Attributes:
        ids: Their ids, sorted.
        exact: Whether no smaller set has the same answers; a greedy core only cannot lose one
            more constraint in its order.
    """

    ids: tuple[str, ...]
    exact: bool


def minimal_core(relaxer: Relaxer) -> MinimalCore:
    """Return the fewest constraints with the same answers; ties by the smallest sorted id list.

    Exact up to :data:`EXACT_UP_TO` constraints, above that greedy: constraints are tried in
    descending order of id, and one that can go is left out.
    """
    if len(relaxer.constraints) > EXACT_UP_TO:
        return MinimalCore(_greedy(relaxer), False)
    return MinimalCore(_Search(relaxer).best(), True)


def _greedy(relaxer: Relaxer) -> tuple[str, ...]:
    gone: list[Constraint] = []
    for constraint in reversed(relaxer.constraints):
        if relaxer.keeps_answers([*gone, constraint]):
            gone.append(constraint)
    reaching = _reaching(relaxer, frozenset(gone))
    return tuple(
        item.id for item in relaxer.constraints if item not in gone and item.node_id in reaching
    )


def _reaching(relaxer: Relaxer, gone: frozenset[Constraint]) -> set[str]:
    """Return the nodes that still reach the root when constraints are left out."""
    graph = relaxer.graph
    lost = {(item.node_id, item.source_id) for item in gone}
    seen, stack = {graph.root_node_id}, [graph.root_node_id]
    while stack:
        node_id = stack.pop()
        for edge in graph.incoming[node_id]:
            for source in edge.source_ids:
                named = source if edge.op in (Op.INTERSECTION, Op.UNION) else None
                if (node_id, named) not in lost and source not in seen:
                    seen.add(source)
                    stack.append(source)
    return seen


@dataclass(frozen=True, slots=True)
class _Option:
    """One value that a node can have, and the cheapest constraints to keep for it.

    ``own`` holds the constraints of the part of the graph that only this node uses, ``shared``
    the nodes below it that others use too; their constraints are counted once at the end.
    """

    value: EntitySet
    own: tuple[str, ...] = ()
    shared: frozenset[str] = frozenset()

    def rank(self) -> tuple[int, tuple[str, ...]]:
        return len(self.own), self.own


def _merge(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(left + right))


@dataclass(eq=False)
class _Search:
    """Builds the options of all nodes, sources first, for every choice at the shared nodes.

    Of two options with the same value and the same shared nodes only the one with fewer
    constraints (then the smaller list) can be part of a best core, because what the rest of the
    graph adds to both is the same.
    """

    relaxer: Relaxer
    ids: dict[tuple[Kind, str | None, str | None, str], str] = field(init=False)
    shared: list[str] = field(init=False)

    def __post_init__(self) -> None:
        graph = self.relaxer.graph
        self.ids = {
            (item.kind, item.edge_id, item.source_id, item.node_id): item.id
            for item in self.relaxer.constraints
        }
        self.shared = [node_id for node_id in graph.order if len(graph.outgoing[node_id]) > 1]

    def best(self) -> tuple[str, ...]:
        """Return the best core over all choices."""
        universe = self.relaxer.facts.size
        found: list[tuple[int, tuple[str, ...]]] = []
        for chosen in self._choices(0, {}):
            for option in self._options(self.relaxer.graph.root_node_id, chosen):
                if option.value.equals(self.relaxer.answers, universe):
                    ids = set(option.own)
                    for node_id in option.shared:
                        ids.update(chosen[node_id].own)
                    found.append((len(ids), tuple(sorted(ids))))
        return min(found)[1]

    def _choices(self, place: int, chosen: dict[str, _Option]) -> Iterator[Mapping[str, _Option]]:
        if place == len(self.shared):
            yield chosen
            return
        node_id = self.shared[place]
        if node_id == self.relaxer.graph.root_node_id:
            yield from self._choices(place + 1, chosen)
            return
        for option in self._options(node_id, chosen):
            yield from self._choices(place + 1, {**chosen, node_id: option})

    def _options(self, node_id: str, chosen: Mapping[str, _Option]) -> list[_Option]:
        graph = self.relaxer.graph
        node = graph.nodes_by_id[node_id]
        options: list[_Option] = [_Option(UNIVERSE)]
        if node.known_entities:
            own = (self.ids[Kind.KNOWN, None, None, node_id],)
            options.append(_Option(self.relaxer.grounding.anchor_set(node_id), own))
        for edge in graph.incoming[node_id]:
            if edge.op in (Op.INTERSECTION, Op.UNION):
                options = self._combinations(edge.edge_id, chosen)
                continue
            kind = Kind.PROJECTION if edge.op is Op.PROJECTION else Kind.COMPLEMENT
            own_id = self.ids[kind, edge.edge_id, None, node_id]
            source = edge.source_ids[0]
            for option in self._below(source, chosen):
                value = edge_value(
                    edge, self.relaxer.facts, self.relaxer.grounding, {source: option.value}
                )
                options.append(_Option(value, _merge((own_id,), option.own), option.shared))
        return _cheapest(
            _Option(self.relaxer.typed(node_id, option.value), option.own, option.shared)
            for option in options
        )

    def _below(self, node_id: str, chosen: Mapping[str, _Option]) -> list[_Option]:
        if node_id in chosen:
            option = chosen[node_id]
            return [_Option(option.value, (), option.shared | {node_id})]
        return self._options(node_id, chosen)

    def _combinations(self, edge_id: str, chosen: Mapping[str, _Option]) -> list[_Option]:
        edge = self.relaxer.graph.edges_by_id[edge_id]
        union = edge.op is Op.UNION
        partial = [_Option(EMPTY if union else UNIVERSE)]
        for source in edge.source_ids:
            own_id = self.ids[Kind.SOURCE, edge_id, source, edge.target_id]
            below = self._below(source, chosen)
            grown = [
                _Option(
                    before.value | option.value if union else before.value & option.value,
                    _merge(before.own, _merge((own_id,), option.own)),
                    before.shared | option.shared,
                )
                for before in partial
                for option in below
            ]
            partial = _cheapest([*partial, *grown])
        return partial


def _cheapest(options: Iterator[_Option] | list[_Option]) -> list[_Option]:
    best: dict[tuple[bool, bytes, frozenset[str]], _Option] = {}
    for option in options:
        key = (*option.value.digest(), option.shared)
        if key not in best or option.rank() < best[key].rank():
            best[key] = option
    return list(best.values())
