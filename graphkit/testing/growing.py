"""Grows one random question graph over a fact store, forwards or backwards from an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from graphkit.facts import FactStore
from graphkit.grounding import resolve, resolve_relation
from graphkit.operations import Direction, Op
from graphkit.question import Edge, Node, QuestionGraph

__all__ = ["GraphGrower"]

T = TypeVar("T")
Members = frozenset[int]


class _Choices(Protocol):
    """What is needed of a stream of choices; see graphkit.testing.generation."""

    def number(self, low: int, high: int) -> int:
        """Return a number."""

    def chance(self, percent: int) -> bool:
        """Return True now and then."""

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""

    def some(self, items: Sequence[T], low: int, high: int) -> list[T]:
        """Return some different items."""


class _Hop(NamedTuple):
    """A projection that is still without its source: a relation number and a direction."""

    relation: int
    direction: Direction


_Part = tuple[Op, list[str], _Hop | None]
"""An edge into a node that is still to come."""


@dataclass(eq=False)
class _Known:
    """What is known of a node: its members, and whether its set is a complement in form."""

    members: Members
    negative: bool


class GraphGrower:
    """Holds the nodes and edges of a graph while it grows, with the members of every node."""

    def __init__(self, choices: _Choices, facts: FactStore, *, union: bool) -> None:
        self.choices = choices
        self.facts = facts
        self.union = union
        self.triples = list(facts.facts())
        self.universe: Members = frozenset(int(number) for number in facts.universe)
        self.names = self._anchor_names()
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.known: dict[str, _Known] = {}
        self.most = 0  # nodes after which growing backwards ends in leaves

    # ---- the two ways -------------------------------------------------------------------------

    def free(self, steps: int, safe: bool | None) -> QuestionGraph:
        """Grow forwards: leaves first, then one operation after the other."""
        for _ in range(self.choices.number(1, 3)):
            self._leaf()
        for _ in range(self.choices.number(0, steps)):
            self._operation()
        root = list(self.nodes)[-1]
        if self.choices.chance(15):
            root = self.choices.pick(list(self.nodes))
        if safe is True and self.known[root].negative:
            root = self._made_safe(root)
        elif safe is False and not self.known[root].negative:
            root = self._node([(Op.COMPLEMENT, [root], None)])
        return self._finish(root)

    def planted(self, steps: int) -> QuestionGraph:
        """Grow backwards from one entity, so that it is among the answers."""
        target = self.choices.pick(sorted(self.universe))
        self.most = 2 * steps + 2
        root = self._with(target, self.choices.number(1, steps))
        for _ in range(3):
            if len(self.known[root].members) == 1 or not self.choices.chance(60):
                break
            other = self._projection_onto(target, 2)
            root = self._node([(Op.INTERSECTION, [root, other], None)])
        if self.known[root].negative:
            other = self._projection_onto(target, 1)
            root = self._node([(Op.INTERSECTION, [root, other], None)])
        if self.choices.chance(10):  # a filler
            self._operation()
        return self._finish(root, answer=self.facts.name(target))

    def _finish(self, root: str, answer: str | None = None) -> QuestionGraph:
        nodes, edges = list(self.nodes.values()), self.edges
        if self.choices.chance(50):
            place = next(i for i, node in enumerate(nodes) if node.node_id == root)
            nodes[place] = nodes[place].model_copy(update={"is_root": True})
        if self.choices.chance(40):
            nodes = self.choices.some(nodes, len(nodes), len(nodes))
            edges = self.choices.some(edges, len(edges), len(edges))
        return QuestionGraph(
            root_node_id=root, nodes=tuple(nodes), edges=tuple(edges), answer=answer
        )

    # ---- forwards -----------------------------------------------------------------------------

    def _leaf(self) -> str:
        if self.choices.chance(15):
            return self._node([], typed=self.choices.chance(40))
        names = self.choices.some(sorted(self.names), 1, 3 if self.choices.chance(25) else 1)
        return self._node([], names=names, typed=self.choices.chance(10))

    def _operation(self) -> str:
        parts = [self._part()]
        while len(parts) < 3 and self.choices.chance(20):
            parts.append(self._part())
        names = []
        if self.choices.chance(5):
            names = self.choices.some(sorted(self.names), 1, 2)
        return self._node(parts, names=names, typed=self.choices.chance(20))

    def _part(self) -> _Part:
        kind = self.choices.number(0, 99)
        if not self.nodes or (kind < 20 and self.choices.chance(50)):
            self._leaf()
        recent = list(self.nodes)[::-1]
        if kind >= 78:
            return Op.COMPLEMENT, [self._recent(recent)], None
        if kind >= 50 and len(recent) > 1:
            op = Op.UNION if self.union and kind >= 70 else Op.INTERSECTION
            return op, self.choices.some(recent, 2, 4 if self.choices.chance(30) else 2), None
        return Op.PROJECTION, [self._recent(recent)], self._any_hop()

    def _recent(self, recent: list[str]) -> str:
        return recent[0] if self.choices.chance(60) else self.choices.pick(recent)

    def _made_safe(self, root: str) -> str:
        if self.choices.chance(50):
            return self._node([(Op.PROJECTION, [root], self._any_hop())])
        leaf = self._node([], names=[self.choices.pick(sorted(self.names))])
        other = self._node([(Op.PROJECTION, [leaf], self._any_hop())])
        return self._node([(Op.INTERSECTION, [root, other], None)])

    # ---- backwards ----------------------------------------------------------------------------

    def _with(self, target: int, steps: int) -> str:
        """Return a node that holds an entity, old or new."""
        old = [node_id for node_id, known in self.known.items() if target in known.members]
        if old and self.choices.chance(20):
            return self.choices.pick(old)
        if steps <= 0 or len(self.nodes) >= self.most:
            return self._leaf_with(target)
        parts = [self._part_with(target, steps - 1)]
        while len(parts) < 3 and self.choices.chance(15):
            parts.append(self._part_with(target, steps - 2))
        return self._node(parts, typed=self.choices.chance(10), must=target)

    def _leaf_with(self, target: int) -> str:
        if self.choices.chance(10):
            return self._node([], typed=self.choices.chance(50), must=target)
        fitting = sorted(name for name, found in self.names.items() if target in found)
        if not fitting:  # every name of it means somebody else first
            return self._node([], must=target)
        names = [self.choices.pick(fitting)]
        if self.choices.chance(15):
            names += self.choices.some(sorted(set(self.names) - set(names)), 1, 2)
        return self._node([], names=names)

    def _part_with(self, target: int, steps: int) -> _Part:
        kind = self.choices.number(0, 99)
        if kind >= 80:
            return Op.COMPLEMENT, [self._without(target, steps)], None
        if kind >= 50:
            sources = [self._with(target, steps - count) for count in range(2)]
            while self.choices.chance(30) and len(sources) < 4:
                sources.append(self._with(target, steps - 2))
            if self.union and kind >= 72:
                sources[1:] = [self._operation()]
                op = Op.UNION
            else:
                op = Op.INTERSECTION
            sources = list(dict.fromkeys(sources))
            if len(sources) == 1:
                sources.append(self._leaf_with(target) if op is Op.INTERSECTION else self._leaf())
            return op, sources, None
        hop, end = self._hop_onto(target)
        return Op.PROJECTION, [self._with(end, steps)], hop

    def _hop_onto(self, target: int) -> tuple[_Hop, int]:
        """Return a hop that arrives at an entity, and the entity where it may start."""
        fact = self.choices.pick([f for f in self.triples if target in (f.head, f.tail)])
        if fact.tail == target:
            return _Hop(fact.relation, Direction.FORWARD), fact.head
        return _Hop(fact.relation, Direction.BACKWARD), fact.tail

    def _projection_onto(self, target: int, steps: int) -> str:
        hop, end = self._hop_onto(target)
        return self._node([(Op.PROJECTION, [self._with(end, steps - 1)], hop)], must=target)

    def _without(self, target: int, steps: int) -> str:
        """Return a node that does not hold an entity."""
        for _ in range(3):
            made = self._operation() if steps > 0 else self._leaf()
            if target not in self.known[made].members:
                return made
        return self._node([(Op.COMPLEMENT, [self._with(target, steps - 1)], None)])

    # ---- nodes and edges ----------------------------------------------------------------------

    def _anchor_names(self) -> dict[str, Members]:
        """All names that a question may use -> the entities that they mean."""
        names: set[str] = set()
        for number in sorted(self.universe):
            entity = self.facts.entity(number)
            names.update(
                (entity.name, entity.text, entity.name.upper(), *self.facts.aliases.get(number, ()))
            )
            if entity.id is not None:
                names.add(entity.id)
        matches = {name: resolve(name, self.facts) for name in names}
        return {
            name: frozenset(match.entities) for name, match in matches.items() if match is not None
        }

    def _node(
        self,
        parts: list[_Part],
        *,
        names: Sequence[str] = (),
        typed: bool = False,
        must: int | None = None,
    ) -> str:
        """Put in a node with its incoming edges; ``must`` is an entity that has to be in it."""
        node_id = f"n{len(self.nodes)}"
        members, negative = self.universe, True
        if names:
            members = frozenset[int]().union(*(self.names[name] for name in names))
            negative = False
        for op, sources, hop in parts:
            value, form = self._edge(node_id, op, sources, hop)
            members, negative = members & value, negative and form
        kind = self._type_for(members, must) if typed else None
        if kind is not None:
            negative = False
            members = frozenset(n for n in members if self.facts.entity(n).type == kind)
        self.nodes[node_id] = Node(
            node_id=node_id,
            label=f"set {node_id}",
            known_entities=tuple(names),
            entity_type=kind,
        )
        self.known[node_id] = _Known(members, negative)
        return node_id

    def _type_for(self, members: Members, must: int | None) -> str | None:
        if must is not None:
            return self.facts.entity(must).type
        kinds = sorted({self.facts.entity(number).type or "city" for number in members})
        return self.choices.pick([*kinds, "nobody"])

    def _edge(
        self, target: str, op: Op, sources: list[str], hop: _Hop | None
    ) -> tuple[Members, bool]:
        known = [self.known[source] for source in sources]
        relation: str | None = None
        direction: Direction | None = None
        if hop is not None:
            relation, direction, value = self._project(hop, known[0].members)
            negative = False
        elif op is Op.COMPLEMENT:
            value, negative = self.universe - known[0].members, not known[0].negative
        elif op is Op.INTERSECTION:
            value = frozenset.intersection(*(one.members for one in known))
            negative = all(one.negative for one in known)
        else:
            value = frozenset.union(*(one.members for one in known))
            negative = any(one.negative for one in known)
        self.edges.append(
            Edge(
                edge_id=f"e{len(self.edges)}",
                source_ids=tuple(sources),
                target_id=target,
                op=op,
                relation=relation,
                direction=direction,
            )
        )
        return value, negative

    def _project(self, hop: _Hop, source: Members) -> tuple[str, Direction | None, Members]:
        """Return relation, direction and value of a projection."""
        rows = [fact for fact in self.triples if fact.relation == hop.relation]
        if hop.direction is Direction.FORWARD:
            value = frozenset(fact.tail for fact in rows if fact.head in source)
        else:
            value = frozenset(fact.head for fact in rows if fact.tail in source)
        name, reads = self._called(hop)
        silent = reads is Direction.FORWARD and self.choices.chance(20)
        return name, None if silent else reads, value

    def _any_hop(self) -> _Hop:
        relation = self.choices.pick(self.triples).relation
        return _Hop(relation, self.choices.pick([Direction.FORWARD, Direction.BACKWARD]))

    def _called(self, hop: _Hop) -> tuple[str, Direction]:
        """Return a name of a relation and the direction that goes with it."""
        plain = self.facts.relations[hop.relation]
        if not self.choices.chance(25):
            return plain, hop.direction
        entry = self.facts.sheet.relation(plain)
        inverse = [entry.inverse] if entry.inverse else []
        calls = [
            (plain.upper(), hop.direction),
            *((name, hop.direction) for name in entry.aliases),
            *((name, hop.direction.reverse) for name in (*entry.inverse_aliases, *inverse)),
        ]
        name, direction = self.choices.pick(calls)
        found = resolve_relation(name, direction, self.facts)
        if [(one.number, one.direction) for one in found] == [hop]:
            return name, direction
        return plain, hop.direction
