"""The recipes of docs/cypher-rubric.md: each is run, and compared with a computation in Python."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from rubric import Settings, load_trees, read_verdicts, score_reports
from rubric.breakdown import break_down
from rubric.settings import GuardMode
from rubric.statistics import decisions, pass_rates
from rubric.stored import load_trees as load_into
from rubric.stored import load_verdicts, save_scores
from rubric.verdicts import WORDS
from tests.docs.recipes import ENGINES, ROOT, RUBRIC_PAGE, RUBRIC_RECIPES, empty_store, run

EXAMPLE = ROOT / "examples" / "rubric"
PARAMS = {
    "guard": "published", "task": "peat-bog", "system": "cedar", "domain": "council-papers.example",
}  # fmt: skip


class World:
    """The example, in the store and in Python."""

    def __init__(self, store):
        self.store = store
        self.trees = load_trees(EXAMPLE / "trees")
        self.table = read_verdicts(EXAMPLE / "verdicts.jsonl")
        load_into(store, self.trees)
        text = (EXAMPLE / "verdicts.jsonl").read_text(encoding="utf-8")
        load_verdicts(store, map(json.loads, text.splitlines()))
        self.reports = {}
        for guard in GuardMode:
            found = score_reports(self.trees, self.table, settings=Settings(guard=guard))
            self.reports[guard.value] = [r for r in found if r.status != "not_run"]
            save_scores(store, [report.to_dict() for report in found])
        self.published = self.reports["published"]
        self.by_task = {tree.task_id: tree for tree in self.trees}

    def atoms(self, report):
        return self.by_task[report.task_id].atoms

    def rows(self, recipe):
        rows = run(self.store, RUBRIC_RECIPES[recipe], PARAMS)
        return [tuple(row.values()) for row in rows]


@pytest.fixture(scope="module", params=ENGINES)
def world(request):
    with empty_store(request.param, request) as store:
        yield World(store)


def test_every_recipe_is_tested():
    """Each query of the page has its test here, and each test its query."""
    source = Path(__file__).read_text(encoding="utf-8")
    asked = set(re.findall(r'world\.rows\("([^"]+)"\)', source))
    assert len(RUBRIC_RECIPES) == RUBRIC_PAGE.count("```cypher") == 12
    assert asked == set(RUBRIC_RECIPES)


def test_atoms_every_system_fails(world):
    """Atoms that are scored somewhere and passed nowhere."""
    outcomes = defaultdict(list)
    question = {}
    for report in world.published:
        for atom in world.atoms(report):
            question[report.task_id, atom.id] = atom.question
            if report.outcomes[atom.id] in ("passed", "failed"):
                outcomes[report.task_id, atom.id].append(report.outcomes[atom.id])
    expected = [(*key, len(found), question[key]) for key, found in outcomes.items()
                if "passed" not in found]  # fmt: skip
    rows = world.rows("Atoms that every system fails")
    assert rows == sorted(expected, key=lambda row: (-row[2], row[0], row[1]))
    assert rows


def test_directions_where_systems_differ(world):
    """The spread of the systems' rates is that of ``pass_rates``."""
    rates = pass_rates(decisions(world.published, world.trees), "direction")
    spans = {row.key: [m.value for m in row.configurations.values() if m.value is not None]
             for row in rates}  # fmt: skip
    rows = world.rows("Directions where systems differ most")
    assert {row[0] for row in rows} == set(spans)
    for direction, low, high, spread in rows:
        assert (low, high) == pytest.approx(
            (min(spans[direction]), max(spans[direction])), abs=1e-6
        )
        assert spread == pytest.approx(high - low, abs=2e-6)
    assert [row[3] for row in rows] == sorted((row[3] for row in rows), reverse=True)


def test_facts_with_most_points(world):
    """Points of a fact are the contributions of its atoms in all reports."""
    points = defaultdict(float)
    for report in world.published:
        if report.status != "scored":
            continue
        made = break_down(world.by_task[report.task_id], world.table, report.system)
        worth = {item.atom_id: item.contribution for item in made.atoms}
        for atom in world.atoms(report):
            for fact in atom.fact_ids:
                points[report.task_id, fact] += float(worth[atom.id])
    rows = world.rows("Facts that carry most points")
    assert len(rows) == 10
    best = sorted(points.values(), reverse=True)[:10]
    assert [row[2] for row in rows] == pytest.approx(best, abs=1e-6)
    for task, fact, found, claim in rows:
        assert found == pytest.approx(points[task, fact], abs=1e-6)
        assert claim == world.by_task[task].facts_by_id[fact].claim


def test_citations_turned_na(world):
    """Exactly the atoms that the guard applied."""
    expected = [
        (report.task_id, report.system, atom.id, fact)
        for report in world.published
        for atom in world.atoms(report)
        if report.outcomes[atom.id] == "na_guard"
        for fact in atom.fact_ids
    ]
    assert world.rows("Citation atoms turned N/A") == sorted(expected)
    assert expected


def _verdicts(world):
    """Yield (report key, atom, outcome) of every verdict that the tree has an atom for."""
    for tree in world.trees:
        for system in world.table.system_names:
            codes = world.table.report(tree.task_id, system).codes
            for atom in tree.atoms:
                if atom.id in codes:
                    word = WORDS[codes[atom.id]]
                    good = {"yes": 1, "no": 1}.get(word)
                    outcome = word if not good else (
                        "passed" if word == atom.expected.value else "failed")  # fmt: skip
                    yield (tree.task_id, system), atom, outcome


def test_facts_that_nobody_states(world):
    """Facts all of whose coverage verdicts are other than passed."""
    found = defaultdict(list)
    for (task, _), atom, outcome in _verdicts(world):
        if atom.direction == "C-FC":
            found[task, atom.fact_ids[0]].append(outcome)
    expected = [
        (task, fact, len(words), world.by_task[task].facts_by_id[fact].claim)
        for (task, fact), words in sorted(found.items()) if "passed" not in words
    ]  # fmt: skip
    assert world.rows("Facts that no report states") == expected


def test_stated_but_unsupported(world):
    """Reports that pass the statement of a fact and fail its citation."""
    words = {(key, atom.direction, atom.fact_ids): outcome
             for key, atom, outcome in _verdicts(world) if len(atom.fact_ids) == 1}  # fmt: skip
    expected = sorted(
        (*key, facts[0]) for (key, direction, facts), outcome in words.items()
        if direction == "C-FC" and outcome == "passed"
        and words.get((key, "R-CS", facts)) == "failed"
    )  # fmt: skip
    assert world.rows("Stated, but not supported by a source") == expected
    assert expected


def test_gates_that_close(world):
    """Gates by how often they close, of the reports where they are scored."""
    counts = defaultdict(lambda: [0, 0])
    for report in world.published:
        roles = {"C-VF": 1, "R-CLO": 1, "P-ST": 1}
        for name, part in report.directions.items():
            if name in roles and part.n:
                counts[name][0] += part.gate == 0
                counts[name][1] += 1
    expected = sorted(((name, *pair) for name, pair in counts.items()),
                      key=lambda row: (-row[1], row[0]))  # fmt: skip
    assert world.rows("Gates that close") == expected


def test_one_report_by_dimension(world):
    """Points by dimension are those of the explanation, and add up to the score."""
    made = break_down(world.by_task["peat-bog"], world.table, "cedar")
    rows = world.rows("One report by dimension")
    expected = {item.id: float(item.points) for item in made.dimensions}
    assert {row[0]: row[1] for row in rows} == pytest.approx(expected, abs=1e-6)
    assert sum(row[1] for row in rows) == pytest.approx(float(made.score), abs=1e-5)
    for dimension, _, passed, scored in rows:
        parts = [item for item in made.directions if item.dimension == dimension]
        assert passed == sum(item.passed for item in parts)
        assert scored == sum(item.n for item in parts)


def test_guards_that_differ(world):
    """Reports whose exact scores differ under the two guards."""
    exact = {(r.task_id, r.system): r.score for r in world.reports["exact"]}
    expected = sorted(
        (r.task_id, r.system, float(r.score), float(exact[r.task_id, r.system]))
        for r in world.published if r.score != exact[r.task_id, r.system]
    )  # fmt: skip
    assert world.rows("Reports that the two guards score differently") == expected
    assert expected


def test_what_hangs_on_a_site(world):
    """Facts and atoms that have the site as a source."""
    expected = []
    for tree in sorted(world.trees, key=lambda tree: tree.task_id):
        facts = {fact.fact_id for fact in tree.facts if PARAMS["domain"] in fact.domains}
        atoms = [atom for atom in tree.atoms if facts & set(atom.fact_ids)]
        if atoms:
            expected.append((tree.task_id, len(facts), len(atoms)))
    assert world.rows("What hangs on one web site") == expected
    assert expected


def test_verdicts_that_are_none(world):
    """Reasons as the reader counts them; repeated lines are not in the store."""
    counts = defaultdict(int)
    for code, reason in zip(world.table.code, world.table.reason, strict=True):
        if WORDS[code] == "skipped":
            counts[world.table.reason_texts[reason]] += 1
    rows = world.rows("Verdicts that are none")
    assert dict(rows) == dict(counts)
    assert len(rows) == 3


def test_verdicts_without_an_atom(world):
    """What ``score`` reports as extra verdicts."""
    expected = sorted((r.task_id, r.system, atom) for r in world.published for atom in r.extra)
    assert world.rows("Verdicts about atoms that the tree does not have") == expected
    assert expected == [("tram-lift", "ember", "fc-f9")]
