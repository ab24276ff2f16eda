"""Everything that can be checked of one question, in one report that says on what basis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from graphkit.checks.basis import Basis, basis_of
from graphkit.checks.core import MinimalCore, minimal_core
from graphkit.checks.profile import Profile, profile_of
from graphkit.checks.relax import Relaxer
from graphkit.checks.shortcuts import Shortcut, adjacent_facts, direct_paths
from graphkit.checks.single import redundant_constraints
from graphkit.evaluate import Evaluation
from graphkit.facts import FactStore
from graphkit.grounding import ground, resolve
from graphkit.lint import Finding, Severity, lint
from graphkit.lint.leak import find_leaks
from graphkit.normalize import normalize
from graphkit.operations import Op
from graphkit.patterns import canonical_key, shape
from graphkit.question import QuestionGraph
from graphkit.witness import find_witness

__all__ = ["CheckReport", "Limits", "check", "question_id", "summarize"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the search for direct paths.

    Attributes:
        max_length: The longest path tried, in hops.
        max_fan_out: The largest set followed.
        max_sets: The number of sets after which an anchor is given up.
    """

    max_length: int = 4
    max_fan_out: int = 100_000
    max_sets: int = 200_000


@dataclass(frozen=True)
class CheckReport:
    """The verdicts on one question. A verdict that could not be reached is None, with a reason.

    Attributes:
        question_id: The question's id, else its canonical key.
        lint: What the lint rules found.
        basis: What the grounded verdicts stand on.
        reason: Why verdicts are None: ``no_facts``, ``unresolved``, ``unsafe_complement``,
            ``no_answers``, ``ambiguous_name``; None when nothing is missing.
        answers_count: How many answers there are.
        unique: Exactly one answer.
        faithful: The declared answer is an answer; None when none is declared.
        redundant: Constraints that can each go alone without changing the answers.
        core: The fewest constraints with the same answers.
        shortcuts: Every shortcut found, with its certificate.
        searched: How far searches went.
        profile: The difficulty profile.
    """

    question_id: str
    lint: tuple[Finding, ...]
    basis: Basis
    reason: str | None = None
    answers_count: int | None = None
    unique: bool | None = None
    faithful: bool | None = None
    redundant: tuple[str, ...] | None = None
    core: MinimalCore | None = None
    shortcuts: tuple[Shortcut, ...] | None = None
    searched: dict[str, dict[str, Any]] = field(default_factory=dict)
    profile: Profile | None = None
    shape_record: dict[str, Any] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        """Whether no lint rule found an error."""
        return not any(finding.severity is Severity.ERROR for finding in self.lint)

    @property
    def sound(self) -> bool:
        """Whether every check was made and is green: one answer, the declared one if there is,
        no redundant constraint, no shortcut, searched to the end, no lint error."""
        return (
            self.valid
            and self.unique is True
            and self.faithful is not False
            and self.redundant == ()
            and self.shortcuts == ()
            and all(search["complete"] for search in self.searched.values())
        )

    @property
    def proven(self) -> bool:
        """Whether the question is sound and the basis is closed."""
        return self.sound and self.basis is Basis.CLOSED

    def to_record(self) -> dict[str, Any]:
        """Return the report as plain data, in the published shape."""
        return {
            "question_id": self.question_id,
            "valid": self.valid,
            "lint": [
                {
                    "code": finding.code,
                    "severity": finding.severity.value,
                    "ids": list(finding.ids),
                    "message": finding.message,
                }
                for finding in self.lint
            ],
            "answers_count": self.answers_count,
            "unique": self.unique,
            "faithful": self.faithful,
            "basis": self.basis.value,
            "reason": self.reason,
            "redundant": None if self.redundant is None else list(self.redundant),
            "minimal_core": None if self.core is None else list(self.core.ids),
            "core_exact": None if self.core is None else self.core.exact,
            "shortcuts": None
            if self.shortcuts is None
            else [shortcut.to_record() for shortcut in self.shortcuts],
            "searched": self.searched,
            "profile": self.profile.to_record() if self.profile else self.shape_record,
        }


def question_id(graph: QuestionGraph) -> str:
    """Return the id of a question: its own, else its canonical key."""
    return graph.id or canonical_key(graph)


def check(
    graph: QuestionGraph, facts: FactStore | None = None, *, limits: Limits | None = None
) -> CheckReport:
    """Run lint and every grounded check over one question.

    Args:
        graph: The question graph; it is brought into normal form first, and constraint ids are
            those of the normal form.
        facts: The facts with their relation sheet; without them only lint runs.
        limits: Bounds of the search for direct paths.
    """
    findings = tuple(lint(graph, facts))
    name = question_id(graph)
    normal = normalize(graph)
    bare = _shape_record(normal)
    if facts is None:
        return CheckReport(name, findings, Basis.UNGROUNDED, "no_facts", shape_record=bare)
    grounding = ground(normal, facts, strict=False)
    if grounding.unresolved:
        return CheckReport(name, findings, Basis.UNGROUNDED, "unresolved", shape_record=bare)
    relaxer = Relaxer(normal, facts, grounding)
    basis = basis_of(normal, facts, grounding)
    if relaxer.answers.complemented:
        return CheckReport(
            name,
            findings,
            basis,
            "unsafe_complement",
            relaxer.answers.size(facts.size),
            profile=profile_of(relaxer),
        )
    if not len(relaxer.answers.ids):
        return CheckReport(name, findings, basis, "no_answers", 0, profile=profile_of(relaxer))
    return _grounded(graph, relaxer, findings, name, basis, limits or Limits())


def _grounded(
    graph: QuestionGraph,
    relaxer: Relaxer,
    findings: tuple[Finding, ...],
    name: str,
    basis: Basis,
    limits: Limits,
) -> CheckReport:
    count = len(relaxer.answers.ids)
    redundant = tuple(item.id for item in redundant_constraints(relaxer))
    core = minimal_core(relaxer)
    paths = direct_paths(
        relaxer,
        max_length=limits.max_length,
        max_fan_out=limits.max_fan_out,
        max_sets=limits.max_sets,
    )
    # Where every deletion can only add answers, single deletions decide.
    monotone = not any(edge.op in (Op.COMPLEMENT, Op.UNION) for edge in relaxer.graph.edges)
    shortcuts = [*_pinning(relaxer, core), *paths.found, *adjacent_facts(relaxer)]
    shortcuts += _text_leaks(graph, relaxer)
    ambiguous = relaxer.grounding.ambiguous
    return CheckReport(
        question_id=name,
        lint=findings,
        basis=basis,
        reason="ambiguous_name" if ambiguous else None,
        answers_count=count,
        unique=None if ambiguous else count == 1,
        faithful=_faithful(graph, relaxer),
        redundant=redundant,
        core=core,
        shortcuts=tuple(shortcuts),
        searched={
            "direct_path": {
                "max_length": paths.max_length,
                "max_fan_out": paths.max_fan_out,
                "complete": paths.complete,
            },
            "pinning_subgraph": {"complete": core.exact or monotone},
        },
        profile=profile_of(relaxer, _witness_facts(relaxer)),
    )


def _pinning(relaxer: Relaxer, core: MinimalCore) -> list[Shortcut]:
    if len(core.ids) == len(relaxer.constraints):
        return []
    return [Shortcut("pinning_subgraph", len(core.ids), {"constraints": list(core.ids)})]


def _text_leaks(graph: QuestionGraph, relaxer: Relaxer) -> list[Shortcut]:
    names = [graph.answer] if graph.answer else []
    for number in relaxer.answers.ids.tolist():
        names += [relaxer.facts.name(number), *relaxer.facts.aliases.get(number, ())]
    names += graph.aliases
    for node in graph.nodes:
        names += [name for name in node.reference_entities if name not in node.known_entities]
    return [
        Shortcut(
            "text_leak",
            leak.end - leak.start,
            {"span": [leak.start, leak.end], "text": leak.text, "name": leak.name},
        )
        for leak in find_leaks(graph.question, names)
    ]


def _faithful(graph: QuestionGraph, relaxer: Relaxer) -> bool | None:
    if graph.answer is None:
        return None
    match = resolve(graph.answer, relaxer.facts)
    return match is not None and any(number in relaxer.answers for number in match.entities)


def _witness_facts(relaxer: Relaxer) -> tuple[Any, ...]:
    evaluation = Evaluation(
        relaxer.graph, relaxer.facts, relaxer.grounding, relaxer.values, frozenset(relaxer.values)
    )
    first = min(
        relaxer.answers.ids.tolist(), key=lambda number: (relaxer.facts.name(number), number)
    )
    return find_witness(evaluation, first).facts


def _shape_record(normal: QuestionGraph) -> dict[str, Any]:
    counts = shape(normal)
    return {
        "nodes": counts.nodes,
        "edges": counts.edges,
        "ops": counts.ops,
        "hops": counts.hops,
        "depth": counts.depth,
        "anchors": counts.anchors,
        "signature": counts.signature,
        "tree": counts.tree,
    }


def summarize(reports: Iterable[CheckReport]) -> dict[str, Any]:
    """Count the verdicts of many reports; what could not be judged is counted by its reason."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for report in reports:
        counts["questions"] += 1
        counts[f"basis_{report.basis.value}"] += 1
        counts["valid"] += report.valid
        counts["sound"] += report.sound
        counts["proven"] += report.proven
        for verdict in ("unique", "faithful"):
            value = getattr(report, verdict)
            counts[f"{verdict}_{'unknown' if value is None else 'yes' if value else 'no'}"] += 1
        if report.redundant is not None:
            counts["redundant"] += bool(report.redundant)
            counts["with_shortcut"] += bool(report.shortcuts)
        if report.reason:
            reasons[report.reason] += 1
        codes.update({finding.code for finding in report.lint})
        kinds.update({shortcut.kind for shortcut in report.shortcuts or ()})
    return {
        **dict(sorted(counts.items())),
        "reasons": dict(sorted(reasons.items())),
        "lint": dict(sorted(codes.items())),
        "shortcuts": dict(sorted(kinds.items())),
    }
