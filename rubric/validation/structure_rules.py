"""Static checks of structure: schema, identifiers, directions, logic, evidence, gates, impact."""

from __future__ import annotations

from collections.abc import Iterable

from rubric.facts import evidence_level
from rubric.logic import Dimension, Evaluator, Role
from rubric.validation.context import Context, NotRun, Severity

__all__ = [
    "check_direction_coverage",
    "check_direction_membership",
    "check_evidence_binding",
    "check_gates",
    "check_identifiers",
    "check_logic_compatibility",
    "check_machine_eligibility",
    "check_presentation_impact",
    "check_schema",
]

Found = Iterable[tuple[Severity, str, str] | NotRun]
ERROR, WARNING = Severity.ERROR, Severity.WARNING


def check_schema(context: Context) -> Found:
    """Fields beyond what scoring needs: every atom has a question, and there are atoms."""
    yield from context.of_reader("not_finite", "field", "missing_field")
    if not context.tree.atoms:
        yield ERROR, "tree", "atoms: empty; expected at least one"
    for atom in context.tree.atoms:
        if not atom.question.strip():
            yield ERROR, f"atom {atom.id}", "question: missing"


def check_identifiers(context: Context) -> Found:
    """Ids are unique, visible, and differ by more than case."""
    yield from context.of_reader("duplicate_id")
    for kind, ids in (
        ("atom", [atom.id for atom in context.tree.atoms]),
        ("direction", [item.id for item in context.tree.directions]),
        ("fact", [fact.fact_id for fact in context.tree.facts]),
    ):
        folded: dict[str, str] = {}
        for item in dict.fromkeys(ids):
            if item != item.strip() or not item.isprintable():
                yield ERROR, f"{kind} {item!r}", "id: has space around it or hidden characters"
            other = folded.setdefault(item.strip().casefold(), item)
            if other != item:
                yield WARNING, f"{kind} {item}", f"id: differs from {other} by case or space only"


def check_direction_membership(context: Context) -> Found:
    """Every atom is in a known direction, and a shared direction keeps its dimension."""
    yield from context.of_reader("unknown_direction")
    for direction in context.directions.values():
        known = context.inventory.by_id.get(direction.id)
        if known is not None and direction.dimension is not known.dimension:
            yield (
                ERROR,
                f"direction {direction.id}",
                f"dimension: {direction.dimension}, but the inventory has {known.dimension}",
            )


def check_logic_compatibility(context: Context) -> Found:
    """Logic, tau and kappa are within their domains."""
    yield from context.of_reader("logic_bound", "tau_domain", "coverage_domain")
    for direction in context.directions.values():
        if (
            direction.role is Role.CORE
            and "logic" in direction.model_fields_set
            and direction.logic == "any"
        ):
            yield (
                WARNING,
                f"direction {direction.id}",
                "logic: any, in a core direction, where it is a diagnostic only",
            )


def check_evidence_binding(context: Context) -> Found:
    """Every model-judged atom has a fact that the library holds, and levels follow from facts.

    Source: OmniDR-Bench, E.3.
    """
    for atom in context.tree.atoms:
        if atom.evaluator is Evaluator.JUDGE and not atom.fact_ids:
            yield ERROR, f"atom {atom.id}", "fact_ids: empty; a model-judged atom names its facts"
    if context.facts is None:
        if any(atom.fact_ids for atom in context.tree.atoms):
            yield NotRun("a fact library")
        return
    for atom in context.tree.atoms:
        for name in atom.fact_ids:
            if name not in context.facts:
                yield ERROR, f"atom {atom.id}", f"fact_ids: {name!r} is not in the fact library"
        level = evidence_level(atom.fact_ids, context.facts)
        if atom.level is not None and level is not None and atom.level is not level:
            yield (
                WARNING,
                f"atom {atom.id}",
                f"level: {atom.level} is stated, but the evidence gives {level}",
            )
    for fact in context.facts.values():
        for other in (*fact.conflicts_with, *(item.target for item in fact.relations)):
            if other not in context.facts:
                yield (
                    ERROR,
                    f"fact {fact.fact_id}",
                    f"refers to {other!r}, which is not in the fact library",
                )


def check_gates(context: Context) -> Found:
    """A gate has atoms or says why not, and not both."""
    yield from context.of_reader("empty_gate")
    for direction in context.directions.values():
        atoms = len(context.tree.atoms_of[direction.id])
        if direction.role is Role.GATE and atoms and direction.na_reason:
            yield (
                WARNING,
                f"direction {direction.id}",
                f"na_reason: given, but the gate has {atoms} atoms",
            )


def check_presentation_impact(context: Context) -> Found:
    """A machine atom without a fact states what its failure means to the reader.

    Source: OmniDR-Bench, E.3.
    """
    for atom in context.tree.atoms:
        if (
            atom.evaluator is Evaluator.MACHINE
            and not atom.fact_ids
            and not (atom.impact or "").strip()
        ):
            yield (
                ERROR,
                f"atom {atom.id}",
                "impact: missing; a machine atom without a fact says what the reader loses",
            )


def check_machine_eligibility(context: Context) -> Found:
    """The evaluator of an atom is one that its direction allows."""
    for atom, direction in context.placed():
        known = context.inventory.by_id.get(direction.id)
        if known is None or atom.evaluator in known.evaluators:
            continue
        allowed = ", ".join(known.evaluators)
        content = direction.dimension is Dimension.CONTENT
        severity = WARNING if content or atom.evaluator is Evaluator.JUDGE else ERROR
        yield (
            severity,
            f"atom {atom.id}",
            f"evaluator: {atom.evaluator}, but {direction.id} is decided by {allowed}",
        )


def check_direction_coverage(context: Context) -> Found:
    """Every shared direction has atoms or an instance-specific reason. Source: E.3."""
    declared = {item.id: item for item in context.tree.directions}
    reasons: dict[str, str] = {}
    for name in dict.fromkeys([*context.inventory.by_id, *declared]):
        direction = declared.get(name)
        if context.tree.atoms_of.get(name):
            continue
        reason = (direction.na_reason or "").strip() if direction else ""
        if not reason:
            yield WARNING, f"direction {name}", "na_reason: missing; the task has no atom there"
        elif reasons.setdefault(reason.casefold(), name) != name:
            yield (
                WARNING,
                f"direction {name}",
                f"na_reason: the same words as for {reasons[reason.casefold()]}",
            )
