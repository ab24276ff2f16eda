"""A second look at grown questions: plain sets and triples, none of the toolkit's checks."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from graphkit.facts import FactStore
from graphkit.mutate import Mutation, apply_mutation, replay_history
from graphkit.question import QuestionGraph

Keys = frozenset[str]
NONE: Keys = frozenset()


@dataclass(eq=False)
class Plain:
    """The facts of a store as dictionaries of sets of entity keys."""

    store: FactStore
    universe: Keys = field(init=False)
    out: dict[tuple[str, str], dict[str, set[str]]] = field(init=False)
    kinds: dict[str, set[str]] = field(init=False)
    names: dict[str, set[str]] = field(init=False)
    joined: dict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.out, self.kinds, self.names, self.joined = {}, {}, {}, {}
        keys = [entity.key for entity in self.store.entities]
        for fact in self.store.facts():
            head, tail = keys[fact.head], keys[fact.tail]
            relation = self.store.relations[fact.relation]
            for ends, way in (((head, tail), "forward"), ((tail, head), "backward")):
                self.out.setdefault((relation, way), {}).setdefault(ends[0], set()).add(ends[1])
                self.joined.setdefault(ends[0], set()).add(ends[1])
        self.universe = frozenset(self.joined)
        for entity in self.store.entities:
            if entity.key in self.universe:
                self.names.setdefault(entity.text, set()).add(entity.key)
                if entity.type is not None:
                    self.kinds.setdefault(entity.type, set()).add(entity.key)

    def project(self, relation: str, way: str, source: Collection[str]) -> Keys:
        """What a relation leads to from a set."""
        table = self.out[relation, way]
        if len(source) > len(table):
            return NONE.union(*(ends for key, ends in table.items() if key in source))
        return NONE.union(*(table.get(key, NONE) for key in source))

    def called(self, name: str, kind: str | None) -> Keys:
        """What a name means, among the entities of a type if there is one."""
        found = self.names[name]
        typed = found & self.kinds.get(kind or "", set())
        return frozenset(typed or found)

    def complete(self, relation: str) -> bool:
        """Whether the sheet says that all facts of a relation are known."""
        return self.store.sheet.relation(relation).complete is True


def values(graph: QuestionGraph, plain: Plain, gone: Collection[str] = ()) -> dict[str, Keys]:
    """The set of every node, written out; ``gone`` are ids of constraints left out."""
    found: dict[str, Keys] = {}

    def value(node_id: str) -> Keys:
        if node_id in found:
            return found[node_id]
        node = graph.node(node_id)
        result = plain.universe
        if node.known_entities and node_id not in gone:
            result &= NONE.union(*(plain.called(n, node.entity_type) for n in node.known_entities))
        if node.entity_type is not None:
            result &= plain.kinds.get(node.entity_type, set())
        for edge in graph.edges:
            if edge.target_id != node_id or edge.edge_id in gone:
                continue
            if edge.op == "projection":
                assert edge.relation is not None
                result &= plain.project(edge.relation, edge.reads.value, value(edge.source_ids[0]))
            elif edge.op == "complement":
                result -= value(edge.source_ids[0])
            else:
                assert edge.op == "intersection"
                for source in edge.source_ids:
                    if f"{edge.edge_id}/{source}" not in gone:
                        result &= value(source)
        found[node_id] = result
        return result

    value(graph.root_node_id)
    return found


def constraint_ids(graph: QuestionGraph) -> list[str]:
    """The ids of all constraints of a graph in normal form."""
    ids = [node.node_id for node in graph.nodes if node.known_entities]
    for edge in graph.edges:
        if edge.op == "intersection":
            ids += [f"{edge.edge_id}/{source}" for source in edge.source_ids]
        else:
            ids.append(edge.edge_id)
    return ids


def ways_up(graph: QuestionGraph) -> dict[str, tuple[int, bool]]:
    """For every node the fewest projections to the root, and whether no complement is between."""
    found = {graph.root_node_id: (0, True)}
    stack = [graph.root_node_id]
    while stack:
        node_id = stack.pop()
        length, positive = found[node_id]
        for edge in graph.incoming[node_id]:
            for source in edge.source_ids:
                assert source not in found, "grown questions are trees"
                found[source] = (
                    length + (edge.op == "projection"),
                    positive and edge.op != "complement",
                )
                stack.append(source)
    return found


def witnesses(graph: QuestionGraph, plain: Plain) -> dict[str, Keys]:
    """For every node that counts positively the members that the answer rests on."""
    sets = values(graph, plain)
    found = {graph.root_node_id: sets[graph.root_node_id]}
    stack = [graph.root_node_id]
    while stack:
        node_id = stack.pop()
        for edge in graph.incoming[node_id]:
            if edge.op == "complement":
                continue
            for source in edge.source_ids:
                part = found[node_id]
                if edge.op == "projection":
                    back = "backward" if edge.reads.value == "forward" else "forward"
                    part = plain.project(edge.relation or "", back, part)
                found[source] = part & sets[source]
                stack.append(source)
    return found


def faults(
    graph: QuestionGraph, history: list[Mutation], plain: Plain, *, deep: bool
) -> Iterator[str]:
    """Yield everything that is wrong with a grown question; ``deep`` also walks longer paths."""
    sets = values(graph, plain)
    answers = sets[graph.root_node_id]
    kind = graph.node(graph.root_node_id).entity_type
    if len(answers) != 1 or answers != plain.called(graph.answer or "", kind):
        yield f"answers {sorted(answers)}"
        return
    yield from _redundancy(graph, plain, answers)
    yield from _shortcuts(graph, plain, answers, deep=deep)
    yield from _shape(graph, plain, sets)
    yield from _anchors(graph, plain, answers)
    yield from _exclusions(graph, plain)
    yield from _history(graph, history, plain)


def _redundancy(graph: QuestionGraph, plain: Plain, answers: Keys) -> Iterator[str]:
    root = graph.root_node_id
    for item in constraint_ids(graph):
        if values(graph, plain, {item})[root] == answers:
            yield f"{item} is redundant"
    sources = [
        f"{edge.edge_id}/{source}"
        for edge in graph.edges
        if edge.op == "intersection"
        for source in edge.source_ids
    ]
    for size in range(2, len(sources) + 1):
        for gone in itertools.combinations(sources, size):
            if values(graph, plain, gone)[root] == answers:
                yield f"{gone} can go together"


def _shortcuts(graph: QuestionGraph, plain: Plain, answers: Keys, *, deep: bool) -> Iterator[str]:
    sets, ways = values(graph, plain), ways_up(graph)
    (answer,) = answers
    for node in graph.anchors:
        distance, positive = ways[node.node_id]
        if distance >= 2 and any(answer in plain.joined[key] for key in sets[node.node_id]):
            yield f"{node.node_id} is adjacent to the answer"
        if not positive:
            continue
        layer = {sets[node.node_id]}
        for length in range(1, distance if deep else min(distance, 2)):
            reached = {
                frozenset(plain.project(relation, way, source))
                for source in layer
                for relation, way in plain.out
                if any(key in plain.out[relation, way] for key in source)
            }
            if answers in reached:
                yield f"{node.node_id}: a path of length {length} leads to the answer"
            layer = reached


def _shape(graph: QuestionGraph, plain: Plain, sets: dict[str, Keys]) -> Iterator[str]:
    counted = 0
    for edge in graph.edges:
        source = edge.source_ids[0]
        if edge.op != "projection":
            counted += 1
            continue
        relation, way = edge.relation or "", edge.reads.value
        back = "backward" if way == "forward" else "forward"
        reached = plain.project(relation, way, sets[source])
        singles = all(
            len(plain.out[relation, turn].get(key, NONE)) <= 1
            for turn, keys in ((way, sets[source]), (back, reached))
            for key in keys
        )
        counted += not singles
        symmetric = plain.store.sheet.relation(relation).symmetric
        for inner in _projections_into(graph, source):
            if inner.relation == relation and (symmetric or inner.reads is not edge.reads):
                yield f"{inner.edge_id} and {edge.edge_id} go there and back"
        if len(sets[edge.target_id]) > 200:
            yield f"{edge.target_id} has {len(sets[edge.target_id])} members"
    if counted < 5:
        yield f"{counted} edges that count"
    for edge in graph.edges:
        if edge.op == "intersection":
            for source in edge.source_ids:
                if any(inner.op == "intersection" for inner in graph.incoming[source]):
                    yield f"{edge.edge_id} is nested"
    if any(len(graph.incoming[n.node_id]) + bool(n.known_entities) != 1 for n in graph.nodes):
        yield "a node is free or an implicit intersection"


def _projections_into(graph: QuestionGraph, node_id: str) -> Iterator[Any]:
    for edge in graph.incoming[node_id]:
        if edge.op == "projection":
            yield edge
        elif edge.op == "intersection":
            for source in edge.source_ids:
                yield from _projections_into(graph, source)


def _anchors(graph: QuestionGraph, plain: Plain, answers: Keys) -> Iterator[str]:
    sets = values(graph, plain)
    named = [sets[node.node_id] for node in graph.anchors]
    if any(len(one) != 1 for one in named):
        yield "a name is ambiguous"
    keys = [key for one in named for key in one]
    if len(set(keys)) < len(keys):
        yield "an entity is named twice"
    hidden = NONE.union(
        *(
            members
            for node_id, members in witnesses(graph, plain).items()
            if not graph.node(node_id).known_entities
        )
    )
    if hidden & set(keys):
        yield f"witnesses {sorted(hidden & set(keys))} are named"
    for edge in graph.edges:
        if edge.op == "projection" and graph.node(edge.source_ids[0]).known_entities:
            led = plain.project(edge.relation or "", edge.reads.value, sets[edge.source_ids[0]])
            if not 3 <= len(led) <= 60:
                yield f"{edge.edge_id} leads to {len(led)} entities"


def _exclusions(graph: QuestionGraph, plain: Plain) -> Iterator[str]:
    for edge in graph.edges:
        if edge.op != "complement":
            continue
        inner = graph.incoming[edge.source_ids[0]]
        if len(inner) != 1 or inner[0].op != "projection":
            yield f"{edge.edge_id} excludes no projection"
        elif not graph.node(inner[0].source_ids[0]).known_entities:
            yield f"{edge.edge_id} excludes more than one hop"
        elif not plain.complete(inner[0].relation or ""):
            yield f"{edge.edge_id} excludes by a relation that is not complete"


def _history(graph: QuestionGraph, history: list[Mutation], plain: Plain) -> Iterator[str]:
    graphs = replay_history(history)
    if (graphs[-1].nodes, graphs[-1].edges) != (graph.nodes, graph.edges):
        yield "the history gives another graph"
    if len(history) < 5:
        yield f"{len(history)} mutations"
    for before, mutation in zip(graphs, history[1:], strict=False):
        after = apply_mutation(before, mutation)
        if not mutation.reason.endswith(".") or not mutation.evidence_ids:
            yield f"{mutation.strategy} has no reason or no evidence"
        count = len(values(after, plain)[after.root_node_id])
        old = len(values(before, plain)[before.root_node_id])
        if (mutation.answers_before, mutation.answers_after) != (old, count):
            yield f"{mutation.strategy} miscounts: {old} -> {count}"
        if mutation.strategy not in ("Complement", "Intersection Expansion"):
            continue
        candidates = values(before, plain)[mutation.node_id]
        left = values(after, plain)[mutation.node_id]
        removed = len(candidates) - len(left)
        if count >= old or not left < candidates:
            yield f"{mutation.strategy} at {mutation.node_id} does not narrow"
        if removed < 2 and (count > 1 or mutation.strategy == "Complement"):
            yield f"{mutation.strategy} at {mutation.node_id} removes {removed}"
        if mutation.strategy == "Complement":
            anchor, way = mutation.nodes[0], mutation.edges[0]
            named = plain.called(anchor.known_entities[0], anchor.entity_type)
            excluded = plain.project(way.relation or "", way.reads.value, named)
            if named & candidates:
                yield f"the exclusion at {mutation.node_id} names a candidate"
            if len(candidates & excluded) < 0.1 * len(excluded):
                yield f"the exclusion at {mutation.node_id} hardly covers its own set"
