"""Rules that need the facts and the evidence behind them."""

from __future__ import annotations

from collections.abc import Iterator

from graphkit.grounding import resolve
from graphkit.lint.context import LintContext, problem_id

Hits = Iterator[tuple[tuple[str, ...], str]]

FRESH_SHARE = 0.5
"""EvoBrowseComp, A.2: no less than half of the evidence is fresh."""


def unresolved_names(context: LintContext) -> Hits:
    """Known entities that the facts do not have."""
    yield from _grounding_problems(context, "unresolved_name")


def unresolved_relations(context: LintContext) -> Hits:
    """Relations that the facts do not have, or have under one name twice."""
    yield from _grounding_problems(context, "unresolved_relation", "ambiguous_relation")


def _grounding_problems(context: LintContext, *codes: str) -> Hits:
    if context.grounding is not None:
        for problem in context.grounding.unresolved:
            if problem.code in codes:
                yield (problem_id(problem),), problem.message


def ambiguous_names(context: LintContext) -> Hits:
    """Known entities that may be several entities."""
    if context.grounding is not None:
        for problem in context.grounding.warnings:
            yield (problem_id(problem),), problem.message


def reference_outside(context: LintContext) -> Hits:
    """Reference entities that the value of their node does not hold."""
    if context.values is None or context.facts is None:
        return
    for node in context.graph.nodes:
        for name in node.reference_entities:
            match = resolve(name, context.facts)
            if match is None:
                yield (node.node_id,), f"reference entity {name!r} is not in the facts"
            elif not any(number in context.values[node.node_id] for number in match.entities):
                yield (
                    (node.node_id,),
                    (f"reference entity {name!r} is not in the set of node {node.node_id}"),
                )


def stale_evidence(context: LintContext) -> Hits:
    """Less than half of the facts behind the answer are fresh."""
    if context.facts is None:
        return
    states = [context.facts.is_fresh(fact) for fact in context.evidence_facts]
    known = [state for state in states if state is not None]
    if known and sum(known) < FRESH_SHARE * len(known):
        yield (), f"{sum(known)} of {len(known)} facts are fresh, expected at least half"


def final_hop_stale(context: LintContext) -> Hits:
    """The last fact before the answer is not fresh."""
    if context.facts is None or not context.evidence_facts:
        return
    last = context.evidence_facts[-1]
    if context.facts.is_fresh(last) is False:
        yield (), f"the final hop {' / '.join(context.facts.in_names(last))} is not fresh"
