"""The sixteen static checks of a tree package, to run before any token is spent. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphkit.errors import did_you_mean
from rubric.errors import RubricError
from rubric.facts import Fact
from rubric.inventory import Inventory, default_inventory
from rubric.plan import plan_problems
from rubric.settings import Overrides, Settings
from rubric.tree import Tree
from rubric.tree_reader import fields_of
from rubric.validation.context import Context, Finding, NotRun, Rule, Severity
from rubric.validation.rules import RULES

__all__ = ["RULES", "CheckResult", "Finding", "Rule", "Severity", "Validation", "validate"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one check ended.

    Attributes:
        code: The rule.
        status: ``passed``, ``failed`` (errors), ``warned``, ``accepted``, or ``not_run``.
        lacks: What the check needs and does not have; it may have run in part.
    """

    code: str
    status: str
    lacks: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"code": self.code, "status": self.status, "lacks": self.lacks}


@dataclass(frozen=True, slots=True)
class Validation:
    """The result of all checks.

    Attributes:
        task_id: The task, if the package says.
        file: Where the package stands.
        findings: What was found, in the order of the rules.
        checks: How each check ended.
    """

    task_id: str | None
    file: str | None
    findings: tuple[Finding, ...]
    checks: tuple[CheckResult, ...]

    @property
    def valid(self) -> bool:
        """Whether there is no error and no warning that was not accepted."""
        return all(finding.accepted for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "task_id": self.task_id,
            "file": self.file,
            "valid": self.valid,
            "findings": [finding.to_dict() for finding in self.findings],
            "checks": [check.to_dict() for check in self.checks],
        }


def validate(
    package: Tree | Mapping[str, Any] | str | bytes,
    *,
    facts: Iterable[Fact] | None = None,
    empty_report: Mapping[str, str] | None = None,
    accept: Collection[str] = (),
    inventory: Inventory | None = None,
    settings: Settings | None = None,
    file: str | None = None,
) -> Validation:
    """Run the sixteen static checks of OmniDR-Bench, E.4, on a tree package.

    Args:
        package: A tree, its data, or its JSON text.
        facts: The fact library; the facts of the tree if not given.
        empty_report: The verdict word of each machine atom on a valid report without content.
        accept: Codes of rules whose warnings are accepted; errors are never accepted.
        inventory: The shared directions.
        settings: The thresholds.
        file: Where the package stands.

    Raises:
        RubricError: ``accept`` names no rule.
        FormatError: The text is not JSON.

    >>> found = validate({"task_id": "t", "language": "en", "atoms": [
    ...     {"id": "a", "direction": "C-LC", "question": "Is the plan clear?", "expected": "yes",
    ...      "evaluator": "J", "fact_ids": ["f1"]}]}, accept={"direction_coverage"})
    >>> [(item.code, item.message) for item in found.findings if not item.accepted]
    [('subjective_wording', 'question: subjective words: clear')]
    >>> [check.code for check in found.checks if check.status == "not_run"]
    ['evidence_binding', 'difficulty_balance', 'source_concentration']
    """
    codes = [rule.code for rule in RULES]
    for code in accept:
        if code not in codes:
            raise RubricError(f"no check is called {code!r}{did_you_mean(code, codes)}")
    settings, inventory = settings or Settings(), inventory or default_inventory()
    tree, raw, problems = fields_of(package, file)
    if tree is None:
        return _unreadable(raw, file, problems)
    library = list(tree.facts if facts is None else facts)
    context = Context(
        tree=tree,
        problems=(*problems, *plan_problems(tree, settings, Overrides(), inventory)),
        facts={fact.fact_id: fact for fact in library} or None,
        inventory=inventory,
        settings=settings,
        empty_report=empty_report,
    )
    findings: list[Finding] = []
    checks = []
    for rule in RULES:
        found, lacks = _run(rule, context, rule.code in accept)
        findings += found
        checks.append(CheckResult(rule.code, _status(found, lacks), lacks))
    return Validation(tree.task_id, file, tuple(findings), tuple(checks))


def _run(rule: Rule, context: Context, accepted: bool) -> tuple[list[Finding], str]:
    found, lacks = [], ""
    for item in rule.check(context):
        if isinstance(item, NotRun):
            lacks = item.lacks
        else:
            severity, subject, message = item
            found.append(
                Finding(
                    rule.code, severity, subject, message, accepted and severity is Severity.WARNING
                )
            )
    return list(dict.fromkeys(found)), lacks


def _status(found: list[Finding], lacks: str) -> str:
    if any(item.severity is Severity.ERROR for item in found):
        return "failed"
    if any(not item.accepted for item in found):
        return "warned"
    if lacks:
        return "not_run"
    return "accepted" if found else "passed"


def _unreadable(raw: Any, file: str | None, problems: Iterable[Any]) -> Validation:
    findings = dict.fromkeys(
        Finding(
            "identifiers" if problem.code == "duplicate_id" else "schema",
            Severity.ERROR,
            problem.subject or "tree",
            problem.message,
        )
        for problem in problems
    )
    failed = {finding.code for finding in findings}
    checks = [
        CheckResult(
            rule.code,
            "failed" if rule.code in failed else "not_run",
            "" if rule.code in failed else "a package that passes the schema check",
        )
        for rule in RULES
    ]
    task = raw.get("task_id") if isinstance(raw, Mapping) else None
    return Validation(task if isinstance(task, str) else None, file, tuple(findings), tuple(checks))
