"""The offline na-order check: does a saved result follow the guard, and the intended order? Pure.

OmniDR-Bench, A.4: "the offline na-order check verifies the guard on saved evaluations". How it
does so is not stated there: here every saved outcome is read back, the guard is run again, and
each reading, restoration and score is compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rubric.aggregate import FAILED, PASSED
from rubric.errors import RubricError
from rubric.guard import improved
from rubric.inventory import Inventory
from rubric.plan import Plan, make_plan
from rubric.score import MISSING, NOT_RUN_STATE, judged, score_outcomes
from rubric.settings import GuardMode, Overrides, Settings
from rubric.tree import Tree
from rubric.verdicts import NA, SKIPPED

__all__ = ["OrderFinding", "order_violations", "verify_na_order"]

_CODES = {"passed": PASSED, "failed": FAILED, "na": NA, "na_guard": FAILED, "skipped": SKIPPED}


@dataclass(frozen=True, slots=True)
class OrderFinding:
    """Something that a saved result says wrongly, or a place where the guard breaks the order.

    Attributes:
        task_id: The task.
        system: The system.
        code: ``not_readable``, ``candidates``, ``applied``, ``retracted``, ``readings``,
            ``score``, or ``intended_order`` (no mistake of the result, but of the guard).
        message: What is there, and what was expected.
    """

    task_id: str
    system: str
    code: str
    message: str

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {
            "task_id": self.task_id,
            "system": self.system,
            "code": self.code,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Violation:
    """A report that says more and scores less under the guard.

    Attributes:
        kind: ``stated`` or ``cited``: what the better report does.
        fact_id: The fact it states or cites.
        score: The score of the report.
        better: The lower score of the better report.
    """

    kind: str
    fact_id: str
    score: Fraction
    better: Fraction


def order_violations(plan: Plan, outcomes: Sequence[int]) -> tuple[Violation, ...]:
    """Return where stated >= omitted or cited >= stated fails, the guard rerun on both sides.

    Args:
        plan: The tree under its parameters; it names the guard.
        outcomes: The outcome of each atom of the tree.

    Source: the intended preference of OmniDR-Bench, A.4. The exact guard has no violation.
    """
    score = score_outcomes(plan, outcomes)
    if score is None:
        return ()
    found = []
    for kind, fact, better in improved(plan, outcomes):
        other = score_outcomes(plan, better)
        if other is not None and other < score:
            found.append(Violation(kind, fact, score, other))
    return tuple(found)


def verify_na_order(
    saved: Iterable[Mapping[str, Any]],
    trees: Iterable[Tree],
    *,
    settings: Settings | None = None,
    overrides: Overrides | None = None,
    inventory: Inventory | None = None,
) -> tuple[OrderFinding, ...]:
    """Verify saved results against their trees.

    Args:
        saved: Records as :meth:`rubric.score.ReportScore.to_dict` writes them.
        trees: The trees.
        settings: The parameters they were scored with; the guard is that of each result.
        overrides: The flags they were scored with.
        inventory: The shared directions.

    Raises:
        RubricError: A result has no tree, or a parameter is outside its domain.

    Returns:
        Every finding; nothing when all results are right and the guard kept the order.
    """
    by_task = {tree.task_id: tree for tree in trees}
    plans: dict[tuple[str, str], Plan] = {}
    found: list[OrderFinding] = []
    for record in saved:
        task, system = str(record.get("task_id")), str(record.get("system"))
        if task not in by_task:
            raise RubricError(f"task {task}: no tree has this task_id")
        if record.get("status") in (MISSING, NOT_RUN_STATE):
            continue
        mode = (record.get("na_guard") or {}).get("mode", GuardMode.PUBLISHED.value)
        if mode not in tuple(GuardMode):
            found.append(OrderFinding(task, system, "not_readable", f"no guard is called {mode!r}"))
            continue
        if (task, mode) not in plans:
            plan = make_plan(by_task[task], settings, overrides, inventory)
            plans[task, mode] = replace(plan, guard=GuardMode(mode))
        found += [
            OrderFinding(task, system, code, message)
            for code, message in _verify(plans[task, mode], record)
        ]
    return tuple(found)


def _verify(plan: Plan, record: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    words = record.get("outcomes")
    ids = [atom.id for atom in plan.tree.atoms]
    if not isinstance(words, Mapping) or set(words) != set(ids):
        yield "not_readable", "outcomes: expected one word for each atom of the tree"
        return
    unknown = sorted({str(word) for word in words.values() if word not in _CODES})
    if unknown:
        yield "not_readable", f"outcomes: {unknown[0]!r} is not one of {', '.join(_CODES)}"
        return
    outcomes = [_CODES[words[atom]] for atom in ids]
    parts, trace, removed = judged(plan, outcomes)
    expected = trace.to_dict()
    guard = record.get("na_guard") or {}
    for code, keys in (
        ("candidates", ("candidates", "candidate_ids")),
        ("applied", ("applied", "applied_ids")),
        ("retracted", ("retracted", "retracted_ids")),
    ):
        for key in keys:
            if guard.get(key) != expected[key]:
                yield code, f"{key} is {guard.get(key)!r}, expected {expected[key]!r}"
    marked = sorted(atom for atom, word in words.items() if word == "na_guard")
    kept = sorted(ids[place] for place in removed)
    if marked != kept:
        yield "applied", f"the atoms marked na_guard are {marked}, expected {kept}"
    if guard.get("steps") != expected["steps"]:
        yield "readings", f"steps are {guard.get('steps')!r}, expected {expected['steps']!r}"
    exact = None if parts.score is None else str(parts.score)
    if record.get("score_exact") != exact:
        yield "score", f"score_exact is {record.get('score_exact')!r}, expected {exact!r}"
    if record.get("score") != (None if parts.score is None else float(parts.score)):
        yield "score", f"score is {record.get('score')!r}, expected {exact}"
    for item in order_violations(plan, outcomes):
        verb = "stating" if item.kind == "stated" else "citing"
        yield (
            "intended_order",
            (
                f"{verb} fact {item.fact_id} would lower the score from "
                f"{float(item.score):.6g} to {float(item.better):.6g}"
            ),
        )
