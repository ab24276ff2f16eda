"""Which pieces of evidence lead to an answer: plain sets over the evidence of a prompt."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from typing import Any, NamedTuple

from graphkit.operations import Direction, Op
from graphkit.question import Edge, QuestionGraph

__all__ = ["Evidence", "chain_of", "evidence_of"]


class Value(NamedTuple):
    """A set of names, or everything but it."""

    names: frozenset[str]
    complemented: bool = False


class Evidence:
    """The evidence of a prompt, indexed both ways.

    Attributes:
        items: The items as given.
        by_id: Evidence id -> item.
        out: (relation, head) -> tail -> evidence id.
        back: (relation, tail) -> head -> evidence id.
    """

    def __init__(self, items: list[dict[str, Any]]) -> None:
        self.items = [item for item in items if isinstance(item, dict)]
        self.by_id = {item["evidence_id"]: item for item in self.items}
        self.out: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self.back: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for item in self.items:
            head, relation, tail = item["head_entity"], item["relation"], item["tail_entity"]
            self.out[relation, head].setdefault(tail, item["evidence_id"])
            self.back[relation, tail].setdefault(head, item["evidence_id"])

    def step(self, edge: Edge, source: str) -> dict[str, str]:
        """Return where an edge leads from one name -> the evidence for it."""
        table = self.out if edge.reads is Direction.FORWARD else self.back
        return table.get((edge.relation or "", source), {})

    def values(self, graph: QuestionGraph) -> dict[str, Value]:
        """Return the set of every node."""
        found: dict[str, Value] = {}
        for node_id in graph.order:
            parts = [self._edge(edge, found) for edge in graph.incoming[node_id]]
            names = graph.node(node_id).known_entities
            if names:
                parts.append(Value(frozenset(names)))
            found[node_id] = _all_of(parts)
        return found

    def _edge(self, edge: Edge, found: dict[str, Value]) -> Value:
        sources = [found[source] for source in edge.source_ids]
        if edge.op is Op.PROJECTION:
            reached: set[str] = set()
            for name in sources[0].names if not sources[0].complemented else ():
                reached.update(self.step(edge, name))
            return Value(frozenset(reached))
        if edge.op is Op.COMPLEMENT:
            return Value(sources[0].names, not sources[0].complemented)
        return _all_of(sources)


def _all_of(parts: list[Value]) -> Value:
    kept = [part.names for part in parts if not part.complemented]
    gone = frozenset[str]().union(*(part.names for part in parts if part.complemented))
    if not kept:
        return Value(gone, True)
    return Value(frozenset.intersection(*kept) - gone)


@functools.lru_cache(maxsize=256)
def evidence_of(text: str) -> Evidence:
    """Return the evidence of a block, read once."""
    try:
        items = json.loads(text)
    except ValueError:
        items = []
    return Evidence(items if isinstance(items, list) else [])


def chain_of(graph: QuestionGraph, evidence: Evidence, answer: str) -> list[dict[str, Any]]:
    """Return a reasoning chain: one piece of evidence for each projection, anchors first."""
    values = evidence.values(graph)
    need = {graph.root_node_id: answer}
    hops: list[tuple[str, str]] = []
    for node_id in reversed(graph.order):
        name = need.get(node_id)
        if name is None:
            continue
        for edge in graph.incoming[node_id]:
            if edge.op is Op.COMPLEMENT:
                continue
            if edge.op is not Op.PROJECTION:
                for source in edge.source_ids:
                    need.setdefault(source, name)
                continue
            source = edge.source_ids[0]
            options = sorted(values[source].names) if not values[source].complemented else []
            for option in [need[source]] if source in need else options:
                key = evidence.step(edge, option).get(name)
                if key is not None:
                    need.setdefault(source, option)
                    hops.append((key, name))
                    break
    chain = []
    for place, (key, name) in enumerate(dict.fromkeys(reversed(hops)), 1):
        item = evidence.by_id[key]
        chain.append(
            {
                "hop": place,
                "evidence_id": key,
                "entity": name,
                "relation": item["relation"],
                "is_fresh_knowledge": bool(item.get("is_fresh_knowledge")),
            }
        )
    return chain
