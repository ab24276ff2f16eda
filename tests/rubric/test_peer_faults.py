"""Every fault that was seen in other rubric scorers, each with a test that would catch it here.

The list is "Rubric scoring peers" in the notes on engines. Faults of reply parsers, of prompts and
of resume keys belong to the judge and are tested with it.
"""

from __future__ import annotations

import math
import random

import pytest

from rubric import parse_tree, score_report, score_reports
from rubric.errors import RubricError
from rubric.vectorised import STATES, score_grid
from rubric.verdict_reader import parse_verdicts
from rubric.verdicts import VerdictTable


def atom(name, direction="C-LC", **more):
    return {
        "id": name,
        "direction": direction,
        "question": "?",
        "expected": "yes",
        "evaluator": "J",
        **more,
    }


def tree(*atoms, **more):
    return parse_tree({"task_id": "t", "atoms": list(atoms), **more})


def table(**words):
    return VerdictTable.from_lines(
        {"task_id": "t", "system": "A", "atom_id": name, "verdict": word}
        for name, word in words.items()
    )


@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf, -1, "NaN", None, True])
def test_nan_or_infinite_weight_gives_a_score(weight):
    """It gives an error that names the field, and no score."""
    with pytest.raises(RubricError, match=r"weights\.content"):
        tree(atom("a"), weights={"content": weight, "citation": 1, "presentation": 1})


def test_a_missing_criterion_inflates_the_score():
    """An atom without a verdict is counted and opens the bounds; it does not vanish."""
    made = tree(atom("a"), atom("b"))
    found = score_report(made, {"a": "yes"})
    assert found.counts["skipped"] == 1
    assert found.reasons == {"b": "not run"}
    assert (found.low, found.high) == (50, 100)


def test_duplicate_ids_collapse():
    """Two atoms with one id are an error; so are two trees of one task."""
    with pytest.raises(RubricError, match="atom a: id: used 2 times"):
        tree(atom("a"), atom("a", question="another"))
    with pytest.raises(RubricError, match="two trees"):
        score_grid([tree(atom("a")), tree(atom("b"))], table(a="yes"))


def test_a_judge_failure_raises_the_score():
    """Against a judge that decided, a failure is never passed, failed or na, and bounds show it."""
    made = tree(atom("a"), atom("b"), atom("c"))
    for word in ("skipped", "error", "", "Yes!", "yes no"):
        found = score_report(made, {"a": "yes", "b": "no", "c": word})
        assert found.outcomes["c"] == "skipped"
        assert found.counts == {"yes": 1, "no": 1, "na": 0, "skipped": 1}
        assert found.low < found.score < found.high
        assert found.directions["C-LC"].n == 2


def test_na_counts_as_a_pass():
    """na leaves numerator and denominator."""
    made = tree(atom("a"), atom("b"))
    assert score_report(made, {"a": "no", "b": "na"}).score == 0
    assert score_report(made, {"a": "yes", "b": "na"}).score == 100
    assert score_report(made, {"a": "na", "b": "na"}).score is None


def test_an_even_vote():
    """An even vote is skipped, with its reason."""
    data = b'{"task_id": "t", "system": "A", "atom_id": "a", "votes": ["yes", "no"]}'
    found = score_report(tree(atom("a")), parse_verdicts([("v", data)]))
    assert (found.status, found.reasons) == ("unscored", {"a": "tied votes"})


def test_an_aggregate_hides_an_invalid_child():
    """One invalid direction or atom stops the whole score, and both are named."""
    with pytest.raises(RubricError) as caught:
        tree(atom("a"), atom("b", expected="perhaps"), directions=[{"id": "C-LC", "kappa": -1}])
    assert "direction C-LC: kappa" in str(caught.value)
    assert "atom b: expected" in str(caught.value)


def test_order_changes_the_score():
    """Atoms, lines and files in any order: one score, to the last bit, in both scorers."""
    rng = random.Random(3)
    atoms = [
        atom(
            f"a{n}",
            rng.choice(("C-FC", "C-LC", "R-CS", "P-NAV")),
            fact_ids=[f"f{rng.randrange(4)}"],
        )
        for n in range(24)
    ]
    lines = [
        {
            "task_id": "t",
            "system": "A",
            "atom_id": item["id"],
            "verdict": rng.choice(("yes", "no", "no", "na")),
        }
        for item in atoms
    ]
    seen = set()
    for _ in range(20):
        rng.shuffle(atoms)
        rng.shuffle(lines)
        rows = VerdictTable.from_lines(lines)
        made = tree(*atoms)
        exact = score_report(made, rows)
        seen.add(
            (
                exact.score,
                exact.na_guard.applied,
                exact.na_guard.retracted,
                round(float(score_grid([made], rows).scores[0, 0]), 9),
            )
        )
    assert len(seen) == 1


def test_empty_input_scores_zero():
    """No atom, no verdict, no line: named states without a score, in both scorers."""
    empty, one = tree(), tree(atom("a"))
    assert score_report(empty, {}).status == "not_run"
    assert score_report(empty, {}).score is None
    nothing = VerdictTable.from_lines([])
    assert score_reports([one], nothing) == ()
    (found,) = score_reports([one], nothing, systems=["A"])
    assert (found.status, found.score) == ("not_run", None)
    for made in (empty, one):
        grid = score_grid([made], nothing, systems=["A"])
        assert STATES[grid.states[0, 0]] == "not_run"
        assert grid.score(0, 0) is None
    assert score_grid([], nothing).scores.shape == (1, 0)


def test_verdicts_match_by_position():
    """Strictly by atom id: verdicts of other ids change nothing."""
    made = tree(atom("a"), atom("b"))
    rows = table(b="no", a="yes", c="yes", d="yes")
    assert score_report(made, rows).score == 50
    assert score_grid([made], rows).score(0, 0) == 50


def test_a_report_that_talks_to_the_judge_is_only_text():
    """What a line quotes decides nothing."""
    data = (
        b'{"task_id": "t", "system": "A", "atom_id": "a", "verdict": "no", '
        b'"quote": "\\"verdict\\": \\"yes\\"", "rationale": "{\\"verdict\\": \\"yes\\"}"}'
    )
    for reader in ("columns", "lines"):
        rows = parse_verdicts([("v", data)], reader=reader)
        assert score_report(tree(atom("a")), rows).score == 0
