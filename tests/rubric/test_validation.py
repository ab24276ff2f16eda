"""The sixteen static checks: each finds what it is for, and says what it lacks."""

from __future__ import annotations

import json

import pytest

from rubric import validate
from rubric.errors import RubricError
from rubric.facts import Fact
from rubric.validation import RULES, Severity


def atom(name="a", direction="C-LC", **more):
    return {
        "id": name,
        "direction": direction,
        "question": f"Does it state {name}?",
        "expected": "yes",
        "evaluator": "J",
        "fact_ids": ["f1"],
        **more,
    }


def package(*atoms, **more):
    return {
        "task_id": "t",
        "language": "en",
        "atoms": list(atoms or (atom(),)),
        "facts": [
            {"fact_id": "f1", "origin": "web", "sources": [{"url": "https://a.org"}]},
            {"fact_id": "f2", "origin": "web", "sources": [{"url": "https://b.org"}]},
        ],
        **more,
    }


def found(data, code, **more):
    """Return ``(severity, subject, message)`` of the findings of one rule."""
    return [
        (item.severity.value, item.subject, item.message)
        for item in validate(data, **more).findings
        if item.code == code
    ]


def statuses(data, **more):
    return {check.code: (check.status, check.lacks) for check in validate(data, **more).checks}


def test_the_sixteen_rules():
    """The names of the paper's checks, stable and in order."""
    assert [rule.code for rule in RULES] == [
        "schema",
        "identifiers",
        "direction_membership",
        "logic_compatibility",
        "evidence_binding",
        "gates",
        "presentation_impact",
        "machine_eligibility",
        "subjective_wording",
        "duplicates",
        "direction_coverage",
        "difficulty_balance",
        "source_concentration",
        "empty_report",
        "direction_boundaries",
        "language_consistency",
    ]
    assert all(rule.check.__doc__ for rule in RULES)


@pytest.mark.parametrize(
    ("data", "code", "expected"),
    [
        (package(atom(question=" ")), "schema", ("error", "atom a", "question: missing")),
        (
            package(atom(expected="maybe")),
            "schema",
            ("error", "atom a", "expected: 'maybe' is not one of yes or no"),
        ),
        (
            package(atom(), atom()),
            "identifiers",
            ("error", "atom a", "id: used 2 times, expected once"),
        ),
        (
            package(atom("a"), atom("A")),
            "identifiers",
            ("warning", "atom A", "id: differs from a by case or space only"),
        ),
        (
            package(atom("a ")),
            "identifiers",
            ("error", "atom 'a '", "id: has space around it or hidden characters"),
        ),
        (
            package(atom(direction="C-LCC")),
            "direction_membership",
            (
                "error",
                "atom a",
                "direction: 'C-LCC' is neither in the tree nor in the inventory "
                "(did you mean C-LC?)",
            ),
        ),
        (
            package(directions=[{"id": "C-LC", "dimension": "citation"}]),
            "direction_membership",
            ("error", "direction C-LC", "dimension: citation, but the inventory has content"),
        ),
        (
            package(directions=[{"id": "C-LC", "logic": "at_least:2"}]),
            "logic_compatibility",
            ("error", "direction C-LC", "logic: at_least:2 needs 2 atoms, but the direction has 1"),
        ),
        (
            package(atom(fact_ids=[])),
            "evidence_binding",
            ("error", "atom a", "fact_ids: empty; a model-judged atom names its facts"),
        ),
        (
            package(atom(fact_ids=["f9"])),
            "evidence_binding",
            ("error", "atom a", "fact_ids: 'f9' is not in the fact library"),
        ),
        (
            package(atom(level="L3")),
            "evidence_binding",
            ("warning", "atom a", "level: L3 is stated, but the evidence gives L1"),
        ),
        (
            package(directions=["C-VF"]),
            "gates",
            (
                "error",
                "direction C-VF",
                "na_reason: missing; a gate has atoms or says why it has none",
            ),
        ),
        (
            package(atom(direction="C-VF"), directions=[{"id": "C-VF", "na_reason": "none"}]),
            "gates",
            ("warning", "direction C-VF", "na_reason: given, but the gate has 1 atoms"),
        ),
        (
            package(atom(direction="P-NAV", evaluator="M", fact_ids=[])),
            "presentation_impact",
            (
                "error",
                "atom a",
                "impact: missing; a machine atom without a fact says what the reader loses",
            ),
        ),
        (
            package(atom(direction="P-IT", evaluator="M")),
            "machine_eligibility",
            ("error", "atom a", "evaluator: M, but P-IT is decided by J"),
        ),
        (
            package(atom(direction="R-CNT")),
            "machine_eligibility",
            ("warning", "atom a", "evaluator: J, but R-CNT is decided by M"),
        ),
        (
            package(atom(question="Is it a good, well-written plan?")),
            "subjective_wording",
            ("warning", "atom a", "question: subjective words: good, well-written"),
        ),
        (
            package(atom(), atom("b", question="does it STATE a")),
            "duplicates",
            ("error", "atom b", "question: the same as that of a"),
        ),
        (
            package(atom(), atom("b", question="Does it state a?", expected="no")),
            "duplicates",
            ("error", "atom b", "question: the same as that of a, and expects the opposite"),
        ),
        (
            package(),
            "direction_coverage",
            ("warning", "direction C-FC", "na_reason: missing; the task has no atom there"),
        ),
        (
            package(),
            "difficulty_balance",
            ("warning", "tree", "100% of the atoms are L1; expected at most 80%"),
        ),
        (
            package(
                atom(fact_ids=["f1", "f2"]),
                facts=[
                    {"fact_id": f"f{n}", "sources": [{"url": f"https://w{n}.a.org"}]}
                    for n in (1, 2)
                ],
            ),
            "source_concentration",
            ("warning", "tree", "100% of the facts have a.org as a source; expected at most 50%"),
        ),
        (
            package(atom(), atom("b", "C-XS", question="Does it state a?")),
            "direction_boundaries",
            ("error", "atom b", "question: the same as that of a in C-LC"),
        ),
        (
            package(atom(question="Is the plan cited?")),
            "direction_boundaries",
            ("warning", "atom a", "question: 'cited' speaks of citation, but C-LC is content"),
        ),
        (
            package(atom(question="它说明了计划吗？")),
            "language_consistency",
            ("warning", "atom a", "question: most of it is not in the script of language 'en'"),
        ),
    ],
)
def test_each_rule_finds_its_fault(data, code, expected):
    """One fault, one finding with its place, and the check ends accordingly."""
    assert expected in found(data, code)
    assert statuses(data)[code][0] == {"error": "failed", "warning": "warned"}[expected[0]]
    assert expected in found(json.dumps(data), code)


def test_words_are_whole():
    """ "clearance" is not "clear"; Chinese words match anywhere."""
    assert found(package(atom(question="Does it state the clearance?")), "subjective_wording") == []
    zh = package(atom(question="计划是否合理？"), language="zh-CN")
    assert found(zh, "subjective_wording") == [
        ("warning", "atom a", "question: subjective words: 合理")
    ]
    assert found(zh, "language_consistency") == []


def test_what_a_check_lacks_is_said():
    """Facts, an empty report, a language: not_run, never passed."""
    data = package(atom(), atom("m", "P-NAV", evaluator="M", fact_ids=[], impact="lost"))
    del data["facts"], data["language"]
    ended = statuses(data)
    assert ended["evidence_binding"] == ("not_run", "a fact library")
    assert ended["source_concentration"] == ("not_run", "a fact library")
    assert ended["empty_report"][0] == "not_run"
    assert ended["language_consistency"][0] == "not_run"
    library = [Fact(fact_id="f1", origin="web", sources=[{"url": "https://a.org"}])]
    assert statuses(data, facts=library)["evidence_binding"] == ("passed", "")


def test_the_empty_report_earns_nothing():
    """A machine atom that passes on a report without content is an error; polarity counts."""
    data = package(
        atom("m", "P-NAV", evaluator="M", impact="lost"),
        atom("n", "P-AS", evaluator="M", impact="lost", expected="no"),
    )
    assert found(data, "empty_report", empty_report={"m": "yes", "n": "yes"}) == [
        ("error", "atom m", "earns its point on a report without content")
    ]
    assert found(data, "empty_report", empty_report={"m": "no", "n": "no"}) == [
        ("error", "atom n", "earns its point on a report without content")
    ]
    ended = statuses(data, empty_report={"m": "no"})["empty_report"]
    assert ended == ("not_run", "a machine verdict on the empty report for n")


def test_warnings_need_acceptance_and_errors_cannot_have_it():
    """--accept CODE; an unknown code is refused."""
    data = package(atom(), atom("b", fact_ids=["f2", "f1"]))
    first = validate(data)
    codes = {item.code for item in first.findings}
    assert not first.valid
    assert {item.severity for item in first.findings} == {Severity.WARNING}
    accepted = validate(data, accept=codes)
    assert accepted.valid
    assert {check.status for check in accepted.checks if check.code in codes} == {"accepted"}
    broken = package(atom(question=""))
    assert not validate(broken, accept={rule.code for rule in RULES}).valid
    with pytest.raises(RubricError, match="did you mean duplicates"):
        validate(data, accept={"duplicate"})


def test_an_unreadable_package_is_reported_whole():
    """All field problems, and the other checks say that they did not run."""
    result = validate({"task_id": "t", "atoms": [{"id": "a"}, {"id": "a"}]}, file="t.json")
    assert not result.valid
    assert {item.code for item in result.findings} == {"schema", "identifiers"}
    assert len(result.findings) == 4
    assert [check.status for check in result.checks].count("not_run") == 14
    json.dumps(result.to_dict())
