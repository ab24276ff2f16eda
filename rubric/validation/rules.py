"""The sixteen static checks in order; OmniDR-Bench, E.4."""

from __future__ import annotations

from rubric.validation.content_rules import (
    check_difficulty_balance,
    check_direction_boundaries,
    check_duplicates,
    check_empty_report,
    check_language_consistency,
    check_source_concentration,
    check_subjective_wording,
)
from rubric.validation.context import Rule, Severity
from rubric.validation.structure_rules import (
    check_direction_coverage,
    check_direction_membership,
    check_evidence_binding,
    check_gates,
    check_identifiers,
    check_logic_compatibility,
    check_machine_eligibility,
    check_presentation_impact,
    check_schema,
)

__all__ = ["RULES"]

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

RULES: tuple[Rule, ...] = (
    Rule("schema", "the package is what the format says", _ERROR, check_schema),
    Rule("identifiers", "ids are unique and visible", _ERROR, check_identifiers),
    Rule(
        "direction_membership", "atoms are in known directions", _ERROR, check_direction_membership
    ),
    Rule(
        "logic_compatibility",
        "logic, tau and kappa fit their directions",
        _ERROR,
        check_logic_compatibility,
    ),
    Rule("evidence_binding", "atoms are bound to facts that exist", _ERROR, check_evidence_binding),
    Rule("gates", "gates have atoms or a reason", _ERROR, check_gates),
    Rule(
        "presentation_impact",
        "machine atoms say what the reader loses",
        _ERROR,
        check_presentation_impact,
    ),
    Rule(
        "machine_eligibility", "the evaluator fits the direction", _ERROR, check_machine_eligibility
    ),
    Rule("subjective_wording", "questions are objective", _WARNING, check_subjective_wording),
    Rule("duplicates", "no question is asked twice", _ERROR, check_duplicates),
    Rule(
        "direction_coverage", "absent directions have a reason", _WARNING, check_direction_coverage
    ),
    Rule("difficulty_balance", "evidence levels are mixed", _WARNING, check_difficulty_balance),
    Rule(
        "source_concentration",
        "facts come from several domains",
        _WARNING,
        check_source_concentration,
    ),
    Rule("empty_report", "a report without content earns nothing", _ERROR, check_empty_report),
    Rule(
        "direction_boundaries",
        "questions stay in their direction",
        _ERROR,
        check_direction_boundaries,
    ),
    Rule(
        "language_consistency",
        "questions are in the language of the tree",
        _WARNING,
        check_language_consistency,
    ),
)
"""The checks: schema first, so that the others read a tree that has the right shape."""
