"""Scores to the last digit: the worked example, named states, and corners of the semantics."""

from __future__ import annotations

import json
from fractions import Fraction as F

import pytest

from rubric import bounds, explain, score_report, score_reports
from rubric.errors import RubricError
from rubric.settings import GuardMode, Overrides, Settings
from rubric.tree_reader import parse_tree
from rubric.vectorised import score_grid
from rubric.verdicts import VerdictTable


def atom(name, direction, facts=(), expected="yes", evaluator="J"):
    return {
        "id": name,
        "direction": direction,
        "question": f"{name}?",
        "expected": expected,
        "evaluator": evaluator,
        "fact_ids": list(facts),
        "impact": "it matters",
    }


def worked_example():
    """Section 4 of the semantics."""
    return parse_tree(
        {
            "task_id": "t1",
            "weights": {"content": 0.5, "citation": 0.3, "presentation": 0.2},
            "directions": [
                {"id": "C-FC", "tau": 0.4, "kappa": 4},
                {"id": "C-VF", "role": "core"},
                "R-CS",
                {"id": "R-CLO", "role": "gate", "logic": "all"},
                "P-NAV",
            ],
            "atoms": [
                *(atom(f"fc{n}", "C-FC", [f"f{n}"]) for n in range(1, 11)),
                atom("vf1", "C-VF", ["f1"]),
                atom("vf2", "C-VF", ["f2"], "no"),
                *(atom(f"cs{n}", "R-CS", [f"f{n}"]) for n in range(1, 5)),
                atom("cc1", "R-CLO"),
                atom("cc2", "R-CLO"),
                atom("nav1", "P-NAV"),
                atom("nav2", "P-NAV"),
            ],
        }
    )


def said(tree, *yes):
    return {item.id: "yes" if item.id in yes else "no" for item in tree.atoms}


BASE = ("fc1", "fc2", "vf1", "cs1", "cc1", "cc2", "nav1")


def test_worked_example():
    """vf2 expects no and gets it: D = 2/3, 3/4, 1/2 and S = 395/6."""
    tree = worked_example()
    found = score_report(tree, said(tree, *BASE))
    assert found.score == F(395, 6)
    assert tuple(found.dimensions.values()) == (F(2, 3), F(3, 4), F(1, 2))
    assert found.na_guard.candidates == found.na_guard.applied == ("cs3", "cs4")
    (step,) = found.na_guard.steps
    assert (step.delta_c, step.delta_r) == (F(1, 12), F(1, 20))
    assert found.to_dict()["score"] == 65.83333333333333
    assert found.to_dict()["directions"]["R-CS"] == {
        "n": 2,
        "passed": 1,
        "rate": 0.5,
        "credited": 0.5,
        "weight": 2,
        "gate": 1,
        "status": "failed",
    }
    assert found.flags == ()


def test_worked_example_with_a_failed_gate():
    """A failed gate zeroes its own direction only: S = 305/6."""
    tree = worked_example()
    found = score_report(tree, said(tree, *(name for name in BASE if name != "cc2")))
    assert found.score == F(305, 6)
    assert found.directions["R-CLO"].gate == 0
    assert found.directions["R-CLO"].rate == F(1, 2)
    assert found.directions["R-CS"].gate == 1


def test_worked_example_stated_but_uncited():
    """Facts f3 and f4 stated, still uncited: no candidates, S = 75."""
    tree = worked_example()
    found = score_report(tree, said(tree, *BASE, "fc3", "fc4"))
    assert found.score == 75
    assert found.na_guard.candidates == ()


def test_saturation_example():
    """97.02 for the omitting report, 81.25 for the one that states without citation."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC", "tau": 0.35}],
            "atoms": [
                *(atom(f"fc{n}", "C-FC", [f"f{n}"]) for n in range(3)),
                atom("c0", "R-CS", ["f0"]),
                atom("c1", "R-CS", ["f1"]),
            ],
        }
    )
    omitted = score_report(tree, said(tree, "fc0", "c0"))
    stated = score_report(tree, said(tree, "fc0", "fc1", "c0"))
    assert (omitted.score, stated.score) == (F(8150, 84), F(325, 4))
    assert round(float(omitted.score), 2) == 97.02
    exact = Settings(guard=GuardMode.EXACT)
    assert score_report(tree, said(tree, "fc0", "c0"), settings=exact).score == F(6575, 84)


def small(**more):
    return parse_tree(
        {
            "task_id": "t",
            "atoms": [atom("a", "C-LC"), atom("b", "C-LC"), atom("c", "R-AU"), atom("d", "P-NAV")],
            **more,
        }
    )


def test_a_missing_dimension_gives_its_weight_to_the_others():
    """na everywhere in presentation: 0.5 and 0.3 become 5/8 and 3/8."""
    found = score_report(small(), {"a": "yes", "b": "no", "c": "yes", "d": "na"})
    assert found.score == 100 * (F(5, 8) / 2 + F(3, 8))
    assert found.flags == ("dimension_missing",)
    assert found.dimensions["presentation"] is None
    assert found.to_dict()["dimensions"]["presentation"] is None


def test_named_states():
    """unscored, not_run, missing and no_weight are never a silent zero."""
    table = VerdictTable.from_lines(
        [
            {"task_id": "t", "system": "A", "atom_id": "a", "verdict": "skipped"},
            {"task_id": "t", "system": "B", "report": "missing"},
            {"task_id": "t", "system": "C", "report": "readable"},
            {"task_id": "u", "system": "D", "atom_id": "a", "verdict": "yes"},
            {"task_id": "t", "system": "E", "report": "skeleton"},
            {"task_id": "t", "system": "F", "atom_id": "d", "verdict": "yes"},
        ]
    )
    weights = {"content": 1, "citation": 1, "presentation": 0}
    other = parse_tree({"task_id": "u", "atoms": [atom("a", "C-LC")]})
    found = {
        item.system: item
        for item in score_reports([small(weights=weights), other], table)
        if item.task_id == "t"
    }
    assert {name: item.status for name, item in found.items()} == {
        "A": "unscored",
        "B": "missing",
        "C": "unscored",
        "D": "not_run",
        "E": "missing",
        "F": "no_weight",
    }
    assert found["B"].score == found["E"].score == 0
    assert [found[name].score for name in "ACDF"] == [None] * 4
    assert found["B"].flags == ("missing",)
    assert found["E"].flags == ("missing", "skeleton")
    assert found["D"].flags == ("not_run",)
    assert "no_weight" in found["F"].flags
    assert found["D"].low is None
    assert (found["A"].low, found["A"].high) == (0, 100)
    assert (found["B"].low, found["B"].high) == (0, 0)
    json.dumps([item.to_dict() for item in found.values()], allow_nan=False)


def test_verdicts_of_a_missing_report_do_not_score():
    """A report that is missing has 0, whatever lines say, and a flag tells."""
    table = VerdictTable.from_lines(
        [
            {"task_id": "t", "system": "A", "report": "unreadable"},
            {"task_id": "t", "system": "A", "atom_id": "a", "verdict": "yes"},
        ]
    )
    found = score_report(small(), table)
    assert (found.status, found.score) == ("missing", 0)
    assert found.flags == ("missing", "unreadable", "verdicts_of_failed_report")


def test_verdicts_of_an_unknown_task_are_an_error():
    """A verdict without a tree is named, not dropped."""
    table = VerdictTable.from_lines(
        [{"task_id": "nowhere", "system": "A", "atom_id": "a", "verdict": "yes"}]
    )
    with pytest.raises(RubricError, match="task nowhere: no tree has this task_id"):
        score_reports([small()], table)


@pytest.mark.parametrize(
    ("logic", "passed", "gate"),
    [
        ("all", 1, 0),
        ("all", 2, 1),
        ("any", 0, 0),
        ("any", 1, 1),
        ("majority", 1, 0),
        ("majority", 2, 1),
        ("at_least:2", 1, 0),
        ("at_least:2", 2, 1),
    ],
)
def test_gate_logic(logic, passed, gate):
    """An even split is no majority, and at_least counts passed atoms."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-VF", "role": "gate", "logic": logic}],
            "atoms": [atom("a", "C-VF"), atom("b", "C-VF")],
        }
    )
    found = score_report(tree, said(tree, *"ab"[:passed]))
    assert found.directions["C-VF"].gate == gate
    assert found.score == 100 * gate * F(passed, 2)


def test_a_gate_without_a_scored_atom_has_no_weight():
    """Nothing scored: not_scored, and the rest of the dimension stands."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-VF"}],
            "atoms": [atom("a", "C-VF"), atom("b", "C-LC")],
        }
    )
    found = score_report(tree, {"a": "skipped", "b": "yes"})
    assert found.score == 100
    assert found.directions["C-VF"].status == "not_scored"
    assert (found.directions["C-VF"].gate, found.directions["C-VF"].weight) == (1, 0)


def test_a_gate_emptied_by_the_guard_is_not_scored():
    """Candidates in gates count too; the gate then neither fails nor weighs."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC", "tau": None}],
            "atoms": [atom("fc", "C-FC", ["f"]), atom("cc", "R-CLO", ["f"]), atom("au", "R-AU")],
        }
    )
    found = score_report(tree, said(tree, "au"))
    assert found.na_guard.applied == ("cc",)
    assert found.directions["R-CLO"].status == "not_scored"
    assert found.outcomes["cc"] == "na_guard"
    assert found.dimensions["citation"] == 1


def test_candidates_need_every_linked_check_failed():
    """One omitted and one stated fact: none; one omitted and one unscored: a candidate."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC", "tau": None}],
            "atoms": [
                atom("fc1", "C-FC", ["f1"]),
                atom("fc2", "C-FC", ["f2"]),
                atom("neg", "C-FC", ["f1"], "no"),
                atom("cs", "R-CS", ["f1", "f2"]),
                atom("ok", "R-CS"),
                atom("minus", "R-CS", ["f1"], "no"),
            ],
        }
    )
    words = {"fc1": "no", "fc2": "yes", "neg": "no", "cs": "no", "ok": "yes", "minus": "yes"}
    assert score_report(tree, words).na_guard.candidates == ("minus",)
    words["fc2"] = "skipped"
    assert score_report(tree, words).na_guard.candidates == ("cs", "minus")
    words["fc1"] = "na"
    assert score_report(tree, words).na_guard.candidates == ()


def test_restoration_order_is_by_code_point():
    """The fact with most candidates, smallest id on a tie; then the atom id that sorts last."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC", "tau": 0.35}],
            "atoms": [
                *(atom(f"fc{n}", "C-FC", [name]) for n, name in enumerate(("f10", "f2", "F"))),
                *(atom(name, "C-FC") for name in ("p", "q")),
                atom("z", "R-CS", ["f2"]),
                atom("É", "R-CS", ["f2"]),
                atom("a10", "R-CS", ["f10"]),
                atom("a9", "R-CS", ["f10"]),
                atom("Z", "R-CS", ["F"]),
                atom("ok", "R-CS"),
            ],
        }
    )
    found = score_report(tree, said(tree, "p", "q", "ok"))
    assert found.na_guard.retracted == ("a9", "É", "Z", "a10", "z")
    assert [step.delta_c for step in found.na_guard.steps] == [0] * 5


@pytest.mark.parametrize("unit", ["0.1", "0.3", "0.7", "0.9", "1.1", "2.3"])
@pytest.mark.parametrize("ratio", [1, 2, 3, 5, 7])
def test_an_exact_tie_retracts(unit, ratio):
    """delta_C > delta_R is strict, and decided on rationals: a tie restores the candidate.

    lambda_C is ``ratio`` times lambda_R, and there are 6 * ratio coverage atoms, so that both
    sides are lambda_R / 6 whatever the literals are.
    """
    weights = {"content": str(F(unit) * ratio), "citation": unit, "presentation": "0"}
    tree = parse_tree(
        {
            "task_id": "t",
            "weights": weights,
            "directions": [{"id": "C-FC", "tau": None, "kappa": None}],
            "atoms": [
                *(atom(f"fc{n}", "C-FC", [f"f{n}"]) for n in range(6 * ratio)),
                atom("c1", "R-CS", ["f5"]),
                atom("ok", "R-CS"),
                atom("bad", "R-CS"),
            ],
        }
    )
    words = said(tree, "fc0", "ok")
    found = score_report(tree, words)
    (step,) = found.na_guard.steps
    assert step.delta_c == step.delta_r == F(1, 1 + ratio) / 6
    assert found.na_guard.retracted == ("c1",)
    table = VerdictTable.from_lines(
        {"task_id": "t", "system": "A", "atom_id": name, "verdict": word}
        for name, word in words.items()
    )
    assert score_grid([tree], table).score(0, 0) == pytest.approx(float(found.score), abs=1e-9)


def test_weights_are_taken_before_removal():
    """w-hat, n and r of equation 5 are those before any removal, caps included."""
    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [{"id": "C-FC", "tau": None}, {"id": "R-CS", "kappa": 2}],
            "atoms": [
                atom("fc", "C-FC", ["f"]),
                atom("fd", "C-FC"),
                *(atom(f"cs{n}", "R-CS", ["f"]) for n in range(2)),
                atom("ok", "R-CS"),
                atom("au", "R-AU"),
            ],
        }
    )
    found = score_report(tree, said(tree, "ok", "au"))
    step = found.na_guard.steps[0]
    assert step.delta_r == F("0.3") * F(2, 3) * F(1, 3) * F(2, 1)
    assert step.delta_c == F("0.5") / 2


def test_precedence():
    """Override > direction in the tree > tree > settings > default; null switches off."""

    def rate(direction=None, tree=None, settings=None, overrides=None):
        data = {"task_id": "t", "atoms": [atom(f"a{n}", "C-FC") for n in range(10)]}
        if direction is not None:
            data["directions"] = [{"id": "C-FC", **direction}]
        if tree is not None:
            data["tau"] = tree
        made = parse_tree(data)
        found = score_report(made, said(made, "a0"), settings=settings, overrides=overrides)
        return found.directions["C-FC"].credited

    half = Settings(tau={"*": "0.5"})
    assert rate() == F(1, 10) / F("0.35")
    assert rate(settings=half) == F(1, 5)
    assert rate(settings=half, tree={"C-FC": 0.25}) == F(2, 5)
    assert rate(settings=half, tree={"*": 0.25}, direction={"tau": 0.2}) == F(1, 2)
    assert rate(direction={"tau": None}) == F(1, 10)
    assert rate(direction={"tau": 0.2}, overrides=Overrides(tau={"C-FC": "0.1"})) == 1
    assert rate(direction={"tau": None}, overrides=Overrides(tau={"*": "0.1"})) == 1
    with pytest.raises(RubricError, match=r"C-XX: tau: no tree has this direction"):
        rate(overrides=Overrides(tau={"C-XX": "0.1"}))
    with pytest.raises(RubricError, match="only a content direction"):
        score_report(small(), {}, overrides=Overrides(tau={"R-AU": "0.1"}))


def test_bounds_rerun_the_guard():
    """A skipped coverage atom that would fail makes candidates: low can be above the score."""
    tree = worked_example()
    words = said(tree, *BASE)
    words["cs2"] = words["nav2"] = "skipped"
    found = score_report(tree, words)
    failed = score_report(tree, {**words, "cs2": "no", "nav2": "no"}).score
    passed = score_report(tree, {**words, "cs2": "yes", "nav2": "yes"}).score
    assert (found.low, found.high) == (min(found.score, failed), max(found.score, passed))
    assert bounds(tree, words) == (found.low, found.high)
    assert found.counts == {"yes": 7, "no": 11, "na": 0, "skipped": 2}


def test_explanation_of_the_worked_example():
    """fc1 is worth 100 * 1/2 * 4/6 / 2; stating fc3 keeps cs3, so it can cost."""
    tree = worked_example()
    words = said(tree, *BASE)
    worth = {item.atom_id: item for item in explain(tree, words)}
    assert worth["fc1"].contribution == 100 * F(1, 2) * F(4, 6) * F(1, 2) / 2
    assert sum(item.contribution for item in worth.values()) == F(395, 6)
    assert worth["cs3"].outcome == "na_guard"
    for name in words:
        flipped = {**words, name: "no" if words[name] == "yes" else "yes"}
        assert worth[name].gain == score_report(tree, flipped).score - F(395, 6)
    with pytest.raises(RubricError, match="missing"):
        explain(
            tree, VerdictTable.from_lines([{"task_id": "t1", "system": "A", "report": "missing"}])
        )


def test_a_table_of_several_systems_needs_a_name():
    """No system is chosen silently."""
    table = VerdictTable.from_lines(
        [{"task_id": "t", "system": name, "atom_id": "a", "verdict": "yes"} for name in "AB"]
    )
    with pytest.raises(RubricError, match="2 systems"):
        score_report(small(), table)
    assert score_report(small(), table, system="B").system == "B"


def test_extra_and_absent_verdicts_are_reported():
    """An atom that the tree does not have is named; an atom without a line is 'not run'."""
    found = score_report(small(), {"a": "yes", "A": "yes", "b ": "yes", "c": "N/A"})
    assert found.extra == ("A", "b ")
    assert "extra_verdicts" in found.flags
    assert found.reasons == {"b": "not run", "c": "unknown word 'N/A'", "d": "not run"}
    assert found.score == 100
    assert (found.low, found.high) == (25, 100)
