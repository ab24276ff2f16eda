"""The laws of scores, each a function that raises ``AssertionError`` when it does not hold.

They are those of architecture.md, "Scores". Without the guard, turning a failed atom into a passed
one never lowers S. Under either guard it can; the exact guard keeps stated >= omitted and
cited >= stated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction

from rubric.aggregate import FAILED, PASSED, aggregate, count_atoms, present_dimensions
from rubric.explanation import explain_plan
from rubric.na_order import order_violations, verify_na_order
from rubric.plan import Plan, make_plan
from rubric.score import ReportScore, outcomes_of, score_plan
from rubric.settings import Settings, Weights
from rubric.testing.strategies import JudgedTree
from rubric.tree import dump_tree
from rubric.tree_reader import parse_tree
from rubric.vectorised import STATES, score_grid
from rubric.verdicts import ReportVerdicts, VerdictTable

__all__ = [
    "check_bounds",
    "check_explanation",
    "check_gate_is_local",
    "check_intended_order",
    "check_monotone_without_guard",
    "check_order_is_irrelevant",
    "check_range",
    "check_round_trip",
    "check_saved_result",
    "check_scaling",
    "check_skipped_never_pass",
    "check_vectorised",
]


def _score(judged: JudgedTree) -> ReportScore:
    return score_plan(judged.plan, judged.verdicts, "A")


def unguarded(plan: Plan, outcomes: Sequence[int]) -> Fraction | None:
    """Return S without any guard."""
    counts = count_atoms(plan, outcomes)
    return aggregate(plan, counts, present_dimensions(plan, counts)).score


def check_range(judged: JudgedTree) -> None:
    """0 <= S <= 100, and the status says when there is no score."""
    found = _score(judged)
    assert (found.score is None) == (found.status in ("unscored", "not_run", "no_weight"))
    assert found.score is None or 0 <= found.score <= 100
    for direction in found.directions.values():
        assert 0 <= direction.passed <= direction.n
        assert 0 <= direction.weight <= direction.n


def check_order_is_irrelevant(judged: JudgedTree) -> None:
    """The order of atoms, directions and verdicts changes nothing."""
    turned = judged.tree.model_copy(
        update={"atoms": judged.tree.atoms[::-1], "directions": judged.tree.directions[::-1]}
    )
    other = JudgedTree(
        parse_tree(json.dumps(dump_tree(turned))),
        dict(reversed(judged.words.items())),
        judged.settings,
    )
    first, second = _score(judged).to_dict(), _score(other).to_dict()
    assert first == second


def check_monotone_without_guard(judged: JudgedTree) -> None:
    """Without the guard, a failed atom that passes never lowers S, gates included."""
    plan = judged.plan
    outcomes = outcomes_of(plan, judged.verdicts)
    before = unguarded(plan, outcomes)
    for place, outcome in enumerate(outcomes):
        if outcome == FAILED and before is not None:
            better = list(outcomes)
            better[place] = PASSED
            after = unguarded(plan, better)
            assert after is not None
            assert after >= before, plan.tree.atoms[place].id


def check_gate_is_local(judged: JudgedTree) -> None:
    """A failed gate zeroes its own direction only: the others keep rate, credit and weight."""
    data = dump_tree(judged.tree)
    data["directions"] = [{**item, "role": "core"} for item in data["directions"]]
    cored = JudgedTree(parse_tree(data), judged.words, judged.settings)
    first, second = _score(judged), _score(cored)
    if first.na_guard.applied or second.na_guard.applied:
        return
    for name, direction in first.directions.items():
        other = second.directions[name]
        assert (
            direction.n,
            direction.passed,
            direction.rate,
            direction.credited,
            direction.weight,
        ) == (other.n, other.passed, other.rate, other.credited, other.weight)
        assert other.gate == 1


def check_scaling(judged: JudgedTree) -> None:
    """Scaling all lambdas changes nothing."""
    weights = judged.tree.weights or judged.settings.weights
    scaled = Weights.model_validate(
        {name: str(7 * getattr(weights, name)) for name in Weights.model_fields}
    )
    tree = judged.tree.model_copy(update={"weights": scaled})
    other = score_plan(make_plan(tree, judged.settings), judged.verdicts, "A")
    assert other.to_dict() == _score(judged).to_dict()


def check_explanation(judged: JudgedTree) -> None:
    """Contributions add up to S exactly, and only passed atoms have any."""
    found = _score(judged)
    if found.score is None:
        return
    worth = explain_plan(judged.plan, judged.verdicts)
    assert sum((item.contribution for item in worth), Fraction(0)) == found.score
    assert all(item.contribution == 0 for item in worth if item.outcome != "passed")


def check_bounds(judged: JudgedTree) -> None:
    """The bounds contain the score, and meet where nothing is skipped."""
    found = _score(judged)
    if found.low is None or found.high is None:
        return
    assert 0 <= found.low <= found.high <= 100
    if found.score is not None:
        assert found.low <= found.score <= found.high
        if not found.counts["skipped"]:
            assert found.low == found.high


def check_skipped_never_pass(judged: JudgedTree) -> None:
    """Skipped atoms are counted, and none is passed, failed or na."""
    found = _score(judged)
    assert sum(found.counts.values()) == len(judged.tree.atoms)
    for atom in judged.tree.atoms:
        word = judged.words.get(atom.id)
        if found.status != "not_run":
            assert (found.outcomes[atom.id] == "skipped") == (word in (None, "skipped"))
            assert (atom.id in found.reasons) == (word in (None, "skipped"))


def check_round_trip(judged: JudgedTree) -> None:
    """A tree survives being written and read."""
    assert parse_tree(json.dumps(dump_tree(judged.tree), allow_nan=False)) == judged.tree


def check_saved_result(judged: JudgedTree) -> None:
    """A saved result passes the na-order check, but for the order that the guard may break."""
    saved = json.loads(json.dumps(_score(judged).to_dict(), allow_nan=False))
    found = verify_na_order([saved], [judged.tree], settings=judged.settings)
    assert all(item.code == "intended_order" for item in found), found


def check_intended_order(judged: JudgedTree) -> None:
    """Stated >= omitted and cited >= stated; holds under the exact guard."""
    plan = judged.plan
    assert not order_violations(plan, outcomes_of(plan, judged.verdicts))


def check_vectorised(judged: JudgedTree, settings: Settings | None = None) -> None:
    """The vectorised scorer has the same state, and the same score to 1e-9."""
    table = VerdictTable.from_lines(
        {"task_id": judged.tree.task_id, "system": "A", "atom_id": atom, "verdict": word}
        for atom, word in judged.words.items()
    )
    grid = score_grid([judged.tree], table, systems=["A"], settings=settings or judged.settings)
    found = score_plan(judged.plan, ReportVerdicts.of(judged.words), "A")
    assert STATES[int(grid.states[0, 0])] == found.status
    value = grid.score(0, 0)
    if found.score is None:
        assert value is None
    else:
        assert value is not None
        assert math.isclose(value, float(found.score), rel_tol=0, abs_tol=1e-9)
