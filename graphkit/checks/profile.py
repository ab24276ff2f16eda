"""The difficulty profile of a question: its structure, its candidates, its evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphkit.checks.relax import Relaxer
from graphkit.facts import Fact
from graphkit.operations import Direction, Op
from graphkit.patterns import Shape, shape

__all__ = ["Profile", "profile_of"]


@dataclass(frozen=True, slots=True)
class Profile:
    """What makes a question hard, in numbers.

    Attributes:
        shape: Counts over the normal form.
        candidates: Node id -> size of its set, for the nodes of the normal form.
        fan_out: For every projection the most targets that one member of its source has.
        fresh_share: Share of fresh facts among those behind the answer; None without evidence.
        root_domains: The domains of the sources behind the answer, sorted.
        knowledge_order: ``fresh`` and ``nonfresh`` along the facts, sources before targets.
    """

    shape: Shape
    candidates: dict[str, int]
    fan_out: dict[str, int]
    fresh_share: float | None
    root_domains: tuple[str, ...]
    knowledge_order: str | None

    def to_record(self) -> dict[str, Any]:
        """Return the profile as plain data."""
        return {
            "nodes": self.shape.nodes,
            "edges": self.shape.edges,
            "ops": self.shape.ops,
            "hops": self.shape.hops,
            "depth": self.shape.depth,
            "anchors": self.shape.anchors,
            "candidates": self.candidates,
            "fan_out": {
                "product": math.prod(self.fan_out.values()),
                "max": max(self.fan_out.values(), default=0),
            },
            "signature": self.shape.signature,
            "tree": self.shape.tree,
            "fresh_share": self.fresh_share,
            "root_domains": list(self.root_domains),
            "knowledge_order": self.knowledge_order,
        }


def profile_of(relaxer: Relaxer, witness_facts: tuple[Fact, ...] = ()) -> Profile:
    """Return the difficulty profile.

    Args:
        relaxer: The question in normal form on its facts.
        witness_facts: The facts behind the answer, sources before targets.
    """
    facts = relaxer.facts
    states = [facts.is_fresh(fact) for fact in witness_facts]
    known = [state for state in states if state is not None]
    domains = {record.root_domain for fact in witness_facts for record in facts.evidence(fact)} - {
        ""
    }
    return Profile(
        shape=shape(relaxer.graph),
        candidates={
            node.node_id: relaxer.values[node.node_id].size(facts.size)
            for node in relaxer.graph.nodes
        },
        fan_out={
            edge.edge_id: _fan_out(relaxer, edge.edge_id, edge.source_ids[0])
            for edge in relaxer.graph.edges
            if edge.op is Op.PROJECTION
        },
        fresh_share=sum(known) / len(known) if known else None,
        root_domains=tuple(sorted(domains)),
        knowledge_order="-".join("fresh" if state else "nonfresh" for state in known) or None,
    )


def _fan_out(relaxer: Relaxer, edge_id: str, source_id: str) -> int:
    relation = relaxer.grounding.relations[edge_id]
    adjacency = relaxer.facts.adjacency[relation.number]
    table = adjacency.forward if relation.direction is Direction.FORWARD else adjacency.backward
    source = relaxer.values[source_id]
    counts = np.diff(table.starts)
    rows = np.isin(table.keys, source.ids, invert=source.complemented)
    return int(counts[rows].max()) if rows.any() else 0
