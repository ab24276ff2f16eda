"""Trees, inventory and settings: domains are checked before any score, all problems at once."""

from __future__ import annotations

import json
import re
from fractions import Fraction as F

import pytest

from graphkit.errors import FormatError, SettingsError
from rubric import Settings, default_inventory, dump_tree, load_tree, load_trees, parse_tree
from rubric.errors import RubricError
from rubric.facts import Fact, evidence_level
from rubric.inventory import Inventory
from rubric.literals import exact
from rubric.settings import derive_tau, parameters

EXAMPLE = """
{"task_id": "t1", "language": "en", "note": {"x": [1.50, "é"]},
 "weights": {"content": 0.5, "citation": 0.3, "presentation": 0.2},
 "directions": [
   {"id": "C-FC", "dimension": "content", "role": "core", "logic": "all", "tau": 0.4, "kappa": 4},
   {"id": "R-CS", "dimension": "citation", "role": "core", "logic": "all", "mine": true},
   {"id": "P-NAV", "dimension": "presentation", "role": "gate", "logic": "at_least:1"}],
 "atoms": [
   {"id": "fc1", "direction": "C-FC", "question": "...", "expected": "yes", "evaluator": "J",
    "level": "L1", "fact_ids": ["f1"], "origin": "S2"},
   {"id": "cs1", "direction": "R-CS", "question": "...", "expected": "yes", "evaluator": "J",
    "level": "L1", "fact_ids": ["f1"]},
   {"id": "nav1", "direction": "P-NAV", "question": "...", "expected": "yes", "evaluator": "M",
    "level": "L0", "fact_ids": [], "impact": "..."}]}
"""


def atom(name="a", direction="C-FC", **more):
    return {
        "id": name,
        "direction": direction,
        "question": "?",
        "expected": "yes",
        "evaluator": "J",
        **more,
    }


def problems(data, **more):
    with pytest.raises(RubricError) as caught:
        parse_tree(data, "t.json", **more)
    return [str(problem) for problem in caught.value.problems]


def test_the_example_of_the_format_page_survives_a_round_trip(tmp_path):
    """Unknown keys of tree, direction and atom are kept; literals stay exact."""
    tree = parse_tree(EXAMPLE)
    assert dump_tree(tree) == json.loads(EXAMPLE)
    path = tmp_path / "t.json"
    path.write_text(json.dumps(dump_tree(tree)), encoding="utf-8")
    assert load_tree(path) == tree
    assert tree.directions[0].tau == F(2, 5)


def test_literals_are_exact():
    """0.1 is 1/10, digits beyond a double count, and ratios survive a round trip."""
    long = "0.1000000000000000000000001"
    assert exact("1e-3") == F(1, 1000)
    data = EXAMPLE.replace('"tau": 0.4', f'"tau": {long}')
    tree = parse_tree(data)
    assert tree.directions[0].tau == F(long)
    assert parse_tree(json.dumps(dump_tree(tree))) == tree
    for bad in ("1e999999999", "0x1", "1_0", "", "1/0", True, None, "٣", float("inf")):
        with pytest.raises(ValueError, match=r"number|range|zero"):
            exact(bad)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("tau", float("nan"), "NaN|nan is not a finite number"),
        ("tau", float("inf"), "not a finite number"),
        ("tau", 0, "outside 0 < tau <= 1"),
        ("tau", -0.5, "outside 0 < tau <= 1"),
        ("tau", 1.01, "outside 0 < tau <= 1"),
        ("tau", "x", "'x' is not a number"),
        ("tau", True, "True is not a number"),
        ("kappa", 0, "not an integer >= 1"),
        ("kappa", 2.5, "not an integer >= 1"),
        ("kappa", float("nan"), "not a finite number"),
        ("logic", "most", "'most' is not one of all, any, majority"),
        ("logic", "at_least:0", "is not one of"),
        ("logic", "at_least:2", "at_least:2 needs 2 atoms, but the direction has 1"),
        ("role", "door", "'door' is not one of core or gate"),
        ("dimension", "style", "is not one of content, citation or presentation"),
    ],
)
def test_domains_of_a_direction(field, value, message):
    """Each domain names file, direction and field; so it does from JSON text."""
    data = {"task_id": "t", "directions": [{"id": "C-FC", field: value}], "atoms": [atom()]}
    for form in (data, json.dumps(data)):
        (found,) = problems(form)
        assert found.startswith(f"t.json: direction C-FC: {field}: ")
        assert re.search(message, found, re.IGNORECASE), found


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"content": float("nan"), "citation": 1, "presentation": 1}, "not a finite number"),
        ({"content": float("inf"), "citation": 1, "presentation": 1}, "not a finite number"),
        ({"content": -0.1, "citation": 1, "presentation": 1}, "is negative"),
        ({"content": 0, "citation": 0, "presentation": 0}, "sum to 0"),
        ({"content": 1, "citation": 1}, "missing"),
        ({"content": 1, "citation": 1, "presentation": 1, "style": 1}, "style"),
    ],
)
def test_domains_of_weights(weights, message):
    """NaN, infinite or negative weights never give a score."""
    found = problems({"task_id": "t", "weights": weights, "atoms": [atom()]})
    assert any(message in item for item in found), found


def test_every_problem_at_once():
    """Duplicates, unknown directions, wrong words, missing fields: all named together."""
    found = problems(
        {
            "task_id": "t",
            "directions": ["C-FC", "C-FC", {"id": "R-CS", "tau": 0.4}, "P-ST", "X-1"],
            "atoms": [atom(), atom(), atom("b", "C-CPM")],
        }
    )
    assert found == [
        "t.json: direction C-FC: id: used 2 times, expected once",
        "t.json: atom a: id: used 2 times, expected once",
        "t.json: direction X-1: dimension: missing, and the id is not in the inventory",
        "t.json: atom b: direction: 'C-CPM' is neither in the tree nor in the inventory "
        "(did you mean C-CMP?)",
        "t.json: direction R-CS: tau: only a content direction has one, and this is citation",
        "t.json: direction P-ST: na_reason: missing; a gate has atoms or says why it has none",
    ]
    found = problems(
        {"task_id": "t", "atoms": [{**atom(), "expected": "maybe"}, atom(), {"id": 3}]}
    )
    assert "t.json: atom a: expected: 'maybe' is not one of yes or no" in found
    assert "t.json: atom a: id: used 2 times, expected once" in found
    assert any(item.startswith("t.json: atoms[2]: id: ") for item in found)


def test_json_that_hides_something():
    """A key twice, NaN in an unknown key, no object, no JSON."""
    with pytest.raises(FormatError, match="'expected' appears twice"):
        parse_tree('{"task_id": "t", "atoms": [{"expected": "yes", "expected": "no"}]}')
    assert problems('{"task_id": "t", "mine": [NaN], "atoms": []}') == [
        "t.json: tree: mine: holds NaN or infinity, which is not JSON"
    ]
    assert problems("[]") == ["t.json: expected a JSON object, a rubric tree"]
    with pytest.raises(FormatError, match=r"t\.json:2: not JSON"):
        parse_tree('{\n"task_id": t}', "t.json")


def test_a_gate_may_have_a_reason_instead_of_atoms():
    """With a reason it is no problem, and at_least does not ask for atoms."""
    tree = parse_tree(
        {
            "task_id": "t",
            "atoms": [],
            "directions": [{"id": "P-ST", "na_reason": "a spoken answer", "logic": "at_least:2"}],
        }
    )
    assert [direction.na_reason for direction in tree.directions] == ["a spoken answer"]


def test_folders_of_trees(tmp_path):
    """JSON and JSONL in a folder, in the order of names; the problems of all files at once."""
    (tmp_path / "b.jsonl").write_text(
        '{"task_id": "t2", "atoms": []}\n\n{"task_id": "t3", "atoms": []}\n', encoding="utf-8"
    )
    (tmp_path / "a.json").write_text('{"task_id": "t1", "atoms": []}', encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no tree", encoding="utf-8")
    assert [tree.task_id for tree in load_trees(tmp_path)] == ["t1", "t2", "t3"]
    (tmp_path / "c.jsonl").write_text('{"task_id": "t1", "atoms": []}\n{"task_id"', "utf-8")
    (tmp_path / "d.json").write_text('{"task_id": "t1", "atoms": []}', encoding="utf-8")
    with pytest.raises(RubricError) as caught:
        load_trees(tmp_path)
    assert len(caught.value.problems) == 2
    assert "c.jsonl:2: not JSON" in str(caught.value)
    assert "task_id: also that of" in str(caught.value)


def test_the_inventory():
    """23 directions, three saturated, the gates of directions.md; a user can supply another."""
    inventory = default_inventory()
    assert len(inventory.directions) == 23
    assert [item.id for item in inventory.directions if item.saturated] == ["C-FC", "C-CA", "C-CMP"]
    assert [item.id for item in inventory.directions if item.role == "gate"] == [
        "C-VF",
        "R-CLO",
        "P-ST",
    ]
    assert [item.id for item in inventory.directions if item.named == "ours"] == [
        "C-CF",
        "C-AP",
        "R-VT",
        "P-RD",
    ]
    assert {item.id: "".join(item.evaluators) for item in inventory.directions}["R-MM"] == "JM"
    mine = Inventory.parse(
        '[[directions]]\nid = "Q"\ntitle = "q"\ndimension = "content"\nevaluators = ["J"]\n'
    )
    parse_tree({"task_id": "t", "atoms": [atom("a", "Q")]}, inventory=mine)
    with pytest.raises(RubricError, match="used 2 times"):
        Inventory.parse(
            '[[directions]]\nid="Q"\ntitle="q"\ndimension="content"\nevaluators=["J"]\n' * 2
        )


def test_levels_follow_from_evidence():
    """L3 two facts, L2 two domains or a conflict, L1 web, L0 else; the statement only fills in."""

    def fact(name, origin="web", urls=("https://a.org/1",), **more):
        return Fact(fact_id=name, origin=origin, sources=[{"url": url} for url in urls], **more)

    facts = {
        item.fact_id: item
        for item in (
            fact("video", "video", ()),
            fact("web"),
            fact("twice", urls=("https://a.org", "https://b.org")),
            fact("same", urls=("https://x.a.org", "https://a.org/2")),
            fact("clash", conflicts_with=["web"]),
            fact("torn", "video", (), status="disputed"),
        )
    }
    levels = {name: evidence_level([name], facts).value for name in facts}
    assert levels == {
        "video": "L0",
        "web": "L1",
        "twice": "L2",
        "same": "L1",
        "clash": "L2",
        "torn": "L2",
    }
    assert evidence_level(["web", "web"], facts).value == "L1"
    assert evidence_level(["web", "video"], facts).value == "L3"
    tree = parse_tree({"task_id": "t", "atoms": [atom(level="L2", fact_ids=["gone"])]})
    assert tree.level("a").value == "L2"


def test_settings_say_what_is_assumed():
    """Every parameter of section 7 is marked, until it is given."""
    assumed = {item.name for item in parameters(Settings()) if item.assumed}
    assert assumed >= {"weights", "tau", "kappa", "delta_cal", "r_max", "window_seconds", "b_web"}
    given = {item.name for item in parameters(Settings(tau={"*": "0.4"})) if item.assumed}
    assert assumed - given == {"tau"}
    assert derive_tau("24.5", [62, 70, 78]) == F("0.35")
    settings = Settings.parse(
        "[rubric]\nkappa = {'*' = 9}\n[rubric.weights]\ncontent = 0.1\n"
        "citation = 0.2\npresentation = 0.7\n"
    )
    assert settings.weights.content == F(1, 10)
    with pytest.raises(SettingsError, match=r"g\.toml: setting taux: no such parameter"):
        Settings.parse("[rubric]\ntaux = 1\n", "g.toml")


def test_coverage_is_of_content_only():
    """Another direction may cover facts, if it is a content direction."""
    data = {"task_id": "t", "atoms": [atom("a", "R-CS")]}
    with pytest.raises(RubricError, match="coverage: only a content direction"):
        parse_tree(data, settings=Settings(coverage=frozenset({"R-CS"})))
