"""Stated and cited >= stated >= omitted: five ways to break it, each by its smallest tree.

All trees have the default weights 0.5 / 0.3 / 0.2 and no presentation atom, so that content has
5/8 of the score and citation 3/8. One fact ``f`` is omitted; the report that states it passes its
coverage atom and leaves its citation atoms failed.
"""

from __future__ import annotations

import itertools
from fractions import Fraction as F

import pytest

from rubric.aggregate import aggregate, count_atoms, present_dimensions
from rubric.guard import guard
from rubric.na_order import order_violations
from rubric.plan import make_plan
from rubric.score import outcomes_of, score_outcomes, score_plan
from rubric.settings import GuardMode, Settings
from rubric.tree_reader import parse_tree
from rubric.verdicts import ReportVerdicts


def build(coverage, passed, tau, citations, mode=GuardMode.PUBLISHED):
    """Return (plan, outcomes): ``coverage`` C-FC atoms, the last on the omitted fact ``f``.

    ``citations`` holds (direction, role, atoms, passed, candidates); candidates are failed and
    bound to ``f``, the other failed ones to nothing.
    """
    directions = [{"id": "C-FC", "tau": tau, "kappa": None}]
    atoms, words = [], {}

    def atom(name, direction, yes, facts=()):
        atoms.append(
            {
                "id": name,
                "direction": direction,
                "question": "?",
                "expected": "yes",
                "evaluator": "J",
                "fact_ids": list(facts),
            }
        )
        words[name] = "yes" if yes else "no"

    for place in range(coverage):
        atom(f"fc{place}", "C-FC", place < passed, ["f"] if place == coverage - 1 else [])
    for name, role, many, good, bound in citations:
        directions.append({"id": name, "role": role, "logic": "all"})
        for place in range(many):
            atom(f"{name}{place}", name, place < good, ["f"] if place >= many - bound else [])
    tree = parse_tree({"task_id": "t", "directions": directions, "atoms": atoms})
    plan = make_plan(tree, Settings(guard=mode))
    return plan, outcomes_of(plan, ReportVerdicts.of(words))


def scores(plan, outcomes):
    """Return S of the report that omits ``f`` and of the one that states it, under the guard."""
    stated = list(outcomes)
    for place, atom in enumerate(plan.tree.atoms):
        if atom.direction == "C-FC" and atom.fact_ids:
            stated[place] = 0
    return score_outcomes(plan, outcomes), score_outcomes(plan, stated)


WAYS = {
    # way: (arguments of build, S when omitted, S when stated)
    "b: saturation rounds the content gain": (
        (3, 1, 0.35, [("R-CS", "core", 2, 1, 1)]),
        F(8150, 84),
        F(325, 4),
    ),
    "c: a citation direction is emptied, which the estimate leaves out": (
        (4, 0, None, [("R-CS", "core", 1, 0, 1), ("R-AU", "core", 1, 1, 0)]),
        F(75, 2),
        F(275, 8),
    ),
    "d: a failed citation gate recovers, which the estimate does not see": (
        (2, 1, None, [("R-CLO", "gate", 2, 1, 1)]),
        F(275, 4),
        F(125, 2),
    ),
    "e: weight shifts away from a direction with r_j = 0": (
        (6, 0, None, [("R-CS", "core", 4, 0, 3), ("R-AU", "core", 1, 1, 0)]),
        F(75, 4),
        F(215, 12),
    ),
}
SIZES = {"b": 5, "c": 6, "d": 4, "e": 11}


@pytest.mark.parametrize("way", list(WAYS))
def test_the_published_guard_ranks_omitted_above_stated(way):
    """Each way, with its smallest tree and its exact scores."""
    arguments, omitted, stated = WAYS[way]
    plan, outcomes = build(*arguments)
    assert len(plan.tree.atoms) == SIZES[way[0]]
    assert scores(plan, outcomes) == (omitted, stated)
    assert omitted > stated
    assert [item.kind for item in order_violations(plan, outcomes)] == ["stated"]


@pytest.mark.parametrize("way", list(WAYS))
def test_the_exact_guard_does_not(way):
    """The same trees under the exact guard."""
    plan, outcomes = build(*WAYS[way][0], mode=GuardMode.EXACT)
    omitted, stated = scores(plan, outcomes)
    assert omitted <= stated
    assert order_violations(plan, outcomes) == ()


def test_way_a_the_citation_dimension_is_emptied():
    """(a) 4 atoms: only the rule that an emptied dimension keeps its weight prevents it.

    Were lambda of the emptied citation dimension given to content, the report that omits the fact
    would have 66.7 and the one that states it 62.5. With D = 0 kept it has 41.7.
    """
    plan, outcomes = build(3, 2, None, [("R-CS", "core", 1, 0, 1)])
    assert len(plan.tree.atoms) == 4
    _, removed = guard(plan, outcomes)
    assert len(removed) == 1
    after = count_atoms(plan, outcomes, removed)
    given_away = aggregate(plan, after, present_dimensions(plan, after)).score
    omitted, stated = scores(plan, outcomes)
    assert (given_away, stated, omitted) == (F(200, 3), F(125, 2), F(125, 3))
    found = score_plan(
        plan, ReportVerdicts.of({"fc0": "yes", "fc1": "yes", "fc2": "no", "R-CS0": "no"}), "A"
    )
    assert "dimension_emptied" in found.flags
    assert found.dimensions["citation"] == 0
    assert found.lambdas["citation"] == F(3, 8)
    assert order_violations(plan, outcomes) == ()


def way_of(tau, citations, passed, coverage):
    """Name the way in which a tree of :func:`build` could break the order.

    Saturation that rounds the content gain comes before (c) and (e): these are the ways that
    break the order even where every content point counts.
    """
    gated = any(role == "gate" and bound for _, role, _, _, bound in citations)
    touched = [(many, good, bound) for _, _, many, good, bound in citations if bound]
    if gated:
        return "d"
    if all(many == bound for _, _, many, _, bound in citations):
        return "a"
    if tau is not None and F(passed + 1, coverage) > F(str(tau)):
        return "b"
    if any(many == bound for many, _, bound in touched):
        return "c"
    return "e" if any(good == 0 for _, good, _ in touched) else "none"


def shapes(most):
    """Yield the arguments of :func:`build` for all trees with at most ``most`` atoms."""
    single = [
        (many, good, bound)
        for many in range(1, most)
        for good in range(many)
        for bound in range(1, many - good + 1)
    ]
    for coverage, tau, (many, good, bound), role in itertools.product(
        range(1, most), (None, 0.35), single, ("core", "gate")
    ):
        for other in range(most):
            if coverage + many + other > most:
                continue
            for passed in range(coverage):
                citations = [("R-CLO" if role == "gate" else "R-CS", role, many, good, bound)]
                if not other:
                    yield coverage, passed, tau, citations
                for good_other in range(other + 1) if other else ():
                    yield (
                        coverage,
                        passed,
                        tau,
                        [*citations, ("R-AU", "core", other, good_other, 0)],
                    )


@pytest.mark.slow
def test_no_smaller_tree_breaks_the_order():
    """Every tree of this family with up to 8 atoms: the least size of each way is as stated.

    The family has one omitted fact, tau of none or 0.35, one citation direction with candidates
    and at most one other. Way (e) needs 11 atoms, so none of its trees may break the order here.
    """
    least = {}
    for arguments in shapes(8):
        coverage, passed, tau, citations = arguments
        plan, outcomes = build(*arguments)
        omitted, stated = scores(plan, outcomes)
        if omitted > stated:
            way = way_of(tau, citations, passed, coverage)
            size = len(outcomes)
            least[way] = min(size, least.get(way, size))
            exact, exact_outcomes = build(*arguments, mode=GuardMode.EXACT)
            assert order_violations(exact, exact_outcomes) == (), arguments
    assert least == {"b": 5, "c": 6, "d": 4}


def test_way_e_needs_eleven_atoms():
    """No tree of the family with up to 10 atoms breaks the order by way (e)."""
    tried = 0
    for arguments in shapes(10):
        coverage, passed, tau, citations = arguments
        if (
            tau is None
            and citations[0][1] == "core"
            and citations[0][3] == 0
            and way_of(tau, citations, passed, coverage) == "e"
        ):
            omitted, stated = scores(*build(*arguments))
            assert omitted <= stated, arguments
            tried += 1
    assert tried > 100


@pytest.mark.parametrize(
    ("mode", "broken"), [(GuardMode.PUBLISHED, True), (GuardMode.EXACT, False)]
)
def test_citing_a_stated_fact_can_cost_under_the_published_guard(mode, broken):
    """Cited >= stated fails too, more rarely: 3 of 107,835 random trees, this one among them.

    Citing f1 passes an atom of a failed gate. It scores nothing, but r_j is no longer 0, so the
    guard now sees a citation gain and takes its removals back: 28.125 becomes 25. Found by
    search; not claimed to be the smallest.
    """

    def atom(name, direction, facts, expected="yes"):
        return {
            "id": name,
            "direction": direction,
            "question": "?",
            "expected": expected,
            "evaluator": "J",
            "fact_ids": facts,
        }

    tree = parse_tree(
        {
            "task_id": "t",
            "directions": [
                {"id": "R-CS"},
                {"id": "C-FC", "role": "gate", "logic": "at_least:1", "tau": None, "kappa": None},
                {"id": "C-CA", "tau": 0.75, "kappa": 1},
                {"id": "C-VF", "role": "gate", "logic": "at_least:2", "tau": 0.35, "kappa": 1},
                {"id": "R-CLO", "role": "gate", "logic": "majority", "kappa": 2},
            ],
            "atoms": [
                atom("fc0", "C-FC", ["f0", "f2"]),
                atom("fc1", "C-FC", ["f1"]),
                atom("vf0", "C-VF", ["f1"], "no"),
                atom("vf1", "C-VF", [], "no"),
                atom("ca0", "C-CA", [], "no"),
                atom("cs0", "R-CS", [], "no"),
                atom("cs1", "R-CS", ["f2", "f3"]),
                atom("cs2", "R-CS", ["f0"]),
                atom("cc0", "R-CLO", ["f3"]),
                atom("cc1", "R-CLO", ["f2"]),
                atom("cc2", "R-CLO", ["f1", "f3"]),
            ],
        }
    )
    plan = make_plan(tree, Settings(guard=mode))
    outcomes = outcomes_of(
        plan,
        ReportVerdicts.of(
            {item.id: "yes" if item.id in ("fc1", "vf0", "ca0") else "no" for item in tree.atoms}
        ),
    )
    found = [item for item in order_violations(plan, outcomes) if item.kind == "cited"]
    assert bool(found) is broken
    if broken:
        assert [(item.fact_id, item.score, item.better) for item in found] == [
            ("f1", F(225, 8), F(25))
        ]
