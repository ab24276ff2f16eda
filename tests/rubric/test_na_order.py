"""The na-order check on saved results: every tampering is found."""

from __future__ import annotations

import copy
import json

import pytest

from rubric import parse_tree, score_report, verify_na_order
from rubric.errors import RubricError
from rubric.settings import GuardMode, Settings


def tree(tau):
    def atom(name, direction, facts=()):
        return {
            "id": name,
            "direction": direction,
            "question": "?",
            "expected": "yes",
            "evaluator": "J",
            "fact_ids": list(facts),
        }

    return parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC", "tau": tau}],
            "atoms": [
                *(atom(f"fc{n}", "C-FC", [f"f{n}"]) for n in range(4)),
                *(atom(f"cs{n}", "R-CS", [f"f{n}"]) for n in range(4)),
                atom("ok", "R-CS"),
            ],
        }
    )


WORDS = {"fc0": "yes", "cs0": "yes", "ok": "yes"}


def saved(tau=None, guard=GuardMode.PUBLISHED):
    made = tree(tau)
    words = {atom.id: WORDS.get(atom.id, "no") for atom in made.atoms}
    found = score_report(made, words, system="A", settings=Settings(guard=guard))
    return made, json.loads(json.dumps(found.to_dict()))


@pytest.mark.parametrize("guard", list(GuardMode))
def test_a_right_result_passes(guard):
    """Published and exact results verify; so do missing reports."""
    made, record = saved(guard=guard)
    assert record["na_guard"]["candidates"] == 3
    assert record["na_guard"]["retracted"] > 0
    assert verify_na_order([record], [made]) == ()
    assert verify_na_order([{"task_id": "t", "system": "B", "status": "missing"}], [made]) == ()


def tampered(change):
    made, record = saved()
    change(record)
    return [finding.code for finding in verify_na_order([record], [made])]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda r: r["na_guard"].update(candidates=4), "candidates"),
        (lambda r: r["na_guard"]["candidate_ids"].pop(), "candidates"),
        (lambda r: r["na_guard"]["retracted_ids"].append("cs2"), "retracted"),
        (lambda r: r["na_guard"]["applied_ids"].append("cs1"), "applied"),
        (lambda r: r["na_guard"]["steps"][0].update(delta_c=0.9), "readings"),
        (lambda r: r["na_guard"]["steps"][0].update(delta_r_exact="1/7"), "readings"),
        (lambda r: r["na_guard"]["steps"].pop(), "readings"),
        (lambda r: r.update(score=r["score"] + 1e-9), "score"),
        (lambda r: r.update(score_exact="50"), "score"),
        (lambda r: r["outcomes"].update(cs1="na_guard"), "applied"),
        (lambda r: r["outcomes"].update(fc1="passed"), "score"),
        (lambda r: r["outcomes"].pop("fc1"), "not_readable"),
        (lambda r: r["outcomes"].update(fc1="perhaps"), "not_readable"),
        (lambda r: r["na_guard"].update(mode="none"), "not_readable"),
    ],
)
def test_tampering_is_found(change, code):
    """Counts, ids, order, readings, scores and outcomes are all compared."""
    assert code in tampered(change)


def test_the_order_that_the_guard_broke_is_named():
    """A right result of the published guard may still rank omission above statement."""

    def atom(name, direction, *facts):
        return {
            "id": name,
            "direction": direction,
            "question": "?",
            "expected": "yes",
            "evaluator": "J",
            "fact_ids": list(facts),
        }

    made = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC", "tau": 0.35}],
            "atoms": [
                atom("fc0", "C-FC", "f0"),
                atom("fc1", "C-FC", "f1"),
                atom("fc2", "C-FC", "f2"),
                atom("c0", "R-CS", "f0"),
                atom("c1", "R-CS", "f1"),
            ],
        }
    )
    words = {"fc0": "yes", "fc1": "no", "fc2": "no", "c0": "yes", "c1": "no"}
    (finding,) = [
        item
        for item in verify_na_order([score_report(made, words, system="A").to_dict()], [made])
        if "f1" in item.message
    ]
    assert finding.code == "intended_order"
    assert finding.message == "stating fact f1 would lower the score from 97.0238 to 81.25"


def test_a_result_needs_its_tree():
    """Nothing is verified against the wrong tree."""
    made, record = saved()
    other = copy.deepcopy(record)
    other["task_id"] = "elsewhere"
    with pytest.raises(RubricError, match="no tree"):
        verify_na_order([other], [made])
