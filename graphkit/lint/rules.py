"""The rules in their order, and how they are run over one question."""

from __future__ import annotations

from collections.abc import Iterable

from graphkit.facts import FactStore
from graphkit.lint import evidence_rules, structure_rules
from graphkit.lint.context import Finding, LintContext, Rule, Severity
from graphkit.question import QuestionGraph

__all__ = ["RULES", "lint"]

RULES: tuple[Rule, ...] = (
    Rule(
        "unresolved_name",
        Severity.ERROR,
        "a name is not in the facts",
        evidence_rules.unresolved_names,
    ),
    Rule(
        "unresolved_relation",
        Severity.ERROR,
        "a relation is not in the facts",
        evidence_rules.unresolved_relations,
    ),
    Rule(
        "ambiguous_name",
        Severity.WARNING,
        "a name matches several entities",
        evidence_rules.ambiguous_names,
    ),
    Rule(
        "unsafe_complement",
        Severity.ERROR,
        "the answers are all entities but some",
        structure_rules.unsafe_complement,
    ),
    Rule(
        "answer_leaked",
        Severity.ERROR,
        "the question text gives a hidden name away",
        structure_rules.answer_leaked,
    ),
    Rule(
        "anchor_at_root",
        Severity.WARNING,
        "the answer node has entities given in the question",
        structure_rules.anchor_at_root,
    ),
    Rule("filler", Severity.WARNING, "a node cannot reach the root", structure_rules.filler),
    Rule(
        "free_source",
        Severity.WARNING,
        "a node without any condition is used as a source",
        structure_rules.free_source,
    ),
    Rule(
        "double_complement",
        Severity.WARNING,
        "the complement of a complement",
        structure_rules.double_complement,
    ),
    Rule(
        "duplicate_branch",
        Severity.WARNING,
        "the same condition stands twice",
        structure_rules.duplicate_branch,
    ),
    Rule(
        "back_and_forth",
        Severity.WARNING,
        "a relation is followed and then followed back",
        structure_rules.back_and_forth,
    ),
    Rule(
        "any_of_anchor",
        Severity.WARNING,
        "an anchor with several names means any of them",
        structure_rules.any_of_anchor,
    ),
    Rule("few_edges", Severity.WARNING, "fewer than five edges", structure_rules.few_edges),
    Rule("few_hops", Severity.WARNING, "fewer than five hops", structure_rules.few_hops),
    Rule(
        "reference_outside",
        Severity.WARNING,
        "a reference entity is not in its node's set",
        evidence_rules.reference_outside,
    ),
    Rule(
        "implicit_intersection",
        Severity.INFO,
        "several conditions meet without an intersection",
        structure_rules.implicit_intersection,
    ),
    Rule("empty_label", Severity.INFO, "a node without a label", structure_rules.empty_label),
    Rule(
        "stale_evidence",
        Severity.INFO,
        "less than half of the evidence is fresh",
        evidence_rules.stale_evidence,
    ),
    Rule(
        "final_hop_stale",
        Severity.INFO,
        "the final hop does not rest on fresh evidence",
        evidence_rules.final_hop_stale,
    ),
)
"""All rules, in the order in which findings are reported."""


def lint(
    graph: QuestionGraph, facts: FactStore | None = None, *, rules: Iterable[Rule] = RULES
) -> list[Finding]:
    """Run the rules over one question.

    Args:
        graph: The question graph.
        facts: The facts; without them the rules that need facts find nothing.
        rules: The rules to run, by default all.

    >>> from graphkit.question import Edge, Node
    >>> graph = QuestionGraph(root_node_id="n0", nodes=[Node(node_id="n0", label="x",
    ...                                                      known_entities=["A"])])
    >>> [finding.code for finding in lint(graph)]
    ['anchor_at_root', 'few_edges', 'few_hops']
    """
    context = LintContext(graph, facts)
    return [
        Finding(rule.code, rule.severity, tuple(ids), message)
        for rule in rules
        for ids, message in rule.check(context)
    ]
